//! Types in words.
use crate::refs::percent_decoded;
use crate::schema::{Choices, LocatedNode, MAX_LAYERS, Merged, Schemas, Type};
use crate::tree::{Node, unescape};
use crate::wording::cut;
use std::ptr;

/// The maximum number of nested lists that are written out.
const MAX_LISTS: usize = 4;
/// The maximum number of choices that are named.
const MAX_NAMED: usize = 3;
/// The maximum depth of choices that are named.
const MAX_DEPTH: usize = 3;
/// The longest name in a type, in characters.
const MAX_NAME: usize = 80;

/// The innermost items of nested lists.
#[derive(Debug)]
pub(super) struct Unwrapped<'a> {
    /// The schemas of the lists, the outer one first; none if the schema is not a list.
    pub(super) lists: Vec<Merged<'a>>,
    /// The schema of the items; the schema itself if it is not a list.
    pub(super) inner: Merged<'a>,
    /// Whether the items are a list that contains itself.
    pub(super) is_circular: bool,
}

/// Unwraps a list to its items.
pub(super) fn unwrap<'a>(schemas: &Schemas<'a>, merged: Merged<'a>) -> Unwrapped<'a> {
    let mut unwrapped = Unwrapped { lists: Vec::new(), inner: merged, is_circular: false };
    while unwrapped.lists.len() < MAX_LISTS && is_plain_list(&unwrapped.inner) {
        let items = schemas.merged_all(&unwrapped.inner.below("items"));
        let identity = identity(&items);
        let list = std::mem::replace(&mut unwrapped.inner, items);
        unwrapped.lists.push(list);
        unwrapped.is_circular = unwrapped.lists.iter().any(|list| self::identity(list) == identity);
        if unwrapped.is_circular {
            break;
        }
    }
    unwrapped
}

/// Whether all items of a list have one schema, and no other rule of it is shown.
fn is_plain_list(merged: &Merged<'_>) -> bool {
    merged.only_type() == Some(Type::Array)
        && merged.choices.is_empty()
        && merged.get("prefixItems").is_none()
        && !merged.is_contradictory()
        && !merged.below("items").is_empty()
}

/// The layers that rows come from. Schemas with the same layers have the same rows.
pub(super) fn identity(merged: &Merged<'_>) -> Vec<*const Node> {
    const KEYS: [&str; 7] =
        ["properties", "patternProperties", "additionalProperties", "items", "prefixItems", "oneOf", "anyOf"];
    if merged.is_contradictory() {
        // The rows are the parts.
        return merged.layers.first().map(|layer| ptr::from_ref(layer.located.node)).into_iter().collect();
    }
    let mut found: Vec<*const Node> =
        merged.nodes().filter(|node| KEYS.iter().any(|key| node.get(key).is_some())).map(ptr::from_ref).collect();
    found.sort_unstable();
    found
}

/// The type of a schema whose lists were unwrapped.
pub(super) fn text<'a>(schemas: &Schemas<'a>, unwrapped: &Unwrapped<'a>) -> String {
    let mut out = word(schemas, &unwrapped.inner, MAX_DEPTH);
    for list in unwrapped.lists.iter().rev() {
        let (open, close) = if out.contains(" or ") { ("(", ")") } else { ("", "") };
        let or_null = if list.is_nullable() { " or null" } else { "" };
        out = format!("array of {open}{out}{close}{or_null}");
    }
    out
}

/// The type of a schema in words, without the items of a list. Choices are named up to `depth` levels.
fn word<'a>(schemas: &Schemas<'a>, merged: &Merged<'a>, depth: usize) -> String {
    let parts = contradictions(merged);
    if let Some(depth) = depth.checked_sub(1).filter(|_| !parts.is_empty()) {
        let named = parts.iter().take(MAX_NAMED).map(|part| choice_word(schemas, part, depth));
        return named.collect::<Vec<_>>().join(" and ");
    }
    if merged.is_contradictory() {
        return "never".to_owned();
    }
    let stated = merged.types();
    let is_simple = stated.is_some_and(|types| !types.has(Type::Object) && !types.has(Type::Array));
    let or_null = if merged.is_nullable() { " or null" } else { "" };
    let has_fields = merged.property_count() > 0;
    let name = || name(merged).map(|name| cut(&name, MAX_NAME).into_owned());
    let word = match (merged.only_type(), &*merged.choices) {
        (only, choices) if !is_simple && (only == Some(Type::Object) || only.is_none()) => {
            let missing = || missing_name(merged);
            let is_any = choices.is_empty() && only.is_none();
            match (name().filter(|_| !is_any), choices) {
                (Some(name), _) => name,
                (None, [choices, ..]) if !has_fields => choices_word(schemas, choices, depth),
                (None, _) if only.is_some() => map_word(schemas, merged, depth).unwrap_or_else(|| "object".to_owned()),
                (None, _) => match stated {
                    Some(types) => joined(types.shown().map(|one| one.name().to_owned())),
                    None => missing().unwrap_or_else(|| "any".to_owned()),
                },
            }
        }
        (Some(only), _) => only.name().to_owned(),
        (None, _) => joined(stated.into_iter().flat_map(|types| types.shown()).map(|one| one.name().to_owned())),
    };
    match (word.is_empty(), or_null) {
        (true, _) => "null".to_owned(),
        // Null is always part of `any`.
        (false, or_null) if word != "any" && !word.ends_with(" or null") => format!("{word}{or_null}"),
        (false, _) => word,
    }
}

/// The parts of an `allOf` that contradict each other; none if they do not.
pub(super) fn contradictions<'a>(merged: &Merged<'a>) -> Vec<LocatedNode<'a>> {
    if !merged.is_contradictory() {
        return Vec::new();
    }
    let all = merged.layers.iter().map(|layer| layer.located.items("allOf").take(MAX_LAYERS).collect::<Vec<_>>());
    all.into_iter().find(|parts| parts.len() > 1).unwrap_or_default()
}

/// `map of Pet`, for an object without named fields whose other fields have a schema.
fn map_word<'a>(schemas: &Schemas<'a>, merged: &Merged<'a>, depth: usize) -> Option<String> {
    let values = others(merged);
    let depth = depth.checked_sub(1).filter(|_| merged.property_count() == 0 && !values.is_empty())?;
    let values = schemas.merged_all(&values);
    let word = if values.only_type() == Some(Type::Array) {
        list_word(schemas, values, depth)
    } else {
        word(schemas, &values, depth)
    };
    Some(format!("map of {word}"))
}

fn list_word<'a>(schemas: &Schemas<'a>, list: Merged<'a>, depth: usize) -> String {
    let or_null = if list.is_nullable() { " or null" } else { "" };
    if !is_plain_list(&list) || depth == 0 {
        return format!("array{or_null}");
    }
    let items = schemas.merged_all(&list.below("items"));
    format!("array of {}{or_null}", word(schemas, &items, depth - 1))
}

fn choices_word<'a>(schemas: &Schemas<'a>, choices: &Choices<'a>, depth: usize) -> String {
    if depth == 0 || choices.items.len() > MAX_NAMED {
        let kind = if choices.is_one { "one" } else { "any" };
        return format!("{kind} of {} types", choices.items.len());
    }
    joined(choices.items.iter().map(|choice| choice_word(schemas, choice, depth - 1)))
}

fn choice_word<'a>(schemas: &Schemas<'a>, choice: &LocatedNode<'a>, depth: usize) -> String {
    let merged = schemas.merged(choice);
    if merged.only_type() == Some(Type::Array) {
        list_word(schemas, merged, depth)
    } else {
        word(schemas, &merged, depth)
    }
}

/// The words joined by "or", without duplicates.
fn joined(words: impl Iterator<Item = String>) -> String {
    let words: indexmap::IndexSet<String> = words.collect();
    words.into_iter().collect::<Vec<_>>().join(" or ")
}

/// The component name of a schema: its own, that of its reference, or that of the only schema that it wraps. Otherwise
/// its title.
pub(super) fn name(merged: &Merged<'_>) -> Option<String> {
    component(merged).or_else(|| {
        let title = merged.layers.first()?.located.node.text_of("title")?;
        (!title.trim().is_empty()).then(|| title.to_owned())
    })
}

/// The component name of a schema.
pub(super) fn component(merged: &Merged<'_>) -> Option<String> {
    for layer in &merged.layers {
        if let Some(name) = layer.located.component() {
            return Some(name);
        }
        let node = layer.located.node;
        // The next layer is the target of its reference, or the only schema that it wraps.
        let count = |key: &str| node.get(key).and_then(Node::as_list).map_or(0, <[Node]>::len);
        let wraps =
            node.get("$ref").is_some() || count("allOf") == 1 || (1..=2).contains(&(count("anyOf") + count("oneOf")));
        if !wraps || node.get("properties").is_some() || count("allOf") > 1 {
            return None;
        }
    }
    None
}

/// The name in a reference without a target.
fn missing_name(merged: &Merged<'_>) -> Option<String> {
    let mut targets = merged.nodes().filter_map(|node| node.text_of("$ref"));
    let target = targets.next().filter(|_| merged.is_partial)?;
    let last = target.rsplit(['/', '#']).next()?;
    let decoded = percent_decoded(last);
    let name = unescape(&decoded);
    (!name.is_empty()).then(|| cut(&name, MAX_NAME).into_owned())
}

/// Whether a schema is a text with binary content.
pub(super) fn is_binary(merged: &Merged<'_>) -> bool {
    merged.text_of("contentMediaType") == Some("application/octet-stream") && merged.get("contentEncoding").is_none()
}

/// The schemas of fields without a name; none if any value is allowed.
pub(super) fn others<'a>(merged: &Merged<'a>) -> Vec<LocatedNode<'a>> {
    let mut others = merged.below("additionalProperties");
    others.retain(|located| located.node.as_map().is_some_and(|members| !members.is_empty()));
    others
}
