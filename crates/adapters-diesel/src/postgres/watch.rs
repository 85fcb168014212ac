//! Whether anybody has changed the database.
//!
//! PostgreSQL tells its *snapshot*: which transactions have ended. Whoever wrote anything is told of in it from the
//! moment the commit is acknowledged, whichever server or program it was, so two equal snapshots see the same database.
//! A snapshot never comes back.
//!
//! Asking costs a round trip, so it is not asked for each request: those that come while a question is under way wait
//! for the next one together. Each question begins after all who get its answer have asked.

use super::PgConn;
use super::connect::Server;
use crate::error::unavailable;
use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use domain::ports::StoreResult;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// Asks for the snapshot. A type of its own, and not `sql_query`, whose statements are prepared anew each time.
#[derive(QueryId)]
struct Snapshot;

impl QueryFragment<Pg> for Snapshot {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT pg_current_snapshot()::text");
        Ok(())
    }
}

impl Query for Snapshot {
    type SqlType = Text;
}

/// Nobody waits longer for an answer: reading without it takes less.
const PATIENCE: Duration = Duration::from_secs(1);

/// Somebody who waits for a stamp.
type Asker = oneshot::Sender<Option<u64>>;

/// A connection that does nothing but watch, opened when somebody asks.
pub(crate) struct Watch {
    server: Server,
    runtime: Handle,
    askers: OnceLock<mpsc::UnboundedSender<Asker>>,
}

impl Watch {
    /// Prepares to watch a server. The connection lives on the current runtime.
    pub(crate) fn new(server: Server) -> Self {
        Self { server, runtime: Handle::current(), askers: OnceLock::new() }
    }

    /// A number that is another one after every commit. Nothing when it cannot be told.
    pub(crate) async fn stamp(&self) -> Option<u64> {
        let askers = self.askers.get_or_init(|| {
            let (sender, askers) = mpsc::unbounded_channel();
            let watcher = Watcher { server: self.server.clone(), conn: None, seen: String::new(), stamp: 0 };
            drop(self.runtime.spawn(watcher.answer(askers)));
            sender
        });
        let (asker, answer) = oneshot::channel();
        askers.send(asker).ok()?;
        answer.await.ok()?
    }
}

/// What answers, until nobody can ask any more.
struct Watcher {
    server: Server,
    conn: Option<PgConn>,
    seen: String,
    stamp: u64,
}

impl Watcher {
    async fn answer(mut self, mut askers: mpsc::UnboundedReceiver<Asker>) {
        let mut waiting = Vec::new();
        while askers.recv_many(&mut waiting, usize::MAX).await > 0 {
            let stamp = match tokio::time::timeout(PATIENCE, self.look()).await {
                Ok(Ok(stamp)) => Some(stamp),
                Ok(Err(_)) | Err(_) => {
                    // The next connection may lead to another server, whose numbers mean something else.
                    (self.conn, self.seen) = (None, String::new());
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
        let conn = match &mut self.conn {
            Some(conn) => conn,
            none => none.insert(self.server.connect().await.map_err(unavailable)?),
        };
        let snapshot: String = Snapshot.get_result(conn).await.map_err(unavailable)?;
        if snapshot != self.seen {
            self.seen = snapshot;
            self.stamp += 1;
        }
        Ok(self.stamp)
    }
}
