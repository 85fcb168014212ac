//! Updating the search index after changes of so many pages that indexing was deferred.
use super::lease::{Lease, Outcome, Stop};
use crate::id::{PageId, RevisionId, SpaceId};
use crate::job::Task;
use crate::usecases::search::indexing::{PART, Part, differing};

/// The remaining work.
pub(super) struct Left<'t> {
    pub(super) space: &'t SpaceId,
    pub(super) since: &'t [Option<RevisionId>],
    pub(super) after: Option<&'t PageId>,
}

impl Left<'_> {
    fn after(&self, page: Option<&PageId>) -> Task {
        Task::IndexSpace { space: self.space.clone(), since: self.since.to_vec(), after: page.cloned() }
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
    for pages in pages.chunks(PART) {
        let mut work = lease.read().await?;
        let Some(seen) = work.spaces().find(left.space, None).await?.map(|reach| reach.entity) else {
            return Ok(Outcome::Done);
        };
        let part = Part::work_out(&mut work, &seen, found.language, pages).await?;
        drop(work);
        let mut work = lease.step_with(&[left.space.into()]).await?;
        let Some(now) = work.spaces().find(left.space, None).await?.map(|reach| reach.entity) else {
            return Ok(Outcome::Done);
        };
        if now.language != found.language {
            return Ok(Outcome::Again(left.after(None), lease.now()));
        }
        part.store(&mut work, &now, pages).await?;
        lease.note(work, &left.after(pages.last())).await?;
    }
    Ok(Outcome::Done)
}
