mod choices;
mod content;
mod corpus;
mod fitting;
mod hostile;
mod laws;
mod operations;
mod patterns;
mod values;

use super::Examples;
use crate::direction::Direction;
use crate::text::read;
use crate::tree::Node;
use serde_json::{Value, from_str, json};

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

/// A document with this schema as the component `It`, and others.
fn document(schema: &str, others: &str) -> Node {
    tree(&format!(r#"{{"openapi":"3.1.1","components":{{"schemas":{{"It":{schema}{others}}}}}}}"#))
}

/// The example of the component `It`.
fn example_in(document: &Node, direction: Direction) -> Value {
    let example = Examples::new(document).schema("/components/schemas/It", direction);
    from_str(&example.expect("the schema is there").to_json()).expect("an example is valid JSON")
}

/// The example of a schema in a response.
fn example(schema: &str) -> Value {
    example_in(&document(schema, ""), Direction::Response)
}

/// Whether another implementation takes the value for valid. Formats are checked.
fn is_valid(document: &Node, value: &Value) -> bool {
    let mut root: Value = from_str(&document.to_json()).expect("valid JSON");
    root["$ref"] = json!("#/components/schemas/It");
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012).should_validate_formats(true);
    options.build(&root).expect("the schema of a test is valid").is_valid(value)
}

/// Asserts that the example of a schema is this, and valid.
#[track_caller]
fn assert_example(schema: &str, others: &str, expected: &Value) {
    let document = document(schema, others);
    let found = example_in(&document, Direction::Response);
    assert_eq!(&found, expected);
    assert!(is_valid(&document, &found), "{found} is not valid by {schema}");
}
