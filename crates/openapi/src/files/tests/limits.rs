//! Findings in other files, and the limits that all files share.
use super::{ENTRY, in_schema, tree};
use crate::deadline::Deadline;
use crate::files::Files;
use crate::finding::{Code, Finding};
use rstest::rstest;
use serde_json::json;

fn read_files(given: &[(&str, &[u8])], deadline: &Deadline<'_>) -> Vec<Finding> {
    let mut files = Files::new(tree(&in_schema(json!({"$ref": "p.json"})).to_string()), Some(ENTRY));
    while let Some(wanted) = files.wanted().into_iter().next() {
        let file = given.iter().find(|(address, _)| *address == wanted.address);
        let file = file.map(|(address, bytes)| (*bytes, (*address).to_owned()));
        files.read(&wanted.address, file.ok_or("is missing".to_owned()), deadline);
    }
    files.bundle().1
}

#[rstest]
#[case::beside_the_document(&[("https://h/d/p.json", r#"{"a": 1,\n "a": {}}"#)], "p.json", 2)]
#[case::above_the_document(
    &[("https://h/d/p.json", r#"{"$ref": "../x%20y/q.json"}"#), ("https://h/x%20y/q.json", r#"{"a": 1, "a": {}}"#)],
    "../x y/q.json", 1
)]
#[case::of_another_host(
    &[("https://h/d/p.json", r#"{"$ref": "https://other/q.json?key=secret"}"#), ("https://other/q.json?key=secret", r#"{"a": 1, "a": {}}"#)],
    "https://other/q.json", 1
)]
fn a_finding_in_a_file_names_it(#[case] given: &[(&str, &str)], #[case] name: &str, #[case] line: u32) {
    let texts: Vec<(String, String)> =
        given.iter().map(|(address, text)| ((*address).to_owned(), text.replace("\\n", "\n"))).collect();
    let given: Vec<(&str, &[u8])> = texts.iter().map(|(address, text)| (address.as_str(), text.as_bytes())).collect();
    let findings = read_files(&given, &Deadline::never());
    let found: Vec<_> =
        findings.iter().map(|finding| (finding.code, finding.file.as_deref(), finding.at.line)).collect();
    assert_eq!(found, [(Code::DuplicateKey, Some(name), line)]);
    assert!(findings[0].to_string().starts_with(&format!("{name}:{line}:")), "{}", findings[0]);
}

#[test]
fn a_file_that_is_no_valid_text_is_a_finding_with_its_place() {
    let findings = read_files(&[("https://h/d/p.json", b"{\n  \"a\": ]")], &Deadline::never());
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(found[0].contains("p.json cannot be read: 2:") && found.len() == 1, "{found:?}");
    assert_eq!(findings[0].code, Code::RefFile);
}

#[test]
fn the_values_of_all_files_count_together() {
    let many = |count: usize| format!("[{}1]", "1,".repeat(count - 2)).into_bytes();
    let half = crate::text::MAX_VALUES / 2;
    let first = [br#"{"properties": {"a": {"$ref": "q.json"}, "b": {"$ref": "r.json"}}}"#.as_slice()].concat();
    let given = |count| {
        [("https://h/d/p.json", first.clone()), ("https://h/d/q.json", many(half)), ("https://h/d/r.json", many(count))]
    };
    let read = |given: [(&'static str, Vec<u8>); 3]| {
        let given: Vec<(&str, &[u8])> = given.iter().map(|(address, bytes)| (*address, bytes.as_slice())).collect();
        read_files(&given, &Deadline::never())
    };
    assert_eq!(read(given(half - 100)), []);
    let findings = read(given(half));
    let fatal: Vec<_> = findings.iter().filter(|finding| finding.code == Code::TooLarge).collect();
    assert_eq!(fatal[0].message, "the files of the document have together more than 4,000,000 values");
    assert_eq!((fatal.len(), fatal[0].file.as_deref()), (1, Some("r.json")));
}

#[test]
fn a_file_that_takes_too_long_is_a_fatal_finding() {
    let findings = read_files(&[("https://h/d/p.json", b"{}")], &Deadline::new(&|| true));
    assert!(findings.iter().any(|finding| finding.code == Code::TooSlow), "{findings:?}");
}
