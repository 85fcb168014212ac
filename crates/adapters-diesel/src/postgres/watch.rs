//! Detects commits.
//!
//! PostgreSQL's *snapshot* shows which transactions have ended. A commit is in it before it is acknowledged, whichever
//! server or program made it, so two equal snapshots of one server see the same database. Only after a crash, which
//! ends every connection, can a snapshot occur again, because the server reuses the ids of transactions that were not
//! durable. So a new connection invalidates all earlier stamps.
//!
//! A query for the snapshot costs a round trip, so requests share it: requests that arrive during a query wait together
//! for the next one. Each query starts after the arrival of all requests that use its result.

use super::connect::Server;
use super::thread::{Slot, Snapshot, StoredRow, ThreadConnection};
use crate::error::unavailable;
use domain::content::object::Hash;
use domain::ports::StoreResult;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use thread_local::ThreadLocal;
use tokio::sync::{mpsc, oneshot};

/// The longest wait for an answer on the connection of a thread: reading without it is faster.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A caller waiting for a stamp.
type StampSender = oneshot::Sender<Option<u64>>;

/// Connections for stamps, and for objects of content: one for each thread, opened at the thread's first query for a
/// stamp and driven by its runtime. Passing a result from one thread to another would cost more than the query.
pub(crate) struct Watch {
    server: Server,
    newest: Arc<Newest>,
    lanes: ThreadLocal<RefCell<Option<Lane>>>,
}

/// The connection of a thread.
struct Lane {
    /// Takes queries for stamps.
    stamps: mpsc::UnboundedSender<StampSender>,
    connection: Slot,
}

impl Watch {
    /// Creates a watch of a server.
    pub(crate) fn new(server: Server) -> Self {
        Self { server, newest: Arc::default(), lanes: ThreadLocal::new() }
    }

    /// A number that changes with every commit; `None` if it is not available.
    pub(crate) async fn stamp(&self) -> Option<u64> {
        let (sender, answer) = oneshot::channel();
        self.request(sender);
        answer.await.ok()?
    }

    /// Loads the rows of objects on the connection of this thread, in any order; `None` if it has no open one, or the
    /// connection fails. Objects that are not stored, or larger than 64 KiB there, are left out.
    ///
    /// There is no transaction, so each query sees the commits before it.
    pub(crate) async fn objects(&self, hashes: &[Hash]) -> Option<Vec<StoredRow>> {
        let connection = self.connection()?;
        match tokio::time::timeout(MAX_WAIT, connection.objects(hashes)).await {
            Ok(Ok(rows)) => Some(rows),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the connection of a thread to PostgreSQL did not return objects");
                None
            }
            Err(_) => None,
        }
    }

    /// The open connection of this thread.
    fn connection(&self) -> Option<Arc<ThreadConnection>> {
        self.lanes.get()?.borrow().as_ref()?.connection.get()
    }

    fn request(&self, mut sender: StampSender) {
        let mut lane = self.lanes.get_or_default().borrow_mut();
        if let Some(open) = &*lane {
            match open.stamps.send(sender) {
                Ok(()) => return,
                // The channel belongs to an earlier thread with the same id, which ended with its runtime.
                Err(mpsc::error::SendError(back)) => sender = back,
            }
        }
        *lane = Some(self.open(sender));
    }

    fn open(&self, first: StampSender) -> Lane {
        let (stamps, requests) = mpsc::unbounded_channel();
        let connection = Slot::default();
        let thread_watch = ThreadWatch {
            server: self.server.clone(),
            connection: connection.clone(),
            newest: Arc::clone(&self.newest),
        };
        drop(tokio::spawn(thread_watch.serve(requests)));
        // The receiver lives as long as the sender.
        let _: Result<(), _> = stamps.send(first);
        Lane { stamps, connection }
    }
}

/// The newest snapshot and its number.
#[derive(Default)]
struct Newest(Mutex<Numbered>);

#[derive(Default)]
struct Numbered {
    last: Option<Seen>,
    number: u64,
    /// The number of invalidations.
    epoch: u64,
}

/// A server and its snapshot.
#[derive(PartialEq, Eq)]
struct Seen {
    started: SystemTime,
    snapshot: String,
}

impl Newest {
    fn numbered(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current epoch; read it before the query.
    fn epoch(&self) -> u64 {
        self.numbered().epoch
    }

    /// The number for the result of a query of that epoch: the last number if nothing has changed, otherwise a new one.
    /// Results out of order only use more numbers than necessary.
    fn number(&self, epoch: u64, seen: Seen) -> u64 {
        let mut newest = self.numbered();
        // A query from before the invalidation can be from before a crash, so its result is not compared.
        let seen = (epoch == newest.epoch).then_some(seen);
        if seen.is_none() || newest.last != seen {
            newest.last = seen;
            newest.number += 1;
        }
        newest.number
    }

    /// Invalidates all stamps: the next query gets a new number.
    fn invalidate(&self) {
        let mut newest = self.numbered();
        newest.last = None;
        newest.epoch += 1;
    }
}

/// Serves the queries of one thread, for as long as there are senders.
struct ThreadWatch {
    server: Server,
    connection: Slot,
    newest: Arc<Newest>,
}

impl ThreadWatch {
    async fn serve(self, mut requests: mpsc::UnboundedReceiver<StampSender>) {
        let mut waiting = Vec::new();
        while requests.recv_many(&mut waiting, usize::MAX).await > 0 {
            let stamp = match tokio::time::timeout(MAX_WAIT, self.query()).await {
                Ok(Ok(stamp)) => Some(stamp),
                Ok(Err(_)) | Err(_) => {
                    self.connection.clear();
                    None
                }
            };
            for sender in waiting.drain(..) {
                // The caller was dropped, for example because its client disconnected.
                let _: Result<(), _> = sender.send(stamp);
            }
        }
    }

    async fn query(&self) -> StoreResult<u64> {
        let (known, connection) = match self.connection.get() {
            Some(open) => (true, open),
            None => (false, self.open().await?),
        };
        let epoch = self.newest.epoch();
        let Snapshot { started, snapshot, is_standby } = connection.snapshot().await.map_err(unavailable)?;
        if is_standby {
            return Err(unavailable("the server is a standby"));
        }
        if !known {
            self.connection.set(&connection);
        }
        Ok(self.newest.number(epoch, Seen { started, snapshot }))
    }

    /// Opens a connection.
    async fn open(&self) -> StoreResult<Arc<ThreadConnection>> {
        let client = self.server.client().await.map_err(unavailable)?;
        let connection = ThreadConnection::new(client).await.map_err(unavailable)?;
        self.newest.invalidate();
        Ok(Arc::new(connection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(started: u64, snapshot: &str) -> Seen {
        Seen { started: SystemTime::UNIX_EPOCH + Duration::from_secs(started), snapshot: snapshot.into() }
    }

    #[test]
    fn a_snapshot_keeps_its_number_until_it_changes() {
        let newest = Newest::default();
        let first = newest.number(0, seen(1, "7:7:"));
        assert_eq!(newest.number(0, seen(1, "7:7:")), first);
        let second = newest.number(0, seen(1, "7:8:7"));
        assert_ne!(second, first);
        assert!(![first, second].contains(&newest.number(0, seen(1, "7:7:"))), "an answer that was late");
        let before = newest.number(0, seen(1, "8:8:"));
        assert_ne!(newest.number(0, seen(2, "8:8:")), before, "another server");
    }

    #[test]
    fn an_invalidation_gives_a_new_number() {
        let newest = Newest::default();
        let before = newest.number(newest.epoch(), seen(1, "7:7:"));
        let asked_before = newest.epoch();
        newest.invalidate();
        let late = newest.number(asked_before, seen(1, "7:7:"));
        assert_ne!(late, before);
        let after = newest.number(newest.epoch(), seen(1, "7:7:"));
        assert!(![before, late].contains(&after), "what was asked before the break is compared to nothing");
        assert_eq!(newest.number(newest.epoch(), seen(1, "7:7:")), after);
    }
}
