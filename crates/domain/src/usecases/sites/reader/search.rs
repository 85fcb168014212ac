//! Search for visitors.
use super::Visiting;
use super::places::VariantPages;
use crate::content::document::{BlockType, Document};
use crate::content::evaluate::evaluate_for;
use crate::content::expand::expand;
use crate::content::expression::Variables;
use crate::content::page::PageKind;
use crate::content::search::{Query, Snippet, snippet};
use crate::content::text_of;
use crate::content::tree::Node;
use crate::id::SpaceId;
use crate::paging::PageRequest;
use crate::site::condition::ConditionScope;
use crate::site::resolve::Spot;
use crate::site::structure::SiteScope;
use crate::text::{Language, SearchQuery};
use crate::usecases::Error;
use crate::usecases::search::{FoundPage, FoundSection, FoundSpace, in_spaces};
use std::sync::Arc;

/// The most results of a search.
const MAX_HITS: usize = 20;
/// The most pages of a space that a search looks at, if some of them can be hidden from the visitor.
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

impl Visiting<'_> {
    /// The pages that match a query, best first, among those that the visitor sees. A scope with a space that the
    /// visitor does not see finds nothing.
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
        let spaces: Vec<(SpaceId, Option<Language>)> =
            variants.iter().map(|one| (one.space.clone(), one.language)).collect();
        let part = PageRequest { limit: MAX_HITS, ..PageRequest::default() };
        // Pages that conditions hide from the visitor are left out afterwards.
        let most = if self.site.adaptive_content { MAX_LOOKED_AT } else { MAX_HITS };
        let found = in_spaces(&mut self.work, &spaces, query, (&part, most)).await?;
        let languages: Vec<Option<Language>> = spaces.iter().map(|(_, language)| *language).collect();
        let words = Query::parse(query.as_str(), &languages);
        let mut pages: Vec<(Arc<VariantPages>, FoundPage)> = Vec::new();
        for FoundSpace { space, pages: hits, .. } in found.items {
            let Some(variant) = variants.iter().find(|one| one.space == space.id) else { continue };
            pages.extend(hits.into_iter().map(|hit| (variant.clone(), hit)));
        }
        pages.sort_by_key(|(_, hit)| hit.rank);
        let mut hits = Vec::new();
        for (variant, hit) in pages {
            if hits.len() == MAX_HITS {
                break;
            }
            hits.extend(self.hit(&variant, hit, &words, variants.len() > 1).await?);
        }
        Ok(hits)
    }

    /// The pages nearest to a path that leads nowhere.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn suggestions(&mut self, path: &str) -> Result<Vec<SiteHit>, Error> {
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let words = crate::content::import::path::decode(last).replace(['-', '_', '.', '/'], " ");
        let Ok(query) = SearchQuery::try_from(words.chars().take(100).collect::<String>()) else {
            return Ok(Vec::new());
        };
        let mut hits = self.search(&query, &SiteScope::All).await?;
        hits.truncate(MAX_SUGGESTIONS);
        Ok(hits)
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
            // The index has the text for everybody. What is shown comes from the text of this visitor alone.
            Some(text) => {
                let sections = matching(&text, words, variant.language);
                let title = snippet(&node.page.title, words, variant.language);
                if sections.is_empty() && title.matches.is_empty() {
                    return Ok(None);
                }
                sections
            }
        };
        let href = self.page_href(variant, node);
        let titles = several.then(|| variant.title.clone()).into_iter();
        Ok(Some(SiteHit {
            title: node.page.title.clone(),
            emoji: node.page.emoji.clone(),
            icon: node.page.icon.clone(),
            markdown: self.markdown_href(variant, node),
            above: titles.chain(above.iter().map(|node| node.page.title.clone())).collect(),
            sections: sections
                .into_iter()
                .map(|section| SiteHitSection {
                    title: section.title,
                    href: section.anchor.map_or_else(|| href.clone(), |anchor| format!("{href}#{anchor}")),
                    body: section.body,
                })
                .collect(),
            href,
        }))
    }

    /// The text of a page for the visitor, if it is not the same for all.
    async fn conditional(&mut self, variant: &VariantPages, node: &Node) -> Result<Option<Document>, Error> {
        let PageKind::Document { document: Some(text) } = node.page.kind else { return Ok(None) };
        let Self { memory, work, contents, visit, .. } = self;
        if memory.plain.has(&text) {
            return Ok(None);
        }
        let Some(opened) = contents.get(work, &variant.space).await? else { return Ok(None) };
        let read = opened.read(work, |snapshot, objects| {
            let document = text_of(objects, Some(text))?;
            memory.plain.learn(text, &document);
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
