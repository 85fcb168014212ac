//! What holds for views of all documents.
use super::super::{Budget, SchemaRow, operation, schema};
use super::{rows, tree};
use crate::direction::Direction;
use proptest::prelude::*;
use serde_json::{Value, json};

fn word() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        "[a-z\"\\\\<\u{1}é]{0,300}".prop_map(Into::into),
    ]
}

fn reference() -> impl Strategy<Value = Value> {
    prop::sample::select(vec!["A", "B", "C", "D", "None", "A/properties/a", "B/allOf/0", "C/items"])
        .prop_map(|name| json!({"$ref": format!("#/components/schemas/{name}")}))
}

fn simple() -> impl Strategy<Value = Value> {
    let types = prop::sample::select(vec![
        json!("string"),
        json!("array"),
        json!("object"),
        json!(["integer", "null"]),
        json!("null"),
        json!(["object", "string"]),
    ]);
    prop_oneof![
        (types, word(), word())
            .prop_map(|(kind, description, default)| json!({"type": kind, "description": description, "default": default, "readOnly": default})),
        prop::collection::vec(word(), 0..5).prop_map(|values| json!({"enum": values})),
        any::<bool>().prop_map(Into::into),
        word(),
        reference(),
    ]
}

/// A schema, or something in its place.
fn any_schema() -> impl Strategy<Value = Value> {
    simple().prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        let names = prop::sample::select(vec!["a", "b", "c", "d/~", "$ref"]).prop_map(str::to_owned);
        let map = prop::collection::vec((names, inner.clone()), 0..4)
            .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>());
        prop_oneof![
            4 => (map.clone(), list.clone()).prop_map(|(map, list)| json!({"properties": map, "allOf": list})),
            2 => list.clone().prop_map(|list| json!({"allOf": list})),
            2 => list.clone().prop_map(|list| json!({"anyOf": list})),
            1 => (list.clone(), word()).prop_map(|(list, word)| json!({"oneOf": list, "discriminator": {"propertyName": word, "mapping": {"x": "A", "y": word}}})),
            2 => inner.clone().prop_map(|inner| json!({"type": "array", "items": inner})),
            1 => list.prop_map(|list| json!({"prefixItems": list, "items": {}})),
            1 => (map, inner).prop_map(|(map, inner)| json!({"patternProperties": map, "additionalProperties": inner, "required": ["a", inner]})),
        ]
    })
}

fn document() -> impl Strategy<Value = String> {
    let schemas = (any_schema(), any_schema(), any_schema(), any_schema());
    (schemas, any_schema(), any_schema(), word()).prop_map(|((a, b, c, d), body, answer, text)| {
        let media = |schema: &Value| json!({"application/json": {"schema": schema}});
        let call = json!({"post": {"requestBody": {"content": media(&answer)}}});
        let operation = json!({
            "summary": text, "description": text, "parameters": [{"name": "p", "in": "query", "schema": body, "description": text}],
            "requestBody": {"content": media(&body)}, "callbacks": {"c": {"u": call}},
            "responses": {"200": {"content": media(&answer), "headers": {"h": {"schema": body}}}},
        });
        json!({"paths": {"/a": {"post": operation}}, "components": {"schemas": {"A": a, "B": b, "C": c, "D": d}}}).to_string()
    })
}

fn budget() -> impl Strategy<Value = Budget> {
    (0_usize..60, 0_usize..6, 600_usize..20_000).prop_map(|(rows, depth, bytes)| Budget { rows, depth, bytes, skip: 0 })
}

fn depth(row: &SchemaRow) -> usize {
    row.children.iter().map(depth).max().map_or(0, |depth| depth + 1)
}

proptest! {
    #[test]
    fn a_view_ends_in_its_budget_and_is_always_the_same(text in document(), budget in budget()) {
        let root = tree(&text);
        let view = operation(&root, "/a", "post", &budget).expect("it is there");
        prop_assert_eq!(&view, &operation(&tree(&text), "/a", "post", &budget).expect("it is there"));
        prop_assert!(rows(&view).len() <= budget.rows);
        // Whatever the budget is, a view has its head.
        let head = 3_000;
        prop_assert!(serde_json::to_string(&view).expect("JSON").len() <= budget.bytes + head);
        prop_assert!(view.clone().rows_mut().all(|row| depth(row) <= budget.depth));
    }

    #[test]
    fn every_row_can_be_opened_where_its_pointer_says(text in document()) {
        let root = tree(&text);
        let view = operation(&root, "/a", "post", &Budget::default()).expect("it is there");
        for row in rows(&view) {
            let opened = schema(&root, &row.pointer, Some(Direction::Request), &Budget::default());
            prop_assert!(opened.is_some(), "{}", row.pointer);
            prop_assert!(row.recursive.is_none() || row.children.is_empty());
        }
    }

    #[test]
    fn pages_of_a_schema_have_all_its_rows(text in document(), rows in 2_usize..5) {
        let root = tree(&text);
        let whole = schema(&root, "/components/schemas/A", None, &Budget { depth: 1, ..Budget::default() }).expect("it is there");
        let mut names = Vec::new();
        let mut skip = 0;
        loop {
            let budget = Budget { rows, depth: 1, skip, ..Budget::default() };
            let page = schema(&root, "/components/schemas/A", None, &budget).expect("it is there");
            names.extend(page.children.into_iter().map(|row| (row.role, row.name)));
            match page.rest {
                Some(rest) => {
                    prop_assert!(rest.skip > skip);
                    skip = rest.skip;
                }
                None => break,
            }
        }
        prop_assert_eq!(names, whole.children.into_iter().map(|row| (row.role, row.name)).collect::<Vec<_>>());
    }
}

/// Documents whose rows share one large schema.
#[test]
fn many_rows_with_one_large_schema_are_rendered_quickly() {
    let hidden: serde_json::Map<_, _> = (0..200_000).map(|at| (format!("f{at}"), json!({"readOnly": true}))).collect();
    let choices: Vec<Value> = (0..200_000).map(|at| json!({"title": format!("c{at}")})).collect();
    let values: Vec<Value> = (0..200_000).map(|at| json!(format!("v{at}"))).collect();
    let texts: serde_json::Map<_, _> = (0..200_000).map(|at| (format!("v{at}"), json!("text"))).collect();
    let contradicting = [vec![json!({"type": "string"}), json!({"type": "integer"})], choices.clone()].concat();
    for large in [
        json!({"properties": hidden}),
        json!({"oneOf": choices}),
        json!({"enum": values, "allOf": [{"enum": values}], "x-enumDescriptions": texts}),
        json!({"default": values, "example": values}),
        json!({"required": values, "anyOf": [{"required": values}, {"required": values}]}),
        json!({"enum": [values], "allOf": [{"enum": [values]}]}),
        json!({"allOf": vec![json!({"pattern": "p".repeat(1_000_000)}); 20]}),
        json!({"type": vec!["string"; 200_000], "allOf": choices}),
        json!({ "allOf": contradicting }),
    ] {
        let parameters: Vec<Value> = (0..100)
            .map(
                |at| json!({"name": format!("p{at}"), "in": "query", "schema": {"$ref": "#/components/schemas/Large"}}),
            )
            .collect();
        let paths = json!({"/a": {"get": {"parameters": parameters}}});
        let root = tree(&json!({"paths": paths, "components": {"schemas": {"Large": large}}}).to_string());
        let start = std::time::Instant::now();
        let view = operation(&root, "/a", "get", &Budget::default()).expect("it is there");
        let time = start.elapsed();
        assert!(time.as_secs() < 10, "{time:?} for {:?}", rows(&view).first().map(|row| &row.type_text));
        println!("{time:?}");
    }
}

#[test]
fn very_many_hidden_fields_with_many_choices_are_skipped_quickly() {
    let choices: Vec<Value> = (0..4_000).map(|at| json!({"title": format!("c{at}")})).collect();
    let mut fields: serde_json::Map<_, _> =
        (0..100_000).map(|at| (format!("f{at}"), json!({"$ref": "#/components/schemas/Large"}))).collect();
    fields.insert("shown".to_owned(), json!({"type": "string"}));
    let schemas = json!({"A": {"properties": fields}, "Large": {"readOnly": true, "oneOf": choices}});
    let root = tree(&json!({"components": {"schemas": schemas}}).to_string());
    let start = std::time::Instant::now();
    let row = schema(&root, "/components/schemas/A", Some(Direction::Request), &Budget::default());
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let rest = row.and_then(|row| row.rest).expect("some fields are left out");
    assert_eq!(rest.count + rest.skip, 100_001);
    let budget = Budget { skip: 100_000, ..Budget::default() };
    let row = schema(&root, "/components/schemas/A", Some(Direction::Request), &budget).expect("it is there");
    assert_eq!(row.children.iter().map(|row| row.name.as_deref()).collect::<Vec<_>>(), [Some("shown")]);
}

#[test]
fn very_many_parameters_with_many_choices_are_rendered_quickly() {
    let choices: Vec<Value> = (0..4_000).map(|at| json!({"title": format!("c{at}")})).collect();
    let parameters: Vec<Value> = (0..100_000)
        .map(|at| json!({"name": format!("p{at}"), "in": "query", "schema": {"$ref": "#/components/schemas/Large"}}))
        .collect();
    let paths = json!({"/a": {"get": {"parameters": parameters}}});
    let root = tree(&json!({"paths": paths, "components": {"schemas": {"Large": {"oneOf": choices}}}}).to_string());
    for budget in [Budget::default(), Budget { rows: usize::MAX, bytes: 20_000, ..Budget::default() }] {
        let start = std::time::Instant::now();
        let view = operation(&root, "/a", "get", &budget).expect("it is there");
        let time = start.elapsed();
        assert!(time.as_secs() < 10, "{time:?} for {budget:?}");
        let shown: usize = view.parameters.iter().map(|group| group.parameters.len()).sum();
        assert!(shown > 10, "{shown}");
        assert_eq!(shown + view.left_out, 100_000);
    }
}

/// Documents that are made to take long.
#[test]
fn hostile_schemas_are_rendered_quickly() {
    let nested = |key: &str, list: bool| {
        let mut value = json!({});
        for _ in 0..80 {
            value = json!({ key: if list { json!([value]) } else { value } });
        }
        value
    };
    let all: Vec<Value> = (0..2_000)
        .map(|index| json!({"properties": {format!("f{index}"): {"$ref": "#/components/schemas/A"}}}))
        .collect();
    let choices: Vec<Value> = (0..2_000).map(|_| json!({"$ref": "#/components/schemas/A"})).collect();
    let mapping: serde_json::Map<_, _> = (0..2_000).map(|index| (format!("m{index}"), json!("A"))).collect();
    let wide: serde_json::Map<_, _> =
        (0..5_000).map(|index| (format!("f{index}"), json!({"$ref": "#/components/schemas/A"}))).collect();
    let chain: serde_json::Map<_, _> = (0..500)
        .map(|index| (format!("S{index}"), json!({"allOf": [{"$ref": format!("#/components/schemas/S{}", index + 1)}, {"$ref": "#/components/schemas/A"}]})))
        .collect();
    let all_of_all: Vec<Value> =
        (0..300).map(|index| json!({"$ref": format!("#/components/schemas/S{index}")})).collect();
    for value in [
        nested("allOf", true),
        nested("anyOf", true),
        nested("items", false),
        nested("additionalProperties", false),
        nested("properties", false),
        json!({"allOf": all}),
        json!({"oneOf": choices, "discriminator": {"propertyName": "k", "mapping": mapping}}),
        json!({"properties": wide}),
        json!({"allOf": all_of_all}),
        json!({"type": "string", "enum": (0..50_000).collect::<Vec<_>>(), "allOf": [{"enum": (0..50_000).collect::<Vec<_>>()}]}),
        json!({"allOf": [{"type": "string"}, {"type": "integer"}, {"$ref": "#/components/schemas/A"}]}),
        json!({"description": "d".repeat(5_000_000), "title": "t".repeat(1_000_000)}),
    ] {
        let mut schemas = chain.clone();
        schemas.insert("A".to_owned(), value);
        let text = json!({"components": {"schemas": schemas}}).to_string();
        let root = tree(&text);
        let start = std::time::Instant::now();
        let row = schema(&root, "/components/schemas/A", None, &Budget::default()).expect("it is there");
        let time = start.elapsed();
        assert!(serde_json::to_string(&row).expect("JSON").len() <= 300 * 1024);
        assert!(time.as_secs() < 5, "{time:?} for {}", &text[..200]);
        println!("{time:?} {}", text.get(..60).unwrap_or_default());
    }
}
