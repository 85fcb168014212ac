//! Which changes a changelog lists.
use super::{between, tree};
use crate::diff::{ChangedOperation, Changelog, ChangelogLimits, ChangelogLine, ChangelogSection, one_line};
use crate::parts::{Summary, summary};

/// A line for each section, and one for each change in it.
fn outline(changelog: &Changelog) -> Vec<String> {
    let line = |line: &ChangelogLine| {
        let names: Vec<String> = line.operations.iter().map(ChangedOperation::name).collect();
        format!("{} +{}: {}", names.join(", "), line.more_operations, line.text)
    };
    let section = |section: &ChangelogSection| {
        let head = format!("{} +{}", section.level.as_str(), section.more);
        std::iter::once(head).chain(section.lines.iter().map(line)).collect::<Vec<_>>()
    };
    changelog.sections.iter().flat_map(section).collect()
}

fn summary_of(text: &str) -> Summary {
    summary(&tree(&format!("openapi: 3.1.1\n{text}")))
}

const SOME: ChangelogLimits = ChangelogLimits { changes: 2, words: false, length: 20 };

const OLD: &str =
    "paths: {/a: {get: {summary: a}, put: {}, post: {}}, /b: {get: {parameters: [{in: query, name: x}]}}}";
const NEW: &str = "paths: {/b: {get: {}}, /a: {get: {summary: b}, patch: {}}}";

#[test]
fn a_changelog_has_the_worst_changes_first() {
    let all = ChangelogLimits { length: 500, ..ChangelogLimits::ALL };
    assert_eq!(
        outline(&Changelog::of(&between(OLD, NEW), &all)),
        [
            "breaking +0",
            "PUT /a +0: the operation was removed",
            "POST /a +0: the operation was removed",
            "risky +0",
            "GET /b +0: query parameter \"x\" was removed",
            "fine +0",
            "PATCH /a +0: the operation was added",
            "words +0",
            "GET /a +0: the operation has another description",
        ]
    );
}

#[test]
fn a_changelog_lists_so_many_changes_and_counts_the_others() {
    let found = Changelog::of(&between(OLD, NEW), &ChangelogLimits { length: 500, ..SOME });
    assert_eq!(
        outline(&found),
        [
            "breaking +0",
            "PUT /a +0: the operation was removed",
            "POST /a +0: the operation was removed",
            "risky +1",
            "fine +1",
            "words +1",
        ]
    );
    let words = Changelog::of(&between("info: {title: a}", "info: {title: b}"), &SOME);
    assert_eq!(outline(&words), ["words +1"], "what people read is counted only");
    assert_eq!(Changelog::of(&between(OLD, OLD), &SOME), Changelog::default());
}

#[test]
fn the_texts_of_a_changelog_are_short_and_on_one_line() {
    let found = between("paths: {}", &format!("paths: {{\"/\\u001b{}\": {{get: {{}}}}}}", "x".repeat(50)));
    let found = Changelog::of(&found, &SOME);
    let line = &found.sections[0].lines[0];
    assert_eq!(line.operations[0].path, format!("/ {}…", "x".repeat(18)));
    assert_eq!(line.text, "the operation was ad…");
}

#[test]
fn a_line_has_no_line_ends_and_no_changes_of_direction_but_joiners() {
    assert_eq!(one_line("a\r\nb\u{2028}c\u{202e}d\u{61c}e\u{1b}f"), "a  b c d e f");
    assert_eq!(one_line("می\u{200c}خواهم 👩\u{200d}💻"), "می\u{200c}خواهم 👩\u{200d}💻");
}

#[test]
fn a_changelog_keeps_its_stored_form() {
    let found = Changelog::of(&between(OLD, NEW), &ChangelogLimits { changes: 1, ..SOME });
    let json = serde_json::to_value(&found).expect("a value");
    assert_eq!(
        json["sections"][0],
        serde_json::json!({
            "level": "breaking",
            "lines": [{"operations": [{"method": "put", "path": "/a"}], "text": "the operation was re…"}],
            "more": 1,
        })
    );
    assert_eq!(serde_json::from_value::<Changelog>(json).expect("a changelog"), found);
}

#[test]
fn readers_see_no_changes_of_what_no_page_shows() {
    let old = "paths: {/a: {get: {}}, \"/s/{id}\": {x-internal: true, get: {parameters: [{in: query, name: q}]}}, \
         /m: {get: {operationId: m, x-internal: true}}, /was: {get: {x-internal: true}}}";
    let new = "paths: {/a: {get: {}, put: {}}, \"/s/{key}\": {x-internal: true, get: {}}, /n: {get: {operationId: m}}, \
         /was: {get: {parameters: [{in: query, name: q}]}}}\n\
         components: {schemas: {Unused: {}}}\ninfo: {title: t}";
    let found = between(old, new);
    assert!(found.counts.all() > 4, "{found:?}");
    let shown = found.shown(&summary_of(old), &summary_of(new));
    let all = ChangelogLimits { length: 500, ..ChangelogLimits::ALL };
    assert_eq!(
        outline(&Changelog::of(&shown, &all)),
        [
            "fine +0",
            "PUT /a +0: the operation was added",
            "words +0",
            " +0: the title, version or description of the API changed",
        ]
    );
}

#[test]
fn a_shared_change_names_only_operations_that_pages_show() {
    let document = |kind: &str| {
        let operation = "parameters: [{$ref: \"#/components/parameters/P\"}]";
        format!(
            "paths: {{/a: {{get: {{{operation}}}}}, /b: {{get: {{x-internal: true, {operation}}}}}}}\n\
             components: {{parameters: {{P: {{in: query, name: p, schema: {{type: {kind}}}}}}}}}"
        )
    };
    let (old, new) = (document("string"), document("integer"));
    let shown = between(&old, &new).shown(&summary_of(&old), &summary_of(&new));
    let names: Vec<String> = shown.changes[0].operations.iter().map(ChangedOperation::name).collect();
    assert_eq!((names, shown.counts.all()), (vec!["GET /a".to_owned()], 1));
}
