use super::migrations::{empty, migrate};
use super::*;
use crate::UnsuitableDatabase;
use diesel::Connection;
use diesel::connection::SimpleConnection;
use domain::ports::{StoreError, StoreResult};
use rstest::rstest;
use tokio::time::timeout;

fn unavailable<T>(result: StoreResult<T>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}

const IMPATIENT: DatabaseOptions =
    DatabaseOptions { max_connections: 2, wait: SHORT, pause: Duration::ZERO, cache_kib: 1024 };

#[rstest]
#[tokio::test]
async fn an_exhausted_pool_is_unavailable_and_recovers(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world_with(backend, IMPATIENT).await else { return };
    let held = (world.database.read().await.unwrap(), world.database.read().await.unwrap());
    assert!(unavailable(world.database.read().await));
    drop(held);
    world.database.ping().await.unwrap();
}

#[tokio::test]
async fn a_writer_that_does_not_end_makes_the_next_one_unavailable() {
    let world = world_with(Backend::Sqlite, IMPATIENT).await.unwrap();
    let mut held = world.database.write().await.unwrap();
    add(&mut held, 1).await;
    assert!(unavailable(world.database.write().await));
    // Reads continue.
    assert_eq!(committed(&world.database).await, 0);
    held.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 1);
}

#[tokio::test]
async fn a_writer_waits_for_another_process() {
    let world = world_with(Backend::Sqlite, DatabaseOptions { wait: HANG, ..IMPATIENT }).await.unwrap();
    let mut other = diesel::SqliteConnection::establish(world.place.url()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE; UPDATE counters SET value = 10").unwrap();
    let database = world.database.clone();
    let writing = tokio::spawn(async move {
        let mut conn = database.write().await.unwrap();
        add(&mut conn, 1).await;
        conn.commit().await.unwrap();
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!writing.is_finished());
    other.batch_execute("COMMIT").unwrap();
    timeout(HANG, writing).await.unwrap().unwrap();
    assert_eq!(committed(&world.database).await, 11);
}

#[tokio::test]
async fn another_process_that_does_not_end_makes_writing_unavailable() {
    let world = world_with(Backend::Sqlite, IMPATIENT).await.unwrap();
    let mut other = diesel::SqliteConnection::establish(world.place.url()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    assert!(unavailable(world.database.write().await));
    other.batch_execute("ROLLBACK").unwrap();
    let mut conn = world.database.write().await.unwrap();
    add(&mut conn, 1).await;
    conn.commit().await.unwrap();
}

#[tokio::test]
async fn a_row_that_stays_locked_makes_writing_it_unavailable() {
    let Some(world) = world_with(Backend::Postgres, IMPATIENT).await else { return };
    let mut held = world.database.write().await.unwrap();
    add(&mut held, 1).await;
    let mut waiting = world.database.write().await.unwrap();
    let row = counters::table.filter(counters::id.eq("a"));
    assert!(unavailable(waiting.run(diesel::update(row).set(counters::value.eq(10))).await));
    drop(waiting);
    // Reads do not wait.
    assert_eq!(committed(&world.database).await, 0);
    held.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 1);
}

/// The effect of a server restart: connections end, and new ones are refused for a while.
#[tokio::test]
async fn a_stopped_server_is_unavailable_until_it_restarts() {
    let Some(world) = world_with(Backend::Postgres, DatabaseOptions { wait: HANG, ..IMPATIENT }).await else { return };
    let mut idle = world.database.read().await.unwrap();
    idle.ping().await.unwrap();
    drop(idle);
    let mut open = world.database.write().await.unwrap();
    add(&mut open, 5).await;
    world.place.run_on_server(|name| format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
    let end = |name: &str| format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    world.place.run_on_server(end).await;
    // The connection in the middle of a unit of work.
    let query = counters::table.select(counters::value);
    assert!(unavailable(open.all::<i64>(query).await));
    assert!(open.commit().await.is_err());
    // The idle connection in the pool, then new ones.
    for _ in 0..3 {
        let asked = async { world.database.read().await?.ping().await };
        assert!(unavailable(asked.await));
    }
    world.place.run_on_server(|name| format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true")).await;
    assert_eq!(committed(&world.database).await, 0);
}

#[tokio::test]
async fn a_statement_that_is_killed_is_unavailable() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let mut conn = world.database.write().await.unwrap();
    let working = tokio::spawn(async move { conn.run(long_work(Backend::Postgres)).await.map(drop) });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let end = |name: &str| format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    world.place.run_on_server(end).await;
    assert!(unavailable(timeout(HANG, working).await.unwrap().unwrap()));
    assert_eq!(committed(&world.database).await, 0);
}

#[tokio::test]
async fn a_deadlock_fails_one_of_two_units_of_work() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let mut conn = world.database.write().await.unwrap();
    let row = (counters::id.eq("b"), counters::value.eq(0), counters::label.eq("second"));
    conn.run(diesel::insert_into(counters::table).values(row)).await.unwrap();
    conn.commit().await.unwrap();
    let (mut one, mut two) = (world.database.write().await.unwrap(), world.database.write().await.unwrap());
    let row = |id: &'static str| counters::table.filter(counters::id.eq(id)).select(counters::id);
    one.one::<String>(locked(row("a"), Lock::Rows)).await.unwrap();
    two.one::<String>(locked(row("b"), Lock::Rows)).await.unwrap();
    let (one, two) = tokio::join!(one.one::<String>(locked(row("b"), Lock::Rows)), async {
        let result = two.one::<String>(locked(row("a"), Lock::Rows)).await;
        drop(two);
        result
    },);
    let gave_way = |result: StoreResult<String>| matches!(result, Err(StoreError::Contended(_)));
    assert!(gave_way(one) != gave_way(two), "one goes on, the other may try again");
}

/// Messages of the server can be in any language, so only the code is used.
#[rstest]
#[case::disk_full("53100", "full")]
#[case::out_of_memory("53200", "later")]
#[case::too_many_connections("53300", "later")]
#[case::cancelled("57014", "later")]
#[case::shutting_down("57P01", "later")]
#[case::crashed("57P02", "later")]
#[case::starting("57P03", "later")]
#[case::io_error("58030", "later")]
#[case::lock_timeout("55P03", "later")]
#[case::connection("08006", "later")]
#[case::deadlock("40P01", "contended")]
#[case::serialization("40001", "contended")]
#[case::a_fault_of_ours("42703", "fault")]
#[tokio::test]
async fn an_error_of_postgresql_is_mapped_by_its_code(#[case] code: &str, #[case] means: &str) {
    let Some(world) = world(Backend::Postgres).await else { return };
    for words in ["database or disk is full", "Verklemmung entdeckt", "нет места"] {
        let mut conn = world.database.write().await.unwrap();
        let raise = format!("DO $$ BEGIN RAISE EXCEPTION '{words}' USING ERRCODE = '{code}'; END $$");
        let error = conn.run(diesel::sql_query(raise)).await.unwrap_err();
        let told = match &error {
            StoreError::Full(_) => "full",
            StoreError::Unavailable(_) => "later",
            StoreError::Contended(_) => "contended",
            StoreError::Unknown(_) => "unknown",
            StoreError::Conflict(_) => "conflict",
            StoreError::Internal(_) => "fault",
        };
        assert_eq!(told, means, "{words}: {error:?}");
    }
    assert_eq!(committed(&world.database).await, 0, "the connection is still good");
}

#[derive(diesel::QueryableByName)]
struct Speaks {
    #[diesel(sql_type = diesel::sql_types::Text)]
    language: String,
}

/// Real errors, in another language if the server has one.
#[tokio::test]
async fn errors_in_another_language_are_mapped() {
    let Some(world) = world(Backend::Postgres).await else { return };
    for language in ["de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "C"] {
        let set = |name: &str| {
            format!(
                "DO $$ BEGIN EXECUTE 'ALTER DATABASE {name} SET lc_messages = \"{language}\"'; \
                 EXCEPTION WHEN OTHERS THEN NULL; END $$"
            )
        };
        world.place.run_on_server(set).await;
        let options = DatabaseOptions { max_connections: 2, wait: SHORT, ..DatabaseOptions::default() };
        let database = Database::open(world.place.url(), &options).await.unwrap();
        let shown = diesel::sql_query("SELECT current_setting('lc_messages') AS language");
        let mut conn = database.write().await.unwrap();
        let speaks: Vec<Speaks> = conn.all(shown).await.unwrap();
        if speaks[0].language != language {
            eprintln!("skipped: this server has no {language}");
            continue;
        }
        add(&mut conn, 1).await;
        // A lock that another unit of work holds.
        let mut waiting = database.write().await.unwrap();
        let row = counters::table.filter(counters::id.eq("a"));
        let late = waiting.run(diesel::update(row).set(counters::value.eq(10))).await;
        assert!(unavailable(late), "{language}");
        drop(waiting);
        // A duplicate key.
        let again = (counters::id.eq("a"), counters::value.eq(0), counters::label.eq("again"));
        let taken = conn.run(diesel::insert_into(counters::table).values(again)).await;
        assert!(matches!(&taken, Err(StoreError::Conflict(rule)) if rule == "counters.id"), "{language}: {taken:?}");
    }
}

#[tokio::test]
async fn a_full_disk_has_its_own_error_on_sqlite() {
    let world = world(Backend::Sqlite).await.unwrap();
    let mut conn = world.database.write().await.unwrap();
    conn.run(diesel::sql_query("PRAGMA max_page_count = 1")).await.unwrap();
    let rows = "INSERT INTO counters WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) \
         SELECT 'row ' || i, i, 'label', NULL FROM n";
    let full = conn.run(diesel::sql_query(rows)).await;
    assert!(matches!(full, Err(StoreError::Full(_))), "{full:?}");
    drop(conn);
    assert_eq!(committed(&world.database).await, 0, "reading goes on");
}

/// The connection ends during the commit: the outcome is unknown.
#[tokio::test]
async fn an_interrupted_commit_has_an_unknown_outcome() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let dying = "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON counters DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION die()";
    world.place.run(dying).await;
    let mut conn = world.database.write().await.unwrap();
    add(&mut conn, 1).await;
    let ended = conn.commit().await;
    assert!(matches!(ended, Err(StoreError::Unknown(_))), "{ended:?}");
    assert_eq!(committed(&world.database).await, 0, "other connections go on");
}

#[rstest]
#[case::no_folder("/nowhere/octavo.db")]
#[case::no_server("postgres://octavo@127.0.0.1:1/octavo")]
#[tokio::test]
async fn a_missing_database_is_an_error_at_start(#[case] url: &str) {
    assert!(Database::open(url, &IMPATIENT).await.is_err());
    assert!(Database::migrate(url).await.is_err());
}

#[rstest]
#[case::that_cannot_store_every_text("LATIN1")]
#[case::that_does_not_check_text("SQL_ASCII")]
#[tokio::test]
async fn a_new_database_with_another_encoding_is_refused(#[case] encoding: &str) {
    let Some(place) = empty(Backend::Postgres).await else { return };
    let make = |name: &str| format!("CREATE DATABASE {name}_other ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0");
    place.run_on_server(make).await;
    let refused = Database::migrate(&format!("{}_other", place.url())).await;
    place.run_on_server(|name| format!("DROP DATABASE {name}_other WITH (FORCE)")).await;
    let error = refused.unwrap_err();
    assert!(error.to_string().contains(&format!("the encoding {encoding} ")), "{error}");
    assert!(error.downcast_ref::<UnsuitableDatabase>().unwrap().advice.contains("ENCODING 'UTF8'"));
}

#[tokio::test]
async fn a_migration_takes_longer_than_statements_may() {
    let Some(place) = empty(Backend::Postgres).await else { return };
    let limits = |name: &str| {
        format!(
            "ALTER DATABASE {name} SET statement_timeout = '100ms'; ALTER DATABASE {name} SET lock_timeout = '100ms'"
        )
    };
    place.run_on_server(limits).await;
    assert_eq!(migrate(&place, &[("2026-01-01-000001_slow", "SELECT pg_sleep(0.3)")]).await.unwrap(), 1);
}
