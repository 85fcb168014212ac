//! Real documents: those in the folder that `OCTAVO_SPECS` names, one after another.
//!
//! ```sh
//! OCTAVO_SPECS=~/specs cargo test --release -p openapi --test specs -- --ignored --nocapture
//! ```
use openapi::finding::Level;
use std::collections::BTreeMap;
use std::time::Instant;

/// What we read is what `serde_json` reads.
#[test]
#[ignore = "needs a folder of documents"]
fn real_json_is_read_as_serde_reads_it() {
    let Ok(folder) = std::env::var("OCTAVO_SPECS") else { panic!("OCTAVO_SPECS must name a folder") };
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let Ok(expected) = serde_json::from_slice::<serde_json::Value>(&bytes) else { continue };
        let root = openapi::text::read(&bytes).root.unwrap();
        let found: serde_json::Value = serde_json::from_str(&root.to_json()).unwrap();
        assert!(found == expected, "{} differs", path.display());
        files += 1;
    }
    eprintln!("{files} files of JSON are equal");
}

#[test]
#[ignore = "needs a folder of documents"]
fn real_documents_are_read_and_checked() {
    let Ok(folder) = std::env::var("OCTAVO_SPECS") else { panic!("OCTAVO_SPECS must name a folder") };
    let shown: usize = std::env::var("OCTAVO_SHOWN").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    // The schemas are compiled once.
    openapi::check::check(&openapi::text::read(b"openapi: 3.0.0").root.unwrap());
    openapi::check::check(&openapi::text::read(b"openapi: 3.1.0").root.unwrap());
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let start = Instant::now();
        let reading = openapi::text::read(&bytes);
        let read = start.elapsed();
        let mut findings = reading.findings;
        if let Some(root) = &reading.root {
            findings.extend(openapi::check::check(root));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        eprintln!("{name}: read {read:?}, all {:?}, {} findings", start.elapsed(), findings.len());
        let mut by_code: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.level() <= Level::Info) {
            by_code.entry((finding.level(), finding.code)).or_default().push(finding.to_string());
        }
        for ((_, code), texts) in by_code {
            eprintln!("  {} {}", texts.len(), code.as_str());
            for text in texts.iter().take(shown) {
                eprintln!("    {text}");
            }
        }
    }
}
