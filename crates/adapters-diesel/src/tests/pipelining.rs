//! Commands and locks whose results are not waited for.
use super::*;
use crate::sql::prepared;
use diesel::insert_into;
use domain::ports::{StoreError, StoreResult};
use rstest::rstest;
use tokio::time::timeout;

/// A database whose connections have prepared the statements of these tests.
async fn prepared_world(backend: Backend, connections: usize) -> Option<World> {
    let options = DatabaseOptions { max_connections: connections, wait: HANG, ..DatabaseOptions::default() };
    let world = world_with(backend, options).await?;
    let mut warm = Vec::new();
    // SQLite has one writer.
    for at in 0..if matches!(backend, Backend::Sqlite) { 1 } else { connections } {
        let mut conn = world.database.write().await.unwrap();
        assert_eq!(value(&mut conn, Lock::None).await, 0);
        send(&mut conn, &format!("prepared {at}"), at as i64).await.unwrap();
        warm.push(conn);
    }
    for mut conn in warm {
        lock(&mut conn).await.unwrap();
        send_more(&mut conn, 0).await.unwrap();
        conn.ping().await.unwrap();
    }
    Some(world)
}

/// Sends a new counter.
async fn send(conn: &mut Conn, id: &str, new: i64) -> StoreResult<()> {
    let row = (counters::id.eq(id), counters::value.eq(new), counters::label.eq("new"));
    conn.send(insert_into(counters::table).values(row)).await
}

/// Sends a change of the counter `a`.
async fn send_more(conn: &mut Conn, by: i64) -> StoreResult<()> {
    let row = counters::table.filter(counters::id.eq("a"));
    conn.send(prepared(diesel::update(row).set(counters::value.eq(counters::value + by)))).await
}

async fn lock(conn: &mut Conn) -> StoreResult<()> {
    conn.lock(locked(counters::table.filter(counters::id.eq("a")).select(counters::value), Lock::Rows)).await
}

#[rstest]
#[tokio::test]
async fn an_error_of_a_sent_command_undoes_the_unit_of_work(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[values(false, true)] reads: bool,
) {
    let Some(world) = prepared_world(backend, 1).await else { return };
    let mut conn = world.database.write().await.unwrap();
    assert_eq!(value(&mut conn, Lock::None).await, 0);
    send_more(&mut conn, 1).await.unwrap();
    send(&mut conn, "b", 7).await.unwrap();
    // The label and the value are unique.
    let sent = send(&mut conn, "c", 7).await;
    assert_eq!(sent.is_err(), matches!(backend, Backend::Sqlite), "PostgreSQL has not answered yet: {sent:?}");
    let next = send_more(&mut conn, 1).await;
    let read = if reads { conn.ping().await } else { Ok(()) };
    let first = [sent, next, read, conn.commit().await].into_iter().find_map(Result::err);
    assert!(matches!(&first, Some(StoreError::Conflict(rule)) if rule == "counters.label,value"), "{first:?}");
    assert_eq!(committed(&world.database).await, 0);
    let ids: Vec<String> =
        world.database.read().await.unwrap().all(counters::table.select(counters::id)).await.unwrap();
    assert_eq!(ids, ["a"]);
}

#[rstest]
#[tokio::test]
async fn sent_commands_are_applied_in_their_order(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = prepared_world(backend, 1).await else { return };
    let mut conn = world.database.write().await.unwrap();
    assert_eq!(value(&mut conn, Lock::None).await, 0);
    // More than are sent at once.
    for at in 0..300 {
        send(&mut conn, &format!("{at}"), at).await.unwrap();
        send_more(&mut conn, 1).await.unwrap();
        if at % 97 == 0 {
            assert_eq!(value(&mut conn, Lock::None).await, at + 1);
        }
    }
    conn.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 300);
    let mut conn = world.database.read().await.unwrap();
    assert_eq!(conn.one::<i64>(counters::table.count()).await.unwrap(), 301);
}

#[rstest]
#[case::a_prepared_one(true)]
#[case::one_that_does_not_stay_prepared(false)]
#[tokio::test]
async fn a_sent_command_waits_for_a_lock_in_the_commit(#[case] is_prepared: bool) {
    let Some(world) = prepared_world(Backend::Postgres, 2).await else { return };
    let mut first = world.database.write().await.unwrap();
    let mut second = world.database.write().await.unwrap();
    assert_eq!(value(&mut first, Lock::Rows).await, 0);
    assert_eq!(value(&mut second, Lock::None).await, 0);
    if is_prepared {
        send_more(&mut second, 2).await.unwrap();
    } else {
        let row = counters::table.filter(counters::id.eq("a"));
        second.send(diesel::update(row).set(counters::value.eq(counters::value + 2))).await.unwrap();
    }
    let mut commit = Box::pin(second.commit());
    timeout(SHORT / 10, &mut commit).await.expect_err("the row is locked");
    send_more(&mut first, 1).await.unwrap();
    first.commit().await.unwrap();
    timeout(HANG, commit).await.unwrap().unwrap();
    assert_eq!(committed(&world.database).await, 3);
}

#[tokio::test]
async fn a_unit_of_work_that_is_dropped_while_it_waits_for_a_lock_leaves_nothing() {
    let Some(world) = prepared_world(Backend::Postgres, 2).await else { return };
    let mut first = world.database.write().await.unwrap();
    assert_eq!(value(&mut first, Lock::Rows).await, 0);
    let mut second = world.database.write().await.unwrap();
    assert_eq!(value(&mut second, Lock::None).await, 0);
    send(&mut second, "b", 1).await.unwrap();
    lock(&mut second).await.unwrap();
    send_more(&mut second, 2).await.unwrap();
    drop(second);
    send_more(&mut first, 1).await.unwrap();
    first.commit().await.unwrap();
    let mut last = world.database.write().await.unwrap();
    assert_eq!(timeout(HANG, value(&mut last, Lock::Rows)).await.expect("nobody holds the row"), 1);
    assert_eq!(last.one::<i64>(counters::table.count()).await.unwrap(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_that_send_locks_and_changes_lose_no_update(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = prepared_world(backend, 4).await else { return };
    let writers: Vec<_> = (0..40)
        .map(|_| {
            let database = world.database.clone();
            tokio::spawn(async move {
                let mut conn = database.write().await.unwrap();
                conn.ping().await.unwrap();
                lock(&mut conn).await.unwrap();
                let seen = value(&mut conn, Lock::None).await;
                let row = counters::table.filter(counters::id.eq("a"));
                conn.send(prepared(diesel::update(row).set(counters::value.eq(seen + 1)))).await.unwrap();
                conn.commit().await.unwrap();
            })
        })
        .collect();
    for writer in writers {
        timeout(HANG, writer).await.unwrap().unwrap();
    }
    assert_eq!(committed(&world.database).await, 40);
}

/// The driver keeps few parts of a result that nobody takes, and delivers no later results before that one is taken.
#[tokio::test]
async fn statements_after_locks_of_many_rows_do_not_hang() {
    let Some(world) = prepared_world(Backend::Postgres, 1).await else { return };
    let mut conn = world.database.write().await.unwrap();
    let many = "INSERT INTO counters SELECT 'row ' || i, i, 'many', NULL FROM generate_series(1, 5000) AS i";
    conn.run(diesel::sql_query(many)).await.unwrap();
    let all = || locked(counters::table.order(counters::id.asc()).select(counters::id), Lock::Rows);
    // The first one is prepared, so it is waited for.
    for _ in 0..3 {
        conn.lock(all()).await.unwrap();
    }
    assert_eq!(timeout(HANG, value(&mut conn, Lock::None)).await.expect("the locks are taken"), 0);
    conn.lock(all()).await.unwrap();
    timeout(HANG, conn.commit()).await.expect("the lock is taken").unwrap();
    let mut conn = world.database.read().await.unwrap();
    assert_eq!(conn.one::<i64>(counters::table.count()).await.unwrap(), 5001);
}

#[tokio::test]
async fn a_unit_of_work_whose_statement_was_dropped_is_not_committed() {
    let Some(world) = prepared_world(Backend::Postgres, 2).await else { return };
    let mut first = world.database.write().await.unwrap();
    assert_eq!(value(&mut first, Lock::Rows).await, 0);
    let mut second = world.database.write().await.unwrap();
    send(&mut second, "b", 1).await.unwrap();
    lock(&mut second).await.unwrap();
    timeout(SHORT / 10, second.ping()).await.expect_err("the row is locked");
    let refused = second.commit().await;
    assert!(matches!(refused, Err(StoreError::Internal(_))), "{refused:?}");
    assert_eq!(first.one::<i64>(counters::table.count()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_commit_is_refused_if_the_server_ends_during_a_sent_command() {
    let Some(world) = prepared_world(Backend::Postgres, 2).await else { return };
    let mut first = world.database.write().await.unwrap();
    assert_eq!(value(&mut first, Lock::Rows).await, 0);
    let mut second = world.database.write().await.unwrap();
    assert_eq!(value(&mut second, Lock::None).await, 0);
    send_more(&mut second, 2).await.unwrap();
    let mut commit = Box::pin(second.commit());
    timeout(SHORT / 10, &mut commit).await.expect_err("the row is locked");
    let waiting = "datname = current_database() AND wait_event_type = 'Lock'";
    let end = format!(
        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE {waiting}) LOOP PERFORM pg_sleep(0.01); \
         PERFORM pg_stat_clear_snapshot(); END LOOP; \
         PERFORM pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {waiting}; END $$"
    );
    timeout(HANG, world.place.run(&end)).await.expect("the command waits");
    let refused = timeout(HANG, commit).await.unwrap();
    // The outcome is known: `COMMIT` comes after the command.
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    first.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 0);
}

#[tokio::test]
async fn a_connection_to_a_standby_that_refuses_a_sent_command_is_not_used_again() {
    let Some(world) = prepared_world(Backend::Postgres, 1).await else { return };
    let process = async |conn: &mut Conn| -> i32 {
        let pid = diesel::dsl::sql::<diesel::sql_types::Integer>("pg_backend_pid()");
        conn.one(diesel::select(pid)).await.unwrap()
    };
    let mut conn = world.database.write().await.unwrap();
    let before = process(&mut conn).await;
    conn.run(diesel::sql_query("SET TRANSACTION READ ONLY")).await.unwrap();
    send_more(&mut conn, 1).await.unwrap();
    let refused = conn.commit().await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    let mut conn = world.database.write().await.unwrap();
    assert_ne!(process(&mut conn).await, before);
}

#[rstest]
#[tokio::test]
async fn a_reading_unit_of_work_cannot_send_a_command(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = prepared_world(backend, 1).await else { return };
    let mut conn = world.database.read().await.unwrap();
    assert_eq!(value(&mut conn, Lock::None).await, 0);
    let refused = send_more(&mut conn, 1).await;
    assert!(matches!(refused, Err(StoreError::Internal(_))), "{refused:?}");
}
