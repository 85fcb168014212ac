use acceptance::{Fields, World};
use actix_web::http::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[acceptance::test]
async fn the_document_is_served_and_is_the_one_of_the_command_line(world: World) {
    let served = world.anonymous().send_to(Method::GET, "/openapi.json", |request| request).await.ok();
    let printed: Value = serde_json::from_str(&api_actix::openapi_document("0.0.0-test")).unwrap();
    assert_eq!(served, printed);
}

/// The operations of the specification that this server has, each with its own description of it.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn specified() -> Option<Vec<(Value, Value)>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec/operations.json");
    let Ok(text) = std::fs::read_to_string(file) else {
        println!("skipped: the specification is not here");
        return None;
    };
    let specified: Vec<Value> = serde_json::from_str(&text).unwrap();
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let with_ours = |operation: Value| {
        let (path, method) = (operation.text("path"), operation.text("method").to_lowercase());
        let ours = document["paths"][format!("/v1{path}")][method].clone();
        (!ours.is_null()).then_some((operation, ours))
    };
    Some(specified.into_iter().filter_map(with_ours).collect())
}

/// The ids that existing clients know.
#[test]
fn operations_wear_the_ids_of_the_specification() {
    let Some(operations) = specified() else { return };
    let mut compared = 0;
    for (operation, ours) in operations {
        if let Some(id) = operation["operationId"].as_str() {
            assert_eq!(ours["operationId"], id);
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
}

/// Statuses of the specification that this server never returns.
const NOT_RETURNED: &[(&str, &str, u64)] = &[
    // A space contains nothing that could forbid its transfer.
    ("POST", "/spaces/{spaceId}/transfer", 412),
    // A caller who may not remove a member gets 403, instead of a request to the administrators.
    ("DELETE", "/orgs/{organizationId}/members/{userId}", 202),
];

#[test]
fn operations_declare_the_statuses_of_the_specification() {
    let Some(operations) = specified() else { return };
    assert!(operations.len() >= 12, "{}", operations.len());
    for (operation, ours) in operations {
        let (method, path) = (operation.text("method"), operation.text("path"));
        let successes: BTreeSet<u64> = operation.list("status_ok").iter().filter_map(Value::as_u64).collect();
        let all = operation.list("status_err").iter().filter_map(Value::as_u64).chain(successes.iter().copied());
        for status in all {
            let is_declared = ours["responses"][status.to_string()].is_object();
            assert_eq!(is_declared, !NOT_RETURNED.contains(&(method, path, status)), "{method} {path}: {status}");
        }
        for status in ours["responses"].as_object().unwrap().keys().filter(|status| status.starts_with('2')) {
            assert!(successes.contains(&status.parse().unwrap()), "{method} {path}: {status}");
        }
    }
}

/// Whether the schema of a field allows `null`.
fn nullable(schema: &Value) -> bool {
    let has_null = |kinds: &Value| kinds.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
    let either = schema["oneOf"].as_array();
    has_null(&schema["type"]) || either.is_some_and(|schemas| schemas.iter().any(|schema| schema["type"] == "null"))
}

#[acceptance::test]
async fn a_field_of_a_request_can_be_null_if_the_document_says_so(world: World) {
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let ada = &world.ada;
    let space = world.space(json!({"title": "Guide"})).await;
    let request = world.change_request(&space, json!({})).await;
    let collection = world.collection(json!({"title": "Guides"})).await;
    let site = ada.post(&world.org("/sites"), json!({"title": "Docs"})).await.id();
    let site = world.org(&format!("/sites/{site}"));
    let section = ada.post(&format!("{site}/sections"), json!({"spaceId": space})).await.id();
    let talk = json!({"id": "1", "parts": [{"type": "message", "role": "user", "body": "Hello"}]});
    let bodies = [
        ("UpdateSpace", Method::PATCH, format!("/spaces/{space}"), json!({})),
        ("UpdateChangeRequest", Method::PATCH, request, json!({})),
        ("UpdateCollection", Method::PATCH, format!("/collections/{collection}"), json!({})),
        ("UpdateOrganization", Method::PATCH, world.org(""), json!({})),
        ("UpdateSite", Method::PATCH, site.clone(), json!({})),
        ("UpdateSection", Method::PATCH, format!("{site}/sections/{section}"), json!({})),
        ("CreateSite", Method::POST, world.org("/sites"), json!({})),
        ("CreateTeam", Method::PUT, world.org("/teams"), json!({"title": "Writers"})),
        ("PostComment", Method::POST, format!("/spaces/{space}/comments"), json!({"body": {"markdown": "Why?"}})),
        ("IngestConversation", Method::POST, world.org("/conversations"), talk),
        ("OpenAPISpecSource", Method::PUT, world.org("/openapi/pets"), json!({"text": "openapi: 3.1.0"})),
    ];
    for (name, method, path, body) in bodies {
        let properties = document["components"]["schemas"][name]["properties"].as_object().expect(name);
        for (field, schema) in properties {
            let mut body = body.clone();
            body[field] = Value::Null;
            if name == "OpenAPISpecSource" {
                body = json!({"source": body});
            }
            let answer = ada.send(method.clone(), &path, |request| request.set_json(&body)).await;
            if nullable(schema) {
                assert!(answer.status.is_success(), "{name}.{field}: {answer:?}");
            } else {
                let message = answer.error(400);
                assert!(message.contains(&format!("{field}: ")) || message.contains(&format!("{field}.")), "{message}");
            }
        }
    }
}

#[test]
fn the_document_points_at_nothing_that_is_not_in_it() {
    let text = api_actix::openapi_document("0");
    let document: Value = serde_json::from_str(&text).unwrap();
    let mut wanted = BTreeSet::new();
    collect(&document, &mut wanted);
    assert!(!wanted.is_empty());
    for reference in wanted {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} points outside the document"));
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(reference) if key == "$ref" => drop(found.insert(reference.clone())),
                    other => collect(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
