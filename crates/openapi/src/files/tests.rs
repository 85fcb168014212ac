mod limits;

use super::{File, Files, MAX_FILES};
use crate::corpus::documents;
use crate::dialect::Version;
use crate::finding::{Code, Finding};
use crate::refs::{as_fragment, rewrite, visit};
use crate::shape::ObjectKind;
use crate::text::read;
use crate::tree::{Member, Node, Path, Step, pointer_step};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const ENTRY: &str = "https://h/d/api.json";

fn tree(text: &str) -> Node {
    read(text.as_bytes()).root.expect("the text of a test can be read")
}

/// The bundle of a document and files with addresses below `https://h/d/`, and what was asked for.
fn bundled(root: &Value, address: Option<&str>, others: &[(&str, Value)]) -> (Value, Vec<Finding>, Vec<String>) {
    let others: BTreeMap<String, &Value> =
        others.iter().map(|(name, file)| (format!("https://h/d/{name}"), file)).collect();
    let mut files = Files::new(tree(&root.to_string()), address);
    let mut asked = Vec::new();
    loop {
        let wanted = files.wanted();
        if wanted.is_empty() {
            break;
        }
        for file in wanted {
            let found = others.get(&file.address);
            let found = found.map(|root| File { address: file.address.clone(), root: tree(&root.to_string()) });
            files.add(&file.address, found.ok_or("cannot be fetched: the host answered with status 404".to_owned()));
            asked.push(file.address);
        }
    }
    let (root, findings) = files.bundle();
    (serde_json::from_str(&root.to_json()).expect("JSON"), findings, asked)
}

fn bundle(root: &Value, others: &[(&str, Value)]) -> Value {
    let (root, findings, _) = bundled(root, Some(ENTRY), others);
    assert_eq!(findings, []);
    root
}

fn in_schema(schema: Value) -> Value {
    json!({"openapi": "3.1.0", "components": {"schemas": {"A": {"properties": {"a": schema}}}}})
}

#[rstest]
#[case::a_file(json!({"$ref": "pet.json"}), &[("pet.json", json!({"title": "P"}))], json!({"pet": {"title": "P"}}), "pet")]
#[case::a_place_in_a_file(json!({"$ref": "./x/all.v1.json#/defs/Pet"}), &[("x/all.v1.json", json!({"defs": {"Pet": {"title": "P"}}}))], json!({"Pet": {"title": "P"}}), "Pet")]
#[case::a_file_with_other_characters(json!({"$ref": "my%20pet.json"}), &[("my%20pet.json", json!({"title": "P"}))], json!({"my_pet": {"title": "P"}}), "my_pet")]
#[case::a_taken_name(json!({"$ref": "A.json"}), &[("A.json", json!({"title": "P"}))], json!({"A_2": {"title": "P"}}), "A_2")]
#[case::an_anchor(json!({"$ref": "all.json#pet"}), &[("all.json", json!({"Pet": {"$anchor": "pet"}}))], json!({"Pet": {"$anchor": "pet"}}), "Pet")]
#[case::a_file_that_refers_to_another(
    json!({"$ref": "a/b.json"}),
    &[("a/b.json", json!({"items": {"$ref": "../c.json"}})), ("c.json", json!({"title": "C"}))],
    json!({"b": {"items": {"$ref": "#/components/schemas/c"}}, "c": {"title": "C"}}), "b"
)]
#[case::a_file_that_refers_to_itself(json!({"$ref": "b.json"}), &[("b.json", json!({"items": {"$ref": "#"}}))], json!({"b": {"items": {"$ref": "#/components/schemas/b"}}}), "b")]
#[case::a_part_of_what_comes_in(
    json!({"$ref": "b.json"}),
    &[("b.json", json!({"properties": {"c": {"items": {"$ref": "#/properties/c"}}}}))],
    json!({"b": {"properties": {"c": {"items": {"$ref": "#/components/schemas/b/properties/c"}}}}}), "b"
)]
#[case::a_file_that_refers_to_the_document(
    json!({"$ref": "b.json"}), &[("b.json", json!({"items": {"$ref": "api.json#/components/schemas/A"}}))],
    json!({"b": {"items": {"$ref": "#/components/schemas/A"}}}), "b"
)]
#[case::a_file_with_data(
    json!({"$ref": "b.json"}), &[("b.json", json!({"example": {"$ref": "no.json"}, "properties": {"$ref": {"type": "string"}}}))],
    json!({"b": {"example": {"$ref": "no.json"}, "properties": {"$ref": {"type": "string"}}}}), "b"
)]
fn a_schema_comes_in(#[case] schema: Value, #[case] files: &[(&str, Value)], #[case] added: Value, #[case] name: &str) {
    let bundled = bundle(&in_schema(schema), files);
    let mut schemas = bundled["components"]["schemas"].clone();
    let a = schemas.as_object_mut().and_then(|schemas| schemas.remove("A")).expect("A stays");
    assert_eq!(a["properties"]["a"], json!({"$ref": format!("#/components/schemas/{name}")}));
    assert_eq!(schemas, added);
}

#[test]
fn one_target_comes_in_once() {
    let root = json!({"openapi": "3.0.0", "components": {"schemas": {"A": {"allOf": [
        {"$ref": "p.json"}, {"$ref": "./p.json#"}, {"$ref": "https://h/d/p.json"}, {"$ref": "../d/q/../p.json"}]}}}});
    let bundled = bundle(&root, &[("p.json", json!({"title": "P"}))]);
    let one = json!({"$ref": "#/components/schemas/p"});
    assert_eq!(bundled["components"]["schemas"], json!({"A": {"allOf": [one, one, one, one]}, "p": {"title": "P"}}));
}

#[test]
fn each_kind_has_its_components() {
    let root = json!({"openapi": "3.0.0", "paths": {"/a": {"post": {
        "parameters": [{"$ref": "x.json"}], "requestBody": {"$ref": "x.json"},
        "responses": {"200": {"$ref": "x.json"}, "201": {"headers": {"H": {"$ref": "x.json"}}, "links": {"L": {"$ref": "x.json"}},
            "content": {"m": {"examples": {"E": {"$ref": "x.json"}}, "schema": {"$ref": "x.json"}}}}},
        "callbacks": {"C": {"$ref": "x.json"}}}}}});
    let bundled = bundle(&root, &[("x.json", json!({"x": 1}))]);
    let mut kinds: Vec<&String> = bundled["components"].as_object().expect("components").keys().collect();
    kinds.sort();
    assert_eq!(
        kinds,
        ["callbacks", "examples", "headers", "links", "parameters", "requestBodies", "responses", "schemas"]
    );
    assert_eq!(bundled["paths"]["/a"]["post"]["requestBody"], json!({"$ref": "#/components/requestBodies/x"}));
    assert_eq!(bundled["components"]["links"], json!({"x": {"x": 1}}));
}

#[test]
fn a_component_that_is_a_file_gets_its_content() {
    let root = json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"200": {"$ref": "r.json"}}}}},
        "components": {"schemas": {"Pet": {"$ref": "p.json"}}, "responses": {"R": {"$ref": "r.json"}}}});
    let r = json!({"content": {"m": {"schema": {"$ref": "p.json"}}}});
    let bundled = bundle(&root, &[("p.json", json!({"title": "P"})), ("r.json", r)]);
    let expected = json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/components/responses/R"}}}}},
        "components": {"schemas": {"Pet": {"title": "P"}},
            "responses": {"R": {"content": {"m": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}});
    assert_eq!(bundled, expected);
}

#[test]
fn of_two_components_that_are_one_file_the_one_with_its_name_gets_the_content() {
    let root = json!({"openapi": "3.1.0", "components": {"schemas": {"Alias": {"$ref": "Pet.json"}, "Pet": {"$ref": "Pet.json"}}}});
    let schemas = json!({"Alias": {"$ref": "#/components/schemas/Pet"}, "Pet": {"title": "P"}});
    assert_eq!(bundle(&root, &[("Pet.json", json!({"title": "P"}))])["components"]["schemas"], schemas);
}

#[test]
fn a_path_that_is_a_file_is_put_in_place() {
    let root = json!({"swagger": "2.0", "paths": {"/a": {"$ref": "a.json", "parameters": []}, "/b": {"$ref": "a.json"}, "/c": {"$ref": "c.json"}}});
    let a = json!({"get": {"responses": {"200": {"schema": {"$ref": "p.json"}}}}, "parameters": [1]});
    let bundled = bundle(
        &root,
        &[("a.json", a), ("c.json", json!({"$ref": "e.json"})), ("e.json", json!({"put": {}})), ("p.json", json!({}))],
    );
    let expected = json!({"swagger": "2.0", "paths": {
        "/a": {"get": {"responses": {"200": {"schema": {"$ref": "#/definitions/p"}}}}, "parameters": []},
        "/b": {"$ref": "#/paths/~1a"}, "/c": {"put": {}}}, "definitions": {"p": {}}});
    assert_eq!(bundled, expected);
}

#[test]
fn the_schemas_of_a_mapping_come_in() {
    let schema = json!({"discriminator": {"propertyName": "p", "mapping": {"a": "p.json", "b": "Name", "c": "#/components/schemas/A"}}});
    let bundled = bundle(&in_schema(schema), &[("p.json", json!({"title": "P"}))]);
    let mapping = &bundled["components"]["schemas"]["A"]["properties"]["a"]["discriminator"]["mapping"];
    assert_eq!(*mapping, json!({"a": "#/components/schemas/p", "b": "Name", "c": "#/components/schemas/A"}));
}

#[test]
fn an_identifier_in_the_document_is_no_file() {
    let root = json!({"openapi": "3.1.0", "components": {"schemas": {
        "A": {"$id": "https://x/a.json", "items": {"$ref": "b.json"}}, "B": {"$id": "https://x/b.json"}}}});
    assert_eq!(bundled(&root, None, &[]).0, root);
    assert_eq!(bundled(&root, None, &[]).2, Vec::<String>::new());
}

#[rstest]
#[case::of_a_file_that_cannot_be_had(
    "pet.json",
    "pet.json cannot be fetched: the host answered with status 404",
    "ref-file"
)]
#[case::of_a_place_that_is_not_there("b.json#/Pot", "b.json#/Pot is not there", "ref-missing")]
#[case::of_another_scheme(
    "ftp://h/x",
    "ftp://h/x cannot be followed: only addresses with http or https can",
    "ref-file"
)]
#[case::of_a_local_file(
    "file:///etc/passwd",
    "file:///etc/passwd cannot be followed: only addresses with http or https can",
    "ref-file"
)]
#[case::of_no_address("http://[", "http://[ cannot be followed: it is no address", "ref-file")]
fn a_reference_that_cannot_be_followed_stays_and_is_a_finding(
    #[case] target: &str,
    #[case] message: &str,
    #[case] code: &str,
) {
    let root = in_schema(json!({"$ref": target}));
    let (after, findings, _) = bundled(&root, Some(ENTRY), &[("b.json", json!({}))]);
    assert_eq!(after, root);
    let found: Vec<_> = findings.iter().map(|finding| (finding.message.as_str(), finding.code.as_str())).collect();
    assert_eq!(found, [(message, code)]);
    assert_eq!(findings[0].pointer(), "/components/schemas/A/properties/a/$ref");
    assert_eq!(findings[0].at.line, 1);
}

#[test]
fn a_text_that_came_alone_has_no_neighbours_but_addresses_can_be_followed() {
    let root = json!({"openapi": "3.1.0", "components": {"schemas": {"A": {"$ref": "./pet.yaml"}, "B": {"$ref": "https://h/d/b.json"}}}});
    let (after, findings, asked) = bundled(&root, None, &[("b.json", json!({"title": "B"}))]);
    assert_eq!(after["components"]["schemas"], json!({"A": {"$ref": "./pet.yaml"}, "B": {"title": "B"}}));
    assert_eq!(asked, ["https://h/d/b.json"]);
    let message = "./pet.yaml cannot be followed, as the text came alone: send the address of the document instead";
    assert_eq!(findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>(), [message]);
}

#[test]
fn a_local_document_has_local_files() {
    let mut files =
        Files::new(tree(&in_schema(json!({"$ref": "../x/p.json"})).to_string()), Some("file:///a/b/api.json"));
    assert_eq!(files.wanted()[0].address, "file:///a/x/p.json");
    files.add("file:///a/x/p.json", Err("cannot be read".to_owned()));
    assert_eq!(files.bundle().1[0].message, "../x/p.json cannot be read");
}

#[test]
fn what_a_file_refers_to_is_relative_to_the_address_that_answered() {
    let mut files = Files::new(tree(&in_schema(json!({"$ref": "p.json"})).to_string()), Some(ENTRY));
    let file = File { address: "https://cdn/v2/p.json".to_owned(), root: tree(r#"{"items":{"$ref":"q.json"}}"#) };
    files.add("https://h/d/p.json", Ok(file));
    assert_eq!(
        files.wanted().iter().map(|wanted| wanted.address.as_str()).collect::<Vec<_>>(),
        ["https://cdn/v2/q.json"]
    );
    let (_, findings) = files.bundle();
    assert_eq!(findings[0].message, "q.json cannot be followed: the file is missing");
}

#[test]
fn too_many_files_are_a_fatal_finding_and_none_is_wanted() {
    let all: Vec<Value> = (0..MAX_FILES + 5).map(|n| json!({"$ref": format!("{n}.json")})).collect();
    let files = Files::new(tree(&in_schema(json!({"allOf": all})).to_string()), Some(ENTRY));
    assert_eq!(files.wanted(), []);
    let (_, findings) = files.bundle();
    assert_eq!(
        findings.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>(),
        ["the document has more than 200 files"]
    );
}

#[test]
fn files_that_are_at_hand_are_bundled_at_once() {
    let given = [
        ("https://h/d/p.json", r#"{"items":{"$ref":"q.json"}}"#),
        ("https://h/d/q.json", r#"{"items":{"$ref":"r.json"}}"#),
    ];
    let given = given.into_iter().map(|(address, text)| (address.to_owned(), tree(text))).collect();
    let (root, findings) = super::bundle(tree(&in_schema(json!({"$ref": "p.json"})).to_string()), Some(ENTRY), given);
    assert_eq!(
        root.at_pointer("/components/schemas/p/items/$ref").and_then(Node::as_text),
        Some("#/components/schemas/q")
    );
    let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["r.json cannot be followed: the file is missing"]);
}

#[test]
fn a_long_chain_and_a_circle_of_files_end() {
    let names: Vec<String> = (0..150).map(|n| format!("{n}.json")).collect();
    let files: Vec<(&str, Value)> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (name.as_str(), json!({"$ref": format!("{}.json", (n + 1) % 150)})))
        .collect();
    let bundled = bundle(&in_schema(json!({"$ref": "0.json"})), &files);
    assert_eq!(bundled["components"]["schemas"].as_object().map(serde_json::Map::len), Some(151));
    let root = json!({"openapi": "3.1.0", "paths": {"/a": {"$ref": "0.json"}}});
    assert!(bundle(&root, &files)["paths"]["/a"].is_object());
}

/// Puts each component and each path of a document into a file: one of its own, or one of so many for each kind.
fn split(root: &mut Node, groups: Option<usize>) -> BTreeMap<String, Node> {
    let version = Version::of(root).expect("a version");
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let parents: Vec<Vec<&str>> = if version == Version::V2_0 {
        vec![vec!["definitions"], vec!["parameters"], vec!["responses"], vec!["paths"]]
    } else {
        let kinds = ["schemas", "parameters", "responses", "requestBodies", "headers"];
        kinds.into_iter().map(|kind| vec!["components", kind]).chain([vec!["paths"]]).collect()
    };
    let path = |parent: &[&str]| Path(parent.iter().map(|key| Step::Key((*key).into())).collect());
    for parent in &parents {
        let path = path(parent);
        let keys = root.at_path_mut(&path).and_then(|node| node.as_map()).into_iter().flatten();
        for (key, _) in
            keys.filter(|(_, member)| member.node.as_map().is_some() && member.node.text_of("$ref").is_none())
        {
            let mut path = path.clone();
            path.0.push(Step::Key(key.clone()));
            let kind = parent[parent.len() - 1];
            let file = match groups {
                Some(groups) => format!("{kind}-{}.json#/{}", names.len() % groups, as_fragment(&pointer_step(key))),
                None => format!("{kind}-{}.json", names.len()),
            };
            names.insert(path.pointer(), file);
        }
    }
    rewrite(root, ObjectKind::Document, version, &mut |_, reference| {
        // A path that refers to another one stays in the document. It would get the content if both were files.
        let pointer = reference.target.strip_prefix('#').filter(|_| reference.kind != ObjectKind::PathItem)?;
        let end = pointer
            .match_indices('/')
            .map(|(at, _)| at)
            .chain([pointer.len()])
            .find(|end| names.contains_key(&pointer[..*end]));
        let file = end.map(|end| (&names[&pointer[..end]], &pointer[end..]));
        Some(match file {
            Some((file, "")) => file.clone(),
            Some((file, rest)) if file.contains('#') => format!("{file}{rest}"),
            Some((file, rest)) => format!("{file}#{rest}"),
            None => format!("api.json#{pointer}"),
        })
    });
    let mut files = BTreeMap::new();
    for (pointer, file) in names {
        let path = Path::of(root, &pointer);
        let place = root.at_path_mut(&path).expect("a component");
        let content = std::mem::replace(place, tree(&json!({"$ref": file}).to_string()));
        let Some((name, _)) = file.split_once('#') else {
            files.insert(format!("https://h/d/{file}"), content);
            continue;
        };
        let group = files.entry(format!("https://h/d/{name}")).or_insert_with(|| tree("{}"));
        if let (crate::tree::Value::Map(members), Some(Step::Key(key))) = (&mut group.value, path.0.last()) {
            members.insert(key.clone(), Member { at: content.at, node: content });
        }
    }
    files
}

fn joined(mut root: Node, groups: Option<usize>) -> (String, Vec<Finding>) {
    let others = split(&mut root, groups);
    let mut files = Files::new(root, Some(ENTRY));
    while let Some(wanted) = files.wanted().into_iter().next() {
        let root = others.get(&wanted.address).cloned().ok_or("is missing".to_owned());
        files.add(&wanted.address, root.map(|root| File { address: wanted.address.clone(), root }));
    }
    let (root, findings) = files.bundle();
    (root.to_json(), findings)
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (0..4).prop_map(|n| json!({"$ref": format!("#/components/schemas/S{n}")})),
        (0..4).prop_map(|n| json!({"$ref": format!("#/components/schemas/S{n}/properties/p")})),
        (0..2).prop_map(|n| json!({"$ref": format!("#/paths/~1p{n}/get/parameters/0/schema")})),
        Just(json!({"type": "string", "example": {"$ref": "data"}})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            inner.clone().prop_map(|items| json!({"items": items})),
            inner.prop_map(|property| json!({"properties": {"p": property}})),
        ]
    })
}

proptest! {
    #[test]
    fn a_document_that_was_split_is_what_it_was(schemas in prop::collection::vec(schema(), 4), paths in prop::collection::vec(schema(), 2)) {
        let components: serde_json::Map<String, Value> =
            schemas.into_iter().enumerate().map(|(n, schema)| (format!("S{n}"), json!({"properties": {"p": schema}}))).collect();
        let paths: serde_json::Map<String, Value> =
            paths.into_iter().enumerate().map(|(n, schema)| (format!("/p{n}"), json!({"get": {"parameters": [{"schema": schema}]}}))).collect();
        let root = tree(&json!({"openapi": "3.1.0", "components": {"schemas": components}, "paths": paths}).to_string());
        let before = root.to_json();
        let (after, findings) = joined(root, None);
        prop_assert_eq!(after, before);
        prop_assert_eq!(findings, []);
    }
}

/// A reference of files that have few names, so that many of them lead somewhere.
fn reference() -> impl Strategy<Value = Value> {
    let files = prop::sample::select(vec!["", "a.json", "b.json", "api.json", "https://h/d/a.json", "c.json"]);
    let pointers = prop::sample::select(vec![
        "",
        "#",
        "#/properties/p",
        "#/properties",
        "#/get",
        "#/get/parameters/0",
        "#/x",
        "#anchor",
    ]);
    (files, pointers).prop_map(|(file, pointer)| json!({"$ref": format!("{file}{pointer}")}))
}

fn object() -> impl Strategy<Value = Value> {
    let schema = reference().prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone())
                .prop_map(|(p, q)| json!({"properties": {"p": p, "$ref": q}, "example": {"$ref": "data"}})),
            inner.clone().prop_map(|items| json!({"items": items, "$anchor": "anchor", "$id": "a.json"})),
            prop::collection::vec(inner, 0..3).prop_map(|all| json!({"allOf": all})),
        ]
    });
    let operation = (reference(), schema.clone(), reference()).prop_map(|(parameter, schema, path)| {
        json!({"get": {"parameters": [parameter, {"schema": schema}], "callbacks": {"c": {"x": path}}}})
    });
    let beside = (reference(), schema.clone()).prop_map(|(mut reference, schema)| {
        reference["properties"] = json!({"p": schema});
        reference
    });
    prop_oneof![schema, operation, beside, reference()]
}

#[test]
fn a_reference_to_a_path_item_that_has_no_place_is_reported() {
    let files = |version: (&str, &str)| {
        let mut root = json!({"paths": {"/a": {"$ref": "a.json"}}});
        root[version.0] = version.1.into();
        let others = [
            ("a.json", json!({"$ref": "b.json", "get": {"responses": {}}})),
            ("b.json", json!({"put": {"responses": {}}})),
        ];
        let (after, findings, _) = bundled(&root, Some(ENTRY), &others);
        (after.to_string().contains("b.json"), findings)
    };
    assert_eq!(files(("openapi", "3.0.0")), (false, Vec::new()), "it is a component");
    let (stays, findings) = files(("swagger", "2.0"));
    assert!(stays && findings.len() == 1, "{findings:?}");
    assert_eq!(findings[0].message, "b.json cannot be followed: OpenAPI 2.0 has no components of its kind");
}

proptest! {
    #[test]
    fn any_files_can_be_bundled_and_all_their_references_then_lead_somewhere(
        version in prop::sample::select(vec![("swagger", "2.0"), ("openapi", "3.0.0"), ("openapi", "3.1.0")]),
        paths in prop::collection::vec(object(), 3), schema in object(), files in prop::collection::vec(object(), 2),
    ) {
        let mut root = json!({"paths": {"/a": paths[0], "/b": paths[1]}, "definitions": {"a": schema, "p": paths[2]},
            "components": {"schemas": {"a": schema}, "pathItems": {"p": paths[2]}}});
        root[version.0] = version.1.into();
        let files: Vec<(&str, Value)> = ["a.json", "b.json"].into_iter().zip(files).collect();
        let (after, findings, asked) = bundled(&root, Some(ENTRY), &files);
        prop_assert!(asked.len() <= 3);
        prop_assert!(findings.iter().all(|finding| finding.at.line > 0));
        let after = tree(&after.to_string());
        let mut outside = 0;
        visit(&after, Version::of(&after).expect("a version"), &mut |reference| {
            // A schema with an identifier is a place that references can lead to without a file.
            if !reference.target.is_empty() && !reference.target.starts_with('#') && !after.to_json().contains("$id") {
                outside += 1;
            }
        });
        // One finding is about each copy of a reference.
        prop_assert!(outside == 0 || !findings.is_empty(), "{}", after.to_json());
    }
}

#[test]
fn real_documents_that_were_split_are_what_they_were() {
    for path in documents() {
        let Some(root) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let before = root.to_json();
        let (after, findings) = joined(root, Some(20));
        // Some documents refer to files that they were made of.
        let is_known = |finding: &Finding| finding.code == Code::RefFile;
        assert!(after == before && findings.iter().all(is_known), "{}: {findings:?}", path.display());
        println!("{}: equal", path.display());
    }
}
