use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::RunQueryDsl;
use diesel::result::QueryResult;
use diesel::sqlite::Sqlite;

/// What a query does to the rows it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Nothing: the unit of work only reads.
    None,
    /// Locks them until the unit of work ends, so that reading, changing and writing back loses no update.
    Rows,
    /// Keeps them as they are until the unit of work ends; others may do the same.
    Shared,
    /// Like [`Lock::Rows`], passing over those that somebody else has locked: for queues.
    FreeRows,
}

/// See [`locked`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locked<Q>(Q, Lock);

/// Locks the rows that a query reads until the transaction ends. Nothing on SQLite, whose writer owns the database.
///
/// PostgreSQL refuses it on grouped queries and on the outer side of a join. A query that joins others to the rows to be
/// locked is asked after a query for these alone: what it says of the others may otherwise be older than the lock.
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
        // Keys never change here, so rows that only refer to this one need not wait.
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
