//! Search for visitors.
use super::Visiting;
use super::page_tree::Node;
use super::places::VariantPages;
use super::texts_at_once;
use crate::content::document::{BlockType, Document};
use crate::content::evaluate::evaluate_for;
use crate::content::expand::{expand, expand_all};
use crate::content::expression::Variables;
use crate::content::import::path::decode;
use crate::content::object::{Hash, fetch};
use crate::content::page::PageKind;
use crate::content::search::{PageHit, Query, Snippet, snippet};
use crate::content::text_of;
use crate::id::SpaceId;
use crate::site::condition::ConditionScope;
use crate::site::lost_path::LostPath;
use crate::site::resolve::Spot;
use crate::site::structure::SiteScope;
use crate::text::{Language, SearchQuery};
use crate::usecases::Error;
use crate::usecases::search::{FoundSection, ranked, sections, shown_sections, texts};
use std::sync::Arc;

/// The most results of a search.
const MAX_HITS: usize = 20;

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

/// The sections of a result.
enum Sections {
    /// Those of the index, which are the same for all visitors.
    Indexed(PageHit, Option<Language>),
    /// Those of the text for this visitor.
    Own(Vec<FoundSection>),
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
        let spaces = spots.iter().map(|(_, space)| space.clone()).collect();
        self.contents.load(&mut self.work, spaces).await?;
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
        let (query, ranked) = ranked(&mut self.work, &spaces, query).await?;
        let mut seen = Vec::with_capacity(MAX_HITS);
        let mut loaded = 0;
        for (read, hit) in ranked.iter().enumerate() {
            if seen.len() == MAX_HITS {
                break;
            }
            if read == loaded {
                let next = &ranked[read..];
                let next = &next[..texts_at_once(read).max(MAX_HITS).min(next.len())];
                self.load_hits(&variants, next).await?;
                loaded += next.len();
            }
            let Some(variant) = variants.iter().find(|one| one.space == hit.space) else { continue };
            seen.extend(self.seen_hit(variant, hit, &query, variants.len() > 1).await?);
        }
        let indexed = seen.iter().filter_map(|(_, sections)| match sections {
            Sections::Indexed(hit, _) => Some(hit),
            Sections::Own(_) => None,
        });
        let texts = texts(&mut self.work, shown_sections(indexed)).await?;
        let hits = seen.into_iter().map(|(shown, found)| {
            let found = match found {
                Sections::Indexed(hit, language) => sections(&hit, &texts, &query, language),
                Sections::Own(sections) => sections,
            };
            let sections = found.into_iter().map(|section| SiteHitSection {
                title: section.title,
                href: section.anchor.map_or_else(|| shown.href.clone(), |anchor| format!("{}#{anchor}", shown.href)),
                body: section.body,
            });
            SiteHit { sections: sections.collect(), ..shown }
        });
        Ok(hits.collect())
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
            title: node.page.title.to_string(),
            emoji: node.page.settings().emoji.clone(),
            icon: node.page.settings().icon.clone(),
            href: self.page_href(pages, node),
            markdown: self.markdown_href(pages, node),
            above: titles.chain(above.iter().map(|node| node.page.title.to_string())).collect(),
            sections: Vec::new(),
        }
    }

    /// A found page as a result without its sections, and its sections, if the visitor sees it.
    async fn seen_hit(
        &mut self,
        variant: &VariantPages,
        hit: &PageHit,
        query: &Query,
        several: bool,
    ) -> Result<Option<(SiteHit, Sections)>, Error> {
        let language = variant.language;
        let Some((node, above)) = variant.find(&hit.page) else { return Ok(None) };
        if node.page.no_index {
            return Ok(None);
        }
        let sections = match self.conditional(variant, node).await? {
            None => Sections::Indexed(hit.clone(), language),
            // The index has the text for all visitors. The shown parts come from the text for this visitor.
            Some(text) => {
                let sections = matching(&text, query, language);
                if sections.is_empty() && snippet(&node.page.title, query, language).matches.is_empty() {
                    return Ok(None);
                }
                Sections::Own(sections)
            }
        };
        Ok(Some((self.shown(variant, node, &above, several), sections)))
    }

    /// Loads what [`Self::conditional`] reads for these hits, so that the number of queries depends on the spaces, not
    /// on the hits.
    async fn load_hits(&mut self, variants: &[Arc<VariantPages>], hits: &[PageHit]) -> Result<(), Error> {
        let Self { cache, work, contents, .. } = self;
        for variant in variants {
            let pages = hits.iter().filter(|hit| hit.space == variant.space).filter_map(|hit| variant.get(&hit.page));
            let texts = pages.filter(|node| !node.page.no_index).filter_map(|node| node.page.document());
            let texts: Vec<Hash> = texts.filter(|text| !cache.plain.has(text)).collect();
            if texts.is_empty() {
                continue;
            }
            let Some(opened) = contents.get(work, &variant.space).await? else { continue };
            let read = opened.read(work, |snapshot, objects| {
                let bytes: usize = fetch(objects, texts.iter().copied())?.iter().map(|bytes| bytes.len()).sum();
                // Large texts are in memory one at a time. Only what they include is loaded for each.
                if bytes > MOST_BYTES {
                    return Ok(());
                }
                let mut adaptive = Vec::new();
                for text in &texts {
                    let document = text_of(objects, Some(*text))?;
                    cache.plain.add_if_plain(*text, &document);
                    adaptive.extend((!cache.plain.has(text)).then_some(document));
                }
                expand_all(objects, snapshot, adaptive, MOST_BYTES)?;
                Ok(())
            });
            read.await?;
        }
        Ok(())
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
        let page = Variables { vars: node.page.settings().variables.clone() };
        Ok(Some(evaluate_for(document, &ConditionScope::new(visit.claims(), &space, &page))))
    }
}

/// The most bytes of texts, and of what they include, that are read together to load what they include.
const MOST_BYTES: usize = 4 << 20;

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
