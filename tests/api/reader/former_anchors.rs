//! Anchors that headings of pages had.
use super::{change, text};
use crate::change_requests::{edit, merged, propose, rewrite};
use crate::urls::{BASE, docs};
use acceptance::{Backend, Editor, Fixture, World};
use adapters_diesel::{Database, DatabaseOptions, DieselStore, StoreOptions};
use chrono::TimeDelta;
use domain::id::{PageId, SpaceId};
use serde_json::{Value, json};
use std::sync::Arc;

/// The page about Linux on the site.
async fn shown(world: &World) -> String {
    text(world.browse(&format!("{BASE}/install/linux")).await, 200)
}

/// The ids of the empty elements at the start of the heading with this id.
#[track_caller]
fn targets<'p>(page: &'p str, heading: &str) -> Vec<&'p str> {
    let start = format!("<h2 id=\"{heading}\">");
    let (_, mut rest) = page.split_once(&start).unwrap_or_else(|| panic!("{start} is not in {page}"));
    let mut found = Vec::new();
    while let Some((id, after)) = rest.strip_prefix("<span id=\"").and_then(|inside| inside.split_once("\"></span>")) {
        found.push(id);
        rest = after;
    }
    found
}

/// The anchors that headings of a page had, as they are stored.
async fn stored(world: &World, space: &SpaceId, page: &str) -> Vec<String> {
    let page: PageId = page.parse().unwrap();
    let mut tx = world.services.store.read().await.unwrap();
    let former = tx.content().former_anchors(space, &page).await.unwrap();
    former.into_iter().map(|former| former.anchor).collect()
}

/// A text with two headings.
fn with_headings(one: &str, other: &str) -> Value {
    json!({"document": {"markdown": format!("Run it.\n\n## {one}\n\nText.\n\n## {other}\n\nMore.\n")}})
}

#[acceptance::test]
async fn a_renamed_heading_is_reached_by_each_anchor_that_it_had(world: World) {
    let (_, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    let renamed = async |one: &str, other: &str| {
        change(&world, &space, &linux, with_headings(one, other)).await;
        shown(&world).await
    };
    let page = renamed("Updating packages", "Removing").await;
    assert_eq!([targets(&page, "updating-packages"), targets(&page, "removing")], [[""; 0]; 2]);
    let page = renamed("Upgrades", "Removing").await;
    assert_eq!(targets(&page, "upgrades"), ["updating-packages"]);
    let page = renamed("New versions", "Removing").await;
    assert_eq!(targets(&page, "new-versions"), ["upgrades", "updating-packages"]);
    let page = renamed("New versions", "Upgrades").await;
    assert_eq!(targets(&page, "new-versions"), ["updating-packages"], "a heading with this anchor wins");
    assert_eq!(targets(&page, "upgrades"), ["removing"]);
    let page = renamed("New versions <a href=\"#own\" id=\"own\"></a>", "Upgrades").await;
    assert_eq!(targets(&page, "own"), ["new-versions", "updating-packages"], "the id of a writer replaces it");
    let expandable = "## New versions <a href=\"#own\" id=\"own\"></a>\n\nText.\n\n<details>\n\n<summary>Updating packages\
         </summary>\n\nMore.\n\n</details>\n";
    change(&world, &space, &linux, json!({"document": {"markdown": expandable}})).await;
    let page = shown(&world).await;
    assert_eq!(targets(&page, "own"), ["new-versions", "upgrades"], "of a removed heading, nothing is left");
    assert_eq!(page.matches("id=\"updating-packages\"").count(), 1, "another block has this anchor: {page}");
}

#[acceptance::test]
async fn a_text_that_returns_is_shown_with_the_anchors_that_it_had_in_between(world: World) {
    let (_, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    for (heading, expected) in [("One", vec![]), ("Two", vec!["one"]), ("One", vec!["two"])] {
        change(&world, &space, &linux, with_headings(heading, "Updating packages")).await;
        // The second response is a cached one.
        for _ in 0..2 {
            assert_eq!(targets(&shown(&world).await, &heading.to_lowercase()), expected);
        }
    }
}

#[acceptance::test]
async fn a_change_request_leaves_anchors_when_it_is_merged(world: World) {
    let (_, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    let request = propose(&world.ada, &space, "Rename").await;
    rewrite(&world.ada, &request, &linux, "Run it.\n\n## Upgrades\n\nText.\n").await;
    assert!(stored(&world, &space, &linux).await.is_empty());
    merged(&world.ada, &request).await;
    assert_eq!(stored(&world, &space, &linux).await, ["updating-packages"]);
    let request = propose(&world.ada, &space, "Reword").await;
    let reworded = json!([{"operation": "update_page", "page": linux, "title": "Linux",
        "document": {"markdown": "Run it now.\n\n## Upgrades\n\nOther text.\n"}}]);
    edit(&world.ada, &request, reworded).await.ok();
    merged(&world.ada, &request).await;
    assert_eq!(stored(&world, &space, &linux).await, ["updating-packages"]);
}

#[acceptance::test]
async fn an_import_of_many_pages_keeps_the_anchors_of_all(world: World) {
    let fixture = |heading: &str| {
        let page = |number: usize| {
            (format!("page-{number:03}.md"), format!("# Page {number}\n\n## {heading}\n\nText {number}.\n"))
        };
        let files: Vec<(String, String)> = (0..130).map(page).collect();
        Fixture::new("many", files.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    };
    let space = world.import(&fixture("Install")).await;
    let mut pages = Vec::new();
    for number in [0, 99, 100, 129] {
        pages.push(world.page(&space, &format!("page-{number:03}")).await);
    }
    world.import_into(&space, &fixture("Set up")).await;
    for page in &pages {
        assert_eq!(stored(&world, &space, page).await, ["install"]);
    }
    world.ada.delete(&format!("/spaces/{space}")).await.expect(205);
    world.pass(TimeDelta::days(8)).await;
    for page in &pages {
        assert!(stored(&world, &space, page).await.is_empty(), "the purge of the space removes them");
    }
}

#[acceptance::test]
async fn a_merge_takes_at_most_one_statement_more_if_a_heading_changed(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let (_, space) = docs(&world, "public").await;
    let linux = world.page(&space, "install/linux").await;
    let mut costs = Vec::new();
    for markdown in ["A.\n\n## One\n\nB.\n", "C.\n\n## One\n\nB.\n", "C.\n\n## Two\n\nB.\n", "D.\n\n## Two\n\nB.\n"] {
        let request = propose(&world.ada, &space, "").await;
        rewrite(&world.ada, &request, &linux, markdown).await;
        let (_, statements) = world.counted(merged(&world.ada, &request)).await;
        costs.push(statements);
    }
    assert_eq!(stored(&world, &space, &linux).await, ["one", "updating-packages"]);
    assert!(costs[2] <= costs[1].max(costs[3]) + 1, "{costs:?}");
}

/// Changes pages by a change request. Returns the number of statements that a server with nothing in memory takes to
/// merge it.
async fn cost(world: &World, space: &SpaceId, pages: &[String], fields: &Value) -> u64 {
    let change = |page: &String| {
        let mut change = fields.clone();
        change["operation"] = json!("update_page");
        change["page"] = json!(page);
        change
    };
    let request = propose(&world.ada, space, "").await;
    edit(&world.ada, &request, pages.iter().map(change).collect()).await.ok();
    let request = request.rsplit('/').next().unwrap().parse().unwrap();
    let options = DatabaseOptions { max_connections: 2, ..DatabaseOptions::default() };
    let database = Database::open(world.database().url(), &options).await.unwrap();
    let store = DieselStore::new(database.clone(), &StoreOptions::default());
    let editor = Editor::of(world, &world.ada, space).await.with_store(Arc::new(store));
    assert!(!editor.merge(&request).await.unwrap().conflicts);
    database.statements()
}

#[acceptance::test]
async fn a_merge_that_renames_headings_takes_at_most_one_statement_more_than_one_that_changes_no_text(world: World) {
    let (_, space) = docs(&world, "public").await;
    let pages = [world.page(&space, "install/linux").await, world.page(&space, "install/macos").await];
    for page in &pages {
        change(&world, &space, page, with_headings("Penguins", "Apples")).await;
    }
    // Both merges load the new texts for the index, which gets a new word; the old texts are loaded with them.
    let retitled = cost(&world, &space, &pages, &json!({"title": "Platforms"})).await;
    let renamed = cost(&world, &space, &pages, &with_headings("Herrings", "Orchards")).await;
    for page in &pages {
        assert_eq!(stored(&world, &space, page).await[..2], ["penguins", "apples"]);
    }
    assert!(renamed <= retitled + 1, "{renamed} statements, {retitled} without a change of a text");
}
