use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::RunQueryDsl;
use diesel::result::QueryResult;
use diesel::sqlite::Sqlite;

/// The lock that a query takes on its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// No lock: the unit of work only reads.
    None,
    /// Locks them until the unit of work ends, so that a read followed by a write loses no update.
    Rows,
    /// Keeps them unchanged until the unit of work ends; others can do the same.
    Shared,
    /// Like [`Lock::Rows`], but skips rows that another unit of work has locked: for queues.
    FreeRows,
}

/// See [`locked`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locked<Q>(Q, Lock);

/// Locks the rows of a query until the transaction ends. No lock on SQLite, whose writer owns the database.
///
/// PostgreSQL refuses it on grouped queries and on the outer side of a join. To lock rows and join others to them,
/// first run a query for only the rows to lock: otherwise the joined rows can be older than the lock.
pub(crate) fn locked<Q>(query: Q, lock: Lock) -> Locked<Q> {
    Locked(query, lock)
}

impl<Q: Query> Query for Locked<Q> {
    type SqlType = Q::SqlType;
}
impl<Q, Conn> RunQueryDsl<Conn> for Locked<Q> {}
impl<Q> QueryId for Locked<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Locked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let Self(query, lock) = self;
        query.walk_ast(out.reborrow())?;
        if *lock == Lock::None {
            return Ok(());
        }
        // Keys never change, so rows that only refer to this one need not wait.
        out.push_sql(if *lock == Lock::Shared { " FOR SHARE" } else { " FOR NO KEY UPDATE" });
        if *lock == Lock::FreeRows {
            out.push_sql(" SKIP LOCKED");
        }
        Ok(())
    }
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Locked<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}
