//! Upgrades: OpenAPI 2.0 and 3.0 become 3.1, so that all other code handles one form.
//!
//! Two passes, 2.0 → 3.0 (`swagger`) and 3.0 → 3.1 (`schemas`). Each rule applies to a certain place, so data never
//! counts as a schema: examples, defaults, enumerations, extensions and properties with unusual names stay unchanged.
//! Values from the text keep their place in it.
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

/// The version of an upgraded document.
pub const VERSION: &str = "3.1.1";

/// Upgrades a document to OpenAPI 3.1. One of 3.1, 3.2 or an unknown version stays as it is.
///
/// `source` is the address of the document: a document of 2.0 without a host has the host of that address.
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

/// Whether the upgraded document depends on the address of the document: one of 2.0 does, unless it names its host and
/// its schemes.
pub fn depends_on_source(root: &Node) -> bool {
    let names = |key: &str| match root.get(key).map(|node| &node.value) {
        Some(Value::Text(text)) => !text.trim().is_empty(),
        Some(Value::List(items)) => !items.is_empty(),
        _ => false,
    };
    Version::of(root).is_ok_and(|version| version == Version::V2_0) && !(names("host") && names("schemes"))
}
