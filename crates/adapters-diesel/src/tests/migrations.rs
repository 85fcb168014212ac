use super::*;
use crate::database::Address;
use crate::migrate::migrate_with;
use diesel_migrations::FileBasedMigrations;
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
    assert!(error.contains("1 broken references"), "{error}");
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

/// Octavo's migrations before a given one.
fn before(database: &str, name: &str) -> (tempfile::TempDir, FileBasedMigrations) {
    let all = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(database);
    let earlier = std::fs::read_dir(&all).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let earlier: Vec<String> = earlier.filter(|other| other.as_str() < name).collect();
    assert!(!earlier.is_empty());
    let folder = tempfile::tempdir().unwrap();
    for other in earlier {
        std::fs::create_dir(folder.path().join(&other)).unwrap();
        std::fs::copy(all.join(&other).join("up.sql"), folder.path().join(&other).join("up.sql")).unwrap();
    }
    let source = FileBasedMigrations::from_path(folder.path()).unwrap();
    (folder, source)
}

#[rstest]
#[tokio::test]
async fn events_from_before_there_were_sources_get_theirs(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    use crate::schema::events::events;
    let Some(place) = empty(backend).await else { return };
    let (sqlite, postgres) =
        (before("sqlite", "2026-11-22-000005_accounts"), before("postgres", "2026-11-22-000005_accounts"));
    migrate_with(Address::parse(place.url()).unwrap(), sqlite.1, postgres.1).await.unwrap();
    let old = [
        ("a", "'o'", "NULL", "NULL", r#"{"type":"user_created","user":"u"}"#),
        ("b", "'o'", "NULL", "NULL", r#"{"type":"organization_created","organization":"o"}"#),
        ("c", "NULL", "NULL", "NULL", r#"{"type":"token_created","token":"t","user":"u"}"#),
        ("d", "'o'", "NULL", "NULL", r#"{"type":"space_created","space":"s"}"#),
        ("e", "'o'", "'u'", "'t'", r#"{"type":"review_submitted","space":"s","change_request":"c","review":"r"}"#),
    ];
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut conn = database.write().await.unwrap();
    for (id, organization, actor, token, change) in old {
        let values = format!("('{id}', {organization}, {actor}, {token}, '2026-01-01 00:00:00', '{change}')");
        let insert =
            format!("INSERT INTO events (id, organization_id, actor_id, token_id, at, change) VALUES {values}");
        conn.run(diesel::sql_query(insert)).await.unwrap();
    }
    conn.commit().await.unwrap();
    drop(database);

    Database::migrate(place.url()).await.unwrap();
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut conn = database.read().await.unwrap();
    let query = events::table.order(events::id).select((
        events::action,
        events::target_id,
        events::source,
        events::organization_id,
    ));
    let found: Vec<(String, String, String, Option<String>)> = conn.all(query).await.unwrap();
    let found: Vec<_> =
        found.iter().map(|(action, target, source, org)| (&**action, &**target, &**source, org.as_deref())).collect();
    let expected = [
        ("user_created", "u", "server", None),
        ("organization_created", "o", "server", Some("o")),
        ("token_created", "t", "cli", None),
        ("space_created", "s", "cli", Some("o")),
        ("review_submitted", "c", "api", Some("o")),
    ];
    assert_eq!(found, expected);
}
