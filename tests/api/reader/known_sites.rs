//! What visits of a site read is used by later visits until the next commit, and no longer.
use super::{change, text};
use crate::urls::{BASE, docs};
use acceptance::{Backend, Counted, Watch, Watched, World};
use async_trait::async_trait;
use domain::ports::Store;
use serde_json::json;
use std::sync::{Arc, Mutex};

const PAGES: [&str; 4] = ["install", "install/linux", "install/macos", "reference/options"];

/// Reads a page, and counts the statements.
async fn read(world: &World, path: &str) -> (String, u64) {
    let (answer, statements) = world.counted(world.browse(&format!("{BASE}/{path}"))).await;
    (text(answer, 200), statements)
}

#[acceptance::test]
async fn after_a_change_of_the_header_the_first_page_takes_few_statements_and_the_others_none(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let (site, _) = docs(&world, "public").await;
    for path in PAGES {
        read(&world, path).await;
    }
    let status = "https://status.example.org/";
    let links = json!([{"title": "Status", "to": {"kind": "url", "url": status}}]);
    world.ada.put(&format!("{site}/customization"), json!({"header": {"links": links}})).await.ok();
    for (at, path) in PAGES.into_iter().enumerate() {
        let (page, statements) = read(&world, path).await;
        assert!(page.contains(status), "{path}");
        // The site, its authentication, its schema, its structure, former names, the space, the revision, and the
        // customization.
        let most = if at == 0 { 8 } else { 0 };
        assert!(statements <= most, "{path}: {statements} statements");
    }
    world.ada.post(&format!("{site}/unpublish"), json!({})).await.ok();
    text(world.browse(&format!("{BASE}/{}", PAGES[0])).await, 404);
}

#[acceptance::test]
async fn after_a_merge_pages_take_few_statements(backend: Backend) {
    let Some(world) = World::undisturbed(backend).await else { return };
    let (_, space) = docs(&world, "public").await;
    for path in PAGES {
        read(&world, path).await;
    }
    let edited = world.page(&space, "install/macos").await;
    change(&world, &space, &edited, json!({"document": {"markdown": "# On macOS\n\nDownload it.\n"}})).await;
    let (page, statements) = read(&world, "install/macos").await;
    assert!(page.contains("Download it."));
    // As after a change of the header, the former anchors if the text has headings, and new objects of the page tree.
    assert!(statements <= 10, "{statements} statements");
    let (_, statements) = read(&world, "install/linux").await;
    assert!(statements <= 1, "{statements} statements: the former anchors");
}

/// The stamp that the next request takes: an earlier one, as if the request had arrived before the last commits. From
/// the first unit of work on, stamps are current.
#[derive(Clone, Default)]
struct EarlyStamp(Arc<Mutex<Option<u64>>>);

#[async_trait]
impl Watch for EarlyStamp {
    async fn begin(&self, _writes: bool) {
        self.0.lock().unwrap().take();
    }

    async fn stamp(&self, store: &dyn Store) -> Option<u64> {
        let early = *self.0.lock().unwrap();
        match early {
            Some(stamp) => Some(stamp),
            None => store.stamp().await,
        }
    }
}

#[acceptance::test]
#[case::the_site_is_no_longer_public(true, 404)]
#[case::the_site_is_still_public(false, 200)]
async fn a_visit_that_began_before_commits_shows_no_site_of_before_with_content_of_after(
    backend: Backend,
    #[case] withdrawn: bool,
    #[case] status: u16,
) {
    let early = EarlyStamp::default();
    let watch = early.clone();
    let Some(world) = World::over(backend, |store| Watched::over(Counted::new(store), watch)).await else { return };
    let (site, space) = docs(&world, "public").await;
    let search = format!("{BASE}/~/search?q=canarybird");
    assert!(!text(world.browse(&search).await, 200).contains("<mark>"));
    let before = world.services.store.stamp().await;
    if withdrawn {
        world.ada.patch(&site, json!({"visibility": "share-link"})).await.ok();
    }
    let page = world.page(&space, "install/macos").await;
    change(&world, &space, &page, json!({"document": {"markdown": "# On macOS\n\nThe canarybird sings.\n"}})).await;
    *early.0.lock().unwrap() = before;
    // Another address, since the first response is cached.
    let found = text(world.browse(&format!("{search}&n=1")).await, status);
    assert_eq!(found.contains("<mark>canarybird</mark>"), !withdrawn, "{found}");
}
