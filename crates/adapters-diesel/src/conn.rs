//! The executor: one statement, whichever database.

use crate::error::internal;
use crate::postgres::{self, Load};
use crate::sqlite;
use diesel::SqliteConnection;
use diesel::pg::Pg;
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::query_dsl::{LoadQuery, methods::ExecuteDsl};
use domain::ports::StoreResult;
use futures_util::future::{BoxFuture, ready};
use futures_util::{FutureExt, TryFutureExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A statement that both databases accept and that yields rows of `U`.
///
/// Beyond what diesel offers on both: no `into_boxed` (use [`crate::sql::when`] and its kin), no `as_select` (use
/// [`crate::sql::columns`]), and only the portable SQL types `Text`, `Integer`, `BigInt`, `Bool`, `Double`,
/// `Timestamp`, `Json` and `Binary`.
pub(crate) trait Rows<'q, U>: Load<U> + LoadQuery<'q, SqliteConnection, U> + 'q {}
impl<'q, U, Q> Rows<'q, U> for Q where Q: Load<U> + LoadQuery<'q, SqliteConnection, U> + 'q {}

/// A statement that both databases accept and that only counts rows.
///
/// An insert of many rows is one statement on PostgreSQL and one row after the other on SQLite, where that is as fast;
/// it is atomic on both.
pub(crate) trait Command: QueryFragment<Pg> + QueryId + ExecuteDsl<SqliteConnection> {}
impl<Q> Command for Q where Q: QueryFragment<Pg> + QueryId + ExecuteDsl<SqliteConnection> {}

/// How many statements units of work have sent to a database. A list whose count grows with its length asks the database
/// about each of its items; tests notice that.
#[derive(Clone, Default)]
pub(crate) struct Statements(Arc<AtomicU64>);

impl Statements {
    /// How many there were so far.
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

enum Link {
    Sqlite(Box<sqlite::Session>),
    Postgres(Box<postgres::Session>),
}

/// An open transaction of either database. Dropping it rolls back at once.
///
/// The bounds of its methods make the compiler prove, at every call, that the statement is valid on both databases.
///
/// On SQLite a statement runs on the calling thread and must be short: it finds its rows by an index, and there are not
/// many. Whatever may be long goes through [`Conn::at_length`].
pub(crate) struct Conn {
    link: Link,
    /// PostgreSQL answers `COMMIT` of a transaction with a failed statement by rolling back, without an error; SQLite
    /// would commit the rest. Neither is wanted.
    failed: bool,
    statements: Statements,
}

impl Conn {
    pub(crate) fn sqlite(session: sqlite::Session, statements: Statements) -> Self {
        Self { link: Link::Sqlite(Box::new(session)), failed: false, statements }
    }

    pub(crate) fn postgres(session: postgres::Session, statements: Statements) -> Self {
        Self { link: Link::Postgres(Box::new(session)), failed: false, statements }
    }

    // These are not `async fn`: the statement is handed to the driver before the future exists, so the future does not
    // hold it and is `Send` whatever the statement borrows.

    /// All rows of a query.
    pub(crate) fn all<'c, 'q, U: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
    ) -> BoxFuture<'c, StoreResult<Vec<U>>> {
        let Self { link, failed, statements } = self;
        statements.add();
        match link {
            Link::Sqlite(session) => now(failed, session.run(|conn| query.internal_load(conn)?.collect())),
            Link::Postgres(session) => watch(failed, session.run(|conn| query.load_on(conn))),
        }
    }

    /// The first row of a query, if there is one.
    pub(crate) fn maybe<'c, 'q, U: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
    ) -> BoxFuture<'c, StoreResult<Option<U>>> {
        self.all(query).map_ok(|rows| rows.into_iter().next()).boxed()
    }

    /// The first row of a query that always has one, such as a count.
    pub(crate) fn one<'c, 'q, U: Send + 'static>(
        &'c mut self,
        query: impl Rows<'q, U>,
    ) -> BoxFuture<'c, StoreResult<U>> {
        self.maybe(query).map(|row| row?.ok_or_else(|| internal(diesel::NotFound))).boxed()
    }

    /// Runs a command and counts the rows it touched.
    pub(crate) fn run<'c>(&'c mut self, command: impl Command) -> BoxFuture<'c, StoreResult<usize>> {
        let Self { link, failed, statements } = self;
        statements.add();
        match link {
            Link::Sqlite(session) => now(failed, session.run(|conn| ExecuteDsl::execute(command, conn))),
            Link::Postgres(session) => watch(failed, session.change(|conn| conn.count(command))),
        }
    }

    /// Whether others may write at the same time, so that rows are locked.
    pub(crate) fn locks_rows(&self) -> bool {
        matches!(self.link, Link::Postgres(_))
    }

    /// For statements that may take long: searches, scans, changes of thousands of rows.
    pub(crate) fn at_length(&mut self) -> AtLength<'_> {
        AtLength(self)
    }

    /// Answers when the connection works.
    pub(crate) async fn ping(&mut self) -> StoreResult<()> {
        self.one(diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>("1"))).await.map(|_: i32| ())
    }

    /// Makes the changes durable and visible.
    ///
    /// # Errors
    /// `Unknown` when it is not known whether that happened. `Internal` when a statement failed before: nothing is
    /// kept of such a unit of work.
    pub(crate) async fn commit(self) -> StoreResult<()> {
        if self.failed {
            return Err(internal("a statement failed, so nothing can be committed"));
        }
        match self.link {
            Link::Sqlite(mut session) => session.commit().await,
            Link::Postgres(session) => session.commit().await,
        }
    }
}

/// The same for long statements. On SQLite they run on a blocking thread, which costs 50-100 µs, so they own what they
/// bind. On PostgreSQL there is no difference.
pub(crate) struct AtLength<'c>(&'c mut Conn);

impl<'c> AtLength<'c> {
    /// All rows of a query.
    pub(crate) fn all<U: Send + 'static>(
        self,
        query: impl Rows<'static, U> + Send,
    ) -> BoxFuture<'c, StoreResult<Vec<U>>> {
        let Conn { link, failed, statements } = self.0;
        statements.add();
        match link {
            Link::Sqlite(session) => watch(failed, session.run_apart(|conn| query.internal_load(conn)?.collect())),
            Link::Postgres(session) => watch(failed, session.run(|conn| query.load_on(conn))),
        }
    }

    /// Runs a command and counts the rows it touched.
    pub(crate) fn run(self, command: impl Command + Send + 'static) -> BoxFuture<'c, StoreResult<usize>> {
        let Conn { link, failed, statements } = self.0;
        statements.add();
        match link {
            Link::Sqlite(session) => watch(failed, session.run_apart(|conn| ExecuteDsl::execute(command, conn))),
            Link::Postgres(session) => watch(failed, session.change(|conn| conn.count(command))),
        }
    }
}

fn now<'c, T: Send + 'c>(failed: &mut bool, result: StoreResult<T>) -> BoxFuture<'c, StoreResult<T>> {
    *failed |= result.is_err();
    ready(result).boxed()
}

fn watch<'c, T: 'c>(
    failed: &'c mut bool,
    answer: impl Future<Output = StoreResult<T>> + Send + 'c,
) -> BoxFuture<'c, StoreResult<T>> {
    answer.inspect_err(|_| *failed = true).boxed()
}
