//! The reading connections.

use super::open;
use crate::error::{store_error, unavailable};
use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, QueueMode, RecycleResult, Timeouts};
use diesel::connection::{SimpleConnection, TransactionManager};
use diesel::{Connection, ConnectionError, SqliteConnection};
use domain::ports::StoreResult;
use std::path::PathBuf;
use std::time::Duration;

type SqliteTransactions = <SqliteConnection as Connection>::TransactionManager;

/// Opens reading connections.
#[derive(Debug)]
pub(crate) struct ConnectionManager {
    path: PathBuf,
    cache_kib: u32,
}

impl Manager for ConnectionManager {
    type Type = SqliteConnection;
    type Error = ConnectionError;

    async fn create(&self) -> Result<SqliteConnection, ConnectionError> {
        let (path, cache_kib) = (self.path.clone(), self.cache_kib);
        let opening = tokio::task::spawn_blocking(move || {
            let mut conn = open(&path)?;
            let own = format!("PRAGMA query_only=ON; PRAGMA cache_size=-{cache_kib}");
            conn.batch_execute(&own).map_err(ConnectionError::CouldntSetupConfiguration)?;
            Ok(conn)
        });
        opening.await.map_err(|error| ConnectionError::BadConnection(error.to_string()))?
    }

    async fn recycle(&self, _: &mut SqliteConnection, _: &Metrics) -> RecycleResult<ConnectionError> {
        Ok(())
    }
}

/// A pool of connections that cannot write.
#[derive(Clone)]
pub(crate) struct Readers(Pool<ConnectionManager>);

impl Readers {
    /// Creates a pool of at most `size` connections with `cache_kib` KiB of page cache each; the longest wait for a
    /// connection is `wait`.
    pub(crate) fn new(path: PathBuf, cache_kib: u32, size: usize, wait: Duration) -> anyhow::Result<Self> {
        let timeouts = Timeouts { wait: Some(wait), create: Some(wait), recycle: None };
        let pool = Pool::builder(ConnectionManager { path, cache_kib })
            .max_size(size)
            .timeouts(timeouts)
            // The first statement after a commit clears the page cache of its connection, so use few of them.
            .queue_mode(QueueMode::Lifo)
            .runtime(Runtime::Tokio1)
            .build()?;
        Ok(Self(pool))
    }

    /// A connection on which each statement reads the newest state.
    pub(crate) async fn query(&self) -> StoreResult<ReadLease> {
        Ok(ReadLease { object: Some(self.0.get().await.map_err(unavailable)?), snapshot: false })
    }

    /// Starts a snapshot: everything read through the lease is as of its first statement.
    pub(crate) async fn begin(&self) -> StoreResult<ReadLease> {
        let mut lease = self.query().await?;
        lease.snapshot = true;
        SqliteTransactions::begin_transaction(lease.conn()).map_err(store_error)?;
        Ok(lease)
    }
}

/// A reading connection. Its snapshot, if it has one, ends when the lease is dropped.
pub(crate) struct ReadLease {
    object: Option<Object<ConnectionManager>>,
    snapshot: bool,
}

impl ReadLease {
    pub(crate) fn conn(&mut self) -> &mut SqliteConnection {
        self.object.as_deref_mut().expect("taken by drop only")
    }
}

impl Drop for ReadLease {
    fn drop(&mut self) {
        // A connection that cannot end its snapshot would block checkpoints of the log: close it.
        if let Some(mut object) = self.object.take()
            && self.snapshot
            && SqliteTransactions::rollback_transaction(&mut *object).is_err()
        {
            drop(Object::take(object));
        }
    }
}
