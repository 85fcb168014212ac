//! The executor: runs a statement on either database.

use crate::error::internal;
use crate::postgres::{self, Load, StoredRow};
use crate::sqlite;
use diesel::SqliteConnection;
use diesel::pg::Pg;
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::query_dsl::{LoadQuery, methods::ExecuteDsl};
use domain::content::object::Hash;
use domain::paging::PageRequest;
use domain::ports::StoreResult;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A statement that both databases accept and that returns rows of `U`.
///
/// Limits beyond those of diesel: no `into_boxed` (use [`crate::sql::when`] and similar nodes), no `as_select` (use
/// [`crate::sql::columns`]), and only the portable SQL types `Text`, `Integer`, `BigInt`, `Bool`, `Double`,
/// `Timestamp`, `Json` and `Binary`.
pub(crate) trait Rows<'q, U>: Load<U> + LoadQuery<'q, SqliteConnection, U> + 'q {}
impl<'q, U, Q> Rows<'q, U> for Q where Q: Load<U> + LoadQuery<'q, SqliteConnection, U> + 'q {}

/// A statement that both databases accept and that only counts rows.
///
/// An insert of many rows is one statement on PostgreSQL, and one statement per row on SQLite, where that is as fast.
/// It is atomic on both.
pub(crate) trait Command: QueryFragment<Pg> + QueryId + ExecuteDsl<SqliteConnection> {}
impl<Q> Command for Q where Q: QueryFragment<Pg> + QueryId + ExecuteDsl<SqliteConnection> {}

/// The result of a statement that was passed to a database. Only `read` depends on the type of the result: what waits
/// for the database is compiled once.
pub(crate) struct Pending<'c, A, V> {
    /// The answer of the database.
    pub(crate) answer: BoxFuture<'c, StoreResult<A>>,
    /// Reads the result from the answer.
    pub(crate) read: fn(A) -> StoreResult<V>,
}

/// Counts the statements that units of work have sent to a database. Tests use it to find lists that send a query for
/// each item.
#[derive(Clone, Default)]
pub(crate) struct Statements(Arc<AtomicU64>);

impl Statements {
    /// The count so far.
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

enum Session {
    Sqlite(Box<sqlite::Session>),
    Postgres(Box<postgres::Session>),
}

/// An open transaction of either database. Dropping it rolls back at once.
///
/// The bounds of its methods make the compiler check, at every call, that the statement is valid on both databases.
///
/// On SQLite a statement runs on the calling thread and must be short: it finds a few rows by an index. Use
/// [`Conn::at_length`] for statements that can be long.
pub(crate) struct Conn {
    session: Session,
    /// After a failed statement, PostgreSQL silently rolls back at `COMMIT`, and SQLite would commit the rest. This
    /// flag prevents both.
    failed: bool,
    statements: Statements,
}

impl Conn {
    pub(crate) fn sqlite(session: sqlite::Session, statements: Statements) -> Self {
        Self { session: Session::Sqlite(Box::new(session)), failed: false, statements }
    }

    pub(crate) fn postgres(session: postgres::Session, statements: Statements) -> Self {
        Self { session: Session::Postgres(Box::new(session)), failed: false, statements }
    }

    /// Loads the rows of objects, in any order, on the connection of this thread ([`postgres::Watch::objects`]). `None`
    /// if the thread has none or not all of them are found there, and in a unit of work that has a snapshot.
    pub(crate) async fn objects_on_thread(&mut self, hashes: &[Hash]) -> Option<Vec<StoredRow>> {
        let watch = match &self.session {
            Session::Sqlite(_) => return None,
            Session::Postgres(session) => session.watch()?,
        };
        let rows = watch.objects(hashes).await.filter(|rows| rows.len() == hashes.len())?;
        self.statements.add();
        Some(rows)
    }

    // These are not `async fn`: the statement goes to the driver before the future exists. So the future does not
    // contain the statement, and is `Send` even if the statement borrows data that is not.

    /// Returns all rows of a query.
    pub(crate) fn all<'c, 'q, U: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
    ) -> BoxFuture<'c, StoreResult<Vec<U>>> {
        self.load(query, Ok)
    }

    /// Returns the first row of a query, if there is one.
    pub(crate) fn maybe<'c, 'q, U: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
    ) -> BoxFuture<'c, StoreResult<Option<U>>> {
        self.load(query, first)
    }

    /// Returns the first row of a query that always has one, such as a count.
    pub(crate) fn one<'c, 'q, U: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
    ) -> BoxFuture<'c, StoreResult<U>> {
        self.load(query, only)
    }

    /// The total of a list, of which `rows` rows were read for a page. A list that fits on its first page costs no
    /// query.
    pub(crate) fn total<'c, 'q>(
        &'c mut self,
        rows: usize,
        page: &PageRequest,
        count: impl Rows<'q, i64>,
    ) -> BoxFuture<'c, StoreResult<usize>> {
        if is_whole(rows, page) { ready(Ok(rows)).boxed() } else { self.load(count, read_count) }
    }

    /// Runs a command and returns the number of affected rows.
    pub(crate) fn run<'c>(&'c mut self, command: impl Command) -> BoxFuture<'c, StoreResult<usize>> {
        let Self { session, failed, statements } = self;
        statements.add();
        match session {
            Session::Sqlite(session) => now(failed, session.run(|conn| ExecuteDsl::execute(command, conn)), Ok),
            Session::Postgres(session) => watch(failed, Pending { answer: session.count(&command), read: Ok }, Ok),
        }
    }

    /// Runs a command, the result of which the unit of work does not need to go on. On PostgreSQL, it shares a round
    /// trip with the next statement or the commit, which returns the error if it fails.
    pub(crate) fn send<'c>(&'c mut self, command: impl Command) -> BoxFuture<'c, StoreResult<()>> {
        let Self { session, failed, statements } = self;
        statements.add();
        match session {
            Session::Sqlite(session) => {
                now(failed, session.run(|conn| ExecuteDsl::execute(command, conn)), |_rows| Ok(()))
            }
            Session::Postgres(session) => watch(failed, Pending { answer: session.send(&command), read: Ok }, Ok),
        }
    }

    /// Runs a query; `choose` makes the result from its rows.
    fn load<'c, 'q, U: 'static, T: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
        choose: fn(Vec<U>) -> StoreResult<T>,
    ) -> BoxFuture<'c, StoreResult<T>> {
        let Self { session, failed, statements } = self;
        statements.add();
        match session {
            Session::Sqlite(session) => now(failed, session.run(|conn| query.internal_load(conn)?.collect()), choose),
            Session::Postgres(session) => watch(failed, query.load_on(session), choose),
        }
    }

    /// Locks the rows of a query until the unit of work ends. They are locked when the next statement has returned, with
    /// which this one shares a round trip. No statement on SQLite, whose writer owns the database.
    pub(crate) fn lock<'c>(&'c mut self, query: impl Command) -> BoxFuture<'c, StoreResult<()>> {
        let Self { session, failed, statements } = self;
        match session {
            Session::Sqlite(_) => ready(Ok(())).boxed(),
            Session::Postgres(session) => {
                statements.add();
                watch(failed, Pending { answer: session.lock(&query), read: Ok }, Ok)
            }
        }
    }

    /// Returns all rows of a query that only PostgreSQL knows. A caller that uses it asks SQLite for the same by
    /// [`AtLength::on_sqlite`].
    pub(crate) fn on_postgres<'c, U: Send + 'static>(
        &'c mut self,
        query: impl Load<U>,
    ) -> BoxFuture<'c, StoreResult<Vec<U>>> {
        let Self { session, failed, statements } = self;
        statements.add();
        match session {
            Session::Sqlite(_) => ready(Err(internal("only PostgreSQL knows this query"))).boxed(),
            Session::Postgres(session) => watch(failed, query.load_on(session), Ok),
        }
    }

    /// Whether the full-text index returns rows in the order of their ids, and is read no further than a limit.
    pub(crate) fn searches_in_order(&self) -> bool {
        matches!(self.session, Session::Sqlite(_))
    }

    /// The executor for long statements: searches, scans, changes of thousands of rows.
    pub(crate) fn at_length(&mut self) -> AtLength<'_> {
        AtLength(self)
    }

    /// Checks that the connection works.
    pub(crate) async fn ping(&mut self) -> StoreResult<()> {
        self.one(diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>("1"))).await.map(|_: i32| ())
    }

    /// Makes the changes durable and visible.
    ///
    /// # Errors
    /// `Unknown` if the outcome is not known. `Internal` if a statement failed before; then everything is rolled back.
    pub(crate) async fn commit(self) -> StoreResult<()> {
        if self.failed {
            return Err(internal("cannot commit: a statement failed"));
        }
        match self.session {
            Session::Sqlite(mut session) => session.commit().await,
            Session::Postgres(session) => session.commit().await,
        }
    }
}

/// [`Conn`] for long statements. On SQLite they run on a blocking thread, which costs 50-100 µs, so they own their bind
/// values. On PostgreSQL there is no difference.
pub(crate) struct AtLength<'c>(&'c mut Conn);

impl<'c> AtLength<'c> {
    /// Returns all rows of a query.
    pub(crate) fn all<U: Send + 'static>(
        self,
        query: impl Rows<'static, U> + Send,
    ) -> BoxFuture<'c, StoreResult<Vec<U>>> {
        self.load(query, Ok)
    }

    /// Returns all rows of a query that only SQLite knows: see [`Conn::on_postgres`].
    pub(crate) fn on_sqlite<U: Send + 'static>(
        self,
        query: impl LoadQuery<'static, SqliteConnection, U> + Send + 'static,
    ) -> BoxFuture<'c, StoreResult<Vec<U>>> {
        let Conn { session, failed, statements } = self.0;
        statements.add();
        match session {
            Session::Sqlite(session) => {
                watch(failed, session.run_blocking(|conn| query.internal_load(conn)?.collect()), Ok)
            }
            Session::Postgres(_) => ready(Err(internal("only SQLite knows this query"))).boxed(),
        }
    }

    /// See [`Conn::total`].
    pub(crate) fn total(
        self,
        rows: usize,
        page: &PageRequest,
        count: impl Rows<'static, i64> + Send,
    ) -> BoxFuture<'c, StoreResult<usize>> {
        if is_whole(rows, page) { ready(Ok(rows)).boxed() } else { self.load(count, read_count) }
    }

    /// Runs a command and returns the number of affected rows.
    pub(crate) fn run(self, command: impl Command + Send + 'static) -> BoxFuture<'c, StoreResult<usize>> {
        let Conn { session, failed, statements } = self.0;
        statements.add();
        match session {
            Session::Sqlite(session) => {
                watch(failed, session.run_blocking(|conn| ExecuteDsl::execute(command, conn)), Ok)
            }
            Session::Postgres(session) => watch(failed, Pending { answer: session.count(&command), read: Ok }, Ok),
        }
    }

    /// See [`Conn::send`].
    pub(crate) fn send(self, command: impl Command + Send + 'static) -> BoxFuture<'c, StoreResult<()>> {
        let Conn { session, failed, statements } = self.0;
        statements.add();
        match session {
            Session::Sqlite(session) => {
                watch(failed, session.run_blocking(|conn| ExecuteDsl::execute(command, conn)), |_rows| Ok(()))
            }
            Session::Postgres(session) => watch(failed, Pending { answer: session.send(&command), read: Ok }, Ok),
        }
    }

    /// See [`Conn::load`].
    fn load<U: Send + 'static, T: Send + 'static>(
        self,
        query: impl Rows<'static, U> + Send,
        choose: fn(Vec<U>) -> StoreResult<T>,
    ) -> BoxFuture<'c, StoreResult<T>> {
        let Conn { session, failed, statements } = self.0;
        statements.add();
        match session {
            Session::Sqlite(session) => {
                watch(failed, session.run_blocking(|conn| query.internal_load(conn)?.collect()), choose)
            }
            Session::Postgres(session) => watch(failed, query.load_on(session), choose),
        }
    }
}

fn first<U>(rows: Vec<U>) -> StoreResult<Option<U>> {
    Ok(rows.into_iter().next())
}

fn only<U>(rows: Vec<U>) -> StoreResult<U> {
    first(rows)?.ok_or_else(|| internal(diesel::NotFound))
}

/// The result of a query that counts.
fn read_count(rows: Vec<i64>) -> StoreResult<usize> {
    only(rows).map(|count| usize::try_from(count).unwrap_or_default())
}

/// Whether the rows that were read for a page are the whole list.
fn is_whole(rows: usize, page: &PageRequest) -> bool {
    page.after.is_none() && rows <= page.limit
}

// These depend only on the type of the result, so few of them are compiled. If `choose` fails, the statement has not.

fn now<'c, V, T: Send + 'c>(
    failed: &mut bool,
    result: StoreResult<V>,
    choose: fn(V) -> StoreResult<T>,
) -> BoxFuture<'c, StoreResult<T>> {
    *failed |= result.is_err();
    ready(result.and_then(choose)).boxed()
}

fn watch<'c, A: 'c, V: 'c, T: 'c>(
    failed: &'c mut bool,
    Pending { answer, read }: Pending<'c, A, V>,
    choose: fn(V) -> StoreResult<T>,
) -> BoxFuture<'c, StoreResult<T>> {
    let finish = move |answer: StoreResult<A>| {
        let result = answer.and_then(read);
        *failed |= result.is_err();
        result.and_then(choose)
    };
    answer.map(finish).boxed()
}
