//! Spaces whose sections are in several parts of the index.
use super::*;
use crate::schema::search::search_parts;
use crate::tests::migrations::{before, migrated_with};
use domain::content::search::VERSION;

/// A space, as SQL of the schema before `comment_counts`.
fn space_row_of_before(id: &str) -> String {
    space_row(id).replace(" change_requests,", " comments, change_requests,").replace("0, 0, 0,", "0, 0, 0, 0,")
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
        for spaces in [vec![], vec![space("s")], vec![space("t"), space("s")]] {
            for conditions in [query.every_word_in_turn(), query.some_words_in_turn(), Vec::new()] {
                for limit in [1, 3, 8, 1_000] {
                    let [found, expected] = best_of_both(&mut *tx, &sections, &spaces, &conditions, limit).await;
                    assert_eq!(found, expected, "{text}: {conditions:?} in {spaces:?}, at most {limit}");
                }
            }
            let each = query.each_word();
            let occurring = tx.search().occurring(&spaces, &each).await.unwrap();
            assert_eq!(occurring, sections.occurring(&spaces, &each), "{text} in {spaces:?}");
        }
    }
}

#[rstest]
#[tokio::test]
async fn of_too_many_sections_those_that_match_in_more_important_parts_are_found(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let (mut sections, mut indexer) = (MemoryIndex::default(), Indexer::new(None));
    for number in 0..12 {
        let (title, text) = match number % 4 {
            0 => ("Page", "common here"),
            1 => ("Page", "text\n# Common\nhere"),
            2 => ("Page", "common common common"),
            _ => ("Common", "here\n# Part\nhere"),
        };
        let mut tx = store.write().await.unwrap();
        let page = indexer.page(&page_id(&format!("p{number}")), title, None, &document(text));
        put(&mut *tx, &mut sections, &space(if number < 6 { "s" } else { "t" }), vec![page]).await;
        tx.commit().await.unwrap();
        fill_parts(&world).await;
    }
    let mut tx = store.read().await.unwrap();
    let spaces = [space("s"), space("t")];
    for text in ["common ", "common", "com", "co", "common here", "common missing", "common here text "] {
        let query = Query::parse(text, &[None]);
        for conditions in [query.every_word_in_turn(), query.some_words_in_turn()] {
            for limit in 1..20 {
                let [found, expected] = best_of_both(&mut *tx, &sections, &spaces, &conditions, limit).await;
                assert_eq!(found, expected, "{text}: {conditions:?}, at most {limit}");
            }
        }
    }
    let conditions = Query::parse("common ", &[None]).every_word_in_turn();
    let [found, _] = best_of_both(&mut *tx, &sections, &spaces, &conditions, 3).await;
    assert_eq!(found, ["p3", "p7", "p11"].map(|page| (page.to_owned(), 0)), "the titles, of all parts");
}

#[rstest]
#[tokio::test]
async fn a_search_is_one_statement_on_postgres_and_on_sqlite_reads_no_more_parts_than_it_needs(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    in_parts(&world, &store).await;
    // On SQLite, the list of parts, one part, the other one, and the candidates if there are any.
    for (text, on_sqlite) in [("frequent ", 3), ("rare11t ", 4), ("missing ", 3)] {
        let mut tx = store.read().await.unwrap();
        let query = Query::parse(text, &[None]);
        let condition = query.every_word().unwrap();
        let before = world.database.statements();
        matching(&mut *tx, &[space("s"), space("t")], &condition, 1).await;
        let expected = if backend == Backend::Postgres { 1 } else { on_sqlite };
        assert_eq!(world.database.statements() - before, expected, "{text}");
        if backend == Backend::Postgres {
            let before = world.database.statements();
            tx.search().candidates(&[space("s"), space("t")], &query.every_word_in_turn(), 1).await.unwrap();
            tx.search().occurring(&[space("s"), space("t")], &query.each_word()).await.unwrap();
            assert_eq!(world.database.statements() - before, 2, "{text}");
        }
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
        (vec![space("s")], "frequent ", 3),
        (vec![space("s")], "title ", 2),
        (vec![space("t")], "frequent ", 3),
        (vec![space("s"), space("t")], "frequent ", 3),
        (vec![space("s"), space("t")], "title ", 2),
    ];
    for (spaces, text, on_sqlite) in searches {
        let condition = Query::parse(text, &[None]).every_word().unwrap();
        let before = world.database.statements();
        let found = matching(&mut *tx, &spaces, &condition, 1).await;
        let expected = if backend == Backend::Postgres { 1 } else { on_sqlite };
        assert_eq!(world.database.statements() - before, expected, "{text} in {spaces:?}");
        assert_eq!(found.len(), sections.matching(&spaces, &condition, 1).len(), "{text} in {spaces:?}");
    }
    drop(tx);
    // A unit of work that writes finds the parts that it has added.
    let page = Indexer::new(None).page(&page_id("new"), "Title", None, &document("unheard"));
    let condition = Query::parse("unheard ", &[None]).every_word().unwrap();
    fill_parts(&world).await;
    let mut tx = store.write().await.unwrap();
    for expected in [0, 1] {
        assert_eq!(matching(&mut *tx, &[space("s")], &condition, 9).await.len(), expected);
        if expected == 0 {
            tx.search().insert(&space("s"), std::slice::from_ref(&page)).await.unwrap();
        }
    }
}

#[rstest]
#[tokio::test]
async fn the_first_part_of_a_space_is_smaller_than_the_others(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((world, store)) = store(backend).await else { return };
    let mut indexer = Indexer::new(None);
    for (round, (sections, on_postgres)) in
        [(0, 1), (2_047, 1), (2_048, 2), (2_048, 2), (8_191, 2), (8_192, 3)].into_iter().enumerate()
    {
        run(&world, &[&format!("UPDATE search_parts SET sections = {sections}")]).await;
        let page = indexer.page(&page_id(&format!("p{round}")), "Title", None, &document("alpha"));
        let mut tx = store.write().await.unwrap();
        tx.search().insert(&space("s"), &[page]).await.unwrap();
        tx.commit().await.unwrap();
        let expected = if backend == Backend::Postgres { on_postgres } else { 1 };
        assert_eq!(parts(&world).await.len(), expected, "with {sections} sections");
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
    let found = matching(&mut *tx, &[space("s")], &alpha, MAX_CANDIDATES).await;
    let pages: BTreeSet<_> = found.into_iter().map(|one| one.page).collect();
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
        let found = matching(&mut *tx, &spaces, &alpha, MAX_CANDIDATES).await;
        let earlier: Vec<i64> = found.iter().map(|one| one.section.0).take(expected.len()).collect();
        assert_eq!((earlier, found.len()), (expected, 2 * spaces.len()));
    }
}
