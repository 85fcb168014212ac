use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::Bool;

/// See [`when`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct When<E>(Option<E>);

/// A filter that applies only if there is one. A query with optional filters then has one type and is valid on both
/// databases, while a boxed query belongs to one.
///
/// A condition that is NULL counts as NULL, as in any filter.
pub(crate) fn when<E>(condition: Option<E>) -> When<E> {
    When(condition)
}

impl<E> Expression for When<E> {
    type SqlType = Bool;
}
impl<E: AppearsOnTable<T>, T> AppearsOnTable<T> for When<E> {}
impl<E: SelectableExpression<T>, T> SelectableExpression<T> for When<E> {}
impl<E: ValidGrouping<G, IsAggregate = is_aggregate::No>, G> ValidGrouping<G> for When<E> {
    type IsAggregate = is_aggregate::No;
}
impl<E> QueryId for When<E> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for When<E> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let Some(condition) = &self.0 else {
            out.push_sql("1=1");
            return Ok(());
        };
        out.push_sql("(");
        condition.walk_ast(out.reborrow())?;
        out.push_sql(")");
        Ok(())
    }
}
