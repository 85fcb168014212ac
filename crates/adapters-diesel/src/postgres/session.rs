//! A unit of work on PostgreSQL.

use super::client::{AnyStatement, EncodedStatement, PgConn};
use super::fault::Fault;
use super::pool::{Connections, PooledConn};
use super::rows::{self, RowReader};
use super::watch::Watch;
use crate::conn::Pending;
use crate::database::Purpose;
use crate::error::{internal, unavailable};
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use domain::ports::StoreResult;
use futures_util::future::{BoxFuture, join, ready};
use futures_util::{FutureExt, TryFutureExt};
use std::sync::Arc;
use tokio::runtime::Handle;

/// A statement that PostgreSQL accepts and that returns rows of `U`.
///
/// Like diesel-async's `LoadQuery`, but for a shared connection, which pipelines.
pub(crate) trait Load<U> {
    /// Passes the statement to the driver; the result does not hold it.
    fn load_on(self, session: &mut Session) -> Pending<'_, Box<dyn RowReader>, Vec<U>>;
}

impl<T, U, ST> Load<U> for T
where
    T: AsQuery,
    T::Query: QueryFragment<Pg> + QueryId,
    T::SqlType: CompatibleType<U, Pg, SqlType = ST>,
    U: FromSqlRow<ST, Pg> + Send + 'static,
    Pg: QueryMetadata<T::SqlType>,
{
    fn load_on(self, session: &mut Session) -> Pending<'_, Box<dyn RowReader>, Vec<U>> {
        Pending { answer: session.load(&self.as_query(), rows::reader::<U, ST>), read: rows::values::<U> }
    }
}

/// The most statements that are sent without waiting for their results.
const MOST_SENT: usize = 64;

/// The result of a statement that was sent.
type SentResult = BoxFuture<'static, Result<usize, Fault>>;

/// The state of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No statement was sent yet; this one starts the transaction, in one packet with the first statement if that is a
    /// query.
    Fresh(&'static str),
    /// There is no transaction: each statement is its own, and the connection is idle. It is leased by the first one.
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
    /// The connections of threads, if there is no transaction.
    watch: Option<Arc<Watch>>,
    runtime: Handle,
    write: bool,
    state: State,
    /// The results of statements that were sent and not waited for, in their order. The transaction is open then.
    sent: Vec<SentResult>,
}

impl Session {
    /// Prepares a unit of work; its transaction starts with its first statement. One for a single query leases its
    /// connection then, since it may need none: what it reads can be in memory, or be read on the connection of the
    /// thread.
    pub(crate) async fn begin(
        connections: &Arc<Connections>,
        watch: &Arc<Watch>,
        runtime: &Handle,
        purpose: Purpose,
    ) -> StoreResult<Self> {
        let state = match purpose {
            Purpose::Query => State::Alone,
            // Reads use one snapshot, as on SQLite.
            Purpose::Read => State::Fresh("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            Purpose::Write => State::Fresh("BEGIN"),
        };
        Ok(Self {
            object: if purpose == Purpose::Query { None } else { Some(connections.get().await?) },
            connections: Arc::clone(connections),
            watch: (purpose == Purpose::Query).then(|| Arc::clone(watch)),
            runtime: runtime.clone(),
            write: purpose == Purpose::Write,
            state,
            sent: Vec::new(),
        })
    }

    /// The connections of threads, for statements that can run outside of this unit of work: it has no snapshot.
    pub(crate) fn watch(&self) -> Option<Arc<Watch>> {
        self.watch.clone()
    }

    /// Reads the rows of a query.
    fn load<'c>(
        &'c mut self,
        query: &dyn AnyStatement,
        reader: fn() -> Box<dyn RowReader>,
    ) -> BoxFuture<'c, StoreResult<Box<dyn RowReader>>> {
        let runtime = self.runtime.clone();
        self.run(Query { reader, runtime }, query)
    }

    /// Runs a command and returns the number of affected rows; refused in a unit of work for one query.
    pub(crate) fn count<'c>(&'c mut self, command: &dyn AnyStatement) -> BoxFuture<'c, StoreResult<usize>> {
        if self.state == State::Alone {
            return async { Err(internal("a unit of work for one query must not write")) }.boxed();
        }
        self.run(Command, command)
    }

    /// Sends a command without waiting for its result: it shares a round trip with the next statement or the commit,
    /// which returns the error if it fails.
    pub(crate) fn send<'c>(&'c mut self, command: &dyn AnyStatement) -> BoxFuture<'c, StoreResult<()>> {
        if self.state == State::Alone {
            return self.count(command).map_ok(drop).boxed();
        }
        self.send_as(Command, command)
    }

    /// Sends a query that locks its rows, as [`Session::send`] does: when the next statement returns, they are locked.
    pub(crate) fn lock<'c>(&'c mut self, query: &dyn AnyStatement) -> BoxFuture<'c, StoreResult<()>> {
        self.send_as(LockingQuery, query)
    }

    fn send_as<'c, K: Kind<Answer = usize>>(
        &'c mut self,
        kind: K,
        statement: &dyn AnyStatement,
    ) -> BoxFuture<'c, StoreResult<()>> {
        // The commit of a reading unit of work waits for nothing, so it would not return the error.
        let (State::Open, true, Some(conn)) = (self.state, self.write, self.object.as_ref()) else {
            return self.run(kind, statement).map_ok(drop).boxed();
        };
        match conn.encode(statement) {
            // A statement that must be prepared first would be overtaken by the next one.
            Ok(encoded) if encoded.is_one_packet() && self.sent.len() < MOST_SENT => {
                let conn = Arc::clone(conn);
                let mut result = async move { kind.send(&conn, &encoded).await }.boxed();
                // One poll passes the statement to the driver.
                match (&mut result).now_or_never() {
                    None => self.sent.push(result),
                    // The server knows nothing of it, so it would commit the others.
                    Some(Err(fault)) if !fault.is_an_answer() => {
                        self.state = State::Dead;
                        return ready(Err(fault.into_store_error())).boxed();
                    }
                    Some(answer) => self.sent.push(ready(answer).boxed()),
                }
                ready(Ok(())).boxed()
            }
            encoded => self.run_encoded(kind, encoded).map_ok(drop).boxed(),
        }
    }

    /// Runs one statement. It is encoded before the future exists, so the future does not hold it.
    fn run<'c, K: Kind>(&'c mut self, kind: K, statement: &dyn AnyStatement) -> BoxFuture<'c, StoreResult<K::Answer>> {
        let encoded = match self.object.as_deref() {
            Some(conn) => conn.encode(statement),
            None if self.state == State::Alone => EncodedStatement::detached(statement, self.connections.texts()),
            None => return ready(Err(unavailable("the connection of the unit of work is lost"))).boxed(),
        };
        self.run_encoded(kind, encoded).boxed()
    }

    /// Runs one statement, after `BEGIN` if it is the first.
    ///
    /// If the unit of work does not begin because the connection is lost, it begins on another one. What was sent
    /// before has changed nothing.
    async fn run_encoded<K: Kind>(
        &mut self,
        kind: K,
        encoded: Result<EncodedStatement, Fault>,
    ) -> StoreResult<K::Answer> {
        let mut encoded = encoded.map_err(Fault::into_store_error)?;
        if self.object.is_none() && self.state == State::Alone {
            self.object = Some(self.connections.get().await?);
        }
        let before = std::mem::replace(&mut self.state, State::InFlight);
        let mut may_move = true;
        let result = loop {
            let Some(conn) = self.object.as_deref() else { break Err(internal("there is no connection")) };
            // Received together: the driver delivers no result while an earlier one, such as the rows of many locks, is
            // not taken.
            let (result, failed) = join(send(&kind, conn, &encoded, before), first_fault(&mut self.sent)).await;
            match failed.map_or(result, Err) {
                Err(fault @ Fault::NotBegun(_)) if may_move => {
                    may_move = false;
                    encoded.move_to_another_connection();
                    self.reconnect(fault).await?;
                }
                Err(fault) if self.gives_up(&fault) => return Err(fault.into_store_error()),
                // A write in a reading unit of work is a defect.
                Err(fault) if fault.is_read_only() => break Err(internal(fault.into_store_error())),
                other => break other.map_err(Fault::into_store_error),
            }
        };
        self.state = if before == State::Alone { State::Alone } else { State::Open };
        result
    }

    /// Whether the connection cannot be used after this fault. Then it is closed, not pooled.
    fn gives_up(&mut self, fault: &Fault) -> bool {
        let not_primary = self.write && fault.is_read_only();
        if not_primary {
            // After a failover, a new connection can reach the new primary.
            self.connections.note_loss();
        }
        let ends = not_primary || fault.ends_the_connection();
        if ends {
            self.state = State::Dead;
        }
        ends
    }

    /// Replaces the connection, which is lost.
    async fn reconnect(&mut self, fault: Fault) -> StoreResult<()> {
        tracing::debug!(?fault, "a connection to PostgreSQL is lost; trying another one");
        drop(self.object.take().map(PooledConn::take));
        self.object = Some(self.connections.get_after_loss().await?);
        Ok(())
    }

    /// Makes the changes durable and visible.
    ///
    /// # Errors
    /// [`StoreError::Unknown`](domain::ports::StoreError::Unknown) if the connection failed before the server confirmed
    /// the commit.
    pub(crate) async fn commit(mut self) -> StoreResult<()> {
        match self.state {
            _ if !self.write => return Ok(()),
            State::Fresh(_) | State::Alone => return Ok(()),
            State::Open => self.state = State::InFlight,
            State::InFlight | State::Dead => {
                return Err(internal("cannot commit: the result of a statement is not known"));
            }
        }
        let Some(conn) = self.object.as_deref() else { return Err(internal("there is no connection")) };
        let (committed, failed) = join(conn.execute("COMMIT"), first_fault(&mut self.sent)).await;
        let lost = committed.as_ref().is_err_and(Fault::ends_the_connection);
        self.state = match &committed {
            Ok(()) => State::Fresh(""),
            Err(_) if lost => State::Dead,
            Err(_) => State::Open,
        };
        match (failed, committed) {
            // Then the server rolls back at `COMMIT`, even if its answer to that is lost.
            (Some(fault), _) if fault.is_an_answer() => {
                self.gives_up(&fault);
                Err(fault.into_store_error())
            }
            (Some(fault), _) => Err(fault.into_store_error().unknown()),
            (None, Err(fault)) if lost => Err(fault.into_store_error().unknown()),
            (None, Err(fault)) => Err(fault.into_store_error()),
            (None, Ok(())) => Ok(()),
        }
    }
}

/// Waits for the results of all statements that were sent, and returns the first fault.
async fn first_fault(sent: &mut Vec<SentResult>) -> Option<Fault> {
    let mut first = None;
    for result in sent.drain(..) {
        if let Err(fault) = result.await {
            first.get_or_insert(fault);
        }
    }
    first
}

/// A kind of statements, by what they return.
trait Kind: Send + Sync + 'static {
    type Answer: Send + 'static;
    /// Whether the statement would change something outside of a transaction.
    const CHANGES: bool;

    fn send(
        &self,
        conn: &PgConn,
        statement: &EncodedStatement,
    ) -> impl Future<Output = Result<Self::Answer, Fault>> + Send;
}

/// Statements that return rows, which a new reader reads.
struct Query {
    reader: fn() -> Box<dyn RowReader>,
    runtime: Handle,
}

impl Kind for Query {
    type Answer = Box<dyn RowReader>;
    const CHANGES: bool = false;

    async fn send(&self, conn: &PgConn, statement: &EncodedStatement) -> Result<Box<dyn RowReader>, Fault> {
        conn.load(statement, (self.reader)(), &self.runtime).await
    }
}

/// Statements that change rows, and return their number.
struct Command;

impl Kind for Command {
    type Answer = usize;
    const CHANGES: bool = true;

    async fn send(&self, conn: &PgConn, statement: &EncodedStatement) -> Result<usize, Fault> {
        conn.count(statement).await
    }
}

/// Queries whose rows only the server needs, to lock them.
struct LockingQuery;

impl Kind for LockingQuery {
    type Answer = usize;
    const CHANGES: bool = false;

    async fn send(&self, conn: &PgConn, statement: &EncodedStatement) -> Result<usize, Fault> {
        conn.count(statement).await
    }
}

/// Sends a statement, after the `BEGIN` of its transaction if it is the first.
async fn send<K: Kind>(
    kind: &K,
    conn: &PgConn,
    statement: &EncodedStatement,
    state: State,
) -> Result<K::Answer, Fault> {
    let begin = match state {
        State::Fresh(begin) => begin,
        State::Alone => {
            let lost = |fault: &Fault| fault.ends_the_connection() || fault.is_in_an_aborted_transaction();
            let result = kind.send(conn, statement).await;
            return result.map_err(|fault| if lost(&fault) { fault.not_begun() } else { fault });
        }
        _ => return kind.send(conn, statement).await,
    };
    let begun = conn.execute(begin).map(|begun| begun.map_err(Fault::not_begun));
    if K::CHANGES {
        // Sent in one packet, the change would be permanent if only `BEGIN` fails, for example because it is cancelled.
        begun.await?;
        return kind.send(conn, statement).await;
    }
    // Polled in this order, so they are sent in this order.
    let (begun, result) = join(begun, kind.send(conn, statement)).await;
    begun.and(result)
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        // A result that is not there yet can be that of a statement that waits for a lock.
        let waits = self.sent.drain(..).any(|result| result.now_or_never().is_none());
        let state = if waits { State::InFlight } else { self.state };
        match state {
            State::Fresh(_) | State::Alone => {}
            // One poll passes the statement to the driver. The next user of the connection comes after it. If the
            // server cancels it, the first statement of that user fails, and is sent on another connection.
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
