use super::*;
use crate::actor::Actor;
use crate::content::import::testing::World;
use crate::content::object::{Objects, Scratch};
use crate::content::page::PageEntry;
use crate::content::revision::{Revision, RevisionKind};
use crate::content::snapshot::Edits;
use crate::ports::testing::MockTx;
use crate::usecases::work::Units;
use chrono::DateTime;
use rstest::rstest;
use std::sync::Mutex;

/// The objects of each query, in order.
type Queries = Arc<Mutex<Vec<Vec<Hash>>>>;

/// Units of work that read the objects of these worlds, one after the other, and their queries.
fn units(worlds: &[&World]) -> (Units, Queries) {
    let queries = Queries::default();
    let tx = |world: &&World| {
        let (stored, queries) = (world.objects.clone(), queries.clone());
        let mut tx = MockTx::default();
        tx.content.expect_objects().returning(move |hashes| {
            queries.lock().unwrap().push(hashes.to_vec());
            Ok(hashes.iter().filter_map(|hash| Some((*hash, stored.get(hash)?))).collect())
        });
        tx
    };
    let (store, _) = MockTx::script(worlds.iter().map(tx).collect::<Vec<_>>());
    (Units::over(store), queries)
}

fn version(world: &World) -> Version {
    let revision = Revision {
        id: "revision".parse().unwrap(),
        space: "space".parse().unwrap(),
        parents: Vec::new(),
        manifest: Hash::of(b"manifest"),
        kind: RevisionKind::Edits,
        author: None,
        created_at: DateTime::UNIX_EPOCH,
        git: None,
        merged_from: None,
        is_primary: true,
    };
    Version::of("organization".parse().unwrap(), revision, world.snapshot.clone())
}

/// Reads a page of a world without cached objects, in the next unit of work.
async fn read(units: &Units, world: &World, page: &PageId) -> Result<Option<PageContent>, Error> {
    let work = units.query(&Actor::Server).await?;
    let reader = PageReader::new(work, version(world), MemoryObjects::default());
    reader.small_page(&PageRef::Id(page.clone()), true, Input::new(|| Ok(PageOptions::default()))).await
}

fn node(world: &World, path: &str) -> Node {
    world.tree().iter().find(|node| node.path == path).expect("a page").clone()
}

#[tokio::test]
async fn a_page_that_was_read_before_takes_one_query_for_its_text() {
    let world = World::of(&[("README.md", "# Docs\n"), ("guide/README.md", "# Guide\n\nA text.\n")]);
    let (units, queries) = units(&[&world, &world]);
    let guide = node(&world, "guide");
    let first = read(&units, &world, &guide.id).await.unwrap().expect("a small page");
    assert_eq!(*first.node, guide);
    assert!(matches!(first.body, Some(Body::Stored(_))));
    assert!(queries.lock().unwrap().len() > 1, "the levels of the tree, one after the other");
    queries.lock().unwrap().clear();
    assert_eq!(read(&units, &world, &guide.id).await.unwrap(), Some(first));
    assert_eq!(*queries.lock().unwrap(), [vec![guide.page.document().expect("a text")]]);
}

#[tokio::test]
async fn a_page_of_the_next_revision_is_read_from_its_tree() {
    let files = [("README.md", "# Docs\n"), ("guide.md", "# Guide\n")];
    let (before, mut world) = (World::of(&files), World::of(&files));
    let guide = node(&world, "guide").id;
    let mut edits = Edits::default();
    let title = "Renamed".to_owned();
    edits.pages.insert(guide.clone(), Some(PageEntry { title, ..node(&world, "guide").page }));
    let mut scratch = Scratch::new(&world.objects);
    let edited = world.snapshot.edit(&mut scratch, &edits).unwrap().unwrap();
    let written = scratch.into_written();
    world.objects.extend(written);
    world.snapshot = edited;
    let (units, _) = units(&[&before, &world, &before]);
    for (world, title) in [(&before, "Guide"), (&world, "Renamed"), (&before, "Guide")] {
        let found = read(&units, world, &guide).await.unwrap().expect("a small page");
        assert_eq!(found.node.page.title, title);
    }
}

#[tokio::test]
async fn a_page_that_was_read_before_is_damaged_if_its_text_is_not_stored_any_more() {
    let world = World::of(&[("README.md", "# Docs\n\nA text.\n")]);
    let (units, _) = units(&[&world, &World::default()]);
    let page = world.tree().roots[0].clone();
    assert!(read(&units, &world, &page.id).await.unwrap().is_some());
    let text = page.page.document().expect("a text");
    match read(&units, &world, &page.id).await {
        Err(Error::Corrupt(reason)) => assert!(reason.contains(&text.to_string()), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_page_that_the_revision_does_not_have_is_not_found() {
    let world = World::of(&[("README.md", "# Docs\n")]);
    let (units, _) = units(&[&world]);
    let found = read(&units, &world, &"missing".parse().unwrap()).await;
    assert!(matches!(found, Err(Error::NotFound("page"))), "{found:?}");
}

#[rstest]
#[case::few_pages_below_it(SMALL.pages, 10, true)]
#[case::one_page_more(SMALL.pages + 1, 10, false)]
#[case::a_long_text(0, SMALL.text, false)]
#[tokio::test]
async fn a_small_page_has_few_pages_below_it_and_a_short_text(
    #[case] pages: usize,
    #[case] text: usize,
    #[case] is_small: bool,
) {
    let text = format!("# Guide\n\n{}\n", "a".repeat(text));
    let names: Vec<String> = (0..pages).map(|page| format!("guide/page-{page}.md")).collect();
    let mut files = vec![("README.md", "# Docs\n"), ("guide/README.md", text.as_str())];
    files.extend(names.iter().map(|name| (name.as_str(), "# Page\n")));
    let world = World::of(&files);
    let (units, _) = units(&[&world, &world]);
    let guide = node(&world, "guide");
    assert_eq!(guide.children.len(), pages);
    for reading in ["first", "again"] {
        assert_eq!(read(&units, &world, &guide.id).await.unwrap().is_some(), is_small, "{reading}");
    }
}
