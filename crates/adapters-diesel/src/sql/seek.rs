use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::Bool;
use domain::paging::Order;

/// See [`seek`].
#[derive(Clone, Debug)]
pub(crate) struct Seek<K, B> {
    key: K,
    bound: Option<B>,
    order: Order,
}

/// Keyset pagination: the rows with a key beyond `bound` in this order; all rows without a bound.
///
/// A key of several columns is a tuple, compared as a row value: `(posted_at, id) < (?, ?)`. Its columns must not be
/// NULL, and together they must be unique. Bind the bound as `value.into_sql::<Text>()`, so that it is a parameter.
pub(crate) fn seek<K, B>(key: K, bound: Option<B>, order: Order) -> Seek<K, B> {
    Seek { key, bound, order }
}

impl<K, B> Expression for Seek<K, B> {
    type SqlType = Bool;
}
impl<K: AppearsOnTable<T>, B, T> AppearsOnTable<T> for Seek<K, B> {}
impl<K: SelectableExpression<T>, B, T> SelectableExpression<T> for Seek<K, B> {}
impl<K: ValidGrouping<G>, B, G> ValidGrouping<G> for Seek<K, B> {
    type IsAggregate = is_aggregate::No;
}
impl<K, B> QueryId for Seek<K, B> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<K: QueryFragment<DB>, B: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Seek<K, B> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let Some(bound) = &self.bound else {
            out.push_sql("1=1");
            return Ok(());
        };
        out.push_sql("(");
        self.key.walk_ast(out.reborrow())?;
        out.push_sql(match self.order {
            Order::Asc => ") > (",
            Order::Desc => ") < (",
        });
        bound.walk_ast(out.reborrow())?;
        out.push_sql(")");
        Ok(())
    }
}
