use super::*;
use crate::database::Purpose;
use rstest::rstest;
use tokio::time::timeout;

#[rstest]
#[tokio::test]
async fn committed_changes_are_kept(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.write().await.unwrap();
    add(&mut conn, 3).await;
    assert_eq!(value(&mut conn, Lock::Rows).await, 3);
    assert_eq!(committed(&world.database).await, 0);
    conn.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 3);
}

#[rstest]
#[tokio::test]
async fn dropping_a_unit_of_work_undoes_it_and_frees_its_locks(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    // With a warm pool, the dropped connection is not used again soon.
    let mut warm = Vec::new();
    for _ in 0..4 {
        let mut conn = world.database.read().await.unwrap();
        conn.ping().await.unwrap();
        warm.push(conn);
    }
    drop(warm);
    for _ in 0..10 {
        let mut conn = world.database.write().await.unwrap();
        assert_eq!(value(&mut conn, Lock::Rows).await, 0);
        add(&mut conn, 5).await;
    }
    let next = async {
        let mut conn = world.database.write().await.unwrap();
        add(&mut conn, 1).await;
        conn.commit().await.unwrap();
    };
    timeout(HANG, next).await.expect("nobody holds the row");
    assert_eq!(committed(&world.database).await, 1);
}

#[rstest]
#[case::blind_updates(false)]
#[case::read_modify_write(true)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn forty_writers_at_once_lose_no_update(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] reads_first: bool,
) {
    let Some(world) = world(backend).await else { return };
    let writers: Vec<_> = (0..40)
        .map(|_| {
            let database = world.database.clone();
            tokio::spawn(async move {
                let mut conn = database.write().await.unwrap();
                if reads_first {
                    let before = value(&mut conn, Lock::Rows).await;
                    tokio::task::yield_now().await;
                    let row = counters::table.filter(counters::id.eq("a"));
                    conn.run(diesel::update(row).set(counters::value.eq(before + 1))).await.unwrap();
                } else {
                    add(&mut conn, 1).await;
                }
                conn.commit().await.unwrap();
                // An acknowledged commit is visible.
                assert!(committed(&database).await >= 1);
            })
        })
        .collect();
    for writer in writers {
        timeout(HANG, writer).await.expect("no deadlock").unwrap();
    }
    assert_eq!(committed(&world.database).await, 40);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn units_of_work_that_share_a_flush_fail_independently(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let Some(world) = world(backend).await else { return };
    let writers: Vec<_> = (0..60_i64)
        .map(|n| {
            let database = world.database.clone();
            tokio::spawn(async move {
                let mut conn = database.write().await.unwrap();
                add(&mut conn, 1).await;
                match n % 3 {
                    0 => conn.commit().await.unwrap(),
                    1 => drop(conn),
                    _ => {
                        let again = (counters::id.eq("a"), counters::value.eq(n), counters::label.eq("again"));
                        conn.run(diesel::insert_into(counters::table).values(again)).await.unwrap_err();
                        conn.commit().await.unwrap_err();
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        timeout(HANG, writer).await.expect("no deadlock").unwrap();
    }
    assert_eq!(committed(&world.database).await, 20);
}

#[rstest]
#[tokio::test]
async fn reading_sees_one_snapshot(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut reader = world.database.read().await.unwrap();
    assert_eq!(value(&mut reader, Lock::None).await, 0);
    let mut writer = world.database.write().await.unwrap();
    add(&mut writer, 1).await;
    writer.commit().await.unwrap();
    assert_eq!(value(&mut reader, Lock::None).await, 0);
    reader.commit().await.unwrap();
    assert_eq!(committed(&world.database).await, 1);
}

#[rstest]
#[tokio::test]
async fn a_shared_lock_blocks_writers_until_the_unit_of_work_ends(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    // A writer waits for the lock, and gives up.
    let options = DatabaseOptions { max_connections: 4, wait: SHORT, ..DatabaseOptions::default() };
    let Some(world) = world_with(backend, options).await else { return };
    let change = async || {
        let mut conn = world.database.write().await?;
        let row = counters::table.filter(counters::id.eq("a"));
        conn.run(diesel::update(row).set(counters::value.eq(1))).await?;
        conn.commit().await
    };
    let mut relying = world.database.write().await.unwrap();
    assert_eq!(value(&mut relying, Lock::Shared).await, 0);
    if backend == Backend::Postgres {
        let mut another = world.database.write().await.unwrap();
        assert_eq!(value(&mut another, Lock::Shared).await, 0, "others rely on it too");
    }
    let refused = change().await;
    assert!(matches!(refused, Err(domain::ports::StoreError::Unavailable(_))), "{refused:?}");
    assert_eq!(value(&mut relying, Lock::None).await, 0);
    relying.commit().await.unwrap();
    change().await.unwrap();
    assert_eq!(committed(&world.database).await, 1);
}

#[rstest]
#[tokio::test]
async fn a_reading_unit_of_work_cannot_write(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.read().await.unwrap();
    let error = conn.run(diesel::delete(counters::table)).await.unwrap_err();
    assert!(matches!(error, domain::ports::StoreError::Internal(_)), "{error:?}");
    drop(conn);
    // The connection still works.
    assert_eq!(committed(&world.database).await, 0);
}

#[rstest]
#[tokio::test]
async fn a_query_cannot_write(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let mut conn = world.database.begin(Purpose::Query).await.unwrap();
    assert_eq!(value(&mut conn, Lock::None).await, 0);
    let error = conn.run(diesel::delete(counters::table)).await.unwrap_err();
    assert!(matches!(error, domain::ports::StoreError::Internal(_)), "{error:?}");
    drop(conn);
    assert_eq!(committed(&world.database).await, 0);
}

/// HTTP workers are single-threaded runtimes, and a disconnected client drops the future at any point.
#[rstest]
#[case::short(false)]
#[case::long(true)]
#[tokio::test(flavor = "current_thread")]
async fn a_future_dropped_at_any_point_leaves_no_changes_or_locks(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
    #[case] long: bool,
) {
    let Some(world) = world(backend).await else { return };
    let mut cut = 0;
    for polls in 0..12 {
        let work = async {
            let mut conn = world.database.write().await.unwrap();
            value(&mut conn, Lock::Rows).await;
            add(&mut conn, 100).await;
            if long {
                conn.at_length().run(long_work(backend)).await.unwrap();
            }
            std::future::pending::<()>().await;
            conn.commit().await.unwrap();
        };
        let mut work = Box::pin(work);
        for _ in 0..polls {
            let step = timeout(Duration::from_millis(if long { 5 } else { 1 }), &mut work).await;
            assert!(step.is_err());
        }
        drop(work);
        cut += 1;
    }
    let next = async {
        let mut conn = world.database.write().await.unwrap();
        add(&mut conn, 1).await;
        conn.commit().await.unwrap();
    };
    timeout(HANG, next).await.expect("nobody holds the row");
    assert_eq!((committed(&world.database).await, cut), (1, 12));
}

/// A commit of a dropped caller is applied completely or not at all, and does not block others.
#[rstest]
#[tokio::test(flavor = "current_thread")]
async fn a_dropped_commit_is_atomic(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    for _ in 0..20 {
        let mut conn = world.database.write().await.unwrap();
        add(&mut conn, 10).await;
        let mut commit = Box::pin(conn.commit());
        let _: Option<_> = futures_util::FutureExt::now_or_never(&mut commit);
        drop(commit);
    }
    let mut conn = world.database.write().await.unwrap();
    add(&mut conn, 1).await;
    conn.commit().await.unwrap();
    assert_eq!(committed(&world.database).await % 10, 1);
}

/// A finished unit of work leaves its flush to the next one in the queue, which can be dropped.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_becomes_durable_if_later_ones_are_dropped() {
    let world = world(Backend::Sqlite).await.unwrap();
    for round in 1..=50 {
        let mut conn = world.database.write().await.unwrap();
        add(&mut conn, 1).await;
        let waiting: Vec<_> = (0..4)
            .map(|_| {
                let database = world.database.clone();
                tokio::spawn(async move { database.write().await.map(drop) })
            })
            .collect();
        tokio::task::yield_now().await;
        let commit = tokio::spawn(conn.commit());
        for task in &waiting {
            task.abort();
        }
        timeout(HANG, commit).await.expect("somebody flushes").unwrap().unwrap();
        assert_eq!(committed(&world.database).await, round);
    }
}

/// All later units of work can be dropped, so the queue may never become empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_becomes_durable_while_the_queue_is_never_empty() {
    let world = world(Backend::Sqlite).await.unwrap();
    let busy: Vec<_> = (0..8)
        .map(|_| {
            let database = world.database.clone();
            tokio::spawn(async move {
                loop {
                    let mut conn = database.write().await.unwrap();
                    add(&mut conn, 100).await;
                    drop(conn);
                }
            })
        })
        .collect();
    for round in 1..=20 {
        let mut conn = world.database.write().await.unwrap();
        add(&mut conn, 1).await;
        timeout(HANG, conn.commit()).await.expect("somebody flushes").unwrap();
        assert_eq!(committed(&world.database).await, round);
    }
    for task in &busy {
        task.abort();
    }
}
