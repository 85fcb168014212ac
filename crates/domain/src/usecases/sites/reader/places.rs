//! The pages of a variant that a visitor sees, with their addresses.
use super::Visiting;
use super::trees::{CachedTree, PagePositions, walk};
use crate::content::expression::Variables;
use crate::content::page::{PageEntry, PageKind};
use crate::content::tree::{Node, Tree};
use crate::id::{PageId, SpaceId};
use crate::site::path::MARKDOWN;
use crate::site::resolve::Spot;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::content::sources;
use crate::web_address::WebAddress;
use std::sync::Arc;

/// The pages of a variant that a visitor sees.
#[derive(Debug)]
pub(super) struct VariantPages {
    pub(super) spot: Spot,
    pub(super) space: SpaceId,
    pub(super) title: String,
    pub(super) language: Option<Language>,
    pub(super) tree: Arc<Tree>,
    /// The page that it starts with.
    pub(super) start: Option<PageId>,
    edit_url: Option<WebAddress>,
    positions: Arc<PagePositions>,
}

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

    /// The address where the file that a page was imported from is edited.
    pub(super) fn edit_address(&self, page: &PageEntry) -> Option<String> {
        Some(self.edit_url.as_ref()?.of_file(&page.git.as_ref()?.path))
    }

    /// The path of a page below the address of the variant: empty for the one that it starts with.
    pub(super) fn path<'n>(&self, node: &'n Node) -> &'n str {
        if self.start.as_ref() == Some(&node.id) { "" } else { &node.path }
    }
}

fn listed<'n>(nodes: &'n [Node], all: &mut Vec<&'n Node>) {
    for node in nodes.iter().filter(|node| !node.page.hidden) {
        if matches!(node.page.kind, PageKind::Document { .. }) {
            all.push(node);
        }
        listed(&node.children, all);
    }
}

/// The tree of one visitor.
fn own(tree: Tree) -> (Arc<Tree>, Arc<PagePositions>) {
    let mut positions = PagePositions::new();
    walk(&tree.roots, &mut Vec::new(), &mut positions);
    (Arc::new(tree), Arc::new(positions))
}

impl Visiting<'_> {
    /// The pages of a variant that the visitor sees; `None` if the visitor does not see the variant.
    pub(super) async fn pages(&mut self, spot: Spot) -> Result<Option<Arc<VariantPages>>, Error> {
        let Some(variant) = self.variant(spot) else { return Ok(None) };
        if let Some(known) = self.variants.get(&variant.id) {
            return Ok(Some(known.clone()));
        }
        let Self { cache, work, contents, generator, visit, .. } = self;
        let Some(opened) = contents.get(work, &variant.space).await? else { return Ok(None) };
        let known = cache.trees.of(work, opened).await?;
        let has_computed = opened.snapshot.has_computed_pages();
        let (tree, positions) = if known.conditional {
            let space = opened.read(work, |snapshot, objects| snapshot.variables(objects)).await?;
            let space = Variables { vars: space.into_iter().collect() };
            let mut tree = visit.sees_pages((*known.tree).clone(), &space);
            if has_computed {
                let computed = generator.computed(work, sources(&tree.roots)).await?;
                tree = tree.with_computed(&computed);
            }
            own(tree)
        } else if has_computed {
            let computed = generator.computed(work, sources(&known.tree.roots)).await?;
            let CachedTree { tree, positions, .. } =
                cache.trees.with_computed(&opened.revision.manifest, &known, &computed);
            (tree, positions)
        } else {
            (known.tree, known.positions)
        };
        let wanted = variant.settings.page.as_ref();
        let is_text = |node: &&Node| matches!(node.page.kind, PageKind::Document { .. });
        // Generated pages come and go with their spec. The variant starts with one only if it has no others.
        let start = (wanted.and_then(|wanted| tree.iter().find(|node| node.id == *wanted)))
            .or_else(|| tree.iter().find(|node| is_text(node) && node.generated.is_none()))
            .or_else(|| tree.iter().find(is_text))
            .map(|node| node.id.clone());
        let (language, own_title) = (opened.space.language, opened.space.title.to_string());
        let edit_url = opened.space.edit_url.clone();
        let localized = language.and_then(|language| variant.settings.localized_title.get(language));
        let title = localized.or(variant.settings.title.as_ref()).map(ToString::to_string).unwrap_or(own_title);
        let space = variant.space.clone();
        let pages = Arc::new(VariantPages { spot, space, title, language, tree, start, edit_url, positions });
        self.variants.insert(variant.id, pages.clone());
        Ok(Some(pages))
    }

    /// The path on the server of a page of a variant.
    pub(super) fn page_href(&self, pages: &VariantPages, node: &Node) -> String {
        self.href(&self.addressed.view().address(pages.spot, pages.path(node)))
    }

    /// The path on the server of a page of a variant as Markdown.
    pub(super) fn markdown_href(&self, pages: &VariantPages, node: &Node) -> String {
        self.href(&self.addressed.view().address(pages.spot, &format!("{}{MARKDOWN}", node.path)))
    }
}
