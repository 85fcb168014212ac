//! Finds the places of values in a document.
use super::changes::Position;
use crate::tree::{Node, Place, Value, pointer_step};
use crate::wording::cut;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The maximum length of the pointer of a change, in characters. The keys of a hostile document can make one of some
/// megabytes.
const MAX_POINTER: usize = 4_000;

/// The place of a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The JSON Pointer.
    pub(super) pointer: String,
    /// Its key, or the value itself in a list, in the text.
    pub(super) position: Option<Position>,
}

/// For each of these values, the number of values of the document before it.
pub(super) fn ranks(root: &Node, wanted: &HashSet<*const Node>) -> HashMap<*const Node, usize> {
    let mut ranks = HashMap::new();
    let mut rank = 0;
    walk(root, wanted, &mut |address, _, _| {
        if wanted.contains(&address) {
            ranks.insert(address, rank);
        }
        rank += 1;
    });
    ranks
}

/// The places of these values in a document, without those that it does not have.
pub(super) fn find(root: &Node, wanted: &HashSet<*const Node>) -> HashMap<*const Node, Found> {
    let mut found = HashMap::new();
    walk(root, wanted, &mut |address, at, pointer| {
        if wanted.contains(&address) {
            let position = Position { file: at.file, line: at.line, column: at.column };
            let pointer = cut(pointer, MAX_POINTER).into_owned();
            found.insert(address, Found { pointer, position: (at.line > 0).then_some(position) });
        }
    });
    found
}

type Visit<'f> = dyn FnMut(*const Node, Place, &str) + 'f;

/// Visits all values with their places and pointers, if `wanted` is not empty.
fn walk(root: &Node, wanted: &HashSet<*const Node>, visit: &mut Visit<'_>) {
    if !wanted.is_empty() {
        walk_from(root, root.at, &mut String::new(), visit);
    }
}

fn walk_from(node: &Node, at: Place, pointer: &mut String, visit: &mut Visit<'_>) {
    visit(std::ptr::from_ref(node), at, pointer);
    let end = pointer.len();
    match &node.value {
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                // Writing to a text cannot fail.
                let _ = write!(pointer, "/{index}");
                walk_from(item, item.at, pointer, visit);
                pointer.truncate(end);
            }
        }
        Value::Map(members) => {
            for (key, member) in members {
                pointer.push('/');
                if key.contains(['~', '/']) {
                    pointer.push_str(&pointer_step(key));
                } else {
                    pointer.push_str(key);
                }
                let at = if member.at.line > 0 { member.at } else { member.node.at };
                walk_from(&member.node, at, pointer, visit);
                pointer.truncate(end);
            }
        }
        _ => {}
    }
}
