//! Views of real documents.
use super::super::{Budget, operation, webhook};
use super::rows;
use crate::corpus::{documents, some};
use crate::excerpt::Excerpt;
use crate::parts::{cut, summary};
use crate::text::read;
use crate::tree::Node;
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

/// What a view cost: its own time, and the time with its excerpt.
struct Figures {
    rows: usize,
    bytes: usize,
    view: Duration,
    all: Duration,
}

#[test]
fn real_operations_are_rendered_in_their_budget() {
    let budget = Budget::default();
    for path in documents() {
        let Some(root) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let root = crate::upgrade::upgrade(root, None);
        let parts: HashMap<String, String> = cut(&root).into_iter().map(|part| (part.key, part.json)).collect();
        let summary = summary(&root);
        let mut figures: Vec<Figures> = Vec::new();
        let operations = summary.operations.iter().map(|operation| (None, operation));
        let webhooks = summary.webhooks.iter().map(|hook| (Some(&hook.name), &hook.operation));
        for (hook, found) in some(operations.chain(webhooks)) {
            let view_of = |document: &Node| match hook {
                None => operation(document, &found.path, &found.method, &budget),
                Some(name) => webhook(document, name, &found.method, &budget),
            };
            let start = Instant::now();
            let mut excerpt = match hook {
                None => Excerpt::operation(&found.path, &found.method),
                Some(name) => Excerpt::webhook(name, &found.method),
            };
            while let wanted = excerpt.wanted()
                && !wanted.is_empty()
            {
                wanted.iter().for_each(|key| excerpt.add(key, parts.get(key).map(String::as_str)));
            }
            let document = excerpt.document();
            let loaded = start.elapsed();
            let view = view_of(&document).expect("the operation is there");
            let all = start.elapsed();
            let json = serde_json::to_string(&view).expect("JSON");
            assert!(json.len() <= budget.bytes, "{} {} {}", path.display(), found.method, found.path);
            assert_eq!(json, serde_json::to_string(&view_of(&root)).expect("JSON"), "{} {}", found.method, found.path);
            assert!(rows(&view).len() <= budget.rows);
            assert_eq!(view.left_out, 0, "{} {}", found.method, found.path);
            figures.push(Figures { rows: rows(&view).len(), bytes: json.len(), view: all - loaded, all });
        }
        if figures.is_empty() {
            continue;
        }
        let show = |name: &str, figure: fn(&Figures) -> u128| {
            let mut all: Vec<u128> = figures.iter().map(figure).collect();
            all.sort_unstable();
            let at = |share: usize| all[(all.len() * share / 100).min(all.len() - 1)];
            format!("{name} {} {} {}", at(50), at(95), at(100))
        };
        println!(
            "{}: {} operations (at 50, 95 and 100 %); {}; {}; {}; {}",
            path.file_name().unwrap_or_default().display(),
            figures.len(),
            show("rows", |figure| figure.rows as u128),
            show("bytes", |figure| figure.bytes as u128),
            show("view microseconds", |figure| figure.view.as_micros()),
            show("with its excerpt", |figure| figure.all.as_micros()),
        );
    }
}
