//! A unit of work on PostgreSQL.

use super::PgConn;
use super::connect::Connections;
use crate::database::Purpose;
use crate::error::{internal, lost_connection, store_error};
use diesel::QueryResult;
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::{DatabaseErrorKind as Kind, Error as DieselError};
use diesel_async::pooled_connection::deadpool::Object;
use diesel_async::{AsyncConnectionCore, SimpleAsyncConnection};
use domain::ports::StoreResult;
use futures_util::future::{BoxFuture, join};
use futures_util::{FutureExt, TryStreamExt};
use std::sync::Arc;
use tokio::runtime::Handle;

/// A statement that PostgreSQL accepts and that yields rows of `U`.
///
/// What diesel-async's `LoadQuery` says, but for a shared connection, which is what pipelines.
pub(crate) trait Load<U> {
    /// Hands the statement to the driver; the future does not hold it any more.
    fn load_on(self, conn: &PgConn) -> BoxFuture<'_, QueryResult<Vec<U>>>;
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
    fn load_on(self, conn: &PgConn) -> BoxFuture<'_, QueryResult<Vec<U>>> {
        let mut shared = conn;
        let loading = AsyncConnectionCore::load(&mut shared, self);
        async move {
            let mut rows = loading.await?;
            let mut found = Vec::new();
            while let Some(row) = rows.try_next().await? {
                found.push(U::build_from_row(&row).map_err(DieselError::DeserializationError)?);
            }
            Ok(found)
        }
        .boxed()
    }
}

/// Where a unit of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing was asked yet; this statement begins the transaction, in one packet with the first question.
    Fresh(&'static str),
    /// There is no transaction: each statement is one by itself, and the connection is idle.
    Alone,
    /// The transaction is open and the connection idle.
    Open,
    /// A statement was sent and its answer not seen. It stays so when its future is dropped.
    InFlight,
    /// The connection is of no use any more.
    Dead,
}

/// A connection lent for one unit of work.
pub(crate) struct Session {
    object: Option<Object<PgConn>>,
    connections: Arc<Connections>,
    runtime: Handle,
    write: bool,
    state: State,
}

impl Session {
    /// Prepares a unit of work; it begins with its first statement.
    pub(crate) async fn begin(connections: &Arc<Connections>, runtime: &Handle, purpose: Purpose) -> StoreResult<Self> {
        let state = match purpose {
            Purpose::Ask => State::Alone,
            // Reading sees one snapshot, as on SQLite.
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

    /// Runs one statement, after `BEGIN` when it is the first.
    pub(crate) fn run<'c, T: Send + 'c>(
        &'c mut self,
        statement: impl FnOnce(&'c PgConn) -> BoxFuture<'c, QueryResult<T>>,
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
                // Polled in this order, hence sent in this order.
                State::Fresh(begin) => {
                    let (begun, result) = join(execute(conn, begin), answer).await;
                    begun.and(result)
                }
                _ => answer.await,
            };
            let Err(error) = result else {
                *state = idle;
                return result.map_err(store_error);
            };
            let DieselError::DatabaseError(kind, _) = &error else {
                *state = idle;
                return Err(store_error(error));
            };
            // The server ends a connection with an ordinary error in its own language, and closes. Ask whether it did.
            if execute(conn, "").await.is_err() {
                *state = State::Dead;
                return Err(lost_connection(error));
            }
            if *kind != Kind::ReadOnlyTransaction {
                *state = idle;
                Err(store_error(error))
            } else if *write {
                // The old primary after a failover: the next connection may find the new one.
                *state = State::Dead;
                Err(store_error(error))
            } else {
                *state = idle;
                Err(internal(error))
            }
        }
        .boxed()
    }

    /// Runs one statement that changes something, which a question never does.
    pub(crate) fn change<'c, T: Send + 'c>(
        &'c mut self,
        statement: impl FnOnce(&'c PgConn) -> BoxFuture<'c, QueryResult<T>>,
    ) -> BoxFuture<'c, StoreResult<T>> {
        if self.state == State::Alone {
            return async { Err(internal("a question changes nothing")) }.boxed();
        }
        self.run(statement)
    }

    /// Makes the changes durable and visible.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        if self.write && self.state == State::Open {
            self.run(|conn| execute(conn, "COMMIT").boxed()).await?;
            self.state = State::Fresh("");
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        match self.state {
            State::Fresh(_) | State::Alone => {}
            // One poll hands the statement to the driver. Whoever takes the connection next is served after it.
            State::Open => drop(execute(&object, "ROLLBACK").now_or_never()),
            State::Dead => drop(Object::take(object)),
            // Until the statement ends (it may wait for a lock) the server does not notice that nobody listens.
            State::InFlight => {
                let conn = Object::take(object);
                let server = self.connections.server().clone();
                drop(self.runtime.spawn(async move {
                    server.cancel(conn.cancel_token()).await;
                    drop(conn);
                }));
            }
        }
    }
}

async fn execute(conn: &PgConn, sql: &str) -> QueryResult<()> {
    let mut shared = conn;
    shared.batch_execute(sql).await
}
