//! Real documents: pairs of versions, each with itself, and one with edits. See `dev/corpus`.
use crate::corpus::documents;
use crate::diff::{Diff, compared, diff, text};
use crate::text::read;
use crate::tree::{Member, Node, Path, Place, Step, Value};
use crate::upgrade::upgrade;
use rstest::rstest;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use std::{env, fs};

/// The document with this name, upgraded; `None` if it is not there, which is said.
fn document(name: &str) -> Option<Node> {
    let path = documents().into_iter().find(|path| path.file_name().is_some_and(|file| file == name));
    if path.is_none() {
        println!("nothing is tried: there is no {name}");
    }
    let root = read(&fs::read(path?).expect("the document can be read")).root.expect("the document is one");
    Some(upgrade(root, Some("https://host/api.json")))
}

fn by_id(diff: &Diff) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for change in &diff.changes {
        *counts.entry(change.id.as_str()).or_default() += 1;
    }
    counts
}

#[rstest]
#[case::kubernetes("kubernetes-1.12.json", "kubernetes-1.13.json", 23, 20)]
#[case::okta("okta-2.10.json", "okta-2.15.yaml", 20, 10)]
#[case::figma("figma-0.24.yaml", "figma-0.43.yaml", 10, 29)]
fn real_versions_have_the_known_operations_and_schemas_more(
    #[case] old: &str,
    #[case] new: &str,
    #[case] operations: usize,
    #[case] schemas: usize,
) {
    let (Some(old), Some(new)) = (document(old), document(new)) else { return };
    let start = Instant::now();
    let found = compared(&old, &new, None, usize::MAX);
    let counts = by_id(&found);
    println!("{:?} {:?} {counts:#?}", start.elapsed(), found.counts);
    assert_eq!(counts.get("operation-added"), Some(&operations));
    assert_eq!(counts.get("schema-added"), Some(&schemas));
    assert_eq!(counts.get("operation-removed").or(counts.get("schema-removed")), None);
    if env::var_os("OCTAVO_SHOWN").is_some() {
        println!("{}", text(&found));
    }
}

#[test]
fn a_real_document_has_no_change_against_itself() {
    for path in documents() {
        let Some(root) = read(&fs::read(&path).expect("the document can be read")).root else { continue };
        let (one, other) = (upgrade(root.clone(), None), upgrade(root, None));
        let start = Instant::now();
        let found = diff(&one, &other, None);
        println!("{}: {:?}", path.display(), start.elapsed());
        assert_eq!(found, Diff::default(), "{}", path.display());
    }
}

#[test]
fn unrelated_real_documents_are_compared_to_the_end() {
    let roots = documents().into_iter().filter_map(|path| Some((read(&fs::read(&path).ok()?).root?, path)));
    let roots: Vec<_> = roots.map(|(root, path)| (upgrade(root, None), path)).collect();
    for ((old, _), (new, path)) in roots.iter().zip(roots.iter().skip(1)) {
        let start = Instant::now();
        let found = diff(old, new, None);
        println!("{}: {:?} {:?}", path.display(), start.elapsed(), found.counts);
        assert!(found.changes.iter().all(|change| change.id != "too-different"), "{}", path.display());
    }
}

/// 25 schemas get another required field, and 25 operations lose a response and get another summary.
fn edit(root: &mut Node) {
    let value = |text: &str| read(text.as_bytes()).root.expect("a value");
    let member = |text: &str| Member { at: Place::default(), node: value(text) };
    let names: Vec<String> = every(root.at_pointer("/components/schemas"), 25);
    for name in names {
        let schema = at_keys(root, &["components", "schemas", &name]);
        let Value::Map(members) = &mut schema.value else { continue };
        members.insert("required".into(), member("[edited]"));
        let properties = members.entry("properties".into()).or_insert_with(|| member("{}"));
        if let Value::Map(properties) = &mut properties.node.value {
            properties.insert("edited".into(), member("{type: string}"));
        }
    }
    for path in every(root.get("paths"), 25) {
        let item = at_keys(root, &["paths", &path]);
        let Value::Map(members) = &mut item.value else { continue };
        let Some(Value::Map(operation)) = members.values_mut().next().map(|member| &mut member.node.value) else {
            continue;
        };
        operation.insert("summary".into(), member("edited"));
        if let Some(Value::Map(responses)) = operation.get_mut("responses").map(|member| &mut member.node.value) {
            responses.shift_remove_index(0);
        }
    }
}

fn at_keys<'n>(root: &'n mut Node, keys: &[&str]) -> &'n mut Node {
    let steps = keys.iter().map(|key| Step::Key((*key).into())).collect();
    root.at_path_mut(&Path(steps)).expect("the value is there")
}

/// So many keys of a mapping, from all parts of it.
fn every(node: Option<&Node>, count: usize) -> Vec<String> {
    let keys: Vec<String> =
        node.and_then(Node::as_map).into_iter().flat_map(|map| map.keys()).map(|key| key.to_string()).collect();
    let step = (keys.len() / count).max(1);
    keys.into_iter().step_by(step).take(count).collect()
}

#[test]
fn a_large_real_document_is_compared_with_its_edits_in_a_second() {
    let Some(old) = document("github.json") else { return };
    let mut new = old.clone();
    edit(&mut new);
    let found = diff(&old, &new, None);
    // The quickest of three, since other programs run, too.
    let runs = (0..3).map(|_| {
        let start = Instant::now();
        assert_eq!(diff(&old, &new, None), found);
        start.elapsed()
    });
    let took = runs.min().unwrap_or_default();
    println!("{took:?} {:?} {} more, {:#?}", found.counts, found.more, by_id(&found));
    assert!(found.counts.words == 25 && found.counts.breaking >= 25);
    // Builds that are not optimised take some ten times longer.
    assert!(cfg!(debug_assertions) || took < Duration::from_secs(1), "{took:?}");
}
