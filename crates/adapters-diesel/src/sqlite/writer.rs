//! The one writing connection, with group commit.
//!
//! SQLite has one writer at a time. Writers queue for it here, in order and without polling, instead of competing for
//! the lock of the file. The disk flush of a commit costs far more than the statements before it. So if others wait, a
//! finished unit of work does not flush: it becomes a released savepoint of an open outer transaction, the next one
//! works on top of it, and one flush makes all of them durable. A commit is acknowledged only after this flush. If the
//! flush fails, every unit of work of the group fails, and none of them was acknowledged.
//!
//! So no unique rule or reference may be checked only at the outer commit (`DEFERRABLE`): one violation would fail the
//! whole group.

use super::open;
use crate::error::{internal, is_locked, store_error, unavailable};
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::result::Error as DieselError;
use diesel::{QueryResult, SqliteConnection};
use domain::ports::{StoreError, StoreResult};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// The most units of work that share one flush, including those that were rolled back: the first of them waits for the
/// last.
const LARGEST_GROUP: usize = 64;

type Transactions = AnsiTransactionManager;

/// The interval of checks for the lock of the file while another process holds it. SQLite's own wait polls less and
/// less often, down to ten times a second, and would miss a gap between two short units of work of the other process.
const LOCK_POLL: Duration = Duration::from_millis(2);

/// Sends the result of the group's flush to a waiting commit.
type Acknowledgement = oneshot::Sender<Result<(), Failed>>;

/// Why a group is not durable.
#[derive(Clone, Debug)]
enum Failed {
    /// The disk is full: the group is rolled back.
    Full(String),
    /// The disk failed during the write: the group may or may not exist when the file is opened again.
    Unknown(String),
    /// The group was never written.
    Lost(&'static str),
}

impl Failed {
    fn of(error: DieselError) -> Self {
        match store_error(error) {
            StoreError::Full(source) => Self::Full(source.to_string()),
            StoreError::Conflict(reason) => Self::Unknown(reason),
            StoreError::Unavailable(source)
            | StoreError::Contended(source)
            | StoreError::Unknown(source)
            | StoreError::Internal(source) => Self::Unknown(source.to_string()),
        }
    }

    fn into_store_error(self) -> StoreError {
        match self {
            Self::Full(reason) => StoreError::Full(reason.into()),
            Self::Unknown(reason) => StoreError::Unknown(reason.into()),
            Self::Lost(reason) => unavailable(reason),
        }
    }
}

/// The queue for the writing connection.
pub(crate) struct Writer {
    path: PathBuf,
    cache_kib: u32,
    wait: Duration,
    pause: Duration,
    runtime: Handle,
    permit: Arc<Semaphore>,
    /// The number of waiting units of work; if it is not zero, a finished unit of work leaves the flush to the next
    /// one.
    queued: AtomicUsize,
    idle: Mutex<Idle>,
}

/// The connection while no unit of work uses it.
#[derive(Default)]
struct Idle {
    conn: Option<SqliteConnection>,
    /// Finished units of work that are not yet durable. If there are any, the outer transaction is open.
    group: Vec<Acknowledgement>,
    /// The number of units of work since the last flush.
    units: usize,
    /// When the lock of the file was last released.
    released_at: Option<Instant>,
}

impl Writer {
    /// Creates the queue. The longest wait of a unit of work is `wait`; after each transaction, other processes can
    /// lock the file for `pause`.
    pub(crate) fn new(path: PathBuf, cache_kib: u32, wait: Duration, pause: Duration) -> Arc<Self> {
        let idle = Mutex::default();
        let runtime = Handle::current();
        Arc::new(Self {
            path,
            cache_kib,
            wait,
            pause,
            runtime,
            permit: Arc::new(Semaphore::new(1)),
            queued: AtomicUsize::new(0),
            idle,
        })
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits in the queue and starts a writing unit of work.
    pub(crate) async fn begin(self: &Arc<Self>) -> StoreResult<WriteLease> {
        let place = Place::take(self);
        let permit = tokio::time::timeout(self.wait, Arc::clone(&self.permit).acquire_owned())
            .await
            .map_err(|_elapsed| unavailable("waited too long for the writer"))?
            .map_err(unavailable)?;
        let mut lease = WriteLease::new(self, permit);
        drop(place);
        lease.begin().await?;
        Ok(lease)
    }

    /// Flushes a group that no unit of work will flush, because all waiting ones were dropped.
    fn flush_if_idle(self: &Arc<Self>) {
        if let Ok(permit) = Arc::clone(&self.permit).try_acquire_owned() {
            drop(WriteLease::new(self, permit));
        }
    }
}

/// A place in the queue.
struct Place<'w>(&'w Arc<Writer>);

impl<'w> Place<'w> {
    fn take(writer: &'w Arc<Writer>) -> Self {
        writer.queued.fetch_add(1, SeqCst);
        Self(writer)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // The last finished unit of work left its flush to this one. It ends without writing, so check for a group to
        // flush.
        if self.0.queued.fetch_sub(1, SeqCst) == 1 {
            self.0.flush_if_idle();
        }
    }
}

/// The exclusive right to write.
pub(crate) struct WriteLease {
    writer: Arc<Writer>,
    permit: Option<OwnedSemaphorePermit>,
    conn: Option<SqliteConnection>,
    group: Vec<Acknowledgement>,
    units: usize,
    released_at: Option<Instant>,
    /// Whether the outer transaction is open; a flush ends it.
    outer: bool,
    /// Whether the savepoint of this unit of work is open.
    inner: bool,
    /// Whether this is moving to the flush. If the flush never starts, the process is ending.
    flushing: bool,
}

impl WriteLease {
    fn new(writer: &Arc<Writer>, permit: OwnedSemaphorePermit) -> Self {
        let Idle { conn, group, units, released_at } = std::mem::take(&mut *writer.idle());
        let (writer, permit, outer) = (Arc::clone(writer), Some(permit), !group.is_empty());
        Self { writer, permit, conn, group, units: units + 1, released_at, outer, inner: false, flushing: false }
    }

    pub(crate) fn conn(&mut self) -> StoreResult<&mut SqliteConnection> {
        self.conn.as_mut().ok_or_else(|| internal("the writing connection is closed"))
    }

    async fn begin(&mut self) -> StoreResult<()> {
        if self.conn.is_none() {
            let (path, cache_kib) = (self.writer.path.clone(), self.writer.cache_kib);
            let opened =
                tokio::task::spawn_blocking(move || open_writer(&path, cache_kib)).await.map_err(unavailable)?;
            self.conn = Some(opened?);
        }
        if !self.outer {
            self.begin_outer().await?;
            self.outer = true;
        }
        let conn = self.conn()?;
        if let Err(error) = Transactions::begin_transaction(conn) {
            self.conn = None;
            return Err(store_error(error));
        }
        self.inner = true;
        Ok(())
    }

    /// Takes SQLite's write lock. Another process (a backup, the command line) can hold it. A deferred transaction
    /// would fail at its first write instead of waiting.
    async fn begin_outer(&mut self) -> StoreResult<()> {
        if let Some(released_at) = self.released_at {
            tokio::time::sleep(self.writer.pause.saturating_sub(released_at.elapsed())).await;
        }
        let begun = Instant::now();
        loop {
            match begin_immediate(self.conn()?) {
                Err(error) if is_locked(&error) && begun.elapsed() < self.writer.wait => {
                    tokio::time::sleep(LOCK_POLL).await
                }
                other => return other.map_err(store_error),
            }
        }
    }

    /// Commits this unit of work and waits until it is durable.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        Transactions::commit_transaction(self.conn()?).map_err(store_error)?;
        self.inner = false;
        let (sender, durable) = oneshot::channel();
        self.group.push(sender);
        drop(self);
        match durable.await {
            Ok(flushed) => flushed.map_err(Failed::into_store_error),
            Err(_ended) => Err(StoreError::Unknown("the process ends".into())),
        }
    }

    /// Ends this unit of work: passes the connection to the next one in the queue, or flushes the group.
    fn end(mut self) {
        if self.conn.is_none() || self.group.is_empty() {
            return self.return_connection();
        }
        if self.writer.queued.load(SeqCst) > 0 && self.units < LARGEST_GROUP {
            return self.pass_on();
        }
        // On the runtime of the process, not of the caller: the flush completes even if its callers were dropped.
        let runtime = self.writer.runtime.clone();
        self.flushing = true;
        drop(runtime.spawn_blocking(move || self.flush()));
    }

    fn flush(mut self) {
        let Some(conn) = self.conn.as_mut() else { return self.return_connection() };
        let result = Transactions::commit_transaction(conn).map_err(Failed::of);
        if result.is_err() {
            self.conn = None;
        }
        self.outer = false;
        for sender in self.group.drain(..) {
            // The caller was dropped, for example because its client disconnected.
            let _: Result<(), _> = sender.send(result.clone());
        }
        self.return_connection();
    }

    /// Passes the connection and the group to the next unit of work in the queue.
    fn pass_on(&mut self) {
        let group = std::mem::take(&mut self.group);
        *self.writer.idle() = Idle { conn: self.conn.take(), group, units: self.units, released_at: self.released_at };
        self.permit = None;
        if self.writer.queued.load(SeqCst) == 0 {
            self.writer.flush_if_idle();
        }
    }

    /// Returns the connection with nothing left to flush. An outer transaction that is still open holds no committed
    /// unit of work.
    fn return_connection(&mut self) {
        for sender in self.group.drain(..) {
            let _: Result<(), _> = sender.send(Err(Failed::Lost("the connection failed before the flush")));
        }
        if let Some(conn) = self.conn.as_mut()
            && self.outer
            && Transactions::rollback_transaction(conn).is_err()
        {
            self.conn = None;
        }
        let released_at = Some(Instant::now());
        *self.writer.idle() = Idle { conn: self.conn.take(), released_at, ..Idle::default() };
        self.permit = None;
    }
}

impl Drop for WriteLease {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        if self.flushing {
            return;
        }
        let mut lease = Self {
            writer: Arc::clone(&self.writer),
            permit: Some(permit),
            conn: self.conn.take(),
            group: std::mem::take(&mut self.group),
            units: self.units,
            released_at: self.released_at,
            outer: self.outer,
            inner: false,
            flushing: false,
        };
        if let Some(conn) = lease.conn.as_mut()
            && self.inner
            && Transactions::rollback_transaction(conn).is_err()
        {
            lease.conn = None;
        }
        lease.end();
    }
}

fn open_writer(path: &std::path::Path, cache_kib: u32) -> StoreResult<SqliteConnection> {
    let mut conn = open(path).map_err(unavailable)?;
    let own = format!("PRAGMA busy_timeout=0; PRAGMA cache_size=-{cache_kib}");
    conn.batch_execute(&own).map_err(store_error)?;
    Ok(conn)
}

fn begin_immediate(conn: &mut SqliteConnection) -> QueryResult<()> {
    Transactions::begin_transaction_sql(conn, "BEGIN IMMEDIATE")
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::result::DatabaseErrorKind;

    #[test]
    fn a_flush_that_failed_is_of_unknown_outcome_unless_the_disk_is_full() {
        let failed = |message: &str| {
            let told = Box::new(message.to_owned());
            Failed::of(DieselError::DatabaseError(DatabaseErrorKind::Unknown, told)).into_store_error()
        };
        assert!(matches!(failed("database or disk is full"), StoreError::Full(_)));
        for message in ["disk I/O error", "database is locked", "something else"] {
            assert!(matches!(failed(message), StoreError::Unknown(_)), "{message}");
        }
    }
}
