//! What an import reads: the files of a repository, in the order of their paths.
use super::path::{is_markdown, name};
use bytes::Bytes;
use std::collections::BTreeMap;

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It breaks a rule that keeps imports safe.
    #[error("{path}: {rule}")]
    Refused {
        /// The entry.
        path: String,
        /// The rule.
        rule: String,
    },
    /// It cannot be read at all.
    #[error("cannot read {path}")]
    Unreadable {
        /// The entry.
        path: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
}

/// The files of a repository. Texts that decide what is imported are at hand; of the others only the paths are, so that
/// the memory an import takes does not grow with its images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceTree {
    files: BTreeMap<String, Option<Bytes>>,
    notes: Vec<String>,
}

impl SourceTree {
    /// Whether the bytes of a file must be at hand: Markdown, YAML and what names patterns to ignore.
    pub fn needs_text(path: &str) -> bool {
        let name = name(path);
        is_markdown(path) || name.ends_with(".yaml") || name.ends_with(".yml")
    }

    /// Adds a file; `text` for those that [need it](Self::needs_text). The path is one that
    /// [`check_path`](super::path::check_path) accepts.
    pub fn insert(&mut self, path: impl Into<String>, text: Option<Bytes>) {
        self.files.insert(path.into(), text);
    }

    /// Notes something the importer should know, such as a link that was not followed.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// What was noted.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether there is such a file.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The bytes of a file that are at hand.
    pub fn text(&self, path: &str) -> Option<&Bytes> {
        self.files.get(path)?.as_ref()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The files below a folder, by their paths from there.
    pub fn below(&self, folder: &str) -> Self {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.files.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let files = from.map(|(path, text)| (path[start.len()..].to_owned(), text.clone())).collect();
        Self { files, notes: self.notes.clone() }
    }
}

/// A repository of documentation: a folder, an archive, a commit. Reading blocks.
pub trait Source: Send + Sync {
    /// What it calls itself: the name of the folder or archive, without an extension.
    fn name(&self) -> &str;
    /// Its files.
    fn tree(&self) -> &SourceTree;
    /// The bytes of one of its files.
    ///
    /// # Errors
    /// [`SourceError`] when they break a rule (they may be larger than they claimed) or cannot be read.
    fn read(&self, path: &str) -> Result<Bytes, SourceError>;
}
