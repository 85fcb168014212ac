use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::Text;

/// See [`folded_name`].
#[derive(Clone, Copy, Debug, QueryId)]
pub(crate) struct FoldedName;

/// The name of a row of the table `users`, without the address that follows it in the column `folded`. Only for sorting:
/// if folding changes the length of the address, some of the name is missing, or some of the address follows it.
pub(crate) fn folded_name() -> FoldedName {
    FoldedName
}

impl Expression for FoldedName {
    type SqlType = Text;
}
impl<T> AppearsOnTable<T> for FoldedName {}
impl<T> SelectableExpression<T> for FoldedName {}
impl<G> ValidGrouping<G> for FoldedName {
    type IsAggregate = is_aggregate::No;
}

impl<DB: Backend> QueryFragment<DB> for FoldedName {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        // Folding can shorten an address. PostgreSQL refuses a negative length.
        out.push_sql(
            "(CASE WHEN length(users.folded) > length(users.email) + 1 \
             THEN substr(users.folded, 1, length(users.folded) - length(users.email) - 1) ELSE '' END)",
        );
        Ok(())
    }
}
