//! Pools connections.

use super::client::{PgConn, SqlTexts};
use super::connect::Server;
use crate::error::unavailable;
use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, RecycleError, RecycleResult, Timeouts};
use diesel::ConnectionError;
use domain::ports::StoreResult;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// Opens connections for the pool, and decides which of them are used again.
pub(crate) struct ConnectionManager {
    server: Server,
    wait: Duration,
    /// The driver of a connection runs on the runtime that opened it. This must be the runtime of the process, never
    /// the single thread of an HTTP worker, which can be busy while another worker uses the connection.
    runtime: Handle,
    /// When a connection was last found lost.
    loss: Mutex<Option<Instant>>,
}

impl ConnectionManager {
    /// Notes that a connection was lost, so that those that were opened before are not used again. What ended it, such
    /// as a restart or a failover of the server, has usually ended all of them.
    fn note_loss(&self) {
        *self.loss.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether a connection was lost after this time.
    fn has_lost_since(&self, time: Instant) -> bool {
        self.loss.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|loss| loss >= time)
    }
}

impl Manager for ConnectionManager {
    type Type = Arc<PgConn>;
    type Error = ConnectionError;

    async fn create(&self) -> Result<Arc<PgConn>, ConnectionError> {
        let (server, wait) = (self.server.clone(), self.wait);
        let opening = self.runtime.spawn(async move { server.connect_for_requests(wait).await });
        opening.await.map_err(|error| ConnectionError::BadConnection(error.to_string()))?.map(Arc::new)
    }

    /// The driver detects a connection that the server has ended. Nothing tells of one that a firewall has forgotten,
    /// so the server is asked if the connection was not used for a while; each time, that would cost a round trip.
    async fn recycle(&self, conn: &mut Arc<PgConn>, metrics: &Metrics) -> RecycleResult<ConnectionError> {
        let used = metrics.recycled.unwrap_or(metrics.created);
        if conn.is_closed() || self.has_lost_since(used) {
            return Err(RecycleError::message("the connection has ended"));
        }
        if used.elapsed() < 2 * self.wait {
            return Ok(());
        }
        // The rest of the wait is for another connection.
        match timeout(self.wait / 2, conn.execute("")).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => {
                self.note_loss();
                Err(RecycleError::message("the connection does not answer"))
            }
        }
    }
}

/// A leased connection.
pub(crate) type PooledConn = Object<ConnectionManager>;

/// A pool of connections.
pub(crate) struct Connections {
    pool: Pool<ConnectionManager>,
    wait: Duration,
    server: Server,
    texts: SqlTexts,
}

impl Connections {
    /// Creates a pool of at most `size` connections, whose drivers run on the current runtime.
    pub(crate) fn new(server: Server, size: usize, wait: Duration) -> anyhow::Result<Self> {
        let manager =
            ConnectionManager { server: server.clone(), wait, runtime: Handle::current(), loss: Mutex::default() };
        let timeouts = Timeouts { wait: Some(wait), create: Some(wait), recycle: Some(wait) };
        let pool = Pool::builder(manager).max_size(size).timeouts(timeouts).runtime(Runtime::Tokio1).build()?;
        Ok(Self { pool, wait, server, texts: SqlTexts::default() })
    }

    /// Takes an open connection from the pool, or opens one.
    pub(crate) async fn get(&self) -> StoreResult<PooledConn> {
        let got = timeout(self.wait, self.pool.get()).await;
        got.map_err(|_elapsed| unavailable("waited too long for a database connection"))?.map_err(unavailable)
    }

    /// Takes a connection in place of one that was lost: not one that was opened before the loss.
    pub(super) async fn get_after_loss(&self) -> StoreResult<PooledConn> {
        self.note_loss();
        self.get().await
    }

    /// Notes that the server can no longer be written to. The pool drops its connections, since others can have ended
    /// up at the same server.
    pub(super) fn note_loss(&self) {
        self.pool.manager().note_loss();
    }

    /// The SQL of statements.
    pub(super) fn texts(&self) -> &SqlTexts {
        &self.texts
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }
}
