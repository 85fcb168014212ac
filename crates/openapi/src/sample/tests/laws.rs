//! What holds for any document.
use super::super::quote::is_hidden;
use super::super::{SampleLanguage, SampleOptions, operation_request, operation_samples, render};
use super::HOSTILE;
use super::tree;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Keys and texts that samples look for, and hostile ones.
fn word() -> impl Strategy<Value = String> {
    let words = "parameters in name query path header cookie querystring required true style explode form deepObject matrix \
        schema type string object array items properties example examples value content application/json \
        application/x-www-form-urlencoded multipart/form-data text/plain */* image/png requestBody responses 200 servers \
        url https://{a}.example.org/{b} /v1 variables default security key encoding contentType allowReserved \
        x-codeSamples lang source a b __proto__ X-A Authorization";
    prop_oneof![
        6 => prop::sample::select(words.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
        1 => prop::sample::select(HOSTILE.map(str::to_owned).to_vec()),
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        word().prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            3 => prop::collection::vec((word(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// A parameter, or something else.
fn parameter() -> impl Strategy<Value = Value> {
    let place = prop::sample::select(vec!["query", "path", "header", "cookie", "querystring", "body"]);
    let style = prop::sample::select(vec!["form", "simple", "label", "matrix", "deepObject", "pipeDelimited", "no"]);
    (place, word(), style, any::<bool>(), value(), any::<bool>()).prop_map(
        |(place, name, style, explode, value, reserved)| {
            json!({"in": place, "name": name, "required": true, "style": style, "explode": explode, "example": value,
            "allowReserved": reserved})
        },
    )
}

fn document() -> impl Strategy<Value = Value> {
    let media = prop::sample::select(vec![
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/mixed",
        "text/plain",
        "application/xml",
        "image/*",
        "application/x-ndjson",
    ]);
    let content = (prop_oneof![media.prop_map(str::to_owned), word()], value());
    (prop::collection::vec(parameter(), 0..4), content, word(), value(), word()).prop_map(
        |(parameters, (media_type, example), server, more, path)| {
            let mut operation = json!({"parameters": parameters, "requestBody": {"content": {}}, "more": more});
            operation["requestBody"]["content"][&media_type] = json!({"example": example, "encoding": more});
            operation["responses"] = more;
            let mut document = json!({"servers": [{"url": server}], "paths": {}});
            document["paths"][format!("/{path}")] = json!({"post": operation});
            document
        },
    )
}

proptest! {
    #[test]
    fn any_operation_has_a_request_that_can_be_sent(document in document()) {
        let path = document["paths"].as_object().and_then(|paths| paths.keys().next()).expect("a path").clone();
        let document = tree(&document.to_string());
        let options = SampleOptions::default();
        let request = operation_request(&document, &path, "post", &options).expect("the operation is there");
        let url = url::Url::parse(&request.url).expect("the address can be read");
        prop_assert!(matches!(url.scheme(), "http" | "https"));
        prop_assert!(request.url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'), "{}", request.url);
        for (name, value) in &request.headers {
            prop_assert!(crate::body::media_type::is_token(name), "{name:?}");
            prop_assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{value:?}");
            let same = request.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
            prop_assert_eq!(same.count(), 1);
        }
        let stated = request.stated_type().unwrap_or_default();
        prop_assert!(stated.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{stated:?}");
        for language in SampleLanguage::ALL.into_iter().filter(|language| *language != SampleLanguage::Http) {
            let code = render(&request, language).expect("POST can be sent");
            prop_assert!(!code.contains(|char| is_hidden(char) && !matches!(char, '\n' | '\t')), "{code:?}");
        }
        let again = operation_samples(&document, &path, "post", &options);
        prop_assert_eq!(again, operation_samples(&document, &path, "post", &options));
    }
}
