//! Compares the rules of schemas for values themselves.
use super::SchemaSide;
use super::facets::{Bound, FORMATS, Facets, Limit, MAXIMA, MINIMA, is_above, is_below};
use crate::diff::compare::{Comparison, Location};
use crate::diff::rules::Rule;
use crate::schema::{Multiple, Type, Types, imply};
use crate::tree::{Node, Value};
use crate::wording::{cut, quoted};

/// The maximum number of values that a text names.
const MAX_SHOWN: usize = 5;

/// The rules for narrower and wider facets.
struct Narrowing {
    narrower: Rule,
    wider: Rule,
}

const BOUND: Narrowing = Narrowing { narrower: Rule::BoundNarrowed, wider: Rule::BoundWidened };
const LENGTH: Narrowing = Narrowing { narrower: Rule::LengthNarrowed, wider: Rule::LengthWidened };

impl<'a> Comparison<'a> {
    /// Compares types; `false` if the schemas have no type in common, so that nothing else is compared.
    pub(super) fn types(&mut self, unit: usize, old: &SchemaSide<'a>, new: &SchemaSide<'a>) -> bool {
        if old.facets.types == new.facets.types && old.view.has_nullable_base() == new.view.has_nullable_base() {
            return true;
        }
        let (before, after) = (old.whole(&self.sides.old).types, new.whole(&self.sides.new).types);
        let [old_types, new_types] = [before, after].map(|types| types.without(Types::NULL));
        let (lost, won) = (old_types.without(new_types), new_types.without(old_types));
        let rule = match (lost.is_empty(), won.is_empty()) {
            (true, true) => None,
            (false, true) => Some(Rule::TypeNarrowed),
            (true, false) => Some(Rule::TypeWidened),
            (false, false) => Some(Rule::TypeChanged),
        };
        let location = Location::either(
            old.node.get("type").filter(|_| new.node.get("type").is_some()),
            new.node.get("type"),
            new.node,
        );
        if let Some(rule) = rule {
            self.report(unit, rule, location, format_args!("has type {after} instead of {before}"));
        }
        let is_any = before == Types::ALL || after == Types::ALL;
        match (before.has(Type::Null), after.has(Type::Null)) {
            (false, true) if !is_any => self.report(unit, Rule::NullAdded, location, "can be null"),
            (true, false) if !is_any => self.report(unit, Rule::NullRemoved, location, "can no longer be null"),
            _ => {}
        }
        old_types == new_types || !old_types.and(new_types).is_empty()
    }

    /// Compares enumerations, bounds, lengths, patterns and formats.
    pub(super) fn values(&mut self, unit: usize, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        let differ = |before: &Facets<'a>, after: &Facets<'a>| !have_same_values(before, after);
        if differ(&old.facets, &new.facets) {
            let (before, after) = (old.whole(&self.sides.old), new.whole(&self.sides.new));
            self.enumerations(unit, before, after, new.node);
            self.bounds(unit, before, after, new.node);
            self.multiples(unit, before, after, new.node);
            self.lengths(unit, before, after, new.node);
            self.patterns(unit, before, after);
            self.formats(unit, before, after);
        }
    }

    fn enumerations(&mut self, unit: usize, old: &Facets<'a>, new: &Facets<'a>, node: &'a Node) {
        match (&old.values, &new.values) {
            (None, None) => {}
            (None, Some(values)) => {
                let location = Location::New(values.values().next().copied().unwrap_or(node));
                self.report(unit, Rule::EnumIntroduced, location, format_args!("must be {}", listed(values.values())));
            }
            (Some(values), None) => {
                let location = values.values().next().map_or(Location::New(node), |value| Location::Old(value));
                let predicate = format!("can be another value than {}", listed(values.values()));
                self.report(unit, Rule::EnumDropped, location, predicate);
            }
            (Some(before), Some(after)) => {
                let lost: Vec<&Node> =
                    before.iter().filter(|(hash, _)| !after.contains_key(*hash)).map(|(_, value)| *value).collect();
                let won: Vec<&Node> =
                    after.iter().filter(|(hash, _)| !before.contains_key(*hash)).map(|(_, value)| *value).collect();
                if let Some(first) = lost.first() {
                    let predicate = format!("can no longer be {}", listed(&lost));
                    self.report(unit, Rule::EnumValueRemoved, Location::Old(first), predicate);
                }
                if let Some(first) = won.first() {
                    self.report(
                        unit,
                        Rule::EnumValueAdded,
                        Location::New(first),
                        format_args!("can be {}", listed(&won)),
                    );
                }
            }
        }
    }

    fn bounds(&mut self, unit: usize, old: &Facets<'a>, new: &Facets<'a>, node: &'a Node) {
        let is_whole = old.types.and(new.types).is_whole();
        let inclusive = |bound: Option<Bound<'a>>, step: f64| match bound {
            Some(bound) if is_whole && bound.is_exclusive && bound.number.fract() == 0.0 => {
                Some(Bound { number: bound.number + step, is_exclusive: false, ..bound })
            }
            bound => bound,
        };
        let text = |bound: Option<Bound<'a>>, than: &str| match bound {
            Some(bound) if bound.is_exclusive => format!("{than} {}", bound.number),
            Some(bound) => format!("{than} or equal to {}", bound.number),
            None => "any number".to_owned(),
        };
        let lower = (inclusive(old.lower, 1.0), inclusive(new.lower, 1.0));
        let upper = (inclusive(old.upper, -1.0), inclusive(new.upper, -1.0));
        for ((before, after), is_narrower, than) in
            [(lower, is_above as fn(Bound<'_>, Bound<'_>) -> bool, "greater than"), (upper, is_below, "less than")]
        {
            if before != after {
                let narrower = after.is_some_and(|after| before.is_none_or(|before| is_narrower(after, before)));
                let predicate = format!("must be {} instead of {}", text(after, than), text(before, than));
                let location = Location::either(before.map(|bound| bound.node), after.map(|bound| bound.node), node);
                self.report(unit, if narrower { BOUND.narrower } else { BOUND.wider }, location, predicate);
            }
        }
    }

    fn multiples(&mut self, unit: usize, old: &Facets<'a>, new: &Facets<'a>, node: &'a Node) {
        let (before, after) = (&old.multiples, &new.multiples);
        let rule = match (imply(after, before), imply(before, after)) {
            (true, true) => return,
            (true, false) => Rule::BoundNarrowed,
            (false, true) => Rule::BoundWidened,
            (false, false) => Rule::BoundChanged,
        };
        let text = |multiples: &[Multiple<'a>]| match multiples {
            [] => "anything".to_owned(),
            multiples => {
                let shown = multiples.iter().take(MAX_SHOWN).map(|multiple| cut(&multiple.digits, 40).into_owned());
                shown.collect::<Vec<_>>().join(" and ")
            }
        };
        let predicate = format!("must be a multiple of {} instead of {}", text(after), text(before));
        let first = |multiples: &[Multiple<'a>]| multiples.first().map(|multiple| multiple.node);
        self.report(unit, rule, Location::either(first(before), first(after), node), predicate);
    }

    fn lengths(&mut self, unit: usize, old: &Facets<'a>, new: &Facets<'a>, node: &'a Node) {
        for key in MINIMA.into_iter().chain(MAXIMA) {
            let (before, after) = (old.lengths.get(key).copied(), new.lengths.get(key).copied());
            let (Some(from), Some(to)) = (before.or(after), after.or(before)) else { continue };
            let is_more = to.number > from.number;
            let rule = match (before.is_some(), after.is_some()) {
                (true, true) if from.number == to.number => continue,
                (true, true) if is_more == MINIMA.contains(&key) => LENGTH.narrower,
                (true, true) | (true, false) => LENGTH.wider,
                (false, _) => LENGTH.narrower,
            };
            let text = |limit: Option<Limit<'a>>| limit.map_or("none".to_owned(), |limit| limit.number.to_string());
            let predicate = format!("has {key} {} instead of {}", text(after), text(before));
            self.report(unit, rule, Location::either(before.map(|b| b.node), after.map(|a| a.node), node), predicate);
        }
        match (old.unique_items, new.unique_items) {
            (None, Some(after)) => {
                self.report(unit, LENGTH.narrower, Location::New(after), "must have no item twice");
            }
            (Some(before), None) => self.report(unit, LENGTH.wider, Location::Old(before), "can have an item twice"),
            _ => {}
        }
    }

    fn patterns(&mut self, unit: usize, old: &Facets<'a>, new: &Facets<'a>) {
        let (before, after) = (old.pattern_texts(), new.pattern_texts());
        if before == after {
            return;
        }
        let text = |facets: &Facets<'a>| {
            let texts: Vec<String> = facets.patterns.keys().take(MAX_SHOWN).map(|pattern| quoted(pattern)).collect();
            texts.join(" and ")
        };
        let old_node = old.patterns.values().next().copied();
        let new_node = new.patterns.values().next().copied();
        match (old_node, new_node) {
            (None, Some(node)) => {
                self.report(unit, Rule::PatternAdded, Location::New(node), format_args!("must match {}", text(new)));
            }
            (Some(node), None) => {
                self.report(
                    unit,
                    Rule::PatternRemoved,
                    Location::Old(node),
                    format_args!("need not match {}", text(old)),
                );
            }
            (Some(_), Some(node)) => {
                let predicate = format!("must match {} instead of {}", text(new), text(old));
                self.report(unit, Rule::PatternChanged, Location::New(node), predicate);
            }
            (None, None) => {}
        }
    }

    fn formats(&mut self, unit: usize, old: &Facets<'a>, new: &Facets<'a>) {
        for key in FORMATS {
            let (before, after) = (old.formats.get(key), new.formats.get(key));
            let names = (before.map(|(text, _)| *text), after.map(|(text, _)| *text));
            let rule = match names {
                (before, after) if before == after => continue,
                (None, _) | (Some("int64"), Some("int32")) | (Some("double"), Some("float")) => Rule::FormatNarrowed,
                (_, None) | (Some("int32"), Some("int64")) | (Some("float"), Some("double")) => Rule::FormatWidened,
                _ => Rule::FormatChanged,
            };
            let text = |name: Option<&str>| name.map_or("none".to_owned(), quoted);
            let predicate = format!("has {key} {} instead of {}", text(names.1), text(names.0));
            let nodes = (before.map(|(_, node)| *node), after.map(|(_, node)| *node));
            if let Some(node) = nodes.1.or(nodes.0) {
                self.report(unit, rule, Location::either(nodes.0, nodes.1, node), predicate);
            }
        }
    }
}

/// Whether two schemas have the same rules for a value itself, except for types.
fn have_same_values(old: &Facets<'_>, new: &Facets<'_>) -> bool {
    let same_enum = match (&old.values, &new.values) {
        (None, None) => true,
        (Some(before), Some(after)) => {
            before.len() == after.len() && before.keys().all(|hash| after.contains_key(hash))
        }
        _ => false,
    };
    let same_formats = old.formats.len() == new.formats.len()
        && old
            .formats
            .iter()
            .zip(&new.formats)
            .all(|((key, (text, _)), (other, (after, _)))| key == other && text == after);
    let same_lengths = old.lengths.len() == new.lengths.len()
        && old
            .lengths
            .iter()
            .zip(&new.lengths)
            .all(|((key, limit), (other, after))| key == other && limit.number == after.number);
    same_enum
        && same_formats
        && same_lengths
        && old.lower == new.lower
        && old.upper == new.upper
        && imply(&old.multiples, &new.multiples)
        && imply(&new.multiples, &old.multiples)
        && old.unique_items.is_some() == new.unique_items.is_some()
        && old.patterns.keys().eq(new.patterns.keys())
}

/// The values in words: the first few, and the number of the others.
fn listed<'n>(values: impl IntoIterator<Item = &'n &'n Node, IntoIter: ExactSizeIterator>) -> String {
    let values = values.into_iter();
    let more = values.len().saturating_sub(MAX_SHOWN);
    let shown: Vec<String> = values.take(MAX_SHOWN).map(|value| shown(value)).collect();
    let rest = if more > 0 { format!(" or {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(" or "))
}

/// A value in words.
pub(super) fn shown(value: &Node) -> String {
    match &value.value {
        Value::Text(text) => quoted(text),
        Value::Number(digits) => cut(digits, 40).into_owned(),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "an object".to_owned(),
        Value::Null | Value::Bool(_) => value.to_json(),
    }
}
