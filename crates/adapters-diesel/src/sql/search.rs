//! Full-text search. The domain computes the terms of each row; the databases only index them: FTS5 on SQLite, a
//! `tsvector` with a GIN index on PostgreSQL. Their languages, dictionaries and ranking are not used.
use super::condition::fts5_any;
use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::RunQueryDsl;
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};
use diesel::sqlite::Sqlite;
use domain::content::search::Condition;

/// See [`lexemes`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct Lexemes(String);

/// Terms separated by spaces, as they are stored.
pub(crate) fn lexemes(terms: String) -> Lexemes {
    Lexemes(terms)
}

impl Expression for Lexemes {
    type SqlType = Text;
}
impl<T> AppearsOnTable<T> for Lexemes {}
impl<T> SelectableExpression<T> for Lexemes {}
impl<G> ValidGrouping<G> for Lexemes {
    type IsAggregate = is_aggregate::Never;
}

impl QueryFragment<Pg> for Lexemes {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("array_to_tsvector(string_to_array(");
        out.push_bind_param::<Text, _>(&self.0)?;
        out.push_sql(", ' '))");
        Ok(())
    }
}

impl QueryFragment<Sqlite> for Lexemes {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_bind_param::<Text, _>(&self.0)
    }
}

/// See [`matching_sections`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct MatchingSections {
    fts5: String,
    limit: i64,
}

/// A query for the ids of the rows of `search_index` that match any of these conditions, the lowest ids first, on
/// SQLite. On PostgreSQL, one statement looks for all that a search needs: see
/// [`best_sections`](super::best_sections).
pub(crate) fn matching_sections(conditions: &[Condition], limit: i64) -> MatchingSections {
    MatchingSections { fts5: fts5_any(conditions), limit }
}

impl Query for MatchingSections {
    type SqlType = BigInt;
}
impl<Conn> RunQueryDsl<Conn> for MatchingSections {}

/// FTS5 returns rows in the order of their ids and stops at the limit. It matches against the whole table: without
/// positions (`detail = none`) it cannot match a single column.
impl QueryFragment<Sqlite> for MatchingSections {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("SELECT rowid FROM search_index WHERE search_index MATCH ");
        out.push_bind_param::<Text, _>(&self.fts5)?;
        out.push_sql(" ORDER BY rowid LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)
    }
}

/// See [`next_sections`].
#[derive(Clone, Copy, Debug, QueryId)]
pub(crate) struct NextSections(i64);

/// A query for `count` ids of new rows of `search_sections`, each higher than all earlier ids.
pub(crate) fn next_sections(count: i64) -> NextSections {
    NextSections(count)
}

impl Query for NextSections {
    type SqlType = BigInt;
}
impl<Conn> RunQueryDsl<Conn> for NextSections {}

impl QueryFragment<Pg> for NextSections {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT nextval('search_section_ids') FROM generate_series(1, ");
        out.push_bind_param::<BigInt, _>(&self.0)?;
        out.push_sql(")");
        Ok(())
    }
}

/// There is one writer, so the ids follow the last row.
impl QueryFragment<Sqlite> for NextSections {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(
            "WITH RECURSIVE n(i) AS (SELECT coalesce(max(id), 0) + 1 FROM search_sections UNION ALL SELECT i + 1 FROM n) \
             SELECT i FROM n LIMIT ",
        );
        out.push_bind_param::<BigInt, _>(&self.0)
    }
}

/// See [`remove_empty_parts`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct RemoveEmptyParts(String);

/// Removes the rows of `search_parts` of a space whose sections are all removed, except the last one, which takes new
/// sections. The ids of the sections of a part are lower than those of the next part.
pub(crate) fn remove_empty_parts(space: &str) -> RemoveEmptyParts {
    RemoveEmptyParts(space.to_owned())
}

impl<DB> QueryFragment<DB> for RemoveEmptyParts
where
    DB: Backend + HasSqlType<Text>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(
            "DELETE FROM search_parts WHERE number IN (SELECT part.number FROM (SELECT number, first_section, \
             lead(first_section) OVER (ORDER BY number) AS next_section FROM search_parts WHERE space_id = ",
        );
        out.push_bind_param::<Text, _>(&self.0)?;
        out.push_sql(
            ") AS part WHERE part.next_section IS NOT NULL AND NOT EXISTS (SELECT 1 FROM search_sections \
             WHERE id >= part.first_section AND id < part.next_section AND space_id = ",
        );
        out.push_bind_param::<Text, _>(&self.0)?;
        out.push_sql("))");
        Ok(())
    }
}
