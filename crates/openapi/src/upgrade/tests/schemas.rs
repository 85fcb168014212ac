//! 3.0 → 3.1.
use super::{json, tree, upgrade, upgraded};
use rstest::rstest;
use serde_json::{Value, json};

fn schema_of_3_0(schema: &str) -> Value {
    let text = format!(r#"{{"openapi":"3.0.3","info":{{}},"paths":{{}},"components":{{"schemas":{{"A":{schema}}}}}}}"#);
    upgraded(&text, None, "/components/schemas/A")
}

#[rstest]
#[case::nullable_becomes_a_type(r#"{"type":"string","nullable":true}"#, json!({"type": ["string", "null"]}))]
#[case::what_is_not_nullable_keeps_its_type(r#"{"type":"string","nullable":false}"#, json!({"type": "string"}))]
#[case::a_list_of_types_gets_null_once(r#"{"type":["string","null"],"nullable":true}"#, json!({"type": ["string", "null"]}))]
#[case::nullable_all_of_one_is_a_choice(
    r##"{"nullable":true,"description":"d","allOf":[{"$ref":"#/x"}]}"##,
    json!({"description": "d", "anyOf": [{"$ref": "#/x"}, {"type": "null"}]})
)]
#[case::nullable_all_of_two_is_a_choice_of_both(
    r#"{"allOf":[{"title":"a"},{"title":"b"}],"nullable":true}"#,
    json!({"anyOf": [{"allOf": [{"title": "a"}, {"title": "b"}]}, {"type": "null"}]})
)]
#[case::nullable_one_of_gets_null(
    r#"{"oneOf":[{"type":"string"}],"nullable":true}"#,
    json!({"oneOf": [{"type": "string"}, {"type": "null"}]})
)]
#[case::null_fits_one_choice_alone(
    r#"{"oneOf":[{"type":"string","nullable":true},{"type":"integer"}],"nullable":true}"#,
    json!({"oneOf": [{"type": ["string", "null"]}, {"type": "integer"}]})
)]
#[case::a_nullable_enumeration_gets_null(
    r#"{"type":"string","nullable":true,"enum":["a"]}"#,
    json!({"type": ["string", "null"], "enum": ["a", null]})
)]
#[case::a_nullable_enumeration_has_null_once(
    r#"{"type":"string","nullable":true,"enum":[null,"a"]}"#,
    json!({"type": ["string", "null"], "enum": [null, "a"]})
)]
#[case::a_nullable_enumeration_without_a_type_gets_null(
    r#"{"nullable":true,"enum":["a"]}"#,
    json!({"enum": ["a", null]})
)]
#[case::an_empty_enumeration_stays(r#"{"nullable":true,"enum":[]}"#, json!({"enum": []}))]
#[case::an_enumeration_that_is_not_nullable_stays(
    r#"{"type":"string","nullable":false,"enum":["a",null]}"#,
    json!({"type": "string", "enum": ["a", null]})
)]
#[case::a_choice_that_lists_null_takes_it(
    r#"{"oneOf":[{"type":"string"},{"enum":[null]}],"nullable":true}"#,
    json!({"oneOf": [{"type": "string"}, {"enum": [null]}]})
)]
#[case::nullable_without_a_type_says_nothing(r#"{"title":"t","nullable":true}"#, json!({"title": "t"}))]
#[case::an_exclusive_minimum_is_the_bound(
    r#"{"minimum":1.10,"exclusiveMinimum":true,"maximum":2,"exclusiveMaximum":false}"#,
    json!({"exclusiveMinimum": 1.10, "maximum": 2})
)]
#[case::an_exclusive_minimum_without_a_bound_goes(r#"{"exclusiveMinimum":true}"#, json!({}))]
#[case::an_example_becomes_a_list(r#"{"example":{"nullable":true}}"#, json!({"examples": [{"nullable": true}]}))]
#[case::given_examples_stay(r#"{"example":1,"examples":[2]}"#, json!({"example": 1, "examples": [2]}))]
#[case::binary_is_a_media_type(
    r#"{"type":"string","format":"binary"}"#,
    json!({"type": "string", "contentMediaType": "application/octet-stream"})
)]
#[case::bytes_are_base64(r#"{"type":"string","format":"byte"}"#, json!({"type": "string", "contentEncoding": "base64"}))]
#[case::nullable_bytes_are_base64(
    r#"{"type":"string","format":"byte","nullable":true}"#,
    json!({"type": ["string", "null"], "contentEncoding": "base64"})
)]
#[case::a_number_keeps_its_format(r#"{"type":"integer","format":"byte"}"#, json!({"type": "integer", "format": "byte"}))]
#[case::fields_beside_a_reference_that_change_its_meaning_go(
    r##"{"$ref":"#/x","description":"d","type":"object","nullable":true,"x-a":1}"##,
    json!({"$ref": "#/x", "description": "d", "x-a": 1})
)]
#[case::a_property_can_be_named_like_a_keyword(
    r#"{"properties":{"nullable":{"type":"boolean"},"example":{"type":"string","example":"e"},"$ref":{"type":"string","nullable":true}}}"#,
    json!({"properties": {
        "nullable": {"type": "boolean"},
        "example": {"type": "string", "examples": ["e"]},
        "$ref": {"type": ["string", "null"]},
    }})
)]
#[case::a_property_named_ref_has_siblings(
    r#"{"properties":{"$ref":{"type":"string"},"other":{"type":"string"}}}"#,
    json!({"properties": {"$ref": {"type": "string"}, "other": {"type": "string"}}})
)]
#[case::data_is_not_touched(
    r#"{"default":{"nullable":true},"enum":[{"example":1}],"x-a":{"nullable":true}}"#,
    json!({"default": {"nullable": true}, "enum": [{"example": 1}], "x-a": {"nullable": true}})
)]
#[case::schemas_at_any_depth_are_upgraded(
    r#"{"items":{"additionalProperties":{"not":{"type":"string","nullable":true}}}}"#,
    json!({"items": {"additionalProperties": {"not": {"type": ["string", "null"]}}}})
)]
#[case::what_is_no_schema_stays(r#"{"items":"text","properties":[1],"allOf":{"a":1}}"#, json!({"items": "text", "properties": [1], "allOf": {"a": 1}}))]
fn a_schema_of_3_0_becomes_one_of_3_1(#[case] before: &str, #[case] after: Value) {
    assert_eq!(schema_of_3_0(before), after);
}

#[rstest]
#[case::a_text(r#""3.0.3""#)]
#[case::a_number("3.0")]
fn a_document_of_3_0_says_3_1(#[case] version: &str) {
    assert_eq!(upgraded(&format!(r#"{{"openapi":{version}}}"#), None, "/openapi"), "3.1.1");
}

#[rstest]
#[case::of_3_1(r#"{"openapi":"3.1.0","x-webhooks":{},"components":{"schemas":{"A":{"nullable":true,"example":1}}}}"#)]
#[case::of_3_2(r#"{"openapi":"3.2.0","paths":{"/a":{"query":{}}}}"#)]
#[case::of_an_unknown_version(r#"{"openapi":"4.0","host":"a"}"#)]
#[case::without_a_version(r#"{"info":{}}"#)]
#[case::that_is_no_mapping("[1]")]
fn a_document_that_needs_no_upgrade_stays_as_it_is(#[case] text: &str) {
    assert_eq!(upgrade(tree(text), None).to_json(), tree(text).to_json());
}

#[test]
fn webhooks_of_an_extension_become_webhooks_and_are_upgraded() {
    let text = r#"{"openapi":"3.0.0","x-webhooks":{"a":{"post":{"requestBody":{"content":{"m":{"schema":
        {"type":"string","nullable":true}}}}}}}}"#;
    let schema = upgraded(text, None, "/webhooks/a/post/requestBody/content/m/schema");
    assert_eq!(schema, json!({"type": ["string", "null"]}));
    assert_eq!(upgraded(text, None, "/x-webhooks"), Value::Null);
}

#[test]
fn the_order_of_keys_and_places_of_values_stay() {
    let text = "openapi: 3.0.0\ncomponents:\n  schemas:\n    B:\n      example: 1\n      type: string\n    A: {}\n";
    let root = upgrade(tree(text), None);
    assert_eq!(
        root.to_json(),
        r#"{"openapi":"3.1.1","components":{"schemas":{"B":{"examples":[1],"type":"string"},"A":{}}}}"#
    );
    let kept = root.at_pointer("/components/schemas/B/examples/0").expect("the example is there");
    assert_eq!((kept.at.line, kept.at.column), (5, 16));
    assert_eq!(json(kept), 1);
}

#[rstest]
#[case::to_one_of_two(
    "#/components/schemas/A/allOf/1/properties/p",
    "#/components/schemas/A/anyOf/0/allOf/1/properties/p"
)]
#[case::to_the_only_one(
    "#/components/schemas/B/allOf/0/properties/a%20b",
    "#/components/schemas/B/anyOf/0/properties/a%20b"
)]
#[case::to_what_was_not_there("#/components/schemas/B/allOf/1", "#/components/schemas/B/allOf/1")]
#[case::to_what_did_not_move("#/components/schemas/C/allOf/0", "#/components/schemas/C/allOf/0")]
fn a_reference_into_an_all_of_that_is_nullable_follows(#[case] before: &str, #[case] after: &str) {
    let text = format!(
        r#"{{"openapi":"3.0.3","components":{{"schemas":{{"R":{{"$ref":"{before}"}},
        "A":{{"nullable":true,"allOf":[{{}},{{"properties":{{"p":{{}}}}}}]}},
        "B":{{"nullable":true,"allOf":[{{"properties":{{"a b":{{}}}}}}]}},
        "C":{{"allOf":[{{}}]}}}}}}}}"#
    );
    assert_eq!(upgraded(&text, None, "/components/schemas/R/$ref"), after);
}
