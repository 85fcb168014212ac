//! The examples of an operation.
use super::tree;
use crate::example::{OperationExamples, operation_examples, webhook_examples};
use serde_json::{Value, json};

const ITEM: &str = r##"{"post":{
    "requestBody":{"$ref":"#/components/requestBodies/B"},
    "responses":{
        "200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}},"text/plain":{"example":"ok"}}},
        "204":{},
        "default":{"$ref":"#/components/responses/No"}}}}"##;

fn document() -> crate::tree::Node {
    let schema = r#"{"properties":{"in":{"const":1,"writeOnly":true},"out":{"const":2,"readOnly":true}}}"#;
    let body = r##"{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}},"a/b":{}}}"##;
    tree(&format!(
        r#"{{"paths":{{"/a":{ITEM}}},"webhooks":{{"w":{ITEM}}},
        "components":{{"schemas":{{"S":{schema}}},"requestBodies":{{"B":{body}}}}}}}"#
    ))
}

/// The statuses, media types and texts.
fn facts(examples: Option<OperationExamples>) -> Value {
    let examples = serde_json::to_value(examples.expect("the operation is there")).expect("it can be written");
    let bodies = |bodies: &Value| -> Vec<Value> {
        let bodies = bodies.as_array().expect("a list").iter();
        bodies.map(|body| json!([body["mediaType"], body["examples"][0]["text"]])).collect()
    };
    let responses = examples["responses"].as_array().expect("a list").iter();
    let responses: Vec<Value> =
        responses.map(|response| json!([response["status"], bodies(&response["content"])])).collect();
    json!({"body": bodies(&examples["body"]), "responses": responses})
}

#[test]
fn an_operation_has_the_examples_of_its_bodies() {
    let expected = json!({
        "body": [["application/json", "{\n  \"in\": 1\n}"]],
        "responses": [["200", [["application/json", "{\n  \"out\": 2\n}"], ["text/plain", "ok"]]]],
    });
    assert_eq!(facts(operation_examples(&document(), "/a/", "POST")), expected);
}

#[test]
fn the_api_sends_the_request_of_a_webhook() {
    let expected = json!({
        "body": [["application/json", "{\n  \"out\": 2\n}"]],
        "responses": [["200", [["application/json", "{\n  \"in\": 1\n}"], ["text/plain", "ok"]]]],
    });
    assert_eq!(facts(webhook_examples(&document(), "w", "post")), expected);
}

#[test]
fn what_is_not_there_has_no_examples() {
    assert!(operation_examples(&document(), "/b", "post").is_none());
    assert!(operation_examples(&document(), "/a", "get").is_none());
    assert!(webhook_examples(&document(), "/a", "post").is_none());
}

#[test]
fn examples_of_an_operation_end_and_what_is_left_out_is_counted() {
    let long = "x".repeat(50_000);
    let statuses: Vec<String> = (200..260)
        .map(|status| format!(r#""{status}":{{"content":{{"text/plain":{{"example":"{long}"}}}}}}"#))
        .collect();
    let document = tree(&format!(r#"{{"paths":{{"/a":{{"get":{{"responses":{{{}}}}}}}}}}}"#, statuses.join(",")));
    let found = operation_examples(&document, "/a", "get").expect("the operation is there");
    assert_eq!((found.responses.len(), found.left_out), (7, 53));
}

#[test]
fn one_body_with_many_long_examples_ends() {
    let long = "x".repeat(50_000);
    let all: Vec<String> = (0..40).map(|at| format!(r#""e{at}":{{"value":"{long}"}}"#)).collect();
    let document = tree(&format!(
        r#"{{"paths":{{"/a":{{"post":{{"requestBody":{{"content":{{"text/plain":{{"examples":{{{}}}}}}}}}}}}}}}}}"#,
        all.join(",")
    ));
    let found = operation_examples(&document, "/a", "post").expect("the operation is there");
    assert_eq!(found.body.first().map(|body| body.examples.len()), Some(7));
}

#[test]
fn an_operation_with_many_costly_schemas_ends() {
    // Eight choices in eight choices, of which none has a value.
    let choice = |next: usize| {
        let item = |at: usize| {
            format!(r##"{{"required":["r{at}"],"properties":{{"r{at}":{{"$ref":"#/components/schemas/S{next}"}}}}}}"##)
        };
        let items: Vec<String> = (0..8).map(item).collect();
        format!(r#"{{"type":"object","oneOf":[{}]}}"#, items.join(","))
    };
    let schemas: Vec<String> = (0..12).map(|at| format!(r#""S{at}":{}"#, choice((at + 1) % 12))).collect();
    let parameter = |at: usize| {
        format!(
            r##"{{"in":"query","name":"p{at}","required":true,"schema":{{"$ref":"#/components/schemas/S{}"}}}}"##,
            at % 12
        )
    };
    let parameters: Vec<String> = (0..2_000).map(parameter).collect();
    let status = |at: usize| {
        format!(
            r##""{at}":{{"content":{{"application/json":{{"schema":{{"$ref":"#/components/schemas/S{}"}}}}}}}}"##,
            at % 12
        )
    };
    let responses: Vec<String> = (0..150).map(status).collect();
    let document = tree(&format!(
        r#"{{"components":{{"schemas":{{{}}}}},"paths":{{"/a":{{"get":{{"parameters":[{}],"responses":{{{}}}}}}}}}}}"#,
        schemas.join(","),
        parameters.join(","),
        responses.join(",")
    ));
    let start = std::time::Instant::now();
    let found = operation_examples(&document, "/a", "get").expect("the operation is there");
    assert_eq!(found.responses.len(), 150);
    let request = crate::sample::operation_request(&document, "/a", "get", &crate::sample::SampleOptions::default());
    assert!(request.expect("the operation is there").url.ends_with("&p1999=p1999"));
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}
