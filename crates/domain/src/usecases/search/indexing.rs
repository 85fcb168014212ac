//! Updating the search index.
//!
//! A page is indexed with the texts that it includes. The index records the reusable contents that a page includes,
//! directly and indirectly. So it finds the pages that show a changed reusable content without reading all pages. It
//! knows which pages show OpenAPI specs too, and those pages are indexed again when a spec changes.
use crate::content::document::{Document, Outline, SpecificationUse};
use crate::content::expand::{Expanded, expand_all};
use crate::content::object::{MemoryObjects, together};
use crate::content::page::{PageEntry, PageKind, ReusableContent};
use crate::content::search::{IndexedPage, Indexer};
use crate::content::snapshot::{Snapshot, SnapshotDiff};
use crate::content::text_of;
use crate::id::{JobId, PageId, ReusableContentId, RevisionId, SpaceId};
use crate::job::{Job, Task};
use crate::openapi_spec::MAX_LINKED;
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::openapi_specs::shown::ShownSpecs;
use crate::usecases::work::Work;
use crate::web_address::WebAddress;
use std::collections::BTreeSet;

/// The maximum number of pages that are indexed in the unit of work that changes them. A job indexes more pages later,
/// so that the writer is not occupied for long.
const INDEXED_AT_ONCE: usize = 100;
/// The maximum stored size of all included texts that are indexed in one unit of work, in bytes; a single page may have
/// more.
const INCLUDED_AT_ONCE: usize = 1 << 20;
/// The maximum number of blocks with parts of OpenAPI specs that are indexed in the unit of work that changes them. A
/// block can take 20 milliseconds.
const SHOWN_AT_ONCE: usize = 20;
/// The number of pages that a job indexes in one unit of work. It is small, so that other writers do not wait long.
pub(in crate::usecases) const PART: usize = 25;

/// The changes of the index of a space after a change of its primary content.
#[derive(Debug, Default)]
pub(in crate::usecases) struct Index {
    pages: IndexedPages,
    /// The reusable contents whose texts changed.
    contents: BTreeSet<ReusableContentId>,
}

impl Index {
    /// Computes the changes of the index for a change of content: for changed pages, and for pages that include a
    /// changed reusable content. Returns `None` if they are too many for one unit of work, so that a job must make
    /// them. `space` is absent for a new space, which has no index.
    pub(in crate::usecases) async fn of_change(
        work: &mut Work<'_>,
        objects: &mut MemoryObjects,
        space: Option<&SpaceId>,
        language: Option<Language>,
        (after, diff): (&Snapshot, &SnapshotDiff),
    ) -> Result<Option<Self>, Error> {
        if diff.pages.len() > INDEXED_AT_ONCE {
            return Ok(None);
        }
        let contents = if space.is_some() { changed_texts(diff) } else { BTreeSet::new() };
        let mut pages = changed_pages(diff);
        if let Some(space) = space {
            pages.extend(including(work, space, &contents).await?);
        }
        if pages.len() > INDEXED_AT_ONCE {
            return Ok(None);
        }
        let pages: Vec<PageId> = pages.into_iter().collect();
        let Some(texts) = Texts::load(work, objects, after, (&pages, INCLUDED_AT_ONCE)).await? else { return Ok(None) };
        let specs = match space {
            _ if !texts.show_specs() => ShownSpecs::default(),
            _ if texts.uses().len() > SHOWN_AT_ONCE => return Ok(None),
            // The organization of a new space is not known here.
            None => return Ok(None),
            Some(space) => texts.specs(work, space).await?,
        };
        Ok(Some(Self { pages: texts.entries(language, &specs), contents }))
    }

    /// Whether these are the entries of all pages that include a changed text. A job may have indexed more of them
    /// since the changes were computed. The space must be locked.
    pub(in crate::usecases) async fn is_complete(&self, work: &mut Work<'_>, space: &SpaceId) -> Result<bool, Error> {
        let including = including(work, space, &self.contents).await?;
        Ok(including.iter().all(|page| self.pages.iter().any(|(known, _)| known == page)))
    }
}

fn changed_pages(diff: &SnapshotDiff) -> BTreeSet<PageId> {
    diff.pages.iter().filter_map(|change| PageId::try_from(change.key.clone()).ok()).collect()
}

/// The reusable contents whose texts differ. Renamed ones with the same text are not included.
fn changed_texts(diff: &SnapshotDiff) -> BTreeSet<ReusableContentId> {
    let text = |content: &Option<Box<ReusableContent>>| content.as_ref().map(|content| content.document);
    let changed = diff.reusable_contents.iter().filter(|change| text(&change.before) != text(&change.after));
    changed.filter_map(|change| change.key.clone().try_into().ok()).collect()
}

/// The indexed pages that include any of these contents.
async fn including(
    work: &mut Work<'_>,
    space: &SpaceId,
    contents: &BTreeSet<ReusableContentId>,
) -> Result<Vec<PageId>, Error> {
    if contents.is_empty() {
        return Ok(Vec::new());
    }
    Ok(work.search().including(space, contents).await?)
}

/// The pages of an index update with their texts; `None` for a page that was deleted or has no text.
struct Texts(Vec<(PageId, Option<PageText>)>);

/// A page with its text, and the headings of that.
struct PageText {
    page: PageEntry,
    headings: Vec<Outline>,
    expanded: Expanded,
}

impl Texts {
    /// Loads pages; `None` if they include more than `most` bytes of texts.
    async fn load(
        work: &mut Work<'_>,
        objects: &mut MemoryObjects,
        snapshot: &Snapshot,
        (pages, most): (&[PageId], usize),
    ) -> Result<Option<Self>, Error> {
        let read = |objects: &MemoryObjects| {
            let found = together(pages.iter().map(|id| snapshot.page(objects, id)))?;
            let found: Vec<Option<PageEntry>> = found.into_iter().map(|page| page.filter(has_text)).collect();
            let texts = together(found.iter().flatten().map(|page| text_of(objects, page.document())))?;
            let headings: Vec<_> = texts.iter().map(Document::headings).collect();
            let expanded = expand_all(objects, snapshot, texts, most)?;
            Ok(expanded.map(|expanded| (found, headings.into_iter().zip(expanded))))
        };
        let Some((found, mut texts)) = work.compute(objects, read).await? else { return Ok(None) };
        let mut text = |page: PageEntry| {
            let (headings, expanded) = texts.next()?;
            Some(PageText { page, headings, expanded })
        };
        let found: Vec<Option<PageText>> = found.into_iter().map(|page| page.and_then(&mut text)).collect();
        Ok(Some(Self(pages.iter().cloned().zip(found).collect())))
    }

    fn uses(&self) -> Vec<SpecificationUse> {
        let documents = self.0.iter().filter_map(|(_, text)| Some(&text.as_ref()?.expanded.document));
        documents.flat_map(Document::specification_uses).collect()
    }

    /// Whether any of the pages shows an OpenAPI spec.
    fn show_specs(&self) -> bool {
        !self.uses().is_empty()
    }

    /// The OpenAPI specs that the pages show. The space must exist.
    async fn specs(&self, work: &mut Work<'_>, space: &SpaceId) -> Result<ShownSpecs, Error> {
        let uses = self.uses();
        if uses.is_empty() {
            return Ok(ShownSpecs::default());
        }
        let found = work.spaces().find(space, None).await?.ok_or(Error::NotFound("space"))?;
        let mut specs = ShownSpecs::load(work, &found.entity.organization, &uses).await?;
        specs.add_texts(work, &uses).await?;
        Ok(specs)
    }

    /// The index entries of the pages.
    fn entries(self, language: Option<Language>, specs: &ShownSpecs) -> IndexedPages {
        let mut indexer = Indexer::new(language);
        let mut entry = |id: PageId, text: Option<PageText>| {
            let indexed = text.map(|PageText { page, headings, mut expanded }| {
                expanded.document.add_specification_texts(|found| specs.search_text(found));
                indexer.expanded_page((&id, &page), headings, expanded)
            });
            (id, indexed)
        };
        self.0.into_iter().map(|(id, text)| entry(id, text)).collect()
    }
}

/// Computes the index entries of pages; `None` if they include more than `most` bytes of texts, or show too many parts
/// of OpenAPI specs.
async fn entries(
    work: &mut Work<'_>,
    objects: &mut MemoryObjects,
    snapshot: &Snapshot,
    (space, language): (&SpaceId, Option<Language>),
    (pages, most): (&[PageId], usize),
) -> Result<Option<IndexedPages>, Error> {
    let Some(texts) = Texts::load(work, objects, snapshot, (pages, most)).await? else { return Ok(None) };
    // A limit like that of included texts: only a single page can have more.
    if most < usize::MAX && texts.uses().len() > SHOWN_AT_ONCE {
        return Ok(None);
    }
    let specs = texts.specs(work, space).await?;
    Ok(Some(texts.entries(language, &specs)))
}

/// Updates the index of a space to its new primary revision. Must be called once per unit of work, with all changes.
pub(in crate::usecases) async fn reindex(work: &mut Work<'_>, space: &SpaceId, index: Index) -> Result<(), Error> {
    if index.pages.is_empty() {
        return Ok(());
    }
    let (ids, indexed): (Vec<PageId>, Vec<Option<IndexedPage>>) = index.pages.into_iter().unzip();
    work.search().remove(space, &ids).await?;
    let indexed: Vec<IndexedPage> = indexed.into_iter().flatten().collect();
    if indexed.is_empty() {
        return Ok(());
    }
    work.search().insert(space, &indexed).await?;
    let words: BTreeSet<String> = indexed.iter().flat_map(IndexedPage::words).map(str::to_owned).collect();
    if !words.is_empty() {
        work.search().add_words(&words).await?;
    }
    link_later(work, space, &indexed).await
}

/// Adds a job that adds the specs of addresses in pages. The job checks which are missing, because specs are added and
/// removed under the lock of the organization.
async fn link_later(work: &mut Work<'_>, space: &SpaceId, pages: &[IndexedPage]) -> Result<(), Error> {
    let uses = pages.iter().flat_map(|page| &page.specifications).filter(|found| found.is_address);
    let addresses: BTreeSet<WebAddress> = uses.filter_map(|found| found.spec.parse().ok()).collect();
    if addresses.is_empty() {
        return Ok(());
    }
    let (id, now): (JobId, _) = (work.ids.make(), work.now());
    let addresses = addresses.into_iter().take(MAX_LINKED).collect();
    let task = Task::LinkOpenapi { job: id.clone(), space: space.clone(), addresses };
    Ok(work.jobs().add_new(&[Job::new(id, task, now, now)]).await?)
}

/// Adds a job that updates the index of a space, merged with a waiting one.
pub(in crate::usecases) async fn index_later(work: &mut Work<'_>, task: Task) -> Result<(), Error> {
    work.lock(&[(&task).into()]).await?;
    let task = match work.jobs().find_task(&task).await? {
        Some(waiting) => task.merged_with(&waiting.task),
        None => task,
    };
    work.add_job(task).await
}

/// Adds jobs that index spaces with pages that show OpenAPI specs: after a transfer, these are specs of another
/// organization.
pub(in crate::usecases) async fn index_transferred(work: &mut Work<'_>, spaces: &[SpaceId]) -> Result<(), Error> {
    for space in work.openapi_specs().spaces_showing(spaces).await? {
        index_later(work, Task::index_space(space, None)).await?;
    }
    Ok(())
}

/// The pages that a job indexes: pages that differ from any of these revisions, and pages that include a changed
/// reusable content. With `None`, all pages with text.
pub(in crate::usecases) async fn differing(
    work: &mut Work<'_>,
    space: &Space,
    since: &[Option<RevisionId>],
) -> Result<Vec<PageId>, Error> {
    let mut pages: BTreeSet<PageId> = BTreeSet::new();
    for since in since {
        match since {
            None => pages.extend(found_pages(work, space).await?),
            Some(since) => {
                let before = Base::load(work, &space.id, since).await?.snapshot;
                let after = Base::load(work, &space.id, &space.revision).await?.snapshot;
                let mut objects = MemoryObjects::default();
                let diff = work.compute(&mut objects, |objects| before.diff(&after, objects)).await?;
                pages.extend(changed_pages(&diff));
                pages.extend(including(work, &space.id, &changed_texts(&diff)).await?);
            }
        }
    }
    Ok(pages.into_iter().collect())
}

/// The pages of a space that have text.
pub(in crate::usecases) async fn found_pages(work: &mut Work<'_>, space: &Space) -> Result<Vec<PageId>, Error> {
    let snapshot = Base::load(work, &space.id, &space.revision).await?.snapshot;
    work.compute(&mut MemoryObjects::default(), |objects| snapshot.page_ids(objects, has_text)).await
}

/// Computed index entries of some pages of a space at a revision.
pub(in crate::usecases) struct Part {
    revision: RevisionId,
    language: Option<Language>,
    /// The pages.
    pub(in crate::usecases) pages: Vec<PageId>,
    entries: IndexedPages,
}

impl Part {
    /// Computes the index entries of the first of these pages in a language: of at most [`PART`], and of fewer if they
    /// include large texts. Deleted pages are removed from the index.
    pub(in crate::usecases) async fn first_of(
        work: &mut Work<'_>,
        space: &Space,
        language: Option<Language>,
        pages: &[PageId],
    ) -> Result<Self, Error> {
        let snapshot = Base::load(work, &space.id, &space.revision).await?.snapshot;
        let mut objects = MemoryObjects::default();
        let mut count = pages.len().min(PART);
        loop {
            let most = if count > 1 { INCLUDED_AT_ONCE } else { usize::MAX };
            let some = &pages[..count];
            if let Some(entries) = entries(work, &mut objects, &snapshot, (&space.id, language), (some, most)).await? {
                return Ok(Self { revision: space.revision.clone(), language, pages: some.to_vec(), entries });
            }
            count /= 2;
        }
    }

    /// Stores the entries, in a unit of work that has locked the space. If the space has changed, the entries are
    /// computed again.
    pub(in crate::usecases) async fn store(self, work: &mut Work<'_>, space: &Space) -> Result<(), Error> {
        let Self { revision, language, pages, entries: computed } = self;
        let current = if revision == space.revision {
            Some(computed)
        } else {
            let snapshot = Base::load(work, &space.id, &space.revision).await?.snapshot;
            let mut objects = MemoryObjects::default();
            entries(work, &mut objects, &snapshot, (&space.id, language), (&pages, usize::MAX)).await?
        };
        reindex(work, &space.id, Index { pages: current.unwrap_or_default(), ..Index::default() }).await
    }
}

/// Pages with their index entries; `None` for a page that no longer has text.
type IndexedPages = Vec<(PageId, Option<IndexedPage>)>;

/// Pages with text are searchable. Hidden pages are too: they are left out of the table of contents, but not of search.
/// For pages excluded from search, the index only has their inclusions and the specs that they show.
fn has_text(page: &PageEntry) -> bool {
    matches!(page.kind, PageKind::Document { .. })
}
