//! Excerpts of real documents.
use super::super::Excerpt;
use super::{load, parts};
use crate::corpus::{documents, some};
use crate::parts::summary;
use crate::text::read;
use std::fs;
use std::time::{Duration, Instant};

/// What an excerpt cost.
struct Figures {
    parts: usize,
    bytes: usize,
    rounds: usize,
    time: Duration,
}

#[test]
fn real_operations_need_few_parts() {
    for path in documents() {
        let Some(root) = read(&fs::read(&path).unwrap_or_default()).root else { continue };
        let root = crate::upgrade::upgrade(root, None);
        let parts = parts(&root);
        let summary = summary(&root);
        let mut figures: Vec<Figures> = Vec::new();
        let operations =
            summary.operations.iter().map(|operation| Excerpt::operation(&operation.path, &operation.method));
        let webhooks = summary.webhooks.iter().map(|hook| Excerpt::webhook(&hook.name, &hook.operation.method));
        for mut excerpt in some(operations.chain(webhooks)) {
            let start = Instant::now();
            let rounds = load(&mut excerpt, &parts);
            assert_eq!(excerpt.left_out(), 0, "{}", path.display());
            let document = excerpt.document();
            let time = start.elapsed();
            assert!(document.get("paths").is_some() || document.get("webhooks").is_some());
            let loaded = rounds.iter().flatten().filter_map(|key| parts.get(key));
            figures.push(Figures {
                parts: loaded.clone().count(),
                bytes: loaded.map(String::len).sum(),
                rounds: rounds.len(),
                time,
            });
        }
        let show = |name: &str, figure: fn(&Figures) -> u128| {
            let mut all: Vec<u128> = figures.iter().map(figure).collect();
            all.sort_unstable();
            let at = |share: usize| all.get((all.len() * share / 100).min(all.len().saturating_sub(1))).copied();
            let [half, most, last] = [50, 95, 100].map(|share| at(share).unwrap_or_default());
            format!("{name} {half} {most} {last}")
        };
        println!(
            "{}: {} operations (at 50, 95 and 100 %); {}; {}; {}; {}",
            path.display(),
            figures.len(),
            show("parts", |figure| figure.parts as u128),
            show("bytes", |figure| figure.bytes as u128),
            show("rounds", |figure| figure.rounds as u128),
            show("microseconds", |figure| figure.time.as_micros()),
        );
    }
}
