//! The one connection that writes, with group commit.
//!
//! SQLite has one writer at a time. Writers queue for it here, in order and without polling, instead of fighting for
//! the lock of the file. The disk flush of a commit costs far more than the statements before it; so when others wait,
//! a finished unit of work does not flush by itself: it becomes a released savepoint of an open outer transaction, the
//! next one works on top of it, and one flush makes all of them durable. A commit answers only after that flush. When
//! it fails, every unit of work of the group fails, and none of them has been acknowledged.
//!
//! Hence no unique rule or reference may be checked as late as the outer commit (`DEFERRABLE`): one of the group would
//! take the others with it.

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

/// No more units of work than these share one flush, those that were given up counted: the first of them waits for the
/// last.
const LARGEST_GROUP: usize = 64;

type Transactions = AnsiTransactionManager;

/// How often it is looked whether another process has left the lock of the file. SQLite's own wait looks less and less
/// often, up to ten times a second, and would miss a gap between two short units of work of the other one.
const LOOK: Duration = Duration::from_millis(2);

/// Tells one waiting commit how the flush of its group went.
type Verdict = oneshot::Sender<Result<(), Failed>>;

/// Why a group is not durable.
#[derive(Clone, Debug)]
enum Failed {
    /// There was no room for it: nothing of it is kept.
    Full(String),
    /// The disk failed while it was written: whoever opens the file next may find it, or not.
    Unknown(String),
    /// It was never written.
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
    rest: Duration,
    runtime: Handle,
    turn: Arc<Semaphore>,
    /// How many wait for the turn; decides whether a finished unit of work leaves the flush to the next one.
    queued: AtomicUsize,
    seat: Mutex<Seat>,
}

/// The connection while nobody has the turn.
#[derive(Default)]
struct Seat {
    conn: Option<SqliteConnection>,
    /// Finished, not yet durable. Not empty means that the outer transaction is open.
    group: Vec<Verdict>,
    /// How many had a turn since the last flush.
    turns: usize,
    /// When the lock of the file was last let go.
    left: Option<Instant>,
}

impl Writer {
    /// Prepares the queue; nobody waits longer than `wait` for a turn, and other processes get the file for `rest` in
    /// between.
    pub(crate) fn new(path: PathBuf, cache_kib: u32, wait: Duration, rest: Duration) -> Arc<Self> {
        let seat = Mutex::default();
        let runtime = Handle::current();
        Arc::new(Self {
            path,
            cache_kib,
            wait,
            rest,
            runtime,
            turn: Arc::new(Semaphore::new(1)),
            queued: AtomicUsize::new(0),
            seat,
        })
    }

    fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn and begins a writing unit of work.
    pub(crate) async fn begin(self: &Arc<Self>) -> StoreResult<WriteLease> {
        let place = Place::take(self);
        let permit = tokio::time::timeout(self.wait, Arc::clone(&self.turn).acquire_owned())
            .await
            .map_err(|_elapsed| unavailable("waited too long for the writer"))?
            .map_err(unavailable)?;
        let mut lease = WriteLease::new(self, permit);
        drop(place);
        lease.begin().await?;
        Ok(lease)
    }

    /// Flushes what nobody else will: everyone who queued gave up.
    fn flush_if_idle(self: &Arc<Self>) {
        if let Ok(permit) = Arc::clone(&self.turn).try_acquire_owned() {
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
        // Whoever gave way last counted on this place. Without the turn in hand, look after the group they left.
        if self.0.queued.fetch_sub(1, SeqCst) == 1 {
            self.0.flush_if_idle();
        }
    }
}

/// The turn to write.
pub(crate) struct WriteLease {
    writer: Arc<Writer>,
    permit: Option<OwnedSemaphorePermit>,
    conn: Option<SqliteConnection>,
    group: Vec<Verdict>,
    turns: usize,
    left: Option<Instant>,
    /// The transaction that a flush ends.
    outer: bool,
    /// The savepoint that holds this unit of work.
    inner: bool,
    /// On its way to the flush; when that never starts, the process is ending.
    flushing: bool,
}

impl WriteLease {
    fn new(writer: &Arc<Writer>, permit: OwnedSemaphorePermit) -> Self {
        let Seat { conn, group, turns, left } = std::mem::take(&mut *writer.seat());
        let (writer, permit, outer) = (Arc::clone(writer), Some(permit), !group.is_empty());
        Self { writer, permit, conn, group, turns: turns + 1, left, outer, inner: false, flushing: false }
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

    /// Takes SQLite's write lock. Another process (a backup, the command line) may hold it. A deferred transaction would
    /// fail at its first write instead of waiting.
    async fn begin_outer(&mut self) -> StoreResult<()> {
        if let Some(left) = self.left {
            tokio::time::sleep(self.writer.rest.saturating_sub(left.elapsed())).await;
        }
        let begun = Instant::now();
        loop {
            match begin_immediate(self.conn()?) {
                Err(error) if is_locked(&error) && begun.elapsed() < self.writer.wait => tokio::time::sleep(LOOK).await,
                other => return other.map_err(store_error),
            }
        }
    }

    /// Finishes this unit of work and waits until it is durable.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        Transactions::commit_transaction(self.conn()?).map_err(store_error)?;
        self.inner = false;
        let (verdict, durable) = oneshot::channel();
        self.group.push(verdict);
        drop(self);
        match durable.await {
            Ok(flushed) => flushed.map_err(Failed::into_store_error),
            Err(_ended) => Err(StoreError::Unknown("the process ends".into())),
        }
    }

    /// Ends the turn: gives way to the next in the queue, or flushes the group.
    fn settle(mut self) {
        if self.conn.is_none() || self.group.is_empty() {
            return self.leave();
        }
        if self.writer.queued.load(SeqCst) > 0 && self.turns < LARGEST_GROUP {
            return self.give_way();
        }
        // On the runtime of the process, not of the caller: the flush runs out whoever stops waiting for it.
        let runtime = self.writer.runtime.clone();
        self.flushing = true;
        drop(runtime.spawn_blocking(move || self.flush()));
    }

    fn flush(mut self) {
        let Some(conn) = self.conn.as_mut() else { return self.leave() };
        let result = Transactions::commit_transaction(conn).map_err(Failed::of);
        if result.is_err() {
            self.conn = None;
        }
        self.outer = false;
        for verdict in self.group.drain(..) {
            // Nobody waits any more: a client that hung up.
            let _: Result<(), _> = verdict.send(result.clone());
        }
        self.leave();
    }

    fn give_way(&mut self) {
        let group = std::mem::take(&mut self.group);
        *self.writer.seat() = Seat { conn: self.conn.take(), group, turns: self.turns, left: self.left };
        self.permit = None;
        if self.writer.queued.load(SeqCst) == 0 {
            self.writer.flush_if_idle();
        }
    }

    /// Ends the turn with nothing left to make durable. An outer transaction that is still open has no survivor in it.
    fn leave(&mut self) {
        for verdict in self.group.drain(..) {
            let _: Result<(), _> = verdict.send(Err(Failed::Lost("the connection broke before the flush")));
        }
        if let Some(conn) = self.conn.as_mut()
            && self.outer
            && Transactions::rollback_transaction(conn).is_err()
        {
            self.conn = None;
        }
        let left = Some(Instant::now());
        *self.writer.seat() = Seat { conn: self.conn.take(), left, ..Seat::default() };
        self.permit = None;
    }
}

impl Drop for WriteLease {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        if self.flushing {
            return;
        }
        let mut rest = Self {
            writer: Arc::clone(&self.writer),
            permit: Some(permit),
            conn: self.conn.take(),
            group: std::mem::take(&mut self.group),
            turns: self.turns,
            left: self.left,
            outer: self.outer,
            inner: false,
            flushing: false,
        };
        if let Some(conn) = rest.conn.as_mut()
            && self.inner
            && Transactions::rollback_transaction(conn).is_err()
        {
            rest.conn = None;
        }
        rest.settle();
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
