//! Whether anybody has changed the database.

use super::open;
use diesel::sql_types::BigInt;
use diesel::{QueryableByName, RunQueryDsl, SqliteConnection};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// A connection that does nothing but watch. SQLite counts, for each connection, the commits of all others, in this
/// process and in any other; asking for the count costs a few microseconds and reads no page.
pub(crate) struct Watch {
    path: PathBuf,
    conn: OnceLock<Option<Mutex<SqliteConnection>>>,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = BigInt)]
    data_version: i64,
}

impl Watch {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, conn: OnceLock::new() }
    }

    /// A number that is another one after every commit. Nothing when it cannot be told.
    pub(crate) fn stamp(&self) -> Option<u64> {
        let conn = self.conn.get_or_init(|| open(&self.path).ok().map(Mutex::new)).as_ref()?;
        let mut conn = conn.lock().ok()?;
        let version = diesel::sql_query("PRAGMA data_version").get_result::<Version>(&mut *conn).ok()?;
        u64::try_from(version.data_version).ok()
    }
}
