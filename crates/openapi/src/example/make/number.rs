//! Generates numbers.
use crate::schema::{Decimal, Merged, Multiple, is_multiple, number as number_of};
use crate::tree::{Node, Value};

/// The largest factor that is multiplied without rounding: all smaller whole numbers are exact as floats.
const MAX_EXACT: f64 = 9e15;

/// The bounds of a number.
struct Bounds<'a> {
    /// The minimum, and whether it is excluded.
    least: Option<(f64, bool)>,
    /// The maximum, and whether it is excluded.
    most: Option<(f64, bool)>,
    multiples: Vec<Multiple<'a>>,
}

impl<'a> Bounds<'a> {
    fn of(merged: &Merged<'a>) -> Self {
        let largest = |key: &str| merged.largest(key).and_then(number_of);
        let smallest = |key: &str| merged.smallest(key).and_then(number_of);
        let least =
            [largest("minimum").map(|bound| (bound, false)), largest("exclusiveMinimum").map(|bound| (bound, true))];
        let most =
            [smallest("maximum").map(|bound| (bound, false)), smallest("exclusiveMaximum").map(|bound| (bound, true))];
        Self {
            least: least.into_iter().flatten().max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))),
            most: most.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))),
            multiples: merged.multiples(),
        }
    }

    fn has(&self, number: f64) -> bool {
        self.least.is_none_or(|(least, excluded)| number > least || !excluded && number == least)
            && self.most.is_none_or(|(most, excluded)| number < most || !excluded && number == most)
            && self.multiples.iter().all(|of| is_multiple(&digits(number), &of.digits))
    }

    /// The numbers whose multiples are tried. Of a whole number, only multiples that are whole.
    fn steps(&self, is_whole: bool) -> impl Iterator<Item = Decimal> {
        let steps = self.multiples.iter().filter_map(|multiple| multiple.number);
        let whole = move |step: Decimal| step.common_multiple(Decimal::ONE).filter(|_| is_whole).unwrap_or(step);
        steps.map(whole).chain([Decimal::ONE])
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
        for step in self.steps(is_whole) {
            let Some(of) = step.rounded() else { continue };
            // The multiples next to the bounds.
            let near = least.map(|least| (least / of).ceil()).into_iter();
            for near in near.chain(most.map(|most| (most / of).floor())) {
                let near = [near, near + 1.0, near - 1.0];
                all.extend(near.map(|factor| multiple(step, of, factor + variant)));
                all.extend(near.map(|factor| multiple(step, of, factor - variant)));
            }
            all.push(multiple(step, of, 1.0 + variant));
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

/// The multiple of a number with a whole factor. `of` is the number, rounded.
fn multiple(number: Decimal, of: f64, factor: f64) -> f64 {
    // The product of floats is rounded: 3 times 0.1 is not 0.3.
    let exact = (factor.abs() <= MAX_EXACT).then(|| number.times(factor as i64)?.rounded()).flatten();
    exact.unwrap_or(of * factor)
}

/// A number within the bounds of a schema; `None` if none is found. Another `variant` gives another number.
pub(super) fn number(merged: &Merged<'_>, is_whole: bool, variant: usize) -> Option<Node> {
    let bounds = Bounds::of(merged);
    let variant = f64::from(u32::try_from(variant).unwrap_or(u32::MAX));
    let fits = |number: &f64| number.is_finite() && bounds.has(*number) && (!is_whole || number.fract() == 0.0);
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
