//! Choices: `anyOf` and `oneOf`, and discriminators.
use super::SchemaSide;
use super::view::{Group, label, types_of};
use crate::diff::compare::{Comparison, Location, Topic};
use crate::diff::rules::{Rule, Usage};
use crate::diff::subject::Subject;
use crate::schema::Type;
use crate::shape::ObjectKind;
use crate::tree::Node;
use crate::wording::quoted;
use std::collections::{HashMap, HashSet, VecDeque};

/// The maximum number of choices that are compared with a schema that is none of them.
const MAX_COMPARED: usize = 50;

/// The pairs of choices of two lists, and the choices without a partner.
struct Paired<'a> {
    pairs: Vec<(&'a Node, &'a Node)>,
    removed: Vec<&'a Node>,
    added: Vec<&'a Node>,
}

impl<'a> Comparison<'a> {
    /// Compares a schema with the choices that replace it in the other document; `false` if there are none.
    pub(super) fn choices_instead(
        &mut self,
        unit: usize,
        subject: &Subject,
        old: &SchemaSide<'a>,
        new: &SchemaSide<'a>,
    ) -> bool {
        let (before, after) = match (old.view.groups.as_slice(), new.view.groups.as_slice()) {
            ([], [group]) if new.view.is_only_choices() => (vec![old.node], group.choices.clone()),
            ([group], []) if old.view.is_only_choices() => (group.choices.clone(), vec![new.node]),
            _ => return false,
        };
        // If null is among the choices, the schema as a whole is none of them.
        let has_null = |schema: &SchemaSide<'a>| {
            schema.facets.types.has(Type::Null) && schema.view.groups.iter().any(|group| group.has_null)
        };
        if has_null(old) || has_null(new) {
            return false;
        }
        let paired = self.paired(&before, &after);
        if !paired.pairs.is_empty() {
            self.report_choices(unit, subject, paired);
            return true;
        }
        // In a response, each choice must keep the promises; in a request, the new schema must allow each choice.
        let is_kept = match self.usage(unit) {
            Usage::Request => before.len() > 1,
            Usage::Response | Usage::Unused => after.len() > 1,
        };
        if !is_kept || old.facets.types.and(new.facets.types).is_empty() {
            return false;
        }
        for (old, new) in before.iter().flat_map(|old| after.iter().map(move |new| (*old, *new))).take(MAX_COMPARED) {
            let choice = if after.len() > 1 { new } else { old };
            let subject = label(choice).map_or(subject.clone(), |label| subject.choice(&label));
            self.reach(unit, Topic::Schema, old, new, subject);
        }
        true
    }

    /// Compares the groups of choices in order: the first with the first, and so on.
    pub(super) fn choices(&mut self, unit: usize, subject: &Subject, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        let (before, after) = (&old.view.groups, &new.view.groups);
        for (before, after) in before.iter().zip(after) {
            if !self.sides.equal(before.list, after.list) {
                let paired = self.paired(&before.choices, &after.choices);
                self.report_choices(unit, subject, paired);
            }
        }
        let names = |group: &Group<'a>| {
            let names: Vec<String> = group.choices.iter().take(5).filter_map(|choice| label(choice)).collect();
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            if names.is_empty() { String::new() } else { format!(", such as {}", names.join(", ")) }
        };
        for group in after.iter().skip(before.len()) {
            let predicate = format!("must fit one of {} choices{}", group.choices.len(), names(group));
            self.report(unit, Rule::ChoicesIntroduced, Location::New(group.list), predicate);
        }
        for group in before.iter().skip(after.len()) {
            let predicate = format!("need not fit one of {} choices{}", group.choices.len(), names(group));
            self.report(unit, Rule::ChoicesDropped, Location::Old(group.list), predicate);
        }
    }

    fn report_choices(&mut self, unit: usize, subject: &Subject, paired: Paired<'a>) {
        let named = |comparison: &Self, node: &'a Node, is_old: bool| match label(node) {
            Some(label) => quoted(&label),
            None => {
                let side = if is_old { &comparison.sides.old } else { &comparison.sides.new };
                format!("of type {}", types_of(side, node))
            }
        };
        for (old, new) in paired.pairs {
            let subject = label(new).map_or(subject.clone(), |label| subject.choice(&label));
            self.reach(unit, Topic::Schema, old, new, subject);
        }
        for node in paired.removed {
            let predicate = format!("no longer has the choice {}", named(self, node, true));
            self.report(unit, Rule::ChoiceRemoved, Location::Old(node), predicate);
        }
        for node in paired.added {
            let predicate = format!("has the new choice {}", named(self, node, false));
            self.report(unit, Rule::ChoiceAdded, Location::New(node), predicate);
        }
    }

    /// Pairs choices by the names of their references, by their content, by titles and only values, then by types.
    fn paired(&mut self, old: &[&'a Node], new: &[&'a Node]) -> Paired<'a> {
        let (from, to) = (&self.sides.old, &self.sides.new);
        let mut found = Paired { pairs: Vec::new(), removed: old.to_vec(), added: new.to_vec() };
        let reference = |node: &'a Node| node.text_of("$ref").map(str::to_owned);
        found.pair(reference, reference);
        found.pair(|node| Some(from.hash(node)), |node| Some(to.hash(node)));
        found.pair(
            |node| Some(from.hash(from.follow(node, ObjectKind::Schema)?.node)),
            |node| Some(to.hash(to.follow(node, ObjectKind::Schema)?.node)),
        );
        // The schemas that have another name in the new document.
        let mut renamed = Vec::new();
        for (old, new) in found.removed.iter().zip(&found.added) {
            if self.alike(old, new) {
                renamed.push((*old, *new));
            }
        }
        found.take(&renamed);
        let (from, to) = (&self.sides.old, &self.sides.new);
        found.pair(label, label);
        let has_no_name = |node: &&'a Node| label(node).is_none();
        found.pair(
            |node| Some(node).filter(has_no_name).map(|node| types_of(from, node).to_string()),
            |node| Some(node).filter(has_no_name).map(|node| types_of(to, node).to_string()),
        );
        found
    }

    /// Compares discriminators.
    pub(super) fn discriminators(&mut self, unit: usize, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        let (before, after) = match (old.facets.discriminator, new.facets.discriminator) {
            (None, None) => return,
            (Some(before), Some(after)) => (before, after),
            (before, after) => {
                let predicate = if after.is_some() { "has a discriminator" } else { "no longer has a discriminator" };
                let location = Location::either(before, after, new.node);
                return self.report(unit, Rule::DiscriminatorChanged, location, predicate);
            }
        };
        if let Some(location) = self.differing(before, after, &["propertyName"]) {
            let name = quoted(after.text_of("propertyName").unwrap_or_default());
            self.report(unit, Rule::DiscriminatorChanged, location, format_args!("has the discriminator {name}"));
        }
        let nothing = self.nothing;
        let [before, after] = [before, after].map(|node| node.get("mapping").unwrap_or(nothing));
        for (value, name) in before.members() {
            let Some(other) = after.get(value) else {
                let predicate = format!("no longer has the discriminator value {}", quoted(value));
                self.report(unit, Rule::DiscriminatorValueRemoved, Location::Old(name), predicate);
                continue;
            };
            let old = name.as_text().and_then(|target| self.sides.old.mapped(target));
            let named = other.as_text().and_then(|target| Some((target, self.sides.new.mapped(target)?)));
            if let (Some(old), Some((target, new))) = (old, named) {
                self.reach(unit, Topic::Schema, old, new, Subject::schema(target));
            }
        }
        for (value, name) in after.members().filter(|(value, _)| before.get(value).is_none()) {
            let predicate = format!("has the discriminator value {}", quoted(value));
            self.report(unit, Rule::DiscriminatorValueAdded, Location::New(name), predicate);
        }
    }
}

impl<'a> Paired<'a> {
    /// Adds these pairs.
    fn take(&mut self, pairs: &[(&'a Node, &'a Node)]) {
        let taken: HashSet<*const Node> =
            pairs.iter().flat_map(|(old, new)| [*old, *new]).map(std::ptr::from_ref).collect();
        self.removed.retain(|node| !taken.contains(&std::ptr::from_ref(*node)));
        self.added.retain(|node| !taken.contains(&std::ptr::from_ref(*node)));
        self.pairs.extend(pairs);
    }

    /// Pairs those of both lists that have the same key; of several with one key, the first with the first.
    fn pair<K: Eq + std::hash::Hash>(
        &mut self,
        old_key: impl Fn(&'a Node) -> Option<K>,
        new_key: impl Fn(&'a Node) -> Option<K>,
    ) {
        let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (at, node) in self.removed.iter().enumerate() {
            if let Some(key) = old_key(node) {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        let mut taken = vec![None; self.removed.len()];
        self.added.retain(|node| {
            let at = new_key(node).and_then(|key| waiting.get_mut(&key)?.pop_front());
            if let Some(taken) = at.and_then(|at| taken.get_mut(at)) {
                *taken = Some(*node);
            }
            at.is_none()
        });
        let mut taken = taken.into_iter();
        self.removed.retain(|node| match taken.next().flatten() {
            Some(partner) => {
                self.pairs.push((node, partner));
                false
            }
            None => true,
        });
    }
}
