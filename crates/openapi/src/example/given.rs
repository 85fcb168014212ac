//! Values from the author of a schema: `examples`, `example`, `default`.
use super::make;
use super::reader::Reader;
use crate::schema::{LocatedNode, Merged};
use crate::tree::{Node, Value};
use std::ptr;

/// The maximum depth of values.
const MAX_DEPTH: usize = 100;

/// The first given value that is valid for all of these schemas, without the fields that are absent in this direction.
/// `merged` has the merged schemas. With several examples, another `variant` gives another one.
pub(super) fn given<'a>(
    reader: Reader<'a, '_>,
    located_nodes: &[LocatedNode<'a>],
    merged: &Merged<'a>,
    variant: usize,
) -> Option<Node> {
    // A value of one part of `allOf` lacks the fields of the other parts.
    let chains = located_nodes.iter().map(|located| reader.chain(located));
    let whole: Vec<*const Node> =
        chains.flat_map(|chain| chain.iter().map(|located| ptr::from_ref(located.node)).collect::<Vec<_>>()).collect();
    let examples = merged.nodes().flat_map(|node| {
        let list = node.items_of("examples").iter();
        list.chain(node.get("example")).map(move |example| (node, example))
    });
    let defaults = merged.nodes().filter_map(|node| Some((node, node.get("default")?)));
    let defaults = defaults.filter(|(_, default)| has_content(default));
    let candidates = examples.chain(defaults).filter(|(node, value)| {
        let is_scalar = !matches!(value.value, Value::Map(_) | Value::List(_));
        // A larger one is not used, so it is not copied and checked in each attempt.
        (is_scalar || whole.contains(&ptr::from_ref(*node))) && make::is_small(value)
    });
    let mut valid = candidates.filter_map(|(_, value)| {
        let value = visible(reader, located_nodes, value, 0);
        reader.fits(located_nodes, &value).then_some(value)
    });
    let found = valid.nth(variant);
    drop(valid);
    // After the examples, a larger variant selects from `enum` and `const`, whose values repeat.
    found.or_else(|| {
        let values = merged.values()?;
        let mut shown: Vec<&Node> = values.iter().copied().filter(|value| has_content(value)).collect();
        if shown.is_empty() {
            shown = values;
        }
        let count = shown.len().max(1);
        let (before, after) = shown.split_at_checked(variant % count)?;
        after.iter().chain(before).find(|value| reader.fits(located_nodes, value)).map(|value| (*value).clone())
    })
}

/// Whether a value is not empty.
fn has_content(value: &Node) -> bool {
    match &value.value {
        Value::Null => false,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The value without the fields that are absent in this direction.
fn visible<'a>(reader: Reader<'a, '_>, located_nodes: &[LocatedNode<'a>], value: &Node, depth: usize) -> Node {
    if depth > MAX_DEPTH || !matches!(value.value, Value::Map(_) | Value::List(_)) {
        return value.clone();
    }
    let Some(prepared) = reader.prepared(located_nodes) else { return value.clone() };
    let mut all = located_nodes.to_vec();
    all.extend(prepared.merged.choices.iter().flat_map(|choices| choices.items.iter().cloned()));
    let Some(prepared) = reader.prepared(&all) else { return value.clone() };
    let inner = match &value.value {
        Value::List(items) => {
            let below = prepared.merged.below("items");
            Value::List(items.iter().map(|item| visible(reader, &below, item, depth + 1)).collect())
        }
        Value::Map(members) => {
            let properties = prepared.properties();
            let others = prepared.merged.below("additionalProperties");
            let shown = members.iter().filter_map(|(name, member)| {
                let own = properties.get(&**name);
                if own.is_some_and(|located_nodes| reader.hides(located_nodes)) {
                    return None;
                }
                let mut member = member.clone();
                member.node = visible(reader, own.unwrap_or(&others), &member.node, depth + 1);
                Some((name.clone(), member))
            });
            Value::Map(shown.collect())
        }
        _ => return value.clone(),
    };
    Node { at: value.at, value: inner }
}
