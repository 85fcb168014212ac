//! Choices and recursion.
use super::{assert_example, document, example_in};
use crate::direction::Direction;
use rstest::rstest;
use serde_json::{Value, json};

const PETS: &str = r##","Cat":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer"}}},
    "Dog":{"type":"object","required":["kind","bark"],"properties":{"kind":{"type":"string"},"bark":{"type":"boolean"}}}"##;

#[rstest]
#[case::the_first(r#"{"oneOf":[{"type":"integer"},{"type":"string"}]}"#, json!(1))]
#[case::not_null(r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#, json!("text"))]
#[case::what_fits_what_is_beside_it(r#"{"type":"string","anyOf":[{"type":"integer"},{"minLength":5}]}"#, json!("textt"))]
#[case::what_fits_one_choice_alone(r#"{"oneOf":[{"type":"number"},{"type":"integer"},{"type":"string"}]}"#, json!(1.5))]
#[case::the_next_if_the_first_fits_others(r#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, json!(1.5))]
#[case::fields_of_one_choice(
    r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}"#,
    json!({"a": 1})
)]
#[case::fields_of_any_choice(
    r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
    json!({"a": 1, "b": 1})
)]
#[case::choices_in_choices(r#"{"oneOf":[{"oneOf":[{"const":1},{"const":2}]},{"const":3}]}"#, json!(1))]
#[case::several_choices(r#"{"allOf":[{"anyOf":[{"minimum":3},{"minimum":9}]},{"oneOf":[{"type":"string"},{"type":"integer"}]}]}"#, json!("text"))]
#[case::named_by_a_mapping(
    r##"{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","dog":"Dog"}}}"##,
    json!({"kind": "cat", "lives": 1})
)]
#[case::named_by_the_schema(
    r##"{"anyOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind"}}"##,
    json!({"kind": "Cat", "lives": 1})
)]
fn a_choice_is_made(#[case] schema: &str, #[case] expected: Value) {
    assert_example(schema, PETS, &expected);
}

#[test]
fn a_choice_that_no_value_fits_alone_still_has_an_example() {
    let schema = r#"{"oneOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"integer"}}}]}"#;
    let found = example_in(&document(schema, ""), Direction::Response);
    assert_eq!(found, json!({"a": 1}));
}

#[test]
fn an_optional_field_that_no_value_fits_is_left_out() {
    let choice = r#"{"oneOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"integer"}}}]}"#;
    let schema = format!(r#"{{"properties":{{"bad":{choice},"good":{{"properties":{{"c":{{"type":"integer"}}}}}}}}}}"#);
    assert_example(&schema, "", &json!({"good": {"c": 1}}));
}

#[rstest]
#[case::an_optional_field(r##"{"properties":{"a":{"type":"integer"},"next":{"$ref":"#/components/schemas/It"}}}"##, json!({"a": 1}))]
#[case::a_field_that_can_be_null(
    r##"{"required":["next"],"properties":{"next":{"anyOf":[{"$ref":"#/components/schemas/It"},{"type":"null"}]}}}"##,
    json!({"next": null})
)]
#[case::a_list(r##"{"required":["next"],"properties":{"next":{"type":"array","items":{"$ref":"#/components/schemas/It"}}}}"##, json!({"next": []}))]
#[case::a_choice(
    r##"{"oneOf":[{"type":"object","required":["not"],"properties":{"not":{"$ref":"#/components/schemas/It"}}},{"type":"integer"}]}"##,
    json!(1)
)]
#[case::over_another_schema(
    r##"{"properties":{"there":{"$ref":"#/components/schemas/There"}}}"##,
    json!({"there": {"b": 1}})
)]
#[case::through_an_allof(r##"{"properties":{"a":{"type":"integer"},"next":{"allOf":[{"$ref":"#/components/schemas/It"}]}}}"##, json!({"a": 1}))]
#[case::a_map(r##"{"type":"object","additionalProperties":{"$ref":"#/components/schemas/It"}}"##, json!({}))]
fn a_schema_in_itself_ends(#[case] schema: &str, #[case] expected: Value) {
    let others = r##","There":{"required":["b"],"properties":{"b":{"type":"integer"},"back":{"$ref":"#/components/schemas/It"}}}"##;
    assert_example(schema, others, &expected);
}

#[test]
fn a_schema_that_requires_itself_lacks_itself() {
    let schema = r##"{"required":["a","next"],"properties":{"a":{"type":"integer"},"next":{"$ref":"#/components/schemas/It"}}}"##;
    assert_eq!(example_in(&document(schema, ""), Direction::Response), json!({"a": 1}));
}

#[test]
fn a_schema_can_come_twice_beside_itself() {
    let schema = r##"{"properties":{"a":{"$ref":"#/components/schemas/N"},"b":{"$ref":"#/components/schemas/N"}}}"##;
    assert_example(schema, r#","N":{"properties":{"n":{"type":"integer"}}}"#, &json!({"a": {"n": 1}, "b": {"n": 1}}));
}
