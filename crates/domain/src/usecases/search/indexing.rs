//! Updating the search index: which pages are indexed when, and how.
use crate::content::object::{MemoryObjects, Read, fetch, together};
use crate::content::page::{PageEntry, PageKind};
use crate::content::search::{IndexedPage, Indexer};
use crate::content::text_of;
use crate::id::{PageId, RevisionId, SpaceId};
use crate::job::{Job, Task};
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::content::write::{Base, ChangedPage};
use crate::usecases::work::Work;
use std::collections::BTreeSet;

/// The maximum number of changed pages that are indexed in the unit of work that changes them. For more pages, a job
/// does it later, so that the writer is not held for long.
pub(in crate::usecases) const INDEXED_AT_ONCE: usize = 100;
/// The number of pages that a job indexes in one unit of work. It is small, so that other writers do not wait long.
pub(in crate::usecases) const PART: usize = 25;

/// The changes of the index of a space after a change of its primary content.
#[derive(Debug, Default)]
pub(in crate::usecases) struct Index {
    pages: IndexedPages,
}

/// Computes the index entries of changed pages.
pub(in crate::usecases) fn index(language: Option<Language>, changed: &[ChangedPage]) -> Index {
    let mut indexer = Indexer::new(language);
    let pages = changed.iter().map(|(id, now)| {
        let now = now.as_ref().filter(|(page, _)| is_indexed(page));
        let indexed = now.map(|(page, text)| indexer.page(id, &page.title, page.description.as_deref(), text));
        (id.clone(), indexed)
    });
    Index { pages: pages.collect() }
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
        work.search().learn(&words).await?;
    }
    Ok(())
}

/// Leaves the update of a space's index to a job, together with updates that are already waiting.
pub(in crate::usecases) async fn index_later(work: &mut Work<'_>, task: Task) -> Result<(), Error> {
    work.lock(&[(&task).into()]).await?;
    let task = match work.jobs().find_task(&task).await? {
        Some(waiting) => task.and(&waiting.task),
        None => task,
    };
    let now = work.now();
    let job = Job::new(work.ids.make(), task, now, now);
    Ok(work.jobs().add(&job).await?)
}

/// The pages that a job indexes: those that differ from any of these revisions; for `None`, all searchable pages.
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
                pages.extend(diff.pages.into_iter().filter_map(|change| PageId::try_from(change.key).ok()));
            }
        }
    }
    Ok(pages.into_iter().collect())
}

/// The searchable pages of a space.
pub(in crate::usecases) async fn found_pages(work: &mut Work<'_>, space: &Space) -> Result<Vec<PageId>, Error> {
    let snapshot = Base::load(work, &space.id, &space.revision).await?.snapshot;
    let pages = work.compute(&mut MemoryObjects::default(), |objects| snapshot.pages(objects)).await?;
    Ok(pages.into_iter().filter(|(_, page)| is_indexed(page)).map(|(id, _)| id).collect())
}

/// Computed index entries of some pages of a space at a revision.
pub(in crate::usecases) struct Part {
    revision: RevisionId,
    language: Option<Language>,
    index: Index,
}

impl Part {
    /// Computes the index entries of some pages in a language. Deleted pages are removed from the index.
    pub(in crate::usecases) async fn work_out(
        work: &mut Work<'_>,
        space: &Space,
        language: Option<Language>,
        pages: &[PageId],
    ) -> Result<Self, Error> {
        let snapshot = Base::load(work, &space.id, &space.revision).await?.snapshot;
        let now = |objects: &MemoryObjects| {
            let found = together(pages.iter().map(|id| Ok((id, snapshot.page(objects, id)?))))?;
            fetch(objects, found.iter().filter_map(|(_, page)| page.as_ref()?.document()))?;
            let with_text = |(id, page): (&PageId, Option<PageEntry>)| {
                let text = |page: PageEntry| Ok((page.clone(), text_of(objects, page.document())?));
                Ok((id.clone(), page.map(text).transpose()?))
            };
            found.into_iter().map(with_text).collect::<Read<Vec<ChangedPage>>>()
        };
        let now = work.compute(&mut MemoryObjects::default(), now).await?;
        Ok(Self { revision: space.revision.clone(), language, index: index(language, &now) })
    }

    /// Stores the entries, in a unit of work that has locked the space. If the space has changed, the entries are
    /// computed again.
    pub(in crate::usecases) async fn store(
        self,
        work: &mut Work<'_>,
        space: &Space,
        pages: &[PageId],
    ) -> Result<(), Error> {
        let current = if self.revision == space.revision {
            self
        } else {
            Self::work_out(work, space, self.language, pages).await?
        };
        reindex(work, &space.id, current.index).await
    }
}

/// Pages with their index entries; `None` for a page that is no longer searchable.
type IndexedPages = Vec<(PageId, Option<IndexedPage>)>;

/// Pages with text are searchable. Hidden pages are too: they are left out of the table of contents, but not of search.
fn is_indexed(page: &PageEntry) -> bool {
    matches!(page.kind, PageKind::Document { .. }) && !page.no_index
}
