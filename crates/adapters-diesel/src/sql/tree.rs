//! The tree of collections, traversed up and down by recursive queries.
use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{Bool, HasSqlType, Text};

/// The direction of the traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Outwards,
    Inwards,
}

/// See [`around`] and [`within`].
#[derive(Clone, Debug)]
pub(crate) struct Tree<E> {
    id: E,
    start: String,
    direction: Direction,
}

/// Whether `id` is the collection `start` or one of its ancestors.
pub(crate) fn around<E>(id: E, start: &str) -> Tree<E> {
    Tree { id, start: start.to_owned(), direction: Direction::Outwards }
}

/// Whether `id` is the collection `start` or one of its descendants.
pub(crate) fn within<E>(id: E, start: &str) -> Tree<E> {
    Tree { id, start: start.to_owned(), direction: Direction::Inwards }
}

impl<E> Expression for Tree<E> {
    type SqlType = Bool;
}
impl<E: AppearsOnTable<T>, T> AppearsOnTable<T> for Tree<E> {}
impl<E: SelectableExpression<T>, T> SelectableExpression<T> for Tree<E> {}
impl<E: ValidGrouping<G>, G> ValidGrouping<G> for Tree<E> {
    type IsAggregate = is_aggregate::No;
}
impl<E> QueryId for Tree<E> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E: QueryFragment<DB>, DB> QueryFragment<DB> for Tree<E>
where
    DB: Backend + HasSqlType<Text>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.id.walk_ast(out.reborrow())?;
        out.push_sql(" IN (WITH RECURSIVE step (id) AS (SELECT first.id FROM collections AS first WHERE first.id = ");
        out.push_bind_param::<Text, _>(&self.start)?;
        // UNION drops duplicate rows, so the query ends even for a cycle.
        out.push_sql(match self.direction {
            Direction::Outwards => {
                " UNION SELECT next.parent_id FROM collections AS next JOIN step ON next.id = step.id \
                 WHERE next.parent_id IS NOT NULL"
            }
            Direction::Inwards => {
                " UNION SELECT next.id FROM collections AS next JOIN step ON next.parent_id = step.id"
            }
        });
        out.push_sql(") SELECT id FROM step)");
        Ok(())
    }
}
