//! Checks whether a value is valid for a schema, without regular expressions: patterns, formats and the keywords about
//! unevaluated values are ignored.
use super::reader::Reader;
use crate::schema::{LocatedNode, Types, is_multiple, is_one_of, key, number};
use crate::tree::{Members, Node, Value};
use std::cell::OnceCell;
use std::collections::HashSet;

/// The maximum depth of nested schemas and values.
const MAX_DEPTH: usize = 100;

impl<'a> Reader<'a, '_> {
    /// Whether a value is valid for all of these schemas. `true` if that is unknown, and when the work is used up.
    pub(super) fn fits(self, located_nodes: &[LocatedNode<'a>], value: &Node) -> bool {
        self.fits_all(located_nodes, value, 0)
    }

    fn fits_all(self, located_nodes: &[LocatedNode<'a>], value: &Node, depth: usize) -> bool {
        let check = Check { reader: self, located_nodes, hidden: OnceCell::new() };
        located_nodes.iter().all(|located| check.fits(located, value, depth))
    }
}

/// Compares one value with schemas.
struct Check<'a, 's> {
    reader: Reader<'a, 's>,
    /// The schemas, which all apply.
    located_nodes: &'s [LocatedNode<'a>],
    /// The fields that can be absent although they are required.
    hidden: OnceCell<HashSet<&'a str>>,
}

impl<'a> Check<'a, '_> {
    fn fits(&self, located: &LocatedNode<'a>, value: &Node, depth: usize) -> bool {
        if depth > MAX_DEPTH || !self.reader.work.spend(1) {
            return true;
        }
        let depth = depth + 1;
        match &located.node.value {
            Value::Bool(allowed) => *allowed,
            Value::Map(_) => {
                fits_type(located.node, value)
                    && self.fits_values(located.node, value)
                    && match &value.value {
                        Value::Number(digits) => fits_number(located.node, digits),
                        Value::Text(text) => fits_text(located.node, text),
                        Value::List(items) => self.fits_list(located, items, depth),
                        Value::Map(members) => self.fits_map(located, members, depth),
                        Value::Null | Value::Bool(_) => true,
                    }
                    && self.fits_others(located, value, depth)
            }
            _ => true,
        }
    }

    /// Whether a field is absent in this direction.
    fn hides(&self, name: &str) -> bool {
        let hidden = || {
            self.reader.prepared(self.located_nodes).map(|prepared| self.reader.hidden(&prepared)).unwrap_or_default()
        };
        self.hidden.get_or_init(hidden).contains(name)
    }

    /// `enum` and `const`.
    fn fits_values(&self, schema: &Node, value: &Node) -> bool {
        let of_enum = schema.get("enum").and_then(Node::as_list);
        let of_const = schema.get("const").map(std::slice::from_ref);
        let work = self.reader.work;
        let mut lists = [of_enum, of_const].into_iter().flatten();
        lists.all(|values| work.spend_with(|left| is_one_of(value, values, left)).unwrap_or(true))
    }

    /// The schemas that apply to the same value.
    fn fits_others(&self, located: &LocatedNode<'a>, value: &Node, depth: usize) -> bool {
        let fits = |other: &LocatedNode<'a>| self.fits(other, value, depth);
        let targets = ["$ref", "$dynamicRef"].into_iter().filter_map(|key| {
            let target = located.node.text_of(key)?;
            self.reader.schemas.target(located, target)
        });
        let mut choices = ["anyOf", "oneOf"].into_iter().filter(|key| has_items(located.node, key));
        let branch = located.key("if").and_then(|test| located.key(if fits(&test) { "then" } else { "else" }));
        targets.into_iter().all(|target| fits(&target))
            && located.items("allOf").all(|part| fits(&part))
            && choices.all(|key| {
                let most = if key == "oneOf" { 2 } else { 1 };
                located.items(key).filter(|item| fits(item)).take(most).count() == 1
            })
            && !located.key("not").is_some_and(|not| fits(&not))
            && branch.is_none_or(|branch| fits(&branch))
    }

    fn fits_list(&self, located: &LocatedNode<'a>, items: &[Node], depth: usize) -> bool {
        let schema = located.node;
        let first: Vec<LocatedNode<'a>> = located.items("prefixItems").collect();
        let rest = located.key("items").map(|rest| [rest]);
        let fits_item = |(index, item): (usize, &Node)| match (first.get(index), &rest) {
            (Some(first), _) => self.reader.fits_all(std::slice::from_ref(first), item, depth),
            (None, Some(rest)) => self.reader.fits_all(rest, item, depth),
            (None, None) => true,
        };
        let contains = |located: &LocatedNode<'a>| {
            let found = items.iter().filter(|item| self.fits(located, item, depth)).count();
            found >= count(schema, "minContains").unwrap_or(1) && within(found, schema, "minContains", "maxContains")
        };
        within(items.len(), schema, "minItems", "maxItems")
            && (!schema.is_true("uniqueItems") || all_differ(items))
            && located.key("contains").is_none_or(|located| contains(&located))
            && items.iter().enumerate().all(fits_item)
    }

    fn fits_map(&self, located: &LocatedNode<'a>, members: &Members, depth: usize) -> bool {
        let schema = located.node;
        let texts = |list: Option<&'a Node>| list.into_iter().flat_map(Node::items).filter_map(Node::as_text);
        let has = |name: &str| members.contains_key(name) || self.hides(name);
        let dependent = schema.members_of("dependentRequired");
        let mut dependent = dependent.filter(|(name, _)| members.contains_key(*name));
        let properties = located.key("properties");
        let others = located.key("additionalProperties").filter(|_| schema.get("patternProperties").is_none());
        let fits_member = |(name, node): (&str, &Node)| {
            let own = properties.as_ref().and_then(|properties| properties.key(name));
            own.as_ref()
                .or(others.as_ref())
                .is_none_or(|located| self.reader.fits_all(std::slice::from_ref(located), node, depth))
        };
        within(members.len(), schema, "minProperties", "maxProperties")
            && texts(schema.get("required")).all(has)
            && dependent.all(|(_, names)| texts(Some(names)).all(has))
            && members.iter().all(|(name, member)| fits_member((name, &member.node)))
    }
}

fn has_items(schema: &Node, key: &str) -> bool {
    !schema.items_of(key).is_empty()
}

fn fits_type(schema: &Node, value: &Node) -> bool {
    Types::of(schema).is_none_or(|types| types.has_all(Types::of_value(value)))
}

fn fits_number(schema: &Node, digits: &str) -> bool {
    let Ok(number) = digits.parse::<f64>() else { return true };
    let holds = |key: &str, holds: fn(f64, f64) -> bool| bound(schema, key).is_none_or(|bound| holds(number, bound));
    holds("minimum", |number, bound| number >= bound)
        && holds("maximum", |number, bound| number <= bound)
        && holds("exclusiveMinimum", |number, bound| number > bound)
        && holds("exclusiveMaximum", |number, bound| number < bound)
        && schema.get("multipleOf").and_then(as_digits).is_none_or(|of| is_multiple(digits, of))
}

fn fits_text(schema: &Node, text: &str) -> bool {
    within(text.chars().count(), schema, "minLength", "maxLength")
}

fn as_digits(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Number(digits) => Some(digits),
        _ => None,
    }
}

/// The number at a keyword.
pub(super) fn bound(schema: &Node, key: &str) -> Option<f64> {
    number(schema.get(key)?)
}

/// The count at a keyword: a whole number that is not negative.
fn count(schema: &Node, key: &str) -> Option<usize> {
    bound(schema, key).filter(|count| *count >= 0.0).map(whole)
}

/// A bound as a whole number, rounded up: 0 if it is negative, the largest number if it is too large.
pub(super) fn whole(bound: f64) -> usize {
    // This conversion saturates.
    bound.ceil() as usize
}

fn within(number: usize, schema: &Node, least: &str, most: &str) -> bool {
    count(schema, least).is_none_or(|least| number >= least) && count(schema, most).is_none_or(|most| number <= most)
}

fn all_differ(items: &[Node]) -> bool {
    let mut seen = HashSet::new();
    items.iter().all(|item| seen.insert(key(item)))
}
