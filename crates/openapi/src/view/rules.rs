//! Rules of a schema in words.
use super::text::short;
use super::types::is_binary;
use crate::schema::Merged;
use crate::tree::{Node, Value};
use crate::wording::cut;
use std::collections::BTreeSet;

/// The longest pattern, in characters.
const MAX_PATTERN: usize = 300;
/// The maximum number of patterns, and of names of required fields, that are shown.
const MAX_SHOWN: usize = 10;

/// The maximum number of names of required fields that are read.
const MAX_REQUIRED: usize = 500;

/// Keywords without a phrase.
const FURTHER: [&str; 8] = [
    "not",
    "if",
    "contains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedItems",
];

/// The rules of a schema besides its type: phrases such as `1 to 50 characters`.
pub(super) fn phrases(merged: &Merged<'_>) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(range(merged));
    for (least, most, one, many) in [
        ("minLength", "maxLength", "character", "characters"),
        ("minItems", "maxItems", "item", "items"),
        ("minProperties", "maxProperties", "field", "fields"),
    ] {
        out.extend(count(merged, least, most, one, many));
    }
    if merged.is_true("uniqueItems") {
        out.push("no item twice".to_owned());
    }
    for multiple in merged.multiples() {
        out.push(format!("a multiple of {}", short(&multiple.digits)));
    }
    for pattern in patterns(merged) {
        out.push(format!("matches {}", cut(pattern, MAX_PATTERN)));
    }
    if let Some(media) = merged.text_of("contentMediaType").filter(|_| !is_binary(merged)) {
        out.push(format!("media type {}", short(media)));
    }
    let is_closed =
        |key: &str| merged.nodes().any(|node| matches!(node.get(key), Some(Node { value: Value::Bool(false), .. })));
    if is_closed("additionalProperties") || is_closed("unevaluatedProperties") {
        out.push("no other fields".to_owned());
    }
    let further: Vec<&str> = FURTHER.into_iter().filter(|key| merged.get(key).is_some()).collect();
    if !further.is_empty() {
        out.push(format!("further rules: {}", further.join(", ")));
    }
    out
}

/// The fields that a schema requires without defining them: for a choice without other rules.
pub(super) fn required(merged: &Merged<'_>) -> Option<String> {
    let has = |name: &str| merged.nodes().any(|node| node.get("properties").is_some_and(|all| all.get(name).is_some()));
    let required = merged.nodes().flat_map(|node| node.items_of("required")).filter_map(Node::as_text);
    let names: BTreeSet<&str> = required.take(MAX_REQUIRED).filter(|name| !has(name)).collect();
    let shown: Vec<String> = names.iter().take(MAX_SHOWN).map(|name| short(name)).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    (!shown.is_empty()).then(|| format!("required: {}{more}", shown.join(", ")))
}

/// The different patterns of the layers, at most [`MAX_SHOWN`].
fn patterns<'a>(merged: &Merged<'a>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let patterns = merged.nodes().filter_map(|node| node.text_of("pattern"));
    patterns.filter(|pattern| seen.insert(*pattern)).take(MAX_SHOWN).collect()
}

fn digits(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Number(digits) => Some(digits),
        _ => None,
    }
}

/// The bounds of a number: `1 to 100`, `more than 0`.
fn range(merged: &Merged<'_>) -> Option<String> {
    let tighter = |inclusive: Option<&'_ Node>, exclusive: Option<&'_ Node>, wins: fn(f64, f64) -> bool| {
        let [inclusive, exclusive] = [inclusive, exclusive].map(|node| node.and_then(digits).map(short));
        match (inclusive, exclusive) {
            (Some(a), Some(b)) => {
                let values = a.parse().ok().zip(b.parse().ok());
                if values.is_some_and(|(a, b)| wins(b, a)) { Some((b, true)) } else { Some((a, false)) }
            }
            (a, b) => a.map(|a| (a, false)).or(b.map(|b| (b, true))),
        }
    };
    let least = tighter(merged.largest("minimum"), merged.largest("exclusiveMinimum"), |new, old| new >= old);
    let most = tighter(merged.smallest("maximum"), merged.smallest("exclusiveMaximum"), |new, old| new <= old);
    match (least, most) {
        (Some((least, false)), Some((most, false))) => Some(between(&least, &most)),
        (None, None) => None,
        (least, most) => {
            let least = least.map(|(value, over)| format!("{} {value}", if over { "more than" } else { "at least" }));
            let most = most.map(|(value, under)| format!("{} {value}", if under { "less than" } else { "at most" }));
            Some(least.into_iter().chain(most).collect::<Vec<_>>().join(", "))
        }
    }
}

fn between(least: &str, most: &str) -> String {
    if least == most { format!("exactly {least}") } else { format!("{least} to {most}") }
}

/// The bounds of a length: `1 to 50 characters`, `at least 1 item`.
fn count(merged: &Merged<'_>, least: &str, most: &str, one: &str, many: &str) -> Option<String> {
    let least = merged.largest(least).and_then(digits).filter(|digits| *digits != "0").map(short);
    let most = merged.smallest(most).and_then(digits).map(short);
    let noun = |count: &str| if count == "1" { one.to_owned() } else { many.to_owned() };
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{} {}", between(&least, &most), noun(&most))),
        (Some(least), None) => Some(format!("at least {least} {}", noun(&least))),
        (None, Some(most)) => Some(format!("at most {most} {}", noun(&most))),
        (None, None) => None,
    }
}
