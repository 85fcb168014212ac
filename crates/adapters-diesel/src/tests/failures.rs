use super::*;
use diesel::Connection;
use diesel::connection::SimpleConnection;
use domain::ports::{StoreError, StoreResult};
use rstest::rstest;
use tokio::time::timeout;

fn unavailable<T>(result: StoreResult<T>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}

const IMPATIENT: DatabaseOptions =
    DatabaseOptions { max_connections: 2, wait: Duration::from_millis(200), rest: Duration::ZERO };

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
async fn a_writer_that_keeps_its_turn_makes_the_next_unavailable() {
    let world = world_with(Backend::Sqlite, IMPATIENT).await.unwrap();
    let mut held = world.database.write().await.unwrap();
    add(&mut held, 1).await;
    assert!(unavailable(world.database.write().await));
    // Reading goes on.
    assert_eq!(committed(&world.database).await, 0);
    held.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 1);
}

#[tokio::test]
async fn another_process_that_writes_is_waited_for() {
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
    // Reading does not wait.
    assert_eq!(committed(&world.database).await, 0);
    held.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 1);
}

/// What a restart of the server does: connections end, new ones are refused for a while.
#[tokio::test]
async fn a_server_that_goes_away_is_unavailable_until_it_is_back() {
    let Some(world) = world_with(Backend::Postgres, DatabaseOptions { wait: HANG, ..IMPATIENT }).await else { return };
    let mut idle = world.database.read().await.unwrap();
    idle.ping().await.unwrap();
    drop(idle);
    let mut open = world.database.write().await.unwrap();
    add(&mut open, 5).await;
    world.place.run_on_server(|name| format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await;
    let end = |name: &str| format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
    world.place.run_on_server(end).await;
    // The one that was in the middle of its work.
    let query = counters::table.select(counters::value);
    assert!(unavailable(open.all::<i64>(query).await));
    assert!(open.commit().await.is_err());
    // The one that was idle in the pool, then new ones.
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
async fn a_deadlock_ends_with_one_of_the_two() {
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
    assert!(unavailable(one) != unavailable(two), "one goes on, the other may try again");
}

#[rstest]
#[case::no_folder("/nowhere/octavo.db")]
#[case::no_server("postgres://octavo@127.0.0.1:1/octavo")]
#[tokio::test]
async fn a_database_that_is_not_there_is_an_error_at_start(#[case] url: &str) {
    assert!(Database::open(url, &IMPATIENT).await.is_err());
    assert!(Database::migrate(url).await.is_err());
}
