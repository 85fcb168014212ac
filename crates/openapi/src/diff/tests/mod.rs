mod changelog;
mod fields;
mod hostile;
mod laws;
mod null;
mod operations;
mod outputs;
mod pairs;
mod real;
mod responses;
mod schemas;
mod security;
mod sharing;
mod values;

use super::{Diff, diff};
use crate::text::read;
use crate::tree::Node;

fn tree(text: &str) -> Node {
    let reading = read(text.as_bytes());
    reading.root.unwrap_or_else(|| panic!("the text of a test can be read: {:?}", reading.findings))
}

/// The difference of two documents, each without its first line.
fn between(old: &str, new: &str) -> Diff {
    let [old, new] = [old, new].map(|text| tree(&format!("openapi: 3.1.1\n{text}")));
    diff(&old, &new, Some("2026-06-15"))
}

/// The changes as lines of level, id and text.
fn lines(diff: &Diff) -> Vec<String> {
    diff.changes.iter().map(|change| format!("{} {}: {}", change.level.as_str(), change.id, change.text)).collect()
}

/// The changes as lines of level and id.
fn ids(diff: &Diff) -> Vec<String> {
    diff.changes.iter().map(|change| format!("{} {}", change.level.as_str(), change.id)).collect()
}

/// A document with an operation that has this schema in its request body.
fn request(schema: &str) -> String {
    format!(
        "paths: {{/a: {{post: {{requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}, responses: {{}}}}}}}}\n\
         components: {{schemas: {COMPONENTS}}}"
    )
}

/// A document with an operation that has this schema in its response.
fn response(schema: &str) -> String {
    format!(
        "paths: {{/a: {{post: {{responses: {{\"200\": {{content: {{application/json: {{schema: {schema}}}}}}}}}}}}}}}\n\
         components: {{schemas: {COMPONENTS}}}"
    )
}

/// The components of these documents.
const COMPONENTS: &str = "{A: {type: object, required: [a], properties: {a: {type: string}, b: {type: integer}}}, \
    B: {type: object, required: [c], properties: {c: {type: boolean}}}, \
    Read: {type: string, readOnly: true}, Write: {type: string, writeOnly: true}}";

/// Compares schemas forth and back, in a request and in a response: each time there is one change. The ids are without
/// the direction; the levels come in this order: request forth and back, response forth and back.
fn forth_and_back(old: &str, new: &str, forth: &str, back: &str, levels: &str) {
    let levels: Vec<&str> = levels.split(' ').collect();
    let found = |old: String, new: String| ids(&between(&old, &new));
    assert_eq!(found(request(old), request(new)), [format!("{} request-{forth}", levels[0])]);
    assert_eq!(found(request(new), request(old)), [format!("{} request-{back}", levels[1])]);
    assert_eq!(found(response(old), response(new)), [format!("{} response-{forth}", levels[2])]);
    assert_eq!(found(response(new), response(old)), [format!("{} response-{back}", levels[3])]);
}

/// Documents with one operation, `POST /a`, that has these fields.
fn operation(fields: &str) -> String {
    format!("paths: {{/a: {{post: {{{fields}}}}}}}\ncomponents: {SCHEMES}")
}

/// Compares the fields of an operation forth and back, as an operation, a webhook and a callback: each time there is
/// one change. A `*` in an id stands for the direction: `direct` in operations, `inverted` in webhooks and callbacks.
/// The levels come in this order: operation forth and back, the others forth and back.
fn operation_forth_and_back(
    [old, new]: [&str; 2],
    [forth, back]: [&str; 2],
    levels: &str,
    [direct, inverted]: [&str; 2],
) {
    let levels: Vec<&str> = levels.split(' ').collect();
    let expected = |level: &str, id: &str, direction: &str| [format!("{level} {}", id.replace('*', direction))];
    let found = |form: fn(&str) -> String, old: &str, new: &str| ids(&between(&form(old), &form(new)));
    assert_eq!(found(operation, old, new), expected(levels[0], forth, direct));
    assert_eq!(found(operation, new, old), expected(levels[1], back, direct));
    for form in [webhook, callback] {
        assert_eq!(found(form, old, new), expected(levels[2], forth, inverted));
        assert_eq!(found(form, new, old), expected(levels[3], back, inverted));
    }
}

/// The same operation, as a webhook.
fn webhook(fields: &str) -> String {
    format!("webhooks: {{a: {{post: {{{fields}}}}}}}\ncomponents: {SCHEMES}")
}

/// The same operation, as a callback of another one.
fn callback(fields: &str) -> String {
    format!(
        "paths: {{/b: {{get: {{callbacks: {{done: {{\"{{$url}}\": {{post: {{{fields}}}}}}}}}}}}}}}\ncomponents: {SCHEMES}"
    )
}

const SCHEMES: &str = "{securitySchemes: {key: {type: apiKey, in: header, name: K}, \
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: \"https://a\", scopes: {}}}}}}";
