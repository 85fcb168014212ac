//! The contents of a difference, and its output forms.
use super::{between, lines, request, tree};
use crate::diff::{ChangeLevel, ChangedOperation, Diff, MAX_CHANGES, Position, accepted, diff, markdown, rules, text};
use rstest::rstest;
use std::collections::{BTreeMap, BTreeSet};

const OLD: &str = "paths:\n  /a:\n    get:\n      deprecated: true\n    put: {}\n";
const NEW: &str = "paths:\n  /a:\n    get:\n      deprecated: true\n      parameters:\n        - in: query\n          name: q\n          required: true\n";

#[test]
fn a_change_names_its_place_in_the_new_document() {
    let found = between(OLD, NEW);
    let change = found.changes.iter().find(|change| change.id == "request-required-parameter-added").expect("a change");
    assert_eq!(change.pointer, "/paths/~1a/get/parameters/0");
    assert_eq!(change.position, Some(Position { file: 0, line: 7, column: 11 }));
    assert!(!change.in_old);
}

#[test]
fn a_removal_names_its_place_in_the_old_document() {
    let found = between(OLD, NEW);
    let change = found.changes.iter().find(|change| change.id == "operation-removed").expect("a change");
    assert_eq!((change.pointer.as_str(), change.in_old), ("/paths/~1a/put", true));
    assert_eq!(change.position, Some(Position { file: 0, line: 6, column: 5 }));
}

#[test]
fn a_difference_in_json_keeps_its_form() {
    let found = between(OLD, NEW);
    let json = serde_json::to_value(&found).expect("a value");
    assert_eq!(json["changes"][0]["inOld"], true);
    assert_eq!(
        json["changes"][1],
        serde_json::json!({
            "id": "request-required-parameter-added",
            "level": "breaking",
            "text": "query parameter \"q\" was added and is required",
            "operations": [{"method": "get", "path": "/a"}],
            "pointer": "/paths/~1a/get/parameters/0",
            "fingerprint": found.changes[1].fingerprint,
            "position": {"line": 7, "column": 11},
        })
    );
    assert_eq!(json["counts"], serde_json::json!({"breaking": 2, "risky": 0, "announced": 0, "fine": 0, "words": 0}));
    assert_eq!(serde_json::from_value::<Diff>(json).expect("a difference"), found);
}

#[test]
fn changes_are_sorted_by_level_and_then_by_place() {
    let found = between(
        "paths: {/a: {get: {summary: a}, put: {}}, /b: {get: {parameters: [{in: query, name: x}]}}}",
        "paths: {/b: {get: {}}, /a: {get: {summary: b}, post: {}}}",
    );
    assert_eq!(
        lines(&found),
        [
            "breaking operation-removed: the operation was removed",
            "risky request-parameter-removed: query parameter \"x\" was removed",
            "fine operation-added: the operation was added",
            "words description-changed: the operation has another description",
        ]
    );
}

#[test]
fn a_fingerprint_stays_and_is_of_one_change() {
    let found =
        between(&request("{properties: {a: {}, b: {}}}"), &request("{required: [a, b], properties: {a: {}, b: {}}}"));
    let prints: BTreeSet<&str> = found.changes.iter().map(|change| change.fingerprint.as_str()).collect();
    assert_eq!(prints.len(), 2);
    assert_eq!(found.changes[0].fingerprint, "1870080201de");
}

#[test]
fn accepted_changes_are_left_out_and_not_counted() {
    let found = between(OLD, NEW);
    let file = format!(
        "\u{feff}# accepted\n\n  {} GET /a: agreed\r\n#{}\nnonsense",
        found.changes[0].fingerprint.to_uppercase(),
        found.changes[1].fingerprint
    );
    let rest = found.clone().without(&accepted(&file));
    assert_eq!(rest.changes, found.changes[1..]);
    assert_eq!((found.counts.breaking, rest.counts.breaking), (2, 1));
}

#[test]
fn a_difference_lists_so_many_changes_and_counts_all() {
    let document = |summary: &str| {
        let paths: Vec<String> =
            (0..MAX_CHANGES + 5).map(|at| format!("\"/{at}\": {{get: {{summary: {summary}}}}}")).collect();
        format!("paths: {{{}, /x: {{put: {{}}}}}}", paths.join(", "))
    };
    let found = between(&document("a"), &document("b").replace("put", "post"));
    assert_eq!((found.changes.len(), found.more, found.counts.all()), (MAX_CHANGES, 7, MAX_CHANGES + 7));
    assert_eq!((found.counts.breaking, found.counts.fine, found.counts.words), (1, 1, MAX_CHANGES + 5));
    assert!(text(&found).ends_with("\n7 more changes are not listed.\n"));
    assert!(markdown(&found, "x").ends_with("\n- … and 7 more\n"));
}

#[test]
fn a_change_that_many_operations_reach_lists_so_many_and_counts_the_rest() {
    let document = |kind: &str| {
        let operation = "{get: {parameters: [{$ref: \"#/components/parameters/P\"}]}}";
        let paths: Vec<String> = (0..1_010).map(|at| format!("\"/{at}\": {operation}")).collect();
        format!(
            "paths: {{{}}}\ncomponents: {{parameters: {{P: {{in: query, name: p, schema: {{type: {kind}}}}}}}}}",
            paths.join(", ")
        )
    };
    let found = between(&document("string"), &document("integer"));
    assert_eq!(
        (found.changes.len(), found.changes[0].operations.len(), found.changes[0].more_operations),
        (1, 1_000, 10)
    );
    assert!(text(&found).contains("GET /0, GET /1, GET /2 and 1007 more: query parameter"));
}

#[test]
fn the_text_has_a_line_for_each_change() {
    let found = between(OLD, "paths: {/a: {get: {deprecated: true, summary: s}}}\ninfo: {title: t}");
    let prints: Vec<&str> = found.changes.iter().map(|change| change.fingerprint.as_str()).collect();
    assert_eq!(
        text(&found),
        format!(
            "breaking (1)\n  PUT /a: the operation was removed  [operation-removed {}]\n\
             words (2)\n  GET /a: the operation has another description  [description-changed {}]\n  \
             the title, version or description of the API changed  [info-changed {}]\n",
            prints[0], prints[1], prints[2]
        )
    );
    assert_eq!(text(&Diff::default()), "No changes.\n");
}

#[test]
fn the_changelog_is_grouped_by_level() {
    let found = between(OLD, "paths: {/a: {get: {deprecated: true}, post: {}}}");
    assert_eq!(
        markdown(&found, "2.0 & later"),
        "## 2.0 &amp; later\n\n### Breaking changes\n\n- `PUT /a`: the operation was removed\n\n\
         ### Other changes\n\n- `POST /a`: the operation was added\n"
    );
    assert_eq!(markdown(&Diff::default(), "2.0"), "## 2.0\n\nNo changes.\n");
}

#[rstest]
#[case::html("<script>alert(1)</script>", "schema \"&lt;script&gt;alert(1)&lt;/script&gt;\"")]
#[case::emphasis("*a*_b_~c~", "schema \"\\*a\\*\\_b\\_\\~c\\~\"")]
#[case::a_link("[a](javascript:x)", "schema \"\\[a\\](javascript:x)\"")]
#[case::an_automatic_link("https://evil www.evil", "schema \"https&#58;//evil www&#46;evil\"")]
#[case::a_mention("@all #1", "schema \"&#64;all \\#1\"")]
#[case::a_table("a|b", "schema \"a\\|b\"")]
#[case::code("a`b", "schema \"a\\`b\"")]
#[case::a_line_end("a\\n# b", "schema \"a \\# b\"")]
#[case::a_direction("a\\u202eb", "schema \"a b\"")]
fn hostile_names_make_no_markup(#[case] name: &str, #[case] shown: &str) {
    let found =
        between("components: {schemas: {a: {}}}", &format!("components: {{schemas: {{a: {{}}, \"{name}\": {{}}}}}}"));
    assert_eq!(markdown(&found, "h"), format!("## h\n\n### Other changes\n\n- {shown} was added\n"));
}

#[rstest]
#[case::a_backtick("/a`b", "``GET /a`b``")]
#[case::more_backticks("/``", "``` GET /`` ```")]
#[case::html("/<b>", "`GET /<b>`")]
#[case::a_line_end("/a\\n# b", "`GET /a # b`")]
fn hostile_paths_stay_within_code(#[case] path: &str, #[case] shown: &str) {
    let found = between("paths: {}", &format!("paths: {{\"{path}\": {{get: {{}}}}}}"));
    assert!(
        markdown(&found, "h").contains(&format!("- {shown}: the operation was added\n")),
        "{}",
        markdown(&found, "h")
    );
}

#[test]
fn a_terminal_is_not_controlled() {
    let found = between("paths: {}", "paths: {\"/\\u001b[2J\": {get: {operationId: x}}}");
    assert_eq!(
        found.changes[0].operations,
        [ChangedOperation { method: "get".into(), path: "/\u{1b}[2J".into(), webhook: None }]
    );
    assert!(!text(&found).contains('\u{1b}'));
}

#[test]
fn every_rule_has_its_own_id_in_kebab_case() {
    let ids: BTreeMap<String, ChangeLevel> = rules().collect();
    assert_eq!(ids.len(), rules().count());
    assert!(
        ids.keys()
            .all(|id| id.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())))
    );
    let unused = ids.iter().filter(|(id, _)| id.starts_with("unused-"));
    assert!(unused.clone().count() > 50 && unused.clone().all(|(_, level)| *level >= ChangeLevel::Fine));
}

#[test]
fn every_rule_is_in_a_test() {
    let tests = [
        include_str!("values.rs"),
        include_str!("fields.rs"),
        include_str!("schemas.rs"),
        include_str!("operations.rs"),
        include_str!("pairs.rs"),
        include_str!("responses.rs"),
        include_str!("security.rs"),
        include_str!("sharing.rs"),
        include_str!("hostile.rs"),
    ];
    // Whole ids, with or without their way: `parameter-added` is not in a test because `required-parameter-added` is.
    let is_part = |symbol: char| symbol.is_ascii_lowercase() || symbol == '-';
    let words: BTreeSet<&str> = tests.iter().flat_map(|test| test.split(|symbol| !is_part(symbol))).collect();
    let way =
        |id: &str| ["request-", "response-", "unused-"].iter().find_map(|way| id.strip_prefix(way)).map(str::to_owned);
    for (id, _) in rules() {
        let rule = way(&id).unwrap_or_else(|| id.clone());
        let ids = [rule.clone(), format!("request-{rule}"), format!("response-{rule}")];
        assert!(ids.iter().any(|id| words.contains(id.as_str())), "{id}");
    }
}

#[test]
fn without_a_date_no_sunset_is_over() {
    let old = tree("{openapi: 3.1.0, paths: {/a: {get: {deprecated: true, x-sunset: \"2020-01-01\"}}}}");
    let new = tree("{openapi: 3.1.0, paths: {}}");
    let level = |today| diff(&old, &new, today).changes[0].level;
    assert_eq!(
        [level(None), level(Some("yesterday")), level(Some("2019-12-31")), level(Some("2020-01-01"))],
        [ChangeLevel::Breaking, ChangeLevel::Breaking, ChangeLevel::Breaking, ChangeLevel::Announced]
    );
}
