//! From a document with hostile texts to the server: the code that readers copy sends the texts of the document.
use super::super::SampleLanguage::{self, Curl, Http, JavaScript, Python};
use super::super::{SampleOptions, operation_samples};
use super::echo::{Echo, Received};
use super::programs::run;
use super::{HOSTILE, tree};
use rstest::rstest;
use serde_json::{Value, json};

/// The request that the server receives from the sample of `POST /p/{id}` in a language; `None` if the machine cannot
/// run it.
fn sent(language: SampleLanguage, mut operation: Value) -> Option<Received> {
    let echo = Echo::start();
    operation["responses"] = json!({"200": {"content": {"application/json": {}}}});
    let document = json!({"servers": [{"url": echo.url("/v1")}], "paths": {"/p/{id}": {"post": operation}}});
    let options = SampleOptions::default();
    let samples = operation_samples(&tree(&document.to_string()), "/p/{id}", "post", &options);
    let samples = samples.expect("the operation is there");
    let sample = samples.into_iter().find(|sample| sample.lang == language.id()).expect("the language has a sample");
    run(language, &[sample.source], &echo).then(|| echo.next())
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8().expect("UTF-8").into_owned()
}

#[rstest]
fn texts_of_parameters_arrive(#[values(Curl, JavaScript, Python, Http)] language: SampleLanguage) {
    // A header has no line ends, no white space at its ends, and no other characters than those of ASCII.
    let header = "'\"`$(id) \\ %0A {} !!";
    let all = HOSTILE.concat();
    let parameters = json!([
        {"in": "path", "name": "id", "required": true, "example": all},
        {"in": "query", "name": "q'\"$`", "required": true, "example": HOSTILE},
        {"in": "header", "name": "X-A", "required": true, "example": header},
        {"in": "cookie", "name": "c", "required": true, "example": all},
    ]);
    let Some(found) = sent(language, json!({"parameters": parameters})) else { return };
    let (path, query) = found.target.split_once('?').expect("a query");
    assert_eq!(path.strip_prefix("/v1/p/").map(decoded), Some(all.clone()));
    let values: Vec<String> = query
        .split('&')
        .map(|pair| {
            let (name, value) = pair.split_once('=').expect("a pair");
            assert_eq!(decoded(name), "q'\"$`");
            decoded(value)
        })
        .collect();
    assert_eq!(values, HOSTILE);
    assert_eq!(found.header("x-a"), Some(header));
    assert_eq!(found.header("cookie").and_then(|cookie| cookie.strip_prefix("c=")).map(decoded), Some(all));
}

#[rstest]
fn texts_of_json_arrive(#[values(Curl, JavaScript, Python, Http)] language: SampleLanguage) {
    let mut value = json!({"list": HOSTILE});
    HOSTILE.iter().for_each(|text| value[*text] = json!(text));
    let operation = json!({"requestBody": {"content": {"application/json": {"example": value}}}});
    let Some(found) = sent(language, operation) else { return };
    assert_eq!(serde_json::from_slice::<Value>(&found.body).expect("JSON"), value);
}

#[rstest]
fn texts_of_forms_arrive(#[values(Curl, JavaScript, Python, Http)] language: SampleLanguage) {
    let value = json!({"list": HOSTILE, "more": {"a": HOSTILE.concat()}});
    let encoding = json!({"more": {"style": "deepObject", "explode": true}});
    let content = json!({"application/x-www-form-urlencoded": {"example": value, "encoding": encoding}});
    let Some(found) = sent(language, json!({"requestBody": {"content": content}})) else { return };
    let mut pairs: Vec<(String, String)> = url::form_urlencoded::parse(&found.body).into_owned().collect();
    assert_eq!(pairs.pop(), Some(("more[a]".to_owned(), HOSTILE.concat())));
    let expected: Vec<(String, String)> = HOSTILE.iter().map(|text| ("list".to_owned(), (*text).to_owned())).collect();
    assert_eq!(pairs, expected);
}
