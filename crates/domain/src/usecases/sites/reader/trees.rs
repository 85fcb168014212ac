//! A cache of page trees. Reading the page tree of a large space would take most of the time of a request, and most
//! revisions change only the texts of some pages.
use super::page_tree::{Node, Placed, Tree};
use crate::content::computed::Computed;
use crate::content::map::MapChange;
use crate::content::object::Hash;
use crate::content::page::{PageEntry, PageKind};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::id::{PageId, SpaceId};
use crate::usecases::Error;
use crate::usecases::content::LoadedRevision;
use crate::usecases::work::Work;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most cached pages; each takes about 400 bytes, less if trees share it.
const PAGES: usize = 20_000;

/// The position of each page in the tree: its index among the roots, then among the children of each page above it.
pub(super) type PagePositions = HashMap<PageId, Box<[usize]>>;

/// All pages of a revision, the same for all visitors.
#[derive(Clone, Debug)]
pub(super) struct CachedTree {
    pub(super) tree: Tree,
    pub(super) positions: Arc<PagePositions>,
    /// The targets of its links.
    pub(super) links: Arc<[ContentRef]>,
    /// Whether some visitors do not see all pages.
    pub(super) conditional: bool,
}

/// The trees of the last read revisions.
#[derive(Debug, Default)]
pub(super) struct TreeCache(Mutex<Vec<CachedRevision>>);

#[derive(Clone, Debug)]
struct CachedRevision {
    space: SpaceId,
    manifest: Hash,
    snapshot: Snapshot,
    known: CachedTree,
    with_computed: Option<(Seeds, CachedTree)>,
}

/// The seeds of computed pages. With the revision, they determine the generated pages.
type Seeds = Vec<(PageId, Arc<str>)>;

impl TreeCache {
    /// The tree of a revision without computed pages.
    pub(super) async fn of(&self, work: &mut Work<'_>, opened: &mut LoadedRevision) -> Result<CachedTree, Error> {
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
            None => CachedTree::new(opened.read(work, Tree::load).await?),
        };
        let snapshot = opened.snapshot.clone();
        self.keep(CachedRevision { space, manifest, snapshot, known: known.clone(), with_computed: None });
        Ok(known)
    }

    /// The tree of a revision with generated pages in the place of its computed pages. `known` is the tree without
    /// them.
    pub(super) fn with_computed(
        &self,
        manifest: &Hash,
        known: &CachedTree,
        computed: &BTreeMap<PageId, Computed>,
    ) -> CachedTree {
        let seeds: Seeds = computed.iter().map(|(id, computed)| (id.clone(), computed.seed.clone())).collect();
        let cached = |revision: &CachedRevision| revision.with_computed.clone().filter(|(of, _)| *of == seeds);
        if let Some((_, tree)) = self.lock().iter().find(|kept| kept.manifest == *manifest).and_then(cached) {
            return tree;
        }
        let tree = CachedTree::new(known.tree.with_computed(computed));
        let mut all = self.lock();
        if let Some(revision) = all.iter_mut().find(|kept| kept.manifest == *manifest) {
            revision.with_computed = Some((seeds, tree.clone()));
            limit(&mut all);
        }
        tree
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CachedRevision>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree of a revision, or that of another revision of the space.
    fn find(&self, space: &SpaceId, manifest: &Hash) -> Option<CachedRevision> {
        let mut all = self.lock();
        let at = all.iter().position(|kept| kept.manifest == *manifest);
        let Some(at) = at else { return all.iter().find(|kept| kept.space == *space).cloned() };
        // The most recently used tree is the first.
        let kept = all.remove(at);
        all.insert(0, kept.clone());
        Some(kept)
    }

    fn keep(&self, kept: CachedRevision) {
        let mut all = self.lock();
        all.retain(|other| other.manifest != kept.manifest);
        all.insert(0, kept);
        limit(&mut all);
    }
}

/// Drops the trees that were not used for the longest time, if there are too many pages.
fn limit(all: &mut Vec<CachedRevision>) {
    let mut pages = 0;
    all.retain(|kept| {
        let with_computed = kept.with_computed.as_ref().map_or(0, |(_, tree)| tree.positions.len());
        pages += kept.known.positions.len() + with_computed;
        pages <= PAGES
    });
}

/// The tree of a revision, computed from that of another one. `None` if an object of the other one was removed since.
async fn follow(work: &mut Work<'_>, opened: &mut LoadedRevision, earlier: &CachedRevision) -> Option<CachedTree> {
    let changes =
        opened.read(work, |snapshot, objects| earlier.snapshot.changed_pages(snapshot, objects)).await.ok()?;
    earlier.known.with(changes)
}

impl CachedTree {
    pub(super) fn new(tree: Tree) -> Self {
        let mut positions = HashMap::new();
        walk(&tree.roots, &mut Vec::new(), &mut positions);
        Self::with_positions(tree, Arc::new(positions))
    }

    fn with_positions(tree: Tree, positions: Arc<PagePositions>) -> Self {
        let links = tree.iter().filter_map(|node| match &node.page.kind {
            PageKind::Link { target } => Some(target.clone()),
            PageKind::Document { .. } | PageKind::Group | PageKind::Computed { .. } => None,
        });
        let links = links.collect();
        let conditional = tree.iter().any(|node| node.page.settings().condition.is_some());
        Self { tree, positions, links, conditional }
    }

    /// The tree after changes of pages. `None` if it does not have a changed page.
    fn with(&self, changes: Vec<MapChange<PageEntry>>) -> Option<Self> {
        let stays = |change: &MapChange<PageEntry>| match (&change.before, &change.after) {
            (Some(before), Some(after)) => {
                before.parent == after.parent && before.order == after.order && before.slug == after.slug
            }
            _ => false,
        };
        if !changes.iter().all(stays) {
            return self.reshaped(changes);
        }
        if changes.is_empty() {
            return Some(self.clone());
        }
        let mut tree = self.tree.clone();
        for MapChange { key, after, .. } in changes {
            let position = self.positions.get(&PageId::try_from(key).ok()?)?;
            tree.replace(position, *after?)?;
        }
        Some(Self::with_positions(tree, self.positions.clone()))
    }

    /// The tree after pages were added, removed or moved. Pages without a change are not read again, which would take
    /// most of the time in a large space.
    fn reshaped(&self, changes: Vec<MapChange<PageEntry>>) -> Option<Self> {
        let mut pages = self.tree.placed();
        for MapChange { key, before, after } in changes {
            let id = PageId::try_from(key).ok()?;
            if before.is_some() {
                pages.remove(&id)?;
            }
            if let Some(after) = after {
                pages.insert(id.clone(), Placed::of(id, *after));
            }
        }
        Some(Self::new(Tree::of(pages.into_values())))
    }
}

/// Collects the positions of pages.
fn walk(nodes: &[Node], above: &mut Vec<usize>, all: &mut PagePositions) {
    for (at, node) in nodes.iter().enumerate() {
        above.push(at);
        all.insert(node.id.clone(), above.as_slice().into());
        walk(&node.children, above, all);
        above.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::computed::{ComputedPage, ComputedSource};
    use crate::content::order::OrderKey;
    use chrono::DateTime;
    use rstest::rstest;

    fn page(parent: Option<&str>, title: &str, slug: &str) -> PageEntry {
        let kind = PageKind::Document { document: None };
        let parent = parent.map(|id| id.parse().expect("an id"));
        PageEntry { parent, ..PageEntry::new(kind, title, slug, OrderKey::first(), DateTime::UNIX_EPOCH) }
    }

    fn tree(pages: &[(&str, PageEntry)]) -> Tree {
        Tree::of(pages.iter().map(|(id, page)| Placed::of(id.parse().expect("an id"), page.clone())))
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
        let known = CachedTree::new(tree(&[("a", a.clone()), ("b", b.clone())]));
        let after = hidden(b.clone());
        let followed = known.with(change("b", Some(b.clone()), Some(after.clone()))).expect("a tree");
        assert_eq!(followed.tree, tree(&[("a", a), ("b", after)]));
        assert!(followed.conditional && !known.conditional);
        assert_eq!(&*followed.tree.roots[0].children[0].path, "a/b");
        assert_eq!(known.with(Vec::new()).expect("a tree").tree, known.tree);
    }

    #[rstest]
    #[case::renamed("b", Some(page(Some("a"), "B", "b")), Some(page(Some("a"), "B", "c")))]
    #[case::moved("b", Some(page(Some("a"), "B", "b")), Some(page(None, "B", "b")))]
    #[case::deleted("b", Some(page(Some("a"), "B", "b")), None)]
    #[case::inserted("c", None, Some(page(Some("b"), "C", "c")))]
    fn a_tree_of_another_shape_is_made_of_the_known_pages(
        #[case] id: &str,
        #[case] before: Option<PageEntry>,
        #[case] after: Option<PageEntry>,
    ) {
        let mut pages = vec![("a", page(None, "A", "a")), ("b", page(Some("a"), "B", "b"))];
        let known = CachedTree::new(tree(&pages));
        pages.retain(|(other, _)| *other != id);
        pages.extend(after.clone().map(|after| (id, after)));
        let expected = CachedTree::new(tree(&pages));
        let followed = known.with(change(id, before, after)).expect("a tree");
        assert_eq!((followed.tree, followed.positions), (expected.tree, expected.positions));
    }

    #[rstest]
    #[case::changed(Some(page(None, "C", "c")), Some(page(None, "D", "c")))]
    #[case::deleted(Some(page(None, "C", "c")), None)]
    fn a_change_of_a_page_that_the_tree_does_not_have_is_not_followed(
        #[case] before: Option<PageEntry>,
        #[case] after: Option<PageEntry>,
    ) {
        let known = CachedTree::new(tree(&[("a", page(None, "A", "a"))]));
        assert!(known.with(change("c", before, after)).is_none());
    }

    #[test]
    fn the_least_recently_used_trees_are_dropped_first() {
        let trees = TreeCache::default();
        let kept = |name: &str, pages: usize| {
            let id = |at| format!("{name}{at}").parse::<PageId>().expect("an id");
            let known =
                CachedTree::new(Tree::of((0..pages).map(|at| Placed::of(id(at), page(None, "A", &format!("p{at}"))))));
            let manifest = Hash::of(name.as_bytes());
            let (space, snapshot) = (name.parse().expect("an id"), Snapshot::default());
            CachedRevision { space, manifest, snapshot, known, with_computed: None }
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

    #[test]
    fn a_tree_with_generated_pages_is_computed_again_if_a_seed_changes() {
        let trees = TreeCache::default();
        let source = ComputedSource::openapi("pets", serde_json::Map::new());
        let kind = PageKind::Computed { computed: Box::new(source.clone()) };
        let known = CachedTree::new(tree(&[("c", PageEntry { kind, ..page(None, "C", "c") })]));
        let manifest = Hash::of(b"manifest");
        let (space, snapshot) = ("s".parse().expect("an id"), Snapshot::default());
        trees.keep(CachedRevision { space, manifest, snapshot, known: known.clone(), with_computed: None });
        let with = |slug: &str, seed: &str| {
            let (title, description, icon, pages) = ("Pet".to_owned(), None, None, Vec::new());
            let (id, slug, source) = ("c_1".parse().expect("an id"), slug.to_owned(), Arc::new(source.clone()));
            let page = ComputedPage { id, title, slug, description, icon, source, pages };
            let computed = Computed { pages: [page].into(), seed: seed.into() };
            let found = trees.with_computed(&manifest, &known, &[("c".parse().expect("an id"), computed)].into());
            (found.tree.roots[0].path.to_string(), found.positions.len())
        };
        assert_eq!(with("a", "one"), ("a".to_owned(), 1));
        assert_eq!(with("b", "one"), ("a".to_owned(), 1), "it is cached");
        assert_eq!(with("b", "two"), ("b".to_owned(), 1));
        assert_eq!(with("a", "one"), ("a".to_owned(), 1), "only the last one is cached");
    }
}
