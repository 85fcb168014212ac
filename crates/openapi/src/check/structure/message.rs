//! The messages for errors of the validator.
use super::Schemas;
use crate::dialect::Version;
use crate::finding::Findings;
use crate::shape::{ObjectKind, kind_at};
use crate::tree::{Node, Path, Step, Value};
use crate::wording::{cut, meant, quoted};
use jsonschema::error::{TypeKind, ValidationErrorKind as Error};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The context of an error.
pub(super) struct Context<'a> {
    pub(super) node: &'a Node,
    pub(super) path: &'a Path,
    pub(super) version: Version,
    pub(super) schemas: &'a Schemas,
}

impl Context<'_> {
    fn kind(&self) -> Option<ObjectKind> {
        kind_at(self.path, self.version)
    }

    /// The key of the value; `None` for an item of a list.
    fn key(&self) -> Option<&str> {
        match self.path.0.last() {
            Some(Step::Key(key)) => Some(key),
            _ => None,
        }
    }

    /// The kind of the object that has the value as a field.
    fn owner(&self) -> Option<ObjectKind> {
        let (_, outer) = self.path.0.split_last()?;
        kind_at(&Path(outer.to_vec()), self.version)
    }
}

/// The message for a key that is not allowed.
pub(super) fn unknown_field(context: &Context<'_>, key: &str, known: &BTreeSet<String>, findings: &Findings) -> String {
    let name = quoted(key);
    match context.kind() {
        Some(ObjectKind::Paths) => return format!("the path {name} must begin with \"/\""),
        Some(ObjectKind::Responses) => {
            return format!("{name} is no status code: it must be \"default\", a number like 200, or a range like 4XX");
        }
        _ => {}
    }
    let is_component =
        matches!(context.path.0.as_slice(), [Step::Key(first), Step::Key(_)] if &**first == "components");
    if is_component && context.version != Version::V2_0 {
        return format!("{name} cannot name a component: use letters, digits, \".\", \"-\" and \"_\"");
    }
    let what = context
        .kind()
        .map_or_else(|| context.key().map_or_else(|| "this object".to_owned(), quoted), |kind| kind.name().to_owned());
    let absent = known.iter().map(String::as_str).filter(|known| context.node.get(known).is_none());
    let hint = findings.suggestion(key, absent);
    if context.kind() == Some(ObjectKind::Schema) && context.version < Version::V3_1 && is_newer_keyword(key) {
        return format!("{name} is no field of a schema in OpenAPI {}: it is one since 3.1", context.version);
    }
    format!("{name} is no field of {what}{hint}")
}

fn is_newer_keyword(key: &str) -> bool {
    const NEWER: [&str; 17] = [
        "$defs",
        "$id",
        "$anchor",
        "$comment",
        "const",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "examples",
        "if",
        "patternProperties",
        "prefixItems",
        "propertyNames",
        "then",
    ];
    NEWER.contains(&key)
}

/// The fields that the schema of the object defines.
pub(super) fn fields(context: &Context<'_>, error: &ValidationError<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Some(location) = error.absolute_keyword_location() else { return names };
    let location = location.as_str();
    let Some((owner, _)) = location.rsplit_once('/') else { return names };
    if let Some((schema, file)) = context.schemas.at(owner) {
        collect(schema, file, 4, &mut names);
    }
    names
}

fn collect(schema: &Json, file: &Json, depth: usize, names: &mut BTreeSet<String>) {
    if depth == 0 {
        return;
    }
    if let Some(properties) = schema.get("properties").and_then(Json::as_object) {
        names.extend(properties.keys().cloned());
    }
    if let Some(target) = schema.get("$ref").and_then(Json::as_str).and_then(|target| target.strip_prefix('#')) {
        collect(file.pointer(target).unwrap_or(&Json::Null), file, depth - 1, names);
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        for branch in schema.get(key).and_then(Json::as_array).into_iter().flatten() {
            collect(branch, file, depth - 1, names);
        }
    }
    for branch in schema.get("dependentSchemas").and_then(Json::as_object).into_iter().flat_map(|map| map.values()) {
        collect(branch, file, depth - 1, names);
    }
    for key in ["then", "else"] {
        collect(schema.get(key).unwrap_or(&Json::Null), file, depth - 1, names);
    }
}

/// The message for any other error.
pub(super) fn of(context: &Context<'_>, error: &ValidationError<'_>) -> String {
    match error.kind() {
        Error::Required { property } => required(context, property.as_str().unwrap_or_default()),
        Error::Type { kind } => wrong_type(context, kind),
        Error::Enum { options } => one_of(context, options.as_array().map_or(&[][..], Vec::as_slice)),
        Error::Constant { expected_value } => format!("this must be {}", value(expected_value)),
        Error::Pattern { pattern } => match context.key() {
            Some("openapi" | "swagger") if context.path.0.len() == 1 => {
                format!("{} is no version: write three numbers, such as \"{}.0\"", shown(context.node), context.version)
            }
            _ => format!("{} does not fit the pattern {}", shown(context.node), cut(pattern, 80)),
        },
        Error::MinItems { limit } => format!("this list must have at least {}", count(*limit, "item")),
        Error::MaxItems { limit } => format!("this list must have at most {}", count(*limit, "item")),
        Error::AdditionalItems { limit } => format!("this list must have at most {}", count(*limit as u64, "item")),
        Error::MinProperties { limit } => format!("this must have at least {}", count(*limit, "field")),
        Error::MaxProperties { limit } => format!("this must have at most {}", count(*limit, "field")),
        Error::MinLength { limit } => format!("this must have at least {}", count(*limit, "character")),
        Error::MaxLength { limit } => format!("this must have at most {}", count(*limit, "character")),
        Error::Minimum { limit } => format!("{} must be at least {}", shown(context.node), value(limit)),
        Error::Maximum { limit } => format!("{} must be at most {}", shown(context.node), value(limit)),
        Error::ExclusiveMinimum { limit } => format!("{} must be greater than {}", shown(context.node), value(limit)),
        Error::ExclusiveMaximum { limit } => format!("{} must be less than {}", shown(context.node), value(limit)),
        Error::UniqueItems => "this list has an item twice".to_owned(),
        Error::Not { schema } => excluded(schema),
        Error::FalseSchema => "this is not allowed here".to_owned(),
        Error::PropertyNames { error } => {
            let name = error.instance().as_str().map_or_else(String::new, quoted);
            match context.path.0.first() {
                Some(Step::Key(first)) if &**first == "components" && context.path.0.len() == 2 => {
                    format!("{name} cannot name a component: use letters, digits, \".\", \"-\" and \"_\"")
                }
                _ => format!("the key {name} is not allowed here"),
            }
        }
        Error::OneOfMultipleValid { .. } => "this mixes forms that exclude each other".to_owned(),
        Error::Contains => "this list lacks an item that must be in it".to_owned(),
        _ => "this is not what OpenAPI allows here".to_owned(),
    }
}

/// The message for a missing field.
fn required(context: &Context<'_>, property: &str) -> String {
    if property == "required" && context.node.text_of("in") == Some("path") {
        return "a path parameter needs \"required: true\"".to_owned();
    }
    format!("{} is missing", quoted(property))
}

fn wrong_type(context: &Context<'_>, kind: &TypeKind) -> String {
    let given = match &context.node.value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::Text(_) => "a text",
        Value::List(_) => "a list",
        Value::Map(_) => "a mapping",
    };
    if context.key() == Some("type") && context.owner() == Some(ObjectKind::Schema) && given == "a list" {
        return format!(
            "a list of types is not allowed in OpenAPI {}: say one type and nullable: true, or openapi: 3.1.0",
            context.version
        );
    }
    if matches!(context.key(), Some("exclusiveMinimum" | "exclusiveMaximum")) && given == "a boolean" {
        return "this must be a number since OpenAPI 3.1: write the bound itself here".to_owned();
    }
    let expected = match kind {
        TypeKind::Single(kind) => type_name(*kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            let names: Vec<&str> = kinds.iter().map(type_name).collect();
            alternatives(&names)
        }
    };
    let hint = match (&context.node.value, kind) {
        (Value::Number(_) | Value::Bool(_), TypeKind::Single(JsonType::String)) => ": put it in quotation marks",
        _ => "",
    };
    format!("this must be {expected}, not {given}{hint}")
}

fn type_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "a mapping",
        JsonType::String => "a text",
    }
}

fn one_of(context: &Context<'_>, options: &[Json]) -> String {
    let given = context.node.as_text();
    let owner = context.owner();
    if context.key() == Some("type") && given == Some("null") && owner == Some(ObjectKind::Schema) {
        return format!("\"null\" is no type in OpenAPI {}: say nullable: true, or openapi: 3.1.0", context.version);
    }
    let hint = given.and_then(|given| meant(given, options.iter().filter_map(Json::as_str)));
    if let Some(meant) = hint {
        return format!("{} is not allowed here: did you mean {}?", shown(context.node), quoted(meant));
    }
    let names: Vec<String> = options.iter().map(value).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{} is not allowed here: it must be {}", shown(context.node), alternatives(&names))
}

/// The message for fields that exclude each other.
fn excluded(schema: &Json) -> String {
    let names: Vec<String> = schema
        .get("required")
        .and_then(Json::as_array)
        .map(|names| names.iter().filter_map(Json::as_str).map(quoted).collect())
        .unwrap_or_default();
    match names.as_slice() {
        [] => "this is not allowed here".to_owned(),
        [name] => format!("{name} is not allowed here"),
        names => format!("{} exclude each other", names.join(" and ")),
    }
}

fn alternatives(names: &[&str]) -> String {
    match names {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

fn count(number: u64, unit: &str) -> String {
    if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

fn value(value: &Json) -> String {
    match value {
        Json::String(text) => quoted(text),
        value => cut(&value.to_string(), crate::wording::MAX_VALUE).into_owned(),
    }
}

/// A value of the document, cut.
fn shown(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => quoted(text),
        Value::Number(digits) => cut(digits, crate::wording::MAX_VALUE).into_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::List(_) => "this list".to_owned(),
        Value::Map(_) => "this mapping".to_owned(),
    }
}
