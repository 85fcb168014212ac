//! Export: the content of a revision becomes a repository of Markdown.
//!
//! What came from a repository goes back to the file it came from, byte by byte while it says the same; the rest gets a
//! file from where it stands. Importing what was exported gives the same pages, in the same order, with the same texts.
//! Everything an export writes follows from the content alone, so it is the same each time.
mod content;
mod layout;
mod summary;
#[cfg(test)]
mod tests;

pub use content::Content;

use crate::content::document::Document;
use crate::content::import::links::FileLinks;
use crate::content::import::outline::{Outline, Place, order_number};
use crate::content::import::place::{Slugs, wished_slug};
use crate::content::import::text::{read_content, read_page, same, words};
use crate::content::import::{SourceTree, TAGS, VARIABLES, config, metadata, path, read_settings};
use crate::content::markdown::{self, FrontMatter};
use crate::content::object::Hash;
use crate::content::page::{PageEntry, PageKind};
use crate::content::tree::Node;
use crate::id::PageId;
use bytes::Bytes;
use layout::{FileHrefs, Layout};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportFile {
    /// Its path: relative, safe to write below any folder ([`crate::content::import::path::check_path`]).
    pub path: String,
    /// What is in it.
    pub body: Body,
}

/// What is in a file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
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

/// Pages that stand in no table of contents: an import finds them by the links to them.
pub(crate) type Unlisted<'a> = HashSet<&'a PageId>;

/// The files of a repository with this content, in the order of their paths.
pub fn export(content: &Content) -> Vec<ExportFile> {
    let config = content.repository.config();
    let referenced = layout::referenced(content);
    let layout = Layout::of(content, &referenced).with_tree();
    let slugs = wanted_slugs(content, &layout);
    let unlisted = unlisted(content, &layout, &slugs, &referenced);
    let mut files: BTreeMap<String, Body> = BTreeMap::new();
    let mut texts: BTreeMap<String, Bytes> = BTreeMap::new();
    for node in content.tree.iter() {
        if let Some(path) = layout.pages.get(&node.id) {
            let text = page_text(content, &layout, node, path, &slugs, unlisted.contains(&node.id));
            texts.insert(path.clone(), text.clone());
            files.insert(path.clone(), Body::Text(text));
        }
    }
    for (id, entry) in &content.contents {
        let path = &layout.contents[id];
        let document = content.document(entry.document);
        let text = content_text(content, &layout, path, &entry.title, entry.source, &document);
        files.insert(path.clone(), Body::Text(text));
    }
    for (id, entry) in &content.files {
        files.insert(layout.files[id].clone(), Body::Blob { hash: entry.blob, size: entry.size });
    }
    settings(&mut files, content, VARIABLES, &content.variables);
    settings(&mut files, content, TAGS, &content.tags);
    if content.repository.summary.is_some() || !folders_say_it(content, &layout, &texts) {
        let text = summary::write(content, &layout, &unlisted, &config.summary);
        files.insert(config.summary.clone(), Body::Text(text.into()));
    }
    let mut files: Vec<ExportFile> =
        files.into_iter().map(|(path, body)| ExportFile { path: path::join(&config.root, &path), body }).collect();
    if let Some(text) = &content.repository.config {
        files.push(ExportFile { path: config::CONFIG.to_owned(), body: Body::Text(text.clone().into()) });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The slugs that do not follow from files and titles and must be written, by page.
fn wanted_slugs<'a>(content: &'a Content, layout: &Layout) -> HashMap<&'a PageId, &'a str> {
    let mut wanted = HashMap::new();
    let mut given = Slugs::default();
    for node in content.tree.iter() {
        let page = &node.page;
        let place = match (&page.kind, layout.pages.get(&node.id)) {
            (PageKind::Link { .. }, _) => continue,
            (_, Some(path)) => Place::Text(path.clone()),
            (_, None) => Place::Bare,
        };
        let parent = page.parent.as_ref();
        if given.free(parent, wished_slug(&place, &page.title)) != page.slug {
            wanted.insert(&node.id, page.slug.as_str());
        }
        given.take(parent, page.slug.clone());
    }
    wanted
}

/// The hidden pages at the end of the root that an import would put there by itself.
fn unlisted<'a>(
    content: &'a Content,
    layout: &Layout,
    slugs: &HashMap<&PageId, &str>,
    referenced: &HashSet<PageId>,
) -> Unlisted<'a> {
    if content.repository.summary.is_none() {
        return Unlisted::new();
    }
    let finds = |node: &Node| {
        let page = &node.page;
        let (true, Some(path), Some(source)) =
            (page.hidden && node.children.is_empty(), layout.pages.get(&node.id), content.source(page.source))
        else {
            return false;
        };
        referenced.contains(&node.id) && unchanged(content, layout, node, path, slugs, source, true)
    };
    let roots = content.tree.roots.iter().rev();
    let mut found: Vec<&Node> = roots.take_while(|node| finds(node)).collect();
    found.reverse();
    let in_order = found.is_sorted_by_key(|node| &layout.pages[&node.id]);
    if in_order && found.len() < content.tree.roots.len() {
        found.iter().map(|node| &node.id).collect()
    } else {
        Unlisted::new()
    }
}

/// Whether the file that a page came from still says what is true of it.
fn unchanged(
    content: &Content,
    layout: &Layout,
    node: &Node,
    path: &str,
    slugs: &HashMap<&PageId, &str>,
    source: &Bytes,
    unlisted: bool,
) -> bool {
    let page = &node.page;
    let title = if unlisted { String::new() } else { words(&page.title) };
    let mut said = PageEntry { title, ..page.clone() };
    let links = FileLinks { targets: layout, from: path };
    let read = read_page(&String::from_utf8_lossy(source), &mut said, &links);
    said.hidden |= unlisted;
    let slug = metadata::slug(&read.front);
    let slug_fits = slug.as_deref().map_or(!slugs.contains_key(&node.id), |slug| slug == page.slug);
    said == *page && slug_fits && same(&content.document(page.document()), &read.document)
}

fn page_text(
    content: &Content,
    layout: &Layout,
    node: &Node,
    path: &str,
    slugs: &HashMap<&PageId, &str>,
    unlisted: bool,
) -> Bytes {
    let page = &node.page;
    let links = FileLinks { targets: layout, from: path };
    let hrefs = FileHrefs { layout, from: path };
    let source = content.source(page.source);
    if let Some(source) = source.filter(|source| unchanged(content, layout, node, path, slugs, source, unlisted)) {
        return source.clone();
    }
    let mut front = front_of(source);
    metadata::write(page, &mut front, &links, &hrefs);
    if words(&page.title) != page.title {
        front.set("title", Some(page.title.clone().into()));
    }
    let slug = slugs.get(&node.id).map(|slug| (*slug).into());
    front.set("slug", slug);
    let front = (!front.is_empty()).then_some(&front);
    markdown::write_page(front, Some(&page.title), &content.document(page.document()), &hrefs).into()
}

/// The front matter of the file something came from: what it says besides stays.
fn front_of(source: Option<&Bytes>) -> FrontMatter {
    let text = source.map(|source| String::from_utf8_lossy(source).into_owned()).unwrap_or_default();
    markdown::parse(&text, &markdown::Unresolved).front_matter.unwrap_or_default()
}

fn content_text(
    content: &Content,
    layout: &Layout,
    path: &str,
    title: &str,
    source: Option<Hash>,
    document: &Document,
) -> Bytes {
    let links = FileLinks { targets: layout, from: path };
    let source = content.source(source);
    if let Some(source) = source {
        let (said, read) = read_content(&String::from_utf8_lossy(source), &links);
        if said == title && same(document, &read.document) {
            return source.clone();
        }
    }
    let mut front = front_of(source);
    front.set("title", Some(title.into()));
    markdown::write_page(Some(&front), None, document, &FileHrefs { layout, from: path }).into()
}

/// Writes a file of settings, if there are any: as it came, while that says what is true.
fn settings<T>(files: &mut BTreeMap<String, Body>, content: &Content, name: &str, entries: &[(String, T)])
where
    T: Clone + PartialEq + Serialize + DeserializeOwned,
{
    let kept = content.repository.settings.get(name);
    let same = |text: &&String| {
        let said = read_settings(text.as_bytes()).map(|said: BTreeMap<String, T>| said.into_iter().collect::<Vec<_>>());
        said.is_some_and(|said| said == entries)
    };
    let text = match kept.filter(same) {
        Some(kept) => kept.clone(),
        None if entries.is_empty() => return,
        None => {
            let mut yaml = FrontMatter::default();
            for (name, value) in entries {
                yaml.set(name, serde_json::to_value(value).ok());
            }
            let text = yaml.write();
            text.strip_prefix("---\n").and_then(|text| text.strip_suffix("---\n")).unwrap_or(&text).to_owned()
        }
    };
    files.insert(path::join(config::SERVICE_FOLDER, name), Body::Text(text.into()));
}

/// Whether an import without table of contents finds the same pages in the same places. Asked only of content that came
/// without one.
fn folders_say_it(content: &Content, layout: &Layout, texts: &BTreeMap<String, Bytes>) -> bool {
    let imported = |node: &Node| match &node.page.kind {
        PageKind::Document { document } => node.page.git.is_some() || document.is_none(),
        PageKind::Group | PageKind::Link { .. } => false,
    };
    let nodes: Vec<&Node> = content.tree.iter().collect();
    if !nodes.iter().any(|node| node.page.git.is_some()) || !nodes.iter().all(|node| imported(node)) {
        return false;
    }
    let config = content.repository.config();
    let mut tree = SourceTree::default();
    texts.keys().for_each(|path| tree.insert(path.as_str()));
    let number = |path: &str| Ok(texts.get(path).and_then(|text| order_number(text)));
    let Ok(outline) = Outline::of_folders(&tree, config.readme.as_deref(), &number) else { return false };
    let at: HashMap<&PageId, usize> = nodes.iter().enumerate().map(|(at, node)| (&node.id, at)).collect();
    outline.entries.len() == nodes.len()
        && outline.entries.iter().zip(&nodes).all(|(entry, node)| {
            let page = &node.page;
            let mut said = PageEntry { title: entry.title.clone(), link_title: None, ..page.clone() };
            let place = match layout.pages.get(&node.id) {
                Some(path) => {
                    let links = FileLinks { targets: layout, from: path };
                    let text = texts.get(path).map(|text| String::from_utf8_lossy(text).into_owned());
                    read_page(&text.unwrap_or_default(), &mut said, &links);
                    Place::Text(path.clone())
                }
                None => Place::Bare,
            };
            entry.place == place && entry.parent == page.parent.as_ref().map(|parent| at[parent]) && said == *page
        })
}
