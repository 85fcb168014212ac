//! Files of sites: who gets them, and which caches may store them.
use super::{change, text};
use crate::urls::{BASE, adaptive, signed};
use acceptance::{Answer, Fields, Fixture, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// What begins the addresses of the server.
const HOST: &str = "https://docs.test";
const SHARED: [(&str, &str); 2] =
    [("cache-control", "public, max-age=31536000, immutable"), ("cross-origin-resource-policy", "cross-origin")];
const PRIVATE: [(&str, &str); 2] =
    [("cache-control", "private, max-age=600"), ("cross-origin-resource-policy", "same-origin")];

/// Pages and texts with images, which visitors without the plan see or not.
fn guide() -> Fixture {
    let images = ["plain", "shared", "block", "cover", "pro", "below", "included"].map(|name| {
        let svg =
            format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><title>{name}</title></svg>");
        (format!(".gitbook/assets/{name}.svg"), svg)
    });
    let pages = [
        ("SUMMARY.md", "* [Start](README.md)\n* [Pro](pro.md)\n  * [Below](below.md)\n"),
        (
            "README.md",
            "# Start\n\n![Plain](.gitbook/assets/plain.svg)\n\n![Shared](.gitbook/assets/shared.svg)\n\n\
             {% if visitor.claims.plan == \"pro\" %}\n![Block](.gitbook/assets/block.svg)\n{% endif %}\n",
        ),
        (
            "pro.md",
            "---\nif: visitor.claims.plan == \"pro\"\ncover: .gitbook/assets/cover.svg\n---\n\n# Pro\n\n\
             ![Pro](.gitbook/assets/pro.svg)\n\n![Shared](.gitbook/assets/shared.svg)\n\n\
             {% include \".gitbook/includes/note.md\" %}\n",
        ),
        ("below.md", "# Below\n\n![Below](.gitbook/assets/below.svg)\n"),
        (".gitbook/includes/note.md", "---\ntitle: Note\n---\n\n![Included](../assets/included.svg)\n"),
    ];
    let images = images.iter().map(|(path, svg)| (path.as_str(), svg.as_str()));
    Fixture::new("guide", pages.into_iter().chain(images))
}

/// The public site `docs` with the guide, and the space.
async fn site(world: &World) -> (String, SpaceId) {
    let space = world.import(&guide()).await;
    let body = json!({"title": "Docs", "visibility": "public", "spaces": [space.as_str()]});
    let site = crate::sites::site(world, body).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
    (site, space)
}

/// The response for a visitor with the plan `pro`.
async fn as_pro(world: &World, site: &str, address: &str) -> Answer {
    let bearer = format!("Bearer {}", signed(world, site, 600, json!({"plan": "pro"})).await);
    world.browse_with(address, |request| request.insert_header(("Authorization", bearer.as_str()))).await
}

/// The address of the file with this name on a page.
#[track_caller]
fn file(page: &str, name: &str) -> String {
    let is_file = |part: &&str| part.contains("/~/files/") && part.ends_with(&format!("/{name}.svg"));
    let path = page.split('"').find(is_file).unwrap_or_else(|| panic!("{name} is not in {page}"));
    format!("{HOST}{path}")
}

#[acceptance::test]
async fn a_file_that_only_hidden_content_uses_is_for_those_who_see_it(world: World) {
    let (site, space) = site(&world).await;
    adaptive(&world, &site).await;
    let [start, pro, below] = ["/", "/pro", "/pro/below"].map(|path| format!("{BASE}{path}"));
    let start = text(as_pro(&world, &site, &start).await, 200);
    let pro = text(as_pro(&world, &site, &pro).await, 200);
    let below = text(as_pro(&world, &site, &below).await, 200);
    for (page, name) in [(&start, "block"), (&pro, "cover"), (&pro, "pro"), (&pro, "included"), (&below, "below")] {
        let address = file(page, name);
        let seen = as_pro(&world, &site, &address).await;
        seen.assert_headers(&PRIVATE);
        let tag = seen.header("etag").unwrap().to_owned();
        assert!(text(seen, 200).contains(&format!("<title>{name}</title>")));
        text(world.browse(&address).await, 404);
        let kept = world.browse_with(&address, |request| request.insert_header(("If-None-Match", tag.as_str()))).await;
        assert_eq!(kept.status.as_u16(), 404, "{name}: a visitor who has the file does not learn that it is there");
    }
    for (page, name) in [(&start, "plain"), (&pro, "shared")] {
        let address = file(page, name);
        for answer in [world.browse(&address).await, as_pro(&world, &site, &address).await] {
            answer.assert_headers(&SHARED);
            text(answer, 200);
        }
    }
    // A change of the content decides at once.
    let [condition, none] = [json!({"condition": "visitor.claims.plan === 'pro'"}), json!({"condition": ""})];
    let hidden = world.page(&space, "pro").await;
    change(&world, &space, &hidden, none).await;
    for (page, name) in [(&pro, "cover"), (&pro, "pro"), (&pro, "included"), (&below, "below")] {
        let answer = world.browse(&file(page, name)).await;
        answer.assert_headers(&SHARED);
        text(answer, 200);
    }
    change(&world, &space, &hidden, condition).await;
    text(world.browse(&file(&below, "below")).await, 404);
}

#[acceptance::test]
async fn a_file_that_no_page_uses_any_more_stays_at_its_address(world: World) {
    let (_, space) = site(&world).await;
    let start = text(world.browse(&format!("{BASE}/")).await, 200);
    let page = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok().list("pages")[0].id().to_owned();
    change(&world, &space, &page, json!({"document": {"markdown": "No image.\n"}})).await;
    let answer = world.browse(&file(&start, "plain")).await;
    answer.assert_headers(&SHARED);
    text(answer, 200);
    // The other page that uses this one has a condition, which is false for all visitors of this site.
    text(world.browse(&file(&start, "shared")).await, 404);
}

#[acceptance::test]
async fn a_use_in_another_space_or_in_a_menu_shows_a_file_to_those_who_see_the_use(world: World) {
    let (site, space) = site(&world).await;
    adaptive(&world, &site).await;
    let more = world.import(&Fixture::new("more", [("README.md", "# More\n\nWords.\n")])).await;
    let part = json!({"spaceId": more.as_str(), "title": "More"});
    let part = world.ada.post(&format!("{site}/site-spaces"), part).await.expect(201);
    let below = text(as_pro(&world, &site, &format!("{BASE}/pro/below")).await, 200);
    let address = file(&below, "below");
    text(world.browse(&address).await, 404);

    // The same text in the other space, with the image of the first one.
    let page = world.page(&space, "pro/below").await;
    let document = world.ada.get(&format!("/spaces/{space}/content/page/{page}")).await.ok()["document"].take();
    let named = format!("\"kind\":\"file\",\"space\":\"{space}\"");
    let document: Value = serde_json::from_str(&document.to_string().replace("\"kind\":\"file\"", &named)).unwrap();
    let other = world.ada.get(&format!("/spaces/{more}/content/pages")).await.ok().list("pages")[0].id().to_owned();
    change(&world, &more, &other, json!({"document": {"document": document}})).await;
    assert_eq!(file(&text(world.browse(&format!("{BASE}/more")).await, 200), "below"), address);
    let seen = world.browse(&address).await;
    seen.assert_headers(&PRIVATE);
    text(seen, 200);
    change(&world, &more, &other, json!({"condition": "visitor.claims.plan === 'pro'"})).await;
    text(world.browse(&address).await, 404);

    let files = world.ada.get(&format!("/spaces/{space}/content/files")).await.ok();
    let id = files.list("items").iter().find(|file| file.text("name") == "below.svg").unwrap().id().to_owned();
    let to = json!({"kind": "file", "file": id, "space": space.as_str()});
    let links = json!({"header": {"links": [{"title": "Below", "to": to}]}});
    let mut hidden = links.clone();
    hidden["header"]["links"][0]["condition"] = json!("visitor.claims.plan === 'pro'");
    // A menu of the other space, and then one of the site.
    let of_more = format!("{site}/site-spaces/{}/customization", part.id());
    world.ada.patch(&of_more, hidden.clone()).await.ok();
    text(world.browse(&address).await, 404);
    world.ada.patch(&of_more, links.clone()).await.ok();
    text(world.browse(&address).await, 200);
    world.ada.delete(&of_more).await;
    world.ada.put(&format!("{site}/customization"), hidden).await.ok();
    text(world.browse(&address).await, 404);
    world.ada.put(&format!("{site}/customization"), links).await.ok();
    let seen = world.browse(&address).await;
    seen.assert_headers(&PRIVATE);
    text(seen, 200);
}

#[acceptance::test]
async fn a_file_of_a_space_that_only_some_visitors_see_is_not_for_shared_caches(world: World) {
    let (site, _) = site(&world).await;
    adaptive(&world, &site).await;
    let more = world
        .import(&Fixture::new("more", [("README.md", "# More\n\n![Dot](dot.svg)\n"), ("dot.svg", "<svg/>")]))
        .await;
    let part = json!({"spaceId": more.as_str(), "title": "More"});
    let part = world.ada.post(&format!("{site}/site-spaces"), part).await.expect(201);
    let condition = json!({"condition": "visitor.claims.plan == \"pro\""});
    world.ada.patch(&format!("{site}/site-spaces/{}", part.id()), condition).await.ok();
    let address = file(&text(as_pro(&world, &site, &format!("{BASE}/more")).await, 200), "dot");
    let seen = as_pro(&world, &site, &address).await;
    seen.assert_headers(&PRIVATE);
    text(seen, 200);
    text(world.browse(&address).await, 404);
}
