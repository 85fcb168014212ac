//! Samples as readers see them.
use super::super::SampleLanguage::{self, Curl, Go, Http, JavaScript, Python};
use super::super::{SampleBody, SampleRequest, render};
use super::{field, file, json_body, post, tree};
use rstest::rstest;

fn code(request: &SampleRequest, language: SampleLanguage) -> String {
    render(request, language).expect("the language can send it")
}

#[rstest]
#[case::curl(Curl, "curl --url 'https://example.com/a?b=1'")]
#[case::javascript(
    JavaScript,
    "const response = await fetch(\"https://example.com/a?b=1\");\n\nconsole.log(response.status, await response.text());\n"
)]
#[case::python(
    Python,
    "import requests\n\nresponse = requests.get(\"https://example.com/a?b=1\")\nprint(response.status_code, response.text)\n"
)]
#[case::http(Http, "GET /a?b=1 HTTP/1.1\nHost: example.com\n\n")]
fn a_small_request_has_a_small_sample(#[case] language: SampleLanguage, #[case] expected: &str) {
    let url = "https://example.com/a?b=1".to_owned();
    let request = SampleRequest { method: "GET".to_owned(), url, headers: Vec::new(), body: None };
    assert_eq!(code(&request, language), expected);
}

fn json_request() -> SampleRequest {
    let headers = [("Accept", "application/json"), ("X-Key", "it's")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    SampleRequest { headers, ..post("https://example.com:8443/a", json_body(r#"{"a":[1,true,null],"b":"x"}"#)) }
}

#[test]
fn curl_has_an_option_in_a_line() {
    let expected = r#"curl --request POST \
  --url 'https://example.com:8443/a' \
  --header 'Content-Type: application/json' \
  --header 'Accept: application/json' \
  --header 'X-Key: it'\''s' \
  --data '{
  "a": [
    1,
    true,
    null
  ],
  "b": "x"
}'"#;
    assert_eq!(code(&json_request(), Curl), expected);
}

#[test]
fn javascript_writes_the_value() {
    let expected = r#"const response = await fetch("https://example.com:8443/a", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "X-Key": "it's",
  },
  body: JSON.stringify({
    "a": [
      1,
      true,
      null,
    ],
    "b": "x",
  }),
});

console.log(response.status, await response.json());
"#;
    assert_eq!(code(&json_request(), JavaScript), expected);
}

#[test]
fn python_writes_the_value() {
    let expected = r#"import requests

response = requests.post(
    "https://example.com:8443/a",
    headers={
        "Accept": "application/json",
        "X-Key": "it's",
    },
    json={
        "a": [
            1,
            True,
            None,
        ],
        "b": "x",
    },
)
print(response.status_code, response.json())
"#;
    assert_eq!(code(&json_request(), Python), expected);
}

#[test]
fn go_is_a_whole_program() {
    let expected = "package main

import (
\t\"fmt\"
\t\"io\"
\t\"net/http\"
\t\"strings\"
)

func main() {
\tbody := strings.NewReader(`{
  \"a\": [
    1,
    true,
    null
  ],
  \"b\": \"x\"
}`)
\treq, err := http.NewRequest(\"POST\", \"https://example.com:8443/a\", body)
\tif err != nil {
\t\tpanic(err)
\t}
\treq.Header.Set(\"Content-Type\", \"application/json\")
\treq.Header.Set(\"Accept\", \"application/json\")
\treq.Header.Set(\"X-Key\", \"it's\")

\tres, err := http.DefaultClient.Do(req)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer res.Body.Close()
\tcontent, err := io.ReadAll(res.Body)
\tif err != nil {
\t\tpanic(err)
\t}
\tfmt.Println(res.Status, string(content))
}
";
    assert_eq!(code(&json_request(), Go), expected);
}

#[test]
fn http_has_the_length_of_what_is_shown() {
    let expected = "POST /a HTTP/1.1
Host: example.com:8443
Content-Type: application/json
Accept: application/json
X-Key: it's
Content-Length: 54

{
  \"a\": [
    1,
    true,
    null
  ],
  \"b\": \"x\"
}";
    assert_eq!(code(&json_request(), Http), expected);
}

#[rstest]
#[case::curl(Curl, "--data-urlencode 'a=1' \\\n  --data-urlencode 'b[c]=x y'")]
#[case::javascript(JavaScript, "body: new URLSearchParams({\n    \"a\": \"1\",\n    \"b[c]\": \"x y\",\n  }),")]
#[case::python(Python, "data={\n        \"a\": \"1\",\n        \"b[c]\": \"x y\",\n    },")]
#[case::go(Go, "form.Add(\"a\", \"1\")\n\tform.Add(\"b[c]\", \"x y\")")]
#[case::http(Http, "Content-Type: application/x-www-form-urlencoded\nContent-Length: 16\n\na=1&b%5Bc%5D=x+y")]
fn a_form_is_written_by_its_fields(#[case] language: SampleLanguage, #[case] expected: &str) {
    let fields = [("a", "1"), ("b[c]", "x y")].map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let found = code(&post("https://example.com/", SampleBody::Form { fields }), language);
    assert!(found.contains(expected), "{found}");
}

#[rstest]
#[case::curl(
    Curl,
    "--form-string 'a=@x' \\\n  --form 'b=\"{}\";type=application/json' \\\n  --form 'c=@file.png;type=image/png'"
)]
#[case::python(
    Python,
    "files={\n        \"a\": (None, \"@x\"),\n        \"b\": (None, \"{}\", \"application/json\"),\n        \"c\": (\"file.png\", open(\"file.png\", \"rb\"), \"image/png\"),\n    },"
)]
#[case::http(
    Http,
    "Content-Type: multipart/form-data; boundary=boundary-of-form\n\n--boundary-of-form\nContent-Disposition: form-data; name=\"a\"\n\n@x\n"
)]
fn parts_are_texts_and_files(#[case] language: SampleLanguage, #[case] expected: &str) {
    let parts = vec![
        field("a", "@x", None),
        field("b", "{}", Some("application/json")),
        file("c", "file.png", Some("image/png")),
    ];
    let found = code(&post("https://example.com/", SampleBody::Multipart { parts }), language);
    assert!(found.contains(expected), "{found}");
}

#[rstest]
#[case::an_integer_that_is_too_large("[9007199254740993]", false, true)]
#[case::an_integer_of_any_size("[123456789012345678901234567890]", false, true)]
#[case::digits_that_a_float_loses("[3.141592653589793238]", false, false)]
#[case::zeros_at_the_end("[1.10, 1.0, 100, 1e2, 0.50e-3, -0.0]", true, true)]
#[case::beyond_all_floats("[1e400]", false, false)]
#[case::an_exponent_that_is_too_large("[1e99999999999999999999]", false, false)]
fn numbers_that_a_language_would_change_are_sent_as_text(
    #[case] json: &str,
    #[case] in_javascript: bool,
    #[case] in_python: bool,
) {
    let body = SampleBody::Json { media_type: "application/json".to_owned(), value: tree(json) };
    let request = post("https://example.com/", body);
    assert_eq!(code(&request, JavaScript).contains("JSON.stringify("), in_javascript);
    assert_eq!(code(&request, Python).contains("json=["), in_python);
}

#[test]
fn a_request_can_be_written_as_json() {
    let json = serde_json::to_value(json_request()).expect("it can be written");
    assert_eq!(json["body"]["kind"], "json");
    assert_eq!(json["body"]["mediaType"], "application/json");
    assert_eq!(json["body"]["value"]["b"], "x");
    let parts = SampleBody::Multipart { parts: vec![file("c", "file.png", None)] };
    let json = serde_json::to_value(post("https://example.com/", parts)).expect("it can be written");
    assert_eq!(json["body"]["parts"][0]["content"], serde_json::json!({"kind": "file", "value": "file.png"}));
}
