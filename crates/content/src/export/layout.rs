//! The paths of an export.
use super::{Content, summary};
use crate::href::by_id;
use crate::import::links::Targets;
use crate::import::path::{self, check_path, fold, is_markdown};
use crate::import::syntaxes::MARKUP;
use crate::import::{ASSETS, INCLUDES, SourceTree, TAGS, VARIABLES, address, config};
use crate::markdown::{self, Hrefs};
use crate::object::{Hash, Objects, Read, fetch};
use crate::page::{GitBlob, PageEntry, PageKind, slugify};
use crate::reference::ContentRef;
use crate::text_of;
use crate::tree::Node;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use values::id::{FileId, PageId, ReusableContentId};

/// Paths of what is exported, from the root of the documentation.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) tree: SourceTree,
    pub(super) pages: HashMap<PageId, String>,
    pub(super) files: HashMap<FileId, String>,
    pub(super) contents: HashMap<ReusableContentId, String>,
    pages_at: HashMap<String, PageId>,
    files_at: HashMap<String, FileId>,
    contents_at: HashMap<String, ReusableContentId>,
    /// The paths in use.
    taken: HashSet<String>,
    /// The same paths as compared by file systems that ignore case.
    folded: HashSet<String>,
}

impl Layout {
    /// An imported object keeps its path if that is safe and free; the others get one from their place in the tree.
    pub(super) fn of(content: &Content, referenced: &HashSet<PageId>) -> Self {
        let config = content.repository.config();
        let mut layout = Self::default();
        layout.take(&config.summary);
        layout.take(config::CONFIG);
        for name in [VARIABLES, TAGS, MARKUP] {
            layout.take(&path::join(config::SERVICE_FOLDER, name));
        }
        let is_referenced = |node: &Node| referenced.contains(&node.id) && !node.page.kind.is_computed();
        let mut nodes: Vec<&Node> =
            content.tree.iter().filter(|node| needs_file(&node.page) || is_referenced(node)).collect();
        for node in &nodes {
            if let Some(git) = node.page.git.as_ref().filter(|git| is_markdown(&git.path)) {
                layout.keep_page(&node.id, git.path.clone());
            }
        }
        for (id, entry) in &content.contents {
            let name = format!("{}.md", slugify(&entry.title));
            let made = format!("{}/{INCLUDES}/{name}", config::SERVICE_FOLDER);
            let imported = entry.git.as_ref().filter(|git| is_markdown(&git.path));
            let path = layout.free(imported, [made].into_iter(), id.as_str(), ".md");
            layout.contents_at.insert(path.clone(), id.clone());
            layout.contents.insert(id.clone(), path);
        }
        for (id, entry) in &content.files {
            let made = format!("{}/{ASSETS}/{}", config::SERVICE_FOLDER, safe_name(&entry.name));
            let path = layout.free(entry.git.as_ref(), [made].into_iter(), id.as_str(), "");
            layout.files_at.insert(path.clone(), id.clone());
            layout.files.insert(id.clone(), path);
        }
        if summary::has_comments(content) && nodes.iter().any(|node| is_bare(&node.page)) {
            layout = layout.with_tree();
            let described = summary::described(content, &layout);
            nodes.retain(|node| !described.contains(&node.id) || is_referenced(node));
        }
        layout.place_pages(&content.tree.roots, &nodes.iter().map(|node| &node.id).collect());
        layout
    }

    /// Gives these pages paths from their places in the tree, except those that have one. The first page of the tree is
    /// the README of the root.
    fn place_pages(&mut self, roots: &[Node], with_file: &HashSet<&PageId>) {
        let mut waiting: Vec<(&Node, String)> = roots.iter().rev().map(|node| (node, String::new())).collect();
        while let Some((node, folder)) = waiting.pop() {
            if with_file.contains(&node.id) && !self.pages.contains_key(&node.id) {
                let name = if node.children.is_empty() {
                    format!("{}.md", node.page.slug)
                } else {
                    format!("{}/README.md", node.page.slug)
                };
                let is_first = node.page.parent.is_none() && roots.first().is_some_and(|first| first.id == node.id);
                let readme = is_first.then(|| "README.md".to_owned());
                let candidates = readme.into_iter().chain([path::join(&folder, &name)]);
                let path = self.free(None, candidates, node.id.as_str(), ".md");
                self.set_page(&node.id, path);
            }
            let below = match self.pages.get(&node.id) {
                Some(path) if path::is_readme(path) => path::folder(path).to_owned(),
                Some(path) => path::join(path::folder(path), path::stem(path)),
                None => path::join(&folder, &node.page.slug),
            };
            waiting.extend(node.children.iter().rev().map(|child| (child, below.clone())));
        }
    }

    /// Takes a new path if it is safe and free, also on a file system that ignores case.
    fn take(&mut self, path: &str) -> bool {
        !self.folded.contains(&fold(path)) && self.keep(path)
    }

    /// Takes the path of an imported file if it is safe and free. Two imported files may differ only in case.
    fn keep(&mut self, path: &str) -> bool {
        let free = check_path(path).is_ok() && self.taken.insert(path.to_owned());
        if free {
            self.folded.insert(fold(path));
        }
        free
    }

    /// The path that something was imported from, or else the first of the candidates that is free, with a number if
    /// necessary; one made of the id as the last resort.
    fn free(
        &mut self,
        imported: Option<&GitBlob>,
        candidates: impl Iterator<Item = String>,
        id: &str,
        extension: &str,
    ) -> String {
        if let Some(git) = imported
            && self.keep(&git.path)
        {
            return git.path.clone();
        }
        let candidates = imported.map(|git| git.path.clone()).into_iter().chain(candidates);
        let mut last = None;
        for candidate in candidates {
            if self.take(&candidate) {
                return candidate;
            }
            last = Some(candidate);
        }
        if let Some(candidate) = last {
            let (stem, extension) = match candidate.rsplit_once('.') {
                Some((stem, extension)) if !extension.contains('/') && !stem.is_empty() => {
                    (stem, format!(".{extension}"))
                }
                _ => (candidate.as_str(), String::new()),
            };
            for number in 1..100 {
                let numbered = format!("{stem}-{number}{extension}");
                if self.take(&numbered) {
                    return numbered;
                }
            }
        }
        let mut made = format!("{id}{extension}");
        while !self.take(&made) {
            made = format!("_{made}");
        }
        made
    }

    fn keep_page(&mut self, id: &PageId, path: String) {
        if self.keep(&path) {
            self.set_page(id, path);
        }
    }

    fn set_page(&mut self, id: &PageId, path: String) {
        self.pages_at.insert(path.clone(), id.clone());
        self.pages.insert(id.clone(), path);
    }

    /// The path of a page, file or reusable content.
    pub(super) fn path_of(&self, target: &ContentRef) -> Option<&str> {
        let path = match target {
            ContentRef::Page { page, space: None } | ContentRef::Anchor { page: Some(page), space: None, .. } => {
                self.pages.get(page)
            }
            ContentRef::File { file, space: None } => self.files.get(file),
            ContentRef::ReusableContent { reusable_content, space: None } => self.contents.get(reusable_content),
            _ => None,
        };
        path.map(String::as_str)
    }

    /// Adds the tree of files that addresses are resolved in.
    pub(super) fn with_tree(mut self) -> Self {
        let paths = self.pages_at.keys().chain(self.files_at.keys()).chain(self.contents_at.keys());
        let mut tree = SourceTree::default();
        paths.for_each(|path| tree.insert(path.clone()));
        self.tree = tree;
        self
    }
}

/// The name of a file without characters that a path cannot have.
fn safe_name(name: &str) -> String {
    let name: String = name.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '-' } else { c }).collect();
    if check_path(&name).is_ok() { name } else { slugify(&name) }
}

/// Whether a page has no text, not even an empty file that it was imported from.
pub(super) fn is_bare(page: &PageEntry) -> bool {
    matches!(page.kind, PageKind::Document { document: None }) && page.git.is_none()
}

/// Whether a page has content that needs a file of its own. In a table of contents, values of a page without text would
/// be in a comment, which other tools do not read. So they stay there only if the imported one has them there.
fn needs_file(page: &PageEntry) -> bool {
    let PageKind::Document { document } = &page.kind else { return false };
    let mut plain =
        PageEntry::new(page.kind.clone(), page.title.clone(), page.slug.clone(), page.order.clone(), page.created_at);
    plain.parent.clone_from(&page.parent);
    plain.link_title.clone_from(&page.link_title);
    plain.updated_at = page.updated_at;
    plain.created_by.clone_from(&page.created_by);
    document.is_some() || plain != *page
}

impl Targets for Layout {
    fn tree(&self) -> &SourceTree {
        &self.tree
    }

    fn page(&self, path: &str) -> Option<PageId> {
        self.pages_at.get(path).cloned()
    }

    fn file(&self, path: &str) -> Option<FileId> {
        self.files_at.get(path).cloned()
    }

    fn content(&self, path: &str) -> Option<ReusableContentId> {
        self.contents_at.get(path).cloned()
    }
}

/// Addresses as they are written in one file.
pub(super) struct FileHrefs<'a> {
    pub(super) layout: &'a Layout,
    pub(super) from: &'a str,
}

impl Hrefs for FileHrefs<'_> {
    fn href(&self, target: &ContentRef) -> Option<String> {
        let fragment = match target {
            ContentRef::Anchor { anchor, page: None, space: None } => {
                return Some(format!("#{}", path::encode(anchor)));
            }
            ContentRef::Anchor { anchor, .. } => Some(anchor.as_str()),
            _ => None,
        };
        match self.layout.path_of(target) {
            Some(path) => Some(address::write(self.from, path, fragment)),
            None => by_id(target),
        }
    }
}

/// Collects the pages that are linked to.
#[derive(Default)]
struct LinkCollector(RefCell<HashSet<PageId>>);

impl Hrefs for LinkCollector {
    fn href(&self, target: &ContentRef) -> Option<String> {
        if let ContentRef::Page { page, space: None } | ContentRef::Anchor { page: Some(page), space: None, .. } =
            target
        {
            self.0.borrow_mut().insert(page.clone());
        }
        None
    }
}

/// Whether the place of any page in the export depends on the links to it.
pub(super) fn links_matter(content: &Content) -> bool {
    let has_comments = summary::has_comments(content);
    let may_need_none = |page: &PageEntry| {
        matches!(page.kind, PageKind::Document { .. }) && !needs_file(page) || has_comments && is_bare(page)
    };
    content.tree.iter().any(|node| node.page.hidden || may_need_none(&node.page))
}

/// The pages that other pages link to outside of their texts.
pub(super) fn linked_by_pages(content: &Content) -> HashSet<PageId> {
    let collector = LinkCollector::default();
    for node in content.tree.iter() {
        if let PageKind::Link { target } = &node.page.kind {
            collector.href(target);
        }
        let meta = &node.page.meta_links;
        meta.canonical.iter().chain(&meta.alternates).for_each(|target| drop(collector.href(target)));
    }
    collector.0.into_inner()
}

/// The pages that some texts link to: it records every reference that the writer asks for.
pub(super) fn linked_by_texts(objects: &dyn Objects, documents: &[Hash]) -> Read<HashSet<PageId>> {
    fetch(objects, documents.iter().copied())?;
    let collector = LinkCollector::default();
    for document in documents {
        drop(markdown::write(&text_of(objects, Some(*document))?, &collector));
    }
    Ok(collector.0.into_inner())
}
