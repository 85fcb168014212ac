//! The rules of a schema for a value itself: types, values, bounds, lengths, patterns, formats.
use super::view::{Source, View, types_of};
use crate::diff::sides::Side;
use crate::schema::{Multiple, Types, listed_values, multiples, number};
use crate::tree::{Node, Value};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Keywords for which the larger number is narrower. An absent one is 0.
pub(super) const MINIMA: [&str; 3] = ["minLength", "minItems", "minProperties"];
/// Keywords for which the smaller number is narrower.
pub(super) const MAXIMA: [&str; 3] = ["maxLength", "maxItems", "maxProperties"];
/// Keywords for the form of a text.
pub(super) const FORMATS: [&str; 3] = ["format", "contentEncoding", "contentMediaType"];

/// A bound of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    pub(super) number: f64,
    /// Whether the number itself is excluded.
    pub(super) is_exclusive: bool,
    pub(super) node: &'a Node,
}

impl PartialEq for Bound<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && self.is_exclusive == other.is_exclusive
    }
}

/// A number of a keyword.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit<'a> {
    pub(super) number: f64,
    pub(super) node: &'a Node,
}

/// The rules of all sources together.
#[derive(Debug)]
pub(super) struct Facets<'a> {
    pub(super) types: Types,
    /// The values of `enum` and `const` without null, by their hashes.
    pub(super) values: Option<IndexMap<u64, &'a Node>>,
    pub(super) lower: Option<Bound<'a>>,
    pub(super) upper: Option<Bound<'a>>,
    pub(super) multiples: Vec<Multiple<'a>>,
    /// The narrowest number of each of [`MINIMA`] and [`MAXIMA`].
    pub(super) lengths: BTreeMap<&'static str, Limit<'a>>,
    pub(super) unique_items: Option<&'a Node>,
    pub(super) patterns: BTreeMap<&'a str, &'a Node>,
    /// The first of each of [`FORMATS`].
    pub(super) formats: BTreeMap<&'static str, (&'a str, &'a Node)>,
    pub(super) default: Option<&'a Node>,
    /// The schema of fields without a name.
    pub(super) others: Option<&'a Node>,
    pub(super) items: Option<&'a Node>,
    pub(super) discriminator: Option<&'a Node>,
}

impl<'a> Facets<'a> {
    pub(super) fn of(side: &Side<'a>, view: &View<'a>) -> Self {
        let mut facets = Self {
            types: Types::ALL,
            values: None,
            lower: None,
            upper: None,
            multiples: multiples(view.sources.iter().filter_map(|source| source.node.get("multipleOf"))),
            lengths: BTreeMap::new(),
            unique_items: None,
            patterns: BTreeMap::new(),
            formats: BTreeMap::new(),
            default: None,
            others: None,
            items: None,
            discriminator: None,
        };
        for source in &view.sources {
            facets.add(side, *source);
        }
        for group in &view.groups {
            side.count_read(group.choices.len());
            let null = if group.has_null { Types::NULL } else { Types::NONE };
            let types = group.choices.iter().map(|choice| types_of(side, choice));
            facets.types = facets.types.and(types.fold(null, Types::or));
        }
        facets
    }

    fn add(&mut self, side: &Side<'a>, source: Source<'a>) {
        let Source { node, is_nullable } = source;
        if let Some(values) = listed_values(node) {
            // A constant is compared with the enumeration.
            side.count_read(values.len().max(node.items_of("enum").len()));
            let values = values.iter().filter(|value| !matches!(value.value, Value::Null));
            let values: IndexMap<u64, &Node> = values.map(|value| (side.hash(value), value)).collect();
            match &mut self.values {
                Some(known) => known.retain(|hash, _| values.contains_key(hash)),
                None => self.values = Some(values),
            }
        }
        let types = side.own_types(node);
        self.types = self.types.and(if is_nullable { types.or(Types::NULL) } else { types });
        self.add_numbers(node);
        self.add_texts(node);
        let others = node.get("additionalProperties").or_else(|| node.get("unevaluatedProperties"));
        self.others = self.others.or(others);
        self.items = self.items.or_else(|| node.get("items"));
        self.default = self.default.or_else(|| node.get("default"));
        self.discriminator = self.discriminator.or_else(|| node.get("discriminator"));
    }

    fn add_numbers(&mut self, node: &'a Node) {
        let bound = |key, is_exclusive| {
            node.get(key).and_then(|node| Some(Bound { number: number(node)?, is_exclusive, node }))
        };
        for bound in [bound("minimum", false), bound("exclusiveMinimum", true)].into_iter().flatten() {
            if self.lower.is_none_or(|known| is_above(bound, known)) {
                self.lower = Some(bound);
            }
        }
        for bound in [bound("maximum", false), bound("exclusiveMaximum", true)].into_iter().flatten() {
            if self.upper.is_none_or(|known| is_below(bound, known)) {
                self.upper = Some(bound);
            }
        }
        let limit = |key| node.get(key).and_then(|node| Some(Limit { number: number(node)?, node }));
        for key in MINIMA {
            if let Some(limit) = limit(key).filter(|limit| limit.number > 0.0) {
                let known = self.lengths.entry(key).or_insert(limit);
                if limit.number > known.number {
                    *known = limit;
                }
            }
        }
        for key in MAXIMA {
            if let Some(limit) = limit(key) {
                let known = self.lengths.entry(key).or_insert(limit);
                if limit.number < known.number {
                    *known = limit;
                }
            }
        }
        let is_unique = |node: &&Node| matches!(node.value, Value::Bool(true));
        self.unique_items = self.unique_items.or_else(|| node.get("uniqueItems").filter(is_unique));
    }

    fn add_texts(&mut self, node: &'a Node) {
        if let Some((text, node)) = node.get("pattern").and_then(|node| Some((node.as_text()?, node))) {
            self.patterns.entry(text).or_insert(node);
        }
        for key in FORMATS {
            if let Some((text, node)) = node.get(key).and_then(|node| Some((node.as_text()?, node))) {
                self.formats.entry(key).or_insert((text, node));
            }
        }
    }

    /// The patterns without their places.
    pub(super) fn pattern_texts(&self) -> BTreeSet<&'a str> {
        self.patterns.keys().copied().collect()
    }
}

/// Whether a lower bound is the narrower one.
pub(super) fn is_above(bound: Bound<'_>, other: Bound<'_>) -> bool {
    bound.number > other.number || bound.number == other.number && bound.is_exclusive && !other.is_exclusive
}

/// Whether an upper bound is the narrower one.
pub(super) fn is_below(bound: Bound<'_>, other: Bound<'_>) -> bool {
    bound.number < other.number || bound.number == other.number && bound.is_exclusive && !other.is_exclusive
}
