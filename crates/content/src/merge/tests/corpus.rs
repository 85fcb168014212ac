//! Real merges of a documentation repository, beside what git made of them.
use super::super::blocks::{Joined, join};
use super::*;
use crate::document::keep_keys;
use crate::markdown::{Unresolved, parse, write};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Deserialize)]
struct Case {
    merge: String,
    clean: bool,
    both: Vec<String>,
    files: BTreeMap<String, Versions>,
}

#[derive(Deserialize)]
struct Versions {
    base: Option<String>,
    ours: Option<String>,
    theirs: Option<String>,
    merged: Option<String>,
}

/// The merges to test with; none, with a printed reason, where they are absent.
fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/merges-fluentd.jsonl");
    match std::fs::read_to_string(&file) {
        Ok(text) => text.lines().map(|line| serde_json::from_str(line).expect("a merge")).collect(),
        Err(_) => {
            println!("skipped: {} is absent", file.display());
            Vec::new()
        }
    }
}

fn read(text: &str) -> Document {
    let source = parse(text, &Unresolved);
    source.into_document().expect("a valid document")
}

fn markdown(document: &Document) -> String {
    write(document, &Unresolved)
}

fn normal(text: &str) -> String {
    markdown(&read(&markdown(&read(text))))
}

/// The text of a file in three versions, two of them with the keys of the first.
fn versions(versions: &Versions) -> Option<[Document; 3]> {
    let base = read(versions.base.as_ref()?);
    let (ours, theirs) = (read(versions.ours.as_ref()?), read(versions.theirs.as_ref()?));
    Some([keep_keys(&base, ours), keep_keys(&base, theirs), base])
}

/// The results for the files with conflicts in git: where our conflicts are, and why.
const CONFLICTS: &[(&str, &str, usize, &str)] = &[
    ("f33a3f41", "install/install-by-msi.md", 1, "one side rewrote the end of the page, the other one the code there"),
    ("eaaa98bc", "articles/data-analytics.md", 2, LINKS),
    ("eaaa98bc", "articles/data-archiving.md", 3, LINKS),
    ("eaaa98bc", "articles/installation.md", 7, LINKS),
    ("eaaa98bc", "articles/logging-from-apps.md", 7, LINKS),
    ("eaaa98bc", "articles/monitoring-service-logs.md", 3, LINKS),
    ("eaaa98bc", "articles/performance-tuning.md", 2, LINKS),
    ("eaaa98bc", "articles/plugin-advanced-sections.md", 4, LINKS),
    ("eaaa98bc", "articles/plugin-apis.md", 9, LINKS),
    ("eaaa98bc", "articles/plugin-helpers.md", 14, LINKS),
    ("eaaa98bc", "articles/stream-processing.md", 3, LINKS),
];
const LINKS: &str = "each side gave each of these links another address";

#[test]
fn what_git_merges_we_merge_to_equal_text_and_what_conflicts_loses_no_line() {
    for case in cases() {
        for path in &case.both {
            let file = &case.files[path];
            let Some([ours, theirs, base]) = versions(file) else { continue };
            let at = format!("{} {path}", &case.merge[..8]);
            let Joined::Blocks(document, conflicts) = join(&base, &ours, &theirs, Wording::Joined) else {
                panic!("{at} is contested")
            };
            match &file.merged {
                Some(merged) => {
                    assert_eq!(conflicts, [], "{at}");
                    assert_eq!(normal(&markdown(&document)), normal(merged), "{at}");
                }
                None => {
                    let expected =
                        CONFLICTS.iter().find(|(merge, file, ..)| case.merge.starts_with(merge) && file == path);
                    let (_, _, count, why) = expected.expect("a known conflict");
                    assert_eq!(conflicts.len(), *count, "{at}: {why}");
                }
            }
            let mut told = lines(&document);
            for value in conflicts.iter().flat_map(|conflict| [&conflict.primary, &conflict.change]).flatten() {
                told.extend(lines(&Document { blocks: vec![value.block.clone()] }));
            }
            let words: BTreeSet<&str> = told.iter().flat_map(|line| line.split_whitespace()).collect();
            let before = lines(&base);
            for line in lines(&ours).union(&lines(&theirs)).filter(|line| !before.contains(*line)) {
                let whole = told.contains(line);
                assert!(whole || line.split_whitespace().all(|word| words.contains(word)), "{at} lost {line:?}");
            }
        }
    }
}

/// The lines of a text, with the addresses of its links.
fn lines(document: &Document) -> BTreeSet<String> {
    let mut lines: BTreeSet<String> = markdown(document).lines().map(|line| line.trim().to_owned()).collect();
    lines.extend(document.walk().flat_map(|block| block.line().lines().map(str::to_owned).collect::<Vec<_>>()));
    lines
}

/// The pages of one side, by the paths of files; what only one side changed needs no blocks.
fn pages(world: &mut World, case: &Case, side: impl Fn(&Versions) -> &Option<String>) -> Snapshot {
    let mut edits = Edits::default();
    for (at, (path, file)) in case.files.iter().enumerate() {
        let Some(text) = side(file) else { continue };
        let blocks = if case.both.contains(path) { read(text).blocks } else { vec![paragraph("all", text)] };
        let page = world.written(page(&format!("p{at}"), None, at % 62), blocks);
        edits.pages.insert(id(&format!("p{at}")), Some(page));
    }
    world.edit(&Snapshot::default(), edits).expect("a valid tree")
}

#[test]
fn files_that_a_side_added_or_deleted_are_there_or_not_as_git_has_them() {
    for case in cases().iter().filter(|case| case.clean) {
        let mut world = World::default();
        let base = pages(&mut world, case, |file| &file.base);
        let ours = pages(&mut world, case, |file| &file.ours);
        let theirs = pages(&mut world, case, |file| &file.theirs);
        let merged = world.merge(&base, &ours, &theirs).snapshot;
        for (at, (path, file)) in case.files.iter().enumerate() {
            let page = world.page(&merged, &format!("p{at}"));
            assert_eq!(page.is_some(), file.merged.is_some(), "{} {path}", case.merge);
            if let (Some(text), false) = (&file.merged, case.both.contains(path)) {
                assert_eq!(world.lines(&merged, &format!("p{at}")), std::slice::from_ref(text));
            }
        }
    }
}
