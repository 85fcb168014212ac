//! Ids for what an import comes across, in the order it does.
use super::links::Targets;
use super::path::is_markdown;
use super::previous::Previous;
use super::source::SourceTree;
use crate::id::{FileId, InvalidId, PageId, ReusableContentId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

/// Hands out ids: the ones that things had before, new ones for the others. A Markdown file that is in no table of
/// contents becomes a page when something links to it, and a file belongs to the import when something shows it.
pub(super) struct Desk<'a> {
    tree: &'a SourceTree,
    previous: &'a Previous,
    state: RefCell<State<'a>>,
}

/// A file that is in no table of contents and is still to be read, by its path.
pub(super) enum Waiting {
    /// That of a page.
    Page(String),
    /// That of a reusable content.
    Content(String),
}

struct State<'a> {
    ids: &'a mut dyn FnMut() -> String,
    taken: HashSet<String>,
    pages: BTreeMap<String, PageId>,
    /// Pages that something links to and that are still to be read.
    linked: Vec<String>,
    files: BTreeMap<String, FileId>,
    contents: BTreeMap<String, ReusableContentId>,
    /// Reusable contents that are still to be read.
    included: Vec<String>,
    /// Markdown files that are no pages.
    apart: HashSet<String>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(tree: &'a SourceTree, previous: &'a Previous, ids: &'a mut dyn FnMut() -> String) -> Self {
        let state = State {
            ids,
            taken: HashSet::new(),
            pages: BTreeMap::new(),
            linked: Vec::new(),
            files: BTreeMap::new(),
            contents: BTreeMap::new(),
            included: Vec::new(),
            apart: HashSet::new(),
        };
        Self { tree, previous, state: RefCell::new(state) }
    }

    /// Says that a Markdown file is no page.
    pub(super) fn set_apart(&self, path: &str) {
        self.state.borrow_mut().apart.insert(path.to_owned());
    }

    /// Whether a Markdown file is something else than a page.
    pub(super) fn is_apart(&self, path: &str) -> bool {
        let state = self.state.borrow();
        state.apart.contains(path) || state.contents.contains_key(path) || state.files.contains_key(path)
    }

    /// The id of a page whose text is in a file.
    pub(super) fn add_page(&self, path: &str) -> PageId {
        let mut state = self.state.borrow_mut();
        let id = state.keep(self.previous.page_at(path));
        state.pages.insert(path.to_owned(), id.clone());
        id
    }

    /// The id of a page without a file; `before` is the one it may have had.
    pub(super) fn add_bare(&self, before: Option<&PageId>) -> PageId {
        self.state.borrow_mut().keep(before)
    }

    /// What something links to or includes and that is read next.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let state = self.state.borrow();
        let content = state.included.last().cloned().map(Waiting::Content);
        content.or_else(|| state.linked.last().cloned().map(Waiting::Page))
    }

    /// The same, which waits no longer.
    pub(super) fn take_waiting(&self) -> Option<Waiting> {
        let mut state = self.state.borrow_mut();
        let content = state.included.pop().map(Waiting::Content);
        content.or_else(|| state.linked.pop().map(Waiting::Page))
    }

    /// Every file that belongs to the import, by path.
    pub(super) fn files(&self) -> BTreeMap<String, FileId> {
        self.state.borrow().files.clone()
    }
}

impl State<'_> {
    /// The id that something had before, unless something else has it now; else a new one.
    fn keep<T: Clone + AsRef<str> + TryFrom<String, Error = InvalidId>>(&mut self, before: Option<&T>) -> T {
        match before {
            Some(id) if self.taken.insert(id.as_ref().to_owned()) => id.clone(),
            _ => T::try_from((self.ids)()).expect("the maker of ids makes ids"),
        }
    }
}

impl Targets for Desk<'_> {
    fn tree(&self) -> &SourceTree {
        self.tree
    }

    fn page(&self, path: &str) -> Option<PageId> {
        {
            let state = self.state.borrow();
            if let Some(id) = state.pages.get(path) {
                return Some(id.clone());
            }
            if state.apart.contains(path) || state.contents.contains_key(path) || !is_markdown(path) {
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
        if state.pages.contains_key(path) || state.contents.contains_key(path) || state.apart.contains(path) {
            return None;
        }
        let id = state.keep(self.previous.file_at(path));
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
        state.contents.insert(path.to_owned(), id.clone());
        state.included.push(path.to_owned());
        Some(id)
    }
}
