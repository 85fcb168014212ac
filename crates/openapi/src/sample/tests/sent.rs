//! Generated code is run, and a server gets what the request has.
use super::super::{SampleBody, SampleLanguage, SampleRequest, render};
use super::echo::{Echo, Received};
use super::multipart::parts;
use super::programs::{CONTENTS, run};
use super::{HOSTILE, field, file, json_body, post};
use crate::tree::{Node, Value};
use SampleLanguage::{Curl, Go, Http, JavaScript, Python};
use rstest::rstest;

/// The requests that the server receives from the samples; `None` if the machine cannot run them.
fn all_received(language: SampleLanguage, requests: &[SampleRequest], echo: &Echo) -> Option<Vec<Received>> {
    let samples: Vec<String> =
        requests.iter().map(|request| render(request, language).expect("the language can send it")).collect();
    run(language, &samples, echo).then(|| requests.iter().map(|_| echo.next()).collect())
}

/// The request that the server receives from the sample; `None` if the machine cannot run it.
fn received(language: SampleLanguage, request: &SampleRequest, echo: &Echo) -> Option<Received> {
    all_received(language, std::slice::from_ref(request), echo)?.pop()
}

fn hostile_list() -> Node {
    Node::made(Value::List(HOSTILE.iter().map(|text| Node::text(text)).collect()))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("valid JSON")
}

#[rstest]
fn a_json_body_arrives(#[values(Curl, JavaScript, Python, Go, Http)] language: SampleLanguage) {
    let echo = Echo::start();
    let mut members = tree_of_hostile_keys();
    members.insert("list".into(), crate::tree::Member { at: Default::default(), node: hostile_list() });
    let value = Node::made(Value::Map(members));
    let text = value.to_json();
    let body = SampleBody::Json { media_type: "application/json".to_owned(), value };
    let Some(found) = received(language, &post(&echo.url("/a"), body), &echo) else { return };
    assert_eq!((found.method.as_str(), found.target.as_str()), ("POST", "/a"));
    assert_eq!(found.header("content-type"), Some("application/json"));
    assert_eq!(json(found.text()), json(&text));
}

fn tree_of_hostile_keys() -> crate::tree::Members {
    let keys = HOSTILE.iter().copied().chain(["__proto__", "constructor", "toString", "2", "1"]);
    let member = || crate::tree::Member { at: Default::default(), node: Node::text("x") };
    keys.map(|key| (key.into(), member())).collect()
}

#[rstest]
fn values_of_json_arrive(#[values(Curl, JavaScript, Python, Go, Http)] language: SampleLanguage) {
    let values = [
        "[0, -1, 12345678901234567890, 9007199254740993]",
        "[1.10, 0.1, 1e3, -2.5E-3, 3.141592653589793238]",
        "[true, false, null]",
        "[[], {}, [[]], {\"a\": {}}]",
        "\"@a\"",
        "[1.0]",
    ];
    let echo = Echo::start();
    let requests = values.map(|value| post(&echo.url("/"), json_body(value)));
    let Some(found) = all_received(language, &requests, &echo) else { return };
    for (found, value) in found.iter().zip(values) {
        // `1` and `1.0` are one number.
        let numbers = |text: &str| json(text).to_string().replace(".0,", ",").replace(".0]", "]");
        assert_eq!(numbers(found.text()), numbers(value), "{}", found.text());
    }
}

#[rstest]
fn a_form_arrives(
    #[values(Curl, JavaScript, Python, Go, Http)] language: SampleLanguage,
    #[values(false, true)] twice: bool,
) {
    let echo = Echo::start();
    let names = HOSTILE.iter().map(|name| if name.is_empty() { "__proto__" } else { name });
    let mut fields: Vec<(String, String)> =
        names.zip(HOSTILE.iter().rev()).map(|(name, value)| (name.to_owned(), (*value).to_owned())).collect();
    if twice {
        fields.insert(0, fields[3].clone());
    }
    let body = SampleBody::Form { fields: fields.clone() };
    let Some(found) = received(language, &post(&echo.url("/"), body), &echo) else { return };
    let media_type = found.header("content-type").expect("a type").to_ascii_lowercase();
    assert!(media_type.starts_with("application/x-www-form-urlencoded"), "{media_type}");
    let mut pairs: Vec<(String, String)> = url::form_urlencoded::parse(&found.body).into_owned().collect();
    if language == Go {
        fields.sort();
        pairs.sort();
    }
    assert_eq!(pairs, fields);
}

#[rstest]
fn parts_of_a_form_arrive(#[values(Curl, JavaScript, Python, Go)] language: SampleLanguage) {
    let echo = Echo::start();
    let mut all: Vec<_> = HOSTILE.iter().enumerate().map(|(at, text)| field(&format!("f{at}"), text, None)).collect();
    all.push(field("a\"b\\;c'd\u{e9} $x", "1", None));
    all.push(field("meta", "{\"a\": \"\\\";type=x\"}", Some("application/json")));
    all.push(file("upload", "file.bin", Some("image/png")));
    let body = SampleBody::Multipart { parts: all };
    let Some(found) = received(language, &post(&echo.url("/"), body), &echo) else { return };
    let mut found = parts(&found);
    let upload = found.pop().expect("a file");
    assert_eq!(
        (upload.0.as_str(), upload.1.as_deref(), upload.2.as_deref()),
        ("upload", Some("file.bin"), Some("image/png"))
    );
    let contents = if language == JavaScript { b"<the contents of file.bin>" } else { CONTENTS };
    assert_eq!(upload.3, contents);
    let meta = found.pop().expect("a part with a type");
    assert_eq!((meta.0.as_str(), meta.2.as_deref()), ("meta", Some("application/json")));
    assert_eq!(meta.3, b"{\"a\": \"\\\";type=x\"}");
    assert_eq!(found.pop().expect("a part with a name").0, "a\"b\\;c'd\u{e9} $x");
    for (text, part) in HOSTILE.iter().zip(found) {
        let content = String::from_utf8(part.3).expect("UTF-8");
        if language == JavaScript {
            // `FormData` ends all lines of texts in one way (the HTML standard, "multipart form data").
            let lines = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(lines(&content), lines(text));
        } else {
            assert_eq!(content, *text);
        }
    }
}

#[rstest]
#[case::an_equals_sign("a=b")]
#[case::a_line_end("a\nb")]
#[case::no_name("")]
fn names_that_curl_has_no_option_for_arrive(#[case] name: &str) {
    let echo = Echo::start();
    let body = SampleBody::Multipart { parts: vec![field(name, "x\r\n--boundary-of-form", None)] };
    let Some(found) = received(Curl, &post(&echo.url("/"), body), &echo) else { return };
    assert_eq!(parts(&found), [(name.to_owned(), None, None, b"x\r\n--boundary-of-form".to_vec())]);
}

#[rstest]
fn a_text_arrives(#[values(Curl, JavaScript, Python, Go, Http)] language: SampleLanguage) {
    let echo = Echo::start();
    let texts: Vec<String> = HOSTILE.iter().map(|text| (*text).to_owned()).chain([HOSTILE.concat()]).collect();
    let media_type = "text/plain; charset=utf-8";
    let body = |text: &String| SampleBody::Text { media_type: media_type.to_owned(), text: text.clone() };
    let requests: Vec<SampleRequest> = texts.iter().map(|text| post(&echo.url("/"), body(text))).collect();
    let Some(found) = all_received(language, &requests, &echo) else { return };
    for (found, text) in found.iter().zip(&texts) {
        assert_eq!((found.header("content-type"), found.text()), (Some(media_type), text.as_str()));
    }
}

#[rstest]
fn a_file_arrives(#[values(Curl, JavaScript, Python, Go)] language: SampleLanguage) {
    let echo = Echo::start();
    let body = SampleBody::File { media_type: "image/png".to_owned(), name: "file.bin".to_owned() };
    let Some(found) = received(language, &post(&echo.url("/"), body), &echo) else { return };
    assert_eq!(found.header("content-type"), Some("image/png"));
    let contents = if language == JavaScript { b"<the contents of file.bin>" } else { CONTENTS };
    assert_eq!(found.body, contents);
}

#[rstest]
fn methods_addresses_and_headers_arrive(#[values(Curl, JavaScript, Python, Go, Http)] language: SampleLanguage) {
    let echo = Echo::start();
    let methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "COPY", "M-SEARCH"];
    let target = "/a%20b/%27%22%24/$x/(y)?q=%26%3D%2B%25&filter%5Ba%5D=1&$top=~!*&e=";
    let headers = [("X-Quote", "'\"`$(id)\\ \\n %0A {{}} !!"), ("x-empty", ""), ("Cookie", "a=b; c=d")];
    let headers: Vec<(String, String)> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let request = |method: &str| SampleRequest {
        method: method.to_owned(),
        url: echo.url(target),
        headers: headers.clone(),
        body: None,
    };
    let Some(found) = all_received(language, &methods.map(request), &echo) else { return };
    for (found, method) in found.iter().zip(methods) {
        assert_eq!((found.method.as_str(), found.target.as_str()), (method, target));
        for (name, value) in &headers {
            assert_eq!(found.header(name), Some(value.as_str()), "{name}");
        }
        assert_eq!(found.body, b"");
    }
}

#[rstest]
fn a_body_of_get_arrives_where_the_language_sends_one(
    #[values(Curl, JavaScript, Python, Http)] language: SampleLanguage,
) {
    let echo = Echo::start();
    let request = SampleRequest { method: "GET".to_owned(), ..post(&echo.url("/"), json_body("[1]")) };
    let Some(found) = received(language, &request, &echo) else { return };
    assert_eq!(found.method, "GET");
    let expected = if language == JavaScript { serde_json::Value::Null } else { json("[1]") };
    let body = if found.body.is_empty() { serde_json::Value::Null } else { json(found.text()) };
    assert_eq!(body, expected);
}

#[test]
fn fetch_has_no_sample_for_a_method_that_it_refuses() {
    let request = SampleRequest {
        method: "TRACE".to_owned(),
        url: "https://example.com/".to_owned(),
        headers: Vec::new(),
        body: None,
    };
    assert_eq!(render(&request, JavaScript), None);
    assert!([Curl, Python, Go, Http].into_iter().all(|language| render(&request, language).is_some()));
}
