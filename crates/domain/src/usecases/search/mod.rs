//! Search in primary content, and updates of its index.
mod find;
pub(in crate::usecases) mod indexing;
pub(in crate::usecases) mod language;

use super::content::{At, LoadedRevision, Revised};
use super::open::grant_listed_space;
use super::sites::SeenStructure;
use super::work::{Units, Work};
use super::{Error, Input};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::object::{MemoryObjects, Read, together};
use crate::content::page::PageEntry;
use crate::content::search::{PageHit, Query, SectionId, SectionText, Snippet, snippet};
use crate::content::snapshot::Snapshot;
use crate::id::{OrganizationId, PageId, SiteId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::store::spaces::SpaceFilter;
use crate::site::structure::SiteScope;
use crate::space::Space;
use crate::text::{Language, SearchQuery};
use find::find;
use std::collections::{HashMap, HashSet};

/// The maximum number of pages per space in a search over several spaces.
const MAX_PAGES: usize = 10;
/// The maximum number of sections per page.
const MAX_SECTIONS: usize = 5;

/// Searches content.
#[derive(Clone)]
pub struct Search {
    /// Units of work.
    pub units: Units,
}

/// A found page.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    /// Its id.
    pub id: PageId,
    /// The page.
    pub page: PageEntry,
    /// Its path: the slugs from the root, joined by `/`.
    pub path: String,
    /// The pages above it, starting at the root.
    pub ancestors: Vec<(PageId, PageEntry)>,
    /// Its score, above 0.
    pub score: f64,
    /// Its rank among all found pages, from 1.
    pub rank: usize,
    /// Its matching sections, best first; at least one.
    pub sections: Vec<FoundSection>,
}

/// A space with found pages.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSpace {
    /// The space.
    pub space: Granted<Space>,
    /// Its found pages, best first, at most 10, at least one.
    pub pages: Vec<FoundPage>,
    /// The score of its best page.
    pub score: f64,
}

/// A found section.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSection {
    /// Its anchor in the page; absent before the first heading.
    pub anchor: Option<String>,
    /// Its heading; empty before the first one.
    pub title: String,
    /// The part of its text that matches.
    pub body: Snippet,
    /// Its score.
    pub score: f64,
}

impl Search {
    /// The pages of a space that match a query, best first.
    ///
    /// If no section has all words, the query is corrected and then relaxed.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, [`Error::Invalid`].
    pub async fn space(
        &self,
        actor: &Actor,
        space: &SpaceId,
        input: Input<(SearchQuery, PageRequest)>,
    ) -> Result<Revised<Page<FoundPage>>, Error> {
        let mut work = self.units.read(actor).await?;
        let mut opened = LoadedRevision::find(&mut work, space, &At::Primary).await?;
        let (query, part) = input.read()?;
        let language = opened.space.language;
        let query = Query::parse(query.as_str(), &[language]);
        let (query, hits) = find(work.tx(), std::slice::from_ref(space), query).await?;
        let hits = (1..).zip(hits).collect();
        let Page { items, total, next } =
            Page::of_sorted(hits, &part, |(rank, _): &(usize, PageHit)| format!("{rank:09}"));
        let items = shown(&mut work, &mut opened, items, &query).await?;
        Ok(opened.with(Page { items, total, next }))
    }

    /// The spaces of an organization with pages that match a query, by their best page. Only content that the caller
    /// may read is searched.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization, [`Error::Invalid`].
    pub async fn organization(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        input: Input<(SearchQuery, PageRequest)>,
    ) -> Result<Page<FoundSpace>, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, organization_access) = work.organization_with_access(organization, |may| may.view).await?;
        let (query, part) = input.read()?;
        let filter = SpaceFilter::of(organization, &organization_access);
        let spaces = work.spaces().languages(&filter).await?;
        let (query, found) = in_spaces(&mut work, &spaces, &query, &part).await?;
        let ids: Vec<SpaceId> = found.items.iter().map(|group| group.space.clone()).collect();
        let spaces = if ids.is_empty() { Vec::new() } else { work.spaces().find_many(&ids).await? };
        let seen = spaces.into_iter().filter_map(|space| grant_listed_space(actor, &organization_access, space).ok());
        let seen = seen.map(|space| (space.id.clone(), space)).collect();
        shown_by_space(&mut work, found, seen, &query).await
    }

    /// The spaces of a site with pages that match a query, by their best page. It searches the live content of the site
    /// that the caller may read.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the site, [`Error::Invalid`].
    pub async fn site(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        site: &SiteId,
        input: Input<((SearchQuery, SiteScope), PageRequest)>,
    ) -> Result<Page<FoundSpace>, Error> {
        let mut work = self.units.read(actor).await?;
        let site = work.site(organization, site, |may| may.view).await?;
        let ((query, scope), part) = input.read()?;
        let structure = work.sites().structure(&site.id).await?;
        let seen = SeenStructure::of(&mut work, &site, structure).await?;
        let live = seen.structure.live(|_| true);
        let mut spaces: Vec<(SpaceId, Option<Language>)> = Vec::new();
        for one in live.in_scope(&scope)? {
            let language = seen.spaces.get(&one.space).and_then(|space| space.language);
            if !spaces.iter().any(|(id, _)| *id == one.space) {
                spaces.push((one.space.clone(), language));
            }
        }
        let (query, found) = in_spaces(&mut work, &spaces, &query, &part).await?;
        shown_by_space(&mut work, found, seen.spaces, &query).await
    }
}

/// The pages in spaces that match a query, best first, and the query in its final, possibly corrected form.
pub(super) async fn ranked(
    work: &mut Work<'_>,
    spaces: &[(SpaceId, Option<Language>)],
    query: &SearchQuery,
) -> Result<(Query, Vec<PageHit>), Error> {
    let mut languages: Vec<Option<Language>> = Vec::new();
    for (_, language) in spaces {
        if !languages.contains(language) {
            languages.push(*language);
        }
    }
    let spaces: Vec<SpaceId> = spaces.iter().map(|(id, _)| id.clone()).collect();
    find(work.tx(), &spaces, Query::parse(query.as_str(), &languages)).await
}

/// The hits in spaces by space, and the query in its final, possibly corrected form.
async fn in_spaces(
    work: &mut Work<'_>,
    spaces: &[(SpaceId, Option<Language>)],
    query: &SearchQuery,
    part: &PageRequest,
) -> Result<(Query, Page<Group>), Error> {
    let (query, hits) = ranked(work, spaces, query).await?;
    let found = Page::of_sorted(by_space(hits), part, |found| format!("{:09}", found.rank));
    Ok((query, found))
}

/// The spaces with hits that the caller may read (`seen`), with the data of a response. The number of statements does
/// not depend on the number of spaces.
async fn shown_by_space(
    work: &mut Work<'_>,
    found: Page<Group>,
    mut seen: HashMap<SpaceId, Granted<Space>>,
    query: &Query,
) -> Result<Page<FoundSpace>, Error> {
    let spaces = found.items.iter().filter_map(|group| seen.remove(&group.space)).collect();
    let mut opened: HashMap<SpaceId, LoadedRevision> = HashMap::new();
    for one in LoadedRevision::load_all(work, spaces).await? {
        opened.insert(one.space.id.clone(), one);
    }
    let found = found.filter_map(|group| Some((opened.remove(&group.space)?, group.hits)));
    let read = |objects: &MemoryObjects| {
        together(found.items.iter().map(|(opened, hits)| places(&opened.snapshot, objects, hits)))
    };
    let mut places = work.compute(&mut MemoryObjects::default(), read).await?.into_iter();
    let hits = found.items.iter().flat_map(|(_, hits)| hits.iter().map(|(_, hit)| hit));
    let texts = texts(work, shown_sections(hits)).await?;
    Ok(found.map(|(opened, hits)| {
        let places = places.next().unwrap_or_default();
        let pages = found_pages(hits, places, &texts, query, opened.space.language);
        let score = pages.first().map_or(0.0, |page| page.score);
        FoundSpace { space: opened.space, pages, score }
    }))
}

/// The hits in one space, best first, with the rank of each page among all hits.
struct Group {
    /// The rank of the space among all spaces with hits, from 1.
    rank: usize,
    space: SpaceId,
    hits: Vec<(usize, PageHit)>,
}

/// Groups hits by space, of each space the best ones; spaces are in the order of their best pages.
fn by_space(hits: Vec<PageHit>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: HashMap<SpaceId, usize> = HashMap::new();
    for (rank, hit) in (1..).zip(hits) {
        let at = *known.entry(hit.space.clone()).or_insert_with(|| {
            groups.push(Group { rank: groups.len() + 1, space: hit.space.clone(), hits: Vec::new() });
            groups.len() - 1
        });
        if groups[at].hits.len() < MAX_PAGES {
            groups[at].hits.push((rank, hit));
        }
    }
    groups
}

/// The best pages of a space for a text.
pub(in crate::usecases) async fn pages_about(
    work: &mut Work<'_>,
    space: &Granted<Space>,
    text: &str,
    limit: usize,
) -> Result<Vec<FoundPage>, Error> {
    let mut opened = LoadedRevision::find(work, &space.id, &At::Primary).await?;
    let query = Query::parse(text, &[space.language]);
    let (query, hits) = find(work.tx(), std::slice::from_ref(&space.id), query).await?;
    let best = (1..).zip(hits.into_iter().take(limit)).collect();
    shown(work, &mut opened, best, &query).await
}

/// The found pages with the data of a response.
async fn shown(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    hits: Vec<(usize, PageHit)>,
    query: &Query,
) -> Result<Vec<FoundPage>, Error> {
    let places = opened.read(work, |snapshot, objects| places(snapshot, objects, &hits)).await?;
    let texts = texts(work, shown_sections(hits.iter().map(|(_, hit)| hit))).await?;
    Ok(found_pages(hits, places, &texts, query, opened.space.language))
}

/// Combines found pages of a space with their places and texts.
fn found_pages(
    hits: Vec<(usize, PageHit)>,
    places: Vec<PlaceOf>,
    texts: &HashMap<SectionId, SectionText>,
    query: &Query,
    language: Option<Language>,
) -> Vec<FoundPage> {
    let found = hits.into_iter().zip(places).filter_map(|((rank, hit), place)| {
        // After a large change, the index may still contain a deleted page for a moment.
        let (page, path, ancestors) = place?;
        let sections = sections(&hit, texts, query, language);
        Some(FoundPage { id: hit.page, page, path, ancestors, score: hit.score, rank, sections })
    });
    found.collect()
}

type PlaceOf = Option<(PageEntry, String, Vec<(PageId, PageEntry)>)>;

fn places(snapshot: &Snapshot, objects: &MemoryObjects, hits: &[(usize, PageHit)]) -> Read<Vec<PlaceOf>> {
    together(hits.iter().map(|(_, hit)| {
        let Some(page) = snapshot.page(objects, &hit.page)? else { return Ok(None) };
        let ancestors = snapshot.ancestors(objects, &page)?;
        let slugs = ancestors.iter().map(|(_, above)| above.slug.as_str()).chain([page.slug.as_str()]);
        let path = slugs.collect::<Vec<_>>().join("/");
        Ok(Some((page, path, ancestors)))
    }))
}

/// The sections of found pages that are shown.
pub(super) fn shown_sections<'h>(hits: impl Iterator<Item = &'h PageHit>) -> Vec<SectionId> {
    hits.flat_map(|hit| hit.sections.iter().take(MAX_SECTIONS)).map(|section| section.section).collect()
}

/// The texts of sections.
pub(super) async fn texts(work: &mut Work<'_>, ids: Vec<SectionId>) -> Result<HashMap<SectionId, SectionText>, Error> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let texts = work.search().texts(&ids).await?;
    Ok(texts.into_iter().map(|text| (text.section, text)).collect())
}

/// The sections of a found page that are shown, best first.
pub(super) fn sections(
    hit: &PageHit,
    texts: &HashMap<SectionId, SectionText>,
    query: &Query,
    language: Option<Language>,
) -> Vec<FoundSection> {
    let mut anchors = HashSet::new();
    let shown = hit.sections.iter().take(MAX_SECTIONS).filter_map(|hit| {
        let text = texts.get(&hit.section)?;
        // A long section is indexed in parts; its best part represents it.
        if !anchors.insert(&text.anchor) {
            return None;
        }
        let (anchor, title) = (text.anchor.clone(), text.heading.clone());
        Some(FoundSection { anchor, title, body: snippet(&text.body, query, language), score: hit.score })
    });
    shown.collect()
}

#[cfg(test)]
mod tests;
