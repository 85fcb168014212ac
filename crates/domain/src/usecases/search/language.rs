//! Indexing a space when its language changes. The stored words stay the same, because only their stems depend on the
//! language.
use super::indexing::{Index, PART, Part, found_pages, index_later, reindex as put};
use crate::actor::Actor;
use crate::content::object::MemoryObjects;
use crate::id::RevisionId;
use crate::job::Task;
use crate::space::Space;
use crate::text::Language;
use crate::usecases::Error;
use crate::usecases::content::write::Base;
use crate::usecases::work::{Units, Work};

/// Indexes the pages of a space in its current language, unless they are too many for one unit of work. Returns whether
/// it did.
pub(in crate::usecases) async fn reindex(work: &mut Work<'_>, space: &Space) -> Result<bool, Error> {
    let pages = found_pages(work, space).await?;
    if pages.len() > PART {
        return Ok(false);
    }
    let part = Part::first_of(work, space, space.language, &pages).await?;
    let is_all = part.pages.len() == pages.len();
    if is_all {
        part.store(work, space).await?;
    }
    Ok(is_all)
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
    let mut left = &pages[..];
    while !left.is_empty() {
        let now = async |work: &mut Work<'_>| {
            let found = work.spaces().find(&space.id, None).await?;
            Ok::<_, Error>(found.ok_or(Error::NotFound("space"))?.entity)
        };
        let part = {
            let mut work = units.read(&Actor::Server).await?;
            let now = now(&mut work).await?;
            Part::first_of(&mut work, &now, language, left).await?
        };
        left = &left[part.pages.len()..];
        let mut work = units.write(&Actor::Server).await?;
        work.lock(&[(&space.id).into()]).await?;
        let now = now(&mut work).await?;
        part.store(&mut work, &now).await?;
        work.commit().await?;
    }
    Ok(())
}

/// Indexes the changes since a revision in the current language of the space; if there are many, adds a job for it.
pub(in crate::usecases) async fn catch_up(work: &mut Work<'_>, space: &Space, since: &RevisionId) -> Result<(), Error> {
    if space.revision == *since {
        return Ok(());
    }
    let before = Base::load(work, &space.id, since).await?.snapshot;
    let after = Base::load(work, &space.id, &space.revision).await?.snapshot;
    let mut objects = MemoryObjects::default();
    let diff = work.compute(&mut objects, |objects| before.diff(&after, objects)).await?;
    match Index::of_change(work, &mut objects, Some(&space.id), space.language, (&after, &diff)).await? {
        Some(index) => put(work, &space.id, index).await,
        None => index_later(work, Task::index_space(space.id.clone(), Some(since.clone()))).await,
    }
}
