use super::*;
use crate::openapi::parts::OperationSummary;
use crate::openapi_spec::ChangelogEntry;
use chrono::{DateTime, TimeDelta};
use rstest::rstest;
use serde_json::json;

fn source(grouping: &str) -> ComputedSource {
    let props = json!({"doc": "changelog", "grouping": grouping});
    ComputedSource::openapi("pets", props.as_object().unwrap().clone())
}

fn summary() -> Summary {
    let operation = |path: &str, internal| OperationSummary {
        method: "get".into(),
        path: path.into(),
        tags: vec!["pets".into()],
        internal,
        ..OperationSummary::default()
    };
    Summary { operations: vec![operation("/pets", false), operation("/us", true)], ..Summary::default() }
}

/// A version that was added so many days after 1970-01-01.
fn version(days: i64, entry: Option<ChangelogEntry>) -> ChangelogVersion {
    ChangelogVersion { created_at: DateTime::UNIX_EPOCH + TimeDelta::days(days), entry }
}

fn line(paths: &[&str], more_operations: usize, text: &str) -> ChangelogLine {
    let operation = |path: &&str| ChangedOperation { method: "get".into(), path: (*path).into(), webhook: None };
    let operations = paths.iter().map(operation).collect();
    ChangelogLine { operations, more_operations, text: text.into() }
}

fn section(level: ChangeLevel, lines: Vec<ChangelogLine>, more: usize) -> ChangelogSection {
    ChangelogSection { level, lines, more }
}

/// A version with changes, and the first one.
fn two(sections: Vec<ChangelogSection>) -> Vec<ChangelogVersion> {
    let entry = ChangelogEntry::new(" 2.0\n", Some(Changelog { sections }));
    vec![version(1, Some(entry)), version(0, Some(ChangelogEntry::new("", None)))]
}

fn lines(document: &Document) -> Vec<String> {
    document.text().lines().map(str::to_owned).collect()
}

#[test]
fn the_newest_version_is_first_and_its_changes_are_in_sections() {
    let sections = vec![
        section(ChangeLevel::Breaking, vec![line(&["/pets", "/gone"], 0, "it was removed")], 0),
        section(ChangeLevel::Fine, vec![line(&["/pets"], 2, "it was added"), line(&[], 0, "a server was added")], 7),
        section(ChangeLevel::Words, Vec::new(), 1),
    ];
    let found = changelog(&source("by-tag"), &summary(), &two(sections), None).unwrap();
    assert_eq!(
        lines(&found),
        [
            "Version 2.0, 1970-01-02",
            "Breaking changes",
            "GET /pets, GET /gone: it was removed",
            "Other changes",
            "GET /pets and 2 more: it was added",
            "a server was added",
            "and 7 more",
            "1 change of descriptions and examples.",
            "1970-01-01",
            "There is no earlier version to compare with.",
        ]
    );
    let levels: Vec<u8> = found.headings().into_iter().map(|heading| heading.level).collect();
    assert_eq!(levels, [2, 3, 3, 2]);
    assert_eq!(found.references().len(), 0, "a preview has no pages to link to");
}

#[test]
fn versions_with_no_or_unknown_changes_are_marked() {
    let mut versions = two(Vec::new());
    versions.insert(0, version(2, None));
    let found = changelog(&source("by-tag"), &summary(), &versions, None).unwrap();
    let unknown = "The changes of this version were not recorded.";
    let nothing = "Nothing that these pages show has changed.";
    assert_eq!(lines(&found)[..4], ["1970-01-03", unknown, "Version 2.0, 1970-01-02", nothing]);
}

#[test]
fn a_change_of_an_operation_that_became_internal_is_no_longer_listed() {
    let lines_of = |lines: Vec<ChangelogLine>| {
        let found = changelog(&source("by-tag"), &summary(), &two(vec![section(ChangeLevel::Fine, lines, 0)]), None);
        self::lines(&found.unwrap())
    };
    let only = lines_of(vec![line(&["/us"], 0, "it was added")]);
    assert_eq!(only[1], "Nothing that these pages show has changed.");
    let beside = lines_of(vec![line(&["/us", "/pets"], 0, "it was added"), line(&["/us"], 1, "it changed")]);
    assert_eq!(beside[1..3], ["Other changes", "GET /pets: it was added"]);
    assert!(!beside.iter().any(|line| line.contains("/us") || line.contains("it changed")), "{beside:?}");
}

#[test]
fn a_compared_version_keeps_its_changelog_after_its_predecessor_is_removed() {
    let mut versions = two(Vec::new());
    versions.truncate(1);
    assert!(changelog(&source("by-tag"), &summary(), &versions, None).is_some());
}

#[rstest]
#[case::no_version(0)]
#[case::one_version(1)]
fn there_is_no_changelog_of_fewer_than_two_versions(#[case] count: usize) {
    // The last ones, which were not compared.
    let versions = two(Vec::new()).split_off(2 - count);
    assert_eq!(changelog(&source("by-tag"), &summary(), &versions, None), None);
}

#[rstest]
#[case::by_tag("by-tag", PageDoc::Operations { page: "pets".into() })]
#[case::by_operation(
    "by-operation",
    PageDoc::Operation { page: "/pets".into(), method: "get".into(), deprecated: false }
)]
fn an_operation_links_to_the_page_that_shows_it(#[case] grouping: &str, #[case] page: PageDoc) {
    let place: PageId = "c".parse().unwrap();
    let sections = vec![section(ChangeLevel::Risky, vec![line(&["/pets", "/us", "/gone"], 0, "it changed")], 0)];
    let found = changelog(&source(grouping), &summary(), &two(sections), Some(&place)).unwrap();
    let targets: Vec<ContentRef> = found.references().into_iter().map(|found| found.target).collect();
    let page = generated_id(&place, &page.id("pets")).unwrap();
    assert_eq!(targets, [ContentRef::Page { page, space: None }]);
}

#[test]
fn hostile_texts_stay_text() {
    let hostile = "<script>alert(1)</script> [a](javascript:x) {% include %} `a`";
    let sections = vec![section(ChangeLevel::Fine, vec![line(&[hostile], 0, hostile)], 0)];
    let found = changelog(&source("by-tag"), &summary(), &two(sections), None).unwrap();
    assert_eq!(lines(&found)[2], format!("GET {hostile}: {hostile}"));
    assert_eq!(found.references().len(), 0);
}

#[test]
fn the_source_of_another_page_has_no_changelog() {
    let other = ComputedSource::openapi("pets", json!({"doc": "models"}).as_object().unwrap().clone());
    assert_eq!(changelog(&other, &summary(), &two(Vec::new()), None), None);
}
