//! The pages of a variant that a visitor sees, with their addresses.
use super::Visiting;
use super::page_tree::{Node, Tree};
use super::trees::{CachedTree, PagePositions};
use crate::content::expression::Variables;
use crate::content::page::PageKind;
use crate::content::reference::ContentRef;
use crate::id::{PageId, SpaceId};
use crate::site::resolve::{Spot, View};
use crate::text::Language;
use crate::usecases::Error;
use crate::web_address::WebAddress;
use std::sync::Arc;

/// The pages of a variant that a visitor sees.
#[derive(Debug)]
pub(super) struct VariantPages {
    pub(super) spot: Spot,
    pub(super) space: SpaceId,
    pub(super) title: String,
    pub(super) language: Option<Language>,
    pub(super) tree: Tree,
    /// The targets of the links among the pages.
    pub(super) links: Arc<[ContentRef]>,
    /// The page that it starts with.
    pub(super) start: Option<PageId>,
    edit_url: Option<WebAddress>,
    positions: Arc<PagePositions>,
}

/// The pages before and after a page, in reading order.
type Beside<'n> = (Option<&'n Node>, Option<&'n Node>);

impl VariantPages {
    /// A page, with those above it, the first one first.
    pub(super) fn find(&self, id: &PageId) -> Option<(&Node, Vec<&Node>)> {
        let mut way = self.positions.get(id)?.iter();
        let mut node = self.tree.roots.get(*way.next()?)?;
        let mut above = Vec::new();
        for at in way {
            above.push(node);
            node = node.children.get(*at)?;
        }
        Some((node, above))
    }

    /// A page.
    pub(super) fn get(&self, id: &PageId) -> Option<&Node> {
        let (first, rest) = self.positions.get(id)?.split_first()?;
        rest.iter().try_fold(self.tree.roots.get(*first)?, |node, at| node.children.get(*at))
    }

    /// The page with a path of the variant.
    pub(super) fn at_path(&self, path: &str) -> Option<&Node> {
        self.tree.at_path(path)
    }

    /// The same page of another variant, if `fits` accepts it: by its id, as the start of the variant, or by its path,
    /// which `at_path` finds.
    pub(super) fn same_in<'p>(
        &self,
        node: &Node,
        other: &'p Self,
        fits: impl Fn(&Node) -> bool,
        at_path: impl Fn(&'p Self, &str) -> Option<&'p Node>,
    ) -> Option<&'p Node> {
        let fitting = |found: Option<&'p Node>| found.filter(|node| fits(node));
        let is_start = self.start.as_ref() == Some(&node.id);
        let start = || other.start.as_ref().filter(|_| is_start).and_then(|id| other.get(id));
        fitting(other.get(&node.id)).or_else(|| fitting(start())).or_else(|| fitting(at_path(other, &node.path)))
    }

    /// The number of pages.
    pub(super) fn count(&self) -> usize {
        self.positions.len()
    }

    /// The pages before and after a page, among the [listed](Self::listed) ones; none for a page that is not listed.
    pub(super) fn beside(&self, id: &PageId) -> Beside<'_> {
        let Some(position) = self.positions.get(id) else { return (None, None) };
        let mut siblings: &[Node] = &self.tree.roots;
        let (mut previous, mut next): Beside<'_> = (None, None);
        let mut here: Option<&Node> = None;
        for at in position {
            let Some(node) = siblings.get(*at).filter(|node| !node.page.hidden) else { return (None, None) };
            // Pages nearer to this one replace those found before.
            previous =
                siblings[..*at].iter().rev().find_map(last_listed).or(here.filter(|node| is_text(node))).or(previous);
            next = siblings[at + 1..].iter().find_map(first_listed).or(next);
            here = Some(node);
            siblings = &node.children;
        }
        match here {
            Some(node) if is_text(node) => (previous, siblings.iter().find_map(first_listed).or(next)),
            _ => (None, None),
        }
    }

    /// The pages with text, in reading order, without hidden ones and those below them.
    pub(super) fn listed(&self) -> Vec<&Node> {
        let mut all = Vec::new();
        listed(&self.tree.roots, &mut all);
        all
    }

    /// The page to show for a page: for a group, its first page with text.
    pub(super) fn shown<'n>(&self, node: &'n Node) -> Option<&'n Node> {
        match node.page.kind {
            PageKind::Document { .. } => Some(node),
            PageKind::Group => node.iter().find(|one| matches!(one.page.kind, PageKind::Document { .. })),
            PageKind::Link { .. } | PageKind::Computed { .. } => None,
        }
    }

    /// The page that the variant starts with: the one that is set, or the first one in it if it is a group, or else the
    /// first one with text. Generated pages come and go with their spec: only a variant without others starts with one.
    fn starts_with(&self, wanted: Option<&PageId>) -> Option<PageId> {
        let is_own = |node: &&Node| is_text(node) && node.generated.is_none();
        let wanted = wanted.and_then(|wanted| self.get(wanted)).and_then(|node| node.iter().find(is_own));
        let first = || self.tree.iter().find(is_own).or_else(|| self.tree.iter().find(|node| is_text(node)));
        wanted.or_else(first).map(|node| node.id.clone())
    }

    /// The path of a page below the address of the variant: empty for the one that it starts with.
    pub(super) fn path<'n>(&self, node: &'n Node) -> &'n str {
        if self.start.as_ref() == Some(&node.id) { "" } else { &node.path }
    }
}

fn listed<'n>(nodes: &'n [Node], all: &mut Vec<&'n Node>) {
    for node in nodes.iter().filter(|node| !node.page.hidden) {
        if is_text(node) {
            all.push(node);
        }
        listed(&node.children, all);
    }
}

/// The first listed page among a page and those below it.
fn first_listed(node: &Node) -> Option<&Node> {
    if node.page.hidden {
        return None;
    }
    if is_text(node) { Some(node) } else { node.children.iter().find_map(first_listed) }
}

/// The last of them.
fn last_listed(node: &Node) -> Option<&Node> {
    if node.page.hidden {
        return None;
    }
    node.children.iter().rev().find_map(last_listed).or(Some(node).filter(|node| is_text(node)))
}

/// Whether a page has a text.
pub(super) fn is_text(node: &Node) -> bool {
    matches!(node.page.kind, PageKind::Document { .. })
}

impl Visiting<'_> {
    /// The pages of a variant that the visitor sees; `None` if the visitor does not see the variant.
    pub(super) async fn pages(&mut self, spot: Spot) -> Result<Option<Arc<VariantPages>>, Error> {
        let Some(variant) = self.variant(spot) else { return Ok(None) };
        if let Some(known) = self.variants.get(&variant.id) {
            return Ok(Some(known.clone()));
        }
        self.open_ahead(&variant.space).await?;
        let Self { cache, work, contents, generator, visit, .. } = self;
        let Some(opened) = contents.get(work, &variant.space).await? else { return Ok(None) };
        let known = cache.trees.of(work, opened).await?;
        let has_computed = opened.snapshot.has_computed_pages();
        let shown = if known.conditional {
            let space = opened.read(work, |snapshot, objects| snapshot.variables(objects)).await?;
            let space = Variables { vars: space.into_iter().collect() };
            let mut tree = known.tree.filtered(&|page| {
                let settings = page.settings();
                visit.sees_page(settings.condition.as_deref(), &space, &settings.variables)
            });
            if has_computed {
                let computed = generator.computed(work, tree.sources()).await?;
                tree = tree.with_computed(&computed);
            }
            CachedTree::new(tree)
        } else if has_computed {
            let computed = generator.computed(work, known.tree.sources()).await?;
            cache.trees.with_computed(&opened.revision.manifest, &known, &computed)
        } else {
            known
        };
        let CachedTree { tree, positions, links, .. } = shown;
        let (language, own_title) = (opened.space.language, opened.space.title.to_string());
        let edit_url = opened.space.edit_url.clone();
        let localized = variant.settings.localized_title.get(language);
        let title = localized.or(variant.settings.title.as_ref()).map(ToString::to_string).unwrap_or(own_title);
        let space = variant.space.clone();
        let mut pages = VariantPages { spot, space, title, language, tree, links, start: None, edit_url, positions };
        pages.start = pages.starts_with(variant.settings.page.as_ref());
        let pages = Arc::new(pages);
        self.variants.insert(variant.id, pages.clone());
        Ok(Some(pages))
    }

    /// Opens a space, and with it as many others as are open. A visit that reads many spaces, such as a search, reads
    /// all of them, with few queries; one that reads a few, such as those that a page refers to, opens at most twice as
    /// many.
    pub(super) async fn open_ahead(&mut self, space: &SpaceId) -> Result<(), Error> {
        let Self { work, contents, visible, .. } = self;
        let ahead = contents.count();
        if ahead < 2 || contents.knows(space) {
            return Ok(());
        }
        let others = visible.structure.spaces().into_iter().map(|(_, one)| &one.space);
        let others = others.filter(|other| *other != space && !contents.knows(other));
        let wanted = std::iter::once(space).chain(others.take(ahead)).cloned().collect();
        contents.load(work, wanted).await
    }

    /// The address where the file that a page was imported from is edited. Trees have no paths of files, because only
    /// the page that is shown needs its own.
    pub(super) async fn edit_address(&mut self, pages: &VariantPages, node: &Node) -> Result<Option<String>, Error> {
        let Some(edit_url) = pages.edit_url.as_ref().filter(|_| node.generated.is_none()) else { return Ok(None) };
        let Self { work, contents, .. } = self;
        let Some(opened) = contents.get(work, &pages.space).await? else { return Ok(None) };
        let page = opened.read(work, |snapshot, objects| snapshot.page(objects, &node.id)).await?;
        Ok(page.and_then(|page| page.git).map(|file| edit_url.of_file(&file.path)))
    }

    /// The path on the server of a page of a variant.
    pub(super) fn page_href(&self, pages: &VariantPages, node: &Node) -> String {
        self.page_href_in(&self.addressed.view(), pages, node)
    }

    /// The same, for many pages: to build the view takes time in proportion to the structure of the site.
    pub(super) fn page_href_in(&self, view: &View<'_>, pages: &VariantPages, node: &Node) -> String {
        self.href(&view.address(pages.spot, pages.path(node)))
    }

    /// The path on the server of a page of a variant as Markdown.
    pub(super) fn markdown_href(&self, pages: &VariantPages, node: &Node) -> String {
        self.href(&self.addressed.view().markdown_address(pages.spot, &node.path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::page_tree::Placed;
    use super::*;
    use crate::content::order::OrderKey;
    use crate::content::page::PageEntry;
    use chrono::DateTime;
    use proptest::prelude::*;
    use proptest::sample::Index;

    fn id(number: usize) -> PageId {
        format!("p{number:02}").parse().unwrap()
    }

    fn kind(number: u8) -> PageKind {
        match number {
            0 => PageKind::Group,
            1 => PageKind::Link { target: ContentRef::Url { url: "https://example.com/".to_owned() } },
            _ => PageKind::Document { document: None },
        }
    }

    /// Pages with the parent, the kind and the visibility of each.
    fn variant(all: &[(Option<Index>, u8, bool)]) -> VariantPages {
        let entry = |(number, (parent, of_kind, hidden)): (usize, &(Option<Index>, u8, bool))| {
            let parent = parent.filter(|_| number > 0).map(|parent| id(parent.index(number)));
            let page = PageEntry::new(kind(*of_kind), "A", "a", OrderKey::first(), DateTime::UNIX_EPOCH);
            Placed::of(id(number), PageEntry { parent, hidden: *hidden, ..page })
        };
        let CachedTree { tree, positions, links, .. } = CachedTree::new(Tree::of(all.iter().enumerate().map(entry)));
        let (spot, space) = (Spot { section: 0, variant: 0 }, "s".parse().unwrap());
        VariantPages {
            spot,
            space,
            title: String::new(),
            language: None,
            tree,
            links,
            start: None,
            edit_url: None,
            positions,
        }
    }

    proptest! {
        #[test]
        fn the_pages_beside_a_page_are_its_neighbours_in_the_list(
            all in prop::collection::vec((any::<Option<Index>>(), 0..5_u8, prop::bool::weighted(0.1)), 1..40),
        ) {
            let pages = variant(&all);
            let listed = pages.listed();
            for node in pages.tree.iter() {
                let at = listed.iter().position(|other| other.id == node.id);
                let neighbour = |at: Option<usize>| at.and_then(|at| listed.get(at)).map(|node| &node.id);
                let (previous, next) = pages.beside(&node.id);
                let found = (previous.map(|node| &node.id), next.map(|node| &node.id));
                prop_assert_eq!(found, (neighbour(at.and_then(|at| at.checked_sub(1))), neighbour(at.map(|at| at + 1))));
            }
            prop_assert_eq!(pages.count(), all.len());
            let is_link = |node: &&Node| matches!(node.page.kind, PageKind::Link { .. });
            prop_assert_eq!(pages.links.len(), pages.tree.iter().filter(is_link).count());
        }
    }
}
