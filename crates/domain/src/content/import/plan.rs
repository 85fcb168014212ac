//! The import itself.
use super::config::{CONFIG, Config, SERVICE_FOLDER};
use super::desk::Desk;
use super::file::{WantedFile, git_id};
use super::links::{FileLinks, Targets};
use super::metadata;
use super::outline::{Entry, Outline, Place};
use super::path::{self, is_markdown};
use super::place::{Slugs, order_keys, wished_slug};
use super::previous::Previous;
use super::report::{Report, Warning};
use super::repository::Repository;
use super::source::SourceTree;
use super::summary::Summary;
use super::text::{Text, read_content, read_page};
use crate::content::document::{Document, keep_keys};
use crate::content::markdown::{FrontMatter, LinkUse, Links};
use crate::content::object::{Hash, Scratch};
use crate::content::order::OrderKey;
use crate::content::page::{GitBlob, PageEntry, PageKind, ReusableContent, Variable};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Edits;
use crate::id::{FileId, PageId, UserId};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The folder of reusable contents, in the [service's folder](SERVICE_FOLDER).
pub(crate) const INCLUDES: &str = "includes";
/// The folder of files, there.
pub(crate) const ASSETS: &str = "assets";
/// The file of the space's variables, there.
pub(crate) const VARIABLES: &str = "vars.yaml";
/// The file of the space's tags, there.
pub(crate) const TAGS: &str = "tags.yaml";

/// The longest title for the table of contents (contract.md 2.4).
const MAX_LINK_TITLE: usize = 100;

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

struct Import<'a, 's, 'o> {
    tree: &'a SourceTree,
    previous: &'a Previous,
    desk: Desk<'a>,
    at: DateTime<Utc>,
    author: Option<UserId>,
    scratch: &'s mut Scratch<'o>,
    edits: Edits,
    documents: Vec<Hash>,
    report: Report,
}

/// A page on its way in, with what its place depends on.
struct Coming {
    id: PageId,
    page: PageEntry,
    place: Place,
    slug: Option<String>,
}

impl Import<'_, '_, '_> {
    fn notes(&mut self, source: &SourceTree, config: &Config) {
        let note = |note: &String| Warning { file: None, line: None, message: note.clone() };
        self.report.warnings.extend(source.notes().iter().map(note));
        if !config.redirects.is_empty() {
            let count = config.redirects.len();
            self.report.warn(CONFIG, None, format!("{count} redirects are kept for the export, but do not act yet"));
        }
    }

    fn pages(&mut self, outline: Outline, config: &Config) {
        self.desk.set_apart(&config.summary);
        for (line, href) in outline.broken {
            self.report.broken(&config.summary, line, href);
        }
        for (line, message) in outline.warnings {
            self.report.warn(&config.summary, Some(line), message);
        }
        // Every page has its id before the first text is read: texts link back and forth.
        let mut ids: Vec<PageId> = Vec::with_capacity(outline.entries.len());
        for entry in &outline.entries {
            let parent = entry.parent.map(|parent| &ids[parent]);
            let titled = |kind: PageKind| self.previous.page_titled(parent, &kind, &entry.title);
            let url = ContentRef::Url { url: String::new() };
            ids.push(match &entry.place {
                Place::Text(path) => self.desk.add_page(path),
                Place::Bare => self.desk.add_bare(titled(PageKind::Document { document: None })),
                Place::Group => self.desk.add_bare(titled(PageKind::Group)),
                Place::Link(_) => self.desk.add_bare(titled(PageKind::Link { target: url })),
            });
        }
        let mut coming: Vec<Coming> = Vec::with_capacity(ids.len());
        for (entry, id) in outline.entries.into_iter().zip(&ids) {
            let parent = entry.parent.map(|parent| ids[parent].clone());
            coming.push(self.page(entry, id.clone(), parent, &config.summary));
        }
        self.linked_pages(&mut coming);
        self.place(coming);
    }

    fn page(&mut self, entry: Entry, id: PageId, parent: Option<PageId>, summary: &str) -> Coming {
        let Entry { place, title, link_title, slug, fields, line, .. } = entry;
        let link_title = link_title.map(|title| title.chars().take(MAX_LINK_TITLE).collect());
        let mut page = PageEntry { parent, link_title, ..self.blank(title) };
        let mut front = fields;
        match &place {
            Place::Text(path) => front = self.text(path, &mut page),
            Place::Bare | Place::Group | Place::Link(_) => {
                let links = FileLinks { targets: &self.desk, from: summary };
                metadata::read(&front, &mut page, &links);
                if let Place::Link(href) = &place {
                    let target = links.resolve(href, LinkUse::Link);
                    self.report.links_resolved += usize::from(target.is_some());
                    page.kind = PageKind::Link { target: target.unwrap_or(ContentRef::Url { url: href.clone() }) };
                } else if place == Place::Group {
                    page.kind = PageKind::Group;
                }
            }
        }
        if page.title.is_empty() {
            page.title = match &place {
                Place::Link(href) => href.clone(),
                _ => format!("Untitled {line}"),
            };
        }
        let slug = metadata::slug(&front).or(slug.filter(|slug| crate::content::page::check_slug(slug).is_ok()));
        Coming { id, page, place, slug }
    }

    /// A page that says nothing yet.
    fn blank(&self, title: String) -> PageEntry {
        let kind = PageKind::Document { document: None };
        let order = OrderKey::sequence(1).remove(0);
        PageEntry { created_by: self.author.clone(), ..PageEntry::new(kind, title, "", order, self.at) }
    }

    /// Reads the file of a page into it. Returns its front matter.
    fn text(&mut self, path: &str, page: &mut PageEntry) -> FrontMatter {
        let (bytes, text) = self.bytes(path);
        let links = FileLinks { targets: &self.desk, from: path };
        let read = read_page(&text, page, &links);
        let before = self.previous.page_at(path).and_then(|id| self.previous.pages.get(id));
        let document = self.document(before.and_then(PageEntry::document), &read.document);
        page.kind = PageKind::Document { document };
        page.git = Some(GitBlob { oid: git_id(&bytes), path: path.to_owned() });
        page.source = Some(self.scratch.put(bytes));
        self.account(path, read)
    }

    fn bytes(&mut self, path: &str) -> (Bytes, String) {
        let bytes = self.tree.text(path).cloned().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.len() != bytes.len() || text.as_bytes() != &bytes[..] {
            self.report.warn(path, None, "it is not in UTF-8; what is unreadable was replaced");
        }
        (bytes, text)
    }

    /// Stores a text, with the keys of the one it replaces.
    fn document(&mut self, before: Option<Hash>, document: &Document) -> Option<Hash> {
        if document.blocks.is_empty() {
            return None;
        }
        let keyed = self.previous.document(before).map(|before| keep_keys(before, document.clone()));
        let hash = self.scratch.put(keyed.as_ref().unwrap_or(document).encode());
        self.documents.push(hash);
        Some(hash)
    }

    fn account(&mut self, path: &str, read: Text) -> FrontMatter {
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

    /// Reads the Markdown files that are in no table of contents but linked to. They become hidden pages at the end of
    /// the root, in the order of their paths.
    fn linked_pages(&mut self, coming: &mut Vec<Coming>) {
        let mut linked = BTreeMap::new();
        // Reusable contents link to pages, and pages include reusable contents.
        self.contents();
        while let Some(path) = self.desk.next_linked() {
            let mut page = self.blank(String::new());
            let front = self.text(&path, &mut page);
            page.hidden = true;
            self.report.hidden += 1;
            self.contents();
            let Some(id) = self.desk.page(&path) else { continue };
            let slug = metadata::slug(&front);
            linked.insert(path.clone(), Coming { id, page, place: Place::Text(path), slug });
        }
        let listed: HashSet<&str> = (coming.iter())
            .filter_map(|coming| match &coming.place {
                Place::Text(path) => Some(path.as_str()),
                _ => None,
            })
            .collect();
        let service = format!("{SERVICE_FOLDER}/");
        let ignored: Vec<&str> = (self.tree.paths())
            .filter(|path| is_markdown(path) && !listed.contains(path) && !linked.contains_key(*path))
            .filter(|path| !path.starts_with(&service) && !self.desk.is_apart(path))
            .collect();
        for path in ignored {
            self.report.warn(path, None, "it is in no table of contents and nothing links to it; it is left out");
        }
        coming.extend(linked.into_values());
    }

    /// Gives pages their slugs and their order, and what they have from before.
    fn place(&mut self, coming: Vec<Coming>) {
        let mut siblings: BTreeMap<Option<PageId>, Vec<usize>> = BTreeMap::new();
        for (at, page) in coming.iter().enumerate() {
            siblings.entry(page.page.parent.clone()).or_default().push(at);
        }
        let mut orders: HashMap<usize, OrderKey> = HashMap::with_capacity(coming.len());
        for (parent, places) in &siblings {
            let before = |at: &usize| {
                let before = self.previous.pages.get(&coming[*at].id);
                before.filter(|before| before.parent == *parent).map(|before| before.order.clone())
            };
            let keys = order_keys(&places.iter().map(before).collect::<Vec<_>>());
            orders.extend(places.iter().copied().zip(keys));
        }
        let parents: Vec<Option<PageId>> = coming.iter().map(|coming| coming.page.parent.clone()).collect();
        let mut slugs = Slugs::default();
        for (at, (Coming { id, mut page, place, slug }, parent)) in coming.into_iter().zip(&parents).enumerate() {
            match page.kind {
                PageKind::Document { .. } => self.report.pages += 1,
                PageKind::Group => self.report.groups += 1,
                PageKind::Link { .. } => self.report.links += 1,
            }
            if !matches!(page.kind, PageKind::Link { .. }) {
                let wish = slug.unwrap_or_else(|| wished_slug(&place, &page.title));
                page.slug = slugs.free(parent.as_ref(), wish);
                slugs.take(parent.as_ref(), page.slug.clone());
            }
            page.order = orders.remove(&at).unwrap_or(page.order);
            let page = match self.previous.pages.get(&id) {
                Some(before) => since(before, page, self.at),
                None => page,
            };
            self.edits.pages.insert(id, Some(page));
        }
    }

    /// Reads the reusable contents that are in their folder or that something includes.
    fn contents(&mut self) {
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

/// A page that was there before: it stays as old as it is, and was edited now if anything but its place among its
/// siblings differs.
fn since(before: &PageEntry, page: PageEntry, at: DateTime<Utc>) -> PageEntry {
    let kept = PageEntry {
        created_at: before.created_at,
        created_by: before.created_by.clone(),
        updated_at: before.updated_at,
        ..page
    };
    let same_order = PageEntry { order: before.order.clone(), ..kept.clone() };
    if same_order == *before { kept } else { PageEntry { updated_at: Some(at), ..kept } }
}

/// What a file of settings says: names and what they stand for. `None` when it cannot be understood.
pub(crate) fn read_settings<T: DeserializeOwned>(text: &[u8]) -> Option<BTreeMap<String, T>> {
    let settings: Option<BTreeMap<String, T>> = serde_saphyr::from_slice(text).ok()?;
    Some(settings.unwrap_or_default())
}
