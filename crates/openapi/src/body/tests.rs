use super::media_type::is_token;
use super::{Form, MediaType, json};
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
