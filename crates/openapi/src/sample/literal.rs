//! JSON values as expressions of JavaScript and Python.
use super::quote;
use crate::body::pretty::Notation;
use crate::schema::Decimal;
use crate::tree::{Node, Value};

/// An expression for `JSON.stringify`.
pub(super) const JAVASCRIPT: Notation = Notation {
    text: quote::javascript,
    key: javascript_key,
    words: ["null", "false", "true"],
    has_last_comma: true,
    step: 2,
};

/// An expression for `json.dumps`.
pub(super) const PYTHON: Notation = Notation {
    text: quote::python,
    key: quote::python,
    words: ["None", "False", "True"],
    has_last_comma: true,
    step: 4,
};

/// The key of a member in JavaScript: `"__proto__": …` would set the prototype.
pub(super) fn javascript_key(key: &str) -> String {
    if key == "__proto__" { r#"["__proto__"]"#.to_owned() } else { quote::javascript(key) }
}

/// The maximum number of digits of an integer in Python, which parses at most 4,300 by default.
const MAX_DIGITS: usize = 1_000;

/// Whether JavaScript keeps every number of a value exactly. Otherwise the value is sent as text.
pub(super) fn is_exact_in_javascript(node: &Node) -> bool {
    numbers(node, &mut is_exact_float)
}

/// Whether Python keeps every number of a value exactly. Its integers have any size.
pub(super) fn is_exact_in_python(node: &Node) -> bool {
    numbers(node, &mut |digits| {
        if digits.contains(['.', 'e', 'E']) { is_exact_float(digits) } else { digits.len() <= MAX_DIGITS }
    })
}

fn numbers(node: &Node, holds: &mut dyn FnMut(&str) -> bool) -> bool {
    match &node.value {
        Value::Number(digits) => holds(digits),
        Value::List(items) => items.iter().all(|item| numbers(item, holds)),
        Value::Map(members) => members.values().all(|member| numbers(&member.node, holds)),
        Value::Null | Value::Bool(_) | Value::Text(_) => true,
    }
}

/// Whether a float of 64 bits, written with the fewest digits, is the same number.
fn is_exact_float(digits: &str) -> bool {
    let Ok(float) = digits.parse::<f64>() else { return false };
    let exact = Decimal::of(digits);
    float.is_finite() && exact.is_some() && exact == Decimal::of(&format!("{float:e}"))
}
