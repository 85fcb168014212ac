//! Values for readers: one member or item per line.
use crate::tree::{Node, Value};

/// How a notation writes values.
pub(crate) struct Notation {
    /// A text.
    pub(crate) text: fn(&str) -> String,
    /// The key of a member.
    pub(crate) key: fn(&str) -> String,
    /// `null`, `false` and `true`.
    pub(crate) words: [&'static str; 3],
    /// Whether lists and mappings end with a comma.
    pub(crate) has_last_comma: bool,
    /// The number of spaces per level.
    pub(crate) step: usize,
}

/// JSON.
const JSON: Notation =
    Notation { text: json_text, key: json_text, words: ["null", "false", "true"], has_last_comma: false, step: 2 };

fn json_text(text: &str) -> String {
    Node::text(text).to_json()
}

/// The value as JSON.
pub(crate) fn json(node: &Node) -> String {
    JSON.write(node, 0)
}

impl Notation {
    /// The value, with its further lines indented by this number of spaces.
    pub(crate) fn write(&self, node: &Node, indent: usize) -> String {
        let mut out = String::new();
        self.value(node, indent, &mut out);
        out
    }

    fn value(&self, node: &Node, indent: usize, out: &mut String) {
        let [null, no, yes] = self.words;
        match &node.value {
            Value::Null => out.push_str(null),
            Value::Bool(value) => out.push_str(if *value { yes } else { no }),
            Value::Number(digits) => out.push_str(digits),
            Value::Text(text) => out.push_str(&(self.text)(text)),
            Value::List(items) => {
                out.push('[');
                self.items(items.iter().map(|item| (String::new(), item)), indent, out);
                out.push(']');
            }
            Value::Map(members) => {
                out.push('{');
                let items = members.iter().map(|(key, member)| (format!("{}: ", (self.key)(key)), &member.node));
                self.items(items, indent, out);
                out.push('}');
            }
        }
    }

    fn items<'a>(&self, items: impl ExactSizeIterator<Item = (String, &'a Node)>, indent: usize, out: &mut String) {
        let count = items.len();
        for (index, (key, item)) in items.enumerate() {
            new_line(indent + self.step, out);
            out.push_str(&key);
            self.value(item, indent + self.step, out);
            if index + 1 < count || self.has_last_comma {
                out.push(',');
            }
        }
        if count > 0 {
            new_line(indent, out);
        }
    }
}

fn new_line(indent: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}
