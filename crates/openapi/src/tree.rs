//! The tree of a document: JSON values with their places in the text.
use crate::escape::write_quoted;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::fmt::Write;

/// The place where a value begins in the text: counted from 1, columns in characters. 0 for a value that is not in the
/// text, such as one that the upgrade made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, counted from 0: the index in the list of files that were read.
    pub file: u16,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// The place where it begins.
    pub at: Place,
    /// The value.
    pub value: Value,
}

/// A step from a value to one that it contains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// To the value of a key.
    Key(Box<str>),
    /// To an item of a list, counted from 0.
    Index(usize),
}

/// The path from the document to a value. Unlike a JSON Pointer, it distinguishes keys from indexes: a response `200`
/// is a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// The JSON Pointer (RFC 6901); empty for the document.
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        for step in &self.0 {
            out.push('/');
            match step {
                Step::Key(key) => out.push_str(&pointer_step(key)),
                Step::Index(index) => {
                    // Writing to a text cannot fail.
                    let _ = write!(out, "{index}");
                }
            }
        }
        out
    }

    /// The path of a JSON Pointer in this document. A step below a list is an index if it can be one; where the
    /// document ends, all steps are keys.
    pub fn of(root: &Node, pointer: &str) -> Self {
        let mut node = Some(root);
        let steps = pointer.split('/').skip(1).map(|step| {
            let key = unescape(step);
            let index = node.and_then(Node::as_list).and_then(|_| list_index(&key));
            let found = match index {
                Some(index) => Step::Index(index),
                None => Step::Key(key.into()),
            };
            node = node.and_then(|node| node.step(&found));
            found
        });
        Self(steps.collect())
    }
}

/// A pointer's step as a key.
pub(crate) fn unescape(step: &str) -> Cow<'_, str> {
    match step.contains('~') {
        true => step.replace("~1", "/").replace("~0", "~").into(),
        false => step.into(),
    }
}

/// A pointer in the canonical form, with the same escapes in every step.
pub(crate) fn canonical(pointer: &str) -> String {
    if pointer.starts_with('/') && !pointer.contains('~') {
        return pointer.to_owned();
    }
    pointer.split('/').skip(1).map(|step| format!("/{}", pointer_step(&unescape(step)))).collect()
}

/// A member of a mapping.
#[derive(Clone, Debug)]
pub struct Member {
    /// The place where its key begins.
    pub at: Place,
    /// Its value.
    pub node: Node,
}

/// A mapping, in the order of the text. Large documents have a million keys, so they are hashed by a fast function, with
/// a random seed.
pub type Members = IndexMap<Box<str>, Member, RandomState>;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as a valid JSON number. It keeps the digits of the text: `1.10` stays `1.10`.
    Number(Box<str>),
    /// A text.
    Text(Box<str>),
    /// A list.
    List(Vec<Node>),
    /// A mapping.
    Map(Members),
}

impl Node {
    /// A value that is not in the source text.
    pub fn made(value: Value) -> Self {
        Self { at: Place::default(), value }
    }

    /// A text that is not in the source text.
    pub fn text(text: &str) -> Self {
        Self::made(Value::Text(text.into()))
    }

    /// The members, if it is a mapping.
    pub fn as_map(&self) -> Option<&Members> {
        match &self.value {
            Value::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key).map(|member| &member.node)
    }

    /// The text of a key, if it is a mapping that has one there.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// Whether the value of a key is `true`.
    pub(crate) fn is_true(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Node { value: Value::Bool(true), .. }))
    }

    /// The text, or the digits of a number: authors write `version: 1.10` without quotation marks.
    pub(crate) fn text_or_digits(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The items; none if it is not a list.
    pub(crate) fn items(&self) -> &[Node] {
        self.as_list().unwrap_or_default()
    }

    /// The items of the list at a key; none if there is no list.
    pub(crate) fn items_of(&self, key: &str) -> &[Node] {
        self.get(key).map(Node::items).unwrap_or_default()
    }

    /// The keys and values; none if it is not a mapping.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.as_map().into_iter().flatten().map(|(key, member)| (&**key, &member.node))
    }

    /// The keys and values of the mapping at a key; none if there is no mapping.
    pub(crate) fn members_of<'a>(&'a self, key: &str) -> impl Iterator<Item = (&'a str, &'a Node)> + use<'a> {
        self.get(key).into_iter().flat_map(Node::members)
    }

    /// Subtracts the number of values in this one, itself included, from a number; `None` if the number is smaller.
    pub(crate) fn subtract_from(&self, number: usize) -> Option<usize> {
        self.subtract(number, |_| 0)
    }

    /// The same for the memory that a copy takes: a text or key of 64 bytes counts as a further value.
    pub(crate) fn subtract_copy_from(&self, number: usize) -> Option<usize> {
        self.subtract(number, |text| text.len() / 64)
    }

    fn subtract(&self, number: usize, of_text: fn(&str) -> usize) -> Option<usize> {
        let rest = number.checked_sub(1)?;
        match &self.value {
            Value::List(items) => items.iter().try_fold(rest, |rest, item| item.subtract(rest, of_text)),
            Value::Map(members) => members
                .iter()
                .try_fold(rest, |rest, (key, member)| member.node.subtract(rest.checked_sub(of_text(key))?, of_text)),
            Value::Text(text) | Value::Number(text) => rest.checked_sub(of_text(text)),
            Value::Null | Value::Bool(_) => Some(rest),
        }
    }

    /// The value at a step.
    pub fn step(&self, step: &Step) -> Option<&Node> {
        match (step, &self.value) {
            (Step::Key(key), Value::Map(members)) => members.get(key).map(|member| &member.node),
            (Step::Index(index), Value::List(items)) => items.get(*index),
            _ => None,
        }
    }

    /// The value at a JSON Pointer (RFC 6901); `""` is this value.
    pub fn at_pointer(&self, pointer: &str) -> Option<&Node> {
        let Some(steps) = pointer.strip_prefix('/') else { return pointer.is_empty().then_some(self) };
        steps.split('/').try_fold(self, |node, step| {
            let step = unescape(step);
            match &node.value {
                Value::Map(members) => members.get(&*step).map(|member| &member.node),
                Value::List(items) => list_index(&step).and_then(|index| items.get(index)),
                _ => None,
            }
        })
    }

    /// The value at a path, to change it.
    pub(crate) fn at_path_mut(&mut self, path: &Path) -> Option<&mut Node> {
        path.0.iter().try_fold(self, |node, step| match (step, &mut node.value) {
            (Step::Key(key), Value::Map(members)) => members.get_mut(key).map(|member| &mut member.node),
            (Step::Index(index), Value::List(items)) => items.get_mut(*index),
            _ => None,
        })
    }

    /// The value as compact JSON, with the keys in the order of the text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_json(self, usize::MAX, &mut out);
        out
    }

    /// The beginning of the value as compact JSON: all of it, or at least this number of bytes. It takes time in
    /// proportion to that number, however large the value is.
    pub(crate) fn start_of_json(&self, bytes: usize) -> String {
        let mut out = String::new();
        write_json(self, bytes, &mut out);
        out
    }
}

/// A list index of a JSON Pointer: digits without leading zeros.
fn list_index(step: &str) -> Option<usize> {
    let digits = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    (digits && (step == "0" || !step.starts_with('0'))).then(|| step.parse().ok()).flatten()
}

/// A step of a JSON Pointer for this key.
pub(crate) fn pointer_step(key: &str) -> Cow<'_, str> {
    match key.contains(['~', '/']) {
        true => key.replace('~', "~0").replace('/', "~1").into(),
        false => key.into(),
    }
}

/// Writes a value as JSON, until the text has at least this number of bytes.
fn write_json(node: &Node, most: usize, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(digits) => out.push_str(start(digits, most, out)),
        Value::Text(text) => write_text(start(text, most, out), out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if out.len() >= most {
                    return;
                }
                if index > 0 {
                    out.push(',');
                }
                write_json(item, most, out);
            }
            out.push(']');
        }
        Value::Map(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if out.len() >= most {
                    return;
                }
                if index > 0 {
                    out.push(',');
                }
                write_text(start(key, most, out), out);
                out.push(':');
                write_json(&member.node, most, out);
            }
            out.push('}');
        }
    }
}

/// The beginning of a text that is enough to get to this number of bytes.
fn start<'t>(text: &'t str, most: usize, out: &str) -> &'t str {
    // A character has four bytes at most.
    let end = text.floor_char_boundary(most.saturating_sub(out.len()).saturating_add(4));
    text.get(..end).unwrap_or(text)
}

fn write_text(text: &str, out: &mut String) {
    write_quoted(text, out, |out, char| match char {
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        control if control < ' ' => {
            // Writing to a text cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
        char => out.push(char),
    });
}
