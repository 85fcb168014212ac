use super::{Located, MAX_KEY, Part, Summary, cut, join, locate, stored_key, summary};
use crate::corpus::documents;
use crate::text::read;
use crate::tree::Node;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

fn joined(parts: &[Part]) -> String {
    join(parts.iter().rev().map(|part| (part.key.as_str(), part.json.as_str()))).expect("the parts of a document")
}

fn keys(text: &str) -> Vec<String> {
    cut(&tree(text)).into_iter().map(|part| part.key).collect()
}

#[rstest]
#[case::an_empty_document("{}", &[""])]
#[case::what_is_no_mapping("[1]", &[""])]
#[case::operations(r#"{"paths":{"/a":{"get":{},"parameters":[]}}}"#, &["", "/paths", "/paths/~1a", "/paths/~1a/get"])]
#[case::other_methods(
    r#"{"paths":{"/a":{"additionalOperations":{"COPY":{}}}}}"#,
    &["", "/paths", "/paths/~1a", "/paths/~1a/additionalOperations", "/paths/~1a/additionalOperations/COPY"]
)]
#[case::webhooks(r#"{"webhooks":{"a":{"post":{}}}}"#, &["", "/webhooks", "/webhooks/a", "/webhooks/a/post"])]
#[case::components(r#"{"components":{"schemas":{"A":1,"":{}},"x-a":{}}}"#, &["", "/components", "/components/schemas", "/components/schemas/A", "/components/schemas/"])]
#[case::nothing_of_another_form(r#"{"paths":[],"webhooks":null,"components":{"schemas":3}}"#, &["", "/components"])]
#[case::no_paths_that_are_none(r#"{"paths":{"a":{"get":{}},"/b":3,"/c":{"get":4}}}"#, &["", "/paths", "/paths/~1c"])]
fn a_document_is_cut_into(#[case] text: &str, #[case] parts: &[&str]) {
    assert_eq!(keys(text), parts);
}

#[test]
fn leaves_are_values_and_branches_list_their_keys() {
    let parts: BTreeMap<String, String> =
        cut(&tree(r#"{"openapi":"3.1.1","paths":{"/b":{"summary":"s","get":{"x":1.10}},"/a":{}},"x-z":1}"#))
            .into_iter()
            .map(|part| (part.key, part.json))
            .collect();
    assert_eq!(parts[""], r#"{"order":["openapi","paths","x-z"],"own":{"openapi":"3.1.1","x-z":1}}"#);
    assert_eq!(parts["/paths"], r#"{"order":["/b","/a"],"own":{}}"#);
    assert_eq!(parts["/paths/~1b"], r#"{"order":["summary","get"],"own":{"summary":"s"}}"#);
    assert_eq!(parts["/paths/~1b/get"], r#"{"x":1.10}"#);
}

#[test]
fn an_added_operation_changes_itself_and_the_list_it_is_in() {
    let before: BTreeMap<_, _> =
        keyed(r#"{"paths":{"/a":{"get":{}},"/b":{"get":{}}},"components":{"schemas":{"A":{}}}}"#);
    let after = keyed(r#"{"paths":{"/a":{"get":{},"put":{}},"/b":{"get":{}}},"components":{"schemas":{"A":{}}}}"#);
    let changed: Vec<&String> =
        after.iter().filter(|(key, json)| before.get(*key) != Some(json)).map(|(key, _)| key).collect();
    assert_eq!(changed, ["/paths/~1a", "/paths/~1a/put"]);
}

fn keyed(text: &str) -> BTreeMap<String, String> {
    cut(&tree(text)).into_iter().map(|part| (part.key, part.json)).collect()
}

#[rstest]
#[case::the_document("", "", "")]
#[case::a_field_of_the_document("/info/title", "", "/own/info/title")]
#[case::a_path("/paths/~1a", "/paths/~1a", "")]
#[case::a_parameter_of_a_path("/paths/~1a/parameters/0", "/paths/~1a", "/own/parameters/0")]
#[case::an_operation("/paths/~1a/get", "/paths/~1a/get", "")]
#[case::below_an_operation("/paths/~1a/get/responses/200", "/paths/~1a/get", "/responses/200")]
#[case::below_a_component("/components/schemas/A~0b/properties/c", "/components/schemas/A~0b", "/properties/c")]
#[case::an_extension_of_the_components("/components/x-a/b", "/components", "/own/x-a/b")]
#[case::a_component_without_a_name("/components/schemas/", "/components/schemas/", "")]
fn a_pointer_leads_to_a_part(#[case] pointer: &str, #[case] key: &str, #[case] rest: &str) {
    assert_eq!(locate(pointer), Located { key: key.to_owned(), pointer: rest.to_owned() });
}

#[test]
fn long_keys_are_shortened_and_stay_different() {
    let long = format!("/paths/~1{}", "é".repeat(30_000));
    let other = format!("{long}e");
    assert!(stored_key(&long).len() <= MAX_KEY);
    assert!(stored_key(&long).starts_with("/paths/~1é"));
    assert_ne!(stored_key(&long), stored_key(&other));
    let path = "é".repeat(30_000);
    let text = format!(r#"{{"paths":{{"/{path}":{{"get":{{"a":1}},"put":{{}}}},"/{path}e":{{}}}}}}"#);
    assert_eq!(joined(&cut(&tree(&text))), text);
    let located = locate(&format!("/paths/~1{path}/get/a"));
    assert!(cut(&tree(&text)).iter().any(|part| part.key == located.key && part.json == r#"{"a":1}"#));
    assert_eq!(located.pointer, "/a");
}

#[test]
fn a_missing_part_and_one_that_is_no_branch_are_errors() {
    let error = |parts: &[(&str, &str)]| join(parts.iter().copied()).expect_err("not all parts").to_string();
    assert_eq!(error(&[]), r#"the part "" is missing"#);
    assert_eq!(error(&[("", r#"{"order":["paths"],"own":{}}"#)]), r#"the part "/paths" is missing"#);
    assert!(error(&[("", r#"{"a":1}"#)]).starts_with(r#"the part "" lists no keys: "#));
}

fn word() -> impl Strategy<Value = String> {
    let words = [
        "paths",
        "webhooks",
        "components",
        "schemas",
        "pathItems",
        "/a",
        "get",
        "additionalOperations",
        "order",
        "own",
        "",
    ];
    prop_oneof![4 => prop::sample::select(words.map(str::to_owned).to_vec()), 1 => "[/~\"\\\\#\u{1}é]{0,3}"]
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        word().prop_map(Into::into)
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            4 => prop::collection::vec((word(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn the_parts_of_a_document_give_the_document_again(document in value()) {
        let root = tree(&json!([document]).to_string()).as_list().and_then(<[Node]>::first).cloned().expect("one item");
        let parts = cut(&root);
        let keys: BTreeSet<&str> = parts.iter().map(|part| part.key.as_str()).collect();
        prop_assert_eq!(keys.len(), parts.len());
        prop_assert_eq!(joined(&parts), root.to_json());
    }

    #[test]
    fn every_part_is_found_by_its_pointer(document in value()) {
        let root = tree(&json!([document]).to_string()).as_list().and_then(<[Node]>::first).cloned().expect("one item");
        for part in cut(&root) {
            let located = locate(&part.key);
            prop_assert_eq!(located.key, part.key);
            prop_assert_eq!(located.pointer, "");
        }
    }
}

#[test]
fn a_summary_lists_what_a_document_has() {
    let root = tree(
        r##"{"openapi":"3.1.1","info":{"title":"T","version":1.10},"tags":[{"name":"a","x-displayName":"A","x-parent":"b"},3],
        "paths":{"/b":{"summary":"of the path","post":{"operationId":"p","tags":["a"],"deprecated":true},"get":{"summary":"s"}},
            "/a":{"$ref":"#/components/pathItems/A"},"x-a":{"get":{}}},
        "webhooks":{"w":{"post":{"x-internal":true}}},
        "components":{"schemas":{"Z":{},"A":{}},"pathItems":{"A":{"additionalOperations":{"COPY":{}}}},"x-a":{"b":1}}}"##,
    );
    let summary = summary(&root);
    let expected = json!({
        "title": "T", "version": "1.10", "openapi": "3.1.1",
        "operations": [
            {"method": "post", "path": "/b", "id": "p", "summary": "of the path", "tags": ["a"], "deprecated": true},
            {"method": "get", "path": "/b", "summary": "s"},
            {"method": "COPY", "path": "/a"},
        ],
        "webhooks": [{"name": "w", "method": "post", "path": "", "internal": true}],
        "schemas": ["Z", "A"],
        "tags": [{"name": "a", "title": "A", "parent": "b"}],
        "counts": {"paths": 2, "operations": 3, "webhooks": 1, "components": 3, "schemas": 2},
    });
    assert_eq!(serde_json::to_value(&summary).expect("JSON"), expected);
    assert_eq!(serde_json::from_value::<Summary>(expected).expect("a summary"), summary);
}

#[test]
fn the_summary_of_any_document_can_be_made() {
    for text in [
        "3",
        "{}",
        r#"{"info":[],"paths":[],"tags":{},"components":3}"#,
        r##"{"paths":{"/a":{"$ref":"#/paths/~1a"}}}"##,
    ] {
        assert_eq!(summary(&tree(text)).operations, []);
    }
}

#[test]
fn real_documents_are_the_same_after_cutting() {
    for path in documents() {
        let Some(root) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let root = crate::upgrade::upgrade(root, None);
        let parts = cut(&root);
        assert!(joined(&parts) == root.to_json(), "{}", path.display());
        let counts = summary(&root).counts;
        println!("{}: {} parts, {counts:?}", path.display(), parts.len());
    }
}
