//! References of authors and owners: users, other forms of a page, fonts.
use super::text;
use crate::urls::{BASE, docs};
use acceptance::{Backend, Fixture, Host, World};
use domain::access::Role;
use domain::id::SpaceId;
use serde_json::json;

async fn publish(world: &World, spaces: &[&SpaceId]) {
    let spaces: Vec<&str> = spaces.iter().map(|space| space.as_str()).collect();
    let site = crate::sites::site(world, json!({"title": "Docs", "spaces": spaces})).await;
    world.ada.post(&format!("{site}/publish"), json!({})).await.ok();
}

#[acceptance::test]
async fn a_mention_is_the_name_of_a_member_and_nothing_else(world: World) {
    let (bob, eve) = (world.member("Robert", Some(Role::Read)).await, world.stranger("Evelyn").await);
    let mention = |user: &str| format!("[x](/users/{user} \"mention\")");
    let page = format!("# Start\n\nBy {} and {}.\n", mention(bob.id()), mention(eve.id()));
    let space = world.import(&Fixture::new("handbook", [("README.md", page.as_str())])).await;
    publish(&world, &[&space]).await;
    let html = format!("{BASE}/");
    let page = text(world.browse(&html).await, 200);
    assert!(page.contains("<span class=\"o-mention\">Robert</span>"), "{page}");
    for hidden in [bob.id(), eve.id(), "Evelyn", "@example.org"] {
        assert!(!page.contains(hidden), "{hidden} is in {page}");
    }
    let plain = world.browse_with(&html, |request| request.insert_header(("Accept", "text/markdown"))).await;
    let plain = text(plain, 200);
    assert!(plain.contains("By Robert and") && !plain.contains(bob.id()), "{plain}");
    world.ada.delete(&world.org(&format!("/members/{}", bob.id()))).await;
    let page = text(world.browse(&html).await, 200);
    assert!(!page.contains("Robert"), "he has left: {page}");
}

#[acceptance::test]
async fn a_page_links_to_the_forms_that_its_author_named(world: World) {
    let space = async |language: &str, files: &[(&str, &str)]| {
        let space = world.import(&Fixture::new(language, files.iter().copied())).await;
        world.ada.patch(&format!("/spaces/{space}"), json!({"language": language})).await.ok();
        space
    };
    let german = space("de", &[("README.md", "# Anfang\n"), ("nur.md", "# Nur\n")]).await;
    let elsewhere = space("fr", &[("README.md", "# Secret\n"), ("secret.md", "# Secret\n")]).await;
    let mut named = vec!["https://example.org/other".to_owned(), "more.md".to_owned()];
    for (space, path) in [(&german, "nur"), (&elsewhere, "secret")] {
        named.push(format!("/spaces/{space}/pages/{}", world.page(space, path).await));
    }
    let only = format!("---\nmetaLinks:\n  alternates:\n    - {}\n---\n# Only\n", named.join("\n    - "));
    let english = [("README.md", "# Start\n"), ("more.md", "# More\n"), ("only.md", only.as_str())];
    let english = space("en", &english).await;
    publish(&world, &[&english, &german]).await;
    let page = text(world.browse(&format!("{BASE}/only")).await, 200);
    let links = page.split("<link rel=\"alternate\" ").skip(1).map(|rest| rest.split('>').next().unwrap());
    let links: Vec<&str> = links.filter(|link| !link.starts_with("type=")).collect();
    assert_eq!(links.len(), 4, "{links:?}");
    assert_eq!(links[0], "href=\"https://example.org/other\"");
    assert_eq!(links[1], format!("href=\"{BASE}/more\""), "in its own language");
    let german = links[2].strip_prefix(&format!("hreflang=\"de\" href=\"{BASE}/")).unwrap();
    assert!(german.ends_with("/nur\""), "{german}");
    assert_eq!(links[3], format!("hreflang=\"en\" href=\"{BASE}/only\""), "the page itself");
    assert!(!page.to_lowercase().contains("secret") && !page.contains("\"fr\""), "it is not on the site: {page}");
    let sitemap = text(world.browse(&format!("{BASE}/sitemap-pages.xml")).await, 200);
    let entry = sitemap.split("<url>").find(|entry| entry.contains(&format!("<loc>{BASE}/only</loc>"))).unwrap();
    let listed = entry.split("<xhtml:link rel=\"alternate\" ").skip(1).map(|rest| rest.split("/>").next().unwrap());
    assert_eq!(listed.collect::<Vec<_>>(), &links[2..], "the sitemap names the same pages: {sitemap}");
}

#[acceptance::test]
async fn a_page_whose_canonical_address_is_lost_stays_in_the_sitemap(world: World) {
    let other = world.import(&Fixture::new("other", [("gone.md", "# Gone\n")])).await;
    let lost = format!("/spaces/{other}/pages/{}", world.page(&other, "gone").await);
    let page = |canonical: &str| format!("---\nmetaLinks:\n  canonical: {canonical}\n---\n# Page\n");
    let files = [
        ("README.md", "# Start\n".to_owned()),
        ("lost.md", page(&lost)),
        ("own.md", page(&format!("{BASE}/own"))),
        ("away.md", page("https://example.org/away")),
        ("there.md", page("own.md")),
    ];
    let files = files.iter().map(|(path, text)| (*path, text.as_str()));
    let space = world.import(&Fixture::new("handbook", files)).await;
    publish(&world, &[&space]).await;
    let sitemap = text(world.browse(&format!("{BASE}/sitemap-pages.xml")).await, 200);
    for (path, listed) in [("lost", true), ("own", true), ("away", false), ("there", false)] {
        assert_eq!(sitemap.contains(&format!("<loc>{BASE}/{path}</loc>")), listed, "{path}: {sitemap}");
        let page = text(world.browse(&format!("{BASE}/{path}")).await, 200);
        let own = page.contains(&format!("<link rel=\"canonical\" href=\"{BASE}/{path}\""));
        assert_eq!(own, listed, "{path}");
    }
}

#[acceptance::test]
async fn fonts_of_the_owner_come_from_the_server(backend: Backend) {
    let host = Host::new();
    let Some(world) = World::with_fetcher(backend, host.clone()).await else { return };
    host.put("https://cdn.example.org/brand.woff2", "wOF2....");
    let (site, _) = docs(&world, "public").await;
    let file = json!({"url": "https://cdn.example.org/brand.woff2", "format": "woff2"});
    let faces = json!([{"weight": 400, "sources": [file]}]);
    let font = json!({"id": "brand", "custom": true, "fontFamily": "Brand", "fontFaces": faces});
    let mut customization = world.ada.get(&format!("{site}/customization")).await.ok();
    customization["styling"]["font"] = font;
    world.ada.put(&format!("{site}/customization"), customization).await.ok();
    let answer = world.browse(&format!("{BASE}/install")).await;
    assert!(!answer.header("content-security-policy").unwrap().contains("cdn.example.org"));
    let page = text(answer, 200);
    assert!(page.contains("@font-face{font-family:\"Brand\"") && !page.contains("cdn.example.org"), "{page}");
    let own = format!("{BASE}/~/external/");
    let font = page.split("url(\"").find(|rest| rest.starts_with(&own)).unwrap().split('"').next().unwrap();
    let font = world.browse(font).await;
    assert_eq!(font.header("content-type"), Some("font/woff2"));
    assert_eq!(font.header("cache-control"), Some("public, max-age=86400"));
    assert_eq!(text(font, 200), "wOF2....");
}
