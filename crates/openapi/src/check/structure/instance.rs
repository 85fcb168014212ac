//! The tree in the form that the validator reads: without a copy, and only while there are few errors.
//!
//! The validator keeps every error, with those of all branches of a choice. A document of some megabytes can have
//! millions of errors, so a [`Budget`] counts them. Once it is used up, the rest of the document looks empty, and the
//! errors there do not count.
use crate::deadline::Deadline;
use crate::tree::{Node as Tree, Value};
use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use std::borrow::Cow;
use std::cell::Cell;

/// The number of errors that can still be reported, and the deadline.
#[derive(Debug)]
pub(super) struct Budget<'d> {
    errors: Cell<usize>,
    deadline: &'d Deadline<'d>,
}

impl<'d> Budget<'d> {
    pub(super) fn new(errors: usize, deadline: &'d Deadline<'d>) -> Self {
        Self { errors: Cell::new(errors), deadline }
    }

    fn is_empty(&self) -> bool {
        self.errors.get() == 0 || self.deadline.is_over()
    }

    /// Counts an error. Returns whether the budget allowed it.
    fn spend(&self) -> bool {
        let left = self.errors.get();
        self.errors.set(left.saturating_sub(1));
        left > 0
    }
}

/// Whether an error was reported while the budget lasted.
pub(super) fn counts(error: &jsonschema::ValidationError<'_>) -> bool {
    **error.instance() != serde_json::Value::Bool(true)
}

/// The representation of documents.
#[derive(Debug)]
pub(super) struct Document;

/// A value of a document, or a key as a value.
#[derive(Clone, Debug)]
pub(super) enum Instance<'a> {
    Value(&'a Tree, &'a Budget<'a>),
    Key(&'a str),
}

impl Json for Document {
    type Node<'a> = Instance<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(_: &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Key(string))
    }
}

impl<'a> Instance<'a> {
    fn value(&self) -> Option<&'a Value> {
        match self {
            Instance::Value(node, _) => Some(&node.value),
            Instance::Key(_) => None,
        }
    }
}

impl<'a> Node<'a, Document> for Instance<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = Digits<'a>;

    fn as_object(&self) -> Option<Members<'a>> {
        match self {
            Instance::Value(Tree { value: Value::Map(members), .. }, budget) => Some(Members(members, budget)),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<Items<'a>> {
        match self {
            Instance::Value(Tree { value: Value::List(items), .. }, budget) => Some(Items(items, budget)),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self {
            Instance::Key(key) => Some(Cow::Borrowed(key)),
            Instance::Value(node, _) => node.as_text().map(Cow::Borrowed),
        }
    }

    fn as_number(&self) -> Option<Digits<'a>> {
        match self.value()? {
            Value::Number(digits) => Some(Digits(digits)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.value()? {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.value(), Some(Value::Null))
    }

    fn json_type(&self) -> JsonType {
        match self.value() {
            Some(Value::Null) => JsonType::Null,
            Some(Value::Bool(_)) => JsonType::Boolean,
            Some(Value::Number(_)) => JsonType::Number,
            Some(Value::Text(_)) | None => JsonType::String,
            Some(Value::List(_)) => JsonType::Array,
            Some(Value::Map(_)) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &serde_json::Value) -> bool {
        match (self, expected) {
            (Instance::Key(key), expected) => expected.as_str() == Some(key),
            (Instance::Value(node, _), expected) => equals(node, expected),
        }
    }

    /// Reports an error. The returned value is not used: the tree has it.
    fn to_value(&self) -> Cow<'a, serde_json::Value> {
        Cow::Owned(match self {
            Instance::Key(key) => serde_json::Value::String((*key).to_owned()),
            Instance::Value(_, budget) if budget.spend() => serde_json::Value::Null,
            Instance::Value(..) => serde_json::Value::Bool(true),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(match self {
            Instance::Value(node, _) => std::ptr::from_ref::<Tree>(node) as usize,
            Instance::Key(key) => key.as_ptr() as usize,
        }))
    }
}

fn equals(node: &Tree, expected: &serde_json::Value) -> bool {
    use serde_json::Value as Other;
    match (&node.value, expected) {
        (Value::Null, Other::Null) => true,
        (Value::Bool(a), Other::Bool(b)) => a == b,
        (Value::Number(digits), Other::Number(b)) => jsonschema::json::cmp::equal_numbers(&Digits(digits), b),
        (Value::Text(a), Other::String(b)) => **a == **b,
        (Value::List(a), Other::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equals(a, b)),
        (Value::Map(a), Other::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(key, b)| a.get(key.as_str()).is_some_and(|a| equals(&a.node, b)))
        }
        _ => false,
    }
}

/// The members of a mapping.
pub(super) struct Members<'a>(&'a crate::tree::Members, &'a Budget<'a>);

/// The members one after another.
pub(super) struct MembersIter<'a>(indexmap::map::Iter<'a, Box<str>, crate::tree::Member>, &'a Budget<'a>);

impl<'a> Iterator for MembersIter<'a> {
    type Item = (&'a str, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.1.is_empty() {
            return None;
        }
        let (key, member) = self.0.next()?;
        Some((key, Instance::Value(&member.node, self.1)))
    }
}

impl<'a> Object<'a, Document> for Members<'a> {
    type Node = Instance<'a>;
    type MemberName = &'a str;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &Box<str>) -> Option<Instance<'a>> {
        if self.1.is_empty() {
            return None;
        }
        self.0.get(key).map(|member| Instance::Value(&member.node, self.1))
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter(self.0.iter(), self.1)
    }
}

/// The items of a list.
pub(super) struct Items<'a>(&'a [Tree], &'a Budget<'a>);

/// The items one after another.
pub(super) struct ItemsIter<'a>(std::slice::Iter<'a, Tree>, &'a Budget<'a>);

impl<'a> Iterator for ItemsIter<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.1.is_empty() {
            return None;
        }
        Some(Instance::Value(self.0.next()?, self.1))
    }
}

impl<'a> Array<'a, Document> for Items<'a> {
    type Node = Instance<'a>;
    type ElementsIter = ItemsIter<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> ItemsIter<'a> {
        ItemsIter(self.0.iter(), self.1)
    }

    fn is_unique(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        self.0.iter().all(|item| seen.insert(canonical(item)))
    }
}

/// A text that equal values share: numbers by value, mappings without their order.
fn canonical(node: &Tree) -> String {
    match &node.value {
        Value::Number(digits) => format!("{:?}", decimal(digits)),
        Value::List(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Map(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(key, member)| format!("{key:?}:{}", canonical(&member.node))).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        _ => node.to_json(),
    }
}

/// A number by its digits.
pub(super) struct Digits<'a>(&'a str);

impl JsonNumber for Digits<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        Some(decimal(self.0))
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    /// Numbers beyond what a float holds become the largest float.
    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let parsed = serde_json::from_str(self.0).ok().or_else(|| serde_json::Number::from_f64(decimal(self.0)));
        Cow::Owned(parsed.unwrap_or_else(|| 0.into()))
    }
}

/// The number as a float: the nearest one, or the largest one if it is out of range.
fn decimal(digits: &str) -> f64 {
    let number: f64 = digits.parse().unwrap_or_default();
    number.clamp(f64::MIN, f64::MAX)
}
