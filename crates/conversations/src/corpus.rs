//! Measures the quality of the analysis with real conversations, from `../shared/corpus/conversations`.
use crate::analyse::{MAX_TITLE, Part, Role, analyse};
use crate::describe::{MAX_LABEL, Statistics, describe};
use crate::features::{Features, Measure};
use crate::groups::{Groups, Member, upkeep_is_due};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};
use values::text::Language;

/// A text with the label of the cluster that it should be in.
type Labelled = (String, String);

/// The prefix of the labels of texts that should share a cluster with no other text.
const NOISE: &str = "noise";

/// The lines of a file; `None` with a message if it is absent.
fn lines(name: &str) -> Option<Vec<Value>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/conversations").join(name);
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: {} is absent", file.display());
        return None;
    };
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
}

fn word<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().expect("a text")
}

fn stream(name: &str) -> Option<Vec<Labelled>> {
    let lines = lines(name)?;
    Some(lines.iter().map(|line| (word(line, "text").to_owned(), word(line, "label").to_owned())).collect())
}

/// The quality of extraction: `found` is the share of conversations with an intent that have an issue with an intent,
/// `precision` the share of issues with an intent, and `best` the best issue of each conversation with its label.
struct Extraction {
    found: f64,
    precision: f64,
    best: Vec<Labelled>,
}

fn extraction() -> Option<Extraction> {
    let (mut with, mut found, mut issues, mut right) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut best = Vec::new();
    for conversation in &lines("multidogo-conversations.jsonl")? {
        let messages = conversation["messages"].as_array().expect("messages");
        let parts: Vec<Part<'_>> =
            messages.iter().map(|message| Part { role: Role::User, body: word(message, "text") }).collect();
        let analysis = analyse(None, &parts, Some(Language::En));
        let intent = |title: &str| {
            let start = letters(title);
            let message = messages.iter().find(|message| letters(word(message, "text")).contains(&start));
            message.map_or("", |message| word(message, "intent")).to_owned()
        };
        let intents: Vec<String> = analysis.issues.iter().map(|issue| intent(&issue.title)).collect();
        let carries = intents.iter().filter(|intent| !intent.is_empty()).count();
        issues += intents.len();
        right += carries;
        if messages.iter().any(|message| !word(message, "intent").is_empty()) {
            with += 1;
            found += usize::from(carries > 0);
        }
        let scored = analysis.issues.iter().zip(&intents).rev();
        if let Some((issue, intent)) = scored.max_by(|(one, _), (other, _)| one.score.total_cmp(&other.score)) {
            // A sentence without an intent should be alone in its cluster.
            let label = match intent.as_str() {
                "" => format!("{NOISE}{}", best.len()),
                intent => format!("{} {intent}", word(conversation, "domain")),
            };
            best.push((issue.title.clone(), label));
        }
    }
    Some(Extraction { found: found as f64 / with as f64, precision: right as f64 / issues as f64, best })
}

fn letters(text: &str) -> String {
    text.trim_end_matches('…').chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A grouping: the cluster of each text, and the share of issues that each upkeep moved to another cluster.
struct Grouping {
    clusters: Vec<u32>,
    changes: Vec<f64>,
    groups: Groups,
}

fn group(texts: &[Labelled], measure: Measure) -> Grouping {
    let mut groups = Groups::build(measure, []);
    let mut clusters: Vec<u32> = Vec::new();
    let mut at_last = 0;
    let mut changes = Vec::new();
    for (at, (text, _)) in texts.iter().enumerate() {
        let features = Features::of(text, Some(Language::En));
        let issue = at as u32;
        let cluster = groups.assign(&features).map_or(issue, |nearest| nearest.cluster);
        clusters.push(cluster);
        groups.insert(Member { issue, cluster, features });
        if upkeep_is_due(at + 1, at_last) || at + 1 == texts.len() {
            let changed = upkeep(&mut groups, &mut clusters);
            changes.push(changed as f64 / clusters.len() as f64);
            at_last = at + 1;
        }
    }
    Grouping { clusters, changes, groups }
}

/// Applies an upkeep. Returns the number of issues that changed their cluster.
fn upkeep(groups: &mut Groups, clusters: &mut [u32]) -> usize {
    let before = clusters.to_vec();
    let upkeep = groups.upkeep();
    let merged: HashMap<u32, u32> = upkeep.merged.into_iter().collect();
    clusters.iter_mut().for_each(|cluster| *cluster = *merged.get(cluster).unwrap_or(cluster));
    for (issue, cluster) in upkeep.moved {
        clusters[issue as usize] = cluster;
    }
    let mut expected: Vec<(u32, u32)> =
        clusters.iter().enumerate().map(|(at, cluster)| (*cluster, at as u32)).collect();
    expected.sort_unstable();
    let inside =
        groups.clusters().into_iter().flat_map(|(cluster, issues)| issues.into_iter().map(move |at| (cluster, at)));
    assert!(inside.eq(expected), "what upkeep reports is what it did");
    before.iter().zip(clusters.iter()).filter(|(before, after)| before != after).count()
}

/// B-cubed F1, and the purity of clusters of three or more.
fn quality(texts: &[Labelled], clusters: &[u32]) -> (f64, f64) {
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut both: HashMap<(u32, &str), usize> = HashMap::new();
    for ((_, label), cluster) in texts.iter().zip(clusters) {
        *sizes.entry(*cluster).or_default() += 1;
        *labels.entry(label).or_default() += 1;
        *both.entry((*cluster, label)).or_default() += 1;
    }
    let (mut precision, mut recall) = (0.0, 0.0);
    for ((cluster, label), count) in &both {
        let square = (count * count) as f64 / texts.len() as f64;
        precision += square / sizes[cluster] as f64;
        recall += square / labels[label] as f64;
    }
    let (mut issues, mut common) = (0, 0);
    for (cluster, size) in sizes.iter().filter(|(_, size)| **size >= 3) {
        issues += size;
        common += both.iter().filter(|((other, _), _)| other == cluster).map(|(_, count)| *count).max().unwrap_or(0);
    }
    (2.0 * precision * recall / (precision + recall), common as f64 / issues as f64)
}

fn figures(name: &str, texts: &[Labelled], measure: Measure) -> (f64, f64) {
    let grouping = group(texts, measure);
    let (b3, purity) = quality(texts, &grouping.clusters);
    let mean = grouping.changes.iter().sum::<f64>() / grouping.changes.len() as f64;
    let most = grouping.changes.iter().copied().fold(0.0, f64::max);
    println!(
        "{name} ({} issues, {measure:?}): B3 {b3:.3}, purity {purity:.3}, upkeep moves {mean:.3}, at most {most:.3}",
        texts.len()
    );
    assert!(mean <= 0.05 && most <= 0.10, "{name}: upkeep moves too much: {mean:.3}, {most:.3}");
    (b3, purity)
}

#[test]
fn issues_are_found_in_real_conversations() {
    let Some(extraction) = extraction() else { return };
    println!("found {:.3}, precision {:.3}", extraction.found, extraction.precision);
    assert!(extraction.found >= 0.92, "{:.3}", extraction.found);
    assert!(extraction.precision >= 0.77, "{:.3}", extraction.precision);
}

#[test]
fn issues_on_one_problem_share_a_cluster() {
    let best = extraction().map(|extraction| extraction.best);
    let issues: Option<Vec<Labelled>> =
        best.clone().map(|best| best.into_iter().filter(|(_, label)| !label.starts_with(NOISE)).collect());
    let sets = [
        ("clinc-stream-500.jsonl", stream("clinc-stream-500.jsonl"), 0.72, 0.79, 0.68),
        ("clinc-stream-2500.jsonl", stream("clinc-stream-2500.jsonl"), 0.63, 0.76, 0.58),
        ("multidogo-conversations.jsonl", issues, 0.69, 0.88, 0.62),
        ("multidogo-conversations.jsonl, also without an intent", best, 0.67, 0.82, 0.62),
    ];
    for (name, texts, least, pure, without_vectors) in sets {
        let Some(texts) = texts else { return };
        let (b3, purity) = figures(name, &texts, Measure::Vectors);
        let (words, _) = figures(name, &texts, Measure::Words);
        assert!(b3 >= least && purity >= pure, "{name}: {b3:.3}, {purity:.3}");
        assert!(words >= without_vectors, "{name}: {words:.3} without vectors");
    }
}

#[test]
fn the_order_of_issues_matters_little() {
    let Some(texts) = stream("clinc-stream-500.jsonl") else { return };
    let mut found = Vec::new();
    for step in [1, 7, 101, 250] {
        // Visits every text once: no step shares a factor with the number of texts, 559 = 13 * 43.
        let order = (0..texts.len()).map(|at| texts[at * step % texts.len()].clone());
        let texts: Vec<Labelled> = order.collect();
        found.push(quality(&texts, &group(&texts, Measure::Vectors).clusters).0);
    }
    println!("B3 by order: {found:.3?}");
    assert!(found.iter().all(|b3| (b3 - found[0]).abs() <= 0.03), "{found:.3?}");
}

/// The first `most` texts of users in all files.
fn many(most: usize) -> Option<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    for name in ["clinc-stream-500.jsonl", "clinc-stream-2500.jsonl"] {
        texts.extend(stream(name)?.into_iter().map(|(text, _)| text));
    }
    for conversation in &lines("multidogo-conversations.jsonl")? {
        let messages = conversation["messages"].as_array().expect("messages");
        texts.extend(
            messages.iter().map(|message| word(message, "text")).filter(|text| text.len() > 15).map(str::to_owned),
        );
    }
    texts.truncate(most);
    Some(texts)
}

#[test]
fn ten_thousand_issues_are_grouped_in_time() {
    let Some(texts) = many(10_000) else { return };
    assert_eq!(texts.len(), 10_000);
    let texts: Vec<Labelled> = texts.into_iter().map(|text| (text, String::new())).collect();
    let start = Instant::now();
    let grouping = group(&texts, Measure::Vectors);
    let clusters: std::collections::HashSet<&u32> = grouping.clusters.iter().collect();
    println!("10,000 issues: {} clusters, {} upkeeps, {:?}", clusters.len(), grouping.changes.len(), start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(120));
}

#[test]
fn labels_are_printed_to_be_read() {
    let Some(texts) = stream("clinc-stream-2500.jsonl") else { return };
    let grouping = group(&texts, Measure::Vectors);
    let language = Some(Language::En);
    let all = Statistics::of(texts.iter().map(|(text, _)| text.as_str()), language);
    let mut clusters = grouping.groups.clusters();
    clusters.sort_by_key(|(cluster, issues)| (std::cmp::Reverse(issues.len()), *cluster));
    for (cluster, issues) in clusters.into_iter().take(50) {
        let typical = grouping.groups.typical(cluster);
        let titles: Vec<&str> = typical.iter().map(|(issue, _)| texts[*issue as usize].0.as_str()).collect();
        let shown = describe(&titles, language, &all, None);
        let mut labels: Vec<&str> = issues.iter().map(|issue| texts[*issue as usize].1.as_str()).collect();
        labels.sort_unstable();
        let common = labels.chunk_by(|one, other| one == other).max_by_key(|same| same.len()).map(|same| same[0]);
        println!("{:3} {:50} {:16} {}", issues.len(), shown.label, shown.icon, common.unwrap_or_default());
        assert!(shown.label.chars().count() <= MAX_LABEL && !shown.label.is_empty());
    }
}

#[test]
fn a_conversation_of_a_hundred_thousand_odd_characters_takes_linear_time() {
    let bodies = [
        "a", "a ", "> ", "```", "<", "<div>", "&", "[", "*", "On ", "?", "1. ", "é", "日", "\n", "-- ", "error? ", "|",
    ];
    for part in bodies {
        let body = part.repeat(100_000 / part.len());
        let start = Instant::now();
        let parts = [Part { role: Role::User, body: &body }];
        let analysis = analyse(Some(&body), &parts, None);
        let time = start.elapsed();
        assert!(time < Duration::from_secs(10), "{part:?}: {time:?}");
        assert!(analysis.issues.iter().all(|issue| issue.title.chars().count() <= MAX_TITLE));
    }
}
