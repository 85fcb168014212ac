//! Search returns the same results on both databases, equal to a reference implementation.

mod parts;

use super::*;
use crate::{DieselStore, StoreOptions};
use domain::content::search::memory_index::{MemoryIndex, corpus, document, page_id};
use domain::content::search::{Candidate, Condition, IndexedPage, Indexer, MAX_CANDIDATES, Query, SectionId, rank};
use domain::id::SpaceId;
use domain::ports::store::{Store, Tx};
use rstest::rstest;
use std::collections::BTreeSet;

/// The organization of the spaces.
const ORGANIZATION: &str = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
     VALUES ('o', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')";

/// A space, as SQL.
fn space_row(id: &str) -> String {
    format!(
        "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, \
         position, revision_id, change_requests, change_requests_open, change_requests_draft, created_at, \
         updated_at) VALUES ('{id}', 'o', '', '', 'private', 'live', 'inherit', '[]', '1', 'r', 0, 0, 0, \
         '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
    )
}

/// The store over a database with the spaces `s` and `t`.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    run(&world, &[ORGANIZATION, &space_row("s"), &space_row("t")]).await;
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

async fn run(world: &World, statements: &[&str]) {
    let mut conn = world.database.write().await.unwrap();
    for sql in statements {
        conn.run(diesel::sql_query(*sql)).await.unwrap();
    }
    conn.commit().await.unwrap();
}

fn space(id: &str) -> SpaceId {
    id.parse().unwrap()
}

async fn put(tx: &mut dyn Tx, sections: &mut MemoryIndex, space: &SpaceId, pages: Vec<IndexedPage>) {
    tx.search().insert(space, &pages).await.unwrap();
    let words: BTreeSet<String> = pages.iter().flat_map(|page| page.words()).map(str::to_owned).collect();
    tx.search().add_words(&words).await.unwrap();
    for page in pages {
        sections.insert(space, page);
    }
}

/// The matching sections, in the database and in the reference implementation.
async fn both(
    tx: &mut dyn Tx,
    sections: &MemoryIndex,
    spaces: &[SpaceId],
    condition: &Condition,
) -> [Vec<(String, u32)>; 2] {
    first_of_both(tx, sections, spaces, condition, MAX_CANDIDATES).await
}

/// The first matching sections, in the database and in the reference implementation.
async fn first_of_both(
    tx: &mut dyn Tx,
    sections: &MemoryIndex,
    spaces: &[SpaceId],
    condition: &Condition,
    limit: usize,
) -> [Vec<(String, u32)>; 2] {
    best_of_both(tx, sections, spaces, std::slice::from_ref(condition), limit).await
}

/// The best sections for some conditions, in the database and in the reference implementation.
async fn best_of_both(
    tx: &mut dyn Tx,
    sections: &MemoryIndex,
    spaces: &[SpaceId],
    conditions: &[Condition],
    limit: usize,
) -> [Vec<(String, u32)>; 2] {
    let found = tx.search().candidates(spaces, conditions, limit).await.unwrap();
    [found, sections.best(spaces, conditions, limit)]
        .map(|found| found.iter().map(|found| (found.page.to_string(), found.ordinal)).collect())
}

/// The sections that match a condition.
async fn matching(tx: &mut dyn Tx, spaces: &[SpaceId], condition: &Condition, limit: usize) -> Vec<Candidate> {
    tx.search().candidates(spaces, std::slice::from_ref(condition), limit).await.unwrap()
}

#[rstest]
#[tokio::test]
async fn the_index_finds_the_pages_that_include_a_content(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let ids = |names: &str| names.chars().map(|name| name.to_string().parse().unwrap()).collect::<BTreeSet<_>>();
    let page = |id: &str, contents: &str| IndexedPage {
        contents: ids(contents),
        ..Indexer::new(None).page(&page_id(id), id, None, &document("text"))
    };
    let mut tx = store.write().await.unwrap();
    tx.search().insert(&space("s"), &[page("one", "xy"), page("two", "y"), page("none", "")]).await.unwrap();
    tx.search().insert(&space("t"), &[page("other", "xyz")]).await.unwrap();
    for (contents, expected) in [("x", "one"), ("y", "one two"), ("xyz", "one two"), ("z", "")] {
        let found = tx.search().including(&space("s"), &ids(contents)).await.unwrap();
        assert_eq!(found.iter().map(|page| page.as_str()).collect::<Vec<_>>().join(" "), expected, "{contents}");
    }
    tx.search().remove(&space("s"), &[page_id("one")]).await.unwrap();
    tx.search().insert(&space("s"), &[page("one", "z")]).await.unwrap();
    let found = tx.search().including(&space("s"), &ids("xz")).await.unwrap();
    assert_eq!(found, [page_id("one")]);
    assert_eq!(tx.search().including(&space("s"), &ids("x")).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn real_documentation_is_found(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let Some(pages) = corpus() else { return };
    let (mut sections, mut indexer) = (MemoryIndex::default(), Indexer::new(None));
    let index = |(path, title, document): &(String, String, _)| indexer.page(&page_id(path), title, None, document);
    let pages: Vec<_> = pages.iter().map(index).collect();
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut sections, &space("s"), pages).await;
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    let queries = [
        "tls",
        "buffer",
        "install ubuntu",
        "buffer chunk limit",
        "forwad",
        "multi proc",
        "out_s3",
        "v0.12",
        "fluentd",
        "configuraton sintax file",
        "how do I parse syslog messages?",
        "in",
        "日本",
        "nothing-like-this zzzz",
        "a.b_c 'x' \"y\"",
    ];
    for text in queries {
        let query = Query::parse(text, &[None]);
        let conditions =
            query.every_word().into_iter().chain(query.every_word_narrowed()).chain(query.every_word_but_one());
        for condition in conditions.chain(query.any_word_narrowed()).chain(query.each_word()) {
            let [found, expected] = both(&mut *tx, &sections, &[space("s")], &condition).await;
            assert_eq!(found, expected, "{text}: {condition:?}");
        }
        for conditions in [query.every_word_in_turn(), query.some_words_in_turn()] {
            for limit in [1, 20, MAX_CANDIDATES] {
                let [found, expected] = best_of_both(&mut *tx, &sections, &[space("s")], &conditions, limit).await;
                assert_eq!(found, expected, "{text}: {conditions:?}, at most {limit}");
            }
        }
        let each = query.each_word();
        let occurring = tx.search().occurring(&[space("s")], &each).await.unwrap();
        assert_eq!(occurring, sections.occurring(&[space("s")], &each), "{text}");
        let missing = vec![false; each.len()];
        let variants = query.variants_of_missing(&missing);
        let known = tx.search().words_with_variant(&variants).await.unwrap();
        assert_eq!(known, sections.words_with_variant(&variants), "{text}");
        if let Some(condition) = query.every_word() {
            let ours = matching(&mut *tx, &[space("s")], &condition, MAX_CANDIDATES).await;
            let ids: Vec<SectionId> = ours.iter().map(|found| found.section).collect();
            let candidates = sections.candidates(&sections.matching(&[space("s")], &condition, MAX_CANDIDATES));
            let order = |found: &[Candidate]| {
                rank(found, &query, true).into_iter().map(|hit| (hit.page, hit.score)).collect::<Vec<_>>()
            };
            assert_eq!(order(&ours), order(&candidates), "{text}");
            assert_eq!(tx.search().texts(&ids).await.unwrap().len(), ids.len());
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_search_covers_its_spaces_without_removed_pages(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (mut sections, mut indexer) = (MemoryIndex::default(), Indexer::new(None));
    let mut page = |id: &str, text: &str| indexer.page(&page_id(id), "Title", None, &document(text));
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut sections, &space("s"), vec![page("one", "alpha"), page("two", "alpha\n# More\nalpha")]).await;
    put(&mut *tx, &mut sections, &space("t"), vec![page("three", "alpha")]).await;
    tx.commit().await.unwrap();
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.write().await.unwrap();
    for spaces in [vec![], vec![space("s")], vec![space("t")], vec![space("s"), space("t")], vec![space("S")]] {
        let [found, expected] = both(&mut *tx, &sections, &spaces, &alpha).await;
        assert_eq!(found, expected, "{spaces:?}");
    }
    tx.search().remove(&space("s"), &[page_id("two"), page_id("three")]).await.unwrap();
    let found = both(&mut *tx, &sections, &[space("s"), space("t")], &alpha).await[0].clone();
    assert_eq!(found, [("one".to_owned(), 0), ("three".to_owned(), 0)], "a page of another space is left alone");
    tx.search().insert(&space("s"), &[page("two", "beta"), page("one-more", "alpha")]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    let found = both(&mut *tx, &sections, &[space("s")], &alpha).await[0].clone();
    assert_eq!(found, [("one".to_owned(), 0), ("one-more".to_owned(), 0)]);
    assert_eq!(matching(&mut *tx, &[space("s"), space("t")], &alpha, 1).await.len(), 1);
}

#[rstest]
#[tokio::test]
async fn an_uncommitted_index_is_not_visible(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let page = Indexer::new(None).page(&page_id("one"), "Alpha", None, &document("word"));
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut MemoryIndex::default(), &space("s"), vec![page]).await;
    assert_eq!(matching(&mut *tx, &[space("s")], &alpha, 9).await.len(), 1);
    drop(tx);
    let mut tx = store.write().await.unwrap();
    assert_eq!(matching(&mut *tx, &[space("s")], &alpha, 9).await, []);
    assert_eq!(tx.search().words_with_variant(&["alpha".to_owned()]).await.unwrap(), Vec::<String>::new());
}

#[rstest]
#[tokio::test]
async fn no_query_breaks_the_language_of_the_database(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let page = Indexer::new(None).page(&page_id("one"), "Unseen", None, &document("nothing"));
    let mut tx = store.write().await.unwrap();
    tx.search().insert(&space("s"), &[page]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    let hostile = [
        "\"",
        "'",
        "\\",
        "a\"b'c\\d",
        "a* NEAR(b c) {x}: -y ^z",
        "|&!():*<->",
        "\u{7f}\u{2028}x",
        "é".repeat(512).leak(),
        "a_".repeat(256).leak(),
        "日".repeat(512).leak(),
    ];
    for text in hostile {
        let query = Query::parse(text, &[None]);
        let conditions =
            query.every_word().into_iter().chain(query.every_word_narrowed()).chain(query.every_word_but_one());
        for condition in conditions.chain(query.any_word_narrowed()) {
            assert_eq!(matching(&mut *tx, &[space("s")], &condition, 9).await, [], "{text}");
        }
        let none = vec![false; query.each_word().len()];
        assert_eq!(tx.search().occurring(&[space("s")], &query.each_word()).await.unwrap(), none, "{text}");
        assert_eq!(
            tx.search().words_with_variant(&query.variants_of_missing(&[false])).await.unwrap(),
            Vec::<String>::new()
        );
    }
    // A query has no such terms. SQLite refuses them, since its index has no positions for a term of two words.
    if backend == Backend::Sqlite {
        return;
    }
    let raw = |text: &str| Condition::All(vec![Condition::Term(text.to_owned()), Condition::Prefix(text.to_owned())]);
    for text in ["a\"b", "a'b", "a\\b", "a\\", "a\u{1}b"] {
        assert_eq!(matching(&mut *tx, &[space("s")], &raw(text), 9).await, [], "{text}");
    }
}
