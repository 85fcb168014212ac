//! Assembles the document from the parts of an excerpt.
use super::Loaded;
use super::part::Content;
use crate::tree::{Member, Members, Node, Place, Value, unescape};
use std::collections::HashMap;

/// The partial document: each reached part in its place.
pub(super) fn document(parts: impl Iterator<Item = Loaded>) -> Node {
    let mut root = Node::made(Value::Map(Members::default()));
    let mut parts: Vec<Loaded> = parts.filter(|part| part.is_reached).collect();
    // Branches come before what is below them.
    parts.sort_by_key(|part| part.pointer.matches('/').count());
    let mut orders = Vec::new();
    for Loaded { pointer, content, .. } in parts {
        match content {
            Content::Absent | Content::Text(_) => {}
            Content::Value(node) => put(&mut root, &pointer, node),
            Content::Branch { order, own } => {
                put(&mut root, &pointer, own);
                orders.push((pointer, order));
            }
        }
    }
    for (pointer, order) in orders {
        sort(&mut root, &pointer, &order);
    }
    root
}

/// Puts a value at its pointer, and makes the mappings around it.
fn put(root: &mut Node, pointer: &str, value: Node) {
    let place = pointer.split('/').skip(1).try_fold(root, |node, step| match &mut node.value {
        Value::Map(members) => {
            let empty = || Member { at: Place::default(), node: Node::made(Value::Map(Members::default())) };
            Some(&mut members.entry(unescape(step).into()).or_insert_with(empty).node)
        }
        _ => None,
    });
    if let Some(place) = place {
        *place = value;
    }
}

/// Gives the members of a branch the order that they have in the whole document.
fn sort(root: &mut Node, pointer: &str, order: &[String]) {
    let branch = pointer.split('/').skip(1).try_fold(root, |node, step| match &mut node.value {
        Value::Map(members) => members.get_mut(&*unescape(step)).map(|member| &mut member.node),
        _ => None,
    });
    if let Some(Node { value: Value::Map(members), .. }) = branch {
        let positions: HashMap<&str, usize> = order.iter().enumerate().map(|(at, key)| (key.as_str(), at)).collect();
        members.sort_by_cached_key(|key, _| positions.get(&**key).copied().unwrap_or(usize::MAX));
    }
}
