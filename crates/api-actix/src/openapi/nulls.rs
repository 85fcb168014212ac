//! Where a value can be `null`.
//!
//! utoipa describes every `Option` as a value that can be `null`. That is right for the fields of requests, and for
//! required fields of responses. All other fields of responses are absent if they have no value, and never `null`.
use super::operations_of;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use utoipa::openapi::schema::{AdditionalProperties, AllOf, AnyOf, ArrayItems, OneOf, Schema, SchemaType, Type};
use utoipa::openapi::{OpenApi, RefOr};

/// What references to schemas start with.
const SCHEMAS: &str = "#/components/schemas/";

/// Removes `null` from the fields of responses that can be absent. A schema that requests use too keeps it, since a
/// request may send it: a second schema for responses would be another type for clients that send what they got.
pub(super) fn remove_from_responses(document: &mut OpenApi) {
    let mut requested = BTreeSet::new();
    for (_, operation) in document.paths.paths.values_mut().flat_map(operations_of) {
        references(&json(&operation.request_body), &mut requested);
        references(&json(&operation.parameters), &mut requested);
    }
    let Some(components) = &mut document.components else { return };
    let mut unread: Vec<String> = requested.iter().cloned().collect();
    while let Some(reference) = unread.pop() {
        let schema = reference.strip_prefix(SCHEMAS).and_then(|name| components.schemas.get(name));
        let mut inner = BTreeSet::new();
        references(&json(&schema), &mut inner);
        unread.extend(inner.into_iter().filter(|reference| requested.insert(reference.clone())));
    }
    for (name, schema) in &mut components.schemas {
        if !requested.contains(&format!("{SCHEMAS}{name}")) {
            remove_from_optional(schema);
        }
    }
}

/// Removes `null` from the fields of the objects in a schema that are not required.
fn remove_from_optional(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            for (name, field) in &mut object.properties {
                if !object.required.contains(name) {
                    remove(field);
                }
                remove_from_optional(field);
            }
            if let Some(AdditionalProperties::RefOr(value)) = object.additional_properties.as_deref_mut() {
                remove_from_optional(value);
            }
        }
        Schema::Array(list) => {
            if let ArrayItems::RefOrSchema(item) = &mut list.items {
                remove_from_optional(item);
            }
        }
        Schema::OneOf(OneOf { items, .. })
        | Schema::AllOf(AllOf { items, .. })
        | Schema::AnyOf(AnyOf { items, .. }) => {
            items.iter_mut().for_each(remove_from_optional);
        }
        _ => {}
    }
}

/// Removes `null` from what a value can be.
pub(super) fn remove(schema: &mut RefOr<Schema>) {
    let RefOr::T(inner) = schema else { return };
    let kinds = match inner {
        Schema::Object(object) => &mut object.schema_type,
        Schema::Array(list) => &mut list.schema_type,
        Schema::OneOf(either) => {
            either.items.retain(|item| !is_null(item));
            if let [only] = either.items.as_slice() {
                let only = only.clone();
                *schema = only;
            }
            return;
        }
        _ => return,
    };
    if let SchemaType::Array(all) = kinds {
        all.retain(|kind| *kind != Type::Null);
        if let [only] = all.as_slice() {
            let only = only.clone();
            *kinds = SchemaType::Type(only);
        }
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}

fn json(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("the document has a JSON form")
}

/// Adds all references in a part of the document.
pub(super) fn references(part: &Value, found: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|part| references(part, found));
        }
        Value::Array(items) => items.iter().for_each(|part| references(part, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::document;
    use rstest::rstest;
    use serde_json::{from_value, json, to_value};
    use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem, PathsBuilder};
    use utoipa::openapi::request_body::RequestBodyBuilder;
    use utoipa::openapi::schema::ObjectBuilder;
    use utoipa::openapi::{ComponentsBuilder, Content, OpenApiBuilder, Ref, ResponseBuilder};

    #[rstest]
    #[case::text(json!({"type": ["string", "null"], "maxLength": 50}), json!({"type": "string", "maxLength": 50}))]
    #[case::list(
        json!({"type": ["array", "null"], "items": {"type": "string"}}),
        json!({"type": "array", "items": {"type": "string"}})
    )]
    #[case::named(
        json!({"oneOf": [{"$ref": "#/components/schemas/Role", "description": "Its role."}, {"type": "null"}]}),
        json!({"$ref": "#/components/schemas/Role", "description": "Its role."})
    )]
    #[case::one_of_several(
        json!({"oneOf": [{"type": "string"}, {"type": "null"}, {"type": "boolean"}]}),
        json!({"oneOf": [{"type": "string"}, {"type": "boolean"}]})
    )]
    #[case::never_null(json!({"type": "string"}), json!({"type": "string"}))]
    fn null_is_removed_from_a_field_unless_it_is_required(#[case] field: Value, #[case] expected: Value) {
        let object = |optional: &Value| {
            let fields = json!({"always": field, "sometimes": optional});
            json!({"type": "object", "required": ["always"], "properties": fields})
        };
        let around = |object: Value| {
            let list = json!({"type": "array", "items": object.clone()});
            let fields = json!({"type": "object", "required": ["list"], "properties": {"list": list}});
            json!({"allOf": [fields, {"type": "object", "additionalProperties": object}]})
        };
        let mut schema: RefOr<Schema> = from_value(around(object(&field))).unwrap();
        remove_from_optional(&mut schema);
        assert_eq!(to_value(schema).unwrap(), around(object(&expected)));
    }

    #[test]
    fn a_schema_that_requests_use_keeps_null_also_within_another_one() {
        let text = || ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Null]));
        let inner = || ObjectBuilder::new().property("inner", Ref::from_schema_name("Inner"));
        let components = ComponentsBuilder::new()
            .schema("Sent", inner())
            .schema("Returned", inner().property("text", text()))
            .schema("Inner", ObjectBuilder::new().property("text", text()));
        let body = |name: &str| Content::new(Some(Ref::from_schema_name(name)));
        let sent = RequestBodyBuilder::new().content("application/json", body("Sent")).build();
        let returned = ResponseBuilder::new().content("application/json", body("Returned"));
        let operation = OperationBuilder::new().request_body(Some(sent)).response("200", returned).build();
        let paths = PathsBuilder::new().path("/a", PathItem::new(HttpMethod::Post, operation)).build();
        let mut document = OpenApiBuilder::new().paths(paths).components(Some(components.build())).build();
        remove_from_responses(&mut document);
        let document = to_value(document).unwrap();
        let kind = |name: &str| document["components"]["schemas"][name]["properties"]["text"]["type"].clone();
        assert_eq!((kind("Inner"), kind("Returned")), (json!(["string", "null"]), json!("string")));
    }

    #[test]
    fn fields_of_responses_are_null_only_if_they_are_always_present() {
        let document = to_value(document("0")).unwrap();
        for (name, field, is_nullable) in [
            ("Space", "parent", false),
            ("SpaceUrls", "published", false),
            ("WebhookActor", "email", false),
            ("Space", "defaultLevel", true),
            ("Member", "role", true),
            ("OpenAPISpecVersionContentUrls", "public", true),
            // Requests have these fields.
            ("UpdateSpace", "icon", true),
            ("DocumentBlock", "key", true),
        ] {
            let schema = &document["components"]["schemas"][name];
            let parts = schema["allOf"].as_array().into_iter().flatten().chain([schema]);
            let found = parts.map(|part| &part["properties"][field]).find(|field| field.is_object());
            let text = found.unwrap_or_else(|| panic!("{name}.{field}")).to_string();
            assert_eq!(text.contains("\"null\""), is_nullable, "{name}.{field}: {text}");
        }
    }
}
