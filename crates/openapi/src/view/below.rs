//! Finds the values below a schema.
use super::row::{RowRole, SchemaRow};
use super::rules;
use super::text::short;
use super::types::{contradictions, others};
use crate::refs::percent_decoded;
use crate::schema::{Choices, LocatedNode, Merged, Schemas};
use crate::tree::{Node, pointer_step};
use std::collections::HashMap;

/// The maximum number of values of a discriminator that are shown for a choice.
const MAX_VALUES: usize = 20;

/// A value below a schema, or a choice of it.
#[derive(Debug)]
pub(super) struct Below<'a> {
    pub(super) role: RowRole,
    pub(super) name: Option<String>,
    /// The schemas that apply to it.
    pub(super) schemas: Vec<LocatedNode<'a>>,
    required: bool,
    /// For a choice: the values of the discriminating field.
    discriminator_values: Vec<String>,
}

impl<'a> Below<'a> {
    /// The number of fields, choices and the like that are read to find the values below a schema.
    pub(super) fn number_read(merged: &Merged<'a>) -> usize {
        const KEYS: [&str; 6] = ["properties", "required", "patternProperties", "prefixItems", "oneOf", "anyOf"];
        let size = |node: &Node| node.as_map().map_or(node.items().len(), |members| members.len());
        let mapping = |node: &'a Node| node.get("discriminator").and_then(|node| node.get("mapping"));
        let of_node =
            |node: &'a Node| KEYS.iter().filter_map(|key| node.get(key)).chain(mapping(node)).map(size).sum::<usize>();
        merged.nodes().map(of_node).sum()
    }

    /// All values below a schema, in order: fields, patterns, other fields, items, choices.
    pub(super) fn of(schemas: &Schemas<'a>, merged: &Merged<'a>) -> Vec<Self> {
        let parts = contradictions(merged);
        if !parts.is_empty() {
            return parts.into_iter().map(|part| Self::one(RowRole::AllOf, None, part)).collect();
        }
        let required = merged.required();
        let fields = merged.properties().into_iter().map(|(name, located_nodes)| Self {
            required: required.contains(name),
            ..Self::all(RowRole::Field, Some(short(name)), located_nodes)
        });
        let mut below: Vec<Self> = fields.collect();
        for layer in &merged.layers {
            let patterns = layer.located.members("patternProperties");
            below.extend(patterns.map(|(pattern, located)| Self::one(RowRole::Pattern, Some(short(pattern)), located)));
        }
        let others = others(merged);
        if !others.is_empty() {
            below.push(Self::all(RowRole::OtherFields, None, others));
        }
        if let Some(layer) = merged.layers.iter().find(|layer| layer.located.node.get("prefixItems").is_some()) {
            let items = layer.located.items("prefixItems").enumerate();
            below.extend(items.map(|(at, located)| Self::one(RowRole::Item, Some(at.to_string()), located)));
            let others = merged.below("items");
            if !others.is_empty() {
                below.push(Self::all(RowRole::OtherItems, None, others));
            }
        }
        for choices in &merged.choices {
            let role = if choices.is_one { RowRole::OneOf } else { RowRole::AnyOf };
            let discriminator = Discriminator::of(choices);
            below.extend(choices.items.iter().map(|item| Self {
                discriminator_values: discriminator.values(schemas, item),
                ..Self::one(role, None, item.clone())
            }));
        }
        below
    }

    fn one(role: RowRole, name: Option<String>, schema: LocatedNode<'a>) -> Self {
        Self::all(role, name, vec![schema])
    }

    fn all(role: RowRole, name: Option<String>, schemas: Vec<LocatedNode<'a>>) -> Self {
        Self { role, name, schemas, required: false, discriminator_values: Vec::new() }
    }

    /// Adds to a row its relation to the row above it.
    pub(super) fn complete(self, merged: &Merged<'_>, row: &mut SchemaRow) {
        row.role = self.role;
        row.required = self.required;
        row.name = self.name;
        if matches!(self.role, RowRole::OneOf | RowRole::AnyOf | RowRole::AllOf) {
            row.constraints.extend(rules::required(merged));
            row.name = self.discriminator_values.first().or(row.title.as_ref()).or(row.schema.as_ref()).cloned();
            row.discriminator_values = self.discriminator_values;
        }
    }
}

/// The values of the discriminating field, by the pointers of their schemas.
struct Discriminator<'a>(HashMap<String, Vec<&'a str>>);

impl<'a> Discriminator<'a> {
    /// The discriminator of these choices.
    fn of(choices: &Choices<'a>) -> Self {
        let mapping = choices.owner.node.get("discriminator").and_then(|node| node.get("mapping")?.as_map());
        let mut values: HashMap<String, Vec<&str>> = HashMap::new();
        for (value, member) in mapping.into_iter().flatten() {
            let Some(target) = member.node.as_text() else { continue };
            let pointer = match target.strip_prefix('#') {
                Some(pointer) => percent_decoded(pointer).into_owned(),
                None => format!("/components/schemas/{}", pointer_step(target)),
            };
            values.entry(pointer).or_default().push(value);
        }
        Self(values)
    }

    /// The values that mean this choice.
    fn values(&self, schemas: &Schemas<'a>, choice: &LocatedNode<'a>) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let target = choice.node.text_of("$ref").and_then(|target| schemas.target(choice, target));
        let pointer = target.map_or_else(|| choice.pointer.clone(), |target| target.pointer);
        self.0.get(&pointer).into_iter().flatten().take(MAX_VALUES).map(|value| short(value)).collect()
    }
}
