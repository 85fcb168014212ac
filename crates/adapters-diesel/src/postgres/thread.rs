//! The connection of a thread, for short queries that need no transaction.
//!
//! The runtime of the thread drives it. A query on a connection of the pool is sent and received by another thread, and
//! passing it there and back takes longer than the query.

use domain::content::object::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio_postgres::{Client, Error, Statement};

/// The start time distinguishes the server from another one after a failover. A standby shows a commit after it is
/// acknowledged.
const SNAPSHOT_QUERY: &str = "SELECT pg_postmaster_start_time(), pg_current_snapshot()::text, pg_is_in_recovery()";

/// The rows of some objects. Those that take long to receive are left out, because other requests of the thread wait
/// for the same connection.
const OBJECTS_QUERY: &str = "SELECT hash, data FROM objects WHERE hash = ANY($1) AND octet_length(data) <= 65536";

/// The name and the stored bytes of an object.
pub(crate) type StoredRow = (Vec<u8>, Vec<u8>);

/// A connection with its prepared statements.
pub(super) struct ThreadConnection {
    client: Client,
    snapshot: Statement,
    objects: Statement,
}

/// The transactions that have ended on a server.
pub(super) struct Snapshot {
    /// When the server started.
    pub(super) started: SystemTime,
    /// Its snapshot.
    pub(super) snapshot: String,
    pub(super) is_standby: bool,
}

impl ThreadConnection {
    /// Prepares the statements on a connection whose driver is running.
    pub(super) async fn new(client: Client) -> Result<Self, Error> {
        let snapshot = client.prepare(SNAPSHOT_QUERY).await?;
        let objects = client.prepare(OBJECTS_QUERY).await?;
        Ok(Self { client, snapshot, objects })
    }

    /// Whether the connection is closed.
    fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The current snapshot of the server.
    pub(super) async fn snapshot(&self) -> Result<Snapshot, Error> {
        let row = self.client.query_one(&self.snapshot, &[]).await?;
        Ok(Snapshot { started: row.try_get(0)?, snapshot: row.try_get(1)?, is_standby: row.try_get(2)? })
    }

    /// The rows of these objects, in any order. Objects that are not stored, or larger than 64 KiB there, are left out.
    pub(super) async fn objects(&self, hashes: &[Hash]) -> Result<Vec<StoredRow>, Error> {
        let names: Vec<&[u8]> = hashes.iter().map(|hash| hash.as_bytes().as_slice()).collect();
        let rows = self.client.query(&self.objects, &[&names]).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }
}

/// The connection of a thread while it is open.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Option<Arc<ThreadConnection>>>>);

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<ThreadConnection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open connection.
    pub(super) fn get(&self) -> Option<Arc<ThreadConnection>> {
        self.lock().as_ref().filter(|connection| !connection.is_closed()).cloned()
    }

    /// Makes it the connection of the thread.
    pub(super) fn set(&self, connection: &Arc<ThreadConnection>) {
        *self.lock() = Some(Arc::clone(connection));
    }

    /// Closes the connection as soon as no query is running on it.
    pub(super) fn clear(&self) {
        *self.lock() = None;
    }
}
