//! The page action that leads to the file of a page in a repository.
use super::schemas::{links, shown};
use super::{change, text};
use crate::change_requests::{edit, merged, propose};
use crate::urls::{BASE, docs};
use acceptance::{Fixture, World};
use domain::id::SpaceId;
use serde_json::{Value, json};

/// An address with the folder of the documentation, without a slash at its end.
const EDIT: &str = "https://git.example.org/acme/docs/edit/main/docs";

/// The page at a path of the site.
async fn page(world: &World, path: &str) -> String {
    text(world.browse(&format!("{BASE}/{path}")).await, 200)
}

/// Sets where the files of a space are edited.
async fn set(world: &World, space: &SpaceId, url: Value) {
    world.ada.patch(&format!("/spaces/{space}"), json!({"editURL": url})).await.ok();
}

/// Changes a part of the customization of a site.
async fn customize(world: &World, site: &str, part: &str, value: Value) {
    let path = format!("{site}/customization");
    let mut customization = world.ada.get(&path).await.ok();
    customization[part] = value;
    world.ada.put(&path, customization).await.ok();
}

/// Asserts that a page has the action, and that it leads to a file.
#[track_caller]
fn assert_leads_to(page: &str, file: &str) {
    let link = format!("<a class=\"o-action\" href=\"{EDIT}/{file}\" rel=\"noopener\">");
    assert!(page.contains(&link) && page.contains("Edit this page"), "{link} is not in {page}");
}

#[acceptance::test]
async fn an_imported_page_leads_to_its_file_in_the_order_of_the_page_actions(world: World) {
    let (site, space) = docs(&world, "public").await;
    assert!(!page(&world, "install/linux").await.contains("Edit this page"));
    set(&world, &space, json!(EDIT)).await;
    assert_leads_to(&page(&world, "install/linux").await, "install/linux.md");
    assert_leads_to(&page(&world, "install").await, "install/README.md");
    assert_leads_to(&page(&world, "").await, "README.md");

    customize(&world, &site, "pageActions", json!({"items": ["pdf", "git", "markdown"]})).await;
    let html = page(&world, "install/linux").await;
    let places = ["Print or save", "Edit this page", "View as Markdown"].map(|action| html.find(action));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {html}");
    customize(&world, &site, "externalLinks", json!({"target": "blank"})).await;
    let blank = format!("href=\"{EDIT}/install/linux.md\" rel=\"noopener\" target=\"_blank\">");
    assert!(page(&world, "install/linux").await.contains(&blank));

    customize(&world, &site, "pageActions", json!({"items": ["pdf", "markdown"]})).await;
    assert!(!page(&world, "install/linux").await.contains(EDIT), "visitors do not learn of the repository");
    customize(&world, &site, "pageActions", json!({"items": ["git"]})).await;
    set(&world, &space, json!(null)).await;
    assert!(!page(&world, "install/linux").await.contains("Edit this page"));
}

#[acceptance::test]
async fn a_page_keeps_its_file_when_it_is_edited_and_a_page_without_one_has_no_action(world: World) {
    let (_, space) = docs(&world, "public").await;
    set(&world, &space, json!(EDIT)).await;
    let linux = world.page(&space, "install/linux").await;
    change(&world, &space, &linux, json!({"title": "On GNU", "slug": "gnu", "document": {"markdown": "Run it."}}))
        .await;
    assert_leads_to(&page(&world, "install/gnu").await, "install/linux.md");
    let request = propose(&world.ada, &space, "BSD").await;
    let new = json!([{"operation": "insert_page", "title": "On BSD", "document": {"markdown": "Build it."}}]);
    edit(&world.ada, &request, new).await.ok();
    merged(&world.ada, &request).await;
    let new = page(&world, "on-bsd").await;
    assert!(new.contains("Build it.") && !new.contains("Edit this page"), "{new}");
}

#[acceptance::test]
async fn the_action_leads_to_the_file_of_the_last_import(world: World) {
    let (_, space) = docs(&world, "public").await;
    set(&world, &space, json!(format!("{EDIT}/"))).await;
    let files =
        [("README.md", "# Engine Guide\n\nThe start.\n"), ("On macOS & (more).md", "# On macOS\n\nBuild it.\n")];
    world.import_into(&space, &Fixture::new("guide", files)).await;
    let pages = world.ada.get(&format!("/spaces/{space}/content/pages")).await.ok();
    let path = pages["pages"][1]["path"].as_str().unwrap();
    assert_leads_to(&page(&world, path).await, "On%20macOS%20&amp;%20%28more%29.md");
}

#[acceptance::test]
async fn the_page_of_a_schema_has_no_action_although_the_page_that_shows_it_has_one(world: World) {
    let (space, _) = shown(&world, &["/deep"]).await;
    set(&world, &space, json!(EDIT)).await;
    let html = page(&world, "install/linux").await;
    assert_leads_to(&html, "install/linux.md");
    let schema = text(world.browse(&links(&html)[0]).await, 200);
    assert!(schema.contains("View as Markdown"), "it has other actions: {schema}");
    assert!(!schema.contains("Edit this page") && !schema.contains(EDIT), "{schema}");
}
