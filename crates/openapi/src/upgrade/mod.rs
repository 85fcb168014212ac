//! Upgrades: OpenAPI 2.0 and 3.0 become 3.1, so that everything else knows one form.
//!
//! Two passes, 2.0 → 3.0 (`swagger`) and 3.0 → 3.1 (`schemas`). Each rule knows the place that it changes, so data is
//! never taken for a schema: examples, defaults, enumerations, extensions and properties with odd names stay as they
//! are. Values that come from the text keep their place in it.
mod edit;
pub(crate) mod names;
mod schemas;
mod swagger;
#[cfg(test)]
mod tests;
mod walk;

use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::tree::{Node, Value};

/// The version that an upgraded document has.
pub const VERSION: &str = "3.1.1";

/// Upgrades a document to OpenAPI 3.1. One of 3.1, 3.2 or an unknown version stays as it is.
///
/// `source` is the address that the document came from: a document of 2.0 that names no host means that one.
pub fn upgrade(root: Node, source: Option<&str>) -> Node {
    upgrade_within(root, source, &Deadline::never())
}

/// The same, which ends early when the deadline is over.
pub fn upgrade_within(root: Node, source: Option<&str>, deadline: &Deadline<'_>) -> Node {
    let is = |root: &Node, version| Version::of(root).is_ok_and(|found| found == version);
    let mut root =
        if is(&root, Version::V2_0) { swagger::upgrade(&root, source, swagger::MAX_COPIES, deadline) } else { root };
    if is(&root, Version::V3_0) && !deadline.look() {
        schemas::upgrade(&mut root, deadline);
    }
    root
}

/// Whether the upgraded document depends on the address that the document came from: one of 2.0 does, unless it names its
/// host and its schemes.
pub fn depends_on_source(root: &Node) -> bool {
    let names = |key: &str| match root.get(key).map(|node| &node.value) {
        Some(Value::Text(text)) => !text.trim().is_empty(),
        Some(Value::List(items)) => !items.is_empty(),
        _ => false,
    };
    Version::of(root).is_ok_and(|version| version == Version::V2_0) && !(names("host") && names("schemes"))
}
