//! Real documents: those in the folder that `OCTAVO_SPECS` names, one after another. Tests of other modules try them too.
//!
//! ```sh
//! dev/corpus ~/specs
//! OCTAVO_SPECS=~/specs cargo test --release -p openapi real -- --nocapture
//! ```
use crate::finding::Level;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use std::{env, fs};

/// The documents, in the order of their names; none where there is no folder, which is said.
pub(crate) fn documents() -> Vec<PathBuf> {
    let Some(folder) = env::var_os("OCTAVO_SPECS") else {
        println!("nothing is tried: OCTAVO_SPECS names no folder of documents");
        return Vec::new();
    };
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
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
