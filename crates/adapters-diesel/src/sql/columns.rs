use diesel::Selectable;
use diesel::pg::Pg;

/// The columns of a row struct, like `R::as_select()`, but not tied to one database.
pub(crate) fn columns<R: Selectable<Pg>>() -> R::SelectExpression {
    R::construct_selection()
}
