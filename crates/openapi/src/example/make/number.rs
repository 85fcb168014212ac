//! Generates numbers.
use super::super::fits::bound;
use crate::schema::{Merged, is_multiple, number as number_of};
use crate::tree::{Node, Value};

/// The bounds of a number.
struct Bounds {
    /// The minimum, and whether it is excluded.
    least: Option<(f64, bool)>,
    /// The maximum, and whether it is excluded.
    most: Option<(f64, bool)>,
    multiples_of: Vec<f64>,
}

impl Bounds {
    fn of(merged: &Merged<'_>) -> Self {
        let largest = |key: &str| merged.largest(key).and_then(number_of);
        let smallest = |key: &str| merged.smallest(key).and_then(number_of);
        let least =
            [largest("minimum").map(|bound| (bound, false)), largest("exclusiveMinimum").map(|bound| (bound, true))];
        let most =
            [smallest("maximum").map(|bound| (bound, false)), smallest("exclusiveMaximum").map(|bound| (bound, true))];
        let multiples_of = merged.nodes().filter_map(|node| bound(node, "multipleOf")).filter(|of| *of > 0.0);
        Self {
            least: least.into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))),
            most: most.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))),
            multiples_of: multiples_of.collect(),
        }
    }

    fn has(&self, number: f64) -> bool {
        self.least.is_none_or(|(least, excluded)| number > least || !excluded && number == least)
            && self.most.is_none_or(|(most, excluded)| number < most || !excluded && number == most)
            && self.multiples_of.iter().all(|of| is_multiple(number, *of))
    }

    /// The numbers to try, the best ones first.
    fn candidates(&self, is_whole: bool, variant: f64) -> Vec<f64> {
        let mut all = Vec::new();
        if !is_whole {
            all.push(1.5 + variant);
        }
        all.extend([1.0 + variant, -variant]);
        let least = self.least.map(|(least, _)| least);
        let most = self.most.map(|(most, _)| most);
        let step = self.multiples_of.iter().copied().fold(1.0_f64, f64::max);
        for of in self.multiples_of.iter().copied().chain([1.0]) {
            // The multiples next to the bounds.
            let near = least.map(|least| (least / of).ceil() * of).into_iter();
            let near = near.chain(most.map(|most| (most / of).floor() * of));
            for near in near {
                all.extend([near, near + of, near - of].map(|number| number + variant * step));
                all.extend([near, near + of, near - of].map(|number| number - variant * step));
            }
            all.push(of * (1.0 + variant));
        }
        if !is_whole {
            all.extend(least.zip(most).map(|(least, most)| least + (most - least) / (2.0 + variant)));
            all.extend(least.map(|least| least + 0.5 / (1.0 + variant)));
            all.extend(most.map(|most| most - 0.5 / (1.0 + variant)));
            all.extend(least);
            all.extend(most);
        }
        all
    }
}

/// A number within the bounds of a schema; `None` if none is found. Another `variant` gives another number.
pub(super) fn number(merged: &Merged<'_>, is_whole: bool, variant: usize) -> Option<Node> {
    let bounds = Bounds::of(merged);
    let variant = f64::from(u32::try_from(variant).unwrap_or(u32::MAX));
    let fits = |number: &f64| bounds.has(*number) && number.is_finite() && (!is_whole || number.fract() == 0.0);
    let number = bounds.candidates(is_whole, variant).into_iter().find(fits)?;
    Some(Node::made(Value::Number(digits(number).into())))
}

/// The number as in JSON, with an exponent if it would have many zeros.
fn digits(number: f64) -> String {
    // A zero has no sign here.
    let number = if number == 0.0 { 0.0 } else { number };
    let is_plain = number == 0.0 || (1e-6..1e21).contains(&number.abs());
    if is_plain { format!("{number}") } else { format!("{number:e}") }
}
