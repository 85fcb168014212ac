use super::media_type::is_token;
use super::{Form, MediaType, json, text};
use crate::schema::Schemas;
use crate::text::read;
use rstest::rstest;

#[rstest]
#[case::json("application/json", Some(("application/json", Form::Json)))]
#[case::a_parameter("application/json; charset=utf-8", Some(("application/json; charset=utf-8", Form::Json)))]
#[case::capitals("Application/JSON", Some(("Application/JSON", Form::Json)))]
#[case::a_suffix("application/vnd.api+json", Some(("application/vnd.api+json", Form::Json)))]
#[case::lines("application/x-ndjson", Some(("application/x-ndjson", Form::JsonLines)))]
#[case::anything("*/*", Some(("application/json", Form::Json)))]
#[case::a_range("image/*", Some(("image/png", Form::File)))]
#[case::a_form("application/x-www-form-urlencoded", Some(("application/x-www-form-urlencoded", Form::Urlencoded)))]
#[case::parts("multipart/form-data", Some(("multipart/form-data", Form::Multipart)))]
#[case::xml("text/xml", Some(("text/xml", Form::Xml)))]
#[case::a_text("text/csv", Some(("text/csv", Form::Text)))]
#[case::bytes("application/octet-stream", Some(("application/octet-stream", Form::File)))]
#[case::no_slash("json", None)]
#[case::a_line_end("text/plain\r\nX-A: 1", None)]
#[case::a_line_end_in_a_parameter("text/plain; a=\"\r\nX-A: 1\"", None)]
#[case::another_alphabet("text/plain; a=\u{e9}", None)]
fn a_key_of_content_is_a_media_type(#[case] key: &str, #[case] expected: Option<(&str, Form)>) {
    let found = MediaType::of(key);
    assert_eq!(found.as_ref().map(|found| (found.text.as_str(), found.form)), expected);
}

#[test]
fn a_file_has_the_ending_of_its_type() {
    let name = |key: &str| MediaType::of(key).expect("a media type").file_name();
    assert_eq!(name("image/jpeg; q=1"), "file.jpg");
    assert_eq!(name("application/octet-stream"), "file.bin");
}

#[test]
fn tokens_have_no_separators() {
    assert!(is_token("X-Rate-Limit"));
    assert!(["", "a b", "a:b", "a\n", "\u{e9}", "a\"b"].iter().all(|text| !is_token(text)));
}

#[test]
fn json_for_readers_has_a_member_in_a_line() {
    let root = read(br#"{"a":[1,{"b":[]}],"c":{},"d":"\"\n"}"#).root.expect("valid JSON");
    let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {},\n  \"d\": \"\\\"\\n\"\n}";
    assert_eq!(json(&root), expected);
}

/// The lines of a value as XML, without the declaration.
fn xml(schema: &str, value: &str) -> Vec<String> {
    let document = format!(
        r#"{{"components":{{"schemas":{{"It":{schema},"Other":{{"type":"string","xml":{{"name":"other"}}}}}}}},"value":{value}}}"#
    );
    let root = read(document.as_bytes()).root.expect("valid JSON");
    let schemas = Schemas::new(&root);
    let located = schemas.at("/components/schemas/It").expect("the schema is there");
    let value = root.get("value").expect("the value is there");
    let found = text(MediaType::of("application/xml").as_ref(), &schemas, Some(&located), value);
    let (first, rest) = found.split_once('\n').expect("a declaration");
    assert_eq!(first, r#"<?xml version="1.0" encoding="UTF-8"?>"#);
    rest.lines().map(|line| line.trim_start().to_owned()).collect()
}

#[rstest]
#[case::fields(r#"{"properties":{"a":{}}}"#, r#"{"a":1,"b":null}"#, &["<It>", "<a>1</a>", "<b></b>", "</It>"])]
#[case::a_name(r#"{"xml":{"name":"pet"}}"#, "true", &["<pet>true</pet>"])]
#[case::attributes(
    r#"{"properties":{"a":{"xml":{"attribute":true,"name":"x"}},"b":{"xml":{"nodeType":"attribute"}}}}"#,
    r#"{"a":"<\"&","b":2}"#,
    &[r#"<It x="&lt;&quot;&amp;" b="2"/>"#]
)]
#[case::a_list(r#"{"properties":{"a":{"type":"array","items":{}}}}"#, r#"{"a":[1,2]}"#, &["<It>", "<a>1</a>", "<a>2</a>", "</It>"])]
#[case::a_wrapped_list(
    r##"{"properties":{"a":{"type":"array","xml":{"wrapped":true,"name":"all"},"items":{"$ref":"#/components/schemas/Other"}}}}"##,
    r#"{"a":[1]}"#,
    &["<It>", "<all>", "<other>1</other>", "</all>", "</It>"]
)]
#[case::a_list_at_the_top(r#"{"type":"array","items":{"xml":{"name":"pet"}}}"#, "[1]", &["<It>", "<pet>1</pet>", "</It>"])]
#[case::namespaces(
    r#"{"xml":{"prefix":"p","namespace":"https://example.com/?a&b"}}"#,
    "{}",
    &[r#"<p:It xmlns:p="https://example.com/?a&amp;b"/>"#]
)]
#[case::names_that_are_none("{}", r#"{"a b<c>":1,"1":2,"":3}"#, &["<It>", "<a_b_c_>1</a_b_c_>", "<_1>2</_1>", "<_>3</_>", "</It>"])]
#[case::hostile_texts("{}", r#"{"a":"</a><!-- ]]> \u0001\r"}"#, &["<It>", "<a>&lt;/a&gt;&lt;!-- ]]&gt; &#13;</a>", "</It>"])]
fn a_value_is_written_as_xml(#[case] schema: &str, #[case] value: &str, #[case] expected: &[&str]) {
    assert_eq!(xml(schema, value), expected);
}

#[test]
fn xml_of_a_schema_with_many_properties_ends() {
    let properties: Vec<String> = (0..5_000).map(|at| format!(r#""p{at}":{{}}"#)).collect();
    let schema = format!(r#"{{"type":"array","items":{{"properties":{{{}}}}}}}"#, properties.join(","));
    let items = vec!["{}"; 20_000].join(",");
    let lines = xml(&schema, &format!("[{items}]"));
    assert!(lines.len() < 200, "{} lines", lines.len());
}
