//! The import itself.
use super::config::{CONFIG, Config, SERVICE_FOLDER};
use super::desk::Desk;
use super::file::{WantedFile, git_id};
use super::links::{FileLinks, Targets};
use super::outline::Outline;
use super::path::{self, is_markdown};
use super::previous::Previous;
use super::report::{Report, Warning};
use super::repository::Repository;
use super::source::SourceTree;
use super::summary::Summary;
use super::text::{Text, read_content};
use crate::content::document::{Document, keep_keys};
use crate::content::markdown::FrontMatter;
use crate::content::object::{Hash, Scratch};
use crate::content::page::{GitBlob, ReusableContent, Variable};
use crate::content::snapshot::Edits;
use crate::id::{FileId, UserId};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};

/// The folder of reusable contents, in the [service's folder](SERVICE_FOLDER).
pub(crate) const INCLUDES: &str = "includes";
/// The folder of files, there.
pub(crate) const ASSETS: &str = "assets";
/// The file of the space's variables, there.
pub(crate) const VARIABLES: &str = "vars.yaml";
/// The file of the space's tags, there.
pub(crate) const TAGS: &str = "tags.yaml";

/// The most pages that a repository may have. Bounds what one import makes of a table of contents, which may name pages
/// without files.
pub const MAX_PAGES: usize = 50_000;

/// The longest text of a variable, in characters (contract.md 2.0).
pub(crate) const MAX_VARIABLE: usize = 256;

/// Why a repository cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Its settings are not understood, so where its documentation is would be a guess.
    #[error("{file}: {problem}")]
    Config {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// It has more pages than a space may have.
    #[error("{pages} pages are more than the {MAX_PAGES} a space may have")]
    TooManyPages {
        /// How many there are.
        pages: usize,
    },
    /// It has no documentation.
    #[error("no Markdown file {}", if .root.is_empty() { "in it".to_owned() } else { format!("below {}", .root) })]
    NoPages {
        /// The folder that was looked into.
        root: String,
    },
}

/// Who imports, and what the pages get from that.
pub struct Maker<'a> {
    /// Makes ids. They are asked for in the order of pages.
    pub ids: &'a mut dyn FnMut() -> String,
    /// The time.
    pub at: DateTime<Utc>,
    /// Who; absent when the server's operator does.
    pub author: Option<UserId>,
}

/// What an import makes.
#[derive(Clone, Debug)]
pub struct Imported {
    /// A title for the space, when the repository names one.
    pub title: Option<String>,
    /// What changes in the space: all but new files, which are in `files`.
    pub edits: Edits,
    /// Files whose bytes are to be read and stored; each then goes into `edits` with its [entry](WantedFile::entry).
    pub files: Vec<WantedFile>,
    /// The objects that hold the texts of pages and reusable contents.
    pub documents: Vec<Hash>,
    /// What was found.
    pub report: Report,
}

/// Plans an import. The new texts go into `scratch`.
///
/// What the space holds already is replaced as a whole. Pages, files and reusable contents that come from the same file
/// as before keep their ids, and blocks that stay keep their keys.
///
/// # Errors
/// [`ImportError`]; nothing of what went into `scratch` must be kept then.
///
/// # Panics
/// When `maker` makes ids that are none.
pub fn import(
    source: &SourceTree,
    previous: &Previous,
    maker: Maker<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<Imported, ImportError> {
    let text = |tree: &SourceTree, path: &str| tree.text(path).map(|text| String::from_utf8_lossy(text).into_owned());
    let config_text = text(source, CONFIG);
    let config = config_text.as_deref().map(Config::parse).transpose();
    let config =
        config.map_err(|problem| ImportError::Config { file: CONFIG.to_owned(), problem })?.unwrap_or_default();
    let tree = source.below(&config.root);
    let summary_text = text(&tree, &config.summary);
    let summary = summary_text.as_deref().map(Summary::parse);
    let title = summary.as_ref().and_then(|summary| summary.title.clone());
    let outline = match summary {
        Some(summary) => {
            let beside = path::join(path::folder(&config.summary), "README.md");
            let readme = config.readme.clone().unwrap_or(beside);
            Outline::of_summary(&tree, &config.summary, summary, Some(&readme))
        }
        None => Outline::of_folders(&tree, config.readme.as_deref()),
    };
    if outline.entries.is_empty() {
        return Err(ImportError::NoPages { root: config.root });
    }
    if outline.entries.len() > MAX_PAGES {
        return Err(ImportError::TooManyPages { pages: outline.entries.len() });
    }
    let setting = |name: &&str| Some(((*name).to_owned(), text(&tree, &path::join(SERVICE_FOLDER, name))?));
    let settings = [VARIABLES, TAGS].iter().filter_map(setting).collect();
    let repository = Repository { config: config_text, summary: summary_text, settings };
    let mut import = Import {
        tree: &tree,
        previous,
        desk: Desk::new(&tree, previous, maker.ids),
        at: maker.at,
        author: maker.author,
        scratch,
        edits: Edits { repository: Some(None), ..Edits::default() },
        documents: Vec::new(),
        report: Report::default(),
    };
    import.edits.repository = Some(repository.store(import.scratch));
    import.notes(source, &config);
    import.pages(outline, &config);
    import.edits.variables = import.settings(VARIABLES, &previous.variables);
    import.long_variables();
    import.edits.tags = import.settings(TAGS, &previous.tags);
    Ok(import.finish(title, &config))
}

/// An import under way.
pub(super) struct Import<'a, 's, 'o> {
    pub(super) tree: &'a SourceTree,
    pub(super) previous: &'a Previous,
    pub(super) desk: Desk<'a>,
    pub(super) at: DateTime<Utc>,
    pub(super) author: Option<UserId>,
    pub(super) scratch: &'s mut Scratch<'o>,
    pub(super) edits: Edits,
    pub(super) documents: Vec<Hash>,
    pub(super) report: Report,
}

impl Import<'_, '_, '_> {
    fn notes(&mut self, source: &SourceTree, config: &Config) {
        let note = |note: &String| Warning { file: None, line: None, message: note.clone() };
        self.report.warnings.extend(source.notes().iter().map(note));
        if !config.redirects.is_empty() {
            let count = config.redirects.len();
            self.report.warn(CONFIG, None, format!("{count} redirects are kept for the export, but do not act yet"));
        }
        let summary = Some(&config.summary).filter(|summary| **summary != Config::default().summary);
        for (field, path) in [("structure.summary", summary), ("structure.readme", config.readme.as_ref())] {
            if let Some(path) = path.filter(|path| self.tree.text(path).is_none()) {
                self.report.warn(CONFIG, None, format!("{field}: there is no file {path:?}"));
            }
        }
    }

    pub(super) fn bytes(&mut self, path: &str) -> (Bytes, String) {
        let bytes = self.tree.text(path).cloned().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.len() != bytes.len() || text.as_bytes() != &bytes[..] {
            self.report.warn(path, None, "it is not in UTF-8; what is unreadable was replaced");
        }
        (bytes, text)
    }

    /// Stores a text, with the keys of the one it replaces.
    pub(super) fn document(&mut self, before: Option<Hash>, document: &Document) -> Option<Hash> {
        if document.blocks.is_empty() {
            return None;
        }
        let keyed = self.previous.document(before).map(|before| keep_keys(before, document.clone()));
        let hash = self.scratch.put(keyed.as_ref().unwrap_or(document).encode());
        self.documents.push(hash);
        Some(hash)
    }

    pub(super) fn account(&mut self, path: &str, read: Text) -> FrontMatter {
        let links = FileLinks { targets: &self.desk, from: path };
        for link in &read.links {
            if links.is_broken(link) {
                self.report.broken(path, link.line, &link.href);
            } else if link.resolved {
                self.report.links_resolved += 1;
            }
        }
        for message in read.strange {
            self.report.warn(path, None, message);
        }
        read.front
    }

    /// Reads the reusable contents that are in their folder or that something includes.
    pub(super) fn contents(&mut self) {
        let folder = format!("{SERVICE_FOLDER}/{INCLUDES}/");
        for path in self.tree.paths().filter(|path| is_markdown(path) && path.starts_with(&folder)) {
            self.desk.content(path);
        }
        while let Some(path) = self.desk.next_included() {
            let Some(id) = self.desk.content(&path) else { continue };
            let (bytes, text) = self.bytes(&path);
            let (title, read) = read_content(&text, &FileLinks { targets: &self.desk, from: &path });
            let before = self.previous.contents.get(&id).and_then(|before| before.document);
            let document = self.document(before, &read.document);
            let git = Some(GitBlob { oid: git_id(&bytes), path: path.clone() });
            let source = Some(self.scratch.put(bytes));
            self.account(&path, read);
            self.report.reusable_contents += 1;
            self.edits.reusable_contents.insert(id, Some(ReusableContent { title, document, git, source }));
        }
    }

    /// What a file of settings says, and what it says no longer.
    fn settings<T: DeserializeOwned>(&mut self, name: &str, before: &[String]) -> BTreeMap<String, Option<T>> {
        let mut settings: BTreeMap<String, Option<T>> = before.iter().map(|name| (name.clone(), None)).collect();
        let file = path::join(SERVICE_FOLDER, name);
        if let Some(text) = self.tree.text(&file) {
            match read_settings(text) {
                Some(found) => settings.extend(found.into_iter().map(|(name, value)| (name, Some(value)))),
                None => self.report.warn(&file, None, "it is not understood and left out"),
            }
        }
        settings
    }

    /// Leaves out variables that are longer than they may be.
    fn long_variables(&mut self) {
        let file = path::join(SERVICE_FOLDER, VARIABLES);
        for (name, value) in &mut self.edits.variables {
            if matches!(value, Some(Variable::Text(text)) if text.chars().count() > MAX_VARIABLE) {
                self.report.warn(&file, None, format!("{name} is longer than {MAX_VARIABLE} characters and left out"));
                *value = None;
            }
        }
    }

    fn finish(mut self, title: Option<String>, config: &Config) -> Imported {
        let assets = format!("{SERVICE_FOLDER}/{ASSETS}/");
        for path in self.tree.paths().filter(|path| path.starts_with(&assets)) {
            self.desk.file(path);
        }
        let wanted = |(place, id): (String, FileId)| WantedFile { id, path: path::join(&config.root, &place), place };
        let files: Vec<WantedFile> = self.desk.files().into_iter().map(wanted).collect();
        self.report.files = files.len();
        gone(&mut self.edits.pages, self.previous.pages.keys());
        gone(&mut self.edits.reusable_contents, self.previous.contents.keys());
        let kept: HashSet<_> = files.iter().map(|file| &file.id).collect();
        for id in self.previous.files.keys().filter(|id| !kept.contains(id)) {
            self.edits.files.insert(id.clone(), None);
        }
        self.documents.sort();
        self.documents.dedup();
        self.report.links_broken.sort();
        Imported { title, edits: self.edits, files, documents: self.documents, report: self.report }
    }
}

/// Takes away what was there and is not any more.
fn gone<'a, I: Clone + Ord + 'a, V>(edits: &mut BTreeMap<I, Option<V>>, before: impl Iterator<Item = &'a I>) {
    for id in before {
        edits.entry(id.clone()).or_insert(None);
    }
}

/// What a file of settings says: names and what they stand for. `None` when it cannot be understood.
pub(crate) fn read_settings<T: DeserializeOwned>(text: &[u8]) -> Option<BTreeMap<String, T>> {
    let settings: Option<BTreeMap<String, T>> = serde_saphyr::from_slice(text).ok()?;
    Some(settings.unwrap_or_default())
}
