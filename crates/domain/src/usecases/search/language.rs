//! Indexing a space when its language changes. The stored words stay the same, because only their stems depend on the
//! language.
use super::indexing::{INDEXED_AT_ONCE, PART, Part, found_pages, index, index_later, reindex as put};
use crate::content::object::MemoryObjects;
use crate::id::RevisionId;
use crate::job::Task;
use crate::ports::{Ids, Store, Tx};
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::compute::compute;
use crate::usecases::content::write::{Base, changed_pages};
use chrono::{DateTime, Utc};

/// Indexes the pages of a space in its current language, unless they are too many for one unit of work. Returns whether
/// it did.
pub(in crate::usecases) async fn reindex(tx: &mut dyn Tx, space: &Space) -> Result<bool, Error> {
    let pages = found_pages(tx, space).await?;
    let few = pages.len() <= PART;
    if few {
        Part::work_out(tx, space, space.language, &pages).await?.store(tx, space, &pages).await?;
    }
    Ok(few)
}

/// Indexes the pages of a space in its next language, in as many units of work as necessary. Pages that change in the
/// meantime are indexed in the current language: see [`catch_up`].
///
/// If this is interrupted, some pages are indexed with the stems of the other language. It runs before the language
/// changes, so a repeated request indexes all pages again.
pub(in crate::usecases) async fn reindex_by_parts(
    store: &dyn Store,
    space: &Space,
    language: Option<Language>,
) -> Result<(), Error> {
    let pages = found_pages(&mut *store.read().await?, space).await?;
    for pages in pages.chunks(PART) {
        let now = async |tx: &mut dyn Tx| {
            let found = tx.spaces().find(&space.id, None).await?;
            Ok::<_, Error>(found.ok_or(Error::NotFound("space"))?.entity)
        };
        let part = {
            let mut tx = store.read().await?;
            let now = now(&mut *tx).await?;
            Part::work_out(&mut *tx, &now, language, pages).await?
        };
        let mut tx = store.write().await?;
        tx.lock(&[(&space.id).into()]).await?;
        let now = now(&mut *tx).await?;
        part.store(&mut *tx, &now, pages).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Indexes the changes since a revision in the current language of the space, or leaves it to a job if there are many.
pub(in crate::usecases) async fn catch_up(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    space: &Space,
    since: &RevisionId,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    if space.revision == *since {
        return Ok(());
    }
    let before = Base::load(tx, &space.id, since).await?.snapshot;
    let after = Base::load(tx, &space.id, &space.revision).await?.snapshot;
    let mut objects = MemoryObjects::default();
    let diff = compute(tx, &mut objects, |objects| before.diff(&after, objects)).await?;
    if diff.pages.len() > INDEXED_AT_ONCE {
        return index_later(tx, ids, Task::index_space(space.id.clone(), Some(since.clone())), now).await;
    }
    let changed = changed_pages(tx, &mut objects, &diff).await?;
    put(tx, &space.id, index(space.language, &changed)).await
}
