//! The index of a space that changes its language. Words are known already: what they are does not depend on the
//! language, only what they are taken back to.
use super::{indexed, is_indexed, put};
use crate::content::object::{MemoryObjects, Read, fetch, together};
use crate::content::page::PageEntry;
use crate::content::search::Indexer;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::id::{PageId, RevisionId};
use crate::ports::{Store, Tx};
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::compute::compute;
use crate::usecases::content::write::{Base, ChangedPage, changed_pages};

/// How many pages are indexed in one unit of work: a moment's work, so that other writers get their turn in between.
pub(in crate::usecases) const PART: usize = 25;

/// Indexes the pages of a space in the language that it has now, unless they are too many for one unit of work. Says
/// whether it did.
pub(in crate::usecases) async fn reindex(tx: &mut dyn Tx, space: &Space) -> Result<bool, Error> {
    let pages = found_pages(tx, space).await?;
    let few = pages.len() <= PART;
    if few {
        reindex_part(tx, space, &mut Indexer::new(space.language), &pages).await?;
    }
    Ok(few)
}

/// Indexes the pages of a space in a language that it is about to get, in as many units of work as it takes. Pages that
/// change meanwhile are indexed in the language that it has: see [`catch_up`].
///
/// When this is broken off, a part of the pages is found by stems of another language. It happens before the language
/// changes, so whoever was broken off and asks for the change again has all of them indexed.
pub(in crate::usecases) async fn reindex_by_parts(
    store: &dyn Store,
    space: &Space,
    language: Option<Language>,
) -> Result<(), Error> {
    let pages = found_pages(&mut *store.read().await?, space).await?;
    let mut indexer = Indexer::new(language);
    for part in pages.chunks(PART) {
        let mut tx = store.write().await?;
        tx.lock(&[(&space.id).into()]).await?;
        let now = tx.spaces().find(&space.id, None).await?.ok_or(Error::NotFound("space"))?.entity;
        reindex_part(&mut *tx, &now, &mut indexer, part).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Indexes what changed since a revision in the language that the space has now.
pub(in crate::usecases) async fn catch_up(tx: &mut dyn Tx, space: &Space, since: &RevisionId) -> Result<(), Error> {
    if space.revision == *since {
        return Ok(());
    }
    let (before, after) = (snapshot(tx, space, since).await?, snapshot(tx, space, &space.revision).await?);
    let mut objects = MemoryObjects::default();
    let diff = compute(tx, &mut objects, |objects| before.diff(&after, objects)).await?;
    let changed = changed_pages(tx, &mut objects, &diff).await?;
    put(tx, &space.id, indexed(&mut Indexer::new(space.language), &changed)).await.map(drop)
}

async fn snapshot(tx: &mut dyn Tx, space: &Space, revision: &RevisionId) -> Result<Snapshot, Error> {
    Ok(Base::load(tx, &space.id, revision).await?.snapshot)
}

/// The pages of a space that search finds.
pub(in crate::usecases) async fn found_pages(tx: &mut dyn Tx, space: &Space) -> Result<Vec<PageId>, Error> {
    let snapshot = snapshot(tx, space, &space.revision).await?;
    let pages = compute(tx, &mut MemoryObjects::default(), |objects| snapshot.pages(objects)).await?;
    Ok(pages.into_iter().filter(|(_, page)| is_indexed(page)).map(|(id, _)| id).collect())
}

/// Indexes some pages as they are now.
pub(in crate::usecases) async fn reindex_part(
    tx: &mut dyn Tx,
    space: &Space,
    indexer: &mut Indexer,
    pages: &[PageId],
) -> Result<(), Error> {
    if pages.is_empty() {
        return Ok(());
    }
    let snapshot = snapshot(tx, space, &space.revision).await?;
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
    put(tx, &space.id, indexed(indexer, &now)).await.map(drop)
}
