//! Search in primary content, and keeping its index.
use super::content::write::ChangedPage;
use super::content::{At, Revised, open_at};
use super::{Error, Input};
use crate::actor::Actor;
use crate::content::object::{MemoryObjects, Read, together};
use crate::content::page::{PageEntry, PageKind};
use crate::content::search::{
    Candidate, Condition, IndexedPage, Indexer, MAX_CANDIDATES, PageHit, Query, SectionId, SectionText, Snippet, rank, snippet,
};
use crate::content::snapshot::Snapshot;
use crate::id::{PageId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::{Store, Tx};
use crate::space::Space;
use crate::text::{Language, SearchQuery};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How many pages are indexed at a time: bounds the memory that the index of a large import takes.
const BATCH: usize = 100;
/// How many sections of a page are shown.
const MAX_SECTIONS: usize = 5;

/// Searches.
#[derive(Clone)]
pub struct Search {
    /// Storage.
    pub store: Arc<dyn Store>,
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    /// Its id.
    pub id: PageId,
    /// The page.
    pub page: PageEntry,
    /// Its path: the slugs from the root down, joined by `/`.
    pub path: String,
    /// The pages above it, the root's first.
    pub ancestors: Vec<(PageId, PageEntry)>,
    /// How well it fits, above 0.
    pub score: f64,
    /// Its place among all that was found, from 1.
    pub rank: usize,
    /// Its sections that fit, best first; never none.
    pub sections: Vec<FoundSection>,
}

/// A section that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSection {
    /// What leads to it in its page; absent before the first heading.
    pub anchor: Option<String>,
    /// Its heading; empty before the first one.
    pub title: String,
    /// The part of its text that shows why it was found.
    pub body: Snippet,
    /// How well it fits.
    pub score: f64,
}

impl Search {
    /// The pages of a space that a query finds, best first.
    ///
    /// A query that finds no section with all of its words is corrected, and then taken less strictly.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, [`Error::Invalid`].
    pub async fn space(
        &self,
        actor: &Actor,
        space: &SpaceId,
        input: Input<(SearchQuery, PageRequest)>,
    ) -> Result<Revised<Page<FoundPage>>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, &At::Primary).await?;
        let (query, part) = input.read()?;
        let language = opened.space.language;
        let query = Query::parse(query.as_str(), &[language]);
        let (query, hits) = find(&mut *tx, std::slice::from_ref(space), query).await?;
        let hits = (1..).zip(hits).collect();
        let part = Page::of_sorted(hits, &part, |(rank, _): &(usize, PageHit)| format!("{rank:09}"));
        let places = opened.read(&mut *tx, |snapshot, objects| places(snapshot, objects, &part.items)).await?;
        let texts = texts(&mut *tx, &part.items).await?;
        let found = part.items.into_iter().zip(places).filter_map(|((rank, hit), place)| {
            // The index moves with the primary revision, so every page that it knows is there.
            let (page, path, ancestors) = place?;
            let sections = sections(&hit, &texts, &query, language);
            Some(FoundPage { id: hit.page, page, path, ancestors, score: hit.score, rank, sections })
        });
        let page = Page { items: found.collect(), next: part.next };
        Ok(opened.with(page))
    }
}

/// Finds and ranks, in spaces that the caller may read; gives back the query as it was understood in the end.
///
/// # Errors
/// [`Error::Store`].
pub async fn find(tx: &mut dyn Tx, spaces: &[SpaceId], query: Query) -> Result<(Query, Vec<PageHit>), Error> {
    let Some(condition) = query.every_word() else { return Ok((query, Vec::new())) };
    let found = narrowed(tx, spaces, &condition, || query.every_word_narrowed()).await?;
    if !found.is_empty() {
        let hits = rank(&found, &query, true);
        return Ok((query, hits));
    }
    let query = corrected(tx, spaces, query).await?;
    let Some(condition) = query.every_word() else { return Ok((query, Vec::new())) };
    let found = narrowed(tx, spaces, &condition, || query.every_word_narrowed()).await?;
    if !found.is_empty() {
        let hits = rank(&found, &query, true);
        return Ok((query, hits));
    }
    let mut found = Gathered::default();
    for condition in query.every_word_but_one().into_iter().chain(query.any_word_narrowed()) {
        found.add(tx, spaces, &condition).await?;
    }
    let hits = rank(&found.candidates, &query, false);
    Ok((query, hits))
}

/// The sections that match; where there are too many to rank, those that match a narrower condition first.
async fn narrowed(
    tx: &mut dyn Tx,
    spaces: &[SpaceId],
    condition: &Condition,
    narrower: impl FnOnce() -> Vec<Condition>,
) -> Result<Vec<Candidate>, Error> {
    let all = tx.search().matching(spaces, condition, MAX_CANDIDATES + 1).await?;
    if all.len() <= MAX_CANDIDATES {
        return Ok(all);
    }
    let mut found = Gathered::default();
    for condition in narrower() {
        found.add(tx, spaces, &condition).await?;
    }
    found.extend(all);
    Ok(found.candidates)
}

/// Candidates from several queries, each once, up to [`MAX_CANDIDATES`].
#[derive(Default)]
struct Gathered {
    candidates: Vec<Candidate>,
    known: HashSet<SectionId>,
}

impl Gathered {
    async fn add(&mut self, tx: &mut dyn Tx, spaces: &[SpaceId], condition: &Condition) -> Result<(), Error> {
        if self.candidates.len() < MAX_CANDIDATES {
            let found = tx.search().matching(spaces, condition, MAX_CANDIDATES).await?;
            self.extend(found);
        }
        Ok(())
    }

    fn extend(&mut self, found: Vec<Candidate>) {
        let room = MAX_CANDIDATES.saturating_sub(self.candidates.len());
        let fresh = found.into_iter().filter(|candidate| self.known.insert(candidate.section));
        self.candidates.extend(fresh.take(room));
    }
}

/// The query with its unknown words corrected, or left out where nothing is like them. What is known is asked of the
/// caller's spaces alone: whether a word stands in others cannot be learnt from the answer.
async fn corrected(tx: &mut dyn Tx, spaces: &[SpaceId], query: Query) -> Result<Query, Error> {
    let found = found(tx, spaces, &query).await?;
    let variants = query.variants_of_missing(&found);
    if variants.is_empty() {
        return Ok(query.without_missing(&found));
    }
    let known = tx.search().words_with_variant(&variants).await?;
    let query = query.corrected(&found, &known);
    let found = self::found(tx, spaces, &query).await?;
    Ok(query.without_missing(&found))
}

/// Which words of a query stand in the spaces.
async fn found(tx: &mut dyn Tx, spaces: &[SpaceId], query: &Query) -> Result<Vec<bool>, Error> {
    let mut found = Vec::new();
    for condition in query.each_word() {
        found.push(!tx.search().matching(spaces, &condition, 1).await?.is_empty());
    }
    Ok(found)
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

async fn texts(tx: &mut dyn Tx, hits: &[(usize, PageHit)]) -> Result<HashMap<SectionId, SectionText>, Error> {
    let shown = hits.iter().flat_map(|(_, hit)| hit.sections.iter().take(MAX_SECTIONS));
    let ids: Vec<SectionId> = shown.map(|section| section.section).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let texts = tx.search().texts(&ids).await?;
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
        // A long section is indexed in parts; its best part stands for it.
        if !anchors.insert(&text.anchor) {
            return None;
        }
        let (anchor, title) = (text.anchor.clone(), text.heading.clone());
        Some(FoundSection { anchor, title, body: snippet(&text.body, query, language), score: hit.score })
    });
    shown.collect()
}

/// Brings the index of a space to its new primary revision. To be called once in a unit of work, with all that changed.
pub(in crate::usecases) async fn reindex(tx: &mut dyn Tx, space: &Space, changed: Vec<ChangedPage>) -> Result<(), Error> {
    let mut indexer = Indexer::new(space.language);
    let mut words: BTreeSet<String> = BTreeSet::new();
    for batch in changed.chunks(BATCH) {
        let ids: Vec<PageId> = batch.iter().map(|(id, _)| id.clone()).collect();
        tx.search().remove(&space.id, &ids).await?;
        let indexed: Vec<IndexedPage> = batch
            .iter()
            .filter_map(|(id, now)| {
                let (page, document) = now.as_ref().filter(|(page, _)| is_indexed(page))?;
                Some(indexer.page(id, &page.title, page.description.as_deref(), document))
            })
            .collect();
        for page in &indexed {
            words.extend(page.words().into_iter().filter(|word| !words.contains(*word)).map(str::to_owned).collect::<Vec<_>>());
        }
        if !indexed.is_empty() {
            tx.search().insert(&space.id, &indexed).await?;
        }
    }
    if !words.is_empty() {
        tx.search().learn(&words).await?;
    }
    Ok(())
}

/// Pages with text are found, hidden ones as well: they are left out of the table of contents, not out of search.
fn is_indexed(page: &PageEntry) -> bool {
    matches!(page.kind, PageKind::Document { .. }) && !page.no_index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::search::shelf::{Shelf, document, page_id, shelved_corpus};
    use crate::ports::testing::MockTx;
    use rstest::rstest;

    fn space(id: &str) -> SpaceId {
        id.parse().unwrap()
    }

    /// A unit of work whose index is a shelf.
    fn over(shelf: &Arc<Shelf>) -> MockTx {
        let mut tx = MockTx::default();
        let index = Arc::clone(shelf);
        tx.search.expect_matching().returning(move |spaces, condition, limit| Ok(index.matching(spaces, condition, limit)));
        let index = Arc::clone(shelf);
        tx.search.expect_words_with_variant().returning(move |variants| Ok(index.words_with_variant(variants)));
        let index = Arc::clone(shelf);
        tx.search.expect_texts().returning(move |sections| Ok(index.texts(sections)));
        tx
    }

    async fn search(shelf: &Arc<Shelf>, spaces: &[SpaceId], query: &str) -> Vec<PageHit> {
        find(&mut over(shelf), spaces, Query::parse(query, &[None])).await.unwrap().1
    }

    fn shelf(pages: &[(&str, &str, &str)]) -> Arc<Shelf> {
        let mut shelf = Shelf::default();
        let mut indexer = Indexer::new(None);
        for (id, title, text) in pages {
            shelf.insert(&space("s"), indexer.page(&page_id(id), title, None, &document(text)));
        }
        Arc::new(shelf)
    }

    async fn ids(pages: &[(&str, &str, &str)], query: &str) -> Vec<String> {
        let hits = search(&shelf(pages), &[space("s")], query).await;
        hits.into_iter().map(|hit| hit.page.to_string()).collect()
    }

    #[tokio::test]
    async fn in_real_documentation_the_page_that_is_meant_is_among_the_first_three() {
        let Some(shelf) = shelved_corpus(&space("s")).map(Arc::new) else { return };
        let cases = [
            ("tls", "configuration/transport-section"),
            ("buffer", "buffer/README"),
            ("install ubuntu", "installation/install-by-deb"),
            ("buffer chunk limit", "configuration/buffer-section"),
            ("high availability configurations", "deployment/high-availability"),
            ("forwad", "output/forward"),
            ("configuraton sintax file", "configuration/config-file"),
            ("multi proc", "deployment/multi-process-workers"),
            ("out_s3", "output/s3"),
            ("flush_thread_count", "deployment/performance-tuning-single-process"),
            ("v0.12", "quickstart/update-from-v0.12"),
            ("how do I parse syslog messages?", "how-to-guides/parse-syslog"),
            ("\"kubernetes\" AND (NEAR * ^", "container-deployment/kubernetes"),
        ];
        let mut wrong = Vec::new();
        for (query, expected) in cases {
            let hits = search(&shelf, &[space("s")], query).await;
            let first: Vec<String> = hits.iter().take(4).map(|hit| format!("{:.2} {}", hit.score, hit.page)).collect();
            println!("{query}: {first:?}");
            if !hits.iter().take(3).any(|hit| hit.page == page_id(expected)) {
                wrong.push(format!("{query}: {expected} is not first of {first:?}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[tokio::test]
    async fn a_title_counts_more_than_a_heading_and_a_heading_more_than_text() {
        let pages = [("text", "One", "tls here"), ("heading", "Two", "# tls\nx"), ("title", "TLS", "x")];
        assert_eq!(ids(&pages, "tls").await, ["title", "heading", "text"]);
    }

    #[tokio::test]
    async fn a_word_as_typed_counts_more_than_its_stem_and_its_stem_more_than_its_beginning() {
        let pages = [("prefix", "A", "logarithm"), ("stem", "B", "logs"), ("exact", "C", "log")];
        assert_eq!(ids(&pages, "log").await, ["exact", "stem", "prefix"]);
    }

    #[tokio::test]
    async fn words_in_a_row_count_more_than_words_apart() {
        let pages = [("apart", "A", "size of it all is a limit"), ("row", "B", "size limit of it all is a")];
        assert_eq!(ids(&pages, "size limit").await, ["row", "apart"]);
    }

    #[tokio::test]
    async fn words_may_stand_in_different_sections_of_a_page() {
        let pages = [("both", "A", "# install\nx\n# upgrade\ny"), ("one", "B", "install")];
        assert_eq!(ids(&pages, "install upgrade").await, ["both"]);
    }

    #[tokio::test]
    async fn a_word_that_is_there_is_not_corrected() {
        let pages = [("form", "A", "form"), ("from", "B", "fork")];
        assert_eq!(ids(&pages, "form").await, ["form"]);
        assert_eq!(ids(&pages, "fomr").await, ["form"]);
    }

    #[tokio::test]
    async fn words_that_are_nowhere_are_left_out_and_the_best_of_the_rest_is_found() {
        let pages = [("both", "A", "alpha beta"), ("one", "B", "alpha"), ("other", "C", "gamma")];
        assert_eq!(ids(&pages, "alpha xyzzyplugh beta").await, ["both"]);
        assert_eq!(ids(&pages, "alpha gamma").await, ["other", "one", "both"]);
        assert_eq!(ids(&pages, "xyzzyplugh").await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn nothing_shows_which_words_other_spaces_hold() {
        let mut shelf = Shelf::default();
        let mut indexer = Indexer::new(None);
        shelf.insert(&space("mine"), indexer.page(&page_id("mine"), "Project", None, &document("projects")));
        let before = search(&Arc::new(shelf), &[space("mine")], "projct").await;
        let mut shelf = Shelf::default();
        shelf.insert(&space("other"), indexer.page(&page_id("other"), "Projct", None, &document("projct projcts prject")));
        shelf.insert(&space("mine"), indexer.page(&page_id("mine"), "Project", None, &document("projects")));
        let after = search(&Arc::new(shelf), &[space("mine")], "projct").await;
        let seen = |hits: &[PageHit]| hits.iter().map(|hit| (hit.page.clone(), hit.score)).collect::<Vec<_>>();
        assert_eq!(seen(&before).len(), 1);
        assert_eq!(seen(&before), seen(&after));
    }

    #[tokio::test]
    async fn of_more_sections_than_can_be_ranked_the_best_are_ranked() {
        let many: Vec<(String, String)> = (0..2 * MAX_CANDIDATES).map(|n| (format!("p{n:05}"), format!("common {n}"))).collect();
        let mut pages: Vec<(&str, &str, &str)> = many.iter().map(|(id, text)| (id.as_str(), "Page", text.as_str())).collect();
        pages.push(("strong", "Page", "common common common"));
        pages.push(("heading", "Page", "# common\nx"));
        pages.push(("title", "Common", "x"));
        let found = ids(&pages, "common").await;
        assert_eq!(found[..3], ["title", "heading", "strong"]);
        assert_eq!(found.len(), MAX_CANDIDATES);
    }

    #[rstest]
    #[case("")]
    #[case("   ")]
    #[case("\u{1f600}")]
    #[case("\"'*:^()-+~#&|!<>\\")]
    #[tokio::test]
    async fn a_query_without_words_finds_nothing(#[case] query: &str) {
        assert_eq!(ids(&[("a", "A", "text")], query).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_query_of_nothing_but_little_words_finds_them() {
        assert_eq!(ids(&[("a", "A", "how to"), ("b", "B", "text")], "how to").await, ["a"]);
    }
}
