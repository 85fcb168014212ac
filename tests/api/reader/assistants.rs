//! Lists for assistants: all that they name can be read.
use super::text;
use crate::openapi_specs::{generated, generated_entry, newest};
use crate::sites::site;
use crate::urls::BASE;
use acceptance::{Fixture, World};
use domain::id::SpaceId;
use serde_json::json;

const SPEC: &str = r#"{"openapi":"3.1.0","info":{"title":"Pet API","version":"1"},
    "tags":[{"name":"pets","x-page-title":"Pets"},{"name":"shops","x-parent":"pets","x-page-title":"Shops"}],
    "paths":{"/pets":{"get":{"tags":["pets"],"summary":"List pets"}},"/shops":{"get":{"tags":["shops"],"summary":"List shops"}}},
    "components":{"schemas":{"Pet":{}}}}"#;

/// Adds the spec `pets`.
async fn add_spec(world: &World) {
    world.ada.put(&world.org("/openapi/pets"), json!({"source": {"text": SPEC}})).await.expect(201);
    world.work().await;
}

/// Publishes spaces as a site at the address of the guide.
async fn publish(world: &World, spaces: &[&SpaceId]) {
    let spaces: Vec<&str> = spaces.iter().map(|space| space.as_str()).collect();
    let path = site(world, json!({"title": "Docs", "spaces": spaces})).await;
    world.ada.post(&format!("{path}/publish"), json!({})).await.ok();
}

/// The pages in `llms.txt`: title and address.
async fn listed(world: &World) -> Vec<(String, String)> {
    let llms = text(world.browse(&format!("{BASE}/llms.txt")).await, 200);
    let lines = llms.lines().filter_map(|line| line.strip_prefix("- [")?.split_once("]("));
    lines.map(|(title, rest)| (title.to_owned(), rest.split(')').next().unwrap().to_owned())).collect()
}

/// Reads all that the lists name. Returns the titles of the pages.
async fn read_all(world: &World) -> Vec<String> {
    let listed = listed(world).await;
    for (title, address) in &listed {
        let answer = world.browse(address).await;
        assert_eq!(answer.header("content-type"), Some("text/markdown; charset=utf-8"), "{address}");
        let markdown = text(answer, 200);
        assert!(markdown.starts_with(&format!("# {title}\n")), "{address}: {markdown}");
    }
    let full = text(world.browse(&format!("{BASE}/llms-full.txt")).await, 200);
    let sitemap = text(world.browse(&format!("{BASE}/sitemap-pages.xml")).await, 200);
    let in_full = full.lines().filter_map(|line| line.strip_prefix("Source: "));
    let in_sitemap = sitemap.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap());
    let (in_full, in_sitemap): (Vec<&str>, Vec<&str>) = (in_full.collect(), in_sitemap.collect());
    assert_eq!((in_full.len(), &in_full), (listed.len(), &in_sitemap));
    for ((title, _), address) in listed.iter().zip(in_full) {
        let page = text(world.browse(address).await, 200);
        assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{address}\"")), "{address}: {page}");
        assert!(page.contains(&format!("<title>{title} · Docs</title>")), "{address}: {page}");
    }
    listed.into_iter().map(|(title, _)| title).collect()
}

#[acceptance::test]
async fn every_page_in_lists_for_assistants_can_be_read(world: World) {
    add_spec(&world).await;
    let guide = world.import(&Fixture::guide()).await;
    // Generated pages before a page that an author wrote.
    let summary = format!("# Table of contents\n\n{}* [About](about.md)\n", generated_entry(0, &["models"]));
    let files = [("SUMMARY.md", summary.as_str()), ("about.md", "# About\n\nFor those who have pets.\n")];
    let reference = world.import(&Fixture::new("pet-api", files)).await;
    publish(&world, &[&guide, &reference]).await;
    let titles = read_all(&world).await;
    let expected = ["Engine Guide", "Install", "On Linux", "On macOS", "Options", "Pets", "Shops", "Models", "About"];
    assert_eq!(titles, expected);
    let shops = listed(&world).await.into_iter().find(|(title, _)| title == "Shops").unwrap().1;
    assert!(text(world.browse(&shops).await, 200).contains("/shops"));
}

#[acceptance::test]
async fn every_page_of_a_space_with_only_generated_pages_can_be_read(world: World) {
    add_spec(&world).await;
    let source = generated(&newest(), &json!({"models": true}));
    let space = world.space(json!({"title": "API", "computedSource": source})).await;
    publish(&world, &[&space]).await;
    assert_eq!(read_all(&world).await, ["Pets", "Shops", "Models"]);
}
