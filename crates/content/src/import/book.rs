//! `book.toml` of mdBook: where in a repository the book is.
use super::encoding::decode;
use super::path;
use super::source::{Source, SourceError, SourceTree};
use crate::markdown::{self, Unresolved};

/// The name of the file, at the root of a repository.
const BOOK: &str = "book.toml";

/// Whether a repository is one of mdBook.
pub(super) fn is_one(tree: &SourceTree) -> bool {
    tree.contains(BOOK)
}

/// The text of the settings (`.gitbook.yaml`) that say the same as the file. `None` without a table of contents where
/// the book should be.
pub(super) fn settings(source: &dyn Source) -> Result<Option<String>, SourceError> {
    let tree = source.tree();
    if !is_one(tree) || tree.contains("SUMMARY.md") {
        return Ok(None);
    }
    let file = decode(&source.read(BOOK)?).0.into_owned();
    let book = markdown::parse_whole(&format!("+++\n{file}\n+++\n"), &Unresolved).front_matter.unwrap_or_default();
    let folder = book.get("book").and_then(|book| book.get("src")?.as_str()).unwrap_or("src");
    let is_plain = |folder: &String| {
        !folder.is_empty() && folder.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
    };
    let folder = path::resolve("", folder).filter(is_plain);
    let folder = folder.filter(|folder| tree.contains(&path::join(folder, "SUMMARY.md")));
    Ok(folder.map(|folder| format!("root: ./{folder}/\n")))
}
