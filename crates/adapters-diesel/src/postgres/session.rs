//! A unit of work on PostgreSQL.

use super::client::{AnyStatement, PgConn, PgRow};
use super::connect::{Connections, PooledConn};
use super::fault::Fault;
use crate::conn::Pending;
use crate::database::Purpose;
use crate::error::internal;
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::Error as DieselError;
use domain::ports::{StoreError, StoreResult};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join};
use std::sync::Arc;
use tokio::runtime::Handle;

/// A statement that PostgreSQL accepts and that returns rows of `U`.
///
/// Like diesel-async's `LoadQuery`, but for a shared connection, which pipelines.
pub(crate) trait Load<U> {
    /// Passes the statement to the driver; the result does not hold it.
    fn load_on(self, session: &mut Session) -> Pending<'_, Vec<PgRow>, Vec<U>>;
}

impl<T, U, ST> Load<U> for T
where
    T: AsQuery,
    T::Query: QueryFragment<Pg> + QueryId,
    T::SqlType: CompatibleType<U, Pg, SqlType = ST>,
    U: FromSqlRow<ST, Pg>,
    Pg: QueryMetadata<T::SqlType>,
{
    fn load_on(self, session: &mut Session) -> Pending<'_, Vec<PgRow>, Vec<U>> {
        Pending { answer: session.load(&self.as_query()), read: read::<U, ST> }
    }
}

fn read<U: FromSqlRow<ST, Pg>, ST>(rows: Vec<PgRow>) -> StoreResult<Vec<U>> {
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        found.push(U::build_from_row(&row).map_err(unreadable)?);
    }
    Ok(found)
}

fn unreadable(error: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    Fault::Form(DieselError::DeserializationError(error)).into_store_error()
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

    /// Returns the rows of a query.
    fn load<'c>(&'c mut self, query: &dyn AnyStatement) -> BoxFuture<'c, StoreResult<Vec<PgRow>>> {
        self.run(|conn| conn.encode(query), PgConn::load)
    }

    /// Runs a command and returns the number of affected rows; refused in a unit of work for one query.
    pub(crate) fn count<'c>(&'c mut self, command: &dyn AnyStatement) -> BoxFuture<'c, StoreResult<usize>> {
        if self.state == State::Alone {
            return async { Err(internal("a unit of work for one query must not write")) }.boxed();
        }
        self.run(|conn| conn.encode(command), PgConn::count)
    }

    /// Runs one statement, after `BEGIN` if it is the first. It is encoded before the future exists, so the future does
    /// not hold it.
    fn run<'c, E, T, F>(
        &'c mut self,
        encode: impl FnOnce(&PgConn) -> E,
        send: impl FnOnce(&'c PgConn, E) -> F + Send + 'c,
    ) -> BoxFuture<'c, StoreResult<T>>
    where
        E: Send + 'c,
        T: Send + 'c,
        F: Future<Output = Result<T, Fault>> + Send + 'c,
    {
        let Self { object: Some(conn), state, write, .. } = self else {
            return async { Err(internal("the unit of work has ended")) }.boxed();
        };
        let before = std::mem::replace(state, State::InFlight);
        let idle = if before == State::Alone { State::Alone } else { State::Open };
        let conn: &PgConn = conn;
        let encoded = encode(conn);
        async move {
            let result = match before {
                // Polled in this order, so they are sent in this order.
                State::Fresh(begin) => {
                    let (begun, result) = join(conn.execute(begin), send(conn, encoded)).await;
                    begun.and(result)
                }
                _ => send(conn, encoded).await,
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

    /// Makes the changes durable and visible.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the connection failed before the server confirmed the commit.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        if !self.write || self.state != State::Open {
            return Ok(());
        }
        let ended = self.run(|_| "COMMIT", PgConn::execute).await;
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
