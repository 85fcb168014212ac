//! The upgrade of a database of an early version.
use super::*;
use crate::database::Address;
use crate::migrate::migrate_with;
use crate::{DieselStore, StoreOptions};
use diesel_migrations::FileBasedMigrations;
use domain::content::search::shelf::{Shelf, document, page_id};
use domain::content::search::{Candidate, IndexedPage, Indexer, Query, SectionId};
use domain::id::SpaceId;
use domain::ports::store::{Store, Tx};
use rstest::rstest;
use std::path::Path;

/// The last migration of the early version: search, before spaces had numbers in the index.
const EARLY: &str = "2026-11-21-000002";

/// Octavo's migrations for one database, up to this version.
fn early(backend: Backend) -> (tempfile::TempDir, FileBasedMigrations) {
    let kind = if backend == Backend::Sqlite { "sqlite" } else { "postgres" };
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(kind);
    let folder = tempfile::tempdir().unwrap();
    let mut copied = 0;
    for entry in std::fs::read_dir(all).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.get(..EARLY.len()).is_some_and(|version| version <= EARLY) {
            let one = folder.path().join(&name);
            std::fs::create_dir(&one).unwrap();
            std::fs::copy(entry.path().join("up.sql"), one.join("up.sql")).unwrap();
            copied += 1;
        }
    }
    assert_eq!(copied, 2);
    let source = FileBasedMigrations::from_path(folder.path()).unwrap();
    (folder, source)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The data of the early version: two spaces with indexed pages, whose terms do not contain the space.
fn rows(backend: Backend, pages: &[(&str, IndexedPage)]) -> Vec<String> {
    let mut rows = vec![
        "INSERT INTO users (id, display_name, email, created_at) \
         VALUES ('u', 'Ada', 'ada@example.org', '2026-01-01 00:00:00')"
            .to_owned(),
        "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
         VALUES ('o', '\u{a0}\t Engines\n Ltd ', '[]', false, false, false, '{\"type\":\"none\"}', '2026-01-01 00:00:00')"
            .to_owned(),
        "INSERT INTO members (organization_id, user_id, role, disabled, joined_at) \
         VALUES ('o', 'u', 'admin', false, '2026-01-01 00:00:00')"
            .to_owned(),
    ];
    for space in ["s", "t", "without-pages"] {
        rows.push(format!(
            "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, \
             revision_id, created_at, updated_at) VALUES ('{space}', 'o', 'Space {space}', '', 'private', 'live', \
             'inherit', '{{\"type\":\"inherit\"}}', 'r-{space}', '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
        ));
    }
    let sections =
        pages.iter().flat_map(|(space, page)| page.sections.iter().map(move |section| (space, page, section)));
    for (id, (space, page, section)) in (1..).zip(sections) {
        let anchor = section.anchor.as_deref().map_or("NULL".to_owned(), quoted);
        let (terms, heading, body) = (quoted(&section.terms), quoted(&section.heading), quoted(&section.body));
        let (page, ordinal) = (&page.page, section.ordinal);
        rows.push(format!(
            "INSERT INTO search_sections (id, space_id, page_id, ordinal, terms, anchor, heading, body) \
             VALUES ({id}, '{space}', '{page}', {ordinal}, {terms}, {anchor}, {heading}, {body})"
        ));
        let lexemes = quoted(&section.lexemes);
        let lexemes = match backend {
            Backend::Sqlite => lexemes,
            Backend::Postgres => format!("array_to_tsvector(string_to_array({lexemes}, ' '))"),
        };
        rows.push(format!("INSERT INTO search_index (rowid, lexemes) VALUES ({id}, {lexemes})"));
    }
    if backend == Backend::Postgres {
        rows.push("SELECT setval('search_section_ids', (SELECT max(id) FROM search_sections))".to_owned());
    }
    rows
}

async fn found(tx: &mut dyn Tx, spaces: &[SpaceId], query: &str) -> Vec<(String, u32)> {
    let condition = Query::parse(query, &[None]).every_word().unwrap();
    let ids: Vec<SectionId> = tx.search().matching(spaces, &condition, 100).await.unwrap();
    let candidates: Vec<Candidate> = tx.search().candidates(&ids).await.unwrap();
    let find = |id| candidates.iter().find(|found| found.section == id).unwrap();
    ids.into_iter().map(|id| (find(id).page.to_string(), find(id).ordinal)).collect()
}

#[rstest]
#[tokio::test]
async fn what_an_early_version_indexed_is_found_after_the_upgrade(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = super::migrations::empty(backend).await else { return };
    let (_folder, source) = early(backend);
    let address = Address::parse(place.url()).unwrap();
    assert_eq!(migrate_with(address, source.clone(), source).await.unwrap(), 2);
    let (mut shelf, mut indexer) = (Shelf::default(), Indexer::new(None));
    let mut page = |id: &str, title: &str, text: &str| indexer.page(&page_id(id), title, None, &document(text));
    let pages = [
        ("s", page("start", "Start", "The engine weaves algebraic patterns.\n# Install\nRun `apt install engine`.")),
        ("s", page("deeper", "Deeper", "It's 日本語 and C++, don't you know?")),
        ("t", page("other", "Other engine", "Install nothing.")),
    ];
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut conn = database.write().await.unwrap();
    for sql in rows(backend, &pages) {
        conn.run(diesel::sql_query(sql)).await.unwrap();
    }
    conn.commit().await.unwrap();
    drop(database);

    assert!(Database::migrate(place.url()).await.unwrap() > 4);
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let store = DieselStore::new(database, &StoreOptions::default());
    let (s, t): (SpaceId, SpaceId) = ("s".parse().unwrap(), "t".parse().unwrap());
    for (space, page) in pages {
        shelf.insert(&space.parse().unwrap(), page);
    }
    let mut tx = store.write().await.unwrap();
    let queries =
        ["engine ", "install ", "algebra", "engine install ", "日本 ", "c++ ", "don't ", "nothing ", "zebra "];
    let mut hits = 0;
    for spaces in [vec![s.clone()], vec![t.clone()], vec![s.clone(), t.clone()]] {
        for query in queries {
            let condition = Query::parse(query, &[None]).every_word().unwrap();
            let ids = shelf.matching(&spaces, &condition, 100);
            let named = |candidate: Candidate| (candidate.page.to_string(), candidate.ordinal);
            let mut expected: Vec<_> = shelf.candidates(&ids).into_iter().map(named).collect();
            let mut got = found(&mut *tx, &spaces, query).await;
            expected.sort();
            got.sort();
            assert_eq!(got, expected, "{query} in {spaces:?}");
            hits += got.len();
        }
    }
    assert!(hits > 10, "only {hits} hits");
    // The upgraded database also works for writes.
    tx.search().remove(&s, &[page_id("start")]).await.unwrap();
    let again = Indexer::new(None).page(&page_id("start"), "Start", None, &document("A zebra."));
    tx.search().insert(&s, &[again]).await.unwrap();
    assert_eq!(found(&mut *tx, std::slice::from_ref(&s), "zebra ").await, [("start".to_owned(), 0)]);
    assert_eq!(found(&mut *tx, std::slice::from_ref(&s), "algebraic ").await, []);
    assert_eq!(found(&mut *tx, &[t], "engine ").await, [("other".to_owned(), 0)]);
    let organization = tx.organizations().find(&"o".parse().unwrap(), None).await.unwrap().unwrap().organization;
    assert_eq!(organization.title.as_str(), "Engines  Ltd", "what stood around it is cut off");
    let member = "u".parse().unwrap();
    let reach = tx.spaces().find(&s, Some(&member)).await.unwrap().unwrap();
    assert_eq!((reach.entity.title.as_str(), reach.entity.counters.total), ("Space s", 0));
    assert!(reach.membership.is_some());
    tx.commit().await.unwrap();
}
