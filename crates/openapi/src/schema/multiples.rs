//! The rules of `multipleOf` that apply to the same value.
use super::decimal::{Decimal, same_digits};
use super::values::number;
use crate::tree::{Node, Value};
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximum number of different rules without a common one that are kept. Each is compared with each of another
/// schema.
const MAX_KEPT: usize = 10;

/// A number whose multiples are valid.
#[derive(Clone, Debug)]
pub(crate) struct Multiple<'a> {
    /// Its digits: as in the document, or those of a least common multiple.
    pub(crate) digits: Cow<'a, str>,
    /// The number; `None` if it has too many digits.
    pub(crate) number: Option<Decimal>,
    /// The value in the document; for a least common multiple, that of the first rule.
    pub(crate) node: &'a Node,
}

impl Multiple<'_> {
    /// Whether all multiples of this number are multiples of the other one.
    fn implies(&self, other: &Multiple<'_>) -> bool {
        let numbers = self.number.zip(other.number);
        self.digits == other.digits || numbers.and_then(|(own, of)| own.is_multiple_of(of)) == Some(true)
    }
}

/// The rules of several values of `multipleOf`: the least common multiple, or the first different numbers if that has
/// too many digits. Numbers that are not positive are no rules.
pub(crate) fn multiples<'a>(nodes: impl Iterator<Item = &'a Node>) -> Vec<Multiple<'a>> {
    let mut all: Vec<Multiple<'a>> = Vec::new();
    let mut seen = HashSet::new();
    for node in nodes {
        let Value::Number(digits) = &node.value else { continue };
        let multiple = Multiple { digits: Cow::Borrowed(digits), number: Decimal::of(digits), node };
        let is_rule = match multiple.number {
            Some(number) => number.is_positive(),
            None => number(node).is_some_and(|number| number > 0.0),
        };
        if is_rule && seen.insert(same_digits(digits)) {
            all.push(multiple);
        }
    }
    let numbers = all.iter().map(|multiple| multiple.number);
    let common = numbers.reduce(|a, b| a.zip(b).and_then(|(a, b)| a.common_multiple(b))).flatten();
    let Some(common) = common else {
        all.truncate(MAX_KEPT);
        return all;
    };
    if let Some(written) = all.iter().position(|multiple| multiple.number == Some(common)) {
        return vec![all.swap_remove(written)];
    }
    let digits = common.to_string();
    let first = all.first().map(|first| first.node);
    first.map(|node| Multiple { digits: digits.into(), number: Some(common), node }).into_iter().collect()
}

/// Whether values that follow these rules also follow the others.
pub(crate) fn imply(rules: &[Multiple<'_>], others: &[Multiple<'_>]) -> bool {
    others.iter().all(|other| rules.iter().any(|rule| rule.implies(other)))
}
