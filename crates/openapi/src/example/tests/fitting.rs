//! Values that are valid for a schema.
use super::super::reader::{Memory, Reader};
use super::super::work::Work;
use super::{document, is_valid, tree};
use crate::direction::Direction;
use crate::schema::Schemas;
use crate::tree::Node;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, from_str};

fn fits(document: &Node, value: &Node, direction: Direction) -> bool {
    let (schemas, work, memory) = (Schemas::new(document), Work::new(10_000), Memory::default());
    let reader = Reader { schemas: &schemas, direction, work: &work, memory: &memory };
    reader.fits(&[schemas.at("/components/schemas/It").expect("the schema is there")], value)
}

#[rstest]
#[case(r#"{"type":"integer"}"#, &["1", "1.0", "-3"], &["1.5", "\"1\"", "null"])]
#[case(r#"{"type":["string","null"]}"#, &["\"\"", "null"], &["1", "{}"])]
#[case(r#"{"enum":[1,{"a":[1.0]}]}"#, &["1.0", "{\"a\":[1]}"], &["2", "{\"a\":[1,1]}"])]
#[case(r#"{"const":null}"#, &["null"], &["0"])]
#[case(r#"{"minimum":1,"exclusiveMaximum":3,"multipleOf":0.5}"#, &["1", "2.5", "\"9\""], &["0.5", "3", "1.2"])]
#[case(r#"{"minLength":2,"maxLength":3}"#, &["\"ab\"", "\"\u{1f600}\u{e9}\"", "1"], &["\"a\"", "\"abcd\""])]
#[case(r#"{"minItems":1,"maxItems":2,"uniqueItems":true}"#, &["[1]", "[1,2]"], &["[]", "[1,1]", "[1,1.0]", "[1,2,3]"])]
#[case(r#"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#, &["[]", "[\"a\",1]"], &["[1]", "[\"a\",\"b\"]"])]
#[case(r#"{"items":false}"#, &["[]"], &["[1]"])]
#[case(r#"{"contains":{"const":1},"maxContains":1}"#, &["[1]", "[2,1]"], &["[]", "[2]", "[1,1]"])]
#[case(r#"{"required":["a"],"properties":{"a":{"type":"integer"}}}"#, &["{\"a\":1,\"b\":2}"], &["{}", "{\"a\":\"\"}"])]
#[case(r#"{"properties":{"a":{}},"additionalProperties":false}"#, &["{\"a\":1}"], &["{\"b\":1}"])]
#[case(r#"{"additionalProperties":{"type":"integer"}}"#, &["{\"a\":1}"], &["{\"a\":\"\"}"])]
#[case(r#"{"minProperties":1,"maxProperties":1}"#, &["{\"a\":1}"], &["{}", "{\"a\":1,\"b\":1}"])]
#[case(r#"{"dependentRequired":{"a":["b"]}}"#, &["{}", "{\"b\":1}", "{\"a\":1,\"b\":1}"], &["{\"a\":1}"])]
#[case(r#"{"allOf":[{"minimum":1},{"maximum":2}]}"#, &["1", "2"], &["0", "3"])]
#[case(r#"{"anyOf":[{"maximum":1},{"minimum":3}]}"#, &["1", "3"], &["2"])]
#[case(r#"{"oneOf":[{"maximum":3},{"minimum":2}]}"#, &["1", "4"], &["2", "3"])]
#[case(r#"{"not":{"type":"string"}}"#, &["1"], &["\"a\""])]
#[case(r#"{"if":{"minimum":5},"then":{"multipleOf":5},"else":{"multipleOf":2}}"#, &["5", "4"], &["6", "3"])]
#[case(r##"{"$ref":"#/components/schemas/Other","minimum":2}"##, &["2"], &["1", "\"a\""])]
fn values_are_valid_as_another_implementation_says(#[case] schema: &str, #[case] good: &[&str], #[case] bad: &[&str]) {
    let document = document(schema, r#","Other":{"type":"integer"}"#);
    for (values, expected) in [(good, true), (bad, false)] {
        for value in values {
            let json: Value = from_str(value).expect("valid JSON");
            assert_eq!(is_valid(&document, &json), expected, "{value}");
            assert_eq!(fits(&document, &tree_of(value), Direction::Response), expected, "{value}");
        }
    }
}

/// A value that need not be a mapping or a list.
fn tree_of(text: &str) -> Node {
    let list = tree(&format!("[{text}]"));
    list.as_list().and_then(<[Node]>::first).expect("an item").clone()
}

#[test]
fn required_fields_of_the_other_direction_can_be_absent() {
    let document = document(r#"{"required":["a"],"properties":{"a":{"readOnly":true}}}"#, "");
    assert!(fits(&document, &tree("{}"), Direction::Request));
    assert!(!fits(&document, &tree("{}"), Direction::Response));
}

#[test]
fn a_schema_that_refers_to_itself_refuses_nothing() {
    let document = document(r##"{"$ref":"#/components/schemas/It"}"##, "");
    assert!(fits(&document, &tree("{}"), Direction::Request));
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        r#"{"type":"integer"}"#,
        r#"{"type":"string","minLength":2}"#,
        r#"{"enum":[1,"a",null]}"#,
        r#"{"minimum":2}"#,
        r#"{"const":[1]}"#,
        "true",
        "false",
        r#"{"required":["a"]}"#,
        r#"{"maxProperties":1}"#,
        r#"{"uniqueItems":true}"#,
    ]);
    let leaf = leaf.prop_map(|text| from_str(text).expect("valid JSON"));
    leaf.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        let key = prop::sample::select(vec!["allOf", "anyOf", "oneOf"]);
        let single = prop::sample::select(vec!["not", "items", "additionalProperties", "contains", "if"]);
        prop_oneof![
            (key, list).prop_map(|(key, list)| serde_json::json!({key: list})),
            (single, inner.clone())
                .prop_map(|(key, schema)| serde_json::json!({key: schema, "then": {"type": "object"}})),
            (inner.clone(), inner)
                .prop_map(|(a, b)| serde_json::json!({"properties": {"a": a, "b": b}, "required": ["b"]})),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec!["null", "1", "2.5", "\"a\"", "\"abc\"", "true", "[1]", "{}"]);
    let leaf = leaf.prop_map(|text| from_str(text).expect("valid JSON"));
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::hash_map("[ab]", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_valid_as_another_implementation_says(schema in schema(), value in value()) {
        let document = document(&schema.to_string(), "");
        prop_assert_eq!(fits(&document, &tree_of(&value.to_string()), Direction::Response), is_valid(&document, &value));
    }
}
