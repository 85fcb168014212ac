//! A walk that may change the objects of a document.
use crate::dialect::Version;
use crate::shape::{ObjectKind, Slot};
use crate::tree::{Node, Value};

/// The maximum depth of objects. The reader accepts 200 levels, and an upgrade adds few to each.
const MAX_DEPTH: usize = 1_000;

/// Calls `visit` for each object of this document or part, the inner ones first.
pub(super) fn walk_mut(
    node: &mut Node,
    kind: ObjectKind,
    version: Version,
    visit: &mut dyn FnMut(ObjectKind, &mut Node),
) {
    Walk { version, visit }.object(node, kind, 0);
}

struct Walk<'f> {
    version: Version,
    visit: &'f mut dyn FnMut(ObjectKind, &mut Node),
}

impl Walk<'_> {
    fn object(&mut self, node: &mut Node, kind: ObjectKind, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Value::Map(members) = &mut node.value {
            for (key, member) in members {
                if let Some(slot) = kind.field(key, self.version) {
                    self.slot(&mut member.node, &slot, depth + 1);
                }
            }
        }
        (self.visit)(kind, node);
    }

    fn slot(&mut self, node: &mut Node, slot: &Slot, depth: usize) {
        match (slot, &mut node.value) {
            (Slot::MapOf(kind), Value::Map(members)) => {
                members.values_mut().for_each(|member| self.object(&mut member.node, *kind, depth));
            }
            (Slot::ListOf(kind) | Slot::OneOrList(kind), Value::List(items)) => {
                items.iter_mut().for_each(|item| self.object(item, *kind, depth));
            }
            (Slot::One(kind) | Slot::OneOrList(kind), _) => self.object(node, *kind, depth),
            _ => {}
        }
    }
}
