use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};
use diesel::sqlite::Sqlite;
use std::marker::PhantomData;

/// A table of counts: the count of a key is the sum of its rows.
pub(crate) trait Counts<const KEYS: usize> {
    const TABLE: &'static str;
    /// The columns of the key.
    const KEY: [&'static str; KEYS];
    /// The column of the number.
    const NUMBER: &'static str;
}

/// The table `event_counts`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventCounts;

impl Counts<2> for EventCounts {
    const TABLE: &'static str = "event_counts";
    const KEY: [&'static str; 2] = ["organization_id", "action"];
    const NUMBER: &'static str = "events";
}

/// The table `comment_counts`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommentCounts;

impl Counts<1> for CommentCounts {
    const TABLE: &'static str = "comment_counts";
    const KEY: [&'static str; 1] = ["space_id"];
    const NUMBER: &'static str = "comments";
}

/// Adds to the count of a key: to one row of it that is free, or to a new row if none is free.
#[derive(Clone, Debug)]
pub(crate) struct AddToCount<T, const KEYS: usize> {
    key: [String; KEYS],
    change: i64,
    table: PhantomData<T>,
}

/// Adds new events to the number of events of an organization and an action.
pub(crate) fn count_events(organization: &str, action: &str, events: i64) -> AddToCount<EventCounts, 2> {
    AddToCount { key: [organization, action].map(str::to_owned), change: events, table: PhantomData }
}

/// Adds to the number of open comments of a space.
pub(crate) fn count_comments(space: &str, change: i64) -> AddToCount<CommentCounts, 1> {
    AddToCount { key: [space.to_owned()], change, table: PhantomData }
}

impl<T: Counts<KEYS> + 'static, const KEYS: usize> QueryId for AddToCount<T, KEYS> {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<T: Counts<KEYS>, const KEYS: usize> AddToCount<T, KEYS> {
    /// `WHERE`, and the condition for the rows of the key.
    fn push_where<'b, DB>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
    where
        DB: Backend + HasSqlType<Text>,
        String: ToSql<Text, DB>,
    {
        for (at, (column, value)) in T::KEY.into_iter().zip(&self.key).enumerate() {
            out.push_sql(if at == 0 { " WHERE " } else { " AND " });
            out.push_sql(column);
            out.push_sql(" = ");
            out.push_bind_param::<Text, _>(value)?;
        }
        Ok(())
    }
}

/// Rows that other units of work have locked are skipped. So no unit of work waits for another one, and the order of
/// locks does not matter.
impl<T: Counts<KEYS>, const KEYS: usize> QueryFragment<Pg> for AddToCount<T, KEYS> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let (table, number) = (T::TABLE, T::NUMBER);
        // As a plain subquery, it could be evaluated several times and lock several rows.
        out.push_sql(&format!("WITH free AS (SELECT id FROM {table}"));
        self.push_where(&mut out)?;
        out.push_sql(&format!(
            " ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), \
             counted AS (UPDATE {table} SET {number} = {number} + "
        ));
        out.push_bind_param::<BigInt, _>(&self.change)?;
        out.push_sql(&format!(
            " WHERE id = (SELECT id FROM free) RETURNING id) INSERT INTO {table} ({}, {number}) SELECT ",
            T::KEY.join(", ")
        ));
        for value in &self.key {
            out.push_sql("CAST(");
            out.push_bind_param::<Text, _>(value)?;
            out.push_sql(" AS TEXT), ");
        }
        out.push_sql("CAST(");
        out.push_bind_param::<BigInt, _>(&self.change)?;
        out.push_sql(" AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM counted)");
        Ok(())
    }
}

impl<T: Counts<KEYS>, const KEYS: usize> QueryFragment<Sqlite> for AddToCount<T, KEYS> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let (table, number) = (T::TABLE, T::NUMBER);
        // Without a row, the id is NULL, and SQLite makes one.
        let columns = T::KEY.join(", ");
        out.push_sql(&format!("INSERT INTO {table} (id, {columns}, {number}) VALUES ((SELECT id FROM {table}"));
        self.push_where(&mut out)?;
        out.push_sql(" ORDER BY id LIMIT 1), ");
        for value in &self.key {
            out.push_bind_param::<Text, _>(value)?;
            out.push_sql(", ");
        }
        out.push_bind_param::<BigInt, _>(&self.change)?;
        out.push_sql(&format!(") ON CONFLICT (id) DO UPDATE SET {number} = {table}.{number} + excluded.{number}"));
        Ok(())
    }
}

/// See [`open_comments`].
#[derive(Clone, Copy, Debug, QueryId)]
pub(crate) struct OpenComments;

/// The number of open comments of a space of a query, without those of its change requests.
pub(crate) fn open_comments() -> OpenComments {
    OpenComments
}

impl Expression for OpenComments {
    type SqlType = BigInt;
}
impl<T> AppearsOnTable<T> for OpenComments {}
impl<T> SelectableExpression<T> for OpenComments {}
impl<G> ValidGrouping<G> for OpenComments {
    type IsAggregate = is_aggregate::No;
}

impl<DB: Backend> QueryFragment<DB> for OpenComments {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(
            "(SELECT coalesce(CAST(sum(comments) AS BIGINT), 0) FROM comment_counts WHERE space_id = spaces.id)",
        );
        Ok(())
    }
}

/// See [`listed_comments`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedComments {
    apart: bool,
}

/// The number of open comments of a space of a list; 0 if the numbers of all spaces of the list are read apart.
pub(crate) fn listed_comments(apart: bool) -> ListedComments {
    ListedComments { apart }
}

impl Expression for ListedComments {
    type SqlType = BigInt;
}
impl<T> AppearsOnTable<T> for ListedComments {}
impl<T> SelectableExpression<T> for ListedComments {}
impl<G> ValidGrouping<G> for ListedComments {
    type IsAggregate = is_aggregate::No;
}
impl QueryId for ListedComments {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend> QueryFragment<DB> for ListedComments {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if self.apart {
            out.push_sql("CAST(0 AS BIGINT)");
            return Ok(());
        }
        OpenComments.walk_ast(out)
    }
}
