//! The pages of a revision, as they stay in memory between visits.
//!
//! A space can have thousands of pages. So a page takes little memory here: it has only what visits need of pages that
//! they do not show, and the settings that few pages have are in a box. Trees of different revisions share the pages
//! that are the same.
use crate::content::computed::{Computed, ComputedSource};
use crate::content::object::{Hash, MemoryObjects, Read};
use crate::content::order::OrderKey;
use crate::content::page::{Cover, Layout, MetaLinks, PageEntry, PageKind, PageTag, Variable};
use crate::content::snapshot::Snapshot;
use crate::content::tree::{Generated, Node as RevisionNode, filled};
use crate::id::PageId;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// All pages of a revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    /// The pages at the root, in order.
    pub(super) roots: Arc<[Node]>,
}

/// A page with the pages below it. It dereferences to the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    entry: Arc<Entry>,
    /// The pages below, in order.
    pub(super) children: Arc<[Node]>,
}

/// A page at its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The page's id.
    pub(super) id: PageId,
    /// Its path: the slugs from the root down, joined by `/`.
    pub(super) path: Box<str>,
    /// The page.
    pub(super) page: Page,
    /// Its source, if it was generated for a computed page.
    pub(super) generated: Option<Box<Generated>>,
}

/// What visits need of a page. The fields have the meaning of those of [`PageEntry`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub(super) kind: PageKind,
    pub(super) title: Box<str>,
    pub(super) description: Option<Box<str>>,
    order: OrderKey,
    pub(super) hidden: bool,
    pub(super) no_index: bool,
    pub(super) no_robots_index: bool,
    /// When it was last edited; if never, when it was made.
    pub(super) updated_at: DateTime<Utc>,
    /// `None` if all settings have their default.
    settings: Option<Box<PageSettings>>,
}

/// The settings of a page that few pages have. The fields have the meaning of those of [`PageEntry`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PageSettings {
    pub(super) link_title: Option<String>,
    pub(super) emoji: Option<String>,
    pub(super) icon: Option<String>,
    pub(super) condition: Option<String>,
    pub(super) layout: Layout,
    pub(super) cover: Option<Box<Cover>>,
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) tags: Vec<PageTag>,
    pub(super) meta_links: MetaLinks,
}

/// The settings of a page without any.
static DEFAULT_SETTINGS: LazyLock<PageSettings> = LazyLock::new(PageSettings::default);

/// A page with its place, to build a tree of.
#[derive(Debug)]
pub(super) struct Placed {
    parent: Option<PageId>,
    slug: Box<str>,
    /// The page. Its path is set when the tree is built.
    entry: Arc<Entry>,
}

impl Tree {
    /// Reads the pages of a revision. Only one of them is in memory with all its fields at a time.
    pub(super) fn load(snapshot: &Snapshot, objects: &MemoryObjects) -> Read<Self> {
        let mut pages = Vec::new();
        snapshot.each_page(objects, |id, page| pages.push(Placed::of(id, page)))?;
        Ok(Self::of(pages))
    }

    /// Builds a tree of pages.
    pub(super) fn of(pages: impl IntoIterator<Item = Placed>) -> Self {
        let mut groups = ByParent::new();
        for Placed { parent, slug, entry } in pages {
            groups.entry(parent).or_default().push((slug, entry));
        }
        Self { roots: placed_below(&mut groups, None, "") }
    }

    /// Every page in reading order: a page before those below it.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Node> {
        reading_order(self.roots.iter().rev().collect())
    }

    /// The page with a path. It searches one level for each segment of the path, not the whole tree: siblings have
    /// different slugs, and only pages with a path have pages below them.
    pub(super) fn at_path(&self, path: &str) -> Option<&Node> {
        let mut siblings: &[Node] = &self.roots;
        loop {
            let leads_there = |node: &&Node| {
                let rest = path.strip_prefix(&*node.path).filter(|_| node.page.kind.has_path());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let node = siblings.iter().find(leads_there)?;
            if *node.path == *path {
                return Some(node);
            }
            siblings = &node.children;
        }
    }

    /// The pages by id, with their places.
    pub(super) fn placed(&self) -> HashMap<PageId, Placed> {
        let mut all = HashMap::new();
        collect_placed(&self.roots, None, &mut all);
        all
    }

    /// Replaces a page, which keeps its place. The position is its index among the roots, then among the children of
    /// each page above it. `None` if there is no such page.
    pub(super) fn replace(&mut self, position: &[usize], page: PageEntry) -> Option<()> {
        replace(&mut self.roots, position, page.into())
    }

    /// The same tree without the pages for which `is_shown` returns `false`, and without the pages below them.
    pub(super) fn filtered(&self, is_shown: &impl Fn(&Page) -> bool) -> Self {
        Self { roots: filtered(&self.roots, is_shown) }
    }

    /// The computed pages with their sources.
    pub(super) fn sources(&self) -> Vec<(PageId, ComputedSource)> {
        let source = |node: &Node| match &node.page.kind {
            PageKind::Computed { computed } => Some((node.id.clone(), (**computed).clone())),
            _ => None,
        };
        self.iter().filter_map(source).collect()
    }

    /// The same tree with computed pages replaced by generated pages.
    pub(super) fn with_computed(&self, computed: &BTreeMap<PageId, Computed>) -> Self {
        Self { roots: with_generated(&self.roots, "", computed) }
    }
}

impl Placed {
    /// A page of a revision.
    pub(super) fn of(id: PageId, mut page: PageEntry) -> Self {
        let (parent, slug) = (page.parent.take(), std::mem::take(&mut page.slug));
        let entry = Entry { id, path: Box::default(), page: page.into(), generated: None };
        Self { parent, slug: slug.into(), entry: Arc::new(entry) }
    }
}

impl Node {
    /// The page and every page below it, in reading order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Self> {
        reading_order(vec![self])
    }
}

impl Deref for Node {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        &self.entry
    }
}

impl From<RevisionNode> for Node {
    fn from(node: RevisionNode) -> Self {
        let RevisionNode { id, page, path, children, generated } = node;
        let entry = Entry { id, path: path.into(), page: page.into(), generated };
        Self { entry: Arc::new(entry), children: level(children.into_iter().map(Self::from).collect()) }
    }
}

impl Entry {
    /// Its part of the path; empty for a page without one.
    fn slug(&self) -> &str {
        match self.page.kind.has_path() {
            true => self.path.rsplit('/').next().unwrap_or_default(),
            false => "",
        }
    }

    /// The page with the fields that the pages generated in its place and beside it depend on.
    fn to_page_entry(&self) -> PageEntry {
        let Page { kind, title, order, hidden, no_index, no_robots_index, updated_at, .. } = &self.page;
        let PageSettings { condition, layout, .. } = self.page.settings();
        PageEntry {
            hidden: *hidden,
            no_index: *no_index,
            no_robots_index: *no_robots_index,
            condition: condition.clone(),
            layout: layout.clone(),
            ..PageEntry::new(kind.clone(), title.to_string(), self.slug(), order.clone(), *updated_at)
        }
    }
}

impl Page {
    /// The settings that few pages have.
    pub(super) fn settings(&self) -> &PageSettings {
        match &self.settings {
            Some(settings) => settings,
            None => &DEFAULT_SETTINGS,
        }
    }

    /// The object that holds its text.
    pub(super) fn document(&self) -> Option<Hash> {
        match self.kind {
            PageKind::Document { document } => document,
            PageKind::Group | PageKind::Link { .. } | PageKind::Computed { .. } => None,
        }
    }
}

impl From<PageEntry> for Page {
    fn from(page: PageEntry) -> Self {
        let settings = PageSettings {
            link_title: page.link_title,
            emoji: page.emoji,
            icon: page.icon,
            condition: page.condition,
            layout: page.layout,
            cover: page.cover,
            variables: page.variables,
            tags: page.tags,
            meta_links: page.meta_links,
        };
        Self {
            kind: page.kind,
            title: page.title.into(),
            description: page.description.map(Into::into),
            order: page.order,
            hidden: page.hidden,
            no_index: page.no_index,
            no_robots_index: page.no_robots_index,
            updated_at: page.updated_at.unwrap_or(page.created_at),
            settings: (settings != *DEFAULT_SETTINGS).then(|| Box::new(settings)),
        }
    }
}

/// Pages with the same parent, each with its slug.
type ByParent = BTreeMap<Option<PageId>, Vec<(Box<str>, Arc<Entry>)>>;

/// Pages with the same parent, in order. No pages take no memory.
fn level(nodes: Vec<Node>) -> Arc<[Node]> {
    if nodes.is_empty() { Arc::default() } else { nodes.into() }
}

/// Takes the pages below a page out of `groups`.
///
/// The depth of all recursions here is bounded by [`MAX_DEPTH`](crate::content::page::MAX_DEPTH), which every snapshot
/// keeps.
fn placed_below(groups: &mut ByParent, parent: Option<&PageId>, above: &str) -> Arc<[Node]> {
    let Some(mut siblings) = groups.remove(&parent.cloned()) else { return Arc::default() };
    siblings.sort_unstable_by(|(_, one), (_, other)| (&one.page.order, &one.id).cmp(&(&other.page.order, &other.id)));
    let node = |(slug, mut entry): (Box<str>, Arc<Entry>)| {
        let path: Box<str> = if above.is_empty() { slug } else { [above, &*slug].join("/").into() };
        if entry.path != path {
            Arc::make_mut(&mut entry).path = path;
        }
        let children = placed_below(groups, Some(&entry.id), &entry.path);
        Node { entry, children }
    };
    siblings.into_iter().map(node).collect()
}

/// Nodes and all nodes below them. `waiting` is a stack: its last node comes first.
fn reading_order(mut waiting: Vec<&Node>) -> impl Iterator<Item = &Node> {
    std::iter::from_fn(move || {
        let node = waiting.pop()?;
        waiting.extend(node.children.iter().rev());
        Some(node)
    })
}

fn collect_placed(nodes: &[Node], parent: Option<&PageId>, all: &mut HashMap<PageId, Placed>) {
    for node in nodes {
        let placed = Placed { parent: parent.cloned(), slug: node.slug().into(), entry: node.entry.clone() };
        all.insert(node.id.clone(), placed);
        collect_placed(&node.children, Some(&node.id), all);
    }
}

/// Copies only the levels on the way to the page, as far as another tree has them too.
fn replace(nodes: &mut Arc<[Node]>, position: &[usize], page: Page) -> Option<()> {
    let (at, rest) = position.split_first()?;
    let node = Arc::make_mut(nodes).get_mut(*at)?;
    if !rest.is_empty() {
        return replace(&mut node.children, rest, page);
    }
    let Entry { id, path, generated, .. } = &*node.entry;
    let (id, path, generated) = (id.clone(), path.clone(), generated.clone());
    node.entry = Arc::new(Entry { id, path, page, generated });
    Some(())
}

fn filtered(nodes: &[Node], is_shown: &impl Fn(&Page) -> bool) -> Arc<[Node]> {
    let shown = nodes.iter().filter(|node| is_shown(&node.page));
    let node = |node: &Node| Node { entry: node.entry.clone(), children: filtered(&node.children, is_shown) };
    level(shown.map(node).collect())
}

/// The pages below the path `above`, with the computed pages among them and further below replaced.
fn with_generated(nodes: &[Node], above: &str, computed: &BTreeMap<PageId, Computed>) -> Arc<[Node]> {
    let stored = |node: &Node| {
        let children = with_generated(&node.children, &node.path, computed);
        Node { entry: node.entry.clone(), children }
    };
    if !nodes.iter().any(|node| node.page.kind.is_computed()) {
        return level(nodes.iter().map(stored).collect());
    }
    let known: HashMap<&PageId, &Node> = nodes.iter().map(|node| (&node.id, node)).collect();
    let alone =
        |node: &Node| RevisionNode::stored(node.id.clone(), node.to_page_entry(), node.path.to_string(), Vec::new());
    let all = filled(nodes.iter().map(alone).collect(), above, computed);
    let node = |node: RevisionNode| match known.get(&node.id).copied().filter(|_| node.generated.is_none()) {
        Some(known) => stored(known),
        None => node.into(),
    };
    level(all.into_iter().map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::computed::ComputedPage;
    use crate::content::reference::ContentRef;
    use serde_json::Map;

    fn id(name: &str) -> PageId {
        name.parse().expect("an id")
    }

    fn entry(name: &str, slug: &str, kind: PageKind, parent: Option<&str>) -> (PageId, PageEntry) {
        let page = PageEntry::new(kind, name, slug, OrderKey::first(), DateTime::UNIX_EPOCH);
        (id(name), PageEntry { parent: parent.map(id), ..page })
    }

    fn text() -> PageKind {
        PageKind::Document { document: None }
    }

    fn link() -> PageKind {
        PageKind::Link { target: ContentRef::Url { url: "https://example.com/".to_owned() } }
    }

    fn source() -> ComputedSource {
        ComputedSource::openapi("pets", Map::new())
    }

    fn tree(pages: impl IntoIterator<Item = (PageId, PageEntry)>) -> Tree {
        Tree::of(pages.into_iter().map(|(id, page)| Placed::of(id, page)))
    }

    fn paths(tree: &Tree) -> Vec<&str> {
        tree.iter().map(|node| &*node.path).collect()
    }

    #[test]
    fn a_page_takes_little_memory() {
        assert!(size_of::<Node>() <= 24, "{}", size_of::<Node>());
        assert!(size_of::<Entry>() <= 176, "{}", size_of::<Entry>());
        let [plain, with_icon] = [None, Some("gear".to_owned())].map(|icon| {
            let (_, page) = entry("a", "a", text(), None);
            Page::from(PageEntry { icon, ..page })
        });
        assert!(plain.settings.is_none() && with_icon.settings.is_some());
        assert_eq!(*plain.settings(), PageSettings::default());
        assert_eq!(with_icon.settings().icon.as_deref(), Some("gear"));
    }

    #[test]
    fn a_page_is_found_by_its_path() {
        let tree = tree([
            entry("a", "a", PageKind::Group, None),
            entry("b", "a-b", text(), None),
            entry("c", "", link(), None),
            entry("d", "", link(), Some("a")),
            entry("e", "b", text(), Some("a")),
            entry("f", "b", text(), Some("e")),
        ]);
        let at = |path: &str| tree.at_path(path).map(|node| node.id.as_str());
        assert_eq!(["a", "a-b", "a/b", "a/b/b"].map(at), [Some("a"), Some("b"), Some("e"), Some("f")]);
        assert_eq!(["", "a/", "b", "a/b/", "a/b/b/b", "/a", "a-"].map(at), [None; 7]);
    }

    #[test]
    fn a_tree_is_made_again_of_its_pages() {
        let tree = tree([
            entry("a", "a", text(), None),
            entry("b", "b", text(), Some("a")),
            entry("c", "", link(), Some("b")),
            entry("d", "d", text(), Some("b")),
        ]);
        assert_eq!(paths(&tree), ["a", "a/b", "a/b/", "a/b/d"]);
        let again = Tree::of(tree.placed().into_values());
        assert_eq!(again, tree);
        assert!(again.iter().zip(tree.iter()).all(|(one, other)| Arc::ptr_eq(&one.entry, &other.entry)));
    }

    #[test]
    fn a_tree_with_another_page_shares_all_others() {
        let before = tree([
            entry("a", "a", text(), None),
            entry("b", "b", text(), Some("a")),
            entry("c", "c", text(), Some("a")),
            entry("d", "d", text(), None),
        ]);
        let mut after = before.clone();
        let (_, page) = entry("c", "c", text(), Some("a"));
        after.replace(&[0, 1], PageEntry { title: "Other".to_owned(), ..page }).expect("the page");
        let shared: Vec<bool> =
            before.iter().zip(after.iter()).map(|(one, other)| Arc::ptr_eq(&one.entry, &other.entry)).collect();
        assert_eq!(shared, [true, true, false, true]);
        let titles: Vec<&str> = after.iter().map(|node| &*node.page.title).collect();
        assert_eq!((titles, paths(&after)), (vec!["a", "b", "Other", "d"], paths(&before)));
        let (_, page) = entry("x", "x", text(), None);
        assert_eq!(after.replace(&[0, 2], page), None, "there is no such page");
    }

    #[test]
    fn a_page_that_is_not_shown_is_left_out_with_all_below_it() {
        let tree = tree([
            entry("a", "a", text(), None),
            entry("b", "b", text(), Some("a")),
            entry("c", "c", text(), Some("b")),
            entry("d", "d", text(), Some("a")),
        ]);
        assert_eq!(paths(&tree.filtered(&|page| *page.title != *"b")), ["a", "a/d"]);
    }

    #[test]
    fn generated_pages_are_in_the_place_of_the_computed_page_and_other_pages_stay() {
        let computed = || PageKind::Computed { computed: Box::new(source()) };
        let (place, page) = entry("c", "", computed(), Some("a"));
        let place = (place, PageEntry { hidden: true, condition: Some("true".to_owned()), ..page });
        let pages = [entry("a", "a", text(), None), entry("b", "pets", text(), Some("a")), place];
        let before =
            tree(pages.into_iter().chain([entry("d", "d", text(), Some("b")), entry("e", "", computed(), None)]));
        assert_eq!(before.sources(), [(id("c"), source()), (id("e"), source())]);
        let page = |name: &str, title: &str, pages| ComputedPage {
            id: id(name),
            title: title.to_owned(),
            slug: title.to_lowercase(),
            description: None,
            icon: None,
            source: source().into(),
            pages,
        };
        let pages = vec![page("c_1", "Pets", vec![page("c_2", "Cats", Vec::new())])];
        let made = Computed { pages: pages.into(), seed: "s".into() };
        let after = before.with_computed(&[(id("c"), made)].into());
        assert_eq!(paths(&after), ["a", "a/pets", "a/pets/d", "a/pets-1", "a/pets-1/cats"]);
        let generated: Vec<bool> = after.iter().map(|node| node.generated.is_some()).collect();
        assert_eq!(generated, [false, false, false, true, true]);
        let hidden = |node: &Node| node.page.hidden && node.page.settings().condition.as_deref() == Some("true");
        assert!(after.iter().all(|node| hidden(node) == node.generated.is_some()));
        assert!(Arc::ptr_eq(&before.roots[0].children[0].entry, &after.roots[0].children[0].entry));
    }
}
