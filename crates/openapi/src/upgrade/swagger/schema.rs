//! Schemas of 2.0.
use super::Swagger;
use crate::dialect::Version;
use crate::shape::{ObjectKind, Slot};
use crate::tree::{Members, Node, Value};
use crate::upgrade::edit::{keep, map, put, put_from};

/// The maximum depth of schemas. The reader accepts 200 levels.
const MAX_DEPTH: usize = 1_000;

impl Swagger<'_> {
    /// A schema of 3.0. It also converts parameters and headers of 2.0, which have fewer keywords.
    pub(super) fn schema(&self, node: &Node) -> Node {
        self.schema_at(node, 0)
    }

    fn schema_at(&self, node: &Node, depth: usize) -> Node {
        let Some(fields) = node.as_map().filter(|_| depth < MAX_DEPTH) else { return node.clone() };
        if node.text_of("$ref").is_some() {
            return self.reference(node);
        }
        let mut out = Members::default();
        for (key, member) in fields {
            let text = member.node.as_text();
            match (&**key, text) {
                ("type", Some("file")) => {
                    let type_of = Node { at: member.node.at, value: Value::Text("string".into()) };
                    put_from(&mut out, key, member.at, type_of);
                    put(&mut out, "format", Node::text("binary"));
                }
                // The format of a file is `binary`, which is set above.
                ("format", _) if node.text_of("type") == Some("file") => {}
                ("discriminator", Some(_)) => {
                    let mut object = map([("propertyName", member.node.clone())]);
                    object.at = member.node.at;
                    put_from(&mut out, key, member.at, object);
                }
                ("x-nullable", _) if !fields.contains_key("nullable") => {
                    put_from(&mut out, "nullable", member.at, member.node.clone());
                }
                // Only parameters and headers have it, and 3.0 has no word for lists in lists.
                ("collectionFormat", _) => put_from(&mut out, "x-collectionFormat", member.at, member.node.clone()),
                // With the rules of 3.1, by which the second pass reads the result.
                _ => match ObjectKind::Schema.field(key, Version::V3_1) {
                    Some(slot) => put_from(&mut out, key, member.at, self.below(&member.node, &slot, depth + 1)),
                    None => keep(&mut out, key, member),
                },
            }
        }
        Node { at: node.at, value: Value::Map(out) }
    }

    fn below(&self, node: &Node, slot: &Slot, depth: usize) -> Node {
        match (slot, &node.value) {
            (Slot::MapOf(_), Value::Map(_)) => super::each(node, |_, schema| self.schema_at(schema, depth)),
            (Slot::ListOf(_) | Slot::OneOrList(_), Value::List(items)) => {
                let items = items.iter().map(|item| self.schema_at(item, depth)).collect();
                Node { at: node.at, value: Value::List(items) }
            }
            (Slot::One(_) | Slot::OneOrList(_), _) => self.schema_at(node, depth),
            _ => node.clone(),
        }
    }

    /// A reference with the new place of its target.
    pub(super) fn reference(&self, node: &Node) -> Node {
        let mut node = node.clone();
        if let Value::Map(members) = &mut node.value
            && let Some(target) = members.get_mut("$ref")
            && let Some(text) = target.node.as_text()
            && let Some(moved) = self.moved(text)
        {
            target.node.value = Value::Text(moved.into());
        }
        node
    }
}
