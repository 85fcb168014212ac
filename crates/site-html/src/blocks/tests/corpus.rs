//! Real documentation.
use super::{lines, rendered_with};
use domain::content::document::Kind;
use domain::content::markdown::{self, Unresolved};
use domain::site::reader::References;
use std::fs;
use std::path::{Path, PathBuf};

/// The Markdown files of a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let below = paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    below.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

#[test]
fn each_block_of_real_documentation_is_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all: Vec<PathBuf> = ["../../../shared/corpus/fluentd-docs", "../../docs", "../app/demo"]
        .iter()
        .flat_map(|folder| files(&root.join(folder)))
        .collect();
    if all.is_empty() {
        println!("nothing is rendered: there is no documentation");
        return;
    }
    let (mut blocks, mut bytes) = (0, 0);
    for path in &all {
        let text = fs::read_to_string(path).unwrap();
        let Ok(document) = markdown::parse(&text, &Unresolved).into_document() else { continue };
        for block in document.blocks {
            let name = block.kind.block_type();
            // Content that other steps put in place, and images that are not there.
            let is_elsewhere = matches!(block.kind, Kind::If(_) | Kind::ReusableContent(_) | Kind::Images(_));
            let is_comment =
                matches!(&block.kind, Kind::Verbatim(data) if data.source.trim_start().starts_with("<!--"));
            let document = domain::content::document::Document { blocks: vec![block] };
            let article = rendered_with(&document, &References::default());
            let is_seen = !article.html.is_empty() || document.text().trim().is_empty();
            assert!(is_seen || is_elsewhere || is_comment, "{name} in {}: {document:?}", path.display());
            blocks += 1;
            bytes += article.html.len();
        }
    }
    println!("{} files: {blocks} blocks are {bytes} bytes", all.len());
    assert!(!lines("<p>a</p>").is_empty());
}
