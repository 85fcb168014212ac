//! Whether anybody has changed the database.
//!
//! PostgreSQL tells its *snapshot*: which transactions have ended. Whoever wrote anything is told of in it from the
//! moment the commit is acknowledged, whichever server or program it was, so two equal snapshots of one server see the
//! same database. A snapshot comes back only after a breakdown, which ends every connection: numbers of transactions that
//! wrote nothing lasting are given out again. So a new connection makes everything that was told before old.
//!
//! Asking costs a round trip, so it is not asked for each request: those that come while a question is under way wait
//! for the next one together. Each question begins after all who get its answer have asked.

use super::connect::Server;
use crate::error::unavailable;
use domain::ports::StoreResult;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use thread_local::ThreadLocal;
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::{Client, Statement};

/// The start of the server tells it from any other one that a connection may lead to after a failover.
const QUESTION: &str = "SELECT pg_postmaster_start_time(), pg_current_snapshot()::text";

/// Nobody waits longer for an answer: reading without it takes less.
const PATIENCE: Duration = Duration::from_secs(1);

/// Somebody who waits for a stamp.
type Asker = oneshot::Sender<Option<u64>>;

/// Connections that do nothing but watch: one for each thread that asks, opened when it does, and driven by that thread's
/// own runtime. An answer that had to be handed from one thread to another would cost more than the question.
pub(crate) struct Watch {
    server: Server,
    newest: Arc<Newest>,
    lanes: ThreadLocal<RefCell<Option<mpsc::UnboundedSender<Asker>>>>,
}

impl Watch {
    /// Prepares to watch a server.
    pub(crate) fn new(server: Server) -> Self {
        Self { server, newest: Arc::default(), lanes: ThreadLocal::new() }
    }

    /// A number that is another one after every commit. Nothing when it cannot be told.
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
                // The lane of an earlier thread, whose place this one has taken: it ended with its runtime.
                Err(mpsc::error::SendError(back)) => asker = back,
            }
        }
        *lane = Some(self.open(asker));
    }

    fn open(&self, first: Asker) -> mpsc::UnboundedSender<Asker> {
        let (sender, askers) = mpsc::unbounded_channel();
        let watcher = Watcher { server: self.server.clone(), connection: None, newest: Arc::clone(&self.newest) };
        drop(tokio::spawn(watcher.answer(askers)));
        // Whoever takes the questions lives as long as somebody may ask one.
        let _: Result<(), _> = sender.send(first);
        sender
    }
}

/// The newest snapshot that anybody was told, and its number.
#[derive(Default)]
struct Newest(Mutex<Numbered>);

#[derive(Default)]
struct Numbered {
    last: Option<Seen>,
    number: u64,
    /// Counts how often everything became old.
    epoch: u64,
}

/// Which server was seen in which state.
#[derive(PartialEq, Eq)]
struct Seen {
    started: SystemTime,
    snapshot: String,
}

impl Newest {
    fn numbered(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be taken before a question is asked.
    fn epoch(&self) -> u64 {
        self.numbered().epoch
    }

    /// The number of what was seen by a question of that epoch: that of the last one where nothing has changed since,
    /// otherwise a new one. Answers that come out of order only make more numbers than needed.
    fn number(&self, epoch: u64, seen: Seen) -> u64 {
        let mut newest = self.numbered();
        // What was asked before everything became old may be from before a breakdown, and is compared to nothing.
        let seen = (epoch == newest.epoch).then_some(seen);
        if seen.is_none() || newest.last != seen {
            newest.last = seen;
            newest.number += 1;
        }
        newest.number
    }

    /// Lets what is asked next have a new number, whatever is seen.
    fn forget(&self) {
        let mut newest = self.numbered();
        newest.last = None;
        newest.epoch += 1;
    }
}

/// What answers the questions of a thread, for as long as anybody can ask one.
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
                // Nobody waits any more: a client that hung up.
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
