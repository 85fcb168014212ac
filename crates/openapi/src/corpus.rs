//! Real documents: those in the folder that `OCTAVO_SPECS` names, one after another. Tests of other modules try them
//! too.
//!
//! ```sh
//! dev/corpus ~/specs
//! OCTAVO_SPECS=~/specs cargo test --release -p openapi real -- --nocapture
//! ```
use crate::files::Files;
use crate::finding::{Code, Finding, Level};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

/// The folder of the documents. If there is none, this prints a message.
fn folder() -> Option<PathBuf> {
    let folder = env::var_os("OCTAVO_SPECS").map(PathBuf::from);
    if folder.is_none() {
        println!("nothing is tried: OCTAVO_SPECS names no folder of documents");
    }
    folder
}

/// The documents, in the order of their names; none without the folder.
pub(crate) fn documents() -> Vec<PathBuf> {
    let Some(folder) = folder() else { return Vec::new() };
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

/// The operations, schemas and so on of a document that are tried: all in an optimised build, otherwise every
/// twentieth, because all would take minutes.
pub(crate) fn some<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().step_by(if cfg!(debug_assertions) { 20 } else { 1 })
}

/// The output of another program for a document, if there is one: `swagger2openapi` has no prefix, Scalar's upgrader
/// has `scalar-`.
pub(crate) fn oracle(document: &Path, prefix: &str) -> Option<Vec<u8>> {
    let name = Path::new(document.file_stem()?).display();
    fs::read(document.with_file_name("oracles").join(format!("{prefix}{name}.json"))).ok()
}

/// What we read is what `serde_json` reads.
#[test]
fn real_json_is_read_as_serde_reads_it() {
    let mut files = 0;
    for path in documents() {
        let bytes = fs::read(&path).unwrap();
        let Ok(expected) = serde_json::from_slice::<serde_json::Value>(&bytes) else { continue };
        let root = crate::text::read(&bytes).root.unwrap();
        let found: serde_json::Value = serde_json::from_str(&root.to_json()).unwrap();
        assert!(found == expected, "{} differs", path.display());
        files += 1;
    }
    println!("{files} files of JSON are equal");
}

/// The lines of the documents that break their specification; all other documents are valid.
const FAULTS: [(&str, &[u32]); 3] = [
    // `type: 'null'` in 3.0.
    ("blockfrost.yaml", &[7817, 7997, 8807, 8918, 11119, 12545]),
    // `examples` of a schema that are not a list.
    ("galaxy.yaml", &[241]),
    // `exclusiveMinimum` and `exclusiveMaximum` of 3.0 in 3.1.
    ("readme-3.1-schema-validation-local.json", &[64, 65, 81, 82, 97, 98, 113, 114, 129, 130]),
];

fn faulty_lines(findings: &[Finding]) -> Vec<u32> {
    let structure = findings.iter().filter(|finding| finding.code == Code::Structure);
    structure.map(|finding| finding.at.line).collect()
}

#[test]
fn real_documents_have_the_faults_that_are_known_and_no_other() {
    for path in documents() {
        let reading = crate::text::read(&fs::read(&path).expect("the file can be read"));
        let mut findings = crate::check::check(&reading.root.expect("it can be read"));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = FAULTS.iter().find(|(file, _)| *file == name).map_or(&[][..], |(_, lines)| lines);
        assert_eq!(faulty_lines(&findings), known, "{name}");
        if name.starts_with("kubernetes") {
            // It has a property that is named `$ref`.
            let references = findings.iter().filter(|finding| finding.code.as_str().starts_with("ref-"));
            assert_eq!(references.count(), 0, "{name}");
        }
        // A document with a fatal finding makes no version.
        findings.extend(reading.findings);
        assert!(findings.iter().all(|finding| finding.level() != Level::Fatal), "{name}: {findings:?}");
    }
}

/// A document of 2.0 that leaves its parts to other files where 2.0 has no references: `paths: {$ref: …}`. They are not
/// followed.
#[test]
fn a_real_document_with_references_in_wrong_places_has_a_finding_for_each() {
    let Some(text) = folder().and_then(|folder| fs::read(folder.join("multi-file-swagger/index.yaml")).ok()) else {
        return;
    };
    let root = crate::text::read(&text).root.expect("it can be read");
    let found: Vec<String> = crate::check::check(&root).iter().map(ToString::to_string).collect();
    let expected = [
        "2:1 info: \"title\" is missing",
        "2:1 info: \"version\" is missing",
        "3:3 info: \"$ref\" is no field of \"info\"",
        "5:3 paths: the path \"$ref\" must begin with \"/\"",
        "7:9 definitions.$ref: this must be a mapping, not a text",
    ];
    assert_eq!(found, expected);
    assert_eq!(Files::new(root, Some("https://host/index.yaml")).wanted(), []);
}

/// The same document in two forms.
#[test]
fn a_real_document_has_the_same_parts_in_json_and_in_yaml() {
    let Some(folder) = folder() else { return };
    let parts = |name: &str| {
        let text = fs::read(folder.join(name)).ok()?;
        let root = crate::text::read(&text).root.expect("it can be read");
        Some(crate::parts::cut(&crate::upgrade::upgrade(root, None)))
    };
    let (Some(json), Some(yaml)) = (parts("rclone.json"), parts("rclone.yaml")) else { return };
    assert!(json.len() > 100, "{}", json.len());
    assert_eq!(json, yaml);
}

#[test]
fn real_documents_are_read_and_checked() {
    let shown: usize = env::var("OCTAVO_SHOWN").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    // The schemas are compiled once.
    crate::check::check(&crate::text::read(b"openapi: 3.0.0").root.unwrap());
    crate::check::check(&crate::text::read(b"openapi: 3.1.0").root.unwrap());
    for path in documents() {
        let bytes = fs::read(&path).unwrap();
        let start = Instant::now();
        let reading = crate::text::read(&bytes);
        let read = start.elapsed();
        let mut findings = reading.findings;
        if let Some(root) = &reading.root {
            findings.extend(crate::check::check(root));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("{name}: read {read:?}, all {:?}, {} findings", start.elapsed(), findings.len());
        let mut by_code: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.level() <= Level::Info) {
            by_code.entry((finding.level(), finding.code)).or_default().push(finding.to_string());
        }
        for ((_, code), texts) in by_code {
            println!("  {} {}", texts.len(), code.as_str());
            for text in texts.iter().take(shown) {
                println!("    {text}");
            }
        }
    }
}
