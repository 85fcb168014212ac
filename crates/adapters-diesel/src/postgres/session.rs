//! A unit of work on PostgreSQL.

use super::client::PgConn;
use super::connect::{Connections, PooledConn};
use super::fault::Fault;
use crate::database::Purpose;
use crate::error::internal;
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use domain::ports::{StoreError, StoreResult};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join};
use std::sync::Arc;
use tokio::runtime::Handle;

/// A statement that PostgreSQL accepts and that returns rows of `U`.
///
/// Like diesel-async's `LoadQuery`, but for a shared connection, which pipelines.
pub(crate) trait Load<U> {
    /// Passes the statement to the driver; the future does not hold it.
    fn load_on(self, conn: &PgConn) -> BoxFuture<'_, Result<Vec<U>, Fault>>;
}

impl<T, U, ST> Load<U> for T
where
    T: AsQuery,
    T::Query: QueryFragment<Pg> + QueryId,
    T::SqlType: CompatibleType<U, Pg, SqlType = ST>,
    U: FromSqlRow<ST, Pg> + Send + 'static,
    Pg: QueryMetadata<T::SqlType>,
    ST: 'static,
{
    fn load_on(self, conn: &PgConn) -> BoxFuture<'_, Result<Vec<U>, Fault>> {
        conn.load::<U, ST>(self.as_query())
    }
}

/// The state of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No statement was sent yet; this one starts the transaction, in one packet with the first query.
    Fresh(&'static str),
    /// There is no transaction: each statement is its own, and the connection is idle.
    Alone,
    /// The transaction is open and the connection idle.
    Open,
    /// A statement was sent and its result was not received. It stays so if its future is dropped.
    InFlight,
    /// The connection can no longer be used.
    Dead,
}

/// A connection leased for one unit of work.
pub(crate) struct Session {
    object: Option<PooledConn>,
    connections: Arc<Connections>,
    runtime: Handle,
    write: bool,
    state: State,
}

impl Session {
    /// Prepares a unit of work; its transaction starts with its first statement.
    pub(crate) async fn begin(connections: &Arc<Connections>, runtime: &Handle, purpose: Purpose) -> StoreResult<Self> {
        let state = match purpose {
            Purpose::Query => State::Alone,
            // Reads use one snapshot, as on SQLite.
            Purpose::Read => State::Fresh("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            Purpose::Write => State::Fresh("BEGIN"),
        };
        Ok(Self {
            object: Some(connections.get().await?),
            connections: Arc::clone(connections),
            runtime: runtime.clone(),
            write: purpose == Purpose::Write,
            state,
        })
    }

    /// Runs one statement, after `BEGIN` if it is the first.
    pub(crate) fn run<'c, T: Send + 'c>(
        &'c mut self,
        statement: impl FnOnce(&'c PgConn) -> BoxFuture<'c, Result<T, Fault>>,
    ) -> BoxFuture<'c, StoreResult<T>> {
        let Self { object: Some(conn), state, write, .. } = self else {
            return async { Err(internal("the unit of work has ended")) }.boxed();
        };
        let before = std::mem::replace(state, State::InFlight);
        let idle = if before == State::Alone { State::Alone } else { State::Open };
        let conn: &PgConn = conn;
        let answer = statement(conn);
        async move {
            let result = match before {
                // Polled in this order, so they are sent in this order.
                State::Fresh(begin) => {
                    let (begun, result) = join(conn.execute(begin), answer).await;
                    begun.and(result)
                }
                _ => answer.await,
            };
            let dead = |fault: &Fault| fault.ends_the_connection() || (*write && fault.is_read_only());
            match result {
                Err(fault) if dead(&fault) => {
                    // After a failover, the next connection can reach the new primary.
                    *state = State::Dead;
                    Err(fault.into_store_error())
                }
                // A write in a reading unit of work is a defect.
                Err(fault) if fault.is_read_only() => {
                    *state = idle;
                    Err(internal(fault.into_store_error()))
                }
                other => {
                    *state = idle;
                    other.map_err(Fault::into_store_error)
                }
            }
        }
        .boxed()
    }

    /// Runs one statement that writes; refused in a unit of work for one query.
    pub(crate) fn change<'c, T: Send + 'c>(
        &'c mut self,
        statement: impl FnOnce(&'c PgConn) -> BoxFuture<'c, Result<T, Fault>>,
    ) -> BoxFuture<'c, StoreResult<T>> {
        if self.state == State::Alone {
            return async { Err(internal("a unit of work for one query must not write")) }.boxed();
        }
        self.run(statement)
    }

    /// Makes the changes durable and visible.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the connection failed before the server confirmed the commit.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        if !self.write || self.state != State::Open {
            return Ok(());
        }
        let ended = self.run(|conn| conn.execute("COMMIT").boxed()).await;
        if self.state == State::Dead {
            return ended.map_err(StoreError::unknown);
        }
        ended?;
        self.state = State::Fresh("");
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        match self.state {
            State::Fresh(_) | State::Alone => {}
            // One poll passes the statement to the driver. The next user of the connection comes after it.
            State::Open => drop(object.execute("ROLLBACK").now_or_never()),
            State::Dead => drop(PooledConn::take(object)),
            // Until the statement ends (it can wait for a lock), the server does not notice that the client is gone.
            State::InFlight => {
                let conn = PooledConn::take(object);
                let server = self.connections.server().clone();
                drop(self.runtime.spawn(async move {
                    server.cancel(conn.cancel_token()).await;
                    drop(conn);
                }));
            }
        }
    }
}
