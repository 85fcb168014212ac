//! Real documents: the examples that are made of them are valid by their schemas.
use super::Examples;
use crate::corpus::{documents, some};
use crate::dialect::Version;
use crate::direction::Direction;
use crate::example::{ExampleOrigin, operation_examples, webhook_examples};
use crate::shape::{ObjectKind, walk};
use crate::text::read;
use crate::tree::Node;
use crate::upgrade::upgrade;
use jsonschema::{Draft, Registry};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::time::Instant;
use std::{env, fs};

/// The characters that a fragment of an address has unencoded.
const FRAGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'~');

/// The documents with their names, as documents of 3.1.
fn upgraded() -> impl Iterator<Item = (String, Node)> {
    let paths = documents();
    paths.into_iter().filter_map(|path| {
        let root = read(&fs::read(&path).expect("the file can be read")).root?;
        Some((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), upgrade(root, None)))
    })
}

/// The schemas of bodies, in the direction that they are sent in, and of components, in both.
fn schemas(root: &Node) -> Vec<(String, Direction)> {
    let mut found = Vec::new();
    walk(root, ObjectKind::Document, Version::V3_2, &mut |object| {
        let pointer = object.path().pointer();
        if object.kind == ObjectKind::MediaType && object.node.get("schema").is_some() {
            // Webhooks and callbacks are sent by the API.
            let turns = usize::from(pointer.starts_with("/webhooks")) + usize::from(pointer.contains("/callbacks/"));
            let is_request = pointer.contains("/requestBod") != (turns == 1);
            let direction = if is_request { Direction::Request } else { Direction::Response };
            found.push((pointer + "/schema", direction));
        } else if object.kind == ObjectKind::Schema
            && object.depth() == 3
            && pointer.starts_with("/components/schemas/")
        {
            found.extend([Direction::Request, Direction::Response].map(|direction| (pointer.clone(), direction)));
        }
    });
    found
}

#[test]
fn examples_of_real_documents_are_always_the_same() {
    for (name, root) in upgraded() {
        let examples = Examples::new(&root);
        let mut times = Vec::new();
        for (pointer, direction) in some(schemas(&root)) {
            let start = Instant::now();
            let example = examples.schema(&pointer, direction).expect("the schema is there").to_json();
            times.push(start.elapsed());
            assert!(example.len() <= crate::example::MAX_BYTES + 1_000, "{name} {pointer} has {} bytes", example.len());
            let again = Examples::new(&root).schema(&pointer, direction).expect("the schema is there").to_json();
            assert_eq!(example, again, "{name} {pointer}");
        }
        times.sort();
        let at = |part: usize| times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
        println!("{name}: {} examples, p50 {:?}, p95 {:?}, most {:?}", times.len(), at(50), at(95), at(100));
    }
}

#[test]
fn operations_of_real_documents_have_examples() {
    for (name, root) in upgraded() {
        let summary = crate::parts::summary(&root);
        let mut times = Vec::new();
        let mut sizes = Vec::new();
        for operation in some(summary.operations) {
            let start = Instant::now();
            let found = operation_examples(&root, &operation.path, &operation.method).expect("the operation is there");
            times.push(start.elapsed());
            sizes.push(serde_json::to_string(&found).expect("it can be written").len());
        }
        for webhook in some(summary.webhooks) {
            let start = Instant::now();
            webhook_examples(&root, &webhook.name, &webhook.operation.method).expect("the webhook is there");
            times.push(start.elapsed());
        }
        times.sort();
        sizes.sort_unstable();
        let at = |part: usize| times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
        println!(
            "{name}: {} operations, p50 {:?}, p95 {:?}, most {:?}, {:?} bytes",
            times.len(),
            at(50),
            at(95),
            at(100),
            sizes.last()
        );
    }
}

#[test]
fn ninety_nine_of_a_hundred_examples_of_real_documents_are_valid_by_their_schemas() {
    let shown: usize = env::var("OCTAVO_SHOWN").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    // Of all examples, and of those that are made.
    let mut sums = [(0, 0), (0, 0)];
    for (name, root) in upgraded() {
        let examples = Examples::new(&root);
        let validators = [Direction::Request, Direction::Response].map(|direction| Validators::new(&root, direction));
        let mut invalid = Vec::new();
        let before = sums;
        for (pointer, direction) in some(schemas(&root)) {
            let schema = examples.schemas.at(&pointer).expect("the schema is there");
            let (example, origin) = examples.of_schema(&schema, direction);
            let [request, response] = &validators;
            let validators = if direction == Direction::Request { request } else { response };
            let value = serde_json::from_str(&example.to_json()).expect("valid JSON");
            let Some(error) = validators.check(&pointer, &value) else { continue };
            let counted = if origin == ExampleOrigin::Made { 2 } else { 1 };
            for (all, valid) in sums.iter_mut().take(counted) {
                *all += 1;
                *valid += usize::from(error.is_none());
            }
            invalid.extend(error.map(|error| format!("{pointer} {direction:?} {origin:?} {error}")));
        }
        let [(all, valid), _] = sums;
        println!("{name}: {} of {} are valid", valid - before[0].1, all - before[0].0);
        invalid.iter().take(shown).for_each(|error| println!("  {error}"));
    }
    let [(all, valid), (made, valid_made)] = sums;
    println!("{valid} of {all} are valid, and {valid_made} of {made} that are made");
    let is_large = documents().iter().any(|path| path.ends_with("github.json"));
    assert!(all > 1_000 || !is_large, "{all} examples");
    assert!(valid * 100 >= all * 99 && valid_made * 100 >= made * 99);
}

/// The schemas of a document, as another implementation reads them.
struct Validators(Option<Registry<'static>>);

impl Validators {
    fn new(root: &Node, direction: Direction) -> Self {
        let mut document: Value = serde_json::from_str(&root.to_json()).expect("valid JSON");
        let whole = document.clone();
        show_hidden(&mut document, &whole, direction);
        let resource = Draft::Draft202012.create_resource(document);
        let registry = Registry::new().draft(Draft::Draft202012).add("urn:document", resource);
        Self(registry.and_then(|builder| builder.prepare()).ok())
    }

    /// The error in a value; `None` if the schema is not valid itself.
    fn check(&self, pointer: &str, value: &Value) -> Option<Option<String>> {
        let fragment = utf8_percent_encode(pointer, FRAGMENT);
        let schema = json!({"$ref": format!("urn:document#{fragment}")});
        let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(false);
        let validator = options.with_registry(self.0.as_ref()?).build(&schema).ok()?;
        let error = validator.validate(value).err();
        Some(error.map(|error| {
            let text = error.to_string();
            let start = text.len().saturating_sub(200);
            format!("{} {}", error.instance_path(), &text[text.ceil_char_boundary(start)..])
        }))
    }
}

/// Removes the names of fields that are absent in a direction from `required`.
fn show_hidden(value: &mut Value, whole: &Value, direction: Direction) {
    let keyword = if direction == Direction::Request { "readOnly" } else { "writeOnly" };
    let is_hidden = |property: &Value| {
        let target = property["$ref"].as_str().and_then(|target| whole.pointer(target.strip_prefix('#')?));
        property[keyword] == true || target.is_some_and(|target| target[keyword] == true)
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| show_hidden(item, whole, direction)),
        Value::Object(members) => {
            let properties = members.get("properties").and_then(Value::as_object).into_iter().flatten();
            let hidden: Vec<String> =
                properties.filter(|(_, property)| is_hidden(property)).map(|(name, _)| name.clone()).collect();
            if let Some(Value::Array(required)) = members.get_mut("required") {
                required.retain(|name| !hidden.iter().any(|hidden| name == hidden));
            }
            members.values_mut().for_each(|member| show_hidden(member, whole, direction));
        }
        _ => {}
    }
}
