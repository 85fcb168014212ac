//! Compares two versions of a document: the changes, and whether they break callers.
//!
//! Operations are matched by method and path, whatever path parameters are called, then by operation id. Their contents
//! are compared in a direction: in *requests*, valid values must stay valid; in *responses*, promises must be kept.
//! Webhooks and callbacks invert the directions.
//!
//! Values are compared in pairs, and each pair once in each direction (`compare`). So recursion ends, the cost is
//! linear, and a change of a shared schema is one [`Change`] that lists all operations that reach the schema. Equal
//! values that refer only to equal values are skipped (`sides`).
//!
//! `rules` is the table of ids and levels.
mod accept;
mod alike;
mod changelog;
mod changes;
mod compare;
mod components;
mod matching;
mod messages;
mod operations;
mod parameters;
mod places;
mod reach;
mod render;
mod report;
mod rules;
mod schema;
mod security;
mod sides;
mod subject;
#[cfg(test)]
mod tests;

pub use accept::accepted;
pub use changelog::{Changelog, ChangelogLimits, ChangelogLine, ChangelogSection, one_line};
pub use changes::{
    Change, ChangeCounts, ChangeLevel, ChangedOperation, Diff, MAX_CHANGE_OPERATIONS, MAX_CHANGES, Position,
};
pub use render::{markdown, text};
pub use rules::rules;

use crate::tree::{Members, Node, Value};
use compare::Comparison;

/// Compares two versions of a document, both of OpenAPI 3.1 or 3.2 (see [`upgrade`](crate::upgrade::upgrade)).
///
/// `today` is a date such as `2026-01-31`. It decides whether the sunset date of a removed, deprecated part is over.
/// Without it, no sunset date is over.
pub fn diff(old: &Node, new: &Node, today: Option<&str>) -> Diff {
    compared(old, new, today, MAX_CHANGES)
}

fn compared(old: &Node, new: &Node, today: Option<&str>, most: usize) -> Diff {
    let nothing = Node::made(Value::Map(Members::default()));
    let comparison = Comparison::run(old, new, &nothing, today);
    changes::collect(comparison, most)
}
