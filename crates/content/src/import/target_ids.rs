//! The ids of the pages, files and reusable contents of an import.
use super::digest::id_of;
use super::links::Targets;
use super::path::is_markdown;
use super::previous::Previous;
use super::source::SourceTree;
use crate::reference::ContentRef;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use values::id::{FileId, InvalidId, PageId, ReusableContentId};

/// Assigns ids in the order of the first use: the previous id if there is one, else a new one. A Markdown file outside
/// the table of contents becomes a page when a page links to it; another file is imported when a page shows it.
pub(super) struct TargetIds<'a> {
    tree: &'a SourceTree,
    previous: &'a Previous,
    state: RefCell<State<'a>>,
}

/// The path of a file outside the table of contents that is not read yet.
pub(super) enum Waiting {
    /// Of a page.
    Page(String),
    /// Of a reusable content.
    Content(String),
}

struct State<'a> {
    ids: &'a mut dyn FnMut() -> String,
    taken: HashSet<String>,
    pages: BTreeMap<String, PageId>,
    /// Linked pages that are not read yet.
    linked: Vec<String>,
    files: BTreeMap<String, FileId>,
    contents: BTreeMap<String, ReusableContentId>,
    /// Reusable contents that are not read yet.
    included: Vec<String>,
    /// Markdown files that are not pages.
    non_pages: HashSet<String>,
    /// The paths of pages, files and reusable contents, by their ids.
    paths: HashMap<String, String>,
}

impl<'a> TargetIds<'a> {
    pub(super) fn new(tree: &'a SourceTree, previous: &'a Previous, ids: &'a mut dyn FnMut() -> String) -> Self {
        let state = State {
            ids,
            taken: HashSet::new(),
            pages: BTreeMap::new(),
            linked: Vec::new(),
            files: BTreeMap::new(),
            contents: BTreeMap::new(),
            included: Vec::new(),
            non_pages: HashSet::new(),
            paths: HashMap::new(),
        };
        Self { tree, previous, state: RefCell::new(state) }
    }

    /// Marks a Markdown file as no page.
    pub(super) fn mark_non_page(&self, path: &str) {
        self.state.borrow_mut().non_pages.insert(path.to_owned());
    }

    /// Whether a Markdown file is not a page.
    pub(super) fn is_non_page(&self, path: &str) -> bool {
        let state = self.state.borrow();
        state.non_pages.contains(path) || state.contents.contains_key(path) || state.files.contains_key(path)
    }

    /// Assigns the id of a page with a file.
    pub(super) fn add_page(&self, path: &str) -> PageId {
        let mut state = self.state.borrow_mut();
        let id = state.keep(self.previous.page_at(path));
        state.paths.insert(id.to_string(), path.to_owned());
        state.pages.insert(path.to_owned(), id.clone());
        id
    }

    /// Assigns the id of a page without a file; `before` is its previous id, if known.
    pub(super) fn add_bare(&self, before: Option<&PageId>) -> PageId {
        self.state.borrow_mut().keep(before)
    }

    /// The next file to read that a page links to or includes.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let state = self.state.borrow();
        let content = state.included.last().cloned().map(Waiting::Content);
        content.or_else(|| state.linked.last().cloned().map(Waiting::Page))
    }

    /// Removes and returns the next file to read.
    pub(super) fn take_waiting(&self) -> Option<Waiting> {
        let mut state = self.state.borrow_mut();
        let content = state.included.pop().map(Waiting::Content);
        content.or_else(|| state.linked.pop().map(Waiting::Page))
    }

    /// The path of the file that a target comes from.
    pub(super) fn path_of(&self, target: &ContentRef) -> Option<String> {
        self.state.borrow().paths.get(id_of(target)?).cloned()
    }

    /// The ids of all imported files, by path.
    pub(super) fn files(&self) -> BTreeMap<String, FileId> {
        self.state.borrow().files.clone()
    }
}

impl State<'_> {
    /// The previous id if it is still free, else a new one.
    fn keep<T: Clone + AsRef<str> + TryFrom<String, Error = InvalidId>>(&mut self, before: Option<&T>) -> T {
        match before {
            Some(id) if self.taken.insert(id.as_ref().to_owned()) => id.clone(),
            _ => T::try_from((self.ids)()).expect("generated ids are valid"),
        }
    }
}

impl Targets for TargetIds<'_> {
    fn tree(&self) -> &SourceTree {
        self.tree
    }

    fn page(&self, path: &str) -> Option<PageId> {
        {
            let state = self.state.borrow();
            if let Some(id) = state.pages.get(path) {
                return Some(id.clone());
            }
            if state.non_pages.contains(path) || state.contents.contains_key(path) || !is_markdown(path) {
                return None;
            }
        }
        let id = self.add_page(path);
        self.state.borrow_mut().linked.push(path.to_owned());
        Some(id)
    }

    fn file(&self, path: &str) -> Option<FileId> {
        let mut state = self.state.borrow_mut();
        if let Some(id) = state.files.get(path) {
            return Some(id.clone());
        }
        if state.pages.contains_key(path) || state.contents.contains_key(path) || state.non_pages.contains(path) {
            return None;
        }
        let id = state.keep(self.previous.file_at(path));
        state.paths.insert(id.to_string(), path.to_owned());
        state.files.insert(path.to_owned(), id.clone());
        Some(id)
    }

    fn content(&self, path: &str) -> Option<ReusableContentId> {
        let mut state = self.state.borrow_mut();
        if let Some(id) = state.contents.get(path) {
            return Some(id.clone());
        }
        if !is_markdown(path) || state.pages.contains_key(path) || state.files.contains_key(path) {
            return None;
        }
        let id = state.keep(self.previous.content_at(path));
        state.paths.insert(id.to_string(), path.to_owned());
        state.contents.insert(path.to_owned(), id.clone());
        state.included.push(path.to_owned());
        Some(id)
    }
}
