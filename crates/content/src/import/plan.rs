//! The settings and the table of contents of a repository, which an import reads first.
use super::config::{CONFIG, Config, SERVICE_FOLDER};
use super::encoding::decode;
use super::file::WantedFile;
use super::navigation::Site;
use super::outline::{Outline, Place};
use super::path;
use super::previous::Previous;
use super::reading::Importing;
use super::renames::Renames;
use super::report::Report;
use super::repository::{Repository, SUMMARY};
use super::sibling::Sibling;
use super::source::{Source, SourceError, SourceTree};
use super::sphinx::Labels;
use super::summary::Summary;
use super::syntaxes::{MARKUP, Syntaxes};
use super::versions::Versions;
use super::{book, mkdocs, site_folder, sphinx};
use crate::object::{ReadError, Scratch};
use crate::snapshot::Edits;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use values::id::UserId;

/// The folder of reusable contents, in the [service's folder](SERVICE_FOLDER).
pub(crate) const INCLUDES: &str = "includes";
/// The folder of files in the service's folder.
pub(crate) const ASSETS: &str = "assets";
/// The file of the space's variables in the service's folder.
pub(crate) const VARIABLES: &str = "vars.yaml";
/// The file of the space's tags in the service's folder.
pub(crate) const TAGS: &str = "tags.yaml";

/// The maximum number of pages of a repository. A table of contents can name any number of pages without files.
pub const MAX_PAGES: usize = 50_000;

/// The longest text of a variable, in characters.
pub(crate) const MAX_VARIABLE: usize = 256;

/// Why a repository cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file of it cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The content of the space cannot be read.
    #[error(transparent)]
    Stored(#[from] ReadError),
    /// Its settings are invalid, so the folder of its documentation is unknown.
    #[error("{file}: {problem}")]
    Config {
        /// The file.
        file: String,
        /// The problem.
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
        /// The folder that was searched.
        root: String,
    },
}

/// The author and the time of an import, and the source of new ids.
pub struct Maker<'a> {
    /// Makes ids, in the order of pages.
    pub ids: &'a mut dyn FnMut() -> String,
    /// The time.
    pub at: DateTime<Utc>,
    /// The author; absent if it is the server's operator.
    pub author: Option<UserId>,
}

/// The result of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// A title for the space, when the repository names one.
    pub title: Option<String>,
    /// The changes of the space, without new files, which are in `files`.
    pub edits: Edits,
    /// Files whose bytes are to be read and stored; each then goes into `edits` with its [entry](WantedFile::entry).
    pub files: Vec<WantedFile>,
    /// The report.
    pub report: Report,
}

/// Imports a repository at once. The new texts go into `scratch`. If they are too large to be in memory together, use
/// [`Importing`], which reads them step by step.
///
/// The content of the space is replaced as a whole. Pages, files and reusable contents from the same file as before
/// keep their ids, also if the file was [renamed](Renames), and blocks that stay keep their keys. The objects of the
/// space are below `scratch`.
///
/// # Errors
/// [`ImportError`]; then the objects in `scratch` must be discarded.
///
/// # Panics
/// If `maker` makes invalid ids.
pub fn import(
    source: &dyn Source,
    mut previous: Previous,
    maker: Maker<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<Imported, ImportError> {
    let mut plan = Plan::of(source)?;
    let mut renames = Renames::of(&plan, &previous)?;
    while renames.read(scratch, usize::MAX)? {}
    renames.finish(&mut previous);
    let Maker { ids, at, author } = maker;
    let mut importing = Importing::new(&mut plan, &previous, Maker { ids, at, author });
    while importing.step(scratch)? {}
    Ok(importing.finish(scratch))
}

/// The settings and the table of contents of a repository, without the text of its files.
pub struct Plan<'s> {
    source: &'s dyn Source,
    pub(super) tree: SourceTree,
    pub(super) config: Config,
    pub(super) title: Option<String>,
    pub(super) outline: Outline,
    /// The file of the table of contents.
    pub(super) contents: String,
    pub(super) repository: Repository,
    /// The labels of its files in MyST.
    pub(super) labels: Labels,
    pub(super) site: Site,
    /// The files of settings, by their names.
    pub(super) settings: BTreeMap<&'static str, Bytes>,
}

impl<'s> Plan<'s> {
    /// Reads the settings and the table of contents.
    ///
    /// # Errors
    /// [`ImportError`].
    pub fn of(source: &'s dyn Source) -> Result<Self, ImportError> {
        let mut repository = Repository::default();
        let config_text = match source.tree().contains(CONFIG) {
            true => Some(repository.keep(CONFIG, &source.read(CONFIG)?)),
            false => book::settings(source)?,
        };
        let config = config_text.as_deref().map(Config::parse).transpose();
        let config =
            config.map_err(|problem| ImportError::Config { file: CONFIG.to_owned(), problem })?.unwrap_or_default();
        let tree = source.tree().below(&config.root);
        repository.config = config_text;
        let settings = BTreeMap::new();
        let (title, outline, contents) = (None, Outline::default(), config.summary.clone());
        let (labels, site) = (Labels::new(), Site::default());
        let mut plan = Self { source, tree, config, title, outline, contents, repository, labels, site, settings };
        let read = |path: &str| plan.read(path).ok().map(|text| lossy(&text));
        plan.repository.syntaxes = Syntaxes::find(&plan.tree, &read);
        if let Some(text) = plan.text(&plan.config.summary)? {
            plan.repository.summary = Some(plan.repository.keep(SUMMARY, &text));
        }
        plan.outline = plan.outline()?;
        plan.leave_out_versions();
        if plan.outline.entries.is_empty() {
            return Err(ImportError::NoPages { root: plan.config.root });
        }
        if plan.outline.entries.len() > MAX_PAGES {
            return Err(ImportError::TooManyPages { pages: plan.outline.entries.len() });
        }
        for name in [VARIABLES, TAGS, MARKUP] {
            if let Some(text) = plan.text(&path::join(SERVICE_FOLDER, name))? {
                let kept = plan.repository.keep(name, &text);
                plan.repository.settings.insert(name.to_owned(), kept);
                plan.settings.insert(name, text);
            }
        }
        Ok(plan)
    }

    fn outline(&mut self) -> Result<Outline, ImportError> {
        let toctrees = self.toctrees()?;
        let Some(summary) = self.repository.summary.as_deref().map(Summary::parse) else {
            if let Some(outline) = self.navigation()? {
                return Ok(outline);
            }
            if let Some(outline) = self.of_book() {
                return Ok(outline);
            }
            if let Some(sphinx::Found { outline, title, file }) = toctrees {
                (self.title, self.contents) = (title, file);
                return Ok(outline);
            }
            if let Some(outline) = self.of_generator() {
                return Ok(outline);
            }
            self.site.short_titles = site_folder::short_titles(&self.tree);
            return self.folders();
        };
        self.title.clone_from(&summary.title);
        let beside = path::join(path::folder(&self.config.summary), "README.md");
        let readme = self.config.readme.clone().unwrap_or(beside);
        Ok(Outline::of_summary(&self.tree, &self.config.summary, summary, Some(&readme)))
    }

    /// The pages in the order of folders and file names.
    fn folders(&self) -> Result<Outline, ImportError> {
        let siblings = |path: &str| Ok(Sibling::read(path, &self.read(path)?));
        let read = |path: &str| self.read(path).ok().map(|text| lossy(&text));
        let versions = Versions::find(&self.tree);
        let latest = versions.latest(&self.tree, &read);
        let within = match site_folder::of(&self.tree) {
            "" => latest.of_repository().unwrap_or_default(),
            folder => folder,
        };
        let tree = versions.without(&self.tree, &latest);
        Ok(Outline::of_folders(&tree, within, self.config.readme.as_deref(), &siblings)?)
    }

    /// The pages in the navigation of MkDocs, if any of them is there.
    fn navigation(&mut self) -> Result<Option<Outline>, ImportError> {
        let Some(name) = mkdocs::NAMES.into_iter().find(|name| self.tree.contains(name)) else { return Ok(None) };
        let Some(summary) = mkdocs::read(&lossy(&self.read(name)?)) else { return Ok(None) };
        let title = summary.title.clone();
        let outline = Outline::of_summary(&self.tree, name, summary, self.config.readme.as_deref());
        if !outline.entries.iter().any(|entry| matches!(entry.place, Place::Text(_))) {
            return Ok(None);
        }
        (self.title, self.contents) = (title, name.to_owned());
        Ok(Some(outline))
    }

    /// How many pages the table of contents has.
    pub fn pages(&self) -> usize {
        self.outline.entries.len()
    }

    /// The bytes of a file of the documentation.
    pub(super) fn read(&self, path: &str) -> Result<Bytes, SourceError> {
        self.source.read(&path::join(&self.config.root, path))
    }

    /// Whether texts include others, as those of mdBook do. In other repositories, the same signs are text.
    pub(super) fn has_includes(&self) -> bool {
        book::is_one(self.source.tree())
    }

    /// The bytes of a file of the repository, which can be outside of the documentation. `None` if it cannot be read.
    pub(super) fn anywhere(&self, path: &str) -> Option<Bytes> {
        if self.source.tree().contains(path) { self.source.read(path).ok() } else { None }
    }

    /// Like [`Self::read`]; `None` if there is no such file, or if it is not a text.
    fn text(&self, path: &str) -> Result<Option<Bytes>, SourceError> {
        if self.tree.contains_text(path) { self.read(path).map(Some) } else { Ok(None) }
    }
}

fn lossy(bytes: &[u8]) -> String {
    decode(bytes).0.into_owned()
}
