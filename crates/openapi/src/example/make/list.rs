//! Generates lists.
use super::super::fits::{bound, whole};
use super::Maker;
use crate::schema::{LocatedNode, Merged, key};
use crate::tree::{Node, Value};

/// The maximum number of items of a list; a schema that requires more has no valid example.
const MAX_ITEMS: f64 = 1_000.0;

impl<'a> Maker<'a, '_> {
    pub(super) fn list(&mut self, merged: &Merged<'a>, depth: usize) -> Option<Node> {
        let least = merged.nodes().filter_map(|node| bound(node, "minItems")).fold(0.0, f64::max);
        let most = merged.nodes().filter_map(|node| bound(node, "maxItems")).fold(MAX_ITEMS, f64::min);
        let [least, most] = [least, most].map(|bound| whole(bound.min(MAX_ITEMS)));
        let first =
            merged.layers.iter().map(|layer| layer.located.items("prefixItems").collect::<Vec<LocatedNode<'a>>>());
        let first = first.into_iter().find(|first| !first.is_empty()).unwrap_or_default();
        let contained = merged.below("contains");
        let has_more =
            !merged.nodes().any(|node| matches!(node.get("items").map(|node| &node.value), Some(Value::Bool(false))));
        let count = least.max(first.len()).max(usize::from(has_more)).min(most);
        let must_differ = merged.is_true("uniqueItems");
        let rest = merged.below("items");
        let outer = self.variant;
        let mut items: Vec<Node> = Vec::new();
        for index in 0..count {
            let mut located_nodes: Vec<LocatedNode<'a>> =
                first.get(index).map_or_else(|| rest.clone(), |located| vec![located.clone()]);
            if index >= first.len() && !has_more {
                break;
            }
            if index == first.len() {
                located_nodes.extend(contained.iter().cloned());
            }
            self.variant = if must_differ && index > 0 { outer + index } else { outer };
            let item = self.item(&located_nodes, depth + 1);
            match item {
                Some(item) => items.push(item),
                None if self.is_full || index < least && !self.is_lenient() => {
                    self.variant = outer;
                    return None;
                }
                None => break,
            }
        }
        self.variant = outer;
        if must_differ {
            let mut seen = std::collections::HashSet::new();
            items.retain(|item| seen.insert(key(item)));
        }
        Some(Node::made(Value::List(items)))
    }

    /// An item; a text if the schema has no rule for items.
    fn item(&mut self, located_nodes: &[LocatedNode<'a>], depth: usize) -> Option<Node> {
        if located_nodes.is_empty() {
            let text = if self.variant == 0 { "text".to_owned() } else { format!("text{}", self.variant + 1) };
            return self.spend_scalar(Node::text(&text));
        }
        self.make(located_nodes, depth)
    }
}
