//! Keeping the search index: which pages are indexed when, and how.
use crate::content::object::{MemoryObjects, Read, fetch, together};
use crate::content::page::{PageEntry, PageKind};
use crate::content::search::{IndexedPage, Indexer};
use crate::content::text_of;
use crate::id::{PageId, RevisionId, SpaceId};
use crate::job::{Job, Task};
use crate::ports::{Ids, Tx};
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::compute::compute;
use crate::usecases::content::write::{Base, ChangedPage};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// How many changed pages are indexed in the unit of work that changes them. Where there are more they follow by a job, so
/// that the writer is not held for long.
pub(in crate::usecases) const INDEXED_AT_ONCE: usize = 100;
/// How many pages are indexed in one unit of work of those that follow: a moment's work, so that other writers get their
/// turn in between.
pub(in crate::usecases) const PART: usize = 25;

/// What the index of a space takes in for a step of its primary content.
#[derive(Debug, Default)]
pub(in crate::usecases) struct Index {
    pages: IndexedPages,
}

/// Works out what is indexed of the pages that changed.
pub(in crate::usecases) fn index(language: Option<Language>, changed: &[ChangedPage]) -> Index {
    let mut indexer = Indexer::new(language);
    let pages = changed.iter().map(|(id, now)| {
        let now = now.as_ref().filter(|(page, _)| is_indexed(page));
        let indexed = now.map(|(page, text)| indexer.page(id, &page.title, page.description.as_deref(), text));
        (id.clone(), indexed)
    });
    Index { pages: pages.collect() }
}

/// Brings the index of a space to its new primary revision. To be called once in a unit of work, with all that changed.
pub(in crate::usecases) async fn reindex(tx: &mut dyn Tx, space: &SpaceId, index: Index) -> Result<(), Error> {
    if index.pages.is_empty() {
        return Ok(());
    }
    let (ids, indexed): (Vec<PageId>, Vec<Option<IndexedPage>>) = index.pages.into_iter().unzip();
    tx.search().remove(space, &ids).await?;
    let indexed: Vec<IndexedPage> = indexed.into_iter().flatten().collect();
    if indexed.is_empty() {
        return Ok(());
    }
    tx.search().insert(space, &indexed).await?;
    let words: BTreeSet<String> = indexed.iter().flat_map(IndexedPage::words).map(str::to_owned).collect();
    if !words.is_empty() {
        tx.search().learn(&words).await?;
    }
    Ok(())
}

/// Leaves it to a job to bring the index of a space along, together with what waits for that already.
pub(in crate::usecases) async fn index_later(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    task: Task,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    tx.lock(&[(&task).into()]).await?;
    let task = match tx.jobs().find_task(&task).await? {
        Some(waiting) => task.and(&waiting.task),
        None => task,
    };
    tx.jobs().add(&Job::new(ids.make(), task, now, now)).await?;
    Ok(())
}

/// The pages that a job indexes: those that differ from one of these revisions. From none, all that search finds do.
pub(in crate::usecases) async fn differing(
    tx: &mut dyn Tx,
    space: &Space,
    since: &[Option<RevisionId>],
) -> Result<Vec<PageId>, Error> {
    let mut pages: BTreeSet<PageId> = BTreeSet::new();
    for since in since {
        match since {
            None => pages.extend(found_pages(tx, space).await?),
            Some(since) => {
                let before = Base::load(tx, &space.id, since).await?.snapshot;
                let after = Base::load(tx, &space.id, &space.revision).await?.snapshot;
                let mut objects = MemoryObjects::default();
                let diff = compute(tx, &mut objects, |objects| before.diff(&after, objects)).await?;
                pages.extend(diff.pages.into_iter().filter_map(|change| PageId::try_from(change.key).ok()));
            }
        }
    }
    Ok(pages.into_iter().collect())
}

/// The pages of a space that search finds.
pub(in crate::usecases) async fn found_pages(tx: &mut dyn Tx, space: &Space) -> Result<Vec<PageId>, Error> {
    let snapshot = Base::load(tx, &space.id, &space.revision).await?.snapshot;
    let pages = compute(tx, &mut MemoryObjects::default(), |objects| snapshot.pages(objects)).await?;
    Ok(pages.into_iter().filter(|(_, page)| is_indexed(page)).map(|(id, _)| id).collect())
}

/// Some pages of a space as they are at a revision, worked out for the index.
pub(in crate::usecases) struct Part {
    revision: RevisionId,
    language: Option<Language>,
    index: Index,
}

impl Part {
    /// Works out what is indexed of some pages in a language. Pages that are gone are taken out of the index.
    pub(in crate::usecases) async fn work_out(
        tx: &mut dyn Tx,
        space: &Space,
        language: Option<Language>,
        pages: &[PageId],
    ) -> Result<Self, Error> {
        let snapshot = Base::load(tx, &space.id, &space.revision).await?.snapshot;
        let now = |objects: &MemoryObjects| {
            let found = together(pages.iter().map(|id| Ok((id, snapshot.page(objects, id)?))))?;
            fetch(objects, found.iter().filter_map(|(_, page)| page.as_ref()?.document()))?;
            let with_text = |(id, page): (&PageId, Option<PageEntry>)| {
                let text = |page: PageEntry| Ok((page.clone(), text_of(objects, page.document())?));
                Ok((id.clone(), page.map(text).transpose()?))
            };
            found.into_iter().map(with_text).collect::<Read<Vec<ChangedPage>>>()
        };
        let now = compute(tx, &mut MemoryObjects::default(), now).await?;
        Ok(Self { revision: space.revision.clone(), language, index: index(language, &now) })
    }

    /// Puts them into the index, in a unit of work that holds the space: as they are now, where it moved meanwhile.
    pub(in crate::usecases) async fn store(
        self,
        tx: &mut dyn Tx,
        space: &Space,
        pages: &[PageId],
    ) -> Result<(), Error> {
        let current = if self.revision == space.revision {
            self
        } else {
            Self::work_out(tx, space, self.language, pages).await?
        };
        reindex(tx, &space.id, current.index).await
    }
}

/// Pages with what is indexed of them; nothing for one that is found no more.
type IndexedPages = Vec<(PageId, Option<IndexedPage>)>;

/// Pages with text are found, hidden ones as well: they are left out of the table of contents, not out of search.
fn is_indexed(page: &PageEntry) -> bool {
    matches!(page.kind, PageKind::Document { .. }) && !page.no_index
}
