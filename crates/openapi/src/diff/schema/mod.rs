//! Compares schemas.
mod choices;
mod facets;
mod fields;
mod values;
mod view;

pub(super) use view::types_of;

use super::compare::{Comparison, Location, Topic, Unit};
use super::rules::Rule;
use super::sides::Side;
use super::subject::Subject;
use crate::tree::Node;
use crate::wording::quoted;
use facets::Facets;
use fields::Fields;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use view::{Base, View};

/// Keywords whose effect on the valid values cannot be computed.
const CONDITIONS: [&str; 17] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "propertyNames",
    "patternProperties",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "contentSchema",
    "$dynamicRef",
];

/// The schema of one document.
struct SchemaSide<'a> {
    /// The schema in the document.
    node: &'a Node,
    /// The schema without the bases that both documents have.
    view: View<'a>,
    facets: Facets<'a>,
    fields: Fields<'a>,
    /// The schema with all bases; empty if both documents have no bases in common.
    whole: Option<OnceCell<(View<'a>, Facets<'a>)>>,
}

impl<'a> SchemaSide<'a> {
    fn new(side: &Side<'a>, node: &'a Node, mut view: View<'a>, kept: &HashSet<&str>) -> Self {
        view.expand(side, kept);
        let (facets, fields) = (Facets::of(side, &view), Fields::of(&view));
        let whole = (!view.bases.is_empty()).then(OnceCell::new);
        Self { node, view, facets, fields, whole }
    }

    /// The facets of the schema with all its bases.
    fn whole(&self, side: &Side<'a>) -> &Facets<'a> {
        self.with_bases(side).map_or(&self.facets, |(_, facets)| facets)
    }

    /// The schema with all its bases; `None` if its view has all of them.
    fn with_bases(&self, side: &Side<'a>) -> Option<&(View<'a>, Facets<'a>)> {
        let whole = self.whole.as_ref()?.get_or_init(|| {
            let mut view = View::of(side, self.node);
            view.expand(side, &HashSet::new());
            let facets = Facets::of(side, &view);
            (view, facets)
        });
        Some(whole)
    }

    /// The cost of comparing it.
    fn size(&self) -> usize {
        self.view.sources.len() + self.fields.size()
    }
}

impl<'a> Comparison<'a> {
    /// Compares two schemas.
    pub(super) fn schema(&mut self, unit: usize) {
        let Some(Unit { old, new, subject, .. }) = self.units.get(unit) else { return };
        let (old, new, subject) = (*old, *new, subject.clone());
        self.words(unit, old, new, &["description", "title", "externalDocs"]);
        self.deprecation(unit, old, new);
        let views = (View::of(&self.sides.old, old), View::of(&self.sides.new, new));
        let (old_kept, new_kept) = self.kept_bases(unit, &views.0, &views.1);
        let old = SchemaSide::new(&self.sides.old, old, views.0, &old_kept);
        let new = SchemaSide::new(&self.sides.new, new, views.1, &new_kept);
        let steps = old.size() + new.size() + self.sides.take_read();
        if !self.spend(steps) || self.choices_instead(unit, &subject, &old, &new) {
            return;
        }
        if !self.types(unit, &old, &new) {
            return;
        }
        self.values(unit, &old, &new);
        self.choices(unit, &subject, &old, &new);
        self.discriminators(unit, &old, &new);
        self.fields(unit, &subject, &old, &new);
        self.other_fields(unit, &subject, &old, &new);
        self.items(unit, &subject, &old, &new);
        self.conditions(unit, &old, &new);
    }

    /// The names of bases that both documents have, even under different names; they are compared as units of their
    /// own.
    fn kept_bases(&mut self, unit: usize, old: &View<'a>, new: &View<'a>) -> (HashSet<&'a str>, HashSet<&'a str>) {
        let by_name: HashMap<&str, &'a Node> = old.bases.iter().map(|base| (base.name, base.node)).collect();
        let mut old_kept = HashSet::new();
        let mut new_kept = HashSet::new();
        for base in &new.bases {
            if let Some(other) = by_name.get(base.name) {
                old_kept.insert(base.name);
                new_kept.insert(base.name);
                self.reach(unit, Topic::Schema, other, base.node, Subject::schema(base.name));
            }
        }
        let rest = |bases: &[Base<'a>], kept: &HashSet<&str>| -> Vec<Base<'a>> {
            bases.iter().filter(|base| !kept.contains(base.name)).copied().collect()
        };
        for (old, new) in rest(&old.bases, &old_kept).into_iter().zip(rest(&new.bases, &new_kept)) {
            if self.alike(old.node, new.node) {
                self.renamed.push((old.node, new.node));
                old_kept.insert(old.name);
                new_kept.insert(new.name);
            }
        }
        (old_kept, new_kept)
    }

    fn items(&mut self, unit: usize, subject: &Subject, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        let (before, after) = (old.facets.items, new.facets.items);
        if before.is_none() && after.is_none() {
            return;
        }
        let before = before.or_else(|| old.whole(&self.sides.old).items).unwrap_or(self.nothing);
        let after = after.or_else(|| new.whole(&self.sides.new).items).unwrap_or(self.nothing);
        self.reach(unit, Topic::Schema, before, after, subject.items());
    }

    fn conditions(&mut self, unit: usize, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        for key in CONDITIONS {
            let nodes = |schema: &SchemaSide<'a>| -> Vec<&'a Node> {
                schema.view.sources.iter().filter_map(|source| source.node.get(key)).collect()
            };
            let (before, after) = (nodes(old), nodes(new));
            let is_same = before.len() == after.len()
                && before.iter().zip(&after).all(|(before, after)| self.alike(before, after));
            if !is_same {
                let location = Location::either(before.first().copied(), after.first().copied(), new.node);
                self.report(
                    unit,
                    Rule::ConditionChanged,
                    location,
                    format_args!("has another condition {}", quoted(key)),
                );
            }
        }
        let (before, after) = (old.facets.default, new.facets.default);
        let is_same = match (before, after) {
            (None, None) => true,
            (Some(before), Some(after)) => self.sides.old.hash(before) == self.sides.new.hash(after),
            _ => false,
        };
        if !is_same {
            let json = |node: Option<&Node>| node.map_or("none".to_owned(), values::shown);
            let predicate = format!("has default {} instead of {}", json(after), json(before));
            self.report(unit, Rule::DefaultChanged, Location::either(before, after, new.node), predicate);
        }
    }
}
