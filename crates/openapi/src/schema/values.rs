//! Values as JSON Schema compares them.
use super::decimal::{Decimal, same_digits};
use crate::escape::write_quoted;
use crate::tree::{Node, Value};

/// The number, if the value is one.
pub(crate) fn number(value: &Node) -> Option<f64> {
    match &value.value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// Whether a number is a multiple of another one. `true` if that one is not positive, so that it is no rule. Numbers
/// with too many digits are rounded.
pub(crate) fn is_multiple(digits: &str, of: &str) -> bool {
    let exact = Decimal::of(digits).zip(Decimal::of(of)).and_then(|(number, of)| match of.is_positive() {
        true => number.is_multiple_of(of),
        false => Some(true),
    });
    let nearly = || {
        let (number, of) = (digits.parse::<f64>().ok()?, of.parse::<f64>().ok()?);
        let times = number / of;
        Some(of <= 0.0 || (times - times.round()).abs() <= 4.0 * f64::EPSILON * times.abs().max(1.0))
    };
    exact.or_else(nearly).unwrap_or(true)
}

/// Whether two values are equal. The order of keys does not matter, nor do the digits of equal numbers. The time is in
/// proportion to the smaller of both.
pub(crate) fn equal(a: &Node, b: &Node) -> bool {
    let mut left = usize::MAX;
    equal_within(a, b, &mut left) == Some(true)
}

/// Whether a value is equal to one of these. Each comparison of two values, also of two inside them, is subtracted from
/// `left`; `None` if it is used up before the answer is known.
pub(crate) fn is_one_of(value: &Node, values: &[Node], left: &mut usize) -> Option<bool> {
    for other in values {
        if equal_within(value, other, left)? {
            return Some(true);
        }
    }
    Some(false)
}

fn equal_within(a: &Node, b: &Node, left: &mut usize) -> Option<bool> {
    *left = left.checked_sub(1)?;
    let is_equal = match (&a.value, &b.value) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b || same_digits(a) == same_digits(b),
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b) {
                if !equal_within(a, b, left)? {
                    return Some(false);
                }
            }
            true
        }
        (Value::Map(a), Value::Map(b)) if a.len() == b.len() => {
            for (key, a) in a {
                let Some(b) = b.get(key) else { return Some(false) };
                if !equal_within(&a.node, &b.node, left)? {
                    return Some(false);
                }
            }
            true
        }
        _ => false,
    };
    Some(is_equal)
}

/// A text that equal values have in common, and no others.
pub(crate) fn key(value: &Node) -> String {
    let mut out = String::new();
    write_key(value, &mut out);
    out
}

fn write_key(value: &Node, out: &mut String) {
    match &value.value {
        Value::Null => out.push('n'),
        Value::Bool(is_true) => out.push(if *is_true { 't' } else { 'f' }),
        Value::Number(digits) => out.push_str(&same_digits(digits)),
        Value::Text(text) => write_quoted(text, out, String::push),
        Value::List(items) => {
            out.push('[');
            for item in items {
                write_key(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Map(members) => {
            let mut sorted: Vec<(&str, &Node)> = members.iter().map(|(key, member)| (&**key, &member.node)).collect();
            sorted.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (key, node) in sorted {
                write_quoted(key, out, String::push);
                write_key(node, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::read;
    use rstest::rstest;

    #[rstest]
    #[case::decimals("0.3", "0.1", true)]
    #[case::finer_decimals("0.1", "0.01", true)]
    #[case::other_decimals("0.35", "0.1", false)]
    #[case::a_decimal_that_is_nearly_one("0.30000000000000004", "0.1", false)]
    #[case::negative("-6.0", "3", true)]
    #[case::zero("0.0", "7", true)]
    #[case::large("1700000000000", "1000", true)]
    #[case::large_and_not_divisible("1700000000001", "1e3", false)]
    #[case::odd_beyond_a_float("9007199254740993", "2", false)]
    #[case::huge("1e300", "4", true)]
    #[case::huge_and_not_divisible("1e300", "3", false)]
    #[case::too_many_digits("0.3333333333333333333333333333333333333333", "0.1", false)]
    #[case::an_invalid_rule("5", "0", true)]
    #[case::a_negative_rule("5", "-2", true)]
    fn a_number_is_a_multiple_of_another_one(#[case] number: &str, #[case] of: &str, #[case] expected: bool) {
        assert_eq!(is_multiple(number, of), expected);
    }

    #[rstest]
    #[case::keys_in_another_order("[{a: 1, b: [2]}, {b: [2.0], a: 1}]", true)]
    #[case::another_value("[{a: 1}, {a: 2}]", false)]
    #[case::another_key("[{a: 1}, {b: 1}]", false)]
    #[case::a_longer_list("[[1], [1, 2]]", false)]
    #[case::a_text_of_digits("[1, '1']", false)]
    #[case::numbers_with_an_exponent("[100, 1e2]", true)]
    #[case::numbers_beyond_a_float("[9007199254740993, 9007199254740992.0]", false)]
    fn values_are_equal(#[case] pair: &str, #[case] expected: bool) {
        let root = read(pair.as_bytes()).root.expect("YAML");
        let [a, b] = root.items() else { panic!("a pair") };
        assert_eq!([equal(a, b), equal(b, a)], [expected, expected]);
        assert_eq!(key(a) == key(b), expected);
    }

    #[rstest]
    #[case::the_first("[[1, 2], [1, 2], [3]]", 3, Some(true))]
    #[case::none("[[1, 2], [1, 3], [3]]", 4, Some(false))]
    #[case::more_than_may_be_compared("[[1, 2], [1, 3], [3]]", 3, None)]
    #[case::of_no_values("[1]", 0, Some(false))]
    fn a_value_is_one_of_others(#[case] list: &str, #[case] most: usize, #[case] expected: Option<bool>) {
        let root = read(list.as_bytes()).root.expect("YAML");
        let [value, values @ ..] = root.items() else { panic!("a value and others") };
        let mut left = most;
        assert_eq!(is_one_of(value, values, &mut left), expected);
    }
}
