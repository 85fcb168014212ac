//! Export: the content of a revision becomes a repository of Markdown.
//!
//! An imported page is written to the file that it came from, byte for byte if it did not change. A new page gets a
//! path from its place in the tree. An import of the export gives the same pages, in the same order, with the same
//! texts. The export depends on the content only, so it is the same each time. Texts are written one by one, so the
//! memory of an export grows with the number of pages, not with their size.
mod content;
mod imported;
mod layout;
mod summary;
#[cfg(test)]
mod tests;

pub use content::Content;

use crate::import::config::Config;
use crate::import::encoding::decode;
use crate::import::links::FileLinks;
use crate::import::outline::{Outline, Place};
use crate::import::place::{Slugs, default_slug};
use crate::import::settings::Setting;
use crate::import::sibling::{Sibling, order_number};
use crate::import::syntaxes::{MARKUP, Syntaxes};
use crate::import::text::{read_content, read_page, same, words};
use crate::import::{Repository, SUMMARY, SourceTree, TAGS, VARIABLES, config, metadata, path};
use crate::markdown::{self, FrontMatter, Syntax};
use crate::object::{Hash, Objects, Read, fetch};
use crate::page::{PageEntry, PageKind, ReusableContent};
use crate::text_of;
use crate::tree::Node;
use bytes::Bytes;
use imported::{Found, is_content_as_imported};
use layout::{FileHrefs, Layout};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use summary::{Kept, Listing};
use values::id::PageId;

/// A file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportFile {
    /// Its path: relative, safe to write below any folder ([`crate::import::path::check_path`]).
    pub path: String,
    /// Its content.
    pub body: FileBody,
}

/// The content of a file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBody {
    /// These bytes.
    Text(Bytes),
    /// The stored bytes of this hash.
    Blob {
        /// The hash.
        hash: Hash,
        /// How many bytes there are.
        size: u64,
    },
}

/// Pages outside the table of contents: an import finds them by the links to them.
pub(crate) type Unlisted<'a> = HashSet<&'a PageId>;

/// The files of a repository with this content, in the order of their paths. All at once: use this if the texts are few
/// enough to be in memory together. Otherwise an [`Exporting`] returns one after the other.
pub fn export(content: &Content, objects: &dyn Objects) -> Read<Vec<ExportFile>> {
    let mut linked = Linked::of(content);
    linked.read_texts(objects, usize::MAX)?;
    let mut exporting = Exporting::new(content, linked);
    while exporting.find_unlisted(objects)? {}
    let mut files = Vec::new();
    while let Some(file) = exporting.text(objects)? {
        files.push(file);
    }
    files.extend(exporting.rest());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The pages that something links to, if the place of any page in the export depends on links.
#[derive(Default)]
pub struct Linked {
    pages: HashSet<PageId>,
    /// The texts that are not searched yet.
    texts: Vec<Hash>,
}

impl Linked {
    /// The links that are known without reading texts.
    pub fn of(content: &Content) -> Self {
        if !layout::links_matter(content) {
            return Self::default();
        }
        Self { pages: layout::linked_by_pages(content), texts: content.documents() }
    }

    /// Searches the next texts, at most `most`; returns whether there were any.
    pub fn read_texts(&mut self, objects: &dyn Objects, most: usize) -> Read<bool> {
        let from = self.texts.len() - self.texts.len().min(most);
        let next = &self.texts[from..];
        let any = !next.is_empty();
        let pages = layout::linked_by_texts(objects, next)?;
        self.pages.extend(pages);
        self.texts.truncate(from);
        Ok(any)
    }
}

/// The position of a page in the front matter of its file, for repositories without a table of contents.
struct Head {
    /// Its number among its siblings.
    number: Option<f64>,
    /// Whether an import would get all values of the page from its file.
    is_complete: bool,
}

/// A running export.
///
/// Each step reads the texts that it needs, and stops with [`ReadError::Missing`](crate::object::ReadError) if they are
/// not loaded. Then the caller loads them and repeats the step.
pub struct Exporting<'c> {
    content: &'c Content,
    config: Config,
    layout: Layout,
    slugs: HashMap<&'c PageId, &'c str>,
    /// Pages that may be outside the table of contents. A stack: the last one is checked next.
    candidates: Vec<&'c Node>,
    /// Those of them that are outside the table of contents.
    found: Vec<&'c Node>,
    unlisted: Unlisted<'c>,
    /// The pages that have a file.
    nodes: Vec<&'c Node>,
    /// The number of texts that are written.
    written: usize,
    heads: BTreeMap<String, Head>,
    /// The imported table of contents.
    kept: Option<Kept>,
    /// The titles in it that are not those of their pages, for pages whose files are not written yet.
    other_titles: HashMap<&'c PageId, String>,
    /// Those of them that the files replace with the titles of the pages.
    replaced: HashMap<&'c PageId, String>,
}

impl<'c> Exporting<'c> {
    /// Starts an export.
    pub fn new(content: &'c Content, linked: Linked) -> Self {
        let layout = Layout::of(content, &linked.pages).with_tree();
        let slugs = wanted_slugs(content, &layout);
        let nodes = content.tree.iter().filter(|node| layout.pages.contains_key(&node.id)).collect();
        let config = content.repository.config();
        let kept = content.repository.summary.as_deref().map(|text| Kept::read(text, &layout.tree, &config));
        let candidates =
            kept.as_ref().map(|kept| candidates(content, &layout, &linked.pages, kept)).unwrap_or_default();
        let other_titles = kept.as_ref().map(|kept| kept.other_titles(content, &layout)).unwrap_or_default();
        Self {
            content,
            config,
            layout,
            slugs,
            candidates,
            found: Vec::new(),
            unlisted: Unlisted::new(),
            nodes,
            written: 0,
            heads: BTreeMap::new(),
            kept,
            other_titles,
            replaced: HashMap::new(),
        }
    }

    /// Checks whether an import would create the next of the hidden pages at the end of the root by itself. Returns
    /// whether there are more to check.
    pub fn find_unlisted(&mut self, objects: &dyn Objects) -> Read<bool> {
        let next = self.candidates.last().copied();
        if let Some(node) = next
            && self.unchanged(objects, node, &self.layout.pages[&node.id], true)?.is_some()
        {
            self.found.push(node);
            self.candidates.pop();
            return Ok(true);
        }
        let found: Vec<&Node> = self.found.drain(..).rev().collect();
        let in_order = found.is_sorted_by_key(|node| &self.layout.pages[&node.id]);
        if in_order && found.len() < self.content.tree.roots.len() {
            self.unlisted = found.iter().map(|node| &node.id).collect();
        }
        Ok(false)
    }

    /// The next page or reusable content; `None` when all are written.
    pub fn text(&mut self, objects: &dyn Objects) -> Read<Option<ExportFile>> {
        let written = self.written;
        let (path, text) = if let Some(node) = self.nodes.get(written).copied() {
            let path = self.layout.pages[&node.id].clone();
            let text = self.page_text(objects, node, &path)?;
            let head = self.head(objects, node, &path, &text)?;
            self.heads.insert(path.clone(), head);
            if let Some(title) = self.other_titles.remove(&node.id)
                && self.has_title(node, &path, &text, &title)
            {
                self.replaced.insert(&node.id, title);
            }
            (path, text)
        } else if let Some((id, entry)) = self.content.contents.get(written - self.nodes.len()) {
            let path = self.layout.contents[id].clone();
            let text = self.content_text(objects, &path, entry)?;
            (path, text)
        } else {
            return Ok(None);
        };
        self.written += 1;
        Ok(Some(ExportFile { path: path::join(&self.config.root, &path), body: FileBody::Text(text) }))
    }

    /// Everything except texts: files, settings, and the table of contents.
    pub fn rest(self) -> Vec<ExportFile> {
        let Self { content, config, layout, .. } = &self;
        let repository = &content.repository;
        let mut files: BTreeMap<String, FileBody> = BTreeMap::new();
        for (id, entry) in &content.files {
            files.insert(layout.files[id].clone(), FileBody::Blob { hash: entry.blob, size: entry.size });
        }
        settings(&mut files, content, VARIABLES, &content.variables);
        settings(&mut files, content, TAGS, &content.tags);
        if let Some(text) = markup(repository) {
            files.insert(path::join(config::SERVICE_FOLDER, MARKUP), FileBody::Text(repository.bytes(MARKUP, text)));
        }
        if repository.summary.is_some() || !self.is_implied_by_folders() {
            let listing = Listing::new(content, config, layout, &self.unlisted, &self.slugs, &self.replaced);
            let text = summary::write(&listing, self.kept.as_ref());
            files.insert(config.summary.clone(), FileBody::Text(repository.bytes(SUMMARY, text)));
        }
        let mut files: Vec<ExportFile> =
            files.into_iter().map(|(path, body)| ExportFile { path: path::join(&config.root, &path), body }).collect();
        if let Some(text) = &repository.config {
            let text = repository.bytes(config::CONFIG, text.clone());
            files.push(ExportFile { path: config::CONFIG.to_owned(), body: FileBody::Text(text) });
        }
        files
    }

    /// The file that a page came from, if its content is still that of the page.
    fn unchanged(&self, objects: &dyn Objects, node: &Node, path: &str, unlisted: bool) -> Read<Option<Bytes>> {
        let page = &node.page;
        fetch(objects, page.source.into_iter().chain(page.document()))?;
        let Some(source) = source(objects, page.source)? else { return Ok(None) };
        if self.is_as_imported(objects, node, path, if unlisted { Found::Linked } else { Found::Listed })? {
            return Ok(Some(source));
        }
        // A file with markup of another tool is not read here.
        if !self.syntaxes_of(path).is_empty() {
            return Ok(None);
        }
        // What an older version imported has no digest, and a change may still fit the file.
        let title = if unlisted { String::new() } else { words(&page.title) };
        let mut said = PageEntry { title, ..page.clone() };
        let links = FileLinks { targets: &self.layout, from: path };
        let read = read_page(&decode(&source).0, &mut said, &links);
        said.hidden |= unlisted;
        let slug = metadata::slug(&read.front);
        let slug_fits = slug.as_deref().map_or(!self.slugs.contains_key(&node.id), |slug| slug == page.slug);
        let same = said == *page && slug_fits && same(&text_of(objects, page.document())?, &read.document);
        Ok(same.then_some(source))
    }

    fn page_text(&self, objects: &dyn Objects, node: &Node, path: &str) -> Read<Bytes> {
        let page = &node.page;
        if let Some(source) = self.unchanged(objects, node, path, self.unlisted.contains(&node.id))? {
            return Ok(source);
        }
        let links = FileLinks { targets: &self.layout, from: path };
        let hrefs = FileHrefs { layout: &self.layout, from: path };
        let mut front = front_of(source(objects, page.source)?.as_ref());
        metadata::write(page, &mut front, &links, &hrefs);
        if words(&page.title) != page.title {
            front.set("title", Some(page.title.clone().into()));
        }
        let slug = self.slugs.get(&node.id).map(|slug| (*slug).into());
        front.set("slug", slug);
        let front = (!front.is_empty()).then_some(&front);
        let text = markdown::write_page(front, Some(&page.title), &text_of(objects, page.document())?, &hrefs);
        Ok(markdown::flavors::escape(&text, &self.syntaxes_of(path)).into())
    }

    /// The markup that a file has besides ordinary Markdown, which must be escaped in a new text.
    fn syntaxes_of(&self, path: &str) -> BTreeSet<Syntax> {
        self.content.repository.syntaxes.of(path)
    }

    fn content_text(&self, objects: &dyn Objects, path: &str, entry: &ReusableContent) -> Read<Bytes> {
        fetch(objects, entry.source.into_iter().chain(entry.document))?;
        let (links, document) = (FileLinks { targets: &self.layout, from: path }, text_of(objects, entry.document)?);
        let source = source(objects, entry.source)?;
        if let Some(source) = &source {
            if is_content_as_imported(&self.layout, entry, path, &document) {
                return Ok(source.clone());
            }
            let (said, read) = read_content(&decode(source).0, &links);
            let is_plain = self.syntaxes_of(path).is_empty();
            if is_plain && said == entry.title && same(&document, &read.document) {
                return Ok(source.clone());
            }
        }
        let mut front = front_of(source.as_ref());
        front.set("title", Some(entry.title.clone().into()));
        let hrefs = FileHrefs { layout: &self.layout, from: path };
        let text = markdown::write_page(Some(&front), None, &document, &hrefs);
        Ok(markdown::flavors::escape(&text, &self.syntaxes_of(path)).into())
    }

    fn head(&self, objects: &dyn Objects, node: &Node, path: &str, text: &Bytes) -> Read<Head> {
        if self.content.repository.summary.is_some() {
            return Ok(Head { number: None, is_complete: false });
        }
        let number = order_number(text);
        if node.page.link_title.is_none() && self.is_as_imported(objects, node, path, Found::InFolder)? {
            return Ok(Head { number, is_complete: true });
        }
        let mut said = PageEntry { title: String::new(), link_title: None, ..node.page.clone() };
        let links = FileLinks { targets: &self.layout, from: path };
        read_page(&decode(text).0, &mut said, &links);
        Ok(Head { number, is_complete: said == node.page })
    }

    /// Whether an import gets the title of a page from its file if the table of contents has another one.
    fn has_title(&self, node: &Node, path: &str, text: &Bytes, other: &str) -> bool {
        let mut said = PageEntry { title: other.to_owned(), ..node.page.clone() };
        let links = FileLinks { targets: &self.layout, from: path };
        let read = read_page(&decode(text).0, &mut said, &links);
        // In markup of another tool, a heading may be read in another way.
        let is_known = read.front.text("title").is_some() || self.syntaxes_of(path).is_empty();
        said.title == node.page.title && is_known
    }

    /// Whether an import without a table of contents finds the same pages in the same places. Only for content that
    /// came without one.
    fn is_implied_by_folders(&self) -> bool {
        let imported = |node: &Node| match &node.page.kind {
            PageKind::Document { document } => node.page.git.is_some() || document.is_none(),
            PageKind::Group | PageKind::Link { .. } | PageKind::Computed { .. } => false,
        };
        let nodes: Vec<&Node> = self.content.tree.iter().collect();
        if !nodes.iter().any(|node| node.page.git.is_some()) || !nodes.iter().all(|node| imported(node)) {
            return false;
        }
        // Texts in MyST can have a table of contents, which an import prefers to folders.
        if self.content.repository.syntaxes.folders(Syntax::Myst).next().is_some() {
            return false;
        }
        let mut tree = SourceTree::default();
        self.heads.keys().for_each(|path| tree.insert(path.as_str()));
        let number = |path: &str| self.heads.get(path).and_then(|head| head.number);
        let siblings = |path: &str| Ok(Sibling { number: number(path), label: None });
        let Ok(outline) = Outline::of_folders(&tree, "", self.config.readme.as_deref(), &siblings) else {
            return false;
        };
        let at: HashMap<&PageId, usize> = nodes.iter().enumerate().map(|(at, node)| (&node.id, at)).collect();
        outline.entries.len() == nodes.len()
            && outline.entries.iter().zip(&nodes).all(|(entry, node)| {
                let page = &node.page;
                let (place, is_complete) = match self.layout.pages.get(&node.id) {
                    Some(path) => {
                        (Place::Text(path.clone()), self.heads.get(path).is_some_and(|head| head.is_complete))
                    }
                    None => (Place::Bare, entry.title == page.title && page.link_title.is_none()),
                };
                entry.place == place && entry.parent == page.parent.as_ref().map(|parent| at[parent]) && is_complete
            })
    }
}

/// The hidden pages at the end of the root that an import might create by itself, as the imported table of contents
/// does not name them.
fn candidates<'c>(content: &'c Content, layout: &Layout, linked: &HashSet<PageId>, kept: &Kept) -> Vec<&'c Node> {
    let named = kept.files();
    let may = |node: &&Node| {
        let page = &node.page;
        let file = layout.pages.get(&node.id).filter(|file| page.source.is_some() && !named.contains(file.as_str()));
        page.hidden && node.children.is_empty() && file.is_some() && linked.contains(&node.id)
    };
    let mut found: Vec<&Node> = content.tree.roots.iter().rev().take_while(may).collect();
    found.reverse();
    found
}

/// The file that something was imported from.
fn source(objects: &dyn Objects, source: Option<Hash>) -> Read<Option<Bytes>> {
    Ok(fetch(objects, source)?.pop())
}

/// The slugs that do not follow from files and titles, and so must be written, by page.
fn wanted_slugs<'a>(content: &'a Content, layout: &Layout) -> HashMap<&'a PageId, &'a str> {
    let mut wanted = HashMap::new();
    let mut given = Slugs::default();
    for node in content.tree.iter() {
        let page = &node.page;
        let place = match (&page.kind, layout.pages.get(&node.id)) {
            (PageKind::Link { .. } | PageKind::Computed { .. }, _) => continue,
            (_, Some(path)) => Place::Text(path.clone()),
            (_, None) => Place::Bare,
        };
        let parent = page.parent.as_ref();
        if given.free(parent, default_slug(&place, &page.title)) != page.slug {
            wanted.insert(&node.id, page.slug.as_str());
        }
        given.take(parent, page.slug.clone());
    }
    wanted
}

/// The front matter of the file that something came from: its other entries stay.
fn front_of(source: Option<&Bytes>) -> FrontMatter {
    let text = source.map(|source| decode(source).0.into_owned()).unwrap_or_default();
    markdown::parse(&text, &markdown::Unresolved).front_matter.unwrap_or_default()
}

/// The file of the markup of other tools: as it was imported, while it says the same.
fn markup(repository: &Repository) -> Option<String> {
    let syntaxes = &repository.syntaxes;
    let kept = repository.settings.get(MARKUP).filter(|text| Syntaxes::parse(text) == *syntaxes);
    kept.cloned().or_else(|| (!syntaxes.is_empty()).then(|| syntaxes.write()))
}

/// Writes a file of settings if there are any: unchanged while it has the same entries. So a file that the import did
/// not understand stays, too.
fn settings<T: Setting>(
    files: &mut BTreeMap<String, FileBody>,
    content: &Content,
    name: &str,
    entries: &[(String, T)],
) {
    let kept = content.repository.settings.get(name);
    let same =
        |text: &&String| T::read(text.as_bytes()).entries.iter().eq(entries.iter().map(|(name, value)| (name, value)));
    let text = match kept.filter(same) {
        Some(kept) => kept.clone(),
        None if entries.is_empty() => return,
        None => T::write(entries),
    };
    let body = FileBody::Text(content.repository.bytes(name, text));
    files.insert(path::join(config::SERVICE_FOLDER, name), body);
}
