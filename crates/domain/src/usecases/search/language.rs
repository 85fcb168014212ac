//! Indexing a space when its language changes. The stored words stay the same, because only their stems depend on the
//! language.
use super::indexing::{INDEXED_AT_ONCE, PART, Part, found_pages, index, index_later, reindex as put};
use crate::actor::Actor;
use crate::content::object::MemoryObjects;
use crate::id::RevisionId;
use crate::job::Task;
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::content::write::{Base, changed_pages};
use crate::usecases::work::{Units, Work};

/// Indexes the pages of a space in its current language, unless they are too many for one unit of work. Returns whether
/// it did.
pub(in crate::usecases) async fn reindex(work: &mut Work<'_>, space: &Space) -> Result<bool, Error> {
    let pages = found_pages(work, space).await?;
    let few = pages.len() <= PART;
    if few {
        Part::work_out(work, space, space.language, &pages).await?.store(work, space, &pages).await?;
    }
    Ok(few)
}

/// Indexes the pages of a space in its next language, in as many units of work as necessary. Pages that change in the
/// meantime are indexed in the current language: see [`catch_up`].
///
/// If this is interrupted, some pages are indexed with the stems of the other language. It runs before the language
/// changes, so a repeated request indexes all pages again.
pub(in crate::usecases) async fn reindex_by_parts(
    units: &Units,
    space: &Space,
    language: Option<Language>,
) -> Result<(), Error> {
    let pages = found_pages(&mut units.read(&Actor::Server).await?, space).await?;
    for pages in pages.chunks(PART) {
        let now = async |work: &mut Work<'_>| {
            let found = work.spaces().find(&space.id, None).await?;
            Ok::<_, Error>(found.ok_or(Error::NotFound("space"))?.entity)
        };
        let part = {
            let mut work = units.read(&Actor::Server).await?;
            let now = now(&mut work).await?;
            Part::work_out(&mut work, &now, language, pages).await?
        };
        let mut work = units.write(&Actor::Server).await?;
        work.lock(&[(&space.id).into()]).await?;
        let now = now(&mut work).await?;
        part.store(&mut work, &now, pages).await?;
        work.commit().await?;
    }
    Ok(())
}

/// Indexes the changes since a revision in the current language of the space, or leaves it to a job if there are many.
pub(in crate::usecases) async fn catch_up(work: &mut Work<'_>, space: &Space, since: &RevisionId) -> Result<(), Error> {
    if space.revision == *since {
        return Ok(());
    }
    let before = Base::load(work, &space.id, since).await?.snapshot;
    let after = Base::load(work, &space.id, &space.revision).await?.snapshot;
    let mut objects = MemoryObjects::default();
    let diff = work.compute(&mut objects, |objects| before.diff(&after, objects)).await?;
    if diff.pages.len() > INDEXED_AT_ONCE {
        return index_later(work, Task::index_space(space.id.clone(), Some(since.clone()))).await;
    }
    let changed = changed_pages(work, &mut objects, &diff).await?;
    put(work, &space.id, index(space.language, &changed)).await
}
