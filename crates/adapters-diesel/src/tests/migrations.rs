use super::*;
use crate::database::Address;
use crate::migrate::migrate_with;
use crate::{DieselStore, StoreOptions};
use diesel_async::AsyncPgConnection;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use domain::change_request::ChangeRequestRef;
use domain::comment::{CommentStatus, Discussion};
use domain::content::search::VERSION;
use domain::id::{OrganizationId, SpaceId};
use domain::notification::{Notification, NotificationKind, NotificationSubject};
use domain::openapi::ENGINE;
use domain::openapi_spec::{ChangelogEntry, OpenapiVersion};
use domain::paging::PageRequest;
use domain::ports::Store;
use domain::ports::store::comments::CommentFilter;
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

pub(super) async fn migrate(place: &TestDatabase, migrations: &[(&str, &str)]) -> anyhow::Result<usize> {
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
async fn concurrent_migrations_wait_for_each_other(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
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
async fn a_newer_schema_is_refused_unchanged(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = empty(backend).await else { return };
    assert_eq!(migrate(&place, &[ONE, TWO]).await.unwrap(), 2);
    let newer = ("2025-01-01-000000_zero", "CREATE TABLE zero (id TEXT)");
    let error = migrate(&place, &[newer, ONE]).await.unwrap_err().to_string();
    assert!(error.contains("newer version of Octavo") && error.contains("20260101000002"), "{error}");
    assert_eq!(tables(&place, &["zero"]).await, [false]);
}

/// The user of the database needs the right to create tables only for an update.
#[tokio::test]
async fn a_current_schema_is_used_by_a_user_who_must_not_change_it() {
    let Some(place) = empty(Backend::Postgres).await else { return };
    assert_eq!(migrate(&place, &[ONE]).await.unwrap(), 1);
    place.run_on_server(|name| format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    assert_eq!(migrate(&place, &[ONE]).await.unwrap(), 0);
    let error = migrate(&place, &[ONE, TWO]).await.unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    let error = migrate(&place, &[TWO]).await.unwrap_err().to_string();
    assert!(error.contains("newer version of Octavo"), "{error}");
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

/// A database with the schema of the first release.
async fn first_release(backend: Backend) -> Option<TestDatabase> {
    before(backend, "2026-11-23").await
}

/// A database with the schema before this migration, by the beginning of its name.
pub(super) async fn before(backend: Backend, migration: &str) -> Option<TestDatabase> {
    let place = empty(backend).await?;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let earlier = |backend: &str| {
        let all = std::fs::read_dir(root.join(backend)).unwrap().map(|entry| entry.unwrap().path());
        let earlier = all.filter(|path| path.file_name().unwrap().to_string_lossy().as_ref() < migration);
        let read = |path: std::path::PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path.join("up.sql")).unwrap())
        };
        earlier.map(read).collect::<Vec<(String, String)>>()
    };
    let [sqlite, postgres] = ["sqlite", "postgres"].map(earlier);
    let of = |all: &[(String, String)]| {
        folder(&all.iter().map(|(name, sql)| (name.as_str(), sql.as_str())).collect::<Vec<_>>())
    };
    let ((_sqlite, source), (_postgres, other)) = (of(&sqlite), of(&postgres));
    assert!(migrate_with(Address::parse(place.url()).unwrap(), source, other).await.unwrap() > 0);
    Some(place)
}

/// The organization `o`, in the schema of any release.
pub(super) const ORGANIZATION: &str = "INSERT INTO organizations (id, title, email_domains, sso, ai, invite_links, merge_rules, created_at) \
     VALUES ('o', 'Octavo', '[]', false, false, false, '{\"type\": \"none\"}', '2026-01-01 00:00:00')";

/// The draft `c` of the user `u` in the space `s` of this organization, in the schema before `comment_counts`.
pub(super) const CHANGE_REQUEST: [&str; 4] = [
    "INSERT INTO users (id, display_name, email, email_verified, folded, created_at) \
     VALUES ('u', 'U', 'u@example.org', true, 'u', '2026-01-01 00:00:00')",
    ORGANIZATION,
    "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, position, \
     revision_id, comments, change_requests, change_requests_open, change_requests_draft, created_at, updated_at) \
     VALUES ('s', 'o', '', '', 'private', 'live', 'inherit', '[]', '1', 'r', 0, 1, 0, 1, '2026-01-01 00:00:00', \
     '2026-01-01 00:00:00')",
    "INSERT INTO change_requests (id, space_id, number, subject, status, created_by, created_at, updated_at, revision_id, \
     revision_initial_id, comments) VALUES ('c', 's', 1, 'Kept', 'draft', 'u', '2026-01-01 00:00:00', \
     '2026-01-01 00:00:00', 'r', 'r', 0)",
];

/// A text with an empty paragraph, as it is stored.
const TEXT: &str = r#"[{"k":"aaaaaaaaaaaa","b":{"paragraph":{}}}]"#;

/// A hash of zeros, in SQL.
fn zeros(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => "zeroblob(32)",
        Backend::Postgres => "decode(repeat('00', 32), 'hex')",
    }
}

/// The OpenAPI spec with this id and slug of this organization, in the schema of any release.
fn spec(backend: Backend, id: &str) -> String {
    let hash = zeros(backend);
    format!(
        "INSERT INTO openapi_specs (id, organization_id, slug, slug_key, source_text, state, visibility, findings, \
         finding_count, failures, created_at, updated_at) VALUES ('{id}', 'o', '{id}', '{id}', {hash}, 'complete', \
         'private', '[]', 0, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
    )
}

/// Fills a database by these statements, and then migrates it to the newest schema.
pub(super) async fn migrated_with(
    place: &TestDatabase,
    statements: impl IntoIterator<Item = impl Into<String>>,
) -> DieselStore {
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut conn = database.write().await.unwrap();
    for sql in statements {
        conn.run(diesel::sql_query(sql)).await.unwrap();
    }
    conn.commit().await.unwrap();
    drop(database);
    assert!(Database::migrate(place.url()).await.unwrap() > 0);
    let database = Database::open(place.url(), &DatabaseOptions::default()).await.unwrap();
    DieselStore::new(database, &StoreOptions::default())
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spaces_of_the_first_release_are_indexed_again(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = first_release(backend).await else { return };
    let space = "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, \
         position, revision_id, comments, change_requests, change_requests_open, change_requests_draft, created_at, \
         updated_at) VALUES ('s', 'o', '', '', 'private', 'live', 'inherit', '[]', '1', 'r', 0, 0, 0, 0, \
         '2026-01-01 00:00:00', '2026-01-01 00:00:00')";
    let statements = [ORGANIZATION, space, "INSERT INTO search_spaces (space_id) VALUES ('s')"];
    let store = migrated_with(&place, statements).await;
    let space: SpaceId = "s".parse().unwrap();
    let mut tx = store.write().await.unwrap();
    assert_eq!(tx.search().outdated(VERSION, None).await.unwrap(), Some(space.clone()));
    assert_eq!(tx.search().outdated(VERSION, Some(&space)).await.unwrap(), None);
    tx.lock(&[(&space).into()]).await.unwrap();
    tx.search().set_version(&space, VERSION).await.unwrap();
    assert_eq!(tx.search().outdated(VERSION, None).await.unwrap(), None);
    assert_eq!(tx.search().outdated(VERSION + 1, None).await.unwrap(), Some(space));
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_of_specs_that_have_no_engine_yet_are_made_again(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-26-000600").await else { return };
    let (at, hash) = ("'2026-01-01 00:00:00'", zeros(backend));
    let version = |id: &str, spec: &str, removed: &str| {
        format!(
            "INSERT INTO openapi_versions (id, spec_id, created_at, text_hash, format, parts, text_removed_at) \
             VALUES ('{id}', '{spec}', {at}, {hash}, 'json', {hash}, {removed})"
        )
    };
    let statements = [
        ORGANIZATION.to_owned(),
        spec(backend, "a"),
        spec(backend, "b"),
        version("1", "a", "NULL"),
        version("2", "a", at),
        version("3", "b", "NULL"),
        version("4", "gone", "NULL"),
    ];
    let store = migrated_with(&place, statements).await;
    let mut tx = store.write().await.unwrap();
    let mut found = Vec::new();
    let mut after = None;
    while let Some(version) = tx.openapi_specs().next_outdated(1, after.as_ref()).await.unwrap() {
        found.push((version.id.to_string(), version.engine));
        after = Some(version.id);
    }
    // Without the one whose text is gone, and the one of a deleted spec.
    assert_eq!(found, [("1".to_owned(), 0), ("3".to_owned(), 0)]);
    let version = tx.openapi_specs().next_outdated(1, None).await.unwrap().unwrap();
    tx.openapi_specs().renew_version(&OpenapiVersion { engine: 1, ..version }).await.unwrap();
    assert_eq!(tx.openapi_specs().next_outdated(1, None).await.unwrap().unwrap().id.as_str(), "3");
    assert_eq!(tx.openapi_specs().next_outdated(2, None).await.unwrap().unwrap().engine, 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_of_specs_of_before_texts_were_removed_have_theirs(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-25-000500").await else { return };
    let (at, hash) = ("'2026-01-01 00:00:00'", zeros(backend));
    let version = format!(
        "INSERT INTO openapi_versions (id, spec_id, created_at, text_hash, format, parts) \
         VALUES ('1', 'a', {at}, {hash}, 'json', {hash})"
    );
    let store = migrated_with(&place, [ORGANIZATION.to_owned(), spec(backend, "a"), version]).await;
    let mut tx = store.read().await.unwrap();
    let found = tx.openapi_specs().versions(&"a".parse().unwrap(), &PageRequest::default()).await.unwrap().items;
    let told: Vec<_> = found.iter().map(|version| (version.id.as_str(), version.text_removed_at)).collect();
    assert_eq!(told, [("1", None)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_of_specs_of_before_changelogs_are_made_again_and_get_theirs(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-27-000500").await else { return };
    let hash = zeros(backend);
    let version = |id: &str, changes: &str| {
        format!(
            "INSERT INTO openapi_versions (id, spec_id, created_at, text_hash, format, parts, changes, engine) \
             VALUES ('{id}', 'a', '2026-01-01 00:00:00', {hash}, 'json', {hash}, {changes}, 1)"
        )
    };
    let counted = r#"'{"breaking": 1, "risky": 0, "announced": 0, "fine": 2, "words": 0}'"#;
    let versions = [version("1", "NULL"), version("2", counted)];
    let statements = [ORGANIZATION.to_owned(), spec(backend, "a")].into_iter().chain(versions);
    let store = migrated_with(&place, statements).await;
    let mut tx = store.write().await.unwrap();
    let (a, [one, two]) = ("a".parse().unwrap(), ["1", "2"].map(|id| id.parse().unwrap()));
    let found = tx.openapi_specs().version(&a, &two).await.unwrap().unwrap();
    let changes = found.changes.map(|changes| (changes.breaking, changes.fine));
    assert_eq!((found.engine, changes, found.is_outdated()), (1, Some((1, 2)), true));
    assert_eq!(tx.openapi_specs().next_outdated(ENGINE, None).await.unwrap().unwrap().id, one);
    let entry = ChangelogEntry::new("1.0", None);
    tx.openapi_specs().set_changelog(&one, &entry).await.unwrap();
    let listed = tx.openapi_specs().changelog(&a, &two, 9).await.unwrap();
    assert_eq!(listed.into_iter().map(|version| version.entry).collect::<Vec<_>>(), [None, Some(entry)]);
    assert!(!tx.openapi_specs().has_earlier(&a, &one).await.unwrap(), "it is the first");
    assert!(tx.openapi_specs().has_earlier(&a, &two).await.unwrap());
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_requests_from_before_conversations_have_no_cluster(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-24-000200").await else { return };
    let store = migrated_with(&place, CHANGE_REQUEST).await;
    let mut tx = store.read().await.unwrap();
    let space: SpaceId = "s".parse().unwrap();
    let request = tx.change_requests().find(&space, &ChangeRequestRef::Number(1)).await.unwrap().unwrap();
    assert_eq!((request.subject.as_str(), request.cluster), ("Kept", None));
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_of_before_language_models_are_as_rules_left_them(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-24-000400").await else { return };
    let (at, hash) = ("'2026-01-01 00:00:00'", zeros(backend));
    let statements = [
        ORGANIZATION.to_owned(),
        format!(
            "INSERT INTO conversations (id, organization_id, source, external_id, content, hash, created_at, \
             ingested_at, processed_at) \
             VALUES ('c', 'o', 'email', 'x', '{{\"parts\": [], \"attributes\": {{}}}}', {hash}, {at}, {at}, {at})"
        ),
        format!(
            "INSERT INTO issue_clusters (id, organization_id, label, summary, icon, impact, muted, issues, \
             conversations, created_at, updated_at) \
             VALUES ('k', 'o', 'Login', '{TEXT}', 'key', 'high', false, 1, 1, {at}, {at})"
        ),
        format!(
            "INSERT INTO conversation_issues (id, organization_id, conversation_id, cluster_id, title, details, \
             impact, features, features_version, created_at, ingested_at) \
             VALUES ('i', 'o', 'c', 'k', 'Login', 'I cannot log in', 'high', {hash}, 1, {at}, {at})"
        ),
    ];
    let store = migrated_with(&place, statements).await;
    let mut tx = store.read().await.unwrap();
    let organization: OrganizationId = "o".parse().unwrap();
    let conversation = tx.conversations().find(&organization, &"c".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((conversation.processed_at.is_some(), conversation.ask_again_at), (true, None));
    let later = conversation.created_at + chrono::TimeDelta::days(1);
    assert_eq!(tx.conversations().waiting(&organization, later, 9).await.unwrap(), []);
    let cluster = tx.conversations().cluster(&organization, &"k".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((cluster.issues, cluster.described_issues, cluster.counts), (1, None, None));
    let issue = tx.conversations().issue(&organization, &"i".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((issue.title.as_str(), issue.gist), ("Login", None));
    let features = tx.conversations().outdated(&organization, 2, 9).await.unwrap();
    assert_eq!(features.iter().map(|issue| issue.features.version).collect::<Vec<_>>(), [1]);
    assert!(tx.conversations().outdated(&organization, 1, 9).await.unwrap().is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_comments_of_earlier_reviews_become_comments_of_their_change_requests(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = first_release(backend).await else { return };
    let at = "'2026-01-01 00:00:00'";
    let statements = [
        format!(
            "INSERT INTO users (id, display_name, email, email_verified, folded, created_at) \
             VALUES ('u', 'U', 'u@example.org', true, 'u', {at})"
        ),
        ORGANIZATION.to_owned(),
        format!(
            "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, default_level, merge_rules, \
             position, revision_id, comments, change_requests, change_requests_open, change_requests_draft, created_at, \
             updated_at) VALUES ('s', 'o', '', '', 'private', 'live', 'inherit', '[]', '1', 'r', 0, 1, 0, 1, {at}, {at})"
        ),
        format!(
            "INSERT INTO change_requests (id, space_id, number, subject, status, created_by, created_at, updated_at, \
             revision_id, revision_initial_id, comments) VALUES ('c', 's', 1, '', 'draft', 'u', {at}, {at}, 'r', 'r', 0)"
        ),
        format!(
            "INSERT INTO reviews (id, change_request_id, revision_id, reviewer_id, verdict, comment, outdated, ended, \
             created_at, updated_at) VALUES ('one', 'c', 'r', 'u', 'approved', '{TEXT}', false, false, {at}, {at}), \
             ('two', 'c', 'r', 'u', 'approved', NULL, false, false, {at}, {at})"
        ),
    ];
    let store = migrated_with(&place, statements).await;
    let mut tx = store.read().await.unwrap();
    let discussion = Discussion { space: "s".parse().unwrap(), change_request: "c".parse().ok() };
    let page = PageRequest::default();
    let found = tx.comments().list(&discussion, &CommentFilter::default(), &page).await.unwrap().items;
    let told: Vec<_> = found.iter().map(|comment| (comment.id.as_str(), comment.review.clone())).collect();
    assert_eq!(told, [("one", "one".parse().ok())]);
    assert_eq!((found[0].status(), found[0].body.blocks.len()), (CommentStatus::Open, 1));
    let request = tx.change_requests().find(&discussion.space, &ChangeRequestRef::Number(1)).await.unwrap().unwrap();
    assert_eq!(request.comments, 1);
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

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organizations_of_before_have_no_default_site(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(place) = before(backend, "2026-11-27-000200").await else { return };
    let store = migrated_with(&place, [ORGANIZATION]).await;
    let mut tx = store.read().await.unwrap();
    let id: OrganizationId = "o".parse().unwrap();
    let found = tx.organizations().find(&id, None).await.unwrap().unwrap().organization;
    assert_eq!((found.title.as_str(), found.default_site), ("Octavo", None));
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_from_before_webhooks_are_not_changed(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(place) = before(backend, "2026-11-27-000400").await else { return };
    let notification = "INSERT INTO notifications (id, user_id, kind, actor_id, space_id, change_request_id, review_id, \
         thread_id, excerpt, created_at, read_at, to_mail) VALUES ('n', 'u', 'review-submitted', 'u', 's', 'c', 'v', 'c', \
         'Fix', '2026-01-01 00:00:00', '2026-01-01 00:00:00', true)";
    let store = migrated_with(&place, CHANGE_REQUEST.into_iter().chain([notification])).await;
    let mut tx = store.read().await.unwrap();
    let [kept] = tx.notifications().oldest(None, 9).await.unwrap().try_into().unwrap();
    let at = "2026-01-01T00:00:00Z".parse().unwrap();
    let subject = NotificationSubject::Discussion {
        actor: "u".parse().unwrap(),
        space: "s".parse().unwrap(),
        change_request: "c".parse().ok(),
        comment: None,
        reply: None,
        review: "v".parse().ok(),
    };
    let expected = Notification {
        id: "n".parse().unwrap(),
        user: "u".parse().unwrap(),
        kind: NotificationKind::ReviewSubmitted,
        subject,
        thread: "c".parse().unwrap(),
        excerpt: "Fix".to_owned(),
        created_at: at,
        read_at: Some(at),
        to_mail: true,
    };
    assert_eq!(kept, expected);
}
