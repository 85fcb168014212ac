//! Detects commits.

use super::open;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;
use diesel::sqlite::Sqlite;
use diesel::{QueryResult, RunQueryDsl, SqliteConnection};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// A connection that only detects commits. SQLite counts, for each connection, the commits of all others, in this
/// process and in any other. Reading the count takes a few microseconds and no page access.
pub(crate) struct Watch {
    path: PathBuf,
    conn: OnceLock<Option<Mutex<SqliteConnection>>>,
}

/// The query for the count. A separate type, because statements of `sql_query` are prepared again each time.
#[derive(QueryId)]
struct DataVersion;

impl QueryFragment<Sqlite> for DataVersion {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("PRAGMA data_version");
        Ok(())
    }
}

impl Query for DataVersion {
    type SqlType = BigInt;
}

impl RunQueryDsl<SqliteConnection> for DataVersion {}

impl Watch {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, conn: OnceLock::new() }
    }

    /// A number that changes with every commit; `None` if it is not available.
    pub(crate) fn stamp(&self) -> Option<u64> {
        let conn = self.conn.get_or_init(|| open(&self.path).ok().map(Mutex::new)).as_ref()?;
        let mut conn = conn.lock().ok()?;
        u64::try_from(DataVersion.get_result::<i64>(&mut *conn).ok()?).ok()
    }
}
