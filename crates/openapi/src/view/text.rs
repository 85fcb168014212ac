//! Texts of a view. Each is cut, so that no value of a document uses up the whole budget.
use crate::tree::Node;
use crate::wording::{cut, cut_json};

/// The longest name, address, format and the like, in characters.
const MAX_SHORT: usize = 1_000;
/// The longest description of anything but an operation, in characters.
const MAX_DESCRIPTION: usize = 4_000;
/// The longest default, example or possible value, in characters.
const MAX_VALUE: usize = 500;

/// The text, cut.
pub(super) fn short(text: &str) -> String {
    cut(text, MAX_SHORT).into_owned()
}

/// A text or the digits of a number, cut.
pub(super) fn scalar(node: &Node) -> Option<String> {
    node.text_or_digits().map(short)
}

/// The text of a key, if there is one that is not empty.
pub(super) fn member_text(node: &Node, key: &str) -> Option<String> {
    node.get(key).and_then(scalar).filter(|text| !text.is_empty())
}

/// The description.
pub(super) fn described(node: &Node) -> Option<String> {
    long(node.text_of("description")?, MAX_DESCRIPTION)
}

/// A longer text, cut; `None` if it is blank.
pub(super) fn long(text: &str, most: usize) -> Option<String> {
    (!text.trim().is_empty()).then(|| cut(text, most).into_owned())
}

/// A value for readers: a text as it is, other values as JSON.
pub(super) fn shown(node: &Node) -> String {
    match node.as_text() {
        Some(text) => cut(text, MAX_VALUE).into_owned(),
        None => cut_json(node, MAX_VALUE),
    }
}

/// `x-stability`.
pub(super) fn stability(node: &Node) -> Option<String> {
    member_text(node, "x-stability")
}

/// The date when something deprecated is removed.
pub(super) fn sunset(node: &Node) -> Option<String> {
    crate::sunset::sunset(node).map(short)
}
