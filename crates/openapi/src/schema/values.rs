//! Values as JSON Schema compares them.
use crate::tree::{Node, Value};

/// The number, if the value is one.
pub(crate) fn number(value: &Node) -> Option<f64> {
    match &value.value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// Whether a number is a multiple of another one, except for rounding errors.
pub(crate) fn is_multiple(number: f64, of: f64) -> bool {
    if of <= 0.0 {
        return true;
    }
    let times = number / of;
    // Both numbers and the quotient are rounded.
    (times - times.round()).abs() <= 4.0 * f64::EPSILON * times.abs().max(1.0)
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
        (Value::Number(a), Value::Number(b)) => a == b || a.parse::<f64>() == b.parse::<f64>(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::read;
    use rstest::rstest;

    #[rstest]
    #[case::decimals(0.3, 0.1, true)]
    #[case::finer_decimals(0.1, 0.01, true)]
    #[case::other_decimals(0.35, 0.1, false)]
    #[case::negative(-6.0, 3.0, true)]
    #[case::zero(0.0, 7.0, true)]
    #[case::large(1_700_000_000_000.0, 1_000.0, true)]
    #[case::large_and_not_divisible(1_700_000_000_001.0, 1_000.0, false)]
    #[case::larger_and_odd(10_000_000_001.0, 2.0, false)]
    #[case::an_invalid_rule(5.0, 0.0, true)]
    fn a_number_is_a_multiple_of_another_one(#[case] number: f64, #[case] of: f64, #[case] expected: bool) {
        assert_eq!(is_multiple(number, of), expected);
    }

    #[rstest]
    #[case::keys_in_another_order("[{a: 1, b: [2]}, {b: [2.0], a: 1}]", true)]
    #[case::another_value("[{a: 1}, {a: 2}]", false)]
    #[case::another_key("[{a: 1}, {b: 1}]", false)]
    #[case::a_longer_list("[[1], [1, 2]]", false)]
    #[case::a_text_of_digits("[1, '1']", false)]
    fn values_are_equal(#[case] pair: &str, #[case] expected: bool) {
        let root = read(pair.as_bytes()).root.expect("YAML");
        let [a, b] = root.items() else { panic!("a pair") };
        assert_eq!([equal(a, b), equal(b, a)], [expected, expected]);
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
