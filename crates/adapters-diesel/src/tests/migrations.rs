use super::*;
use crate::database::Address;
use crate::migrate::migrate_with;
use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use rstest::rstest;

/// Migrations in a folder: the name and the SQL of each.
fn folder(migrations: &[(&str, &str)]) -> (tempfile::TempDir, FileBasedMigrations) {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql) in migrations {
        let one = folder.path().join(name);
        std::fs::create_dir(&one).unwrap();
        std::fs::write(one.join("up.sql"), sql).unwrap();
    }
    let source = FileBasedMigrations::from_path(folder.path()).unwrap();
    (folder, source)
}

pub(super) async fn empty(backend: Backend) -> Option<TestDatabase> {
    // A template without any migration, even without Octavo's.
    TestDatabase::create(backend, "empty_1", async |url: &str| {
        let (_folder, source) = folder(&[]);
        migrate_with(Address::parse(url).unwrap(), source.clone(), source).await.unwrap();
    })
    .await
}

async fn migrate(place: &TestDatabase, migrations: &[(&str, &str)]) -> anyhow::Result<usize> {
    let (_folder, source) = folder(migrations);
    migrate_with(Address::parse(place.url())?, source.clone(), source).await
}

async fn tables(place: &TestDatabase, names: &[&str]) -> Vec<bool> {
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut there = Vec::new();
    for name in names {
        let mut conn = database.read().await.unwrap();
        there.push(conn.run(diesel::sql_query(format!("SELECT 1 FROM {name}"))).await.is_ok());
    }
    there
}

const ONE: (&str, &str) = ("2026-01-01-000001_one", "CREATE TABLE one (id TEXT PRIMARY KEY NOT NULL);");
const TWO: (&str, &str) = ("2026-01-01-000002_two", "CREATE TABLE two (id TEXT PRIMARY KEY NOT NULL);");
const BROKEN: (&str, &str) = ("2026-01-01-000003_broken", "CREATE TABLE three (id TEXT); CREATE NONSENSE;");

#[rstest]
#[tokio::test]
async fn each_migration_runs_once(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = empty(backend).await else { return };
    assert_eq!(migrate(&place, &[ONE]).await.unwrap(), 1);
    assert_eq!(migrate(&place, &[ONE]).await.unwrap(), 0);
    assert_eq!(migrate(&place, &[ONE, TWO]).await.unwrap(), 1);
    assert_eq!(tables(&place, &["one", "two"]).await, [true, true]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn those_who_start_at_once_wait_for_each_other(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = empty(backend).await else { return };
    let all = futures_util::future::join_all((0..4).map(|_| migrate(&place, &[ONE, TWO]))).await;
    let mut done: Vec<_> = all.into_iter().map(Result::unwrap).collect();
    done.sort_unstable();
    assert_eq!(done, [0, 0, 0, 2]);
}

#[rstest]
#[tokio::test]
async fn a_failure_leaves_the_schema_as_it_was(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = empty(backend).await else { return };
    assert_eq!(migrate(&place, &[ONE]).await.unwrap(), 1);
    migrate(&place, &[ONE, TWO, BROKEN]).await.unwrap_err();
    assert_eq!(tables(&place, &["one", "two", "three"]).await, [true, false, false]);
    assert_eq!(migrate(&place, &[ONE, TWO]).await.unwrap(), 1);
}

#[rstest]
#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = empty(backend).await else { return };
    assert_eq!(migrate(&place, &[ONE, TWO]).await.unwrap(), 2);
    let newer = ("2025-01-01-000000_zero", "CREATE TABLE zero (id TEXT)");
    let error = migrate(&place, &[newer, ONE]).await.unwrap_err().to_string();
    assert!(error.contains("newer version of Octavo") && error.contains("20260101000002"), "{error}");
    assert_eq!(tables(&place, &["zero"]).await, [false]);
}

#[tokio::test]
async fn a_migration_that_breaks_a_reference_is_undone() {
    let place = empty(Backend::Sqlite).await.unwrap();
    let refers =
        ("2026-01-01-000004_refers", "CREATE TABLE r (one TEXT REFERENCES one (id)); INSERT INTO r VALUES ('x')");
    let error = migrate(&place, &[ONE, refers]).await.unwrap_err().to_string();
    assert!(error.contains("1 invalid references"), "{error}");
    assert_eq!(tables(&place, &["one"]).await, [false]);
}

#[test]
fn migrations_of_both_databases_are_the_same() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let names = |backend: &str| {
        let mut names: Vec<_> =
            std::fs::read_dir(root.join(backend)).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("sqlite"), names("postgres"));
    assert!(!names("sqlite").is_empty());
}

/// Undoes all of Octavo's migrations, and returns their number.
async fn undo(place: &TestDatabase) -> usize {
    match Address::parse(place.url()).unwrap() {
        Address::Sqlite(path) => {
            let mut conn = crate::sqlite::open(&path).unwrap();
            conn.revert_all_migrations(crate::migrate::SQLITE).unwrap().len()
        }
        Address::Postgres(server) => {
            let conn = server.connect_to_migrate().await.unwrap();
            let undoing = tokio::task::spawn_blocking(move || {
                let mut conn = AsyncConnectionWrapper::<AsyncPgConnection>::from(conn);
                conn.revert_all_migrations(crate::migrate::POSTGRES).unwrap().len()
            });
            undoing.await.unwrap()
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_migration_can_be_undone_and_run_again(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = empty(backend).await else { return };
    let run = Database::migrate(place.url()).await.unwrap();
    assert_eq!(tables(&place, &["spaces", "search_index"]).await, [true, true]);
    assert_eq!(undo(&place).await, run);
    assert_eq!(tables(&place, &["instance", "spaces", "search_index"]).await, [false, false, false]);
    assert_eq!(Database::migrate(place.url()).await.unwrap(), run);
}
