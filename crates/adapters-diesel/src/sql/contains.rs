use diesel::expression::{AppearsOnTable, AsExpression, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Bool, Text};
use diesel::sqlite::Sqlite;

/// See [`contains`].
#[derive(Clone, Debug, QueryId)]
pub(crate) struct Contains<E, P> {
    text: E,
    pattern: P,
}

/// Whether a text contains `needle`, ignoring case: `ILIKE` on PostgreSQL, `LIKE` on SQLite. `%`, `_` and `\` in the
/// needle are plain characters. SQLite ignores only the case of ASCII letters.
pub(crate) fn contains<E>(text: E, needle: &str) -> Contains<E, <String as AsExpression<Text>>::Expression> {
    let escaped = needle.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    Contains { text, pattern: AsExpression::<Text>::as_expression(format!("%{escaped}%")) }
}

impl<E, P> Expression for Contains<E, P> {
    type SqlType = Bool;
}
impl<E: AppearsOnTable<T>, P, T> AppearsOnTable<T> for Contains<E, P> {}
impl<E: SelectableExpression<T>, P, T> SelectableExpression<T> for Contains<E, P> {}
impl<E: ValidGrouping<G>, P, G> ValidGrouping<G> for Contains<E, P> {
    type IsAggregate = is_aggregate::No;
}

macro_rules! render {
    ($backend:ty, $operator:literal) => {
        impl<E: QueryFragment<$backend>, P: QueryFragment<$backend>> QueryFragment<$backend> for Contains<E, P> {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, $backend>) -> QueryResult<()> {
                self.text.walk_ast(out.reborrow())?;
                out.push_sql($operator);
                self.pattern.walk_ast(out.reborrow())?;
                out.push_sql(r" ESCAPE '\'");
                Ok(())
            }
        }
    };
}
render!(Pg, " ILIKE ");
render!(Sqlite, " LIKE ");
