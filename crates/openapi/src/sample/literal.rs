//! JSON values as expressions of JavaScript and Python.
use super::quote;
use crate::body::pretty::Notation;
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
    let decimal_digits = decimal(digits);
    float.is_finite() && decimal_digits.is_some() && decimal_digits == decimal(&format!("{float:e}"))
}

/// The digits of a number without zeros at both ends, and the power of ten of the last one.
fn decimal(number: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (is_negative, whole) = whole.strip_prefix('-').map_or((false, whole), |whole| (true, whole));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let dropped = i64::try_from(all.len() - digits.len()).ok()?;
    let digits = digits.trim_start_matches('0').to_owned();
    if digits.is_empty() {
        return Some((false, digits, 0));
    }
    let exponent = exponent.parse::<i64>().ok()?;
    let power = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(dropped)?;
    Some((is_negative, digits, power))
}
