//! Schemas: defaults, enumerations and required properties.
use super::{Check, below, item_of, names::map_of, texts};
use crate::dialect::Version;
use crate::finding::Code;
use crate::schema::{MAX_TYPES, equal};
use crate::shape::Object;
use crate::tree::{Node, Path, Step, Value};
use crate::wording::{MAX_VALUE, cut_json, quoted};
use std::collections::HashSet;

/// The keywords that can bring properties from elsewhere, or allow others.
const OPEN: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "dependentSchemas",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "discriminator",
];

/// Checks a schema. The targets of its references are checked in their own places.
pub(super) fn check(object: &Object<'_, '_>, check: &mut Check<'_, '_>) {
    if object.reference(check.version).is_some() && !object.kind.has_siblings(check.version) {
        return;
    }
    values(object, check);
    required(object, check);
}

/// Checks the default and the enumeration, which parameters of 2.0 have too.
pub(super) fn values(object: &Object<'_, '_>, check: &mut Check<'_, '_>) {
    let schema = object.node;
    let choices = schema.get("enum").and_then(Node::as_list);
    // The official schema of 2.0 reports duplicates itself.
    if let Some(choices) = choices.filter(|_| check.version != Version::V2_0) {
        twice(choices, object, check);
    }
    let Some(default) = schema.get("default") else { return };
    if matches!(default.value, Value::Null) && (is_nullable(schema) || check.version == Version::V2_0) {
        return;
    }
    let problem = match wrong_type(schema, default) {
        Some(expected) => format!("the default {} is not {expected}", shown(default)),
        None if choices.is_some_and(|choices| !choices.iter().any(|choice| equal(choice, default))) => {
            format!("the default {} is not in the enumeration", shown(default))
        }
        None => return,
    };
    check.report(Code::DefaultUnfit, default.at, below(&object.path(), "default"), problem);
}

/// Reports the values that an enumeration has twice, in one finding at the first of them.
fn twice(choices: &[Node], object: &Object<'_, '_>, check: &mut Check<'_, '_>) {
    let mut seen = HashSet::new();
    let mut repeated = choices.iter().enumerate().filter(|(_, choice)| !seen.insert(choice.to_json()));
    let Some((index, first)) = repeated.next() else { return };
    let message = match repeated.count() {
        0 => format!("{} is in the enumeration twice", shown(first)),
        more => format!("{} and {more} more are in the enumeration twice", shown(first)),
    };
    check.report(Code::EnumTwice, first.at, item_of(&object.path(), "enum", index), message);
}

fn is_nullable(schema: &Node) -> bool {
    schema.is_true("nullable") || schema.is_true("x-nullable")
}

/// A description of the value, if it does not have the schema's type. With an unknown type, every value is accepted.
pub(super) fn wrong_type(schema: &Node, value: &Node) -> Option<String> {
    let types: Vec<&str> = match &schema.get("type")?.value {
        Value::Text(name) => vec![name],
        Value::List(names) => names.iter().take(MAX_TYPES).filter_map(Node::as_text).collect(),
        _ => return None,
    };
    let fits = |name: &str| match (name, &value.value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::Text(_))
        | ("array", Value::List(_))
        | ("object", Value::Map(_)) => true,
        ("integer", Value::Number(digits)) => is_whole(digits),
        (known, _) => !["null", "boolean", "number", "integer", "string", "array", "object"].contains(&known),
    };
    if types.is_empty() || types.iter().any(|name| fits(name)) {
        return None;
    }
    let names: Vec<&str> = types
        .iter()
        .map(|name| match *name {
            "boolean" => "a boolean",
            "number" => "a number",
            "integer" => "a whole number",
            "string" => "a text",
            "array" => "a list",
            "object" => "a mapping",
            _ => "null",
        })
        .collect();
    Some(names.join(" or "))
}

/// Whether the number has no fraction. One with an exponent can be either, which does not matter here.
fn is_whole(digits: &str) -> bool {
    if digits.contains(['e', 'E']) {
        return true;
    }
    digits.split_once('.').is_none_or(|(_, fraction)| fraction.bytes().all(|digit| digit == b'0'))
}

/// Required properties that are not defined. Reported only for schemas that list all their properties: a schema that
/// `allOf` joins with another one can have them there.
fn required(object: &Object<'_, '_>, check: &mut Check<'_, '_>) {
    let schema = object.node;
    let Some(properties) = map_of(schema, "properties").filter(|properties| !properties.is_empty()) else { return };
    if schema.get("required").is_none() || OPEN.iter().any(|key| schema.get(key).is_some()) {
        return;
    }
    let path = object.path();
    if is_branch(&path) || check.bases.contains(&std::ptr::from_ref(schema)) {
        return;
    }
    for (index, node, name) in texts(schema.get("required")) {
        if properties.contains_key(name) {
            continue;
        }
        let hint = check.findings.suggestion(name, properties.keys().map(|key| &**key));
        let message = format!("{} is required, but no property{hint}", quoted(name));
        check.report(Code::RequiredUnknown, node.at, item_of(&path, "required", index), message);
    }
}

/// Whether a schema is a part of the one around it, which can have the properties.
fn is_branch(path: &Path) -> bool {
    let steps = path.0.iter().rev().take(2);
    let mut keys = steps.filter_map(|step| match step {
        Step::Key(key) => Some(&**key),
        Step::Index(_) => None,
    });
    keys.any(|key| matches!(key, "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"))
}

pub(super) fn shown(node: &Node) -> String {
    match node.as_text() {
        Some(text) => quoted(text),
        None => cut_json(node, MAX_VALUE),
    }
}
