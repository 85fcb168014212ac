//! Trees of pages, kept between visits. Reading all pages of a large space for every page that is shown would take most of
//! the time of a request, and few revisions differ in more than the texts of some pages.
use crate::content::map::MapChange;
use crate::content::object::Hash;
use crate::content::page::PageEntry;
use crate::content::snapshot::Snapshot;
use crate::content::tree::{Node, Tree};
use crate::id::{PageId, SpaceId};
use crate::usecases::Error;
use crate::usecases::content::Opened;
use crate::usecases::work::Work;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The most pages that are kept; each takes about a kilobyte.
const PAGES: usize = 20_000;

/// The way to each page: its place among the roots, then among the children of each page above it.
pub(super) type Ways = HashMap<PageId, Box<[usize]>>;

/// All pages of a revision without computed pages, the same for all visitors.
#[derive(Clone, Debug)]
pub(super) struct KnownTree {
    pub(super) tree: Arc<Tree>,
    pub(super) ways: Arc<Ways>,
    /// Whether some visitors do not see all pages.
    pub(super) conditional: bool,
}

/// The trees of the revisions that were read last.
#[derive(Debug, Default)]
pub(super) struct Trees(Mutex<Vec<Kept>>);

#[derive(Clone, Debug)]
struct Kept {
    space: SpaceId,
    manifest: Hash,
    snapshot: Snapshot,
    known: KnownTree,
}

impl Trees {
    /// The tree of a revision without computed pages.
    pub(super) async fn of(&self, work: &mut Work<'_>, opened: &mut Opened) -> Result<KnownTree, Error> {
        let (space, manifest) = (opened.space.id.clone(), opened.revision.manifest);
        let earlier = match self.find(&space, &manifest) {
            Some(kept) if kept.manifest == manifest => return Ok(kept.known),
            earlier => earlier,
        };
        let known = match earlier {
            Some(earlier) => follow(work, opened, &earlier).await,
            None => None,
        };
        let known = match known {
            Some(known) => known,
            None => KnownTree::new(opened.read(work, |snapshot, objects| snapshot.tree(objects)).await?),
        };
        self.keep(Kept { space, manifest, snapshot: opened.snapshot.clone(), known: known.clone() });
        Ok(known)
    }

    /// The tree of a revision, or that of another revision of the space.
    fn find(&self, space: &SpaceId, manifest: &Hash) -> Option<Kept> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.manifest == *manifest);
        let Some(at) = at else { return all.iter().find(|kept| kept.space == *space).cloned() };
        // The first one was used last.
        let kept = all.remove(at);
        all.insert(0, kept.clone());
        Some(kept)
    }

    fn keep(&self, kept: Kept) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.manifest != kept.manifest);
        all.insert(0, kept);
        let mut pages = 0;
        all.retain(|kept| {
            pages += kept.known.ways.len();
            pages <= PAGES
        });
    }
}

/// The tree of a revision from that of another one. An object of the other one may have been removed since: then there is
/// none.
async fn follow(work: &mut Work<'_>, opened: &mut Opened, earlier: &Kept) -> Option<KnownTree> {
    let changes =
        opened.read(work, |snapshot, objects| earlier.snapshot.changed_pages(snapshot, objects)).await.ok()?;
    earlier.known.with(changes)
}

impl KnownTree {
    fn new(tree: Tree) -> Self {
        let mut ways = HashMap::new();
        walk(&tree.roots, &mut Vec::new(), &mut ways);
        Self { conditional: is_conditional(&tree), tree: Arc::new(tree), ways: Arc::new(ways) }
    }

    /// The tree after changes of pages; `None` if pages came, went or moved.
    fn with(&self, changes: Vec<MapChange<PageEntry>>) -> Option<Self> {
        let mut pages = Vec::with_capacity(changes.len());
        for MapChange { key, before, after } in changes {
            let (before, after) = (before?, after?);
            let stays = before.parent == after.parent && before.order == after.order && before.slug == after.slug;
            pages.push((self.ways.get(&PageId::try_from(key).ok()?).filter(|_| stays)?, after));
        }
        if pages.is_empty() {
            return Some(self.clone());
        }
        let mut tree = (*self.tree).clone();
        for (way, page) in pages {
            node(&mut tree.roots, way)?.page = *page;
        }
        Some(Self { conditional: is_conditional(&tree), tree: Arc::new(tree), ways: self.ways.clone() })
    }
}

/// Whether a page of a tree has a condition.
fn is_conditional(tree: &Tree) -> bool {
    tree.iter().any(|node| node.page.condition.is_some())
}

/// The ways to pages.
pub(super) fn walk(nodes: &[Node], above: &mut Vec<usize>, all: &mut Ways) {
    for (at, node) in nodes.iter().enumerate() {
        above.push(at);
        all.insert(node.id.clone(), above.as_slice().into());
        walk(&node.children, above, all);
        above.pop();
    }
}

fn node<'n>(roots: &'n mut [Node], way: &[usize]) -> Option<&'n mut Node> {
    let (first, rest) = way.split_first()?;
    rest.iter().try_fold(roots.get_mut(*first)?, |node, at| node.children.get_mut(*at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::order::OrderKey;
    use crate::content::page::PageKind;
    use chrono::DateTime;
    use rstest::rstest;

    fn page(parent: Option<&str>, title: &str, slug: &str) -> PageEntry {
        let kind = PageKind::Document { document: None };
        let parent = parent.map(|id| id.parse().expect("an id"));
        PageEntry { parent, ..PageEntry::new(kind, title, slug, OrderKey::first(), DateTime::UNIX_EPOCH) }
    }

    fn tree(pages: &[(&str, PageEntry)]) -> Tree {
        Tree::new(pages.iter().map(|(id, page)| (id.parse().expect("an id"), page.clone())))
    }

    fn change(id: &str, before: Option<PageEntry>, after: Option<PageEntry>) -> Vec<MapChange<PageEntry>> {
        vec![MapChange { key: id.to_owned(), before: before.map(Box::new), after: after.map(Box::new) }]
    }

    fn hidden(page: PageEntry) -> PageEntry {
        PageEntry { hidden: true, condition: Some("false".to_owned()), ..page }
    }

    #[test]
    fn a_page_that_stays_in_its_place_is_replaced_in_the_tree() {
        let (a, b) = (page(None, "A", "a"), page(Some("a"), "B", "b"));
        let known = KnownTree::new(tree(&[("a", a.clone()), ("b", b.clone())]));
        let after = hidden(b.clone());
        let followed = known.with(change("b", Some(b.clone()), Some(after.clone()))).expect("a tree");
        assert_eq!(*followed.tree, tree(&[("a", a), ("b", after)]));
        assert!(followed.conditional && !known.conditional);
        assert_eq!(followed.tree.roots[0].children[0].path, "a/b");
        assert_eq!(*known.with(Vec::new()).expect("a tree").tree, *known.tree);
    }

    #[rstest]
    #[case::renamed("b", Some(page(Some("a"), "B", "b")), Some(page(Some("a"), "B", "c")))]
    #[case::moved("b", Some(page(Some("a"), "B", "b")), Some(page(None, "B", "b")))]
    #[case::deleted("b", Some(page(Some("a"), "B", "b")), None)]
    #[case::inserted("c", None, Some(page(None, "C", "c")))]
    fn a_tree_of_another_shape_is_made_anew(
        #[case] id: &str,
        #[case] before: Option<PageEntry>,
        #[case] after: Option<PageEntry>,
    ) {
        let known = KnownTree::new(tree(&[("a", page(None, "A", "a")), ("b", page(Some("a"), "B", "b"))]));
        assert!(known.with(change(id, before, after)).is_none());
    }

    #[test]
    fn the_trees_that_were_not_used_for_the_longest_time_go_first() {
        let trees = Trees::default();
        let kept = |name: &str, pages: usize| {
            let id = |at| format!("{name}{at}").parse::<PageId>().expect("an id");
            let known = KnownTree::new(Tree::new((0..pages).map(|at| (id(at), page(None, "A", &format!("p{at}"))))));
            let manifest = Hash::of(name.as_bytes());
            Kept { space: name.parse().expect("an id"), manifest, snapshot: Snapshot::default(), known }
        };
        let knows = |name: &str| trees.find(&"none".parse().expect("an id"), &Hash::of(name.as_bytes())).is_some();
        trees.keep(kept("a", PAGES / 2));
        trees.keep(kept("b", PAGES / 2));
        assert!(knows("b") && knows("a"), "both fit");
        trees.keep(kept("c", 1));
        assert!(knows("a") && knows("c") && !knows("b"));
        trees.keep(kept("d", PAGES + 1));
        assert!(!knows("d"), "one that is too large is not kept");
    }
}
