//! What holds for any document.
use super::{tree, upgrade};
use proptest::prelude::*;

/// Keys and texts that rules look for.
fn word() -> impl Strategy<Value = String> {
    let words = "swagger openapi paths /a get post parameters in body formData query name schema type array items file \
        $ref #/definitions/A #/parameters/A #/paths/~1a/get/parameters/0 definitions A responses 200 examples \
        x-nullable nullable true discriminator host basePath schemes consumes produces a/b securityDefinitions \
        security components schemas allOf anyOf properties exclusiveMinimum minimum example format binary \
        collectionFormat x-webhooks requestBody content headers oauth2 flow";
    prop_oneof![
        4 => prop::sample::select(words.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
        1 => "[a-z/~%#\u{e9} ]{0,4}",
    ]
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-5..5).prop_map(Into::into),
        word().prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((word(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn document() -> impl Strategy<Value = serde_json::Value> {
    let version = prop::sample::select(vec![("swagger", "2.0"), ("openapi", "3.0.0")]);
    let fields = prop::collection::vec((word(), value()), 0..6);
    (version, fields).prop_map(|((key, version), fields)| {
        let mut document: serde_json::Map<String, serde_json::Value> = fields.into_iter().collect();
        // A document that states both is one of neither.
        document.retain(|key, _| key != "openapi" && key != "swagger");
        document.insert(key.to_owned(), version.into());
        document.into()
    })
}

proptest! {
    #[test]
    fn any_document_can_be_upgraded_and_says_3_1(document in document()) {
        let upgraded = upgrade(tree(&document.to_string()), Some("https://h/a.json"));
        prop_assert_eq!(upgraded.text_of("openapi"), Some("3.1.1"));
    }

    #[test]
    fn an_upgraded_document_is_not_upgraded_again(document in document()) {
        let once = upgrade(tree(&document.to_string()), None);
        prop_assert_eq!(once.to_json(), upgrade(once.clone(), None).to_json());
    }
}

#[test]
fn the_deepest_document_is_upgraded() {
    let mut schema = r#"{"type":"string","x-nullable":true}"#.to_owned();
    for _ in 0..95 {
        schema = format!(r#"{{"x-nullable":true,"allOf":[{schema}]}}"#);
    }
    let upgraded = upgrade(tree(&format!(r#"{{"swagger":"2.0","definitions":{{"A":{schema}}}}}"#)), None);
    let json = upgraded.to_json();
    assert_eq!(json.matches(r#"{"type":"null"}"#).count(), 95);
    assert!(!json.contains("ullable\""));
}
