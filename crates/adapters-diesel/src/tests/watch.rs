use super::*;
use rstest::rstest;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::time::timeout;

/// The next stamp. Retries, because a busy server may not return one in time.
async fn stamp(database: &Database) -> u64 {
    let given = async {
        loop {
            if let Some(stamp) = database.stamp().await {
                break stamp;
            }
        }
    };
    timeout(HANG, given).await.expect("a stamp")
}

#[rstest]
#[tokio::test]
async fn the_stamp_changes_after_every_commit(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let another = Database::open(world.place.url(), &DatabaseOptions::default()).await.unwrap();
    let mut before = stamp(&world.database).await;
    for writer in [&world.database, &another, &another, &world.database] {
        let mut conn = writer.write().await.unwrap();
        add(&mut conn, 1).await;
        conn.commit().await.unwrap();
        let after = stamp(&world.database).await;
        assert_ne!(after, before);
        before = after;
    }
}

/// All reads between equal stamps see the same database.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_stamps_see_equal_data(#[values(Backend::Sqlite, Backend::Postgres)] backend: Backend) {
    let Some(world) = world(backend).await else { return };
    let seen: Arc<Mutex<HashMap<u64, i64>>> = Arc::default();
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let database = world.database.clone();
        tasks.push(tokio::spawn(async move {
            for _ in 0..20 {
                let before = stamp(&database).await;
                let mut conn = database.write().await.unwrap();
                add(&mut conn, 1).await;
                conn.commit().await.unwrap();
                assert_ne!(stamp(&database).await, before, "what was acknowledged is told of");
            }
        }));
    }
    for _ in 0..4 {
        let (database, seen) = (world.database.clone(), Arc::clone(&seen));
        tasks.push(tokio::spawn(async move {
            for _ in 0..100 {
                let before = stamp(&database).await;
                let value = committed(&database).await;
                if stamp(&database).await == before {
                    assert_eq!(*seen.lock().unwrap().entry(before).or_insert(value), value);
                }
            }
        }));
    }
    for task in tasks {
        timeout(HANG, task).await.expect("no hang").unwrap();
    }
    assert_eq!(committed(&world.database).await, 80);
}

#[tokio::test]
async fn a_watch_recovers_from_a_lost_connection() {
    let Some(world) = world(Backend::Postgres).await else { return };
    let before = stamp(&world.database).await;
    let mut conn = world.database.write().await.unwrap();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
               AND pid <> pg_backend_pid()";
    conn.run(diesel::sql_query(cut)).await.unwrap();
    drop(conn);
    assert_ne!(stamp(&world.database).await, before, "it may be another server");
}

/// A standby shows commits after they are acknowledged. Here, the server only says that it is one.
#[tokio::test]
async fn a_standby_has_no_stamp() {
    let Some(world) = world(Backend::Postgres).await else { return };
    world.place.run("CREATE FUNCTION pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'").await;
    let url = format!("{}?options=-csearch_path%3Dpublic,pg_catalog", world.place.url());
    let standby = Database::open(&url, &DatabaseOptions::default()).await.unwrap();
    assert!(standby.stamp().await.is_none());
    stamp(&world.database).await;
}
