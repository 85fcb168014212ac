//! Updating the search index after changes of so many pages that indexing was deferred, and after a change of the
//! indexer.
use super::lease::{Lease, Outcome, Stop};
use crate::content::search::VERSION;
use crate::id::{PageId, RevisionId, SpaceId};
use crate::job::Task;
use crate::usecases::search::indexing::{Part, differing, index_later};

/// The remaining work.
pub(super) struct Left<'t> {
    pub(super) space: &'t SpaceId,
    pub(super) since: &'t [Option<RevisionId>],
    pub(super) after: Option<&'t PageId>,
}

impl Left<'_> {
    fn after(&self, page: Option<&PageId>) -> Task {
        let (space, since, after) = (self.space.clone(), self.since.to_vec(), page.cloned());
        Task::IndexSpace { space, since, after, version: VERSION }
    }
}

/// Indexes the pages in parts, and records the progress. Small changes in the meantime index their own pages; a large
/// change makes the job start again.
pub(super) async fn space(lease: &Lease<'_>, left: &Left<'_>) -> Result<Outcome, Stop> {
    let mut work = lease.read().await?;
    let Some(found) = work.spaces().find(left.space, None).await?.map(|reach| reach.entity) else {
        return Ok(Outcome::Done);
    };
    let mut pages = differing(&mut work, &found, left.since).await?;
    drop(work);
    pages.retain(|page| left.after.is_none_or(|after| page > after));
    let mut pages = &pages[..];
    while !pages.is_empty() {
        let mut work = lease.read().await?;
        let Some(seen) = work.spaces().find(left.space, None).await?.map(|reach| reach.entity) else {
            return Ok(Outcome::Done);
        };
        let part = Part::first_of(&mut work, &seen, found.language, pages).await?;
        drop(work);
        let (done, next) = pages.split_at(part.pages.len());
        let mut work = lease.step_with(&[left.space.into()]).await?;
        let Some(now) = work.spaces().find(left.space, None).await?.map(|reach| reach.entity) else {
            return Ok(Outcome::Done);
        };
        if now.language != found.language {
            return Ok(Outcome::Again(left.after(None), lease.now()));
        }
        part.store(&mut work, &now).await?;
        lease.note(work, &left.after(done.last())).await?;
        pages = next;
    }
    if left.since.contains(&None) {
        let mut work = lease.step_with(&[left.space.into()]).await?;
        work.search().set_version(left.space, VERSION).await?;
        work.commit().await?;
    }
    Ok(Outcome::Done)
}

/// Adds the job of the next space whose entries an earlier version of the indexer made, and continues after the jobs
/// that are due: so spaces that change are indexed in between, and a space that cannot be indexed does not stop the
/// others.
pub(super) async fn spaces(lease: &Lease<'_>, version: u32, after: Option<&SpaceId>) -> Result<Outcome, Stop> {
    // Left behind by a version of the program that another one has replaced.
    if version != VERSION {
        return Ok(Outcome::Done);
    }
    let Some(space) = lease.read().await?.search().outdated(version, after).await? else { return Ok(Outcome::Done) };
    let task = Task::index_space(space.clone(), None);
    let mut work = lease.step_with(&[(&task).into()]).await?;
    let waiting = work.jobs().find_task(&task).await?;
    // It would lose its progress.
    if !waiting.is_some_and(|job| job.task.indexes_all()) {
        index_later(&mut work, task).await?;
    }
    work.commit().await?;
    Ok(Outcome::Again(Task::IndexSpaces { version, after: Some(space) }, lease.now()))
}
