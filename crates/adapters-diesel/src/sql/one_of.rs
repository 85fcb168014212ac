use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, Bool, HasSqlType};
use diesel::sqlite::Sqlite;

/// Longer lists are not kept prepared on SQLite: a statement takes 190 bytes of memory for each value.
const KEPT: usize = 128;

/// See [`one_of`].
#[derive(Clone, Debug)]
pub(crate) struct OneOf<C, V> {
    column: C,
    values: Vec<V>,
}

/// Whether a column that is never null is one of these values. Unlike `eq_any`, the statement stays prepared on SQLite:
/// parsing a list takes as long as finding the rows. A short list is filled up to a power of two with its last value, so
/// that there are few statements, and the planner still knows how long the list is.
pub(crate) fn one_of<C, V>(column: C, values: impl IntoIterator<Item = V>) -> OneOf<C, V> {
    OneOf { column, values: values.into_iter().collect() }
}

impl<C, V> Expression for OneOf<C, V> {
    type SqlType = Bool;
}
impl<C: AppearsOnTable<T>, V, T> AppearsOnTable<T> for OneOf<C, V> {}
impl<C: SelectableExpression<T>, V, T> SelectableExpression<T> for OneOf<C, V> {}
impl<C: ValidGrouping<G>, V, G> ValidGrouping<G> for OneOf<C, V> {
    type IsAggregate = is_aggregate::No;
}
impl<C, V> QueryId for OneOf<C, V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<C, V> QueryFragment<Pg> for OneOf<C, V>
where
    C: Expression<SqlType: 'static> + QueryFragment<Pg>,
    Vec<V>: ToSql<Array<C::SqlType>, Pg>,
    Pg: HasSqlType<Array<C::SqlType>>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        out.push_sql(" = ANY(");
        out.push_bind_param::<Array<C::SqlType>, _>(&self.values)?;
        out.push_sql(")");
        Ok(())
    }
}

impl<C, V> QueryFragment<Sqlite> for OneOf<C, V>
where
    C: Expression + QueryFragment<Sqlite>,
    V: ToSql<C::SqlType, Sqlite>,
    Sqlite: HasSqlType<C::SqlType>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        let values = &self.values;
        let filling = if values.len() > KEPT {
            out.unsafe_to_cache_prepared();
            0
        } else {
            values.len().next_power_of_two() - values.len()
        };
        let filled = values.iter().chain(values.last().into_iter().cycle().take(filling));
        let mut before = " IN (";
        for value in filled {
            out.push_sql(before);
            out.push_bind_param::<C::SqlType, _>(value)?;
            before = ", ";
        }
        out.push_sql(if values.is_empty() { " IN ()" } else { ")" });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::search::{search_sections, search_spaces};
    use diesel::connection::SimpleConnection;
    use diesel::query_builder::QueryBuilder;
    use diesel::sqlite::SqliteQueryBuilder;
    use diesel::{Connection, ExpressionMethods, QueryDsl, RunQueryDsl, SqliteConnection};
    use std::collections::BTreeSet;

    #[test]
    fn lists_of_any_length_have_few_statements_and_all_but_long_ones_stay_prepared() {
        let mut texts = BTreeSet::new();
        for length in 0..=KEPT + 1 {
            let query = search_sections::table.filter(one_of(search_sections::id, vec![7_i64; length]));
            assert!(QueryFragment::<Pg>::is_safe_to_cache_prepared(&query, &Pg).unwrap());
            let kept = QueryFragment::<Sqlite>::is_safe_to_cache_prepared(&query, &Sqlite).unwrap();
            assert_eq!(kept, length <= KEPT, "{length}");
            let mut text = SqliteQueryBuilder::default();
            QueryFragment::<Sqlite>::to_sql(&query, &mut text, &Sqlite).unwrap();
            texts.insert(text.finish());
        }
        // None, 1, 2, 4 and so on, and the long one.
        assert_eq!(texts.len(), 1 + KEPT.ilog2() as usize + 1 + 1);
    }

    #[test]
    fn a_row_is_found_by_one_of_the_values() {
        let mut conn = SqliteConnection::establish(":memory:").unwrap();
        conn.batch_execute("CREATE TABLE search_spaces (number INTEGER PRIMARY KEY, space_id TEXT NOT NULL)").unwrap();
        for name in ["a", "b", "c", "d", "e", "f"] {
            let row = diesel::insert_into(search_spaces::table).values(search_spaces::space_id.eq(name));
            row.execute(&mut conn).unwrap();
        }
        let all = ["a", "x", "f", "c", "c", "y", "b"];
        for length in 0..=all.len() {
            let query = search_spaces::table.filter(one_of(search_spaces::space_id, all[..length].to_vec()));
            let found: Vec<String> = query.select(search_spaces::space_id).load(&mut conn).unwrap();
            let expected: BTreeSet<&str> = all[..length].iter().copied().filter(|name| *name < "x").collect();
            assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected);
            assert_eq!(found.len(), expected.len(), "each once");
        }
    }
}
