//! Real documents, compared with what `swagger2openapi` and Scalar's upgrader make of them.
use super::{json, upgrade};
use crate::check::check;
use crate::corpus::{documents, oracle};
use crate::dialect::Version;
use crate::finding::{Code, Finding, Level};
use crate::text::read;
use crate::tree::Node;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

#[test]
fn real_documents_have_the_operations_that_another_converter_finds() {
    for path in documents() {
        let Some(oracle) = oracle(&path, "") else { continue };
        let name = path.display();
        let before = read(&fs::read(&path).expect("the document is there")).root.expect("the document can be read");
        let after = upgrade(before, None);
        let expected = read(&oracle).root.expect("the oracle can be read");
        let (ours, theirs) = (operations(&after), operations(&expected));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{name}");
        for (key, operation) in &ours {
            assert_eq!(operation, &theirs[key], "{name} {key}");
        }
        let faults: Vec<String> = check(&after)
            .into_iter()
            .filter(|finding| finding.code == Code::Structure)
            .map(|finding| finding.to_string())
            .collect();
        assert_eq!(faults, [""; 0], "{name} is valid 3.1");
        println!("{name}: {} operations are equal", ours.len());
    }
}

#[test]
fn real_documents_have_the_operations_that_a_second_converter_finds() {
    for path in documents() {
        let Some(oracle) = oracle(&path, "scalar-") else { continue };
        let name = path.display();
        let before = read(&fs::read(&path).expect("the document is there")).root.expect("the document can be read");
        let expected = read(&oracle).root.expect("the oracle can be read");
        let (ours, theirs) = (outlines(&upgrade(before, None)), outlines(&expected));
        assert!(!ours.is_empty(), "{name} has no operations");
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{name}");
        for (key, operation) in &ours {
            assert_eq!(operation, &theirs[key], "{name} {key}");
        }
        println!("{name}: {} operations are equal", ours.len());
    }
}

/// Of each operation: its id, its parameters, the media types of its body, its responses. Whether a body of a form is
/// required is left out, since the second converter forgets it.
fn outlines(root: &Node) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (path, item) in root.get("paths").and_then(Node::as_map).expect("there are paths") {
        let item = resolved(root, &item.node);
        for (method, operation) in item.as_map().into_iter().flatten() {
            if !METHODS.contains(&&**method) {
                continue;
            }
            let operation = &operation.node;
            let mut facts = vec![format!("id {:?}", operation.text_of("operationId"))];
            for owner in [item, operation] {
                for parameter in owner.get("parameters").and_then(Node::as_list).unwrap_or_default() {
                    let parameter = resolved(root, parameter);
                    let [place, name] = ["in", "name"].map(|key| parameter.text_of(key).unwrap_or_default());
                    let required = parameter.get("required").map(json) == Some(Value::Bool(true));
                    facts.push(format!("parameter {place} {name} {required}"));
                }
            }
            let body = operation.get("requestBody").map(|body| resolved(root, body));
            let media = body.and_then(|body| body.get("content")).and_then(Node::as_map).into_iter().flatten();
            facts.extend(media.map(|(media, _)| format!("body {media}")));
            let statuses = operation.get("responses").and_then(Node::as_map).into_iter().flatten();
            facts.extend(statuses.map(|(status, _)| format!("response {status}")));
            facts.sort();
            found.insert(format!("{method} {path}"), facts);
        }
    }
    found
}

/// Of each operation: its id, its parameters, the fields of its body by media type, its responses.
fn operations(root: &Node) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (path, item) in root.get("paths").and_then(Node::as_map).expect("there are paths") {
        for (method, operation) in item.node.as_map().into_iter().flatten() {
            if !METHODS.contains(&&**method) {
                continue;
            }
            let mut facts = vec![format!("id {:?}", operation.node.text_of("operationId"))];
            for owner in [&item.node, &operation.node] {
                for parameter in owner.get("parameters").and_then(Node::as_list).unwrap_or_default() {
                    facts.push(parameter_facts(root, resolved(root, parameter)));
                }
            }
            if let Some(body) = operation.node.get("requestBody") {
                let body = resolved(root, body);
                let required = body.get("required").map(json) == Some(Value::Bool(true));
                for (media, content) in body.get("content").and_then(Node::as_map).expect("a body has content") {
                    let schema = content.node.get("schema").map(|schema| shape(root, schema, 0));
                    facts.push(format!("body {media} required={required} {schema:?}"));
                }
            }
            for (status, response) in operation.node.get("responses").and_then(Node::as_map).into_iter().flatten() {
                let response = resolved(root, &response.node);
                let content = response.get("content").and_then(Node::as_map);
                let media: Vec<&str> = content.into_iter().flatten().map(|(media, _)| &**media).collect();
                let schema = content.and_then(|content| content.values().next()?.node.get("schema"));
                let schema = schema.map(|schema| shape(root, schema, 0));
                facts.push(format!("response {status} {media:?} {schema:?}"));
            }
            facts.sort();
            found.insert(format!("{method} {path}"), facts);
        }
    }
    found
}

fn parameter_facts(root: &Node, parameter: &Node) -> String {
    let schema = parameter.get("schema").map(|schema| shape(root, schema, 0));
    let [place, name] = ["in", "name"].map(|key| parameter.text_of(key).unwrap_or_default().to_owned());
    let required = parameter.get("required").map(json) == Some(Value::Bool(true));
    format!("parameter {place} {name} required={required} {schema:?}")
}

/// What a schema looks like, to a small depth: types and names of properties.
fn shape(root: &Node, schema: &Node, depth: usize) -> String {
    let schema = resolved(root, schema);
    if depth > 3 {
        return "…".to_owned();
    }
    let mut out = schema.get("type").map(|kind| kind.to_json()).unwrap_or_default();
    for (name, property) in schema.get("properties").and_then(Node::as_map).into_iter().flatten() {
        out += &format!(" {name}:{{{}}}", shape(root, &property.node, depth + 1));
    }
    if let Some(items) = schema.get("items") {
        out += &format!(" [{}]", shape(root, items, depth + 1));
    }
    out
}

fn resolved<'a>(root: &'a Node, node: &'a Node) -> &'a Node {
    match node.text_of("$ref").and_then(|target| root.at_pointer(target.strip_prefix('#')?)) {
        Some(target) => resolved(root, target),
        None => node,
    }
}

/// What the official schema rejects of an upgraded document was written in 3.1 or 3.2 and stays as it was.
#[test]
fn real_documents_are_valid_when_upgraded_and_have_no_new_faults() {
    for path in documents() {
        let Some(before) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let faults = |root: &Node| -> Vec<Finding> {
            check(root).into_iter().filter(|finding| finding.level() <= Level::Error).collect()
        };
        let rejected = |faults: &[Finding]| faults.iter().filter(|finding| finding.code == Code::Structure).count();
        let is_new = Version::of(&before).is_ok_and(|version| version >= Version::V3_1);
        let (old, new) = (faults(&before), faults(&upgrade(before, Some("https://host/api.json"))));
        assert!(new.len() <= old.len(), "{}: {new:#?} instead of {old:#?}", path.display());
        assert_eq!(rejected(&new), if is_new { rejected(&old) } else { 0 }, "{}: {new:#?}", path.display());
        println!("{}: {} instead of {}", path.display(), new.len(), old.len());
    }
}
