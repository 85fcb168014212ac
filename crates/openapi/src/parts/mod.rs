//! Parts: the pieces that versions of a document share.
//!
//! A version is a map from keys to parts. The key of a part is the JSON Pointer of its value, and its text is JSON:
//!
//! - a *leaf* is the value itself: an operation (`/paths/~1pets/get`), or a component (`/components/schemas/Pet`);
//! - a [`Branch`] lists the keys of a mapping, and has those of its values that are not parts of their own: the
//!   document (the key is empty), `/paths`, a path item (`/paths/~1pets`), `/webhooks`, a webhook, `/components`, one
//!   kind of components (`/components/schemas`).
//!
//! An operation is a part of its own: a page shows one, so it need not load the others; the comparison of two versions
//! assigns changes to the operation; and documents that refer into other operations load only those. The list of keys
//! in a branch keeps the order of the author. An added operation changes two parts: itself and the list of keys around
//! it.
//!
//! The same value with the same order of keys always gives the same text, so it has the same hash.
mod join;
mod place;
mod summary;
#[cfg(test)]
mod tests;

pub use join::{Branch, JoinError, join};
pub use place::{Located, MAX_KEY, locate};
pub(crate) use place::{METHODS, split, stored_key};
pub(crate) use summary::is_internal;
pub use summary::{
    Counts, MAX_OPERATIONS, OperationSummary, SUMMARY_KEY, Summary, TagSummary, WebhookSummary, summary,
};

use crate::deadline::Deadline;
use crate::tree::{Members, Node};
use place::{Below, Container, below};

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The key in the map of a version: see [`stored_key`].
    pub key: String,
    /// The value of a leaf, or a [`Branch`].
    pub json: String,
}

/// Cuts a document into its parts. A value with another form than in the specification stays whole.
pub fn cut(root: &Node) -> Vec<Part> {
    cut_within(root, &Deadline::never())
}

/// The same, which ends early when the deadline is over.
pub fn cut_within(root: &Node, deadline: &Deadline<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    match root.as_map() {
        Some(members) => cut_branch(members, Container::Document, String::new(), deadline, &mut parts),
        None => parts.push(Part { key: String::new(), json: root.to_json() }),
    }
    parts
}

fn cut_branch(
    members: &Members,
    container: Container,
    pointer: String,
    deadline: &Deadline<'_>,
    parts: &mut Vec<Part>,
) {
    let at = parts.len();
    parts.push(Part { key: stored_key(&pointer), json: String::new() });
    let mut order = String::new();
    let mut own = String::new();
    for (key, member) in members {
        if deadline.is_over() {
            return;
        }
        let name = Node::text(key).to_json();
        push_item(&mut order, &name);
        match (container.below(key), member.node.as_map()) {
            (Some(Below::Branch(container)), Some(members)) => {
                cut_branch(members, container, below(&pointer, key), deadline, parts);
            }
            // A component can be anything; any other leaf must be a mapping.
            (Some(Below::Leaf), members) if members.is_some() || container == Container::Kind => {
                parts.push(Part { key: stored_key(&below(&pointer, key)), json: member.node.to_json() });
            }
            _ => {
                push_item(&mut own, &name);
                own.push(':');
                own.push_str(&member.node.to_json());
            }
        }
    }
    if let Some(part) = parts.get_mut(at) {
        part.json = format!("{{\"order\":[{order}],\"own\":{{{own}}}}}");
    }
}

fn push_item(out: &mut String, item: &str) {
    if !out.is_empty() {
        out.push(',');
    }
    out.push_str(item);
}
