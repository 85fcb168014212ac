//! Views: an operation and its schemas in the form that readers see, as plain values.
//!
//! A view has the content in the order for readers, without markup. Schemas are rows (see [`SchemaRow`]): references
//! are followed, `allOf` is merged if nothing contradicts, `oneOf` and `anyOf` are choices, and a schema below itself
//! refers to the row above. Requests have no read-only fields, and responses have no write-only ones. Webhooks and
//! callbacks are sent by the API, so they are the reverse.
//!
//! A [`Budget`] limits the view. Rows beyond it are closed: [`schema`] opens them by their pointer.
//!
//! A document can be partial: the [`excerpt`](crate::excerpt) for the view is enough.
mod below;
mod build;
mod describe;
pub(crate) mod find;
mod meter;
mod operation;
mod row;
mod rows;
mod rules;
mod security;
#[cfg(test)]
mod tests;
mod text;
mod types;

pub use operation::{
    BodyView, CallbackView, EncodingView, MediaView, OperationOptions, OperationView, ParameterGroup, ParameterView,
    ResponseView, ServerVariable, ServerView,
};
pub use row::{RowRole, RowsLeftOut, SchemaRow, ValueView};
pub use security::{FlowView, SchemeView, ScopeView, SecurityAlternative, SecurityView};

use crate::direction::Direction;
use crate::schema::Schemas;
use crate::tree::{Node, pointer_step};
use meter::Meter;
use rows::Rows;

/// The limits of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The maximum number of rows.
    pub rows: usize,
    /// The maximum number of rows below each other, below the first one.
    pub depth: usize,
    /// The maximum number of bytes of the view as JSON.
    pub bytes: usize,
    /// For the view of a schema: the number of rows directly below it that are left out, because another view has them.
    pub skip: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { rows: 400, depth: 4, bytes: 300 * 1024, skip: 0 }
    }
}

/// The view of an operation; `None` if the document does not have it. The path matches with and without a slash at its
/// end, the method without regard to case.
pub fn operation(document: &Node, path: &str, method: &str, budget: &Budget) -> Option<OperationView> {
    let schemas = Schemas::new(document);
    let (path, found) = find::operation(&schemas, path, method)?;
    Some(build::view(&schemas, &found, build::Subject::Path(&path), budget))
}

/// The view of an operation of a webhook; `None` if the document does not have it. The method matches without regard to
/// case.
pub fn webhook(document: &Node, name: &str, method: &str, budget: &Budget) -> Option<OperationView> {
    let schemas = Schemas::new(document);
    let found = find::webhook(&schemas, name, method)?;
    Some(build::view(&schemas, &found, build::Subject::Webhook(name), budget))
}

/// The view of the schema at this JSON Pointer; `None` if the document has nothing there. Without a direction, no field
/// is hidden.
pub fn schema(document: &Node, pointer: &str, direction: Option<Direction>, budget: &Budget) -> Option<SchemaRow> {
    let schemas = Schemas::new(document);
    let located = schemas.at(pointer)?;
    let mut meter = Meter::new(budget);
    let mut rows = Rows::new(&schemas, budget.depth);
    rows.add(Some(&located), direction, &mut meter, |_| ())?;
    rows.grow(&mut meter, budget.skip);
    rows.finish().pop()
}

/// The views of schemas of the components, in one budget. Each has its name. Schemas that do not exist, and those for
/// which the budget is too small, are left out.
pub fn models<T: AsRef<str>>(document: &Node, names: &[T], budget: &Budget) -> Vec<SchemaRow> {
    let schemas = Schemas::new(document);
    let mut meter = Meter::new(budget);
    let mut rows = Rows::new(&schemas, budget.depth);
    for name in names.iter().map(AsRef::as_ref) {
        if let Some(located) = schemas.at(&format!("/components/schemas/{}", pointer_step(name))) {
            rows.add(Some(&located), None, &mut meter, |row| row.name = Some(name.to_owned()));
        }
    }
    rows.grow(&mut meter, 0);
    rows.finish()
}
