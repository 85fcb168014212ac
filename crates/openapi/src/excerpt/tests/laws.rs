//! What holds for excerpts of all documents.
use super::super::Excerpt;
use super::{load, parts, tree};
use crate::dialect::Version;
use crate::refs::{Resolver, Target, Via, visit};
use crate::shape::kind_at;
use crate::tree::{Node, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::HashSet;

const TARGETS: [&str; 16] = [
    "#/components/schemas/A",
    "#/components/schemas/B",
    "#/components/schemas/C/properties/p",
    "#/components/schemas/C/properties/p/items",
    "#/components/schemas/A/allOf/0",
    "#/components/schemas/None",
    "#/components/pathItems/I",
    "#/components/pathItems/I/get",
    "#/paths/~1a",
    "#/paths/~1b",
    "#/paths/~1b/get/requestBody",
    "#/paths/~1a/get/requestBody/content/x/schema",
    "#name",
    "#",
    "https://h/id#/properties/p",
    "#/components/requestBodies/R",
];

fn target() -> impl Strategy<Value = Json> {
    prop::sample::select(TARGETS.to_vec()).prop_map(|target| json!({"$ref": target}))
}

fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        4 => target(),
        1 => Just(json!({"example": {"$ref": "#/components/schemas/B"}})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| json!({"properties": {"p": inner}})),
            (target(), inner.clone()).prop_map(|(target, inner)| json!({"allOf": [target, inner], "items": inner})),
            inner.prop_map(|inner| json!({"items": inner})),
        ]
    })
}

fn body() -> impl Strategy<Value = Json> {
    prop_oneof![schema().prop_map(|schema| json!({"content": {"x": {"schema": schema}}})), target(),]
}

fn operation() -> impl Strategy<Value = Json> {
    (body(), prop::option::of(item_target())).prop_map(
        |(body, callback)| json!({"requestBody": body, "callbacks": {"c": {"{$url}": callback.unwrap_or_default()}}}),
    )
}

fn item_target() -> impl Strategy<Value = Json> {
    prop::sample::select(vec!["#/paths/~1a", "#/paths/~1b", "#/components/pathItems/I"])
        .prop_map(|target| json!({"$ref": target}))
}

fn item() -> impl Strategy<Value = Json> {
    prop_oneof![
        operation().prop_map(|get| json!({"get": get})),
        (operation(), operation()).prop_map(|(get, put)| json!({"get": get, "put": put})),
        item_target(),
    ]
}

fn document() -> impl Strategy<Value = String> {
    // One schema has an anchor and an id: which of several counts is not defined. In it, `#` is that schema and not the
    // document, which excerpts do not know.
    let named = schema().prop_map(|inner| {
        let inner = inner.to_string().replace("\"$ref\":\"#\"", "\"$ref\":\"#/components/schemas/A\"");
        let inner: Json = serde_json::from_str(&inner).unwrap();
        json!({"$id": "https://h/id", "$anchor": "name", "properties": {"p": inner}})
    });
    let schemas = (schema(), schema(), named);
    (item(), item(), item(), body(), schemas).prop_map(|(a, b, i, r, (x, y, z))| {
        let document = json!({
            "openapi": "3.1.1",
            "paths": {"/a": a, "/b": b},
            "components": {"schemas": {"A": x, "B": y, "C": z}, "pathItems": {"I": i}, "requestBodies": {"R": r}},
        });
        document.to_string()
    })
}

/// Whether a document has nothing that another one does not have at the same place.
fn is_within(part: &Node, whole: &Node) -> bool {
    match (&part.value, &whole.value) {
        (Value::Map(part), Value::Map(whole)) => {
            part.iter().all(|(key, member)| whole.get(key).is_some_and(|other| is_within(&member.node, &other.node)))
        }
        _ => part.to_json() == whole.to_json(),
    }
}

/// The pointers of all values that are reached from a value by references, as the resolver follows them.
fn reached(root: &Node, start: &str) -> HashSet<String> {
    let resolver = Resolver::new(root, Version::V3_2);
    let mut references = Vec::new();
    visit(root, Version::V3_2, &mut |reference| {
        if matches!(reference.via, Via::Ref | Via::Dynamic)
            && let Target::Found { path, .. } = resolver.resolve(&reference)
            && kind_at(&path, Version::V3_2) == Some(reference.kind)
        {
            references.push((reference.path.pointer(), path.pointer()));
        }
    });
    let mut found = HashSet::from([start.to_owned()]);
    let mut next = vec![start.to_owned()];
    while let Some(pointer) = next.pop() {
        let below = format!("{pointer}/");
        for (from, to) in &references {
            if from.starts_with(&below) && !to.is_empty() && found.insert(to.clone()) {
                next.push(to.clone());
            }
        }
    }
    found
}

proptest! {
    #[test]
    fn an_excerpt_has_nothing_that_the_document_does_not_have(text in document()) {
        let root = tree(&text);
        for mut excerpt in [Excerpt::operation("/a", "get"), Excerpt::schemas(&["A", "C"])] {
            let parts = parts(&root);
            let rounds = load(&mut excerpt, &parts);
            let keys: Vec<&String> = rounds.iter().flatten().collect();
            prop_assert_eq!(keys.iter().collect::<HashSet<_>>().len(), keys.len());
            let left_out = excerpt.left_out();
            prop_assert_eq!(left_out, 0);
            prop_assert!(is_within(&excerpt.document(), &root));
        }
    }

    #[test]
    fn an_excerpt_has_everything_that_references_lead_to(text in document()) {
        let root = tree(&text);
        for (mut excerpt, start) in [
            (Excerpt::operation("/b", "GET"), "/paths/~1b/get"),
            (Excerpt::schemas(&["B"]), "/components/schemas/B"),
        ] {
            if root.at_pointer(start).is_none() {
                continue;
            }
            load(&mut excerpt, &parts(&root));
            let document = excerpt.document();
            for pointer in reached(&root, start) {
                let [part, whole] = [&document, &root].map(|root| root.at_pointer(&pointer).map(Node::to_json));
                prop_assert_eq!(part, whole, "{}", pointer);
            }
        }
    }

    #[test]
    fn an_excerpt_stays_in_its_budget(text in document(), budget in 5_usize..12) {
        let root = tree(&text);
        let mut excerpt = Excerpt::operation("/a", "get").with_budget(budget);
        let parts = parts(&root);
        let rounds = load(&mut excerpt, &parts);
        prop_assert!(rounds.iter().flatten().filter(|key| parts.contains_key(*key)).count() <= budget);
        prop_assert!(is_within(&excerpt.document(), &root));
    }
}
