use super::{MAX_TERMS, SearchText, Text, models, operation, webhook};
use crate::corpus::{documents, some};
use crate::parts::summary;
use crate::text::read;
use crate::tree::Node;
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::time::Instant;

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

const PETS: &str = r##"{"paths":{"/pets/{id}":{
  "get":{"operationId":"getPet","summary":"Get a pet","description":"It *barks*.",
    "parameters":[{"name":"id","in":"path"},{"name":"filter","in":"query","schema":{"properties":{"name":{}}}}],
    "responses":{"200":{"headers":{"X-Rate":{}},"content":{"a/b":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}},
  "put":{"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/Pet"}}}},
    "callbacks":{"c":{"u":{"post":{"requestBody":{"content":{"a/b":{"schema":{"properties":{"called":{}}}}}}}}}}}}},
"webhooks":{"newPet":{"post":{"operationId":"hook"}}},
"components":{"schemas":{"Pet":{"title":"A pet","description":"d","properties":{
  "name":{},"tags":{"type":"array","items":{"properties":{"label":{},"deep":{"properties":{"deeper":{}}}}}},
  "kind":{"oneOf":[{"title":"Cat","properties":{"purrs":{}}}, {"type":"string"}]}}}}}}"##;

#[test]
fn an_operation_is_found_by_all_that_readers_know_of_it() {
    let found = operation(&tree(PETS), "/pets/{id}", "GET").expect("it is there");
    assert_eq!(found.title, "Get a pet");
    assert_eq!(
        found.body.lines().collect::<Vec<_>>(),
        ["GET /pets/{id}", "getPet", "It *barks*.", "id, filter", "id, filter, X-Rate, name, tags, kind, label, deep"]
    );
}

#[test]
fn an_operation_without_a_summary_has_its_id_or_its_path_as_the_title() {
    let found = operation(&tree(PETS), "/pets/{id}/", "put").expect("it is there");
    assert_eq!(found.title, "PUT /pets/{id}");
    assert_eq!(found.body, "PUT /pets/{id}\nname, tags, kind, label, deep, called");
    let hook = webhook(&tree(PETS), "newPet", "post").expect("it is there");
    assert_eq!(hook, SearchText { title: "hook".to_owned(), body: "POST newPet\nhook".to_owned() });
    assert_eq!(operation(&tree(PETS), "/none", "get"), None);
}

#[test]
fn schemas_are_found_by_their_names_and_fields() {
    let found = models(&tree(PETS), &["Pet", "None"]);
    assert_eq!(found.title, "");
    assert_eq!(found.body, "Pet\nA pet\nd\nname, tags, kind, label, deep");
}

#[test]
fn a_text_has_no_more_terms_than_are_allowed() {
    let fields: serde_json::Map<_, _> = (0..6_000).map(|index| (format!("f{index}"), json!({}))).collect();
    let text = json!({"paths": {"/a": {"get": {"summary": "s ".repeat(100), "requestBody": {"content": {"a/b": {"schema": {"properties": fields}}}}}}}});
    let found = operation(&tree(&text.to_string()), "/a", "get").expect("it is there");
    let terms = |text: &str| text.split(|char: char| !char.is_alphanumeric()).filter(|term| !term.is_empty()).count();
    assert_eq!(terms(&found.title) + terms(&found.body), MAX_TERMS);
}

proptest! {
    #[test]
    fn a_line_is_cut_at_a_term(texts in prop::collection::vec("[a-zé日 ,]{0,2000}", 1..12)) {
        let mut text = Text::default();
        texts.iter().for_each(|line| text.line(line));
        prop_assert!(text.terms <= MAX_TERMS);
        let whole: String = texts.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        prop_assert!(whole.starts_with(&text.body) || text.terms == MAX_TERMS);
    }
}

#[test]
fn real_operations_are_found_by_path_id_summary_and_parameter() {
    for path in documents() {
        let Some(root) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let root = crate::upgrade::upgrade(root, None);
        let summary = summary(&root);
        let start = Instant::now();
        for found in some(&summary.operations) {
            let text = operation(&root, &found.path, &found.method).expect("it is there");
            let whole = format!("{}\n{}", text.title, text.body);
            let known = [Some(&found.path), found.id.as_ref(), found.summary.as_ref()].into_iter().flatten();
            for known in known.map(|known| known.trim()).filter(|known| !known.is_empty()) {
                assert!(whole.contains(known), "{} {}: {known}", path.display(), found.path);
            }
        }
        println!("{}: {} operations in {:?}", path.display(), summary.operations.len(), start.elapsed());
    }
}
