//! The requests match their description in the OpenAPI document.
use super::{boot, webhook};
use acceptance::{Backend, Fields};
use domain::access::Role;
use domain::event::Action;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The faults of a value, by the parts of JSON Schema that the document uses for these requests.
fn faults(document: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                found.extend(faults(document, document.pointer(pointer).unwrap(), value, at));
            }
            "allOf" => found.extend(rule.as_array().unwrap().iter().flat_map(|one| faults(document, one, value, at))),
            "type" => {
                let kinds = match rule {
                    Value::Array(kinds) => kinds.clone(),
                    kind => vec![kind.clone()],
                };
                let kind = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(_) => "integer",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                };
                if !kinds.contains(&json!(kind)) {
                    found.push(format!("{at} is not {rule}"));
                }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => found.push(format!("{at} is not one of {rule}")),
            "pattern" => {
                let word = rule.as_str().unwrap().trim_start_matches('^').trim_end_matches('$');
                if value != word {
                    found.push(format!("{at} is not {word}"));
                }
            }
            "required" => {
                let missing =
                    rule.as_array().unwrap().iter().filter(|name| value.get(name.as_str().unwrap()).is_none());
                found.extend(missing.map(|name| format!("{at} has no {name}")));
            }
            "properties" => {
                for (name, property) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        found.extend(faults(document, property, value, &format!("{at}.{name}")));
                    }
                }
            }
            "minimum" if value.as_i64().unwrap() < rule.as_i64().unwrap() => found.push(format!("{at} is too small")),
            "description" | "example" | "format" | "enum" | "minimum" | "additionalProperties" | "propertyNames" => {}
            other => panic!("the test does not know {other}"),
        }
    }
    found
}

/// The names of properties, wherever the schema has them.
fn properties(document: &Value, schema: &Value) -> BTreeSet<String> {
    let own = schema["properties"].as_object().into_iter().flat_map(|all| all.keys().cloned());
    let parts = schema["allOf"].as_array().into_iter().flatten().flat_map(|one| properties(document, one));
    let target = schema["$ref"].as_str().map(|at| document.pointer(at.strip_prefix('#').unwrap()).unwrap());
    own.chain(parts).chain(target.into_iter().flat_map(|target| properties(document, target))).collect()
}

#[acceptance::test]
async fn real_requests_are_as_the_document_describes_them(backend: Backend) {
    let Some((world, receiver)) = boot(backend).await else { return };
    let (path, _) = webhook(&world, json!({})).await;
    world.ada.post(&format!("{path}/ping"), json!({})).await.expect(201);
    let space = world.space(json!({})).await;
    world.ada.patch(&format!("/spaces/{space}"), json!({"title": "Other"})).await.ok();
    world.change_request(&space, json!({"subject": "One"})).await;
    world.member("rita", Some(Role::Read)).await;
    world.team(json!({"title": "Writers"})).await;
    world.ada.post(&world.org("/link-invites"), json!({"role": "read"})).await.expect(201);
    world.work().await;

    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let sent = receiver.take();
    let mut kinds = BTreeSet::new();
    for request in &sent {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let kind = body.text("type").to_owned();
        let described = &document["webhooks"][&kind]["post"];
        let schema = &described["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(faults(&document, schema, &body, "body"), Vec::<String>::new(), "{body}");
        let wrong = faults(&document, schema, &json!({"type": "other"}), "body");
        assert!(wrong.len() > 5, "another body is noticed: {wrong:?}");
        let known = properties(&document, schema);
        let unknown: Vec<_> = body.as_object().unwrap().keys().filter(|name| !known.contains(*name)).collect();
        assert!(unknown.is_empty(), "{kind} has {unknown:?}");
        let described: BTreeSet<&str> = described.list("parameters").iter().map(|one| one.text("name")).collect();
        let headers: BTreeSet<&str> = request.headers.iter().map(|(name, _)| *name).collect();
        assert!(described.is_subset(&headers) && described.len() == 3, "{described:?}");
        kinds.insert(kind);
    }
    assert!(kinds.len() > 6 && kinds.contains("ping"), "{kinds:?}");
}

#[test]
fn the_document_has_a_request_for_each_type_of_event() {
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let described: BTreeSet<&str> = document["webhooks"].as_object().unwrap().keys().map(String::as_str).collect();
    let kinds: BTreeSet<&str> = Action::sent().map(|action| action.id).chain(["ping"]).collect();
    assert_eq!(described, kinds);
    assert_eq!(document["webhooks"]["space_created"]["post"]["security"], json!([]), "no token is sent");
}
