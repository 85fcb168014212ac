//! Where sites, their parts, spaces and pages are published.
use super::site;
use crate::urls::signed;
use acceptance::{Answer, Caller, Fields, Fixture, World};
use actix_web::http::Method;
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::{Value, json};

const BASE: &str = "https://docs.test/s/docs/";

/// A site with the guide, not published.
async fn guide(world: &World, visibility: &str) -> (String, SpaceId) {
    let space = world.import(&Fixture::guide()).await;
    let new = json!({"title": "Docs", "spaces": [space.as_str()], "visibility": visibility});
    (site(world, new).await, space)
}

async fn publish(world: &World, path: &str) {
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
}

/// `urls.published` of what is at a path.
async fn url_of(caller: &Caller, path: &str) -> Option<String> {
    url(&caller.get(path).await.ok())
}

fn url(shown: &Value) -> Option<String> {
    shown["urls"].get("published").map(|url| url.as_str().unwrap().to_owned())
}

/// The addresses of all parts of a structure, in order.
fn urls(structure: &Value) -> Vec<Option<String>> {
    let parts = structure["structure"].as_array().or_else(|| structure["items"].as_array()).unwrap();
    let inside = |part: &Value| {
        let spaces = part.get("siteSpaces").and_then(Value::as_array).cloned().unwrap_or_default();
        [vec![url(part)], spaces.iter().map(url).collect()].concat()
    };
    parts.iter().flat_map(inside).collect()
}

fn at(path: &str) -> Option<String> {
    Some(format!("{BASE}{path}"))
}

#[acceptance::test]
async fn a_space_and_its_pages_have_the_address_on_the_site_that_shows_them(world: World) {
    let (path, space) = guide(&world, "public").await;
    let (shown, content) = (format!("/spaces/{space}"), format!("/spaces/{space}/content"));
    let linux = format!("{content}/page/{}", world.page(&space, "install/linux").await);
    for path in [&shown, &linux, &content] {
        assert_eq!(url_of(&world.ada, path).await, None, "it is not published");
    }
    publish(&world, &path).await;
    let read = world.ada.get(&shown).await.ok();
    assert_eq!((read["urls"].text("published"), read["urls"].text("public")), (BASE, BASE));
    assert_eq!(read.text("visibility"), "public");
    assert_eq!(url_of(&world.ada, &linux).await, at("install/linux"));
    let by_path = format!("{content}/path/install%2Flinux");
    assert_eq!(url_of(&world.ada, &by_path).await, at("install/linux"));
    let revision = world.ada.get(&content).await.ok();
    assert_eq!(url(&revision), at(""));
    let tree = world.ada.get(&format!("{content}/pages")).await.ok();
    assert_eq!(tree["pages"], revision["pages"]);
    assert_eq!(url(&tree["pages"][0]), at(""), "the page that the space starts with");

    let old = format!("/spaces/{space}/revisions/{}", revision.id());
    assert_eq!(url_of(&world.ada, &old).await, None, "visitors see the primary content");
    world.ada.patch(&path, json!({"visibility": "unlisted"})).await.ok();
    let read = world.ada.get(&shown).await.ok();
    assert_eq!((url(&read), read["urls"].get("public"), read.text("visibility")), (at(""), None, "unlisted"));
    world.ada.patch(&path, json!({"visibility": "share-link"})).await.ok();
    let read = world.ada.get(&shown).await.ok();
    assert_eq!((url(&read), read.text("visibility")), (None, "share-link"), "without a key there is no address");
    world.ada.post(&format!("{path}/unpublish"), json!({})).await.ok();
    assert_eq!(world.ada.get(&shown).await.ok().text("visibility"), "private");
    assert_eq!((url_of(&world.ada, &shown).await, url_of(&world.ada, &linux).await), (None, None));
}

#[acceptance::test]
async fn a_page_and_its_tag_change_with_its_address(world: World) {
    let (path, space) = guide(&world, "public").await;
    let page = format!("/spaces/{space}/content/page/{}", world.page(&space, "install").await);
    let tree = format!("/spaces/{space}/content/pages");
    let other = world.space(json!({"title": "Old"})).await;
    let variant = world.ada.post(&format!("{path}/site-spaces"), json!({"spaceId": other.as_str()})).await.id();
    let structure = world.ada.get(&format!("{path}/structure")).await.ok();
    let guide = format!("{path}/site-spaces/{}", structure["structure"][0].id());
    let mut seen: Vec<(String, String)> = Vec::new();
    let change = async |method: Method, path: &str, body: Value| {
        world.ada.send(method, path, |request| request.set_json(body)).await.ok();
    };
    for (method, path, body, expected) in [
        (Method::POST, format!("{path}/publish"), json!({}), Some("https://docs.test/s/docs/install")),
        (Method::PATCH, path.clone(), json!({"basename": "guide"}), Some("https://docs.test/s/guide/install")),
        (
            Method::PATCH,
            path.clone(),
            json!({"defaultSiteSpace": variant}),
            Some("https://docs.test/s/guide/guide/install"),
        ),
        (Method::PATCH, guide.clone(), json!({"path": "new"}), Some("https://docs.test/s/guide/new/install")),
        (Method::PATCH, path.clone(), json!({"hostname": "docs.acme.org"}), Some("https://docs.acme.org/new/install")),
        (Method::PATCH, world.org(""), json!({"hostname": "acme"}), Some("https://docs.acme.org/new/install")),
        (Method::PATCH, path.clone(), json!({"hostname": null}), Some("https://acme.sites.test.org/guide/new/install")),
        (Method::PATCH, guide.clone(), json!({"draft": true}), None),
        (Method::PATCH, guide, json!({"draft": false}), Some("https://acme.sites.test.org/guide/new/install")),
        (Method::PATCH, path.clone(), json!({"visibility": "share-link"}), None),
        (
            Method::PATCH,
            path.clone(),
            json!({"visibility": "visitor-auth"}),
            Some("https://acme.sites.test.org/guide/new/install"),
        ),
        (Method::POST, format!("{path}/unpublish"), json!({}), None),
    ] {
        change(method, &path, body.clone()).await;
        let answer = world.ada.get(&page).await;
        let tag = answer.header("etag").unwrap().to_owned();
        assert_eq!(url(&answer.ok()).as_deref(), expected, "{body}");
        let found = world.ada.get(&tree).await.ok();
        let install = found["pages"].as_array().unwrap().iter().find(|page| page["slug"] == "install").unwrap().clone();
        assert_eq!(url(&install).as_deref(), expected, "{body}");
        let known = seen.iter().find(|(_, url)| Some(url.as_str()) == expected);
        assert!(known.is_none_or(|(before, _)| *before == tag), "the same bytes have the same tag");
        assert!(seen.iter().all(|(before, url)| *before != tag || Some(url.as_str()) == expected), "{body}");
        seen.extend(expected.map(|url| (tag, url.to_owned())));
    }
    // The first default leaves the site for a while, and the other variant is at its path.
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
    assert_eq!(world.ada.delete(&format!("/spaces/{other}")).await.status.as_u16(), 205);
    assert_eq!(url_of(&world.ada, &page).await.as_deref(), Some("https://acme.sites.test.org/guide/install"));
    world.ada.post(&format!("/spaces/{other}/restore"), json!({})).await.ok();
    assert_eq!(url_of(&world.ada, &page).await.as_deref(), Some("https://acme.sites.test.org/guide/new/install"));
}

#[acceptance::test]
async fn what_is_shadowed_has_an_address_with_all_segments(world: World) {
    let (path, space) = guide(&world, "public").await;
    let section = json!({"spaceId": world.space(json!({"title": "Install"})).await.as_str(), "title": "Install"});
    world.ada.post(&format!("{path}/sections"), section).await.expect(201);
    let variant = json!({"spaceId": world.space(json!({"title": "Install"})).await.as_str()});
    world.ada.post(&format!("{path}/site-spaces"), variant).await.expect(201);
    publish(&world, &path).await;
    let structure = world.ada.get(&format!("{path}/structure")).await.ok();
    let expected = [at(""), at(""), at("docs/install"), at("install"), at("install")];
    assert_eq!(urls(&structure), expected, "the variant install of the first section is shadowed by the section");
    let linux = format!("/spaces/{space}/content/page/{}", world.page(&space, "install/linux").await);
    assert_eq!(url_of(&world.ada, &linux).await, at("docs/guide/install/linux"));
    for url in expected.iter().flatten().chain(&at("docs/guide/install/linux")) {
        let found = world.services.sites.resolve(&url.parse().unwrap()).await.unwrap();
        assert!(matches!(found, domain::usecases::sites::Resolved::Page(_)), "{url}: {found:?}");
    }
}

#[acceptance::test]
async fn a_space_on_several_sites_has_the_address_of_the_oldest_that_is_published(world: World) {
    let (path, space) = guide(&world, "public").await;
    let second = site(&world, json!({"title": "Second", "spaces": [space.as_str()]})).await;
    let shown = format!("/spaces/{space}");
    publish(&world, &second).await;
    assert_eq!(url_of(&world.ada, &shown).await.as_deref(), Some("https://docs.test/s/second/"));
    publish(&world, &path).await;
    assert_eq!(url_of(&world.ada, &shown).await, at(""));
    let structure = world.ada.get(&format!("{second}/structure")).await.ok();
    let part = &structure["structure"][0];
    assert_eq!((url(part).as_deref(), url(&part["space"])), (Some("https://docs.test/s/second/"), at("")));
    world.ada.patch(&path, json!({"visibility": "share-link"})).await.ok();
    assert_eq!(url_of(&world.ada, &shown).await.as_deref(), Some("https://docs.test/s/second/"));
}

#[acceptance::test]
async fn a_space_is_the_same_wherever_it_is_shown_and_changed_with_its_tag(world: World) {
    let collection = world.collection(json!({})).await;
    let space = world.space(json!({"title": "Guide", "parent": collection})).await;
    let path = site(&world, json!({"title": "Docs", "spaces": [space.as_str()]})).await;
    publish(&world, &path).await;
    let shown = format!("/spaces/{space}");
    let read = world.ada.get(&shown).await;
    let tag = read.header("etag").unwrap().to_owned();
    let read = read.ok();
    assert_eq!(url(&read), at(""));
    let ada = world.ada.id();
    for list in [
        world.org("/spaces"),
        format!("/collections/{collection}/spaces"),
        world.org(&format!("/members/{ada}/spaces")),
    ] {
        let list = world.ada.get(&list).await.ok();
        let found = &list.list("items")[0];
        assert_eq!(*found.get("space").unwrap_or(found), read);
    }
    let structure = world.ada.get(&format!("{path}/structure")).await.ok();
    assert_eq!(structure["structure"][0]["space"], read);
    let renamed = |request: actix_web::test::TestRequest| {
        request.insert_header(("If-Match", tag.as_str())).set_json(json!({"title": "Renamed"}))
    };
    let renamed = world.ada.send(Method::PATCH, &shown, renamed).await.ok();
    assert_eq!(renamed, world.ada.get(&shown).await.ok());
    let moved = world.ada.post(&format!("{shown}/move"), json!({"parent": null})).await.ok();
    assert_eq!(url(&moved), at(""));
    let copy = world.ada.post(&format!("{shown}/duplicate"), json!({})).await.expect(201);
    assert_eq!(url(&copy), None, "a copy is on no site");
}

/// A published site with the visibility `share-link`, and the key of a link.
async fn shared(world: &World) -> (String, SpaceId, String, String) {
    let (path, space) = guide(world, "share-link").await;
    publish(world, &path).await;
    let link = world.ada.post(&format!("{path}/share-links"), json!({"name": "Partners"})).await.expect(201);
    let key = url(&link).unwrap().split('/').rev().nth(1).unwrap().to_owned();
    (path, space, link.id().to_owned(), key)
}

#[acceptance::test]
async fn the_key_of_a_share_link_resolves_published_addresses_through_the_link(world: World) {
    let (path, space, link, key) = shared(&world).await;
    let section = json!({"spaceId": world.space(json!({"title": "API"})).await.as_str()});
    world.ada.post(&format!("{path}/sections"), section).await.expect(201);
    let redirect = json!({"source": "/old", "destination": {"kind": "site-space", "siteSpaceId": ""}});
    let structure = world.ada.get(&format!("{path}/structure")).await.ok();
    let api = structure["structure"][1]["siteSpaces"][0].id();
    let redirect = {
        let mut redirect = redirect;
        redirect["destination"]["siteSpaceId"] = json!(api);
        redirect
    };
    world.ada.post(&format!("{path}/redirects"), redirect).await.expect(201);
    let entry = |path: &str| Some(format!("{BASE}~/share/{key}/{path}"));
    let parts = [entry(""), entry(""), entry("api"), entry("api")];
    let none = [None, None, None, None];
    // With the key, another one, and none.
    for (query, opens) in
        [(format!("shareKey={key}"), true), ("shareKey=octavo_share_x".to_owned(), false), (String::new(), false)]
    {
        let get = async |rest: &str, sign: char| world.ada.get(&format!("{path}{rest}{sign}{query}")).await;
        let kept = |answer: &Answer| answer.header("cache-control").unwrap().to_owned();
        for rest in ["/structure", "/sections"] {
            let answer = get(rest, '?').await;
            assert_eq!(kept(&answer) == "no-store", !query.is_empty(), "{rest}");
            assert_eq!(urls(&answer.ok()), if opens { &parts } else { &none }, "{rest} {query}");
        }
        let spaces = get("/site-spaces", '?').await.ok();
        assert_eq!(urls(&spaces), if opens { [entry(""), entry("api")] } else { [None, None] });
        let published = get("/published", '?').await.ok();
        assert_eq!(urls(&published["structure"]), if opens { &parts } else { &none });
        assert_eq!(url(&published["site"]), if opens { entry("") } else { None });
        let target = get("/redirect?source=/old", '&').await.ok().text("target").to_owned();
        assert_eq!(Some(target), if opens { entry("api") } else { at("api") });
        let shown = world.ada.get(&format!("/spaces/{space}?{query}")).await;
        assert_eq!(kept(&shown) == "no-store", !query.is_empty());
        assert_eq!(url(&shown.ok()), if opens { entry("") } else { None });
    }
    assert_eq!(url_of(&world.ada, &path).await, None, "the site has an address through its links only");
    world.ada.patch(&format!("{path}/share-links/{link}"), json!({"active": false})).await.ok();
    assert_eq!(url_of(&world.ada, &format!("/spaces/{space}?shareKey={key}")).await, None);
    world.ada.patch(&path, json!({"visibility": "public"})).await.ok();
    assert_eq!(url_of(&world.ada, &format!("/spaces/{space}?shareKey={key}")).await, at(""), "no key is needed");
}

#[acceptance::test]
async fn callers_who_are_no_members_read_what_they_could_visit(world: World) {
    let (path, space, link, key) = shared(&world).await;
    let draft = json!({"spaceId": world.space(json!({"title": "Draft"})).await.as_str(), "draft": true});
    world.ada.post(&format!("{path}/site-spaces"), draft).await.expect(201);
    world.ada.post(&format!("/spaces/{space}/comments"), json!({"body": {"markdown": "Why?"}})).await.ok();
    let eve = world.stranger("eve").await;
    let published = format!("{path}/published");
    let keyed = format!("{published}?shareKey={key}");
    assert_eq!(eve.get(&published).await.error(404), "site not found");
    assert_eq!(eve.get(&format!("{published}?shareKey=octavo_share_x")).await.error(404), "site not found");
    let seen = eve.get(&keyed).await.ok();
    assert_eq!(urls(&seen["structure"]), [Some(format!("{BASE}~/share/{key}/"))]);
    let shown = &seen["structure"]["structure"][0]["space"];
    assert_eq!((shown.text("id"), &shown["comments"]), (space.as_str(), &json!(0)), "no numbers of what is hidden");
    for granted in [&seen["site"], shown] {
        assert!(granted["permissions"].as_object().unwrap().values().all(|may| may == false), "{granted}");
    }
    // Nothing else opens.
    for rest in ["", "/structure", "/sections", "/site-spaces", "/redirect?source=/"] {
        let sign = if rest.contains('?') { '&' } else { '?' };
        eve.get(&format!("{path}{rest}{sign}shareKey={key}")).await.error(404);
    }
    eve.get(&format!("/spaces/{space}?shareKey={key}")).await.error(404);

    world.ada.patch(&format!("{path}/share-links/{link}"), json!({"active": false})).await.ok();
    eve.get(&keyed).await.error(404);
    for (visibility, opens) in [("public", true), ("unlisted", true), ("visitor-auth", false)] {
        world.ada.patch(&path, json!({"visibility": visibility})).await.ok();
        let status = eve.get(&published).await.status.as_u16();
        assert_eq!(status, if opens { 200 } else { 404 }, "{visibility}");
        assert_eq!(world.anonymous().get(&published).await.status.as_u16(), 401);
    }
    world.ada.patch(&path, json!({"visibility": "public"})).await.ok();
    let other = world.ada.post("/orgs", json!({"title": "Other"})).await.id();
    let id = path.rsplit('/').next().unwrap();
    eve.get(&format!("/orgs/{other}/sites/{id}/published")).await.error(404);
    world.ada.post(&format!("{path}/unpublish"), json!({})).await.ok();
    assert_eq!(eve.get(&published).await.error(404), "site not found");
}

#[acceptance::test]
async fn members_see_of_a_published_site_what_they_may_read(world: World) {
    let (path, space) = guide(&world, "public").await;
    let hidden = world.space(json!({"title": "Hidden"})).await;
    let added = json!({"spaceId": hidden.as_str()});
    world.ada.post(&format!("{path}/site-spaces"), added).await.expect(201);
    publish(&world, &path).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"defaultLevel": null})).await.ok();
    let rita = world.member("rita", Some(Role::Read)).await;
    let seen = rita.get(&format!("{path}/structure")).await.ok();
    assert_eq!(urls(&seen), [at("hidden")], "addresses do not depend on what the caller may read");
}

#[acceptance::test]
async fn what_decides_about_visitors_acts_at_once_on_a_second_server(world: World) {
    let (path, space, link, key) = shared(&world).await;
    let second = world.second_server().await;
    let page = format!("/spaces/{space}/content/page/{}", world.page(&space, "install").await);
    let shown = format!("/spaces/{space}?shareKey={key}");
    let links = format!("{path}/share-links/{link}");
    for (method, at, body, opens) in [
        (Method::PATCH, &links, json!({"active": false}), false),
        (Method::PATCH, &links, json!({"active": true}), true),
        (Method::POST, &format!("{path}/unpublish"), json!({}), false),
        (Method::POST, &format!("{path}/publish"), json!({}), true),
        (Method::DELETE, &links, json!({}), false),
    ] {
        // The second server has cached the data that must be invalidated.
        assert_eq!(url_of(&second, &shown).await.is_some(), !opens, "before {body}");
        world.ada.send(method, at, |request| request.set_json(body.clone())).await;
        assert_eq!(url_of(&second, &shown).await.is_some(), opens, "after {body}");
    }
    world.ada.patch(&path, json!({"visibility": "public"})).await.ok();
    for published in [true, false, true] {
        let verb = if published { "publish" } else { "unpublish" };
        world.ada.post(&format!("{path}/{verb}"), json!({})).await.ok();
        assert_eq!(url_of(&second, &page).await, at("install").filter(|_| published));
    }
    world.ada.patch(&path, json!({"visibility": "visitor-auth"})).await.ok();
    let auth = format!("{path}/publishing/auth");
    let content = async |token: &str| {
        let asked = json!({"url": BASE, "visitor": {"jwtToken": token}});
        second.post("/urls/published", asked).await.status.as_u16() == 200
    };
    let before = second.get(&auth).await.ok();
    let old = signed(&world, &path, 60, json!({})).await;
    assert!(content(&old).await);
    let new = world.ada.post(&format!("{auth}/regenerate"), json!({})).await.ok();
    assert_ne!(new["privateKey"], before["privateKey"]);
    assert_eq!(second.get(&auth).await.ok()["privateKey"], new["privateKey"]);
    assert!(!content(&old).await, "signed with the key that was replaced");
    assert!(content(&signed(&world, &path, 60, json!({})).await).await);
}
