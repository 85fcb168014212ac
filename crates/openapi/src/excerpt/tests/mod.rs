mod laws;
mod real;

use super::Excerpt;
use crate::parts::{Part, cut};
use crate::text::read;
use crate::tree::Node;
use rstest::rstest;
use serde_json::json;
use std::collections::HashMap;

pub(super) fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

pub(super) fn parts(root: &Node) -> HashMap<String, String> {
    cut(root).into_iter().map(|Part { key, json }| (key, json)).collect()
}

/// Loads an excerpt, and returns the keys of each round.
pub(super) fn load(excerpt: &mut Excerpt, parts: &HashMap<String, String>) -> Vec<Vec<String>> {
    let mut rounds = Vec::new();
    loop {
        let wanted = excerpt.wanted();
        if wanted.is_empty() {
            return rounds;
        }
        for key in &wanted {
            excerpt.add(key, parts.get(key).map(String::as_str));
        }
        rounds.push(wanted);
    }
}

/// The pointers of the parts that an excerpt of a document has.
fn kept(mut excerpt: Excerpt, text: &str) -> Vec<String> {
    load(&mut excerpt, &parts(&tree(text)));
    cut(&excerpt.document()).into_iter().map(|part| part.key).filter(|key| key.matches('/').count() > 2).collect()
}

const PETS: &str = r##"{"openapi":"3.1.1","info":{"title":"T"},"security":[{"key":[]}],"x-a":{"b":1},
"paths":{
  "/pets":{"summary":"s","parameters":[{"$ref":"#/components/parameters/P"}],
    "get":{"responses":{"200":{"$ref":"#/components/responses/R"}}},
    "post":{"security":[{"oauth":["a"]},{}],"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/A"}}}}},
    "additionalOperations":{"COPY":{"security":[]},"MOVE":{}}},
  "/slash/":{"get":{"security":[]}},
  "/both":{"get":{"security":[]}},"/both/":{"put":{"security":[]}},
  "/item":{"$ref":"#/components/pathItems/I"},
  "/other":{"$ref":"#/paths/~1pets"},
  "/into":{"get":{"security":[],"requestBody":{"$ref":"#/paths/~1pets/post/requestBody"}}},
  "/around":{"get":{"security":[],"requestBody":{"$ref":"#/paths/~1other/post/requestBody"}}},
  "/detour":{"get":{"security":[],"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/C/properties/d"}}}}}},
  "/calls":{"get":{"security":[],"callbacks":{"c":{"{$url}":{"$ref":"#/components/pathItems/I"}}}}},
  "/percent":{"get":{"security":[],"parameters":[{"$ref":"#/components/parameters/a%25b"},{"$ref":"#/components/parameters/a%20c"}]}},
  "/anchor":{"get":{"security":[],"requestBody":{"content":{"a/b":{"schema":{"$ref":"#here"}}}}}},
  "/id":{"get":{"security":[],"requestBody":{"content":{"a/b":{"schema":{"$ref":"https://h/id#/$defs/x"}}}}}},
  "/broken":{"get":{"security":[],"requestBody":{"$ref":"#/components/requestBodies/None"},"parameters":[{"$ref":"other.yaml"},{"$ref":""},{"$ref":"#"}]}}
},
"webhooks":{"w":{"post":{"security":[],"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/A"}}}}}}},
"components":{
  "pathItems":{"I":{"parameters":[{"$ref":"#/components/parameters/P"}],"get":{"security":[],"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/E"}}}}},"put":{"security":[],"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/F"}}}}}}},
  "parameters":{"P":{"name":"p","in":"query"},"a%b":{"name":"q","in":"query"},"a c":{"name":"r","in":"query"}},
  "responses":{"R":{"description":"d","content":{"a/b":{"examples":{"e":{"$ref":"#/components/examples/X"}}}}}},
  "examples":{"X":{"value":{"$ref":"#/components/schemas/F"}}},
  "schemas":{
    "A":{"properties":{"b":{"$ref":"#/components/schemas/B"},"$ref":{"type":"string"}}},
    "B":{"items":{"$ref":"#/components/schemas/A"},"discriminator":{"propertyName":"k","mapping":{"f":"F"}}},
    "C":{"$ref":"#/components/schemas/D"},"D":{"properties":{"d":{"$ref":"#/components/schemas/E"}}},"E":{},"F":{},
    "G":{"$defs":{"x":{"$anchor":"here","$ref":"#/components/schemas/E"}}},
    "H":{"$id":"https://h/id","$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/components/schemas/F"}}}
  },
  "securitySchemes":{"key":{"type":"apiKey"},"oauth":{"type":"oauth2"},"unused":{"type":"http"}}
}}"##;

#[rstest]
#[case::parameters_of_the_path_responses_examples_and_the_default_security("/pets", "get", &["/paths/~1pets/get", "/components/parameters/P", "/components/responses/R", "/components/examples/X", "/components/securitySchemes/key"])]
#[case::schemas_in_circles_and_security_of_its_own("/pets", "POST", &["/paths/~1pets/post", "/components/parameters/P", "/components/schemas/A", "/components/schemas/B", "/components/securitySchemes/oauth"])]
#[case::another_method_in_another_case("/pets", "copy", &["/paths/~1pets/additionalOperations", "/paths/~1pets/additionalOperations/COPY", "/components/parameters/P"])]
#[case::a_path_without_its_slash("/slash", "get", &["/paths/~1slash~1/get"])]
#[case::the_same_path_before_one_with_a_slash("/both/", "put", &["/paths/~1both~1/put"])]
#[case::no_method_of_a_path_that_only_looks_the_same("/both", "put", &[])]
#[case::a_path_item_of_the_components_and_only_its_method("/item", "get", &["/components/parameters/P", "/components/pathItems/I", "/components/schemas/E"])]
#[case::a_path_that_is_another_one("/other", "post", &["/paths/~1pets/post", "/components/parameters/P", "/components/schemas/A", "/components/schemas/B", "/components/securitySchemes/oauth"])]
#[case::a_reference_into_an_operation_needs_no_more_of_it("/into", "get", &["/paths/~1pets/post", "/paths/~1into/get", "/components/schemas/A", "/components/schemas/B"])]
#[case::a_reference_through_a_reference_of_a_path("/around", "get", &["/paths/~1pets/post", "/paths/~1around/get", "/components/schemas/A", "/components/schemas/B"])]
#[case::a_reference_through_a_reference_of_a_schema("/detour", "get", &["/paths/~1detour/get", "/components/schemas/C", "/components/schemas/D", "/components/schemas/E"])]
#[case::all_operations_of_a_callback("/calls", "get", &["/paths/~1calls/get", "/components/parameters/P", "/components/pathItems/I", "/components/schemas/E", "/components/schemas/F"])]
#[case::names_with_and_without_percent_escapes("/percent", "get", &["/paths/~1percent/get", "/components/parameters/a%b", "/components/parameters/a c"])]
#[case::a_schema_with_an_anchor("/anchor", "get", &["/paths/~1anchor/get", "/components/schemas/E", "/components/schemas/G"])]
#[case::a_schema_with_an_id("/id", "get", &["/paths/~1id/get", "/components/schemas/F", "/components/schemas/H"])]
#[case::no_targets_that_do_not_exist("/broken", "get", &["/paths/~1broken/get"])]
#[case::only_the_path_if_it_lacks_the_method("/pets", "delete", &["/paths/~1pets/additionalOperations", "/components/parameters/P"])]
#[case::nothing_of_a_path_that_does_not_exist("/none", "get", &[])]
fn an_operation_needs(#[case] path: &str, #[case] method: &str, #[case] expected: &[&str]) {
    let mut found = kept(Excerpt::operation(path, method), PETS);
    let mut expected = expected.to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[rstest]
#[case::a_webhook(Excerpt::webhook("w", "Post"), &["/webhooks/w/post", "/components/schemas/A", "/components/schemas/B"])]
#[case::schemas(Excerpt::schemas(&["D", "None"]), &["/components/schemas/D", "/components/schemas/E"])]
#[case::a_value_and_not_what_is_beside_it(Excerpt::at("/components/schemas/A/properties/b"), &["/components/schemas/A", "/components/schemas/B"])]
#[case::a_value_of_an_operation(Excerpt::at("/paths/~1pets/get/responses/200"), &["/paths/~1pets/get", "/components/responses/R", "/components/examples/X"])]
#[case::a_value_of_the_document(Excerpt::at("/x-a/b"), &[])]
fn another_subject_needs(#[case] subject: Excerpt, #[case] expected: &[&str]) {
    assert_eq!(kept(subject, PETS), expected);
}

#[rstest]
#[case::an_id("B", "https://h/id#/properties/p", &["A", "B", "C"])]
#[case::the_whole_schema_with_an_id("D", "https://h/id", &["A", "C", "D"])]
#[case::an_anchor("B", "#here", &["A", "B", "G"])]
fn a_pointer_continues_at_the_target_of_a_reference_to(
    #[case] name: &str,
    #[case] target: &str,
    #[case] expected: &[&str],
) {
    let text = json!({"openapi": "3.1.1", "components": {"schemas": {
        "A": {"$ref": target},
        "B": {"items": {"$ref": "#/components/schemas/A/properties/50%25"}},
        "C": {"$id": "https://h/id", "properties": {"p": {"properties": {"50%": {}}}}},
        "D": {"items": {"$ref": "#/components/schemas/A/properties/p"}},
        "G": {"$anchor": "here", "properties": {"50%": {}}},
    }}});
    let expected: Vec<String> = expected.iter().map(|name| format!("/components/schemas/{name}")).collect();
    let mut found = kept(Excerpt::schemas(&[name]), &text.to_string());
    found.sort();
    assert_eq!(found, expected);
}

#[rstest]
#[case("/pets", "post", "/components/schemas/A", true)]
#[case("/pets", "post", "/paths/~1pets/post/requestBody", true)]
#[case("/pets", "post", "/paths/~1pets/get/responses", false)]
#[case("/pets", "post", "", false)]
#[case("/pets", "post", "/info", false)]
#[case("/pets", "post", "/x-a", false)]
#[case("/pets", "get", "/components/schemas/A", false)]
#[case("/item", "get", "/components/pathItems/I/get", true)]
#[case("/item", "get", "/components/pathItems/I/put", false)]
fn an_operation_reaches(#[case] path: &str, #[case] method: &str, #[case] pointer: &str, #[case] reached: bool) {
    let mut excerpt = Excerpt::operation(path, method);
    load(&mut excerpt, &parts(&tree(PETS)));
    assert_eq!(excerpt.reaches(pointer), reached);
}

#[test]
fn an_excerpt_is_a_part_of_the_document_with_the_same_order() {
    let mut excerpt = Excerpt::operation("/pets/", "post");
    load(&mut excerpt, &parts(&tree(PETS)));
    assert_eq!(excerpt.left_out(), 0);
    let expected = json!({
        "openapi": "3.1.1", "info": {"title": "T"}, "security": [{"key": []}], "x-a": {"b": 1},
        "paths": {"/pets": {
            "summary": "s", "parameters": [{"$ref": "#/components/parameters/P"}],
            "post": {"security": [{"oauth": ["a"]}, {}], "requestBody": {"content": {"a/b": {"schema": {"$ref": "#/components/schemas/A"}}}}},
        }},
        "components": {
            "parameters": {"P": {"name": "p", "in": "query"}},
            "schemas": {
                "A": {"properties": {"b": {"$ref": "#/components/schemas/B"}, "$ref": {"type": "string"}}},
                "B": {"items": {"$ref": "#/components/schemas/A"}, "discriminator": {"propertyName": "k", "mapping": {"f": "F"}}},
            },
            "securitySchemes": {"oauth": {"type": "oauth2"}},
        },
    });
    let found = excerpt.document();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&found.to_json()).expect("JSON"), expected);
    let keys: Vec<&str> = found.as_map().into_iter().flatten().map(|(key, _)| &**key).collect();
    assert_eq!(keys, ["openapi", "info", "security", "x-a", "paths", "components"]);
}

#[test]
fn parts_are_wanted_in_rounds_and_each_once() {
    let mut excerpt = Excerpt::operation("/detour", "get");
    let rounds = load(&mut excerpt, &parts(&tree(PETS)));
    assert_eq!(rounds[0], ["", "/paths/~1detour", "/paths/~1detour/get", "/paths/~1detour~1", "/paths/~1detour~1/get"]);
    assert_eq!(rounds[1..], [["/components/schemas/C"], ["/components/schemas/D"], ["/components/schemas/E"]]);
}

#[test]
fn what_is_beyond_the_budget_is_left_out_the_farthest_first() {
    let chain = |index: usize| {
        (format!("S{index}"), json!({"items": {"$ref": format!("#/components/schemas/S{}", index + 1)}}))
    };
    let schemas: serde_json::Map<_, _> = (0..100).map(chain).collect();
    let text = json!({"openapi": "3.1.1", "components": {"schemas": schemas}}).to_string();
    let mut excerpt = Excerpt::schemas(&["S0", "S50"]).with_budget(11);
    let rounds = load(&mut excerpt, &parts(&tree(&text)));
    assert_eq!(rounds.iter().flatten().count(), 11);
    assert_eq!(excerpt.left_out(), 2);
    let kept = cut(&excerpt.document()).into_iter().map(|part| part.key);
    let names: Vec<String> =
        kept.filter_map(|key| key.strip_prefix("/components/schemas/").map(str::to_owned)).collect();
    assert_eq!(names, ["S0", "S50", "S1", "S51", "S2", "S52", "S3", "S53", "S4", "S54"]);
}

#[test]
fn parts_that_are_not_wanted_or_no_json_are_ignored() {
    let mut excerpt = Excerpt::schemas(&["A"]);
    excerpt.add("/components/schemas/B", Some("{}"));
    assert_eq!(excerpt.wanted(), ["", "/components/schemas/A"]);
    excerpt.add("", Some("{"));
    excerpt.add("/components/schemas/A", Some("{\u{7}"));
    assert_eq!(excerpt.wanted(), [""; 0]);
    assert_eq!(excerpt.document().to_json(), "{}");
}

#[rstest]
#[case::a_document_that_is_no_mapping("[1]")]
#[case::a_reference_to_itself(r##"{"paths":{"/a":{"$ref":"#/paths/~1a"}}}"##)]
#[case::references_in_a_circle(r##"{"paths":{"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"}}}"##)]
#[case::a_reference_that_grows(
    r##"{"paths":{"/a":{"get":{"$ref":"#/paths/~1a/get/x","parameters":[{"$ref":"#/paths/~1a/get/x"}]}}}}"##
)]
#[case::an_item_that_refers_below_itself(r##"{"paths":{"/a":{"$ref":"#/paths/~1a/get/get"}}}"##)]
#[case::other_forms(
    r##"{"security":3,"paths":{"/a":{"parameters":{},"get":{"security":{"a":1},"parameters":3}}},"components":[]}"##
)]
#[case::an_anchor_that_does_not_exist(
    r##"{"paths":{"/a":{"get":{"parameters":[{"$ref":"#b"}]}}},"components":{"schemas":{"A":{"$ref":"#c"}}}}"##
)]
#[case::a_reference_to_an_id_that_grows(
    r##"{"components":{"schemas":{"A":{"$id":"h","$ref":"h#/b/c","b":{"$ref":"#/components/schemas/A/d"}}}}}"##
)]
fn loading_ends_for(#[case] text: &str) {
    let root = tree(text);
    for mut excerpt in [Excerpt::operation("/a", "get"), Excerpt::schemas(&["A"]), Excerpt::at("/paths/~1a/get")] {
        let rounds = load(&mut excerpt, &parts(&root));
        assert!(rounds.len() < 10, "{rounds:?}");
    }
}

#[test]
fn values_may_be_nested_as_deep_in_parts_as_in_a_document() {
    let deep = format!("{}1{}", "[".repeat(199), "]".repeat(199));
    let text = format!(r#"{{"x-a":{deep},"components":{{"schemas":{{"A":{{}}}}}}}}"#);
    let mut excerpt = Excerpt::schemas(&["A"]);
    load(&mut excerpt, &parts(&tree(&text)));
    assert_eq!(excerpt.document().to_json(), text);
}
