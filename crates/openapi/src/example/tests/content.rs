//! Examples of bodies, parameters and headers.
use super::{Examples, tree};
use crate::direction::Direction;
use crate::example::{ContentExample, ExampleOrigin, MAX_BYTES};
use ExampleOrigin::{Given, Made, Schema};
use rstest::rstest;

/// The examples of a media type object, which is in a response.
fn body(key: &str, content: &str) -> Vec<ContentExample> {
    let pet = r#"{"type":"object","properties":{"id":{"type":"integer","xml":{"attribute":true}},"name":{"type":"string","examples":["A & B"]}}}"#;
    let shared = r#"{"summary":"shared","value":{"id":3}}"#;
    let document = format!(
        r#"{{"components":{{"schemas":{{"Pet":{pet}}},"examples":{{"shared":{shared}}}}},"content":{{"{key}":{content}}}}}"#
    );
    let pointer = format!("/content/{}", crate::tree::pointer_step(key));
    Examples::new(&tree(&document)).body(&pointer, Direction::Response)
}

fn texts(examples: &[ContentExample]) -> Vec<(Option<&str>, ExampleOrigin, Option<&str>)> {
    examples.iter().map(|example| (example.name.as_deref(), example.origin, example.text.as_deref())).collect()
}

#[rstest]
#[case::one(r#"{"example":{"a":1},"schema":{"example":{"b":1}}}"#, &[(None, Given, Some("{\n  \"a\": 1\n}"))])]
#[case::several(
    r##"{"examples":{"one":{"value":1},"two":{"$ref":"#/components/examples/shared"},"no":{}},"example":9}"##,
    &[(Some("one"), Given, Some("1")), (Some("two"), Given, Some("{\n  \"id\": 3\n}"))]
)]
#[case::of_the_schema(r#"{"schema":{"type":"integer","examples":[5]}}"#, &[(None, Schema, Some("5"))])]
#[case::made(r#"{"schema":{"type":"integer"}}"#, &[(None, Made, Some("1"))])]
#[case::none("{}", &[])]
#[case::elsewhere(r#"{"examples":{"far":{"externalValue":"https://example.com/a"}},"schema":{}}"#, &[(Some("far"), Given, None)])]
#[case::json_as_text(r#"{"example":"{\"a\":1}","schema":{"type":"object"}}"#, &[(None, Given, Some("{\n  \"a\": 1\n}"))])]
#[case::a_text_that_looks_like_json(r#"{"example":"{\"a\":1}","schema":{"type":"string"}}"#, &[(None, Given, Some(r#""{\"a\":1}""#))])]
#[case::a_text_that_is_no_json(r#"{"example":"{a: 1}","schema":{"type":"object"}}"#, &[(None, Given, Some(r#""{a: 1}""#))])]
#[case::what_is_sent(r#"{"examples":{"a":{"serializedValue":"[1]"}}}"#, &[(Some("a"), Given, Some("[1]"))])]
#[case::the_data_of_what_is_sent(r#"{"examples":{"a":{"dataValue":[1],"serializedValue":"[ 1 ]"}}}"#, &[(Some("a"), Given, Some("[\n  1\n]"))])]
fn a_body_has_examples(#[case] content: &str, #[case] expected: &[(Option<&str>, ExampleOrigin, Option<&str>)]) {
    assert_eq!(texts(&body("application/json", content)), expected);
}

#[rstest]
#[case::lines("application/x-ndjson", r#"{"example":[{"a":1},2]}"#, "{\"a\":1}\n2\n")]
#[case::items("application/jsonl", r#"{"itemSchema":{"type":"integer"}}"#, "1\n")]
#[case::a_form("application/x-www-form-urlencoded", r#"{"example":{"a b":"c&d","e":1}}"#, "a+b=c%26d&e=1")]
#[case::a_text("text/plain", r#"{"schema":{"type":"string"}}"#, "text")]
#[case::a_number_as_text("text/plain", r#"{"schema":{"type":"integer"}}"#, "1")]
#[case::xml_as_text("application/xml", r#"{"example":"<a/>"}"#, "<a/>")]
#[case::xml(
    "application/xml",
    r##"{"schema":{"$ref":"#/components/schemas/Pet"}}"##,
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Pet id=\"1\">\n  <name>A &amp; B</name>\n</Pet>\n"
)]
#[case::an_unknown_type("application/vnd.api+json; a=b", r#"{"example":{}}"#, "{}")]
#[case::no_media_type("json", r#"{"example":{}}"#, "{}")]
fn a_body_is_shown_as_it_is_sent(#[case] key: &str, #[case] content: &str, #[case] expected: &str) {
    let found = body(key, content);
    assert_eq!(found.first().and_then(|example| example.text.as_deref()), Some(expected));
}

#[test]
fn an_example_has_its_summary_and_address() {
    let found = body(
        "application/json",
        r#"{"examples":{"a":{"summary":"s","description":"d","value":null,"externalValue":"https://example.com/a"}}}"#,
    );
    let [example] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(example.summary.as_deref(), Some("s"));
    assert_eq!(example.description.as_deref(), Some("d"));
    assert_eq!(example.external.as_deref(), Some("https://example.com/a"));
    let json = serde_json::to_value(example).expect("it can be written");
    assert_eq!(json["origin"], "given");
    assert_eq!(json["text"], "null");
}

#[test]
fn a_long_example_is_cut_at_the_end_of_a_line() {
    let items: Vec<String> = (0..20_000).map(|at| at.to_string()).collect();
    let found = body("application/json", &format!(r#"{{"example":[{}]}}"#, items.join(",")));
    let [example] = found.as_slice() else { panic!("one is expected") };
    let text = example.text.as_deref().unwrap_or_default();
    assert!(example.is_cut && text.len() <= MAX_BYTES && text.ends_with(','), "{} bytes", text.len());
}

#[test]
fn a_long_line_is_cut_between_characters() {
    let found = body("text/plain", &format!(r#"{{"example":"{}"}}"#, "\u{e9}".repeat(MAX_BYTES)));
    let text = found.first().and_then(|example| example.text.clone()).unwrap_or_default();
    assert_eq!(text.len(), MAX_BYTES);
}

#[test]
fn a_body_has_at_most_fifty_examples() {
    let all: Vec<String> = (0..60).map(|at| format!(r#""e{at}":{{"value":{at}}}"#)).collect();
    assert_eq!(body("application/json", &format!(r#"{{"examples":{{{}}}}}"#, all.join(","))).len(), 50);
}

#[rstest]
#[case::its_own(r#"{"example":"a","schema":{"example":"b"}}"#, Given, "a")]
#[case::the_first_of_several(r#"{"examples":{"x":{"value":[1]}},"schema":{}}"#, Given, "[1]")]
#[case::of_its_schema(r#"{"schema":{"type":"string","default":"b"}}"#, Schema, "b")]
#[case::made(r#"{"schema":{"type":"string","format":"date"}}"#, Made, "2024-01-01")]
#[case::of_its_content(
    r#"{"content":{"application/json":{"schema":{"type":"object"},"example":{"a":1}}}}"#,
    Given,
    "{\n  \"a\": 1\n}"
)]
fn a_parameter_has_examples(#[case] parameter: &str, #[case] origin: ExampleOrigin, #[case] expected: &str) {
    let document = tree(&format!(r#"{{"parameters":[{parameter}]}}"#));
    let found = Examples::new(&document).parameter("/parameters/0", Direction::Request);
    let first = found.first().map(|example| (example.origin, example.text.as_deref()));
    assert_eq!(first, Some((origin, Some(expected))));
}
