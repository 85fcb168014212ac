//! Search returns the same results on both databases, equal to a reference implementation.

use super::migrations::{before, migrated_with};
use super::*;
use crate::schema::search::search_parts;
use crate::{DieselStore, StoreOptions};
use domain::content::search::memory_index::{MemoryIndex, corpus, document, page_id};
use domain::content::search::{
    Candidate, Condition, IndexedPage, Indexer, MAX_CANDIDATES, Query, SectionId, VERSION, rank,
};
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

/// The same in the schema before `comment_counts`.
fn space_row_of_before(id: &str) -> String {
    space_row(id).replace(" change_requests,", " comments, change_requests,").replace("0, 0, 0,", "0, 0, 0, 0,")
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
    let found = tx.search().matching(spaces, condition, limit).await.unwrap();
    let expected = sections.matching(spaces, condition, limit);
    let named = |order: Vec<SectionId>, candidates: Vec<Candidate>| {
        let find = |id| candidates.iter().find(|found| found.section == id).unwrap();
        order.into_iter().map(|id| (find(id).page.to_string(), find(id).ordinal)).collect::<Vec<_>>()
    };
    let candidates = tx.search().candidates(&found).await.unwrap();
    [named(found, candidates), named(expected.clone(), sections.candidates(&expected))]
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
        let missing = vec![false; query.each_word().len()];
        let variants = query.variants_of_missing(&missing);
        let known = tx.search().words_with_variant(&variants).await.unwrap();
        assert_eq!(known, sections.words_with_variant(&variants), "{text}");
        if let Some(condition) = query.every_word() {
            let ids = tx.search().matching(&[space("s")], &condition, MAX_CANDIDATES).await.unwrap();
            let ours = tx.search().candidates(&ids).await.unwrap();
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
    let limited = tx.search().matching(&[space("s"), space("t")], &alpha, 1).await.unwrap();
    assert_eq!(limited.len(), 1);
}

#[rstest]
#[tokio::test]
async fn an_uncommitted_index_is_not_visible(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let page = Indexer::new(None).page(&page_id("one"), "Alpha", None, &document("word"));
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut MemoryIndex::default(), &space("s"), vec![page]).await;
    assert_eq!(tx.search().matching(&[space("s")], &alpha, 9).await.unwrap().len(), 1);
    drop(tx);
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.search().matching(&[space("s")], &alpha, 9).await.unwrap(), []);
    assert_eq!(tx.search().words_with_variant(&["alpha".to_owned()]).await.unwrap(), Vec::<String>::new());
}

#[rstest]
#[tokio::test]
async fn no_query_breaks_the_language_of_the_database(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
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
            assert_eq!(tx.search().matching(&[space("s")], &condition, 9).await.unwrap(), [], "{text}");
        }
        assert_eq!(
            tx.search().words_with_variant(&query.variants_of_missing(&[false])).await.unwrap(),
            Vec::<String>::new()
        );
    }
    let raw = |text: &str| Condition::All(vec![Condition::Term(text.to_owned()), Condition::Prefix(text.to_owned())]);
    for text in ["a\"b", "a'b", "a\\b", "a\\"] {
        assert_eq!(tx.search().matching(&[space("s")], &raw(text), 9).await.unwrap(), [], "{text}");
    }
}

/// The spaces of the parts of the index, in the order of the parts.
async fn parts(world: &World) -> Vec<String> {
    let mut conn = world.database.read().await.unwrap();
    conn.all(search_parts::table.order(search_parts::number.asc()).select(search_parts::space_id)).await.unwrap()
}

/// Makes all parts of the index full.
async fn fill_parts(world: &World) {
    run(world, &["UPDATE search_parts SET sections = 1000000"]).await;
}

/// An index of pages that were added to `s` and `t` in turn. On PostgreSQL, each space has several parts.
async fn in_parts(world: &World, store: &DieselStore) -> MemoryIndex {
    let (mut sections, mut indexer) = (MemoryIndex::default(), Indexer::new(None));
    for round in 0..12 {
        let mut tx = store.write().await.unwrap();
        for id in ["s", "t"] {
            let mut page = |number: u32| {
                let text = format!("frequent\n# More\nfrequent word{number} rare{round}{id}");
                indexer.page(&page_id(&format!("{id}{round}-{number}")), "Title", None, &document(&text))
            };
            put(&mut *tx, &mut sections, &space(id), vec![page(1), page(2)]).await;
        }
        tx.commit().await.unwrap();
        if round % 2 == 1 {
            fill_parts(world).await;
        }
    }
    sections
}

#[rstest]
#[tokio::test]
async fn spaces_in_several_parts_are_searched_in_the_order_of_insertion(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let sections = in_parts(&world, &store).await;
    let several = ["s", "t"].repeat(if backend == Backend::Postgres { 6 } else { 1 });
    assert_eq!(parts(&world).await, several);
    let mut tx = store.read().await.unwrap();
    for text in ["frequent ", "fre", "wo", "word2 frequent ", "rare7t ", "rare7", "frequent rare11s", "missing "] {
        let query = Query::parse(text, &[None]);
        for condition in query.every_word().into_iter().chain(query.any_word_narrowed()) {
            for spaces in [vec![space("s")], vec![space("t")], vec![space("t"), space("s")]] {
                for limit in [1, 2, 3, 7, 8, 9, 40, 1_000] {
                    let [found, expected] = first_of_both(&mut *tx, &sections, &spaces, &condition, limit).await;
                    assert_eq!(found, expected, "{text}: {condition:?} in {spaces:?}, at most {limit}");
                }
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_search_for_a_frequent_word_reads_no_more_parts_than_it_needs(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    in_parts(&world, &store).await;
    // The list of parts, and then 1 part, 4, and the other 7.
    let all = if backend == Backend::Postgres { 4 } else { 3 };
    for (text, expected) in [("frequent ", 2), ("rare11t ", all), ("missing ", all)] {
        let mut tx = store.read().await.unwrap();
        let condition = Query::parse(text, &[None]).every_word().unwrap();
        let before = world.database.statements();
        tx.search().matching(&[space("s"), space("t")], &condition, 2).await.unwrap();
        assert_eq!(world.database.statements() - before, expected, "{text}");
    }
}

#[rstest]
#[tokio::test]
async fn a_search_loads_the_list_of_parts_once_for_all_its_conditions(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let sections = in_parts(&world, &store).await;
    let mut tx = store.read().await.unwrap();
    let searches = [
        (vec![space("s")], "frequent ", 2),
        (vec![space("s")], "title ", 1),
        (vec![space("t")], "frequent ", 2),
        (vec![space("s"), space("t")], "frequent ", 2),
        (vec![space("s"), space("t")], "title ", 1),
    ];
    for (spaces, text, expected) in searches {
        let condition = Query::parse(text, &[None]).every_word().unwrap();
        let before = world.database.statements();
        let found = tx.search().matching(&spaces, &condition, 2).await.unwrap();
        assert_eq!(world.database.statements() - before, expected, "{text} in {spaces:?}");
        assert_eq!(found.len(), sections.matching(&spaces, &condition, 2).len(), "{text} in {spaces:?}");
    }
    drop(tx);
    // A unit of work that writes finds the parts that it has added.
    let page = Indexer::new(None).page(&page_id("new"), "Title", None, &document("unheard"));
    let condition = Query::parse("unheard ", &[None]).every_word().unwrap();
    fill_parts(&world).await;
    let mut tx = store.write().await.unwrap();
    for expected in [0, 1] {
        assert_eq!(tx.search().matching(&[space("s")], &condition, 9).await.unwrap().len(), expected);
        if expected == 0 {
            tx.search().insert(&space("s"), std::slice::from_ref(&page)).await.unwrap();
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_part_whose_sections_are_all_removed_is_removed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let (mut sections, mut indexer) = (MemoryIndex::default(), Indexer::new(None));
    let mut page = |id: &str| indexer.page(&page_id(id), "Title", None, &document("alpha\n# More\nalpha"));
    let count = async |id: &str| parts(&world).await.iter().filter(|space| space.as_str() == id).count();
    let several = |count: usize| if backend == Backend::Postgres { count } else { 1 };
    let rounds = [("one", None, 1), ("two", None, 2), ("three", Some("one"), 2), ("four", None, 3)];
    for (round, (id, removed, of_s)) in rounds.into_iter().enumerate() {
        let mut tx = store.write().await.unwrap();
        if let Some(removed) = removed {
            tx.search().remove(&space("s"), &[page_id(removed)]).await.unwrap();
        }
        // Between the sections of `s` are those of another space.
        put(&mut *tx, &mut sections, &space("t"), vec![page(&format!("t-{id}"))]).await;
        put(&mut *tx, &mut sections, &space("s"), vec![page(id)]).await;
        tx.commit().await.unwrap();
        assert_eq!([count("s").await, count("t").await], [several(of_s), several(round + 1)], "{id}");
        fill_parts(&world).await;
    }
    let mut tx = store.write().await.unwrap();
    tx.search().remove(&space("s"), &[page_id("two"), page_id("four")]).await.unwrap();
    let before = world.database.statements();
    tx.search().set_version(&space("s"), VERSION).await.unwrap();
    assert_eq!(world.database.statements() - before, 2, "one for the version and one for all parts");
    tx.commit().await.unwrap();
    assert_eq!(count("s").await, several(2), "without the first, and with the last, which is also empty");
    assert_eq!(count("t").await, several(4), "another space keeps its parts");
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.read().await.unwrap();
    let found = tx.search().matching(&[space("s")], &alpha, MAX_CANDIDATES).await.unwrap();
    let pages: BTreeSet<_> = tx.search().candidates(&found).await.unwrap().into_iter().map(|one| one.page).collect();
    assert_eq!(pages, BTreeSet::from([page_id("three")]));
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spaces_of_before_there_were_parts_are_searched_and_large_ones_are_indexed_again(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-29-000200").await else { return };
    let sections = |space: &str, first: u32, last: u32| {
        format!(
            "WITH RECURSIVE n (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last}) \
             INSERT INTO search_sections (id, space_id, page_id, ordinal, terms, heading, body) \
             SELECT i, '{space}', 'p', i, '', '', '' FROM n"
        )
    };
    let terms = |id: u32, term: &str| match backend {
        Backend::Sqlite => format!("INSERT INTO search_index (rowid, lexemes) VALUES ({id}, '{term}')"),
        Backend::Postgres => {
            format!("INSERT INTO search_index (rowid, lexemes) VALUES ({id}, array_to_tsvector(ARRAY['{term}']))")
        }
    };
    let indexed = |space: &str| format!("INSERT INTO search_spaces (space_id, version) VALUES ('{space}', {VERSION})");
    let mut statements = vec![
        ORGANIZATION.to_owned(),
        space_row_of_before("s"),
        space_row_of_before("t"),
        indexed("s"),
        sections("s", 5, 9_000),
        terms(7, "1:alpha"),
        indexed("t"),
        sections("t", 9_001, 9_002),
        terms(9_002, "2:alpha"),
    ];
    if backend == Backend::Postgres {
        statements.push("SELECT setval('search_section_ids', 9002)".to_owned());
    }
    let store = migrated_with(&place, statements).await;
    let mut tx = store.write().await.unwrap();
    let large = (backend == Backend::Postgres).then(|| space("s"));
    assert_eq!(tx.search().outdated(VERSION, None).await.unwrap(), large);
    assert_eq!(tx.search().outdated(VERSION, Some(&space("s"))).await.unwrap(), None);
    let page = Indexer::new(None).page(&page_id("new"), "Title", None, &document("alpha"));
    for id in ["s", "t"] {
        tx.search().insert(&space(id), std::slice::from_ref(&page)).await.unwrap();
    }
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    for (spaces, expected) in [(vec!["s"], vec![7]), (vec!["t"], vec![9_002]), (vec!["s", "t"], vec![7, 9_002])] {
        let spaces: Vec<SpaceId> = spaces.into_iter().map(space).collect();
        let found = tx.search().matching(&spaces, &alpha, MAX_CANDIDATES).await.unwrap();
        let earlier: Vec<i64> = found.iter().map(|section| section.0).take(expected.len()).collect();
        assert_eq!((earlier, found.len()), (expected, 2 * spaces.len()));
    }
}
