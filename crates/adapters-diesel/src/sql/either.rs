use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;

/// See [`either`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Either<A, B> {
    first: A,
    second: B,
    take_first: bool,
}

/// One of two expressions of one type, chosen at run time: for lists whose order the caller selects.
pub(crate) fn either<A, B>(take_first: bool, first: A, second: B) -> Either<A, B> {
    Either { first, second, take_first }
}

impl<A: Expression, B: Expression<SqlType = A::SqlType>> Expression for Either<A, B> {
    type SqlType = A::SqlType;
}
impl<A: AppearsOnTable<T>, B: AppearsOnTable<T>, T> AppearsOnTable<T> for Either<A, B> where Self: Expression {}
impl<A: SelectableExpression<T>, B: SelectableExpression<T>, T> SelectableExpression<T> for Either<A, B> where
    Self: AppearsOnTable<T>
{
}
impl<A, B, G> ValidGrouping<G> for Either<A, B>
where
    A: ValidGrouping<G, IsAggregate = is_aggregate::No>,
    B: ValidGrouping<G, IsAggregate = is_aggregate::No>,
{
    type IsAggregate = is_aggregate::No;
}
impl<A, B> QueryId for Either<A, B> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<A: QueryFragment<DB>, B: QueryFragment<DB>, DB: Backend> QueryFragment<DB> for Either<A, B> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if self.take_first { self.first.walk_ast(out) } else { self.second.walk_ast(out) }
    }
}
