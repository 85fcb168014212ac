//! Search in primary content, and updates of its index.
mod find;
pub(in crate::usecases) mod indexing;
pub(in crate::usecases) mod language;

use super::content::{At, Opened, Revised};
use super::work::{Units, Work};
use super::{Error, Input};
use crate::access::Granted;
use crate::actor::Actor;
use crate::content::object::{MemoryObjects, Read, together};
use crate::content::page::PageEntry;
use crate::content::search::{PageHit, Query, SectionId, SectionText, Snippet, snippet};
use crate::content::snapshot::Snapshot;
use crate::id::{OrganizationId, PageId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::store::spaces::SpaceFilter;
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
        let mut opened = Opened::find(&mut work, space, &At::Primary).await?;
        let (query, part) = input.read()?;
        let language = opened.space.language;
        let query = Query::parse(query.as_str(), &[language]);
        let (query, hits) = find(work.tx(), std::slice::from_ref(space), query).await?;
        let hits = (1..).zip(hits).collect();
        let part = Page::of_sorted(hits, &part, |(rank, _): &(usize, PageHit)| format!("{rank:09}"));
        let items = shown(&mut work, &mut opened, part.items, &query).await?;
        Ok(opened.with(Page { items, next: part.next }))
    }

    /// The spaces of an organization with pages that match a query, those with the best pages first. Only content that
    /// the caller may read is searched.
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
        let mut languages: Vec<Option<Language>> = Vec::new();
        for (_, language) in &spaces {
            if !languages.contains(language) {
                languages.push(*language);
            }
        }
        let spaces: Vec<SpaceId> = spaces.into_iter().map(|(id, _)| id).collect();
        let (query, hits) = find(work.tx(), &spaces, Query::parse(query.as_str(), &languages)).await?;
        let part = Page::of_sorted(by_space(hits), &part, |found| format!("{:09}", found.rank));
        let mut items = Vec::with_capacity(part.items.len());
        for Group { space, hits, .. } in part.items {
            let mut opened = Opened::find(&mut work, &space, &At::Primary).await?;
            let pages = shown(&mut work, &mut opened, hits, &query).await?;
            let score = pages.first().map_or(0.0, |page| page.score);
            items.push(FoundSpace { space: opened.space, pages, score });
        }
        Ok(Page { items, next: part.next })
    }
}

/// The hits in one space, best first, with the rank of each page among all.
struct Group {
    /// The rank of the space among all spaces with hits, from 1.
    rank: usize,
    space: SpaceId,
    hits: Vec<(usize, PageHit)>,
}

/// Groups hits by space; spaces are in the order of their best pages.
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

/// The found pages with the data of a response.
async fn shown(
    work: &mut Work<'_>,
    opened: &mut Opened,
    hits: Vec<(usize, PageHit)>,
    query: &Query,
) -> Result<Vec<FoundPage>, Error> {
    let language = opened.space.language;
    let places = opened.read(work, |snapshot, objects| places(snapshot, objects, &hits)).await?;
    let texts = texts(work, &hits).await?;
    let found = hits.into_iter().zip(places).filter_map(|((rank, hit), place)| {
        // After a large change, the index may still contain a deleted page for a moment.
        let (page, path, ancestors) = place?;
        let sections = sections(&hit, &texts, query, language);
        Some(FoundPage { id: hit.page, page, path, ancestors, score: hit.score, rank, sections })
    });
    Ok(found.collect())
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

async fn texts(work: &mut Work<'_>, hits: &[(usize, PageHit)]) -> Result<HashMap<SectionId, SectionText>, Error> {
    let shown = hits.iter().flat_map(|(_, hit)| hit.sections.iter().take(MAX_SECTIONS));
    let ids: Vec<SectionId> = shown.map(|section| section.section).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let texts = work.search().texts(&ids).await?;
    Ok(texts.into_iter().map(|text| (text.section, text)).collect())
}

fn sections(
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
mod tests {
    use super::indexing::{index, reindex};
    use super::*;
    use crate::access::Membership;
    use crate::content::object::{Hash, Scratch};
    use crate::content::order::OrderKey;
    use crate::content::page::PageKind;
    use crate::content::revision::{Revision, RevisionKind};
    use crate::content::search::Indexer;
    use crate::content::search::shelf::{Shelf, document, page_id};
    use crate::content::snapshot::Edits;
    use crate::ports::store::spaces::Reach;
    use crate::ports::testing::MockTx;
    use crate::space::{NewSpace, Space};
    use crate::text::Invalid;
    use bytes::Bytes;
    use chrono::DateTime;
    use std::sync::{Arc, Mutex};

    fn a_space() -> Space {
        let new = NewSpace { title: "Docs".parse().ok(), ..NewSpace::default() };
        Space::new("s".parse().unwrap(), "o".parse().unwrap(), "r".parse().unwrap(), new, DateTime::UNIX_EPOCH)
    }

    fn page(title: &str, slug: &str, parent: Option<&str>) -> PageEntry {
        let kind = PageKind::Document { document: None };
        let order = OrderKey::sequence(1).remove(0);
        PageEntry { parent: parent.map(page_id), ..PageEntry::new(kind, title, slug, order, DateTime::UNIX_EPOCH) }
    }

    /// A unit of work with a space of two pages, `guide` above `install`, with the access of a member if `member` is
    /// set.
    fn world(member: bool) -> MockTx {
        let mut objects = MemoryObjects::default();
        let mut edits = Edits::default();
        edits.pages.insert(page_id("guide"), Some(page("Guide", "guide", None)));
        edits.pages.insert(page_id("install"), Some(page("Install", "install", Some("guide"))));
        let (manifest, written) = {
            let mut scratch = Scratch::new(&objects);
            let snapshot = Snapshot::default().edit(&mut scratch, &edits).unwrap().unwrap();
            (snapshot.store(&mut scratch), scratch.into_written())
        };
        objects.extend(written.clone());
        let revision = Revision {
            id: "r".parse().unwrap(),
            space: "s".parse().unwrap(),
            parents: Vec::new(),
            manifest,
            kind: RevisionKind::Edits,
            author: None,
            created_at: DateTime::UNIX_EPOCH,
            git: None,
            merged_from: None,
            is_primary: true,
        };
        let (mut shelf, mut indexer) = (Shelf::default(), Indexer::new(None));
        let texts =
            [("guide", "Guide", "All you need to install it."), ("install", "Install", "intro\n# On Ubuntu\nrun apt")];
        for (id, title, text) in texts {
            shelf.insert(&"s".parse().unwrap(), indexer.page(&page_id(id), title, None, &document(text)));
        }
        let mut tx = MockTx::default();
        let membership = member.then_some(Membership { role: Some(crate::access::Role::Read), disabled: false });
        tx.spaces
            .expect_find()
            .returning(move |_, _| Ok(Some(Reach { entity: a_space(), membership, places: Vec::new() })));
        tx.content.expect_revision().returning(move |_, _| Ok(Some(revision.clone())));
        tx.content.expect_objects().returning(move |hashes: &[Hash]| {
            Ok(hashes
                .iter()
                .filter_map(|hash| Some((*hash, written.get(hash)?.clone())))
                .collect::<Vec<(Hash, Bytes)>>())
        });
        let shelf = Arc::new(shelf);
        let index = Arc::clone(&shelf);
        tx.search
            .expect_matching()
            .returning(move |spaces, condition, limit| Ok(index.matching(spaces, condition, limit)));
        let index = Arc::clone(&shelf);
        tx.search.expect_candidates().returning(move |sections| Ok(index.candidates(sections)));
        tx.search.expect_texts().returning(move |sections| Ok(shelf.texts(sections)));
        tx
    }

    fn somebody() -> Actor {
        Actor::of("u".parse().unwrap(), "t".parse().unwrap())
    }

    async fn search(tx: MockTx, query: &str, part: PageRequest) -> Result<Page<FoundPage>, Error> {
        let search = Search { units: Units::over(tx.into_store().0) };
        let input = (query.parse::<SearchQuery>().unwrap(), part);
        Ok(search.space(&somebody(), &"s".parse().unwrap(), input.into()).await?.value)
    }

    #[tokio::test]
    async fn what_is_found_comes_with_its_place_and_the_part_that_shows_why() {
        let found = search(world(true), "install ubuntu", PageRequest::default()).await.unwrap();
        let [page] = &found.items[..] else { panic!("{found:?}") };
        assert_eq!((page.id.as_str(), page.path.as_str(), page.rank), ("install", "guide/install", 1));
        assert_eq!(page.ancestors.iter().map(|(_, above)| &*above.title).collect::<Vec<_>>(), ["Guide"]);
        let headings: Vec<_> =
            page.sections.iter().map(|section| (section.anchor.as_deref(), &*section.title)).collect();
        assert!(headings.contains(&(Some("on-ubuntu"), "On Ubuntu")), "{headings:?}");
        assert!(page.score >= page.sections[0].score && page.sections[0].score > 0.0);
    }

    #[tokio::test]
    async fn a_list_of_pages_is_read_part_by_part() {
        let part = |after: Option<String>| PageRequest { after, limit: 1, ..PageRequest::default() };
        let first = search(world(true), "install", part(None)).await.unwrap();
        let second = search(world(true), "install", part(first.next.clone())).await.unwrap();
        let seen =
            |page: &Page<FoundPage>| page.items.iter().map(|page| (page.id.to_string(), page.rank)).collect::<Vec<_>>();
        assert_eq!(seen(&first), [("install".to_owned(), 1)]);
        assert_eq!(seen(&second), [("guide".to_owned(), 2)]);
        assert_eq!(second.next, None);
    }

    #[tokio::test]
    async fn who_may_not_see_the_space_learns_nothing_and_is_not_heard() {
        let search = Search { units: Units::over(world(false).into_store().0) };
        let junk = Input::new(|| Err(Invalid::new("query", "never read")));
        let answer = search.space(&somebody(), &"s".parse().unwrap(), junk).await;
        assert!(matches!(answer, Err(Error::NotFound("space"))), "{answer:?}");
    }

    #[tokio::test]
    async fn every_page_is_indexed_anew_in_another_language() {
        let mut tx = world(true);
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = Arc::clone(&seen);
        tx.search.expect_remove().returning(move |_, pages| {
            log.lock().unwrap().extend(pages.iter().map(|page| format!("remove {page}")));
            Ok(())
        });
        let log = Arc::clone(&seen);
        tx.search.expect_insert().returning(move |_, pages| {
            let terms = pages.iter().map(|page| page.sections[0].terms.lines().next().unwrap_or_default());
            log.lock().unwrap().extend(terms.map(|terms| format!("insert {terms}")));
            Ok(())
        });
        tx.search.expect_learn().returning(|_| Ok(()));
        let units = Units::over(tx.into_store().0);
        let mut work = units.write(&Actor::Server).await.unwrap();
        assert!(language::reindex(&mut work, &a_space()).await.unwrap());
        let french = Space { language: Some(Language::Fr), ..a_space() };
        assert!(language::reindex(&mut work, &french).await.unwrap());
        let removed = ["remove guide", "remove install"];
        let english = ["insert guide\u{1e}guid", "insert install\u{1e}instal"];
        let french = ["insert guide\u{1e}guid", "insert install"];
        assert_eq!(*seen.lock().unwrap(), [removed, english, removed, french].concat());
    }

    #[tokio::test]
    async fn the_index_follows_what_changed() {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut tx = MockTx::default();
        let log = Arc::clone(&seen);
        tx.search.expect_remove().returning(move |_, pages| {
            log.lock().unwrap().push(format!("remove {}", pages.len()));
            Ok(())
        });
        let log = Arc::clone(&seen);
        tx.search.expect_insert().returning(move |_, pages| {
            let ids: Vec<&str> = pages.iter().map(|page| page.page.as_str()).collect();
            log.lock().unwrap().push(format!("insert {}", ids.join(" ")));
            Ok(())
        });
        let log = Arc::clone(&seen);
        tx.search.expect_learn().returning(move |words| {
            log.lock().unwrap().push(format!("learn {}", words.iter().cloned().collect::<Vec<_>>().join(" ")));
            Ok(())
        });
        let group = PageEntry { kind: PageKind::Group, ..page("Group", "group", None) };
        let secret = PageEntry { no_index: true, ..page("Secret", "secret", None) };
        let hidden = PageEntry { hidden: true, ..page("Hidden", "hidden", None) };
        let changed = vec![
            (page_id("gone"), None),
            (page_id("group"), Some((group, document("")))),
            (page_id("secret"), Some((secret, document("secret")))),
            (page_id("hidden"), Some((hidden, document("words")))),
            (page_id("shown"), Some((page("Shown", "shown", None), document("words")))),
        ];
        let space = a_space().id;
        let units = Units::over(tx.into_store().0);
        let mut work = units.write(&Actor::Server).await.unwrap();
        reindex(&mut work, &space, index(None, &changed)).await.unwrap();
        reindex(&mut work, &space, index(None, &[(page_id("gone"), None)])).await.unwrap();
        assert_eq!(*seen.lock().unwrap(), ["remove 5", "insert hidden shown", "learn hidden shown words", "remove 1"]);
    }
}
