//! References: their places in a document, and their targets.
mod fragment;
mod resolve;

pub(crate) use fragment::{FRAGMENT, as_fragment, percent_decoded};
pub(crate) use resolve::{MAX_DETOURS, MAX_HOPS, Resolver, Target, end_of_chain};

use crate::dialect::Version;
use crate::shape::{ObjectKind, walk};
use crate::tree::{Node, Path, Place, Step, Value};

/// The kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// `$ref`.
    Ref,
    /// `$dynamicRef` of a schema.
    Dynamic,
    /// A value of `mapping` in a discriminator. It can also be the name of a schema.
    Mapping,
    /// `operationRef` of a link.
    Operation,
}

/// A reference in a document.
#[derive(Clone, Debug)]
pub(crate) struct Reference<'a> {
    /// Its kind.
    pub(crate) via: Via,
    /// The required kind of its target.
    pub(crate) kind: ObjectKind,
    /// The target, as the text has it.
    pub(crate) target: &'a str,
    /// The place of the target's text.
    pub(crate) at: Place,
    /// The path to the target's text: it ends with `$ref` or the like.
    pub(crate) path: Path,
    /// The object that has the `$ref`.
    pub(crate) node: &'a Node,
    /// The nearest schema around the reference that has an `$id`, and the path to it: the target is relative to it.
    pub(crate) resource: Option<(&'a Node, Path)>,
}

impl Reference<'_> {
    /// The path to the object that has the reference.
    pub(crate) fn owner(&self) -> Path {
        let steps = if self.via == Via::Mapping { 3 } else { 1 };
        Path(self.path.0[..self.path.0.len().saturating_sub(steps)].to_vec())
    }

    /// Whether the target is the name of a schema, which only a `mapping` can have.
    pub(crate) fn is_name(&self) -> bool {
        self.via == Via::Mapping && !looks_like_address(self.target)
    }

    /// Whether the target is in the same document.
    pub(crate) fn is_inside(&self) -> bool {
        self.target.starts_with('#') || self.is_name()
    }
}

/// Whether a value of a `mapping` is an address, not the name of a schema.
fn looks_like_address(target: &str) -> bool {
    target.contains(['/', '#']) || [".json", ".yaml", ".yml"].iter().any(|ending| target.ends_with(ending))
}

/// Visits every reference of a document of this version, in the order of the text.
pub(crate) fn visit<'a>(root: &'a Node, version: Version, found: &mut dyn FnMut(Reference<'a>)) {
    visit_from(root, ObjectKind::Document, version, found);
}

/// Visits every reference of a part of a document: this object and all below it. Paths begin at the part.
pub(crate) fn visit_from<'a>(part: &'a Node, kind: ObjectKind, version: Version, found: &mut dyn FnMut(Reference<'a>)) {
    walk(part, kind, version, &mut |object| {
        let mut report = |via, kind, keys: &[&str], text: &'a Node| {
            let Value::Text(target) = &text.value else { return };
            let mut path = object.path();
            path.0.extend(keys.iter().map(|key| Step::Key((*key).into())));
            found(Reference { via, kind, target, at: text.at, path, node: object.node, resource: object.resource() });
        };
        if let Some(target) = object.node.get("$ref").filter(|_| object.kind.may_be_reference(version)) {
            report(Via::Ref, object.kind, &["$ref"], target);
            if !object.kind.has_siblings(version) {
                return;
            }
        }
        match object.kind {
            ObjectKind::Schema => {
                if let Some(target) = object.node.get("$dynamicRef").filter(|_| version >= Version::V3_1) {
                    report(Via::Dynamic, ObjectKind::Schema, &["$dynamicRef"], target);
                }
                let discriminator = object.node.get("discriminator").into_iter();
                for (key, target) in discriminator.flat_map(|discriminator| discriminator.members_of("mapping")) {
                    report(Via::Mapping, ObjectKind::Schema, &["discriminator", "mapping", key], target);
                }
            }
            ObjectKind::Link => {
                if let Some(target) = object.node.get("operationRef") {
                    report(Via::Operation, ObjectKind::Operation, &["operationRef"], target);
                }
            }
            _ => {}
        }
    });
}

/// Replaces the targets of references in a part of a document. `replace` gets the unchanged part and a reference.
pub(crate) fn rewrite(
    part: &mut Node,
    kind: ObjectKind,
    version: Version,
    replace: &mut dyn FnMut(&Node, &Reference<'_>) -> Option<String>,
) {
    let mut changes = Vec::new();
    let unchanged = &*part;
    visit_from(unchanged, kind, version, &mut |reference| {
        if let Some(target) = replace(unchanged, &reference) {
            changes.push((reference.path, target));
        }
    });
    for (path, target) in changes {
        if let Some(node) = part.at_path_mut(&path) {
            node.value = Value::Text(target.into());
        }
    }
}
