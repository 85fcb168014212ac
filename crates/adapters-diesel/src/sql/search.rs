//! Full-text search. The domain computes the terms of each row; the databases only index them: FTS5 on SQLite, a
//! `tsvector` with a GIN index on PostgreSQL. Their languages, dictionaries and ranking are not used.
use crate::schema::search::search_index;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::RunQueryDsl;
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Bool, Text};
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

/// See [`matches()`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct Matches {
    fts5: String,
    tsquery: String,
}

/// Whether a row of `search_index` matches a condition.
pub(crate) fn matches(condition: &Condition) -> Matches {
    let (mut fts5, mut tsquery) = (String::new(), String::new());
    write(condition, &FTS5, &mut fts5);
    write(condition, &TSQUERY, &mut tsquery);
    Matches { fts5, tsquery }
}

/// The syntax of a condition on one database.
struct Syntax {
    quote: char,
    prefix: &'static str,
    all: &'static str,
    any: &'static str,
}

const FTS5: Syntax = Syntax { quote: '"', prefix: "*", all: " AND ", any: " OR " };
const TSQUERY: Syntax = Syntax { quote: '\'', prefix: ":*", all: " & ", any: " | " };

fn write(condition: &Condition, syntax: &Syntax, to: &mut String) {
    let mut list = |all: &[Condition], between: &str| {
        to.push('(');
        for (index, condition) in all.iter().enumerate() {
            if index > 0 {
                to.push_str(between);
            }
            write(condition, syntax, to);
        }
        to.push(')');
    };
    match condition {
        Condition::All(all) => list(all, syntax.all),
        Condition::Any(any) => list(any, syntax.any),
        Condition::Term(term) => quote(term, syntax.quote, to),
        Condition::Prefix(term) => {
            quote(term, syntax.quote, to);
            to.push_str(syntax.prefix);
        }
    }
}

/// Writes a term in quotes. Terms of the domain contain neither quotes nor backslashes; this escapes them nevertheless.
fn quote(term: &str, quote: char, to: &mut String) {
    to.push(quote);
    for char in term.chars() {
        if char == quote || (char == '\\' && quote == '\'') {
            to.push(char);
        }
        to.push(char);
    }
    to.push(quote);
}

impl Expression for Matches {
    type SqlType = Bool;
}
impl<T> AppearsOnTable<T> for Matches where search_index::lexemes: AppearsOnTable<T> {}
impl<T> SelectableExpression<T> for Matches where search_index::lexemes: SelectableExpression<T> {}
impl<G> ValidGrouping<G> for Matches {
    type IsAggregate = is_aggregate::No;
}

impl QueryFragment<Pg> for Matches {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        QueryFragment::<Pg>::walk_ast(&search_index::lexemes, out.reborrow())?;
        out.push_sql(" @@ CAST(");
        out.push_bind_param::<Text, _>(&self.tsquery)?;
        out.push_sql("::text AS tsquery)");
        Ok(())
    }
}

/// FTS5 matches against the whole table: without positions (`detail = none`) it cannot match a single column.
impl QueryFragment<Sqlite> for Matches {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("search_index MATCH ");
        out.push_bind_param::<Text, _>(&self.fts5)
    }
}

/// See [`in_order`].
#[derive(Clone, Copy, Debug, QueryId)]
pub(crate) struct InOrder<C>(C);

/// Orders matching rows by row id. FTS5 already returns them in this order. PostgreSQL's index returns them in any
/// order; with the plain column, it could scan all rows in order instead of using the index.
pub(crate) fn in_order<C>(rowid: C) -> InOrder<C> {
    InOrder(rowid)
}

impl<C> Expression for InOrder<C> {
    type SqlType = BigInt;
}
impl<C: AppearsOnTable<T>, T> AppearsOnTable<T> for InOrder<C> {}
impl<C: SelectableExpression<T>, T> SelectableExpression<T> for InOrder<C> {}
impl<C: ValidGrouping<G>, G> ValidGrouping<G> for InOrder<C> {
    type IsAggregate = C::IsAggregate;
}

impl<C: QueryFragment<Pg>> QueryFragment<Pg> for InOrder<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" + 0");
        Ok(())
    }
}

impl<C: QueryFragment<Sqlite>> QueryFragment<Sqlite> for InOrder<C> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
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
