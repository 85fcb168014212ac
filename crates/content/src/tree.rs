//! The pages of a revision as the tree that readers see.
use crate::page::PageEntry;
use std::collections::{BTreeMap, HashMap};
use values::id::PageId;

/// A page with the pages below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The page's id.
    pub id: PageId,
    /// The page.
    pub page: PageEntry,
    /// Its path: the slugs from the root down, joined by `/`.
    pub path: String,
    /// The pages below, in order.
    pub children: Vec<Node>,
}

/// All pages of a revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The pages at the root, in order.
    pub roots: Vec<Node>,
}

type ByParent = BTreeMap<Option<PageId>, Vec<(PageId, PageEntry)>>;

fn by_parent(pages: impl IntoIterator<Item = (PageId, PageEntry)>) -> ByParent {
    let mut groups = ByParent::new();
    for (id, page) in pages {
        groups.entry(page.parent.clone()).or_default().push((id, page));
    }
    for siblings in groups.values_mut() {
        siblings.sort_by(|(a, one), (b, other)| (&one.order, a).cmp(&(&other.order, b)));
    }
    groups
}

/// Recursion is bounded by [`super::page::MAX_DEPTH`], which every snapshot keeps.
fn nodes(groups: &mut ByParent, parent: Option<&PageId>, above: &str) -> Vec<Node> {
    let siblings = groups.remove(&parent.cloned()).unwrap_or_default();
    let node = |(id, page): (PageId, PageEntry)| {
        let path = if above.is_empty() { page.slug.clone() } else { format!("{above}/{}", page.slug) };
        let children = nodes(groups, Some(&id), &path);
        Node { id, page, path, children }
    };
    siblings.into_iter().map(node).collect()
}

impl Tree {
    /// Builds the tree.
    pub fn new(pages: impl IntoIterator<Item = (PageId, PageEntry)>) -> Self {
        Self { roots: nodes(&mut by_parent(pages), None, "") }
    }

    /// Builds the part below one page.
    pub(super) fn below(
        id: PageId,
        page: PageEntry,
        path: String,
        descendants: impl IntoIterator<Item = (PageId, PageEntry)>,
    ) -> Node {
        let children = nodes(&mut by_parent(descendants), Some(&id), &path);
        Node { id, page, path, children }
    }

    /// Every page in reading order: a page before those below it.
    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        let mut waiting: Vec<&Node> = self.roots.iter().rev().collect();
        std::iter::from_fn(move || {
            let node = waiting.pop()?;
            waiting.extend(node.children.iter().rev());
            Some(node)
        })
    }

    /// Paths by page.
    pub fn paths(&self) -> HashMap<&PageId, &str> {
        self.iter().map(|node| (&node.id, node.path.as_str())).collect()
    }
}
