//! What holds for any document.
use super::{Examples, tree};
use crate::direction::Direction;
use crate::example::MAX_BYTES;
use proptest::prelude::*;
use serde_json::Value;

/// Keys and texts that examples look for.
fn word() -> impl Strategy<Value = String> {
    let words = "type string integer number boolean array object null properties items required a b allOf anyOf oneOf not \
        $ref #/components/schemas/It #/components/schemas/Other #/components/schemas/It/properties/a enum const examples \
        example default minimum maximum minLength maxLength minItems uniqueItems additionalProperties patternProperties \
        propertyNames minProperties pattern ^[a-z]+$ format uuid date-time readOnly writeOnly discriminator propertyName \
        mapping if then else prefixItems contains dependentRequired content schema application/json value externalValue \
        multipleOf deprecated $anchor $id $dynamicRef xml";
    prop_oneof![
        8 => prop::sample::select(words.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        (-3..300).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        word().prop_map(Into::into),
    ];
    leaf.prop_recursive(7, 90, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            3 => prop::collection::vec((word(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_has_an_example_that_is_always_the_same(it in value(), other in value()) {
        let document = serde_json::json!({"components": {"schemas": {"It": it, "Other": other}}});
        let document = tree(&document.to_string());
        for direction in [Direction::Request, Direction::Response] {
            let example = || Examples::new(&document).schema("/components/schemas/It", direction).expect("it is there").to_json();
            let found = example();
            prop_assert!(found.len() <= MAX_BYTES + 1_000);
            prop_assert_eq!(found, example());
        }
    }

    #[test]
    fn any_media_type_has_examples_that_are_not_too_long(content in value(), other in value(), key in word()) {
        let mut document = serde_json::json!({"components": {"schemas": {"It": other}}});
        document["content"][&key] = content;
        let document = tree(&document.to_string());
        let pointer = format!("/content/{}", crate::tree::pointer_step(&key));
        for examples in [
            Examples::new(&document).body(&pointer, Direction::Request),
            Examples::new(&document).parameter(&pointer, Direction::Response),
        ] {
            prop_assert!(examples.iter().all(|example| example.text.as_ref().is_none_or(|text| text.len() <= MAX_BYTES)));
        }
    }
}
