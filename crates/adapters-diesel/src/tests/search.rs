//! Search answers alike on both databases, and as the book says.

use super::*;
use crate::{DieselStore, StoreOptions};
use domain::content::search::shelf::{Shelf, corpus, page_id};
use domain::content::search::{Condition, Indexer, MAX_CANDIDATES, Query, rank};
use domain::id::SpaceId;
use domain::ports::store::{Store, Tx};
use rstest::rstest;
use std::collections::BTreeSet;

/// The store over a database with the spaces `s` and `t`.
async fn store(backend: Backend) -> Option<(World, DieselStore)> {
    let world = world(backend).await?;
    let mut conn = world.database.write().await.unwrap();
    let organization = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
         VALUES ('o', 'O', '[]', false, false, false, '[]', '2026-01-01 00:00:00')";
    let space = |id| {
        format!(
            "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, \
             revision_id, created_at, updated_at) VALUES ('{id}', 'o', '', '', 'private', 'live', 'inherit', '[]', 'r', \
             '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
        )
    };
    for sql in [organization.to_owned(), space("s"), space("t")] {
        conn.run(diesel::sql_query(sql)).await.unwrap();
    }
    conn.commit().await.unwrap();
    let store = DieselStore::new(world.database.clone(), &StoreOptions::default());
    Some((world, store))
}

fn space(id: &str) -> SpaceId {
    id.parse().unwrap()
}

async fn put(tx: &mut dyn Tx, shelf: &mut Shelf, space: &SpaceId, pages: Vec<domain::content::search::IndexedPage>) {
    tx.search().insert(space, &pages).await.unwrap();
    let words: BTreeSet<String> = pages.iter().flat_map(|page| page.words()).map(str::to_owned).collect();
    tx.search().learn(&words).await.unwrap();
    for page in pages {
        shelf.insert(space, page);
    }
}

/// Which sections, whatever their rows are called.
async fn both(tx: &mut dyn Tx, shelf: &Shelf, spaces: &[SpaceId], condition: &Condition) -> (Vec<(String, u32)>, Vec<(String, u32)>) {
    let found = tx.search().matching(spaces, condition, MAX_CANDIDATES).await.unwrap();
    let expected = shelf.matching(spaces, condition, MAX_CANDIDATES);
    let named = |found: Vec<domain::content::search::Candidate>| {
        found.into_iter().map(|found| (found.page.to_string(), found.ordinal)).collect::<Vec<_>>()
    };
    (named(found), named(expected))
}

#[rstest]
#[tokio::test]
async fn real_documentation_is_found_as_the_book_says(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let Some(pages) = corpus() else { return };
    let (mut shelf, mut indexer) = (Shelf::default(), Indexer::new(None));
    let index = |(path, title, document): &(String, String, _)| indexer.page(&page_id(path), title, None, document);
    let pages: Vec<_> = pages.iter().map(index).collect();
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut shelf, &space("s"), pages).await;
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    let queries = [
        "tls", "buffer", "install ubuntu", "buffer chunk limit", "forwad", "multi proc", "out_s3", "v0.12", "fluentd",
        "configuraton sintax file", "how do I parse syslog messages?", "in", "日本", "nothing-like-this zzzz", "a.b_c 'x' \"y\"",
    ];
    for text in queries {
        let query = Query::parse(text, &[None]);
        let conditions = query.every_word().into_iter().chain(query.every_word_narrowed()).chain(query.every_word_but_one());
        for condition in conditions.chain(query.any_word_narrowed()).chain(query.each_word()) {
            let (found, expected) = both(&mut *tx, &shelf, &[space("s")], &condition).await;
            assert_eq!(found, expected, "{text}: {condition:?}");
        }
        let missing = vec![false; query.each_word().len()];
        let variants = query.variants_of_missing(&missing);
        let known = tx.search().words_with_variant(&variants).await.unwrap();
        assert_eq!(known, shelf.words_with_variant(&variants), "{text}");
        if let Some(condition) = query.every_word() {
            let ours = tx.search().matching(&[space("s")], &condition, MAX_CANDIDATES).await.unwrap();
            let book = shelf.matching(&[space("s")], &condition, MAX_CANDIDATES);
            let order = |found| rank(found, &query, true).into_iter().map(|hit| (hit.page, hit.score)).collect::<Vec<_>>();
            assert_eq!(order(&ours), order(&book), "{text}");
            let ids: Vec<_> = ours.iter().map(|found| found.section).collect();
            assert_eq!(tx.search().texts(&ids).await.unwrap().len(), ids.len());
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_search_stays_in_its_spaces_and_forgets_what_is_removed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some((_world, store)) = store(backend).await else { return };
    let (mut shelf, mut indexer) = (Shelf::default(), Indexer::new(None));
    let mut page = |id: &str, text: &str| indexer.page(&page_id(id), "Title", None, &domain::content::search::shelf::document(text));
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut shelf, &space("s"), vec![page("one", "alpha"), page("two", "alpha\n# More\nalpha")]).await;
    put(&mut *tx, &mut shelf, &space("t"), vec![page("three", "alpha")]).await;
    tx.commit().await.unwrap();
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.write().await.unwrap();
    for spaces in [vec![], vec![space("s")], vec![space("t")], vec![space("s"), space("t")], vec![space("S")]] {
        let (found, expected) = both(&mut *tx, &shelf, &spaces, &alpha).await;
        assert_eq!(found, expected, "{spaces:?}");
    }
    tx.search().remove(&space("s"), &[page_id("two"), page_id("three")]).await.unwrap();
    let found = both(&mut *tx, &shelf, &[space("s"), space("t")], &alpha).await.0;
    assert_eq!(found, [("one".to_owned(), 0), ("three".to_owned(), 0)], "a page of another space is left alone");
    tx.search().insert(&space("s"), &[page("two", "beta"), page("one-more", "alpha")]).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    let found = both(&mut *tx, &shelf, &[space("s")], &alpha).await.0;
    assert_eq!(found, [("one".to_owned(), 0), ("one-more".to_owned(), 0)]);
    let limited = tx.search().matching(&[space("s"), space("t")], &alpha, 1).await.unwrap();
    assert_eq!(limited.len(), 1);
}

#[rstest]
#[tokio::test]
async fn an_index_that_was_not_committed_is_not_there(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some((_world, store)) = store(backend).await else { return };
    let page = Indexer::new(None).page(&page_id("one"), "Alpha", None, &domain::content::search::shelf::document("word"));
    let alpha = Query::parse("alpha ", &[None]).every_word().unwrap();
    let mut tx = store.write().await.unwrap();
    put(&mut *tx, &mut Shelf::default(), &space("s"), vec![page]).await;
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
    let hostile = ["\"", "'", "\\", "a\"b'c\\d", "a* NEAR(b c) {x}: -y ^z", "|&!():*<->", "\u{7f}\u{2028}x", "é".repeat(512).leak(), "a_".repeat(256).leak(), "日".repeat(512).leak()];
    for text in hostile {
        let query = Query::parse(text, &[None]);
        let conditions = query.every_word().into_iter().chain(query.every_word_narrowed()).chain(query.every_word_but_one());
        for condition in conditions.chain(query.any_word_narrowed()) {
            assert_eq!(tx.search().matching(&[space("s")], &condition, 9).await.unwrap(), [], "{text}");
        }
        assert_eq!(tx.search().words_with_variant(&query.variants_of_missing(&[false])).await.unwrap(), Vec::<String>::new());
    }
    let raw = |text: &str| Condition::All(vec![Condition::Term(text.to_owned()), Condition::Prefix(text.to_owned())]);
    for text in ["a\"b", "a'b", "a\\b", "a\\"] {
        assert_eq!(tx.search().matching(&[space("s")], &raw(text), 9).await.unwrap(), [], "{text}");
    }
}

/// Pages of the length and the vocabulary of real ones: sentences of the corpus, shuffled by a fixed rule.
fn many_pages(count: usize) -> Option<Vec<(String, String, domain::content::document::Document)>> {
    let corpus = corpus()?;
    let sections: Vec<(String, String)> = corpus
        .iter()
        .flat_map(|(_, _, document)| document.sections())
        .map(|section| (section.title, section.body))
        .filter(|(_, body)| body.len() > 200)
        .collect();
    let mut seed = 7u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let pages = (0..count).map(|n| {
        let mut text = String::new();
        while text.len() < 4000 {
            let (title, body) = &sections[random(sections.len())];
            text.push_str(&format!("# {title}\n{}\n", body.chars().take(1200).collect::<String>()));
        }
        let title = corpus[random(corpus.len())].1.clone();
        (format!("page-{n:05}"), title, domain::content::search::shelf::document(&text))
    });
    Some(pages.collect())
}

/// Promise S7: a search against the database's own full-text query over the same texts.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures; run alone, in release"]
async fn a_search_takes_about_as_long_as_the_databases_own(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    use domain::content::search::snippet;
    use std::time::Instant;
    let Some((world, store)) = store(backend).await else { return };
    let Some(pages) = many_pages(10_000) else { return };
    let start = Instant::now();
    let (mut indexer, mut words, mut bytes) = (Indexer::new(None), BTreeSet::new(), 0);
    let mut tx = store.write().await.unwrap();
    let mut making = Duration::ZERO;
    for batch in pages.chunks(100) {
        let started = Instant::now();
        let batch: Vec<_> = batch.iter().map(|(id, title, document)| indexer.page(&page_id(id), title, None, document)).collect();
        words.extend(batch.iter().flat_map(|page| page.words()).map(str::to_owned));
        bytes += batch.iter().flat_map(|page| &page.sections).map(|section| section.body.len()).sum::<usize>();
        making += started.elapsed();
        tx.search().insert(&space("s"), &batch).await.unwrap();
    }
    let inserted = start.elapsed();
    tx.search().learn(&words).await.unwrap();
    tx.commit().await.unwrap();
    println!(
        "{backend:?}: {:.1} MB indexed in {:.1?} ({making:.1?} making terms, {:.1?} learning {} words)",
        bytes as f64 / 1e6, start.elapsed(), start.elapsed() - inserted, words.len()
    );
    // The database's own: a row each page.
    let mut conn = world.database.write().await.unwrap();
    let make = match backend {
        Backend::Sqlite => vec!["CREATE VIRTUAL TABLE own USING fts5 (title, body, tokenize = 'porter unicode61')"],
        Backend::Postgres => vec![
            "CREATE TABLE own (id BIGSERIAL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, words TSVECTOR GENERATED ALWAYS AS \
             (setweight(to_tsvector('english', title), 'A') || to_tsvector('english', body)) STORED)",
            "CREATE INDEX own_words ON own USING gin (words)",
        ],
    };
    for sql in make {
        conn.run(diesel::sql_query(sql)).await.unwrap();
    }
    let start = Instant::now();
    for (_, title, document) in &pages {
        let insert = match backend {
            Backend::Sqlite => "INSERT INTO own (title, body) VALUES (?, ?)",
            Backend::Postgres => "INSERT INTO own (title, body) VALUES ($1, $2)",
        };
        let insert = diesel::sql_query(insert)
            .bind::<diesel::sql_types::Text, _>(title.clone())
            .bind::<diesel::sql_types::Text, _>(document.text());
        conn.run(insert).await.unwrap();
    }
    conn.commit().await.unwrap();
    println!("{backend:?}: the database's own index took {:.1?}", start.elapsed());
    if backend == Backend::Postgres {
        let mut conn = world.database.write().await.unwrap();
        for sql in ["ANALYZE own", "ANALYZE search_index", "ANALYZE search_sections"] {
            conn.run(diesel::sql_query(sql)).await.unwrap();
        }
        conn.commit().await.unwrap();
    }
    #[derive(diesel::QueryableByName)]
    #[expect(dead_code, reason = "read to be paid for")]
    struct Own {
        #[diesel(sql_type = diesel::sql_types::Text)]
        title: String,
        #[diesel(sql_type = diesel::sql_types::Text)]
        part: String,
    }
    for text in ["kubernetes", "buffer chunk limit", "install ubuntu", "fluentd", "output plugin", "forwad", "multi proc"] {
        let rounds = 60;
        let mut ours = Vec::new();
        let mut own = Vec::new();
        let mut counts = (0, 0);
        for _ in 0..rounds {
            let start = Instant::now();
            let mut tx = store.read().await.unwrap();
            let query = Query::parse(text, &[None]);
            let (query, hits) = domain::usecases::search::find(&mut *tx, &[space("s")], query).await.unwrap();
            let shown: Vec<_> = hits.iter().take(20).flat_map(|hit| hit.sections.iter().take(3)).map(|hit| hit.section).collect();
            let texts = tx.search().texts(&shown).await.unwrap();
            let parts: Vec<_> = texts.iter().map(|text| snippet(&text.body, &query, None)).collect();
            ours.push(start.elapsed());
            counts.0 = hits.len();
            assert_eq!(parts.len(), shown.len());
            let start = Instant::now();
            let mut conn = world.database.read().await.unwrap();
            let words = text.split(' ');
            let (sql, words) = match backend {
                Backend::Sqlite => (
                    "SELECT title, snippet(own, 1, '', '', '…', 30) AS part FROM own WHERE own MATCH ? ORDER BY bm25(own, 5.0, 1.0) LIMIT 20",
                    words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" AND "),
                ),
                Backend::Postgres => (
                    "SELECT title, ts_headline('english', body, q, 'MaxWords=30, MinWords=20') AS part FROM (SELECT title, body, q \
                     FROM own, plainto_tsquery('english', $1) q WHERE words @@ q ORDER BY ts_rank(words, q) DESC LIMIT 20) best",
                    words.collect::<Vec<_>>().join(" "),
                ),
            };
            let query = diesel::sql_query(sql).bind::<diesel::sql_types::Text, _>(words);
            counts.1 = conn.at_length().all::<Own>(query).await.unwrap().len();
            own.push(start.elapsed());
        }
        ours.sort();
        own.sort();
        let (ours, own) = (ours[rounds / 2], own[rounds / 2]);
        println!("{backend:?} {text:20} ours {ours:8.1?} own {own:8.1?} ratio {:.2} (hits {counts:?})", own.as_secs_f64() / ours.as_secs_f64());
    }
}
