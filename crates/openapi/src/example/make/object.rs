//! Generates mappings.
use super::super::fits::{bound, whole};
use super::super::reader::Prepared;
use super::{Maker, Wanted, pattern};
use crate::schema::LocatedNode;
use crate::tree::{Member, Members, Node, Place, Value};
use indexmap::IndexSet;
use std::collections::HashSet;

/// The maximum number of fields that are added if a schema requires some without naming them.
const MAX_OTHERS: f64 = 100.0;

/// A field to be made.
struct Field<'a> {
    name: &'a str,
    /// Empty if there is no rule for its value.
    located_nodes: Vec<LocatedNode<'a>>,
    is_required: bool,
}

impl<'a> Maker<'a, '_> {
    pub(super) fn object(&mut self, wanted: &Wanted<'a>, prepared: &Prepared<'a>, depth: usize) -> Option<Node> {
        let fields = self.shown_fields(wanted, prepared, depth);
        let mut members = Members::default();
        for field in fields {
            let value = self.field(wanted, &field, depth)?;
            if let Some(node) = value {
                members.insert(field.name.into(), Member { at: Place::default(), node });
            }
        }
        self.add_others(prepared, depth, &mut members)?;
        Some(Node::made(Value::Map(members)))
    }

    /// The fields of the value: the required ones, and optional ones as far as the limits allow.
    fn shown_fields(&self, wanted: &Wanted<'a>, prepared: &Prepared<'a>, depth: usize) -> Vec<Field<'a>> {
        let (merged, properties) = (&prepared.merged, prepared.properties());
        let mut required = texts(merged.nodes().filter_map(|node| node.get("required"))).collect::<IndexSet<&str>>();
        let shows_optional = depth < self.limits.detail;
        let is_optional = |name: &str, located_nodes: &[LocatedNode<'a>]| {
            shows_optional
                && !wanted.without.contains(&name)
                && !located_nodes.iter().any(|located| {
                    matches!(located.node.value, Value::Bool(false)) || located.node.is_true("deprecated")
                })
        };
        let most = merged.nodes().filter_map(|node| bound(node, "maxProperties")).fold(f64::INFINITY, f64::min);
        let mut room = if most.is_finite() { whole(most).saturating_sub(required.len()) } else { usize::MAX };
        let mut shown: HashSet<&str> = HashSet::new();
        for (name, located_nodes) in properties {
            if required.contains(name) {
                shown.insert(name);
            } else if room > 0 && is_optional(name, located_nodes) {
                room -= 1;
                shown.insert(name);
            }
        }
        // A field that another one requires is required with it.
        for dependent in merged.nodes().filter_map(|node| node.get("dependentRequired")?.as_map()) {
            for (name, names) in dependent {
                if shown.contains(&**name) || required.contains(&**name) {
                    required.extend(texts([&names.node].into_iter()));
                }
            }
        }
        let named = properties.iter().filter(|(name, _)| shown.contains(*name) || required.contains(*name));
        let named = named.map(|(name, located_nodes)| Field {
            name,
            located_nodes: located_nodes.clone(),
            is_required: required.contains(name),
        });
        let others = required.iter().filter(|name| !properties.contains_key(*name));
        let others =
            others.map(|name| Field { name, located_nodes: merged.below("additionalProperties"), is_required: true });
        let fields = named.chain(others);
        fields.filter(|field| field.located_nodes.is_empty() || !self.reader.hides(&field.located_nodes)).collect()
    }

    /// The value of a field. `Some(None)` if it is left out; `None` if the mapping cannot be made without it.
    fn field(&mut self, wanted: &Wanted<'a>, field: &Field<'a>, depth: usize) -> Option<Option<Node>> {
        if !self.spend_field(field.name) {
            return self.is_lenient().then_some(None);
        }
        let fixed = wanted.fixed.iter().find(|(name, _)| name == field.name).map(|(_, text)| Node::text(text));
        let fixed = fixed.filter(|text| self.reader.fits(&field.located_nodes, text));
        let value = match fixed {
            Some(text) => self.spend_scalar(text),
            None if field.located_nodes.is_empty() => self.spend_scalar(Node::text("text")),
            None => self.make(&field.located_nodes, depth + 1),
        };
        match value {
            // Only a schema inside itself becomes null where other values are valid too.
            Some(Node { value: Value::Null, .. }) if !field.is_required => Some(None),
            Some(value) => Some(Some(value)),
            None if self.is_full && !self.is_lenient() => None,
            None if field.is_required && !self.is_lenient() => {
                let prepared = self.reader.prepared(&field.located_nodes)?;
                prepared.merged.is_nullable().then(|| Some(Node::made(Value::Null)))
            }
            None => {
                self.fields -= 1;
                Some(None)
            }
        }
    }

    /// Adds fields with invented names, if a schema has no others or requires more.
    fn add_others(&mut self, prepared: &Prepared<'a>, depth: usize, members: &mut Members) -> Option<()> {
        let (merged, properties) = (&prepared.merged, prepared.properties());
        let least = merged.nodes().filter_map(|node| bound(node, "minProperties")).fold(0.0, f64::max);
        let least = whole(least.min(MAX_OTHERS));
        let mut located_nodes = merged.below("additionalProperties");
        let mut pattern = None;
        if located_nodes.is_empty() {
            let mut patterns = merged.layers.iter().flat_map(|layer| layer.located.members("patternProperties"));
            if let Some((name, located)) = patterns.next() {
                pattern = Some(name);
                located_nodes.push(located);
            }
        }
        let names = merged.below("propertyNames");
        let is_map = properties.is_empty() && depth < self.limits.detail && !located_nodes.is_empty();
        let count = least.max(usize::from(is_map));
        for number in 0.. {
            if members.len() >= count || number > 2 * count {
                break;
            }
            let outer = std::mem::replace(&mut self.variant, number);
            let name = match pattern {
                Some(pattern) => pattern::matching(pattern, 0, usize::MAX, number),
                None if names.is_empty() => {
                    Some(if number == 0 { "key".to_owned() } else { format!("key{}", number + 1) })
                }
                None => self.make(&names, depth + 1).and_then(|name| name.as_text().map(str::to_owned)),
            };
            self.variant = outer;
            let Some(name) = name else { break };
            if members.contains_key(name.as_str()) {
                continue;
            }
            if !self.spend_field(&name) {
                return self.is_lenient().then_some(());
            }
            let node = if located_nodes.is_empty() {
                self.spend_scalar(Node::text("text"))
            } else {
                self.make(&located_nodes, depth + 1)
            };
            match node {
                Some(node) => {
                    members.insert(name.into(), Member { at: Place::default(), node });
                }
                None if self.is_full || members.len() < least => return self.is_lenient().then_some(()),
                None => break,
            }
        }
        Some(())
    }
}

fn texts<'a>(lists: impl Iterator<Item = &'a Node>) -> impl Iterator<Item = &'a str> {
    lists.filter_map(Node::as_list).flatten().filter_map(Node::as_text)
}
