use diesel::backend::Backend;
use diesel::expression::expression_types::NotSelectable;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use domain::paging::Order;

/// See [`ordered`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered<E>(E, Order);

/// `ORDER BY expr ASC` or `DESC`, chosen at run time. Text is ordered by bytes on both databases only if the column is
/// declared `COLLATE "C"` on PostgreSQL.
pub(crate) fn ordered<E>(expr: E, order: Order) -> Ordered<E> {
    Ordered(expr, order)
}

impl<E> Expression for Ordered<E> {
    type SqlType = NotSelectable;
}
impl<E: AppearsOnTable<T>, T> AppearsOnTable<T> for Ordered<E> {}
impl<E: SelectableExpression<T>, T> SelectableExpression<T> for Ordered<E> {}
impl<E: ValidGrouping<G>, G> ValidGrouping<G> for Ordered<E> {
    type IsAggregate = E::IsAggregate;
}
impl<E> QueryId for Ordered<E> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Ordered<E> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(match self.1 {
            Order::Asc => " ASC",
            Order::Desc => " DESC",
        });
        Ok(())
    }
}
