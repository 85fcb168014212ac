//! Detects commits.
//!
//! PostgreSQL's *snapshot* shows which transactions have ended. A commit is in it before it is acknowledged, whichever
//! server or program made it, so two equal snapshots of one server see the same database. A snapshot can come back only
//! after a crash, which ends every connection: the numbers of transactions that wrote nothing durable are used again.
//! So a new connection invalidates all earlier stamps.
//!
//! A query for the snapshot costs a round trip, so requests share it: requests that arrive during a query wait together
//! for the next one. Each query starts after the arrival of all requests that use its result.

use super::connect::Server;
use crate::error::unavailable;
use domain::ports::StoreResult;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use thread_local::ThreadLocal;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, Statement};

/// The start time distinguishes the server from another one after a failover.
const QUESTION: &str = "SELECT pg_postmaster_start_time(), pg_current_snapshot()::text";

/// The longest wait for a stamp: reading without it is faster.
const PATIENCE: Duration = Duration::from_secs(1);

/// A caller waiting for a stamp.
type Asker = oneshot::Sender<Option<u64>>;

/// Connections used only for stamps: one for each thread that asks, opened at its first query, and driven by that
/// thread's own runtime. Passing a result from one thread to another would cost more than the query.
pub(crate) struct Watch {
    server: Server,
    newest: Arc<Newest>,
    lanes: ThreadLocal<RefCell<Option<mpsc::UnboundedSender<Asker>>>>,
}

impl Watch {
    /// Creates a watch of a server.
    pub(crate) fn new(server: Server) -> Self {
        Self { server, newest: Arc::default(), lanes: ThreadLocal::new() }
    }

    /// A number that changes with every commit; `None` if it is not available.
    pub(crate) async fn stamp(&self) -> Option<u64> {
        let (asker, answer) = oneshot::channel();
        self.ask(asker);
        answer.await.ok()?
    }

    fn ask(&self, mut asker: Asker) {
        let mut lane = self.lanes.get_or_default().borrow_mut();
        if let Some(open) = &*lane {
            match open.send(asker) {
                Ok(()) => return,
                // The channel belongs to an earlier thread with the same id, which ended with its runtime.
                Err(mpsc::error::SendError(back)) => asker = back,
            }
        }
        *lane = Some(self.open(asker));
    }

    fn open(&self, first: Asker) -> mpsc::UnboundedSender<Asker> {
        let (sender, askers) = mpsc::unbounded_channel();
        let watcher = Watcher { server: self.server.clone(), connection: None, newest: Arc::clone(&self.newest) };
        drop(tokio::spawn(watcher.answer(askers)));
        // The receiver lives as long as the sender.
        let _: Result<(), _> = sender.send(first);
        sender
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
    fn forget(&self) {
        let mut newest = self.numbered();
        newest.last = None;
        newest.epoch += 1;
    }
}

/// Serves the queries of one thread, for as long as there are senders.
struct Watcher {
    server: Server,
    connection: Option<(Client, Statement)>,
    newest: Arc<Newest>,
}

impl Watcher {
    async fn answer(mut self, mut askers: mpsc::UnboundedReceiver<Asker>) {
        let mut waiting = Vec::new();
        while askers.recv_many(&mut waiting, usize::MAX).await > 0 {
            let stamp = match tokio::time::timeout(PATIENCE, self.look()).await {
                Ok(Ok(stamp)) => Some(stamp),
                Ok(Err(_)) | Err(_) => {
                    self.connection = None;
                    None
                }
            };
            for asker in waiting.drain(..) {
                // The caller is gone, for example after its client disconnected.
                let _: Result<(), _> = asker.send(stamp);
            }
        }
    }

    async fn look(&mut self) -> StoreResult<u64> {
        let (client, question) = match &mut self.connection {
            Some(open) => open,
            none => {
                let client = self.server.client().await.map_err(unavailable)?;
                let question = client.prepare(QUESTION).await.map_err(unavailable)?;
                self.newest.forget();
                none.insert((client, question))
            }
        };
        let epoch = self.newest.epoch();
        let row = client.query_one(question, &[]).await.map_err(unavailable)?;
        let seen =
            Seen { started: row.try_get(0).map_err(unavailable)?, snapshot: row.try_get(1).map_err(unavailable)? };
        Ok(self.newest.number(epoch, seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(started: u64, snapshot: &str) -> Seen {
        Seen { started: SystemTime::UNIX_EPOCH + Duration::from_secs(started), snapshot: snapshot.into() }
    }

    #[test]
    fn what_was_seen_keeps_its_number_until_something_else_is_seen() {
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
    fn after_a_break_everything_has_a_new_number() {
        let newest = Newest::default();
        let before = newest.number(newest.epoch(), seen(1, "7:7:"));
        let asked_before = newest.epoch();
        newest.forget();
        let late = newest.number(asked_before, seen(1, "7:7:"));
        assert_ne!(late, before);
        let after = newest.number(newest.epoch(), seen(1, "7:7:"));
        assert!(![before, late].contains(&after), "what was asked before the break is compared to nothing");
        assert_eq!(newest.number(newest.epoch(), seen(1, "7:7:")), after);
    }
}
