//! The input of an import: the files of a repository, in the order of their paths.
use super::names::Names;
use super::path::{self, fold, is_markdown, name};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::OnceLock;

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
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// The entry.
        path: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
}

/// The names of the files of a repository. Their contents are read one by one ([`Source::read`]), so the memory of an
/// import does not grow with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceTree {
    files: BTreeSet<String>,
    notes: Vec<String>,
    /// The names of the files, after they were first needed.
    names: OnceLock<Names>,
    /// The same for their paths without regard to case.
    folded: OnceLock<Box<Folded>>,
}

/// Files by their paths without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folded {
    /// The paths, [folded](fold).
    pub tree: SourceTree,
    /// For each of them, the path of the file; of several files, the first.
    pub files: HashMap<String, String>,
}

impl SourceTree {
    /// Whether the import reads the text of a file: Markdown, and settings in YAML.
    pub fn is_text(path: &str) -> bool {
        let name = name(path);
        is_markdown(path) || name.ends_with(".yaml") || name.ends_with(".yml")
    }

    /// Adds a file. The path is one that [`check_path`](super::path::check_path) accepts.
    pub fn insert(&mut self, path: impl Into<String>) {
        self.files.insert(path.into());
        (self.names, self.folded) = (OnceLock::new(), OnceLock::new());
    }

    /// Adds a note for the importer, such as a link that was not followed.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The notes.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The paths of the files in a folder, in order; all paths if it is the root.
    pub(crate) fn paths_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.files.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
        from.map(String::as_str).take_while(move |path| path.starts_with(&start))
    }

    /// Whether there is such a file.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether the path of any file starts with these characters.
    pub(crate) fn has_start(&self, start: &str) -> bool {
        let mut from = self.files.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        from.next().is_some_and(|path| path.starts_with(start))
    }

    /// Whether there is such a file, and [`is_text`](Self::is_text).
    pub(crate) fn contains_text(&self, path: &str) -> bool {
        Self::is_text(path) && self.contains(path)
    }

    /// The file with this name, in any folder.
    pub(crate) fn named(&self, name: &str) -> Option<&str> {
        self.names.get_or_init(|| Names::of(self.paths())).find(name)
    }

    /// The files by their paths without regard to case.
    pub(crate) fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| {
            let mut files = HashMap::with_capacity(self.files.len());
            for path in &self.files {
                files.entry(fold(path)).or_insert_with(|| path.clone());
            }
            let tree = Self { files: files.keys().cloned().collect(), ..Self::default() };
            Box::new(Folded { tree, files })
        })
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
        let files = self.paths_in(folder).filter_map(|path| path::inside(folder, path)).map(str::to_owned).collect();
        Self { files, notes: self.notes.clone(), ..Self::default() }
    }
}

/// A repository of documentation: a folder, an archive, a commit. Reading blocks.
pub trait Source: Send + Sync {
    /// The name of the folder or archive, without an extension.
    fn name(&self) -> &str;
    /// Its files.
    fn tree(&self) -> &SourceTree;
    /// The bytes of one of its files.
    ///
    /// # Errors
    /// [`SourceError`] when they break a rule (they may be larger than they claimed) or cannot be read.
    fn read(&self, path: &str) -> Result<Bytes, SourceError>;
}

/// A repository in memory.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    name: String,
    tree: SourceTree,
    files: BTreeMap<String, Bytes>,
}

impl InMemory {
    /// A repository of these files, by their paths.
    pub fn new<P: Into<String>>(name: impl Into<String>, files: impl IntoIterator<Item = (P, Bytes)>) -> Self {
        let files: BTreeMap<String, Bytes> = files.into_iter().map(|(path, bytes)| (path.into(), bytes)).collect();
        let mut tree = SourceTree::default();
        files.keys().for_each(|path| tree.insert(path.as_str()));
        Self { name: name.into(), tree, files }
    }
}

impl Source for InMemory {
    fn name(&self) -> &str {
        &self.name
    }

    fn tree(&self) -> &SourceTree {
        &self.tree
    }

    fn read(&self, path: &str) -> Result<Bytes, SourceError> {
        let missing = || SourceError::Refused { path: path.to_owned(), rule: "there is no such file".to_owned() };
        self.files.get(path).cloned().ok_or_else(missing)
    }
}
