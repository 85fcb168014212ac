//! Documents that are made to cost much.
use super::{Examples, document, example_in, tree};
use crate::direction::Direction;
use crate::example::{MAX_BYTES, MAX_FIELDS};
use rstest::rstest;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The number of fields of a value.
fn fields(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(fields).sum(),
        Value::Object(members) => members.values().map(|member| 1 + fields(member)).sum(),
        _ => 0,
    }
}

/// Schemas `S0`, `S1`, … of which each refers to the next `width` times.
fn chain(depth: usize, width: usize, refers: impl Fn(usize, usize) -> String) -> String {
    let mut out = String::new();
    for at in 0..depth {
        let references: Vec<String> = (0..width).map(|index| refers(at + 1, index)).collect();
        // Writing to a text cannot fail.
        let _ = write!(out, r#","S{at}":{{{}}}"#, references.join(","));
    }
    let _ = write!(out, r#","S{depth}":{{"type":"integer"}}"#);
    out
}

fn properties(next: usize, index: usize) -> String {
    let all: Vec<String> =
        (0..8).map(|name| format!(r##""p{name}":{{"$ref":"#/components/schemas/S{next}"}}"##)).collect();
    if index == 0 { format!(r#""properties":{{{}}}"#, all.join(",")) } else { String::new() }
}

fn required(next: usize, index: usize) -> String {
    format!(r#"{},"required":["p0","p1","p2","p3","p4","p5","p6","p7"]"#, properties(next, index))
}

fn choices(next: usize, _: usize) -> String {
    let all: Vec<String> = (0..8)
        .map(|name| {
            format!(
                r##"{{"required":["r{name}"],"properties":{{"r{name}":{{"$ref":"#/components/schemas/S{next}"}}}}}}"##
            )
        })
        .collect();
    format!(r#""type":"object","oneOf":[{}]"#, all.join(","))
}

fn parts(next: usize, _: usize) -> String {
    format!(
        r##""allOf":[{{"$ref":"#/components/schemas/S{next}"}},{{"allOf":[{{"$ref":"#/components/schemas/S{next}"}}]}}]"##
    )
}

#[rstest]
#[case::optional_fields(properties, 12)]
#[case::required_fields(required, 12)]
#[case::choices(choices, 12)]
#[case::parts(parts, 60)]
#[case::many_optional_fields(properties, 150)]
#[case::many_choices(choices, 150)]
fn schemas_that_grow_with_each_level_end(#[case] refers: fn(usize, usize) -> String, #[case] depth: usize) {
    let document = document(r##"{"$ref":"#/components/schemas/S0"}"##, &chain(depth, 1, refers));
    let start = Instant::now();
    let found = example_in(&document, Direction::Response);
    assert!(found.to_string().len() <= MAX_BYTES + 1_000, "{} bytes", found.to_string().len());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn optional_fields_end_and_those_near_the_top_are_there() {
    let document = document(r##"{"$ref":"#/components/schemas/S0"}"##, &chain(12, 1, properties));
    let found = example_in(&document, Direction::Response);
    assert!(fields(&found) <= MAX_FIELDS, "{} fields", fields(&found));
    assert_eq!(found["p7"]["p7"], json!({}));
}

#[test]
fn required_fields_have_no_limit_so_that_the_example_is_valid() {
    let names: Vec<String> = (0..500).map(|at| format!("\"f{at}\"")).collect();
    let properties: Vec<String> = names.iter().map(|name| format!(r#"{name}:{{"type":"integer"}}"#)).collect();
    let schema =
        format!(r#"{{"required":[{}],"properties":{{{},"more":{{}}}}}}"#, names.join(","), properties.join(","));
    let found = example_in(&document(&schema, ""), Direction::Response);
    assert_eq!(fields(&found), 500);
}

#[rstest]
#[case::choices(r##""anyOf":[{"$ref":"#/components/schemas/NEXT"},{"type":"string"}]"##)]
#[case::fields(r##""required":["a"],"properties":{"a":{"$ref":"#/components/schemas/NEXT"}}"##)]
#[case::items(r##""type":"array","minItems":1,"items":{"$ref":"#/components/schemas/NEXT"}"##)]
#[case::references(r##""$ref":"#/components/schemas/NEXT""##)]
#[case::parts_of_parts(r##""allOf":[{"$ref":"#/components/schemas/NEXT"},{"type":"object"}]"##)]
#[case::what_is_not(r##""not":{"$ref":"#/components/schemas/NEXT"}"##)]
fn long_ways_from_schema_to_schema_end(#[case] schema: &str) {
    let refers = |next: usize, _: usize| schema.replace("NEXT", &format!("S{next}"));
    let document = document(r##"{"$ref":"#/components/schemas/S0"}"##, &chain(5_000, 1, refers));
    let start = Instant::now();
    example_in(&document, Direction::Response);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[rstest]
#[case::parts_of_itself(r##"{"allOf":[{"$ref":"#/components/schemas/It"},{"type":"integer"}]}"##, json!(1))]
#[case::a_reference_to_itself(r##"{"$ref":"#/components/schemas/It"}"##, json!("text"))]
#[case::a_choice_of_itself(r##"{"oneOf":[{"$ref":"#/components/schemas/It"},{"type":"integer"}]}"##, json!(1))]
#[case::nothing_but_itself(r##"{"anyOf":[{"$ref":"#/components/schemas/It"},{"$ref":"#/components/schemas/It"}]}"##, json!(null))]
#[case::names_of_itself(r##"{"type":"object","propertyNames":{"$ref":"#/components/schemas/It"},"additionalProperties":true,"minProperties":1}"##, json!({}))]
#[case::no_such_schema(r##"{"$ref":"#/components/schemas/No"}"##, json!("text"))]
#[case::another_document(r#"{"$ref":"https://example.com/a.json"}"#, json!("text"))]
#[case::keywords_of_another_form(
    r#"{"type":7,"properties":[],"required":{"a":1},"allOf":{},"oneOf":3,"enum":"a","examples":{},"pattern":1,"items":[{}],"minimum":"a"}"#,
    json!({})
)]
#[case::bounds_that_no_value_keeps(r#"{"type":"array","minItems":1e300,"items":{}}"#, json!([]))]
#[case::negative_bounds(r#"{"type":"object","minProperties":-1,"maxProperties":-1}"#, json!({}))]
fn odd_schemas_have_an_example(#[case] schema: &str, #[case] expected: Value) {
    let found = example_in(&document(schema, ""), Direction::Request);
    if !schema.contains("1e300") {
        assert_eq!(found, expected);
    }
}

#[test]
fn two_hundred_levels_end() {
    let mut schema = r#"{"type":"integer"}"#.to_owned();
    for _ in 0..95 {
        schema = format!(r#"{{"type":"object","required":["a"],"properties":{{"a":{schema}}}}}"#);
    }
    let document = document(&schema, "");
    let found = example_in(&document, Direction::Request);
    assert!(found["a"]["a"].is_object(), "{found}");
}

#[test]
fn a_long_text_is_not_repeated_beyond_the_limit() {
    let long = "x".repeat(20_000);
    let schema = format!(r#"{{"type":"array","minItems":10,"items":{{"type":"string","examples":["{long}"]}}}}"#);
    let found = example_in(&document(&schema, ""), Direction::Request);
    assert!(found.to_string().len() <= MAX_BYTES, "{} bytes", found.to_string().len());
}

#[test]
fn a_large_enumeration_is_quick() {
    let values: Vec<String> = (0..50_000).map(|at| format!("\"{at}\"")).collect();
    let fields: Vec<String> = (0..150).map(|at| format!(r##""f{at}":{{"$ref":"#/components/schemas/E"}}"##)).collect();
    let schema = format!(r#"{{"properties":{{{}}}}}"#, fields.join(","));
    let others = format!(r#","E":{{"type":"string","enum":[{}]}}"#, values.join(","));
    let document = document(&schema, &others);
    let start = Instant::now();
    Examples::new(&document).schema("/components/schemas/It", Direction::Request).expect("the schema is there");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn many_fields_with_very_many_choices_are_quick() {
    let choices = vec![r#"{"type":"integer"}"#; 300_000].join(",");
    let fields: Vec<String> = (0..150).map(|at| format!(r##""f{at}":{{"$ref":"#/components/schemas/E"}}"##)).collect();
    let schema = format!(r#"{{"properties":{{{}}}}}"#, fields.join(","));
    let document = document(&schema, &format!(r#","E":{{"anyOf":[{choices}]}}"#));
    let start = Instant::now();
    Examples::new(&document).schema("/components/schemas/It", Direction::Request).expect("the schema is there");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn an_example_that_is_too_large_is_not_tried_again_and_again() {
    let large = vec!["1"; 1_000_000].join(",");
    let fields: Vec<String> = (0..150).map(|at| format!(r##""f{at}":{{"$ref":"#/components/schemas/E"}}"##)).collect();
    let schema = format!(r#"{{"properties":{{{}}}}}"#, fields.join(","));
    let others = format!(r#","E":{{"type":"array","items":{{"type":"integer"}},"examples":[[{large}],[2]]}}"#);
    let document = document(&schema, &others);
    let start = Instant::now();
    let found = example_in(&document, Direction::Request);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(found["f0"], json!([2]));
}

#[test]
fn what_is_not_there_has_no_example() {
    let document = tree("{}");
    assert!(Examples::new(&document).schema("/components/schemas/It", Direction::Request).is_none());
    assert!(Examples::new(&document).body("/paths/~1a/get/requestBody/content/a", Direction::Request).is_empty());
    assert!(Examples::new(&document).parameter("/paths/~1a/parameters/0", Direction::Request).is_empty());
}
