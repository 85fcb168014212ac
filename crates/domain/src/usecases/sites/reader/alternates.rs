//! The alternates of a page: the links that its author set, and the same page in other languages.
use super::Visiting;
use super::page_tree::Node;
use super::places::{VariantPages, is_text};
use super::references::space_of;
use crate::content::reference::ContentRef;
use crate::site::reader::{AlternateLink, References};
use crate::site::resolve::Spot;
use crate::text::Language;
use crate::usecases::Error;
use std::collections::HashMap;
use std::sync::Arc;

/// The most alternates that an author can set; further ones are ignored.
const MAX_NAMED: usize = 100;
/// The name for readers of all other languages.
const OTHERS: &str = "x-default";

/// The variants of a section in different languages, one for each language. The first one is for readers of all other
/// languages.
pub(super) struct Alternates {
    variants: Vec<Arc<VariantPages>>,
}

/// The pages of variants by path, for lists of pages: to walk to each of them would take long.
pub(super) struct PagesByPath<'p>(HashMap<(Spot, &'p str), &'p Node>);

impl PagesByPath<'_> {
    pub(super) fn get(&self, pages: &VariantPages, path: &str) -> Option<&Node> {
        self.0.get(&(pages.spot, path)).copied()
    }
}

impl Alternates {
    /// The pages by path; empty if there is only one language.
    pub(super) fn by_path(&self) -> PagesByPath<'_> {
        let mut all = HashMap::new();
        for pages in self.variants.iter().filter(|_| self.variants.len() > 1) {
            let shown = pages.tree.iter().filter(|node| is_shown(node));
            all.extend(shown.map(|node| ((pages.spot, &*node.path), node)));
        }
        PagesByPath(all)
    }

    /// The language and the address of a page in all languages, including its own. Empty if there is only one. A page
    /// in another language is included only if it links back. `at_path` finds a page of a variant.
    pub(super) fn links<'p>(
        &'p self,
        spot: Spot,
        node: &Node,
        address: impl Fn(&VariantPages, &Node) -> String,
        at_path: impl Fn(&'p VariantPages, &str) -> Option<&'p Node>,
    ) -> Vec<(String, String)> {
        let own = self.variants.iter().find(|one| one.spot == spot).filter(|_| is_shown(node));
        let Some(own) = own.filter(|_| self.variants.len() > 1) else { return Vec::new() };
        let mut links = Vec::new();
        let mut others = None;
        for (at, other) in self.variants.iter().enumerate() {
            let (Some(same), Some(language)) = (own.same_in(node, other, is_shown, &at_path), other.language) else {
                continue;
            };
            if other.same_in(same, own, is_shown, &at_path).is_none_or(|back| back.id != node.id) {
                continue;
            }
            let link = address(other, same);
            if at == 0 {
                others = Some((OTHERS.to_owned(), link.clone()));
            }
            links.push((language.to_string(), link));
        }
        if links.len() < 2 {
            return Vec::new();
        }
        links.extend(others);
        links
    }
}

/// Whether a page can be an alternate: search engines may index it.
fn is_shown(node: &Node) -> bool {
    is_text(node) && !node.page.hidden && !node.page.no_robots_index
}

/// The alternate links of a page with a language and an address: first the author's links, then links to translations
/// in other languages. If there are any, a link to the page itself is added.
pub(super) fn combined(
    named: Vec<AlternateLink>,
    found: Vec<(String, String)>,
    (language, address): (Option<Language>, &str),
) -> Vec<AlternateLink> {
    let found = found.into_iter().map(|(language, href)| AlternateLink { language: Some(language), href });
    let mut links: Vec<AlternateLink> = Vec::new();
    for link in named.into_iter().chain(found) {
        let known = match &link.language {
            Some(_) => links.iter().any(|one| one.language == link.language),
            None => link.href == address || links.iter().any(|one| one.href == link.href),
        };
        if !known {
            links.push(link);
        }
    }
    let own = language.map(|language| language.to_string());
    let in_languages = links.iter().any(|link| link.language.is_some());
    if own.is_some() && in_languages && !links.iter().any(|link| link.language == own) {
        links.push(AlternateLink { language: own, href: address.to_owned() });
    }
    links
}

impl Visiting<'_> {
    /// The alternates that the author of a page set, as far as the visitor sees them. A page of another space has the
    /// language of its variant.
    pub(super) async fn named_alternates(
        &mut self,
        from: &VariantPages,
        named: &[ContentRef],
        references: &References,
    ) -> Result<Vec<AlternateLink>, Error> {
        let mut links = Vec::new();
        for reference in named.iter().take(MAX_NAMED) {
            let Some(href) = self.address_of(reference, references) else { continue };
            let elsewhere = space_of(reference).and_then(|space| self.spot_of(space, from.spot));
            let language = match elsewhere {
                Some(spot) => self.pages(spot).await?.and_then(|pages| pages.language),
                None => None,
            };
            // A page in the same language is not a translation.
            let language = language.filter(|language| Some(*language) != from.language);
            links.push(AlternateLink { language: language.map(|language| language.to_string()), href });
        }
        Ok(links)
    }

    /// The variants of a section in different languages that the visitor sees. Of several in one language, the default
    /// one is used, or else the first one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn links(all: &[(&str, &str)]) -> Vec<AlternateLink> {
        let language = |language: &str| Some(language.to_owned()).filter(|language| !language.is_empty());
        all.iter().map(|(name, href)| AlternateLink { language: language(name), href: (*href).to_owned() }).collect()
    }

    #[rstest]
    #[case::none(&[], &[], &[])]
    #[case::languages(&[], &[("en", "own"), ("de", "b"), ("x-default", "own")], &[("en", "own"), ("de", "b"), ("x-default", "own")])]
    #[case::the_author_wins(&[("de", "a")], &[("en", "own"), ("de", "b")], &[("de", "a"), ("en", "own")])]
    #[case::itself_is_added(&[("de", "a")], &[], &[("de", "a"), ("en", "own")])]
    #[case::without_a_language(&[("", "a"), ("", "a"), ("", "own")], &[], &[("", "a")])]
    #[case::one_for_each_language(&[("de", "a"), ("de", "b")], &[], &[("de", "a"), ("en", "own")])]
    fn each_language_has_one_link(
        #[case] named: &[(&str, &str)],
        #[case] found: &[(&str, &str)],
        #[case] expected: &[(&str, &str)],
    ) {
        let found = found.iter().map(|(language, href)| ((*language).to_owned(), (*href).to_owned())).collect();
        assert_eq!(combined(links(named), found, ("en".parse().ok(), "own")), links(expected));
    }
}
