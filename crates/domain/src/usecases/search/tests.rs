//! Results of a search, and updates of its index with the content.
use super::indexing::{Index, reindex};
use super::*;
use crate::access::Membership;
use crate::content::object::{Hash, Scratch};
use crate::content::order::OrderKey;
use crate::content::page::PageKind;
use crate::content::revision::{Revision, RevisionKind};
use crate::content::search::Indexer;
use crate::content::search::memory_index::{MemoryIndex, document, page_id};
use crate::content::snapshot::Edits;
use crate::ports::store::spaces::ForUser;
use crate::ports::testing::MockTx;
use crate::space::{NewSpace, Space};
use crate::text::Invalid;
use bytes::Bytes;
use chrono::DateTime;
use std::sync::{Arc, Mutex};

fn a_space() -> Space {
    let new = NewSpace { title: "Docs".parse().ok(), ..NewSpace::default() };
    Space::new("s".parse().unwrap(), "o".parse().unwrap(), "r".parse().unwrap(), new, DateTime::UNIX_EPOCH)
}

fn page(title: &str, slug: &str, parent: Option<&str>) -> PageEntry {
    let kind = PageKind::Document { document: None };
    let order = OrderKey::sequence(1).remove(0);
    PageEntry { parent: parent.map(page_id), ..PageEntry::new(kind, title, slug, order, DateTime::UNIX_EPOCH) }
}

/// A unit of work with a space of two pages, `guide` above `install`, with the access of a member if `member` is
/// set.
fn world(member: bool) -> MockTx {
    let mut objects = MemoryObjects::default();
    let mut edits = Edits::default();
    edits.pages.insert(page_id("guide"), Some(page("Guide", "guide", None)));
    edits.pages.insert(page_id("install"), Some(page("Install", "install", Some("guide"))));
    let (manifest, written) = {
        let mut scratch = Scratch::new(&objects);
        let snapshot = Snapshot::default().edit(&mut scratch, &edits).unwrap().unwrap();
        (snapshot.store(&mut scratch), scratch.into_written())
    };
    objects.extend(written.clone());
    let revision = Revision {
        id: "r".parse().unwrap(),
        space: "s".parse().unwrap(),
        parents: Vec::new(),
        manifest,
        kind: RevisionKind::Edits,
        author: None,
        created_at: DateTime::UNIX_EPOCH,
        git: None,
        merged_from: None,
        is_primary: true,
    };
    let (mut sections, mut indexer) = (MemoryIndex::default(), Indexer::new(None));
    let texts =
        [("guide", "Guide", "All you need to install it."), ("install", "Install", "intro\n# On Ubuntu\nrun apt")];
    for (id, title, text) in texts {
        sections.insert(&"s".parse().unwrap(), indexer.page(&page_id(id), title, None, &document(text)));
    }
    let mut tx = MockTx::default();
    let membership = member.then_some(Membership { role: Some(crate::access::Role::Read), disabled: false });
    tx.spaces
        .expect_find()
        .returning(move |_, _| Ok(Some(ForUser { entity: a_space(), membership, places: Vec::new() })));
    tx.content.expect_revision().returning(move |_, _| Ok(Some(revision.clone())));
    tx.content.expect_objects().returning(move |hashes: &[Hash]| {
        Ok(hashes.iter().filter_map(|hash| Some((*hash, written.get(hash)?.clone()))).collect::<Vec<(Hash, Bytes)>>())
    });
    let sections = Arc::new(sections);
    let index = Arc::clone(&sections);
    tx.search.expect_candidates().returning(move |spaces, conditions, limit| Ok(index.best(spaces, conditions, limit)));
    let index = Arc::clone(&sections);
    tx.search.expect_occurring().returning(move |spaces, conditions| Ok(index.occurring(spaces, conditions)));
    tx.search.expect_texts().returning(move |found| Ok(sections.texts(found)));
    tx
}

fn somebody() -> Actor {
    Actor::of("u".parse().unwrap(), "t".parse().unwrap())
}

async fn search(tx: MockTx, query: &str, part: PageRequest) -> Result<Page<FoundPage>, Error> {
    let search = Search { units: Units::over(tx.into_store().0) };
    let input = (query.parse::<SearchQuery>().unwrap(), part);
    Ok(search.space(&somebody(), &"s".parse().unwrap(), input.into()).await?.value)
}

#[tokio::test]
async fn a_hit_has_its_place_and_an_excerpt() {
    let found = search(world(true), "install ubuntu", PageRequest::default()).await.unwrap();
    let [page] = &found.items[..] else { panic!("{found:?}") };
    assert_eq!((page.id.as_str(), page.path.as_str(), page.rank), ("install", "guide/install", 1));
    assert_eq!(page.ancestors.iter().map(|(_, above)| &*above.title).collect::<Vec<_>>(), ["Guide"]);
    let headings: Vec<_> = page.sections.iter().map(|section| (section.anchor.as_deref(), &*section.title)).collect();
    assert!(headings.contains(&(Some("on-ubuntu"), "On Ubuntu")), "{headings:?}");
    assert!(page.score >= page.sections[0].score && page.sections[0].score > 0.0);
}

#[tokio::test]
async fn a_list_of_pages_is_read_part_by_part() {
    let part = |after: Option<String>| PageRequest { after, limit: 1, ..PageRequest::default() };
    let first = search(world(true), "install", part(None)).await.unwrap();
    let second = search(world(true), "install", part(first.next.clone())).await.unwrap();
    let seen =
        |page: &Page<FoundPage>| page.items.iter().map(|page| (page.id.to_string(), page.rank)).collect::<Vec<_>>();
    assert_eq!(seen(&first), [("install".to_owned(), 1)]);
    assert_eq!(seen(&second), [("guide".to_owned(), 2)]);
    assert_eq!(second.next, None);
}

#[tokio::test]
async fn a_search_in_a_hidden_space_is_not_found_before_its_input_is_read() {
    let search = Search { units: Units::over(world(false).into_store().0) };
    let junk = Input::new(|| Err(Invalid::new("query", "never read")));
    let answer = search.space(&somebody(), &"s".parse().unwrap(), junk).await;
    assert!(matches!(answer, Err(Error::NotFound("space"))), "{answer:?}");
}

#[tokio::test]
async fn every_page_is_indexed_again_in_another_language() {
    let mut tx = world(true);
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    tx.search.expect_remove().returning(move |_, pages| {
        log.lock().unwrap().extend(pages.iter().map(|page| format!("remove {page}")));
        Ok(())
    });
    let log = Arc::clone(&seen);
    tx.search.expect_insert().returning(move |_, pages| {
        let terms = pages.iter().map(|page| page.sections[0].terms.lines().next().unwrap_or_default());
        log.lock().unwrap().extend(terms.map(|terms| format!("insert {terms}")));
        Ok(())
    });
    tx.search.expect_add_words().returning(|_| Ok(()));
    let units = Units::over(tx.into_store().0);
    let mut work = units.write(&Actor::Server).await.unwrap();
    assert!(language::reindex(&mut work, &a_space()).await.unwrap());
    let french = Space { language: Some(Language::Fr), ..a_space() };
    assert!(language::reindex(&mut work, &french).await.unwrap());
    let removed = ["remove guide", "remove install"];
    let english = ["insert guide\u{1e}guid", "insert install\u{1e}instal"];
    let french = ["insert guide\u{1e}guid", "insert install"];
    assert_eq!(*seen.lock().unwrap(), [removed, english, removed, french].concat());
}

#[tokio::test]
async fn the_index_is_updated_with_the_content() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut tx = MockTx::default();
    let log = Arc::clone(&seen);
    tx.search.expect_remove().returning(move |_, pages| {
        log.lock().unwrap().push(format!("remove {}", pages.len()));
        Ok(())
    });
    let log = Arc::clone(&seen);
    tx.search.expect_insert().returning(move |_, pages| {
        let sections = pages.iter().map(|page| format!("{}:{}", page.page, page.sections.len()));
        log.lock().unwrap().push(format!("insert {}", sections.collect::<Vec<_>>().join(" ")));
        Ok(())
    });
    let log = Arc::clone(&seen);
    tx.search.expect_add_words().returning(move |words| {
        log.lock().unwrap().push(format!("learn {}", words.iter().cloned().collect::<Vec<_>>().join(" ")));
        Ok(())
    });
    let mut objects = MemoryObjects::default();
    let words = Some(objects.insert(document("words").encode()));
    let shown = |name: &str| PageEntry { kind: PageKind::Document { document: words }, ..page(name, name, None) };
    let group = PageEntry { kind: PageKind::Group, ..page("group", "group", None) };
    let secret = PageEntry { no_index: true, ..shown("secret") };
    let hidden = PageEntry { hidden: true, ..shown("hidden") };
    let mut next = |from: &Snapshot, pages: Vec<(&str, Option<PageEntry>)>| {
        let pages = pages.into_iter().map(|(id, page)| (page_id(id), page)).collect();
        let mut scratch = Scratch::new(&objects);
        let next = from.edit(&mut scratch, &Edits { pages, ..Edits::default() }).unwrap().unwrap();
        let written = scratch.into_written();
        objects.extend(written);
        let diff = from.diff(&next, &objects).unwrap();
        (next, diff)
    };
    let (first, _) = next(&Snapshot::default(), vec![("gone", Some(shown("gone")))]);
    let pages = vec![("group", group), ("secret", secret), ("hidden", hidden), ("shown", shown("shown"))];
    let pages = pages.into_iter().map(|(id, page)| (id, Some(page))).chain([("gone", None)]).collect();
    let second = next(&first, pages);
    let third = next(&second.0, vec![("shown", None)]);
    let space = a_space().id;
    let units = Units::over(tx.into_store().0);
    let mut work = units.write(&Actor::Server).await.unwrap();
    for (after, diff) in [second, third] {
        let index = Index::of_change(&mut work, &mut objects, Some(&space), None, (&after, &diff)).await.unwrap();
        reindex(&mut work, &space, index.unwrap()).await.unwrap();
    }
    let expected = ["remove 5", "insert hidden:1 secret:0 shown:1", "learn hidden shown words", "remove 1"];
    assert_eq!(*seen.lock().unwrap(), expected, "a page without an index is known, but nothing of it is found");
}
