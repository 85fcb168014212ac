//! Tests of the infrastructure on both databases.

mod access_list;
mod change_requests;
mod comments;
mod connections;
mod constraints;
mod conversations;
mod events;
mod failures;
mod former_anchors;
mod garbage;
mod jobs;
mod kept_keys;
mod known;
mod locks;
mod migrations;
mod objects;
mod organizations;
mod pipelining;
mod positions;
mod queries;
mod schema;
mod search;
mod site_addresses;
mod site_audiences;
mod site_feedback;
mod spaces;
mod transactions;
mod translations;
mod watch;
mod webhooks;

use crate::conn::Conn;
use crate::sql::{Lock, locked};
use crate::{Database, DatabaseOptions};
use diesel::{ExpressionMethods, QueryDsl};
use std::time::Duration;
use test_database::{Backend, TestDatabase};

diesel::table! {
    counters (id) {
        id -> Text,
        value -> BigInt,
        label -> Text,
        note -> Nullable<Text>,
    }
}

const TABLES: &str = "CREATE TABLE counters (id TEXT PRIMARY KEY NOT NULL, value BIGINT NOT NULL, label TEXT NOT NULL, \
     note TEXT, UNIQUE (label, value)); INSERT INTO counters VALUES ('a', 0, 'first', NULL);";

/// Longer than any step of a test; reached only if a test hangs.
const HANG: Duration = Duration::from_secs(60);
/// A wait that tests let end. A busy machine opens a connection within it.
const SHORT: Duration = Duration::from_secs(1);

struct World {
    database: Database,
    place: TestDatabase,
}

/// A database with the schema of Octavo and one counter, `a`, at 0.
async fn world(backend: Backend) -> Option<World> {
    world_with(backend, DatabaseOptions { max_connections: 4, wait: HANG, ..DatabaseOptions::default() }).await
}

async fn world_with(backend: Backend, options: DatabaseOptions) -> Option<World> {
    let place = TestDatabase::create(backend, "counters_2", async |url: &str| {
        Database::migrate(url).await.unwrap();
        let database = Database::open(url, &DatabaseOptions::default()).await.unwrap();
        for sql in TABLES.split_inclusive(';') {
            let mut conn = database.write().await.unwrap();
            conn.run(diesel::sql_query(sql)).await.unwrap();
            conn.commit().await.unwrap();
        }
    });
    let place = place.await?;
    let database = Database::open(place.url(), &options).await.unwrap();
    Some(World { database, place })
}

async fn value(conn: &mut Conn, lock: Lock) -> i64 {
    let query = counters::table.filter(counters::id.eq("a")).select(counters::value);
    conn.one(locked(query, lock)).await.unwrap()
}

async fn add(conn: &mut Conn, by: i64) {
    let row = counters::table.filter(counters::id.eq("a"));
    let touched = conn.run(diesel::update(row).set(counters::value.eq(counters::value + by))).await.unwrap();
    assert_eq!(touched, 1);
}

async fn committed(database: &Database) -> i64 {
    value(&mut database.read().await.unwrap(), Lock::None).await
}

/// A statement that keeps the database busy for a while.
fn long_work(backend: Backend) -> diesel::query_builder::SqlQuery {
    diesel::sql_query(match backend {
        Backend::Sqlite => {
            "INSERT INTO counters WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) \
             SELECT 'long', count(*), 'long', NULL FROM n"
        }
        Backend::Postgres => "INSERT INTO counters SELECT 'long', 1, pg_sleep(2)::text, NULL",
    })
}
