//! The same page in other languages.
use super::Visiting;
use super::places::VariantPages;
use crate::content::page::PageKind;
use crate::content::tree::Node;
use crate::id::PageId;
use crate::site::resolve::Spot;
use crate::text::Language;
use crate::usecases::Error;
use std::collections::HashMap;
use std::sync::Arc;

/// The name for readers of all other languages.
const OTHERS: &str = "x-default";

/// The variants of a section that are in different languages, one for each language. The first one is for readers of all
/// other languages.
pub(super) struct Alternates {
    variants: Vec<Arc<VariantPages>>,
}

/// The pages of the variants by id and by path. It is empty if there is only one language.
pub(super) struct Index<'p>(Vec<Indexed<'p>>);

struct Indexed<'p> {
    pages: &'p VariantPages,
    language: Language,
    by_id: HashMap<&'p PageId, &'p Node>,
    by_path: HashMap<&'p str, &'p Node>,
}

impl Alternates {
    pub(super) fn index(&self) -> Index<'_> {
        match self.variants.as_slice() {
            [] | [_] => Index(Vec::new()),
            variants => Index(variants.iter().filter_map(|pages| Indexed::of(pages)).collect()),
        }
    }
}

impl Index<'_> {
    /// A page in all languages, its own among them: language and address. None if it is in one only. A page is in them
    /// only if it leads back.
    pub(super) fn links(
        &self,
        spot: Spot,
        node: &Node,
        address: impl Fn(&VariantPages, &Node) -> String,
    ) -> Vec<(String, String)> {
        let own = self.0.iter().find(|one| one.pages.spot == spot).filter(|_| is_shown(node));
        let Some(own) = own else { return Vec::new() };
        let mut links = Vec::new();
        let mut others = None;
        for (at, other) in self.0.iter().enumerate() {
            let Some(same) = own.same_in(node, other) else { continue };
            if other.same_in(same, own).is_none_or(|back| back.id != node.id) {
                continue;
            }
            let link = address(other.pages, same);
            if at == 0 {
                others = Some((OTHERS.to_owned(), link.clone()));
            }
            links.push((other.language.to_string(), link));
        }
        if links.len() < 2 {
            return Vec::new();
        }
        links.extend(others);
        links
    }
}

/// Whether other languages can lead to a page: search engines may index it.
fn is_shown(node: &Node) -> bool {
    matches!(node.page.kind, PageKind::Document { .. }) && !node.page.hidden && !node.page.no_robots_index
}

impl<'p> Indexed<'p> {
    fn of(pages: &'p VariantPages) -> Option<Self> {
        let shown = || pages.tree.iter().filter(|node| is_shown(node));
        Some(Self {
            pages,
            language: pages.language?,
            by_id: shown().map(|node| (&node.id, node)).collect(),
            by_path: shown().map(|node| (node.path.as_str(), node)).collect(),
        })
    }

    /// The same page of another variant: by its id, as the start of the variant, or by its path.
    fn same_in(&self, node: &Node, other: &Self) -> Option<&'p Node> {
        let by_id = other.by_id.get(&node.id).copied();
        let is_start = self.pages.start.as_ref() == Some(&node.id);
        let start = || other.pages.start.as_ref().filter(|_| is_start).and_then(|id| other.by_id.get(id).copied());
        by_id.or_else(start).or_else(|| other.by_path.get(node.path.as_str()).copied())
    }
}

impl Visiting<'_> {
    /// The variants of a section in different languages that the visitor sees. Of several in one language, the default
    /// one counts, or else the first one.
    pub(super) async fn alternates(&mut self, section: usize) -> Result<Alternates, Error> {
        let mut spots: Vec<(Spot, bool)> = {
            let (seen, view) = (self.seen(), self.addressed.view());
            let variants = view.sections.get(section).map(|section| section.variants.as_slice()).unwrap_or_default();
            let listed = |id| seen.structure.space(id).is_some_and(|(_, one)| !one.settings.hidden);
            let all = variants.iter().enumerate().filter(|(_, one)| seen.shows(one.id) && listed(one.id));
            all.map(|(variant, one)| (Spot { section, variant }, one.default)).collect()
        };
        spots.sort_by_key(|(_, default)| !default);
        let mut variants: Vec<Arc<VariantPages>> = Vec::new();
        for (spot, _) in spots {
            let Some(pages) = self.pages(spot).await? else { continue };
            if pages.language.is_some() && !variants.iter().any(|known| known.language == pages.language) {
                variants.push(pages);
            }
        }
        Ok(Alternates { variants })
    }
}
