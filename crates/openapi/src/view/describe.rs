//! A schema as a row, without the rows below it.
use super::row::{SchemaRow, ValueView};
use super::text::{described, member_text, shown, stability, sunset};
use super::types::{self, Unwrapped};
use super::{rules, text};
use crate::schema::{Merged, Schemas};
use crate::tree::Value;
use std::collections::HashMap;

/// The maximum number of possible values that are shown.
const MAX_VALUES: usize = 100;

/// The row of a schema. Its role and its name are those of the value that has the schema.
pub(super) fn row<'a>(schemas: &Schemas<'a>, merged: &Unwrapped<'a>) -> SchemaRow {
    let Unwrapped { lists, inner, .. } = merged;
    let outer = lists.first().unwrap_or(inner);
    let schema = types::component(inner);
    let items = lists.first().map(|_| inner);
    let first = |of: fn(&Merged<'_>) -> Option<String>| of(outer).or_else(|| items.and_then(of));
    let (values, more_values) = values(outer).or_else(|| values(items?)).unwrap_or_default();
    let mut constraints = rules::phrases(outer);
    for list in lists.iter().skip(1).chain(items) {
        constraints.extend(rules::phrases(list).into_iter().map(|phrase| format!("each item: {phrase}")));
    }
    SchemaRow {
        type_text: types::text(schemas, merged),
        title: outer
            .text_of("title")
            .map(text::short)
            .filter(|title| !title.trim().is_empty() && Some(title) != schema.as_ref()),
        schema,
        format: first(format),
        constraints,
        deprecated: outer.is_true("deprecated"),
        read_only: outer.is_true("readOnly"),
        write_only: outer.is_true("writeOnly"),
        stability: outer.nodes().find_map(stability),
        sunset: outer.nodes().find_map(sunset),
        default: outer.get("default").map(shown),
        example: first(example),
        values,
        more_values,
        discriminator: inner.get("discriminator").and_then(|node| member_text(node, "propertyName")),
        description: first(|merged| merged.nodes().find_map(described)),
        pointer: outer.layers.first().map(|layer| layer.located.pointer.clone()).unwrap_or_default(),
        incomplete: outer.is_partial || inner.is_partial,
        ..SchemaRow::default()
    }
}

fn format(merged: &Merged<'_>) -> Option<String> {
    let stated = merged.text_of("format").or_else(|| merged.text_of("contentEncoding"));
    let binary = types::is_binary(merged).then_some("binary");
    stated.or(binary).map(text::short)
}

fn example(merged: &Merged<'_>) -> Option<String> {
    let listed = merged.nodes().find_map(|node| node.get("examples")?.as_list()?.first());
    listed.or_else(|| merged.get("example")).map(shown)
}

/// The possible values with their descriptions, and the number of the others. Null is in the type, or invalid by it.
fn values(merged: &Merged<'_>) -> Option<(Vec<ValueView>, usize)> {
    let mut values = merged.values()?;
    if merged.is_nullable() || merged.types().is_some() {
        values.retain(|value| !matches!(value.value, Value::Null));
    }
    let shown: Vec<String> = values.iter().take(MAX_VALUES).map(|value| shown(value)).collect();
    let descriptions = descriptions(merged, &shown);
    let views = shown.into_iter().map(|value| ValueView {
        description: descriptions.get(&value).and_then(|text| text::long(text, MAX_MEANING)),
        value,
    });
    Some((views.collect(), values.len().saturating_sub(MAX_VALUES)))
}

/// The longest description of a possible value, in characters.
const MAX_MEANING: usize = 500;

/// The descriptions of these possible values, by value.
fn descriptions<'a>(merged: &Merged<'a>, values: &[String]) -> HashMap<String, &'a str> {
    let mut found = HashMap::new();
    for node in merged.nodes() {
        let stated =
            ["x-enumDescriptions", "x-enum-descriptions", "x-gitbook-enum"].into_iter().find_map(|key| node.get(key));
        match stated.map(|stated| &stated.value) {
            Some(Value::Map(members)) => found.extend(values.iter().filter_map(|value| {
                let node = &members.get(value.as_str())?.node;
                Some((value.clone(), node.as_text().or_else(|| node.text_of("description"))?))
            })),
            Some(Value::List(texts)) => {
                let pairs = node.items_of("enum").iter().zip(texts).take(MAX_VALUES);
                found.extend(pairs.filter_map(|(value, text)| Some((shown(value), text.as_text()?))));
            }
            _ => {}
        }
    }
    found
}
