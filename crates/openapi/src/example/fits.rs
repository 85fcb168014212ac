//! Checks whether a value is valid for a schema, without regular expressions: patterns, formats and the keywords about
//! unevaluated values are ignored.
use super::reader::Reader;
use crate::schema::{Spot, Type, Types};
use crate::tree::{Members, Node, Value};
use std::cell::OnceCell;
use std::collections::HashSet;

/// The maximum depth of nested schemas and values.
const MAX_DEPTH: usize = 100;

impl<'a> Reader<'a, '_> {
    /// Whether a value is valid for all of these schemas. `true` if that is unknown, and when the work is used up.
    pub(super) fn fits(self, spots: &[Spot<'a>], value: &Node) -> bool {
        self.fits_all(spots, value, 0)
    }

    fn fits_all(self, spots: &[Spot<'a>], value: &Node, depth: usize) -> bool {
        let check = Check { reader: self, spots, hidden: OnceCell::new() };
        spots.iter().all(|spot| check.fits(spot, value, depth))
    }
}

/// Compares one value with schemas.
struct Check<'a, 's> {
    reader: Reader<'a, 's>,
    /// The schemas, which all apply.
    spots: &'s [Spot<'a>],
    /// The fields that can be absent although they are required.
    hidden: OnceCell<HashSet<&'a str>>,
}

impl<'a> Check<'a, '_> {
    fn fits(&self, spot: &Spot<'a>, value: &Node, depth: usize) -> bool {
        if depth > MAX_DEPTH || !self.reader.work.spend(1) {
            return true;
        }
        let depth = depth + 1;
        match &spot.node.value {
            Value::Bool(allowed) => *allowed,
            Value::Map(_) => {
                fits_type(spot.node, value)
                    && self.fits_values(spot.node, value)
                    && match &value.value {
                        Value::Number(digits) => fits_number(spot.node, digits),
                        Value::Text(text) => fits_text(spot.node, text),
                        Value::List(items) => self.fits_list(spot, items, depth),
                        Value::Map(members) => self.fits_map(spot, members, depth),
                        Value::Null | Value::Bool(_) => true,
                    }
                    && self.fits_others(spot, value, depth)
            }
            _ => true,
        }
    }

    /// Whether a field is absent in this direction.
    fn hides(&self, name: &str) -> bool {
        let hidden =
            || self.reader.prepared(self.spots).map(|prepared| self.reader.hidden(&prepared)).unwrap_or_default();
        self.hidden.get_or_init(hidden).contains(name)
    }

    /// `enum` and `const`.
    fn fits_values(&self, schema: &Node, value: &Node) -> bool {
        let of_enum = schema.get("enum").and_then(Node::as_list);
        let of_const = schema.get("const").map(std::slice::from_ref);
        [of_enum, of_const].into_iter().flatten().all(|values| {
            // The rest is skipped when the work is used up.
            values.iter().any(|other| !self.reader.work.spend(1) || equal(other, value))
        })
    }

    /// The schemas that apply to the same value.
    fn fits_others(&self, spot: &Spot<'a>, value: &Node, depth: usize) -> bool {
        let fits = |other: &Spot<'a>| self.fits(other, value, depth);
        let targets = ["$ref", "$dynamicRef"].into_iter().filter_map(|key| {
            let target = spot.node.text_of(key)?;
            self.reader.schemas.target(spot, target)
        });
        let mut choices = ["anyOf", "oneOf"].into_iter().filter(|key| has_items(spot.node, key));
        let branch = spot.key("if").and_then(|test| spot.key(if fits(&test) { "then" } else { "else" }));
        targets.into_iter().all(|target| fits(&target))
            && spot.items("allOf").all(|part| fits(&part))
            && choices.all(|key| {
                let most = if key == "oneOf" { 2 } else { 1 };
                spot.items(key).filter(|item| fits(item)).take(most).count() == 1
            })
            && !spot.key("not").is_some_and(|not| fits(&not))
            && branch.is_none_or(|branch| fits(&branch))
    }

    fn fits_list(&self, spot: &Spot<'a>, items: &[Node], depth: usize) -> bool {
        let schema = spot.node;
        let first: Vec<Spot<'a>> = spot.items("prefixItems").collect();
        let rest = spot.key("items").map(|rest| [rest]);
        let fits_item = |(index, item): (usize, &Node)| match (first.get(index), &rest) {
            (Some(first), _) => self.reader.fits_all(std::slice::from_ref(first), item, depth),
            (None, Some(rest)) => self.reader.fits_all(rest, item, depth),
            (None, None) => true,
        };
        let contains = |spot: &Spot<'a>| {
            let found = items.iter().filter(|item| self.fits(spot, item, depth)).count();
            found >= count(schema, "minContains").unwrap_or(1) && within(found, schema, "minContains", "maxContains")
        };
        within(items.len(), schema, "minItems", "maxItems")
            && (!schema.is_true("uniqueItems") || all_differ(items))
            && spot.key("contains").is_none_or(|spot| contains(&spot))
            && items.iter().enumerate().all(fits_item)
    }

    fn fits_map(&self, spot: &Spot<'a>, members: &Members, depth: usize) -> bool {
        let schema = spot.node;
        let texts = |list: Option<&'a Node>| list.into_iter().flat_map(Node::items).filter_map(Node::as_text);
        let has = |name: &str| members.contains_key(name) || self.hides(name);
        let dependent = schema.members_of("dependentRequired");
        let mut dependent = dependent.filter(|(name, _)| members.contains_key(*name));
        let properties = spot.key("properties");
        let others = spot.key("additionalProperties").filter(|_| schema.get("patternProperties").is_none());
        let fits_member = |(name, node): (&str, &Node)| {
            let own = properties.as_ref().and_then(|properties| properties.key(name));
            own.as_ref()
                .or(others.as_ref())
                .is_none_or(|spot| self.reader.fits_all(std::slice::from_ref(spot), node, depth))
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
    let Some(types) = Types::of(schema) else { return true };
    match &value.value {
        Value::Null => types.has(Type::Null),
        Value::Bool(_) => types.has(Type::Boolean),
        Value::Number(digits) => types.has(Type::Number) || types.has(Type::Integer) && is_whole(digits),
        Value::Text(_) => types.has(Type::String),
        Value::List(_) => types.has(Type::Array),
        Value::Map(_) => types.has(Type::Object),
    }
}

fn is_whole(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
}

fn fits_number(schema: &Node, digits: &str) -> bool {
    let Ok(number) = digits.parse::<f64>() else { return true };
    let holds = |key: &str, holds: fn(f64, f64) -> bool| bound(schema, key).is_none_or(|bound| holds(number, bound));
    holds("minimum", |number, bound| number >= bound)
        && holds("maximum", |number, bound| number <= bound)
        && holds("exclusiveMinimum", |number, bound| number > bound)
        && holds("exclusiveMaximum", |number, bound| number < bound)
        && holds("multipleOf", is_multiple)
}

/// Whether a number is a multiple of another one, except for rounding errors.
pub(super) fn is_multiple(number: f64, of: f64) -> bool {
    if of <= 0.0 {
        return true;
    }
    let times = number / of;
    (times - times.round()).abs() <= 1e-9 * times.abs().max(1.0)
}

fn fits_text(schema: &Node, text: &str) -> bool {
    within(text.chars().count(), schema, "minLength", "maxLength")
}

/// The number at a keyword.
pub(super) fn bound(schema: &Node, key: &str) -> Option<f64> {
    match &schema.get(key)?.value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
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
    items.iter().all(|item| seen.insert(item.to_json()))
}

/// Whether two values are equal. The order of keys does not matter, nor do the digits of equal numbers.
fn equal(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b || a.parse::<f64>() == b.parse::<f64>(),
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(&a.node, &b.node)))
        }
        _ => false,
    }
}
