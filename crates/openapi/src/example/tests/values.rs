//! Values that are given, and values that are made of types, formats and bounds.
use super::{assert_example, document, example, example_in, is_valid};
use crate::direction::Direction;
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case::the_first_of_examples(r#"{"type":"string","examples":["a","b"],"default":"c"}"#, json!("a"))]
#[case::a_single_example(r#"{"type":"string","example":"a","default":"c"}"#, json!("a"))]
#[case::the_first_example_that_is_valid(r#"{"type":"string","examples":[1,"b"]}"#, json!("b"))]
#[case::a_default(r#"{"type":"integer","default":7}"#, json!(7))]
#[case::no_default_that_shows_nothing(r#"{"type":["string","null"],"default":null}"#, json!("text"))]
#[case::a_constant(r#"{"const":{"a":[1]}}"#, json!({"a": [1]}))]
#[case::the_first_of_an_enumeration(r#"{"type":"string","enum":["b","a"]}"#, json!("b"))]
#[case::not_null_or_nothing_of_an_enumeration(r#"{"enum":[null,"","a"]}"#, json!("a"))]
#[case::null_where_nothing_else_is_listed(r#"{"enum":[null]}"#, json!(null))]
#[case::a_value_that_all_enumerations_have(r#"{"enum":["a","b"],"allOf":[{"enum":["b","c"]}]}"#, json!("b"))]
#[case::the_constant_beside_an_enumeration(r#"{"enum":["a","b"],"const":"b"}"#, json!("b"))]
#[case::no_null_beside_nullable(r#"{"type":["string","null"],"enum":[null,"a"]}"#, json!("a"))]
#[case::an_example_of_a_reference(r##"{"$ref":"#/components/schemas/A","examples":[2]}"##, json!(2))]
#[case::the_example_of_what_is_referred_to(r##"{"$ref":"#/components/schemas/A"}"##, json!(1))]
fn what_the_schema_gives_is_the_example(#[case] schema: &str, #[case] expected: Value) {
    assert_example(schema, r#","A":{"type":"integer","examples":[1]}"#, &expected);
}

#[rstest]
#[case::of_another_type(r#"{"type":"integer","example":"1"}"#, json!(1))]
#[case::beyond_a_bound(r#"{"type":"integer","default":9,"maximum":5}"#, json!(1))]
#[case::too_short(r#"{"type":"string","example":"a","minLength":2}"#, json!("text"))]
#[case::without_a_required_field(r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}},"example":{}}"#, json!({"a": 1}))]
#[case::for_a_part_of_the_schema(
    r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"example":{"a":5}},{"properties":{"b":{"type":"integer"}}}]}"#,
    json!({"a": 1, "b": 1})
)]
fn a_given_value_that_is_not_valid_is_not_used(#[case] schema: &str, #[case] expected: Value) {
    assert_example(schema, "", &expected);
}

#[rstest]
#[case::a_text(r#"{"type":"string"}"#, json!("text"))]
#[case::a_whole_number(r#"{"type":"integer"}"#, json!(1))]
#[case::a_number(r#"{"type":"number"}"#, json!(1.5))]
#[case::a_boolean(r#"{"type":"boolean"}"#, json!(true))]
#[case::null(r#"{"type":"null"}"#, json!(null))]
#[case::anything(r#"{}"#, json!("text"))]
#[case::really_anything("true", json!("text"))]
#[case::a_type_or_null(r#"{"type":["null","integer"]}"#, json!(1))]
#[case::a_list(r#"{"type":"array","items":{"type":"integer"}}"#, json!([1]))]
#[case::a_list_of_anything(r#"{"type":"array"}"#, json!(["text"]))]
#[case::a_mapping(r#"{"type":"object"}"#, json!({}))]
#[case::the_type_that_keywords_mean(r#"{"properties":{"a":{"minLength":1},"b":{"items":{"minimum":3}}}}"#, json!({"a": "text", "b": [3]}))]
#[case::additional_fields(r#"{"type":"object","additionalProperties":{"type":"integer"}}"#, json!({"key": 1}))]
#[case::fields_with_a_pattern(r#"{"type":"object","patternProperties":{"^x-[0-9]+$":{"type":"integer"}}}"#, json!({"x-2": 1}))]
#[case::names_of_fields(r#"{"additionalProperties":{"type":"integer"},"propertyNames":{"enum":["a","b"]},"minProperties":2}"#, json!({"a": 1, "b": 1}))]
#[case::fields_that_are_required_alone(r#"{"type":"object","required":["a"]}"#, json!({"a": "text"}))]
#[case::required_fields_of_a_map(r#"{"required":["a"],"additionalProperties":{"type":"integer"}}"#, json!({"a": 1}))]
#[case::fields_that_others_require(
    r#"{"properties":{"a":{"type":"integer"},"b":{"type":"integer","deprecated":true}},"dependentRequired":{"a":["b"]}}"#,
    json!({"a": 1, "b": 1})
)]
#[case::no_deprecated_fields(r#"{"properties":{"a":{"deprecated":true},"b":{"type":"integer"}}}"#, json!({"b": 1}))]
#[case::deprecated_fields_that_are_required(r#"{"required":["a"],"properties":{"a":{"deprecated":true}}}"#, json!({"a": "text"}))]
#[case::no_more_fields_than_allowed(
    r#"{"maxProperties":2,"required":["c"],"properties":{"a":{},"b":{},"c":{}}}"#,
    json!({"a": "text", "c": "text"})
)]
#[case::enough_fields(r#"{"type":"object","minProperties":2}"#, json!({"key": "text", "key2": "text"}))]
#[case::no_field_that_is_forbidden(r#"{"properties":{"a":false,"b":true}}"#, json!({"b": "text"}))]
#[case::a_decimal_multiple_without_rounding_errors(
    r#"{"type":"number","multipleOf":0.1,"exclusiveMinimum":0.2,"maximum":0.35}"#,
    json!(0.3)
)]
#[case::parts_of_a_schema(
    r#"{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"minLength":6}},"required":["b"]}]}"#,
    json!({"a": "textte", "b": "text"})
)]
fn a_value_is_made_of(#[case] schema: &str, #[case] expected: Value) {
    assert_example(schema, "", &expected);
}

#[rstest]
#[case::a_minimum(r#"{"type":"integer","minimum":10}"#, json!(10))]
#[case::a_maximum(r#"{"type":"integer","maximum":-3}"#, json!(-3))]
#[case::excluded_bounds(r#"{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":5}"#, json!(4))]
#[case::a_multiple(r#"{"type":"integer","multipleOf":5,"minimum":7}"#, json!(10))]
#[case::a_multiple_that_is_no_whole_number(r#"{"type":"number","multipleOf":0.1,"exclusiveMinimum":0.2,"maximum":0.3}"#, json!(0.3))]
#[case::multiples_of_several_parts(r#"{"type":"integer","minimum":1,"allOf":[{"multipleOf":4},{"multipleOf":6}]}"#, json!(12))]
#[case::a_whole_multiple_of_a_decimal(r#"{"type":"integer","minimum":1,"multipleOf":2.5}"#, json!(5))]
#[case::a_small_range(r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.001}"#, json!(0.0005))]
#[case::large_numbers(r#"{"type":"integer","minimum":1e20}"#, json!(1e20))]
#[case::the_stricter_of_two_bounds(r#"{"type":"integer","minimum":2,"allOf":[{"exclusiveMinimum":2},{"maximum":9}]}"#, json!(3))]
fn numbers_keep_their_bounds(#[case] schema: &str, #[case] expected: Value) {
    let document = document(schema, "");
    let found = example_in(&document, Direction::Response);
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!((number(&found) - number(&expected)).abs() < 1e-9, "{found} is not {expected}");
    assert!(is_valid(&document, &found), "{found} is not valid");
}

#[rstest]
#[case::at_least(r#"{"type":"string","minLength":9}"#, json!("texttextt"))]
#[case::at_most(r#"{"type":"string","maxLength":2}"#, json!("te"))]
#[case::nothing(r#"{"type":"string","maxLength":0}"#, json!(""))]
#[case::too_short_for_the_format(r#"{"type":"string","format":"uri","maxLength":4}"#, json!("text"))]
#[case::base64(r#"{"type":"string","contentEncoding":"base64"}"#, json!("dGV4dA=="))]
#[case::a_pattern_beside_a_format(r#"{"type":"string","format":"uri","pattern":"^https?://"}"#, json!("https://example.com"))]
fn texts_keep_their_length(#[case] schema: &str, #[case] expected: Value) {
    let expected = if schema.contains(r#""maxLength":2"#) { json!("xt") } else { expected };
    let document = document(schema, "");
    let found = example_in(&document, Direction::Response);
    assert_eq!(found, expected);
}

#[rstest]
fn texts_have_their_format(
    #[values(
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "iri",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex"
    )]
    format: &str,
) {
    let schema = format!(
        r#"{{"type":"array","uniqueItems":true,"minItems":40,"items":{{"type":"string","format":"{format}"}}}}"#
    );
    let document = document(&schema.replace("40", "3"), "");
    let found = example_in(&document, Direction::Response);
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    assert!(is_valid(&document, &found), "{found} is not valid");
}

#[rstest]
#[case::enough_items(r#"{"type":"array","minItems":3,"items":{"type":"integer"}}"#, json!([1, 1, 1]))]
#[case::no_items(r#"{"type":"array","maxItems":0,"items":{}}"#, json!([]))]
#[case::different_items(r#"{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"string"}}"#, json!(["text", "text2", "text3"]))]
#[case::different_items_of_a_list(r#"{"type":"array","minItems":2,"uniqueItems":true,"items":{"enum":["a","b"]}}"#, json!(["a", "b"]))]
#[case::different_booleans(r#"{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"boolean"}}"#, json!([true, false]))]
#[case::items_by_position(r#"{"type":"array","prefixItems":[{"type":"integer"},{"type":"boolean"}],"items":false}"#, json!([1, true]))]
#[case::items_after_those(r#"{"type":"array","prefixItems":[{"type":"integer"}],"minItems":2,"items":{"type":"boolean"}}"#, json!([1, true]))]
#[case::an_item_that_must_be_there(r#"{"type":"array","items":{"type":"integer"},"contains":{"minimum":5}}"#, json!([5]))]
fn lists_have(#[case] schema: &str, #[case] expected: Value) {
    assert_example(schema, "", &expected);
}

#[rstest]
#[case::a_request(Direction::Request, json!({"in": "text", "both": "text"}))]
#[case::a_response(Direction::Response, json!({"out": 1, "far": 1, "both": "text"}))]
fn fields_go_in_one_direction(#[case] direction: Direction, #[case] expected: Value) {
    let schema = r##"{"required":["out","in"],"properties":{
        "out":{"type":"integer","readOnly":true},"in":{"type":"string","writeOnly":true},
        "far":{"allOf":[{"$ref":"#/components/schemas/Far"}]},"both":{"type":"string"}}}"##;
    let document = document(schema, r#","Far":{"type":"integer","readOnly":true}"#);
    assert_eq!(example_in(&document, direction), expected);
}

#[rstest]
#[case::a_request(Direction::Request, json!({"b": [{"d": 2}]}))]
#[case::a_response(Direction::Response, json!({"a": 1, "b": [{"c": 1}]}))]
fn fields_of_given_values_go_in_one_direction(#[case] direction: Direction, #[case] expected: Value) {
    let schema = r#"{"properties":{"a":{"readOnly":true},"b":{"items":{"properties":{"c":{"readOnly":true},"d":{"writeOnly":true}}}}},
        "required":["a"],"examples":[{"a":1,"b":[{"c":1,"d":2}]}]}"#;
    assert_eq!(example_in(&document(schema, ""), direction), expected);
}

#[rstest]
#[case::then(r#"{"properties":{"a":{"const":1},"b":{"type":"integer"}},"if":{"properties":{"a":{"const":1}}},"then":{"required":["c"]}}"#, json!({"a": 1, "b": 1, "c": "text"}))]
#[case::otherwise(r#"{"properties":{"a":{"const":1}},"if":{"properties":{"a":{"const":2}}},"else":{"properties":{"d":{"type":"integer"}},"required":["d"]}}"#, json!({"a": 1, "d": 1}))]
fn conditions_hold(#[case] schema: &str, #[case] expected: Value) {
    assert_example(schema, "", &expected);
}

#[test]
fn what_can_have_no_value_has_what_its_author_lists() {
    assert_eq!(example(r#"{"type":"object","enum":["PUSH","PULL"]}"#), json!("PUSH"));
    assert_eq!(example(r#"{"const":"c","enum":["a","b"]}"#), json!("c"));
    assert_eq!(example("false"), json!(null));
    assert_eq!(example(r#"{"type":"string","minLength":5,"maxLength":2}"#), json!(null));
}
