//! How values become texts in an address, a header or a form: the styles of parameters (OpenAPI 3.1, "Style Values").
use crate::body::scalar;
use crate::tree::{Node, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters other than the unreserved ones (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The characters that `allowReserved` leaves unencoded: reserved characters without a meaning in the value of a query
/// parameter.
const KEPT: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=');
/// The characters that names of query parameters may have unencoded: `$filter` is a name.
const NAME: &AsciiSet = &RESERVED.remove(b'$');

/// Encodes a value for an address.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Encodes the name of a query parameter.
pub(super) fn encoded_name(text: &str) -> String {
    utf8_percent_encode(text, NAME).to_string()
}

/// Encodes the value of a query parameter that keeps reserved characters. Escapes stay as they are.
pub(super) fn encoded_but_reserved(text: &str) -> String {
    let mut out = String::new();
    for (index, piece) in text.split('%').enumerate() {
        if index > 0 {
            let is_escape = piece.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            out.push_str(if is_escape { "%" } else { "%25" });
        }
        out.extend(utf8_percent_encode(piece, KEPT));
    }
    out
}

/// A text without encoding.
pub(super) fn plain(text: &str) -> String {
    text.to_owned()
}

/// A style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
}

/// How a value is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing {
    pub(super) style: Style,
    /// Whether items and fields are written separately.
    pub(super) explode: bool,
    pub(super) encode: fn(&str) -> String,
}

impl Style {
    /// The style that a parameter or an encoding states.
    pub(super) fn stated(node: &Node) -> Option<Self> {
        Some(match node.text_of("style")? {
            "simple" => Self::Simple,
            "label" => Self::Label,
            "matrix" => Self::Matrix,
            "form" | "cookie" => Self::Form,
            "spaceDelimited" => Self::SpaceDelimited,
            "pipeDelimited" => Self::PipeDelimited,
            "deepObject" => Self::DeepObject,
            _ => return None,
        })
    }
}

impl Writing {
    /// How a parameter or an encoding writes its value; `style` is its default.
    pub(super) fn of(node: &Node, style: Style, encode: fn(&str) -> String) -> Self {
        let style = Style::stated(node).unwrap_or(style);
        let explode = match node.get("explode").map(|node| &node.value) {
            Some(Value::Bool(explode)) => *explode,
            _ => style == Style::Form,
        };
        Self { style, explode, encode }
    }

    /// The value as one text: the styles of paths and headers.
    pub(super) fn text(self, name: &str, value: &Node) -> String {
        let encoded_name = (self.encode)(name);
        match self.style {
            Style::Label => {
                let separator = if self.explode { "." } else { "," };
                format!(".{}", self.items(value, self.explode).join(separator))
            }
            Style::Matrix => match &value.value {
                Value::List(items) if self.explode => {
                    items.iter().map(|item| named(&encoded_name, &self.scalar(item))).collect()
                }
                Value::Map(_) if self.explode => {
                    self.items(value, true).iter().map(|item| format!(";{}", item.trim_end_matches('='))).collect()
                }
                _ => named(&encoded_name, &self.items(value, false).join(",")),
            },
            _ => self.items(value, self.explode).join(","),
        }
    }

    /// The value as pairs of names and values: the styles of queries, cookies and forms.
    pub(super) fn pairs(self, name: &str, value: &Node) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        match (&value.value, self.style) {
            (Value::Map(_) | Value::List(_), Style::DeepObject) => self.push_deep(name, value, &mut pairs),
            (Value::Map(members), _) if self.explode => {
                pairs.extend(members.iter().map(|(key, member)| (key.to_string(), self.scalar(&member.node))));
            }
            (Value::List(items), _) if self.explode => {
                pairs.extend(items.iter().map(|item| (name.to_owned(), self.scalar(item))));
            }
            _ => {
                let delimiter = match self.style {
                    Style::SpaceDelimited => (self.encode)(" "),
                    Style::PipeDelimited => (self.encode)("|"),
                    _ => ",".to_owned(),
                };
                pairs.push((name.to_owned(), self.items(value, false).join(&delimiter)));
            }
        }
        pairs
    }

    /// `name[key]=value`. Nested values, which the specification leaves open, continue in the same way.
    fn push_deep(self, name: &str, value: &Node, pairs: &mut Vec<(String, String)>) {
        match &value.value {
            Value::Map(members) => {
                for (key, member) in members {
                    self.push_deep(&format!("{name}[{key}]"), &member.node, pairs);
                }
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.push_deep(&format!("{name}[{index}]"), item, pairs);
                }
            }
            _ => pairs.push((name.to_owned(), self.scalar(value))),
        }
    }

    /// The items of a list; of a mapping, its keys and values, as `key=value` or one after another.
    fn items(self, value: &Node, explode: bool) -> Vec<String> {
        match &value.value {
            Value::List(items) => items.iter().map(|item| self.scalar(item)).collect(),
            Value::Map(members) => {
                let pairs = members.iter().map(|(key, member)| ((self.encode)(key), self.scalar(&member.node)));
                if explode {
                    pairs.map(|(key, value)| format!("{key}={value}")).collect()
                } else {
                    pairs.flat_map(|(key, value)| [key, value]).collect()
                }
            }
            _ => vec![self.scalar(value)],
        }
    }

    fn scalar(self, value: &Node) -> String {
        (self.encode)(&scalar(value))
    }
}

/// A parameter of a path segment: without an equals sign if it has no value (RFC 6570, section 3.2.7).
fn named(name: &str, value: &str) -> String {
    if value.is_empty() { format!(";{name}") } else { format!(";{name}={value}") }
}
