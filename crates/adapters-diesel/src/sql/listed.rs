use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, Binary, Bool};
use diesel::sqlite::Sqlite;

/// See [`listed`].
#[derive(Clone, Debug)]
pub(crate) struct Listed<C> {
    column: C,
    values: Vec<Vec<u8>>,
}

/// Whether a column is one of these values. Unlike `eq_any`, the statement stays prepared, on SQLite for each number of
/// values: parsing it takes as long as running it. For lists with a small maximum.
pub(crate) fn listed<C>(column: C, values: Vec<Vec<u8>>) -> Listed<C> {
    Listed { column, values }
}

impl<C> Expression for Listed<C> {
    type SqlType = Bool;
}
impl<C: AppearsOnTable<T>, T> AppearsOnTable<T> for Listed<C> {}
impl<C: SelectableExpression<T>, T> SelectableExpression<T> for Listed<C> {}
impl<C: ValidGrouping<G>, G> ValidGrouping<G> for Listed<C> {
    type IsAggregate = is_aggregate::No;
}
impl<C> QueryId for Listed<C> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<C: QueryFragment<Pg>> QueryFragment<Pg> for Listed<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        out.push_sql(" = ANY(");
        out.push_bind_param::<Array<Binary>, _>(&self.values)?;
        out.push_sql(")");
        Ok(())
    }
}

impl<C: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Listed<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        out.push_sql(" IN (");
        for (at, value) in self.values.iter().enumerate() {
            if at > 0 {
                out.push_sql(", ");
            }
            out.push_bind_param::<Binary, _>(value)?;
        }
        out.push_sql(")");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::content::objects;
    use diesel::QueryDsl;

    #[test]
    fn a_statement_with_a_list_stays_prepared() {
        let query = objects::table.filter(listed(objects::hash, vec![vec![1], vec![2]]));
        assert!(QueryFragment::<Sqlite>::is_safe_to_cache_prepared(&query, &Sqlite).unwrap());
        assert!(QueryFragment::<Pg>::is_safe_to_cache_prepared(&query, &Pg).unwrap());
    }
}
