//! Generates values for a schema from types, formats and bounds: without a clock and without randomness.
//!
//! Each attempt makes fewer optional fields: first all, then those near the top, at last only the required ones.
//! Optional fields end at [`MAX_FIELDS`]; required ones continue up to [`MAX_BYTES`], so that the value stays valid. A
//! schema inside itself has no value: an optional field is left out, a list stays empty, and the next choice is tried.
mod choice;
mod list;
mod number;
mod object;
mod pattern;
mod text;

use super::reader::{Prepared, Reader};
use super::work::Work;
use crate::schema::{LocatedNode, Merged, Type};
use crate::tree::{Node, Value};
use std::ptr;

/// The maximum number of fields of a value with optional ones.
pub const MAX_FIELDS: usize = 200;
/// The maximum size of a value, in bytes of its JSON.
pub const MAX_BYTES: usize = 64 * 1024;

/// The maximum depth of values.
const MAX_DEPTH: usize = 40;

/// The maximum depth of schemas. A choice of a choice does not make a value deeper.
const MAX_ENTERED: usize = 100;

/// The depths to which optional fields are made, one attempt after another.
const DETAILS: [usize; 6] = [MAX_DEPTH, 4, 3, 2, 1, 0];

/// The maximum work for an incomplete value, after all attempts.
const LAST_WORK: usize = 5_000;

/// A value for which all of these schemas apply, if one is found. Otherwise it is incomplete.
pub(super) fn make<'a>(reader: Reader<'a, '_>, located_nodes: &[LocatedNode<'a>]) -> Node {
    let mut unfit = None;
    for detail in DETAILS {
        for strictness in [Strictness::Loose, Strictness::Strict] {
            let mut maker = Maker::new(reader, Limits { detail, fields: MAX_FIELDS, strictness });
            // A value that is too large, or that cannot be made, needs less detail.
            let Some(value) = maker.make(located_nodes, 0).filter(|_| !maker.is_full) else { break };
            if reader.fits(located_nodes, &value) {
                return value;
            }
            unfit.get_or_insert(value);
        }
    }
    if let Some(value) = unfit {
        return value;
    }
    let mut maker = Maker::new(reader, Limits { detail: 0, fields: usize::MAX, strictness: Strictness::Loose });
    if let Some(value) = maker.make(located_nodes, 0).filter(|_| !maker.is_full) {
        return value;
    }
    let work = Work::new(LAST_WORK);
    let reader = Reader { work: &work, ..reader };
    let mut maker = Maker::new(reader, Limits { detail: 0, fields: usize::MAX, strictness: Strictness::Least });
    maker.make(located_nodes, 0).unwrap_or_else(|| Node::made(Value::Null))
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The maximum depth of optional fields.
    detail: usize,
    /// The maximum number of fields.
    fields: usize,
    strictness: Strictness,
}

/// The effort for a valid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictness {
    /// A value of `oneOf` is valid for exactly one choice.
    Strict,
    /// A value of `oneOf` can be valid for several choices, if no other is found.
    Loose,
    /// Also, required parts that cannot be made are left out.
    Least,
}

/// A schema, and the conditions for the value.
#[derive(Clone, Debug, Default)]
struct Wanted<'a> {
    /// The schemas, which all apply.
    located_nodes: Vec<LocatedNode<'a>>,
    /// The choices that were made, as the schemas that have them; `true` for `oneOf`.
    chosen: Vec<(*const Node, bool)>,
    /// Texts of fields that select choices.
    fixed: Vec<(String, String)>,
    /// Optional fields that would make another choice valid too.
    without: Vec<&'a str>,
    /// Whether `if` was evaluated.
    is_conditioned: bool,
}

#[derive(Debug)]
struct Maker<'a, 's> {
    reader: Reader<'a, 's>,
    limits: Limits,
    fields: usize,
    bytes: usize,
    /// Whether a limit was reached, so that the value is unusable.
    is_full: bool,
    /// The schemas around the value.
    entered: Vec<*const Node>,
    /// The variant of the value: the number of values like it before it, in a list whose items must differ.
    variant: usize,
}

impl<'a, 's> Maker<'a, 's> {
    fn new(reader: Reader<'a, 's>, limits: Limits) -> Self {
        Self { reader, limits, fields: 0, bytes: 0, is_full: false, entered: Vec::new(), variant: 0 }
    }

    /// Whether required parts that cannot be made are left out.
    fn is_lenient(&self) -> bool {
        self.limits.strictness == Strictness::Least
    }

    /// A value to which all of these schemas apply; `None` if none is found.
    fn make(&mut self, located_nodes: &[LocatedNode<'a>], depth: usize) -> Option<Node> {
        let wanted = Wanted { located_nodes: located_nodes.to_vec(), ..Wanted::default() };
        self.enter(located_nodes.first()?, |maker| maker.make_wanted(&wanted, depth))
    }

    /// Calls `make`, unless this schema is around the value already or the nesting is too deep.
    fn enter(&mut self, located: &LocatedNode<'a>, make: impl FnOnce(&mut Self) -> Option<Node>) -> Option<Node> {
        let itself = self.reader.itself(located);
        if self.entered.contains(&itself) || self.entered.len() >= MAX_ENTERED {
            return None;
        }
        self.entered.push(itself);
        let value = make(self);
        self.entered.pop();
        value
    }

    fn make_wanted(&mut self, wanted: &Wanted<'a>, depth: usize) -> Option<Node> {
        if self.is_full || depth > MAX_DEPTH {
            return None;
        }
        let Some(prepared) = self.reader.prepared(&wanted.located_nodes) else {
            self.is_full = true;
            return None;
        };
        let merged = &prepared.merged;
        if let Some(value) = self.given(merged, wanted) {
            return self.spend_value(&value, depth).then_some(value);
        }
        let open = merged
            .choices
            .iter()
            .find(|choices| !wanted.chosen.contains(&(ptr::from_ref(choices.owner.node), choices.is_one)));
        let value = match open {
            Some(choices) => self.choose(wanted, merged, choices, depth),
            None => {
                let value = self.by_type(wanted, &prepared, depth);
                value.and_then(|value| self.conditioned(wanted, merged, value, depth))
            }
        };
        value.or_else(|| (merged.is_nullable() && !self.is_full).then(|| Node::made(Value::Null)))
    }

    /// The value from the author, if there is one and it is valid.
    fn given(&mut self, merged: &Merged<'a>, wanted: &Wanted<'a>) -> Option<Node> {
        let given = super::given::given(self.reader, &wanted.located_nodes, merged, self.variant)?;
        // The fields that select choices must be present.
        let has_fixed = wanted
            .fixed
            .iter()
            .all(|(name, text)| given.as_map().is_none() || given.text_of(name).is_none_or(|found| found == text));
        let is_small = self.bytes.saturating_add(size(&given)) <= MAX_BYTES;
        (has_fixed && is_small).then_some(given)
    }

    /// The value for the type that a schema states or implies.
    fn by_type(&mut self, wanted: &Wanted<'a>, prepared: &Prepared<'a>, depth: usize) -> Option<Node> {
        let merged = &prepared.merged;
        let listed = merged.nodes().find_map(|node| Some((node, node.items_of("enum").first()?)));
        let listed = listed.map(|(node, first)| node.get("const").unwrap_or(first));
        if listed.is_some() || merged.is_contradictory() {
            // None of them is valid, but they are better than nothing.
            return listed.filter(|_| self.limits.strictness != Strictness::Strict).cloned();
        }
        let stated = merged.types();
        let types: Vec<Type> = match (stated, merged.only_type()) {
            (Some(types), _) => types.shown().collect(),
            (None, Some(only)) => vec![only],
            // Anything is valid.
            (None, None) => vec![Type::String],
        };
        types.into_iter().find_map(|one| {
            if self.is_full {
                return None;
            }
            match one {
                Type::Object => self.object(wanted, prepared, depth),
                Type::Array => self.list(merged, depth),
                Type::String => text::text(merged, self.variant).and_then(|text| self.spend_scalar(Node::text(&text))),
                Type::Number => number::number(merged, false, self.variant).and_then(|node| self.spend_scalar(node)),
                Type::Integer => number::number(merged, true, self.variant).and_then(|node| self.spend_scalar(node)),
                Type::Boolean => self.spend_scalar(Node::made(Value::Bool(self.variant.is_multiple_of(2)))),
                Type::Null => None,
            }
        })
    }

    /// The value, or one that satisfies `then` or `else`, if there is an `if`.
    fn conditioned(&mut self, wanted: &Wanted<'a>, merged: &Merged<'a>, value: Node, depth: usize) -> Option<Node> {
        if wanted.is_conditioned {
            return Some(value);
        }
        let mut more = Vec::new();
        for layer in &merged.layers {
            let Some(test) = layer.located.key("if") else { continue };
            let holds = self.reader.fits(std::slice::from_ref(&test), &value);
            let branch = layer.located.key(if holds { "then" } else { "else" });
            more.extend(branch.filter(|branch| !self.reader.fits(std::slice::from_ref(branch), &value)));
        }
        if more.is_empty() {
            return Some(value);
        }
        let mut next = wanted.clone();
        next.located_nodes.extend(more);
        next.is_conditioned = true;
        self.make_wanted(&next, depth).or(Some(value))
    }

    /// Counts a field. `false` if there are too many.
    fn spend_field(&mut self, name: &str) -> bool {
        self.fields += 1;
        self.spend_bytes(name.len() + 6) && {
            self.is_full |= self.fields > self.limits.fields;
            !self.is_full
        }
    }

    fn spend_scalar(&mut self, node: Node) -> Option<Node> {
        self.spend_bytes(size(&node)).then_some(node)
    }

    /// Counts a value with all its fields. At the top, it can have any number of them, because the author wrote it.
    fn spend_value(&mut self, value: &Node, depth: usize) -> bool {
        self.fields += fields(value);
        self.is_full |= depth > 0 && self.fields > self.limits.fields;
        self.spend_bytes(size(value)) && !self.is_full
    }

    fn spend_bytes(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        self.is_full |= self.bytes > MAX_BYTES;
        !self.is_full
    }
}

/// Whether the [`size`] of a value is at most [`MAX_BYTES`]. For a larger one, this ends early.
pub(super) fn is_small(value: &Node) -> bool {
    fn subtract(value: &Node, left: usize) -> Option<usize> {
        match &value.value {
            Value::List(items) => {
                items.iter().try_fold(left.checked_sub(2)?, |left, item| subtract(item, left.checked_sub(2)?))
            }
            Value::Map(members) => members.iter().try_fold(left.checked_sub(2)?, |left, (key, member)| {
                subtract(&member.node, left.checked_sub(key.len() + 6)?)
            }),
            _ => left.checked_sub(size(value)),
        }
    }
    subtract(value, MAX_BYTES).is_some()
}

/// The bytes of a value's JSON, about.
pub(super) fn size(value: &Node) -> usize {
    match &value.value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(digits) => digits.len(),
        Value::Text(text) => text.len() + 2,
        Value::List(items) => items.iter().map(|item| size(item) + 2).sum::<usize>() + 2,
        Value::Map(members) => {
            members.iter().map(|(key, member)| key.len() + 6 + size(&member.node)).sum::<usize>() + 2
        }
    }
}

/// The fields of a value, and of all values in it.
fn fields(value: &Node) -> usize {
    match &value.value {
        Value::List(items) => items.iter().map(fields).sum(),
        Value::Map(members) => members.values().map(|member| 1 + fields(&member.node)).sum(),
        _ => 0,
    }
}
