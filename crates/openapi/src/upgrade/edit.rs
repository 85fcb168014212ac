//! Small edits of mappings that keep the order of their keys.
use crate::tree::{Member, Members, Node, Place, Value};

/// Appends a value that is not in the source text.
pub(super) fn put(members: &mut Members, key: &str, node: Node) {
    members.insert(key.into(), Member { at: Place::default(), node });
}

/// Appends a value from this key of the text.
pub(super) fn put_from(members: &mut Members, key: &str, at: Place, node: Node) {
    members.insert(key.into(), Member { at, node });
}

/// Appends a copy of a member.
pub(super) fn keep(members: &mut Members, key: &str, member: &Member) {
    members.insert(key.into(), member.clone());
}

/// Replaces the key and value of a member in place. An existing member with the new key is removed.
pub(super) fn replace(members: &mut Members, key: &str, new: &str, change: impl FnOnce(Node) -> Node) {
    if key != new {
        members.shift_remove(new);
    }
    let Some(index) = members.get_index_of(key) else { return };
    let Some((_, member)) = members.shift_remove_index(index) else { return };
    members.shift_insert(index, new.into(), Member { at: member.at, node: change(member.node) });
}

/// A mapping that is not in the source text.
pub(super) fn map<const N: usize>(fields: [(&str, Node); N]) -> Node {
    let mut members = Members::default();
    for (key, node) in fields {
        put(&mut members, key, node);
    }
    Node::made(Value::Map(members))
}

/// A boolean that is not in the source text.
pub(super) fn bool(value: bool) -> Node {
    Node::made(Value::Bool(value))
}

/// A list that is not in the source text.
pub(super) fn list(items: Vec<Node>) -> Node {
    Node::made(Value::List(items))
}
