//! The pages of a revision as the tree that readers see.
use crate::computed::{Computed, ComputedPage, ComputedSource};
use crate::import::place::Slugs;
use crate::page::{PageEntry, PageKind};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
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
    /// Its source, if it was generated for a computed page. No revision contains such a page.
    pub generated: Option<Box<Generated>>,
}

/// The source of a generated page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The source of its text.
    pub source: Arc<ComputedSource>,
    /// Changes whenever a dependency of the source changes.
    pub seed: Arc<str>,
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
        Node::stored(id, page, path, children)
    };
    siblings.into_iter().map(node).collect()
}

impl Node {
    /// A page of a revision.
    pub fn stored(id: PageId, page: PageEntry, path: String, children: Vec<Self>) -> Self {
        Self { id, page, path, children, generated: None }
    }

    /// The page and every page below it, in reading order.
    pub fn iter(&self) -> impl Iterator<Item = &Self> {
        reading_order(vec![self])
    }

    /// The same page with the computed pages below it replaced by generated pages.
    #[must_use]
    pub fn with_computed(self, computed: &BTreeMap<PageId, Computed>) -> Self {
        let children = filled(self.children, &self.path, computed);
        Self { children, ..self }
    }
}

/// Siblings below the page with the path `above`, with the computed pages among them and further below replaced by
/// generated ones. A computed page without generated pages is left out. Pages of the revision keep their slugs; a
/// generated page with the same slug gets a number.
///
/// Recursion is bounded by [`super::page::MAX_DEPTH`], which every snapshot keeps.
pub fn filled(nodes: Vec<Node>, above: &str, computed: &BTreeMap<PageId, Computed>) -> Vec<Node> {
    let mut slugs = Slugs::default();
    for node in &nodes {
        slugs.take(None, node.page.slug.clone());
    }
    let mut filled = Vec::with_capacity(nodes.len());
    for node in nodes {
        match computed.get(&node.id).filter(|_| node.page.kind.is_computed()) {
            Some(Computed { pages, seed }) => {
                filled.extend(pages.iter().map(|page| generated(page, &node.page, above, seed, &mut slugs)));
            }
            None if node.page.kind.is_computed() => {}
            None => filled.push(node.with_computed(computed)),
        }
    }
    filled
}

/// A generated page with the pages below it. It is as visible as the computed page that it replaces. The recursion is
/// as deep as the pages nest.
fn generated(page: &ComputedPage, place: &PageEntry, above: &str, seed: &Arc<str>, slugs: &mut Slugs<'_>) -> Node {
    let slug = slugs.free(None, page.slug.clone());
    slugs.take(None, slug.clone());
    let path = if above.is_empty() { slug.clone() } else { format!("{above}/{slug}") };
    let kind = PageKind::Document { document: None };
    let entry = PageEntry {
        parent: place.parent.clone(),
        icon: page.icon.clone(),
        description: page.description.clone(),
        hidden: place.hidden,
        no_index: place.no_index,
        no_robots_index: place.no_robots_index,
        condition: place.condition.clone(),
        layout: place.layout.clone(),
        updated_at: place.updated_at,
        created_by: place.created_by.clone(),
        ..PageEntry::new(kind, page.title.clone(), slug, place.order.clone(), place.created_at)
    };
    let inside = PageEntry { parent: Some(page.id.clone()), ..place.clone() };
    let mut below = Slugs::default();
    let children = page.pages.iter().map(|page| generated(page, &inside, &path, seed, &mut below)).collect();
    let made = Generated { source: page.source.clone(), seed: seed.clone() };
    Node { generated: Some(Box::new(made)), ..Node::stored(page.id.clone(), entry, path, children) }
}

/// Nodes and all nodes below them. `waiting` is a stack: its last node comes first.
fn reading_order(mut waiting: Vec<&Node>) -> impl Iterator<Item = &Node> {
    std::iter::from_fn(move || {
        let node = waiting.pop()?;
        waiting.extend(node.children.iter().rev());
        Some(node)
    })
}

impl Tree {
    /// The same tree with computed pages replaced by generated pages.
    #[must_use]
    pub fn with_computed(self, computed: &BTreeMap<PageId, Computed>) -> Self {
        Self { roots: filled(self.roots, "", computed) }
    }

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
        Node::stored(id, page, path, children)
    }

    /// Every page in reading order: a page before those below it.
    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        reading_order(self.roots.iter().rev().collect())
    }

    /// Paths by page.
    pub fn paths(&self) -> HashMap<&PageId, &str> {
        self.iter().map(|node| (&node.id, node.path.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::OrderKey;
    use crate::page::slugify;
    use chrono::DateTime;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn id(name: &str) -> PageId {
        name.parse().expect("an id")
    }

    fn node(name: &str, kind: PageKind, children: Vec<Node>) -> Node {
        let slug = if kind.has_path() { name } else { "" };
        let page = PageEntry::new(kind, name, slug, OrderKey::first(), DateTime::UNIX_EPOCH);
        Node::stored(id(name), page, slug.to_owned(), children)
    }

    fn document(name: &str, children: Vec<Node>) -> Node {
        node(name, PageKind::Document { document: None }, children)
    }

    fn source() -> ComputedSource {
        ComputedSource::openapi("pets", serde_json::Map::new())
    }

    fn computed(name: &str) -> Node {
        node(name, PageKind::Computed { computed: Box::new(source()) }, Vec::new())
    }

    fn page(key: &str, title: &str, pages: Vec<ComputedPage>) -> ComputedPage {
        let slug = slugify(title);
        ComputedPage {
            id: id(key),
            title: title.to_owned(),
            slug,
            description: None,
            icon: None,
            source: source().into(),
            pages,
        }
    }

    fn made(place: &str, pages: Vec<ComputedPage>) -> BTreeMap<PageId, Computed> {
        [(id(place), Computed { pages: pages.into(), seed: "s".into() })].into()
    }

    fn paths(nodes: &[Node]) -> Vec<&str> {
        nodes.iter().flat_map(Node::iter).map(|node| node.path.as_str()).collect()
    }

    #[test]
    fn generated_pages_are_in_the_place_of_the_computed_page_with_slugs_that_are_free() {
        let nodes = vec![document("cats", Vec::new()), computed("c"), document("dogs", Vec::new())];
        let below = vec![page("c_3", "Cats", Vec::new()), page("c_4", "Cats", Vec::new())];
        let pages = vec![page("c_1", "Dogs", below), page("c_2", "Cats", Vec::new())];
        let filled = filled(nodes, "a/b", &made("c", pages));
        let expected = ["cats", "a/b/dogs-1", "a/b/dogs-1/cats", "a/b/dogs-1/cats-1", "a/b/cats-1", "dogs"];
        assert_eq!(paths(&filled), expected);
        assert_eq!(filled[1].children[0].page.parent, Some(id("c_1")));
        assert!(filled[1].generated.is_some() && filled[0].generated.is_none());
    }

    #[test]
    fn computed_pages_at_any_depth_are_replaced_and_those_without_pages_are_left_out() {
        let tree = Tree { roots: vec![document("a", vec![computed("c")]), computed("d")] };
        let with = tree.clone().with_computed(&made("c", vec![page("c_1", "One", Vec::new())]));
        assert_eq!(paths(&with.roots), ["a", "a/one"]);
        assert_eq!(paths(&tree.with_computed(&BTreeMap::new()).roots), ["a"]);
    }

    #[test]
    fn a_generated_page_is_hidden_as_the_computed_page() {
        let mut place = computed("c");
        place.page.hidden = true;
        place.page.condition = Some("visitor.claims.a".to_owned());
        let inside = vec![page("c_2", "Two", Vec::new())];
        let filled = filled(vec![place], "", &made("c", vec![page("c_1", "One", inside)]));
        let shown = |node: &Node| (node.page.hidden, node.page.condition.clone());
        let hidden = (true, Some("visitor.claims.a".to_owned()));
        assert_eq!((shown(&filled[0]), shown(&filled[0].children[0])), (hidden.clone(), hidden));
    }

    proptest! {
        #[test]
        fn every_page_has_a_path_of_its_own(
            stored in prop::collection::vec("[ab]{1,2}", 0..4), titles in prop::collection::vec("[aAbB ]{1,3}", 0..8),
        ) {
            let mut slugs = HashSet::new();
            let mut nodes: Vec<Node> = stored.iter().filter(|slug| slugs.insert(*slug)).map(|slug| document(slug, Vec::new())).collect();
            nodes.push(computed("c"));
            let pages = titles.iter().enumerate().map(|(at, title)| page(&format!("c_{at}"), title, Vec::new())).collect();
            let filled = filled(nodes, "", &made("c", pages));
            let all: HashSet<&str> = paths(&filled).into_iter().collect();
            prop_assert_eq!(all.len(), filled.len());
            prop_assert!(stored.iter().all(|slug| all.contains(slug.as_str())));
        }
    }
}
