//! The fields of objects.
use super::SchemaSide;
use super::view::View;
use crate::diff::compare::{Comparison, Location, Topic};
use crate::diff::rules::{Rule, Usage};
use crate::diff::sides::Side;
use crate::diff::subject::Subject;
use crate::shape::ObjectKind;
use crate::tree::{Node, Value};
use indexmap::{IndexMap, IndexSet};
use std::collections::HashSet;

/// The rule for fields without a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Any,
    None,
    Some,
}

impl Others {
    fn of(node: Option<&Node>) -> Self {
        match node.map(|node| &node.value) {
            Some(Value::Bool(false)) => Self::None,
            Some(Value::Map(members)) if !members.is_empty() => Self::Some,
            _ => Self::Any,
        }
    }
}

/// The fields with names, and the required ones with the places where they are required.
#[derive(Default)]
pub(super) struct Fields<'a> {
    named: IndexMap<&'a str, &'a Node>,
    required: IndexMap<&'a str, &'a Node>,
}

impl<'a> Fields<'a> {
    /// The fields of all sources.
    pub(super) fn of(view: &View<'a>) -> Self {
        let mut fields = Self::default();
        for source in &view.sources {
            for (name, field) in source.node.members_of("properties") {
                fields.named.entry(name).or_insert(field);
            }
            for item in source.node.items_of("required") {
                if let Some(name) = item.as_text() {
                    fields.required.entry(name).or_insert(item);
                }
            }
        }
        fields
    }

    pub(super) fn size(&self) -> usize {
        self.named.len() + self.required.len()
    }
}

/// The maximum number of schemas that are read to find out whether values have a field.
const MAX_SCHEMAS: usize = 100;

/// Whether values in this direction do not have a field with this schema: the schema says so, or one that applies with
/// it, behind a reference or in `allOf`.
fn is_absent<'a>(side: &Side<'a>, schema: &'a Node, usage: Usage) -> bool {
    let mut seen = HashSet::new();
    let mut next = vec![schema];
    while let Some(schema) = next.pop().filter(|_| seen.len() < MAX_SCHEMAS) {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        if usage.hides(schema) {
            return true;
        }
        next.extend(schema.items_of("allOf").iter().take(MAX_SCHEMAS.saturating_sub(next.len())));
        next.extend(schema.text_of("$ref").and_then(|target| side.target(target)));
    }
    false
}

/// The field with this name: its own, or else that of a base. `None` if values in this direction do not have it.
fn field<'a>(side: &Side<'a>, schema: &SchemaSide<'a>, name: &str, usage: Usage) -> Option<&'a Node> {
    let of_base = || {
        let mut sources = schema.with_bases(side)?.0.sources.iter();
        sources.find_map(|source| source.node.get("properties")?.get(name))
    };
    let node = schema.fields.named.get(name).copied().or_else(of_base)?;
    (!is_absent(side, node, usage)).then_some(node)
}

impl<'a> Comparison<'a> {
    /// Whether a schema or one of its bases requires a field.
    fn requires(&mut self, location: fn(&'a Node) -> Location<'a>, schema: &SchemaSide<'a>, name: &str) -> bool {
        if schema.fields.required.contains_key(name) {
            return true;
        }
        let side = if location(schema.node).is_old() { &self.sides.old } else { &self.sides.new };
        let Some((view, _)) = schema.with_bases(side) else { return false };
        let lists = view.sources.iter().filter_map(|source| source.node.get("required"));
        // Many schemas can have one large base.
        lists.into_iter().any(|list| {
            let names = self
                .required
                .entry(std::ptr::from_ref(list))
                .or_insert_with(|| list.items().iter().filter_map(Node::as_text).collect());
            names.contains(name)
        })
    }

    /// Compares the fields with names.
    pub(super) fn fields(&mut self, unit: usize, subject: &Subject, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        let usage = self.usage(unit);
        let lists = [&new.fields.named, &old.fields.named, &new.fields.required, &old.fields.required];
        let names: IndexSet<&'a str> = lists.into_iter().flat_map(|list| list.keys().copied()).collect();
        let is_closed = Others::of(new.facets.others) == Others::None;
        for name in names {
            let before = field(&self.sides.old, old, name, usage);
            let after = field(&self.sides.new, new, name, usage);
            let subject = subject.field(name);
            let is_hidden = |schema: &SchemaSide<'a>, found: Option<&Node>| {
                found.is_none() && schema.fields.named.contains_key(name)
            };
            match (before, after) {
                (Some(before), Some(after)) => {
                    self.now_required(unit, &subject, name, old, new);
                    self.reach(unit, Topic::Schema, before, after, subject);
                }
                (Some(before), None) => {
                    let rule = match self.requires(Location::Old, old, name) {
                        _ if usage == Usage::Request && is_closed && !is_hidden(new, after) => Rule::FieldForbidden,
                        true => Rule::RequiredFieldRemoved,
                        false => Rule::FieldRemoved,
                    };
                    self.report_removed(unit, &subject, rule, before, self.deprecated(before));
                }
                (None, Some(after)) => {
                    let is_required = self.requires(Location::New, new, name);
                    let rule = if is_required { Rule::RequiredFieldAdded } else { Rule::FieldAdded };
                    let predicate = if is_required { "was added and is required" } else { "was added" };
                    self.report_of(unit, &subject, rule, Location::New(after), predicate);
                }
                (None, None) if is_hidden(old, before) || is_hidden(new, after) => {}
                (None, None) => self.now_required(unit, &subject, name, old, new),
            }
        }
    }

    fn now_required(&mut self, unit: usize, subject: &Subject, name: &str, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        if old.fields.required.contains_key(name) == new.fields.required.contains_key(name) {
            return;
        }
        match (self.requires(Location::Old, old, name), self.requires(Location::New, new, name)) {
            (false, true) => {
                let location = Location::New(new.fields.required.get(name).copied().unwrap_or(new.node));
                self.report_of(unit, subject, Rule::FieldNowRequired, location, "is now required");
            }
            (true, false) => {
                let location =
                    old.fields.required.get(name).map_or(Location::New(new.node), |node| Location::Old(node));
                self.report_of(unit, subject, Rule::FieldNowOptional, location, "is no longer required");
            }
            _ => {}
        }
    }

    /// The schema of a field that can have `deprecated`: the fields beside a reference, or the target.
    fn deprecated(&self, field: &'a Node) -> &'a Node {
        if field.get("deprecated").is_some() {
            return field;
        }
        self.sides.old.follow(field, ObjectKind::Schema).map_or(field, |followed| followed.node)
    }

    /// Compares the rules for fields without a name.
    pub(super) fn other_fields(&mut self, unit: usize, subject: &Subject, old: &SchemaSide<'a>, new: &SchemaSide<'a>) {
        let (before, after) = (old.facets.others, new.facets.others);
        let location = Location::either(before, after, new.node);
        let rule = match (Others::of(before), Others::of(after)) {
            (Others::Some, Others::Some) => {
                if let (Some(before), Some(after)) = (before, after) {
                    self.reach(unit, Topic::Schema, before, after, subject.other_fields());
                }
                return;
            }
            (before, after) if before == after => return,
            (_, Others::None) => Rule::OtherFieldsForbidden,
            (Others::None, _) => Rule::OtherFieldsAllowed,
            (_, Others::Some) => Rule::OtherFieldsNarrowed,
            (_, Others::Any) => Rule::OtherFieldsWidened,
        };
        let predicate = match rule {
            Rule::OtherFieldsForbidden => "is no longer allowed",
            Rule::OtherFieldsAllowed => "is allowed",
            Rule::OtherFieldsNarrowed => "can no longer be anything",
            _ => "can be anything",
        };
        self.report_of(unit, &subject.other_fields(), rule, location, predicate);
    }
}
