//! Follows references inside a document.
use super::{Reference, percent_decoded};
use crate::dialect::Version;
use crate::shape::{ObjectKind, walk};
use crate::tree::{Node, Path, Step, unescape};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::HashMap;

/// The maximum number of references in a chain.
pub(crate) const MAX_HOPS: usize = 64;
/// The maximum number of references that a pointer may pass. Few documents have any.
pub(crate) const MAX_DETOURS: usize = 8;

/// The target of a reference.
#[derive(Clone, Debug)]
pub(crate) enum Target<'a> {
    /// A value of the document, which can be a reference again.
    Found {
        /// The value.
        node: &'a Node,
        /// The path to it.
        path: Path,
    },
    /// No value: the document does not have the target.
    Missing {
        /// The last value on the path that exists.
        last: &'a Node,
        /// The key that it lacks; empty for an anchor.
        key: String,
    },
    /// Another document.
    Outside,
}

/// Follows the references of a document.
#[derive(Debug)]
pub(crate) struct Resolver<'a> {
    root: &'a Node,
    version: Version,
    anchors: HashMap<&'a str, (&'a Node, Path)>,
    ids: HashMap<&'a str, (&'a Node, Path)>,
}

impl<'a> Resolver<'a> {
    /// A resolver for a document of this version. Schemas of 3.1 can have anchors and ids.
    pub(crate) fn new(root: &'a Node, version: Version) -> Self {
        let mut resolver = Self { root, version, anchors: HashMap::new(), ids: HashMap::new() };
        if version >= Version::V3_1 {
            walk(root, ObjectKind::Document, version, &mut |object| {
                if object.kind != ObjectKind::Schema {
                    return;
                }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(anchor) = object.node.text_of(key) {
                        resolver.anchors.entry(anchor).or_insert_with(|| (object.node, object.path()));
                    }
                }
                if let Some(id) = object.node.text_of("$id") {
                    resolver.ids.entry(id.trim_end_matches('#')).or_insert_with(|| (object.node, object.path()));
                }
            });
        }
        resolver
    }

    /// The document.
    pub(crate) fn root(&self) -> &'a Node {
        self.root
    }

    /// The target of a reference. A pointer that passes another reference continues at the target of that.
    pub(crate) fn resolve(&self, reference: &Reference<'a>) -> Target<'a> {
        if reference.is_name() {
            let schemas = if self.version == Version::V2_0 { &["definitions"][..] } else { &["components", "schemas"] };
            let steps: Vec<String> = schemas.iter().copied().chain([reference.target]).map(str::to_owned).collect();
            return self.follow(self.root, Path::default(), &steps, MAX_DETOURS);
        }
        let target =
            self.target(reference.target, reference.resource.as_ref().map(|(node, path)| (*node, path)), MAX_DETOURS);
        match target {
            // Many documents count from their start, even with an `$id` around the reference.
            Target::Missing { .. } if reference.resource.is_some() => {
                match self.target(reference.target, None, MAX_DETOURS) {
                    found @ Target::Found { .. } => found,
                    _ => target,
                }
            }
            target => target,
        }
    }

    /// The target of an object with a reference, if the text of its `$ref` is relative to the document.
    pub(crate) fn resolve_text(&self, target: &str) -> Target<'a> {
        self.target(target, None, MAX_DETOURS)
    }

    /// The value itself, or its target if it is a reference: the end of the whole chain. `None` if that is missing or
    /// in another document, or if the chain is circular.
    pub(crate) fn behind(&self, node: &'a Node, kind: ObjectKind) -> Option<&'a Node> {
        let mut node = node;
        for _ in 0..MAX_HOPS {
            let target = if kind.may_be_reference(self.version) { node.text_of("$ref") } else { None };
            let Some(target) = target else { return Some(node) };
            match self.resolve_text(target) {
                Target::Found { node: found, .. } => node = found,
                _ => return None,
            }
        }
        None
    }

    fn target(&self, target: &str, resource: Option<(&'a Node, &Path)>, detours: usize) -> Target<'a> {
        let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
        let start = match self.ids.get(file) {
            _ if file.is_empty() => resource.map(|(node, path)| (node, path.clone())),
            Some((node, path)) => Some((*node, path.clone())),
            None => return Target::Outside,
        };
        let (node, path) = start.unwrap_or((self.root, Path::default()));
        if fragment.is_empty() {
            return Target::Found { node, path };
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            return match self.anchors.get(&*decode(fragment)) {
                Some((node, path)) => Target::Found { node, path: path.clone() },
                None => Target::Missing { last: node, key: String::new() },
            };
        };
        let steps = |text: &str| text.split('/').map(|step| unescape(step).into_owned()).collect::<Vec<_>>();
        let decoded = decode(pointer);
        let found = self.follow(node, path.clone(), &steps(&decoded), detours);
        match found {
            // A key can contain a percent sign.
            Target::Missing { .. } if decoded != pointer => match self.follow(node, path, &steps(pointer), detours) {
                Target::Missing { .. } => found,
                other => other,
            },
            found => found,
        }
    }

    fn follow(&self, node: &'a Node, path: Path, steps: &[String], detours: usize) -> Target<'a> {
        let (mut node, mut path) = (node, path);
        for (index, step) in steps.iter().enumerate() {
            let next = if node.as_list().is_some() {
                step.parse().map(Step::Index).unwrap_or(Step::Key(step.as_str().into()))
            } else {
                Step::Key(step.as_str().into())
            };
            if let Some(found) = node.step(&next) {
                node = found;
                path.0.push(next);
                continue;
            }
            let Some(target) = node.text_of("$ref").filter(|_| detours > 0) else {
                return Target::Missing { last: node, key: step.clone() };
            };
            return match self.target(target, None, detours - 1) {
                Target::Found { node, path } => self.follow(node, path, &steps[index..], detours - 1),
                other => other,
            };
        }
        Target::Found { node, path }
    }
}

/// The end of a chain of references by JSON Pointer: the value itself if it is no reference, and the last value that
/// exists if a target is missing.
pub(crate) fn end_of_chain<'a>(root: &'a Node, node: &'a Node) -> &'a Node {
    let mut node = node;
    for _ in 0..MAX_HOPS {
        let Some(pointer) = node.text_of("$ref").and_then(|target| target.strip_prefix('#')) else { break };
        let Some(target) = root.at_pointer(&percent_decoded(pointer)) else { break };
        node = target;
    }
    node
}

/// Decodes percent-encoded text; unchanged if the result is not UTF-8.
fn decode(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text))
}
