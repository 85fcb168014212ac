use acceptance::{Fields, World};
use actix_web::http::Method;
use serde_json::Value;
use std::collections::BTreeSet;

#[acceptance::test]
async fn the_document_is_served_and_is_the_one_of_the_command_line(world: World) {
    let served = world.anonymous().send_to(Method::GET, "/openapi.json", |request| request).await.ok();
    let printed: Value = serde_json::from_str(&api_actix::openapi_document("0.0.0-test")).unwrap();
    assert_eq!(served, printed);
}

/// The operations of the specification that this server has, with the ids that existing clients know.
#[test]
fn operations_wear_the_ids_of_the_specification() {
    let Ok(text) = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec/operations.json"))
    else {
        println!("skipped: the specification is not here");
        return;
    };
    let specified: Vec<Value> = serde_json::from_str(&text).unwrap();
    let document: Value = serde_json::from_str(&api_actix::openapi_document("0")).unwrap();
    let mut compared = 0;
    for operation in specified {
        let (path, method) = (operation.text("path"), operation.text("method").to_lowercase());
        let ours = &document["paths"][format!("/v1{path}")][method.as_str()];
        if let (Some(id), false) = (operation["operationId"].as_str(), ours.is_null()) {
            assert_eq!(ours["operationId"], id, "{method} {path}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
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
