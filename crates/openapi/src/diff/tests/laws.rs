//! What holds for any documents.
use super::tree;
use crate::diff::{Diff, compared, diff};
use crate::tree::{Node, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn reference() -> impl Strategy<Value = Json> {
    prop::sample::select(vec!["A", "B", "C", "D"])
        .prop_map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }))
}

/// A schema with the keywords that are compared.
fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        3 => reference(),
        1 => any::<bool>().prop_map(Json::from),
        2 => prop::sample::select(vec!["string", "integer", "number", "null"]).prop_map(|name| json!({ "type": name })),
        1 => prop::collection::vec(0..4, 1..4).prop_map(|values| json!({ "enum": values })),
        1 => (0..3, 0..3).prop_map(|(min, max)| json!({ "type": "string", "minLength": min, "maxLength": max, "description": "d" })),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        let fields = prop::collection::btree_map(prop::sample::select(vec!["a", "b", "c"]), inner.clone(), 0..3);
        prop_oneof![
            (fields, prop::collection::btree_set(prop::sample::select(vec!["a", "b", "c"]), 0..3))
                .prop_map(|(fields, required)| json!({ "type": "object", "properties": fields, "required": required })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            list.clone().prop_map(|list| json!({ "allOf": list })),
            list.clone().prop_map(
                |list| json!({ "oneOf": list, "discriminator": {"propertyName": "a", "mapping": {"x": "A"}} })
            ),
            list.prop_map(|list| json!({ "anyOf": list, "not": {"$ref": "#/components/schemas/D"} })),
            inner.prop_map(|other| json!({ "additionalProperties": other, "readOnly": true, "default": 1 })),
        ]
    })
}

fn operation() -> impl Strategy<Value = Json> {
    (schema(), schema(), schema(), any::<bool>()).prop_map(|(parameter, body, response, flag)| {
        json!({
            "operationId": "o", "deprecated": flag, "tags": ["t"],
            "parameters": [
                {"in": "query", "name": "q", "required": flag, "schema": parameter},
                {"in": "path", "name": "id", "required": true, "schema": {"type": "string"}},
            ],
            "requestBody": {"content": {"a/b": {"schema": body}}},
            "responses": {"200": {"content": {"a/b": {"schema": response}}}},
            "security": [{"k": ["s"]}],
        })
    })
}

fn document() -> impl Strategy<Value = Json> {
    let paths = prop::sample::select(vec!["/{id}", "/b/{id}", "/c/{id}"]);
    let names = prop::sample::select(vec!["A", "B", "C", "D"]);
    (
        prop::collection::btree_map(paths, operation(), 0..3),
        prop::collection::btree_map(names, schema(), 0..5),
        prop::option::of(operation()),
    )
        .prop_map(|(paths, schemas, webhook)| {
            // Discriminators name this one.
            let mut schemas = schemas;
            schemas.entry("A").or_insert(json!({ "type": "object" }));
            let items: serde_json::Map<String, Json> =
                paths.into_iter().map(|(path, operation)| (path.to_owned(), json!({ "get": operation }))).collect();
            let webhooks = webhook.map_or(json!({}), |mut operation| {
                // A webhook has no path, so a parameter there has a name of its own.
                operation["parameters"][1]["name"] = "own".into();
                json!({ "w": {"post": operation} })
            });
            json!({ "openapi": "3.1.0", "paths": items, "webhooks": webhooks, "components": {"schemas": schemas} })
        })
}

/// The document with the keys of all mappings in reverse order.
fn reversed(node: &Node) -> Node {
    let value = match &node.value {
        Value::List(items) => Value::List(items.iter().map(reversed).collect()),
        Value::Map(members) => Value::Map(
            members
                .iter()
                .rev()
                .map(|(key, member)| {
                    let mut member = member.clone();
                    member.node = reversed(&member.node);
                    (key.clone(), member)
                })
                .collect(),
        ),
        other => other.clone(),
    };
    Node { at: node.at, value }
}

fn all(old: &Node, new: &Node) -> Diff {
    compared(old, new, None, usize::MAX)
}

proptest! {
    #[test]
    fn a_document_has_no_change_against_itself(document in document()) {
        let (one, other) = (tree(&document.to_string()), tree(&format!("\n\n{document}")));
        prop_assert_eq!(diff(&one, &other, None), Diff::default());
    }

    #[test]
    fn the_order_of_keys_makes_no_change(document in document()) {
        let one = tree(&document.to_string());
        prop_assert_eq!(diff(&one, &reversed(&one), None), Diff::default());
    }

    #[test]
    fn the_names_of_path_parameters_make_no_change(document in document()) {
        let one = document.to_string();
        let other = one.replace("{id}", "{key}").replace(r#""name":"id""#, r#""name":"key""#);
        prop_assert_eq!(diff(&tree(&one), &tree(&other), None), Diff::default());
    }

    #[test]
    fn the_names_of_schemas_make_no_change_to_operations(document in document()) {
        let one = document.to_string();
        let mut other = one.replace("#/components/schemas/", "#/components/schemas/New").replace(r#""mapping":{"x":"A"}"#, r#""mapping":{"x":"NewA"}"#);
        for name in ["A", "B", "C", "D"] {
            other = other.replace(&format!("\"{name}\":"), &format!("\"New{name}\":"));
        }
        let found = all(&tree(&one), &tree(&other));
        let changes: Vec<&str> = found.changes.iter().map(|change| change.id.as_str()).filter(|id| !id.starts_with("schema-")).collect();
        prop_assert_eq!(changes, Vec::<&str>::new());
    }

    #[test]
    fn a_comparison_can_be_repeated(old in document(), new in document()) {
        let (old, new) = (tree(&old.to_string()), tree(&new.to_string()));
        let found = diff(&old, &new, None);
        prop_assert_eq!(&found, &diff(&old.clone(), &new.clone(), None));
        prop_assert_eq!(found.counts.all(), found.changes.len() + found.more);
        let order_of_keys = diff(&reversed(&old), &reversed(&new), None);
        prop_assert_eq!(order_of_keys.counts, found.counts);
    }

    #[test]
    fn a_comparison_turned_round_has_changes_too(old in document(), new in document()) {
        let (old, new) = (tree(&old.to_string()), tree(&new.to_string()));
        let (forth, back) = (all(&old, &new), all(&new, &old));
        prop_assert_eq!(forth.changes.is_empty(), back.changes.is_empty());
    }

    #[test]
    fn anything_can_be_compared(old in ".{0,60}", new in ".{0,60}", base in document()) {
        let base = tree(&base.to_string());
        for text in [old, new] {
            let Some(other) = crate::text::read(text.as_bytes()).root else { continue };
            diff(&base, &other, None);
            diff(&other, &base, None);
        }
    }
}
