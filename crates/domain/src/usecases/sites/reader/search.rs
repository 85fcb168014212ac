//! Search for visitors.
use super::Visiting;
use super::places::VariantPages;
use crate::content::document::{BlockType, Document};
use crate::content::evaluate::evaluate_for;
use crate::content::expand::expand;
use crate::content::expression::Variables;
use crate::content::import::path::decode;
use crate::content::page::PageKind;
use crate::content::search::{Query, Snippet, snippet};
use crate::content::text_of;
use crate::content::tree::Node;
use crate::id::SpaceId;
use crate::paging::PageRequest;
use crate::site::condition::ConditionScope;
use crate::site::lost_path::LostPath;
use crate::site::resolve::Spot;
use crate::site::structure::SiteScope;
use crate::text::{Language, SearchQuery};
use crate::usecases::Error;
use crate::usecases::search::{FoundPage, FoundSection, FoundSpace, in_spaces};
use std::sync::Arc;

/// The most results of a search.
const MAX_HITS: usize = 20;
/// The most pages of a space that a search examines, if some of them can be hidden from the visitor.
const MAX_LOOKED_AT: usize = 100;

/// A page that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteHit {
    /// Its title.
    pub title: String,
    /// An emoji before the title.
    pub emoji: Option<String>,
    /// An icon before the title.
    pub icon: Option<String>,
    /// Its path on the server.
    pub href: String,
    /// The path on the server of the page as Markdown.
    pub markdown: String,
    /// The titles of the variant, if there are several spaces, and of the pages above it.
    pub above: Vec<String>,
    /// Its sections that match, best first.
    pub sections: Vec<SiteHitSection>,
}

/// A section that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteHitSection {
    /// Its heading; empty before the first one.
    pub title: String,
    /// Its path on the server.
    pub href: String,
    /// The part of its text that matches.
    pub body: Snippet,
}

/// Pages that are similar to a path.
#[derive(Default)]
struct SimilarPages {
    /// Pages with a similar name, the most similar first.
    similar: Vec<SiteHit>,
    /// Pages below the same parent path.
    beside: Vec<SiteHit>,
}

impl Visiting<'_> {
    /// The pages that match a query, best first, among those that the visitor sees. For a scope with a space that the
    /// visitor does not see, the result is empty.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn search(&mut self, query: &SearchQuery, scope: &SiteScope) -> Result<Vec<SiteHit>, Error> {
        let spots: Vec<(Spot, SpaceId)> = {
            let (seen, view) = (self.seen(), self.addressed.view());
            let Ok(wanted) = seen.structure.in_scope(scope) else { return Ok(Vec::new()) };
            wanted.into_iter().filter_map(|one| Some((view.spot(&one.id)?, one.space.clone()))).collect()
        };
        let mut variants: Vec<Arc<VariantPages>> = Vec::new();
        for (spot, space) in spots {
            if !variants.iter().any(|known| known.space == space) {
                variants.extend(self.pages(spot).await?);
            }
        }
        if variants.is_empty() || query.as_str().trim().is_empty() {
            return Ok(Vec::new());
        }
        // Pages that are hidden from the visitor are left out afterwards.
        let most = if self.site.adaptive_content { MAX_LOOKED_AT } else { MAX_HITS };
        let (hits, may_be_more) = self.hits(&variants, query, most).await?;
        if may_be_more && hits.len() < MAX_HITS && most < MAX_LOOKED_AT {
            return Ok(self.hits(&variants, query, MAX_LOOKED_AT).await?.0);
        }
        Ok(hits)
    }

    /// The results among the best pages of each variant, `most` of each, and whether there may be more results to
    /// replace hidden ones.
    async fn hits(
        &mut self,
        variants: &[Arc<VariantPages>],
        query: &SearchQuery,
        most: usize,
    ) -> Result<(Vec<SiteHit>, bool), Error> {
        let mut more = false;
        let spaces: Vec<(SpaceId, Option<Language>)> =
            variants.iter().map(|one| (one.space.clone(), one.language)).collect();
        let part = PageRequest { limit: MAX_HITS, ..PageRequest::default() };
        let found = in_spaces(&mut self.work, &spaces, query, (&part, most)).await?;
        let languages: Vec<Option<Language>> = spaces.iter().map(|(_, language)| *language).collect();
        let words = Query::parse(query.as_str(), &languages);
        let mut pages: Vec<(Arc<VariantPages>, FoundPage)> = Vec::new();
        for FoundSpace { space, pages: hits, .. } in found.items {
            let Some(variant) = variants.iter().find(|one| one.space == space.id) else { continue };
            more |= hits.len() >= most;
            pages.extend(hits.into_iter().map(|hit| (variant.clone(), hit)));
        }
        pages.sort_by_key(|(_, hit)| hit.rank);
        let (mut hits, mut left_out) = (Vec::new(), false);
        for (variant, hit) in pages {
            if hits.len() == MAX_HITS {
                break;
            }
            match self.hit(&variant, hit, &words, variants.len() > 1).await? {
                Some(hit) => hits.push(hit),
                None => left_out = true,
            }
        }
        Ok((hits, left_out && more))
    }

    /// The pages most similar to a path without a page: first pages with a similar name, then pages with its words,
    /// then pages with the same parent path.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn suggestions(&mut self, path: &str) -> Result<Vec<SiteHit>, Error> {
        let path = decode(path);
        let SimilarPages { mut similar, beside } = self.near(&path).await?;
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let words: String = last.replace(['-', '_', '.'], " ").chars().take(100).collect();
        let with_words = match SearchQuery::try_from(words) {
            Ok(query) => self.search(&query, &SiteScope::All).await?,
            Err(_) => Vec::new(),
        };
        for hit in with_words.into_iter().chain(beside) {
            if !similar.iter().any(|known| known.href == hit.href) {
                similar.push(hit);
            }
        }
        similar.truncate(MAX_SUGGESTIONS);
        Ok(similar)
    }

    /// The pages in the table of contents whose paths are similar to a path.
    async fn near(&mut self, path: &str) -> Result<SimilarPages, Error> {
        let reading = self.addressed.view().readings(path).into_iter().next();
        let inside = reading.as_ref().map(|reading| reading.page.as_str()).filter(|page| !page.is_empty());
        let Some(lost) = LostPath::new(inside.unwrap_or(path)) else { return Ok(SimilarPages::default()) };
        let spot = reading.as_ref().map(|reading| reading.spot);
        let mut variants: Vec<Arc<VariantPages>> = Vec::new();
        let mut listed = self.listed_variants();
        listed.retain(|variant| !variant.hidden);
        // A space can be in several sections: the section of the path takes precedence.
        listed.sort_by_key(|variant| Some(variant.spot) != spot);
        for variant in listed {
            let Some(pages) = self.pages(variant.spot).await? else { continue };
            if !variants.iter().any(|known| known.space == pages.space) {
                variants.push(pages);
            }
        }
        let (mut similar, mut beside) = (Vec::new(), Vec::new());
        for pages in &variants {
            let elsewhere = Some(pages.spot) != spot;
            for node in pages.listed().into_iter().filter(|node| !node.page.no_index) {
                let is_beside = !elsewhere && lost.is_beside(&node.path);
                match lost.edits(&node.path) {
                    Some(edits) => similar.push(((edits, elsewhere, !is_beside), pages, node)),
                    None if is_beside && beside.len() < MAX_SUGGESTIONS => beside.push((pages, node)),
                    None => {}
                }
            }
        }
        similar.sort_by_key(|(order, ..)| *order);
        let several = variants.len() > 1;
        let shown = |pages: &VariantPages, node: &Node| {
            let (node, above) = pages.find(&node.id)?;
            Some(self.shown(pages, node, &above, several))
        };
        let similar = similar.into_iter().take(MAX_SUGGESTIONS).filter_map(|(_, pages, node)| shown(pages, node));
        let beside = beside.into_iter().filter_map(|(pages, node)| shown(pages, node));
        Ok(SimilarPages { similar: similar.collect(), beside: beside.collect() })
    }

    /// A page as a result, without sections.
    fn shown(&self, pages: &VariantPages, node: &Node, above: &[&Node], several: bool) -> SiteHit {
        let titles = several.then(|| pages.title.clone()).into_iter();
        SiteHit {
            title: node.page.title.clone(),
            emoji: node.page.emoji.clone(),
            icon: node.page.icon.clone(),
            href: self.page_href(pages, node),
            markdown: self.markdown_href(pages, node),
            above: titles.chain(above.iter().map(|node| node.page.title.clone())).collect(),
            sections: Vec::new(),
        }
    }

    async fn hit(
        &mut self,
        variant: &Arc<VariantPages>,
        hit: FoundPage,
        words: &Query,
        several: bool,
    ) -> Result<Option<SiteHit>, Error> {
        let Some((node, above)) = variant.find(&hit.id) else { return Ok(None) };
        if node.page.no_index {
            return Ok(None);
        }
        let sections = match self.conditional(variant, node).await? {
            None => hit.sections,
            // The index has the text for all visitors. The shown parts come from the text for this visitor.
            Some(text) => {
                let sections = matching(&text, words, variant.language);
                let title = snippet(&node.page.title, words, variant.language);
                if sections.is_empty() && title.matches.is_empty() {
                    return Ok(None);
                }
                sections
            }
        };
        let shown = self.shown(variant, node, &above, several);
        let sections = sections.into_iter().map(|section| SiteHitSection {
            title: section.title,
            href: section.anchor.map_or_else(|| shown.href.clone(), |anchor| format!("{}#{anchor}", shown.href)),
            body: section.body,
        });
        Ok(Some(SiteHit { sections: sections.collect(), ..shown }))
    }

    /// The text of a page for the visitor, if it is not the same for all.
    async fn conditional(&mut self, variant: &VariantPages, node: &Node) -> Result<Option<Document>, Error> {
        let PageKind::Document { document: Some(text) } = node.page.kind else { return Ok(None) };
        let Self { cache, work, contents, visit, .. } = self;
        if cache.plain.has(&text) {
            return Ok(None);
        }
        let Some(opened) = contents.get(work, &variant.space).await? else { return Ok(None) };
        let read = opened.read(work, |snapshot, objects| {
            let document = text_of(objects, Some(text))?;
            cache.plain.add_if_plain(text, &document);
            let document = expand(objects, snapshot, document)?;
            let space = Variables { vars: snapshot.variables(objects)?.into_iter().collect() };
            Ok((document, space))
        });
        let (document, space) = read.await?;
        if !document.walk().any(|block| block.kind.block_type() == BlockType::If) {
            return Ok(None);
        }
        let page = Variables { vars: node.page.variables.clone() };
        Ok(Some(evaluate_for(document, &ConditionScope::new(visit.claims(), &space, &page))))
    }
}

/// The most pages that are suggested.
const MAX_SUGGESTIONS: usize = 5;

/// The sections of a text that have words of a query.
fn matching(document: &Document, words: &Query, language: Option<Language>) -> Vec<FoundSection> {
    let sections = document.sections().into_iter().filter_map(|section| {
        let body = snippet(&section.body, words, language);
        let title = snippet(&section.title, words, language);
        let found = !body.matches.is_empty() || !title.matches.is_empty();
        found.then_some(FoundSection { anchor: section.anchor, title: section.title, body, score: 0.0 })
    });
    sections.take(5).collect()
}
