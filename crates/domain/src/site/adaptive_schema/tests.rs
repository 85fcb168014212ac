use super::claims::{MAX_ITEMS, MAX_TEXT};
use super::parse::{MAX_CLAIMS, MAX_SIZE, MAX_WORDS};
use super::*;
use crate::content::expression::Variables;
use crate::site::condition::{Condition, ConditionScope};
use crate::text::Invalid;
use proptest::prelude::*;
use proptest::strategy::Union;
use rstest::rstest;
use serde_json::to_value;

/// A schema with claims of all types.
fn json() -> Value {
    json!({"$schema": DIALECT, "type": "object", "additionalProperties": false, "properties": {
        "plan": {"type": "string", "enum": ["free", "it's \"pro\""], "description": "The plan"},
        "beta": {"type": "boolean", "description": ""},
        "email": {"type": "string", "description": "The address"},
        "seats": {"type": "number", "description": "How many"},
        "https://example.org/roles": {"type": "array", "description": "Roles",
            "items": {"type": "string", "enum": ["admin", "editor"], "description": "A role"}},
        "scores": {"type": "array", "description": "Scores", "items": {"type": "number", "description": "A score"}},
        "company": {"type": "object", "description": "The company", "additionalProperties": false, "properties": {
            "in": {"type": "boolean", "description": "Nested"}}},
        "unsigned": {"type": "object", "description": UNSIGNED_DESCRIPTION, "additionalProperties": false, "properties": {
            "language": {"type": "string", "enum": ["fr"], "description": "The language"}}},
    }})
}

fn schema() -> AdaptiveSchema {
    AdaptiveSchema::parse(&json()).unwrap()
}

fn object(json: Value) -> Map<String, Value> {
    json.as_object().unwrap().clone()
}

fn cut(signed: Value, unsigned: Value) -> Value {
    to_value(schema().cut(&object(signed), &object(unsigned))).unwrap()
}

#[test]
fn a_schema_is_shown_as_the_json_that_it_was_parsed_from() {
    assert_eq!(schema().to_json(), json());
    let least = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let read = AdaptiveSchema::parse(&least).unwrap();
    assert_eq!((read.to_json(), read), (least, AdaptiveSchema::default()));
}

/// Changes the value at a JSON pointer; `None` removes it.
fn changed(pointer: &str, value: Option<Value>) -> Value {
    let mut json = json();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = json.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => parent.insert(name.to_owned(), value),
        None => parent.remove(name),
    };
    json
}

#[rstest]
#[case("/type", None, "jsonSchema.type: is required")]
#[case("/type", Some(json!("array")), "jsonSchema.type: must be \"object\"")]
#[case("/$schema", Some(json!("http://json-schema.org/draft-04/schema#")), "jsonSchema.$schema: must be \"http")]
#[case("/properties", None, "jsonSchema.properties: is required")]
#[case("/properties", Some(json!([])), "jsonSchema.properties: must be an object")]
#[case("/additionalProperties", None, "jsonSchema.additionalProperties: is required")]
#[case("/additionalProperties", Some(json!(true)), "jsonSchema.additionalProperties: must be false")]
#[case("/required", Some(json!([])), "jsonSchema.required: is not allowed here; the members are $schema, type,")]
#[case("/title", Some(json!("")), "jsonSchema.title: is not allowed")]
#[case("/properties/plan", Some(json!(true)), "jsonSchema.properties.plan: must be an object")]
#[case("/properties/plan/description", None, "jsonSchema.properties.plan.description: is required")]
#[case("/properties/plan/description", Some(json!(1)), "jsonSchema.properties.plan.description: must be a string")]
#[case("/properties/plan/description", Some(json!("\0")), "jsonSchema.properties.plan.description: must not contain")]
#[case("/properties/plan/description", Some(json!("x".repeat(501))), "jsonSchema.properties.plan.description: must be at")]
#[case("/properties/plan/type", None, "jsonSchema.properties.plan.type: is required")]
#[case("/properties/plan/type", Some(json!("number")), "jsonSchema.properties.plan.enum: is not allowed here")]
#[case("/properties/plan/minLength", Some(json!(1)), "jsonSchema.properties.plan.minLength: is not allowed here")]
#[case("/properties/plan/enum", Some(json!([])), "jsonSchema.properties.plan.enum: must be a list of one string")]
#[case("/properties/plan/enum", Some(json!(null)), "jsonSchema.properties.plan.enum: must be a list of one string")]
#[case("/properties/plan/enum", Some(json!(["a", 1])), "jsonSchema.properties.plan.enum[1]: must be a string")]
#[case("/properties/plan/enum", Some(json!(["a", "a"])), "jsonSchema.properties.plan.enum[1]: must not be repeated")]
#[case("/properties/plan/enum", Some(json!(["\n"])), "jsonSchema.properties.plan.enum[0]: must be at most 128")]
#[case("/properties/beta/type", Some(json!("integer")), "jsonSchema.properties.beta.type: must be one of boolean,")]
#[case("/properties/beta/type", Some(json!(["boolean", "null"])), "jsonSchema.properties.beta.type: must be a string")]
#[case("/properties/beta/enum", Some(json!([true])), "jsonSchema.properties.beta.enum: is not allowed here")]
#[case("/properties/beta/$ref", Some(json!("#")), "jsonSchema.properties.beta.$ref: is not allowed here")]
#[case("/properties/scores/items", None, "jsonSchema.properties.scores.items: is required")]
#[case("/properties/scores/items/description", None, "jsonSchema.properties.scores.items.description: is required")]
#[case("/properties/scores/items/type", Some(json!("array")), "jsonSchema.properties.scores.items.type: must be one of boolean, string, number")]
#[case("/properties/scores/items/type", Some(json!("object")), "jsonSchema.properties.scores.items.type: must be one of")]
#[case(
    "/properties/company/additionalProperties",
    None,
    "jsonSchema.properties.company.additionalProperties: is required"
)]
#[case(
    "/properties/company/properties/in/description",
    None,
    "jsonSchema.properties.company.properties.in.description: is"
)]
#[case("/properties/unsigned/description", Some(json!("Mine")), "jsonSchema.properties.unsigned.description: must be \"Unsigned")]
#[case("/properties/unsigned/description", None, "jsonSchema.properties.unsigned.description: is required")]
#[case("/properties/unsigned/type", Some(json!("boolean")), "jsonSchema.properties.unsigned.type: must be \"object\"")]
#[case("/properties/unsigned/additionalProperties", Some(json!(0)), "jsonSchema.properties.unsigned.additionalProperties: must")]
#[case("/properties/", Some(json!({})), "jsonSchema.properties[\"\"]: the name must be 1 to 128")]
#[case("/properties/a'b", Some(json!({})), "jsonSchema.properties[\"a'b\"]: the name must be")]
#[case("/properties/a.b", Some(json!({})), "jsonSchema.properties[\"a.b\"].type: is required")]
fn a_fault_is_refused_with_its_path_and_the_rule(
    #[case] pointer: &str,
    #[case] value: Option<Value>,
    #[case] start: &str,
) {
    let error = AdaptiveSchema::parse(&changed(pointer, value)).unwrap_err().to_string();
    assert!(error.starts_with(start), "{error}");
}

fn with_claims(properties: Value) -> Result<AdaptiveSchema, Invalid> {
    AdaptiveSchema::parse(&changed("/properties", Some(properties)))
}

/// Objects in objects, `depth` of them, around a boolean.
fn nested(depth: usize) -> Value {
    let boolean = json!({"type": "boolean", "description": ""});
    (0..depth).fold(boolean, |inner, _| {
        json!({"type": "object", "description": "", "properties": {"a": inner}, "additionalProperties": false})
    })
}

#[test]
fn depth_number_and_size_are_limited() {
    let boolean = json!({"type": "boolean", "description": ""});
    let many = |count: usize| -> Value {
        (0..count).map(|n| (format!("c{n}"), boolean.clone())).collect::<Map<_, _>>().into()
    };
    let words = |count: usize| -> Vec<String> { (0..count).map(|n| n.to_string()).collect() };
    let word = |count: usize| json!({"a": {"type": "string", "description": "", "enum": words(count)}});
    let large = |length: usize| -> Value {
        let claim = |n: usize| {
            (
                format!("c{n}"),
                json!({"type": "string", "description": "", "enum": (["x", "y", "z"].map(|word| word.repeat(length)))}),
            )
        };
        (0..MAX_CLAIMS).map(claim).collect::<Map<_, _>>().into()
    };
    for fine in [json!({"a": nested(3)}), many(MAX_CLAIMS), word(MAX_WORDS), large(80)] {
        assert!(with_claims(fine).is_ok());
    }
    for (wrong, rule) in [
        (json!({"a": nested(4)}), "must be nested at most 4 deep"),
        (json!({"a": nested(100)}), "must be nested at most 4 deep"),
        (many(MAX_CLAIMS + 1), "the schema must have at most 200 claims"),
        (word(MAX_WORDS + 1), "the schema must have at most 1000 words"),
        (large(128), "must be at most 65536 bytes of JSON"),
    ] {
        assert_eq!(with_claims(wrong).unwrap_err().rule, rule);
    }
    assert_eq!(MAX_SIZE, 65536);
}

#[test]
fn conditions_are_suggested_for_all_claims() {
    let found: Vec<[String; 2]> =
        schema().template_conditions().into_iter().map(|template| [template.description, template.condition]).collect();
    let expected = [
        ["Visitors whose claim beta is true.", "visitor.claims.beta === true"],
        ["Visitors whose claim beta is false.", "visitor.claims.beta === false"],
        ["Visitors whose claim company.in is true.", "visitor.claims.company['in'] === true"],
        ["Visitors whose claim company.in is false.", "visitor.claims.company['in'] === false"],
        ["Visitors whose claim email has a value.", "'email' in visitor.claims"],
        [
            "Visitors whose claim https://example.org/roles includes \"admin\".",
            "'admin' in visitor.claims['https://example.org/roles']",
        ],
        [
            "Visitors whose claim https://example.org/roles includes \"editor\".",
            "'editor' in visitor.claims['https://example.org/roles']",
        ],
        ["Visitors whose claim plan is \"free\".", "visitor.claims.plan === 'free'"],
        ["Visitors whose claim plan is \"it's \"pro\"\".", "visitor.claims.plan === 'it\\'s \"pro\"'"],
        ["Visitors whose claim scores has a value.", "'scores' in visitor.claims"],
        ["Visitors whose claim seats has a value.", "'seats' in visitor.claims"],
        ["Visitors whose unsigned claim language is \"fr\".", "visitor.claims.unsigned.language === 'fr'"],
    ];
    assert_eq!(found, expected);
}

#[rstest]
#[case::known(json!({"plan": "free", "beta": false}), json!({}), json!({"plan": "free", "beta": false}))]
#[case::unknown(json!({"exp": 1, "sub": "ada", "__proto__": {}}), json!({"plan": "free"}), json!({}))]
#[case::wrong_types(json!({"beta": "true", "email": 1, "seats": "1", "plan": null, "company": []}), json!({}), json!({}))]
#[case::a_word_of_no_enum(json!({"plan": "Free"}), json!({}), json!({}))]
#[case::a_long_text(json!({"email": "é".repeat(MAX_TEXT + 1)}), json!({}), json!({}))]
#[case::a_text(json!({"email": "é".repeat(MAX_TEXT)}), json!({}), json!({"email": "é".repeat(MAX_TEXT)}))]
#[case::a_whole_number(json!({"seats": 12.0}), json!({}), json!({"seats": 12}))]
#[case::a_fraction(json!({"seats": -0.5}), json!({}), json!({"seats": -0.5}))]
#[case::a_huge_number(json!({"seats": 1e300}), json!({}), json!({"seats": 1e300}))]
#[case::items(json!({"https://example.org/roles": ["admin", "root", 1]}), json!({}), json!({"https://example.org/roles": ["admin"]}))]
#[case::no_list(json!({"scores": 1}), json!({}), json!({}))]
#[case::a_long_list(json!({"scores": vec![1; MAX_ITEMS + 1]}), json!({}), json!({}))]
#[case::nested(json!({"company": {"in": true, "out": true}}), json!({}), json!({"company": {"in": true}}))]
#[case::unsigned(json!({}), json!({"language": "fr", "beta": true}), json!({"unsigned": {"language": "fr"}}))]
#[case::unsigned_in_a_token(json!({"unsigned": {"language": "fr"}, "language": "fr"}), json!({}), json!({}))]
#[case::unsigned_twice(json!({}), json!({"unsigned": {"language": "fr"}}), json!({}))]
fn claims_are_cut_to_the_schema(#[case] signed: Value, #[case] unsigned: Value, #[case] kept: Value) {
    assert_eq!(cut(signed, unsigned), kept);
}

/// Names of claims, also those that expressions cannot have after a dot.
fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "in|package|true|0|unsigned", "[ -!#-&(-\\[\\]-~é日]{1,8}"]
}

fn words() -> impl Strategy<Value = String> {
    "[ -~é日]{0,6}"
}

fn plain_claims() -> impl Strategy<Value = PlainClaim> {
    prop_oneof![
        Just(PlainClaim::Boolean),
        Just(PlainClaim::Text),
        Just(PlainClaim::Number),
        prop::collection::btree_set(words(), 1..4).prop_map(|words| PlainClaim::Word(words.into_iter().collect())),
    ]
}

fn claims(depth: usize) -> BoxedStrategy<SchemaClaims> {
    let mut values = vec![
        plain_claims().prop_map(ClaimValues::One).boxed(),
        (words(), plain_claims()).prop_map(|(description, items)| ClaimValues::List { description, items }).boxed(),
    ];
    if depth > 1 {
        values.push(claims(depth - 1).prop_map(ClaimValues::Object).boxed());
    }
    let claim = (words(), Union::new(values)).prop_map(|(description, values)| SchemaClaim { description, values });
    prop::collection::btree_map(names(), claim, 0..4).boxed()
}

fn schemas() -> impl Strategy<Value = AdaptiveSchema> {
    (claims(4), prop::option::of(claims(4)), any::<bool>()).prop_map(|(mut signed, unsigned, names_dialect)| {
        signed.remove(UNSIGNED);
        AdaptiveSchema { signed, unsigned, names_dialect }
    })
}

/// A visitor who has every claim, with the first word of each, and how many suggested conditions hold for them.
fn visitor(schema: &SchemaClaims) -> (Map<String, Value>, usize) {
    let plain = |plain: &PlainClaim| match plain {
        PlainClaim::Boolean => json!(true),
        PlainClaim::Text => json!("text"),
        PlainClaim::Number => json!(1),
        PlainClaim::Word(words) => json!(words[0]),
    };
    let mut held = 0;
    let mut claim = |(name, claim): (&String, &SchemaClaim)| {
        let (value, holds) = match &claim.values {
            ClaimValues::One(one) => (plain(one), 1),
            ClaimValues::List { items, .. } => (json!([plain(items)]), 1),
            ClaimValues::Object(inner) => {
                let (inner, held) = visitor(inner);
                (inner.into(), held)
            }
        };
        held += holds;
        (name.clone(), value)
    };
    let claims = schema.iter().map(&mut claim).collect();
    (claims, held)
}

proptest! {
    #[test]
    fn every_schema_is_read_from_the_json_that_shows_it(schema in schemas()) {
        prop_assert_eq!(AdaptiveSchema::parse(&schema.to_json()), Ok(schema));
    }

    #[test]
    fn a_member_that_no_schema_has_is_refused_wherever_it_is(schema in schemas(), at in any::<prop::sample::Index>()) {
        fn objects<'a>(json: &'a mut Value, found: &mut Vec<&'a mut Map<String, Value>>) {
            let Value::Object(members) = json else { return };
            if members.contains_key("type") && members["type"].is_string() && !members.contains_key("properties") {
                found.push(members);
                return;
            }
            for (_, value) in members.iter_mut() {
                objects(value, found);
            }
        }
        let mut json = schema.to_json();
        let mut found = Vec::new();
        objects(&mut json, &mut found);
        prop_assume!(!found.is_empty());
        let index = at.index(found.len());
        found[index].insert("default".into(), json!(true));
        let refused = AdaptiveSchema::parse(&json).unwrap_err();
        prop_assert!(refused.field.ends_with(".default"), "{}", refused);
    }

    #[test]
    fn suggested_conditions_hold_for_visitors_who_have_the_claim(schema in schemas()) {
        let (signed, mut expected) = visitor(&schema.signed);
        let unsigned = schema.unsigned.as_ref().map(visitor);
        expected += unsigned.as_ref().map_or(0, |(_, held)| *held);
        let unsigned = unsigned.map(|(claims, _)| claims).unwrap_or_default();
        let (all, none) = (schema.cut(&signed, &unsigned), VisitorClaims::default());
        let vars = Variables::default();
        let mut held = 0;
        for template in schema.template_conditions() {
            let condition = Condition::parse(&template.condition).unwrap().unwrap().compile();
            held += usize::from(condition.holds(&ConditionScope::new(&all, &vars, &vars)));
            prop_assert!(!condition.holds(&ConditionScope::new(&none, &vars, &vars)), "{}", template.condition);
        }
        prop_assert_eq!(held, expected);
    }

    #[test]
    fn cut_claims_are_claims_of_the_schema(schema in schemas()) {
        let (signed, _) = visitor(&schema.signed);
        let unsigned = schema.unsigned.as_ref().map(|unsigned| visitor(unsigned).0).unwrap_or_default();
        let mut all = signed.clone();
        if !unsigned.is_empty() {
            all.insert(UNSIGNED.into(), unsigned.clone().into());
        }
        prop_assert_eq!(to_value(schema.cut(&signed, &unsigned)).unwrap(), Value::from(all.clone()));
        let foreign = schema.cut(&unsigned, &signed);
        prop_assert!(AdaptiveSchema::default().cut(&all, &all).is_empty());
        prop_assert!(foreign.get("exp").is_none());
    }
}
