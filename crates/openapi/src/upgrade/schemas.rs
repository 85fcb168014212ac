//! 3.0 → 3.1: schemas become those of JSON Schema 2020-12.
use super::VERSION;
use super::edit::{list, map, put, replace};
use super::walk::walk_mut;
use crate::deadline::Deadline;
use crate::dialect::Version;
use crate::refs::{as_fragment, percent_decoded, rewrite};
use crate::shape::ObjectKind;
use crate::tree::{Members, Node, Value};

/// Keywords beside a `$ref` that are for readers and do not affect which values are valid.
const ANNOTATIONS: [&str; 10] = [
    "$ref",
    "title",
    "summary",
    "description",
    "default",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "externalDocs",
];

/// Upgrades a document of 3.0 in place.
pub(super) fn upgrade(root: &mut Node, deadline: &Deadline<'_>) {
    let Value::Map(members) = &mut root.value else { return };
    replace(members, "openapi", "openapi", |old| Node { at: old.at, value: Value::Text(VERSION.into()) });
    if !members.contains_key("webhooks") {
        replace(members, "x-webhooks", "webhooks", |webhooks| webhooks);
    }
    // With the rules of 3.1: every schema must be one of 3.1 from here on.
    walk_mut(root, ObjectKind::Document, Version::V3_1, &mut |kind, node| {
        if deadline.is_over() {
            return;
        }
        if let (ObjectKind::Schema, Value::Map(members)) = (kind, &mut node.value) {
            upgrade_schema(members);
        }
    });
    if !deadline.look() {
        follow_moved(root);
    }
}

fn upgrade_schema(schema: &mut Members) {
    if schema.get("$ref").is_some_and(|target| target.node.as_text().is_some()) {
        // 3.0 ignores fields beside a reference, and 3.1 does not. Fields that would change the meaning are removed;
        // fields for readers may take effect now.
        schema.retain(|key, _| ANNOTATIONS.contains(&&**key) || key.starts_with("x-"));
    }
    upgrade_bound(schema, "minimum", "exclusiveMinimum");
    upgrade_bound(schema, "maximum", "exclusiveMaximum");
    upgrade_format(schema);
    upgrade_nullable(schema);
    if !schema.contains_key("examples") {
        replace(schema, "example", "examples", |example| list(vec![example]));
    }
}

/// `exclusiveMinimum: true` made the minimum exclusive; in 3.1 it is the bound itself.
fn upgrade_bound(schema: &mut Members, bound: &str, exclusive: &str) {
    let Some(Value::Bool(is_exclusive)) = schema.get(exclusive).map(|member| &member.node.value) else { return };
    let is_exclusive = *is_exclusive;
    schema.shift_remove(exclusive);
    if is_exclusive {
        replace(schema, bound, exclusive, |bound| bound);
    }
}

/// Texts with binary content are described by `contentEncoding` and `contentMediaType`.
fn upgrade_format(schema: &mut Members) {
    let is_text = schema.get("type").is_none_or(|member| member.node.as_text() == Some("string"));
    let format = schema.get("format").and_then(|member| member.node.as_text());
    let (key, value) = match format {
        Some("binary") if is_text => ("contentMediaType", "application/octet-stream"),
        Some("byte" | "base64") if is_text => ("contentEncoding", "base64"),
        _ => return,
    };
    if schema.contains_key(key) {
        schema.shift_remove("format");
    } else {
        replace(schema, "format", key, |format| Node { at: format.at, value: Value::Text(value.into()) });
    }
}

/// Whether the type of a schema includes null, or it lists null without a type.
fn takes_null(schema: &Node) -> bool {
    let is_null = |name: &Node| name.as_text() == Some("null");
    match schema.get("type") {
        Some(kind) => is_null(kind) || kind.items().iter().any(is_null),
        None => schema.items_of("enum").iter().any(|value| matches!(value.value, Value::Null)),
    }
}

/// `nullable: true` becomes a type. By the specification it has no effect without a type, and an enumeration must also
/// list null. Authors write it beside `allOf`, `enum` and the like for "this or null", so it gets that meaning.
fn upgrade_nullable(schema: &mut Members) {
    let Some(nullable) = schema.get("nullable") else { return };
    let at = nullable.node.at;
    let is_nullable = matches!(nullable.node.value, Value::Bool(true));
    schema.shift_remove("nullable");
    if !is_nullable {
        return;
    }
    if let Some(Value::List(values)) = schema.get_mut("enum").map(|member| &mut member.node.value)
        && !values.is_empty()
        && !values.iter().any(|value| matches!(value.value, Value::Null))
    {
        values.push(Node { at, value: Value::Null });
    }
    let null = || Node { at, value: Value::Text("null".into()) };
    if let Some(types) = schema.get_mut("type") {
        match &mut types.node.value {
            Value::Text(name) if &**name != "null" => {
                let name = types.node.clone();
                types.node = Node { at: name.at, value: Value::List(vec![name, null()]) };
            }
            Value::List(names) if names.iter().all(|name| name.as_text() != Some("null")) => names.push(null()),
            _ => {}
        }
        return;
    }
    let choices = ["anyOf", "oneOf"].into_iter().filter(|key| schema.contains_key(*key)).collect::<Vec<_>>();
    match (choices.as_slice(), schema.contains_key("allOf")) {
        ([choice], false) => {
            let choices = schema.get_mut(*choice).map(|member| &mut member.node.value);
            // In `oneOf`, null must match exactly one choice.
            if let Some(Value::List(choices)) = choices
                && !choices.iter().any(takes_null)
            {
                choices.push(map([("type", null())]));
            }
        }
        ([], true) => replace(schema, "allOf", "anyOf", |mut all| {
            let parts = if let Value::List(parts) = &mut all.value { std::mem::take(parts) } else { Vec::new() };
            let whole = match <[Node; 1]>::try_from(parts) {
                Ok([one]) => one,
                Err(parts) => {
                    let mut whole = Members::default();
                    put(&mut whole, "allOf", Node { at: all.at, value: Value::List(parts) });
                    Node { at: all.at, value: Value::Map(whole) }
                }
            };
            Node { at: all.at, value: Value::List(vec![whole, map([("type", null())])]) }
        }),
        _ => {}
    }
}

/// Updates references into an `allOf` that [`upgrade_nullable`] moved.
fn follow_moved(root: &mut Node) {
    rewrite(root, ObjectKind::Document, Version::V3_1, &mut |root, reference| {
        let pointer = reference.target.strip_prefix('#').filter(|pointer| pointer.contains("/allOf/"))?;
        let pointer = percent_decoded(pointer);
        if root.at_pointer(&pointer).is_some() {
            return None;
        }
        Some(format!("#{}", as_fragment(&moved(root, &pointer)?)))
    });
}

/// The pointer with `anyOf/0` before each `allOf` that moved there, or in place of the only item of one.
fn moved(root: &Node, pointer: &str) -> Option<String> {
    let mut out = String::new();
    let mut node = root;
    let mut steps = pointer.split('/').skip(1);
    while let Some(step) = steps.next() {
        if step == "allOf" && node.get(step).is_none() {
            node = node.get("anyOf")?.as_list()?.first()?;
            out.push_str("/anyOf/0");
            if node.get(step).is_none() {
                steps.next().filter(|index| *index == "0")?;
                continue;
            }
        }
        node = node.at_pointer(&format!("/{step}"))?;
        out.push('/');
        out.push_str(step);
    }
    Some(out)
}
