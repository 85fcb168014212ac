//! Jobs that update the search index: after a change of many pages, after a change of an OpenAPI spec, and after an
//! upgrade of the indexer.
use super::lease::{Lease, Outcome, Stop};
use crate::content::search::VERSION;
use crate::id::{OrganizationId, PageId, RevisionId, SpaceId};
use crate::job::Task;
use crate::openapi_spec::SpecSlug;
use crate::space::Space;
use crate::usecases::search::indexing::{Part, differing, index_later};
use std::collections::BTreeMap;

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
    match index(lease, &found, &pages, |page| left.after(Some(page))).await? {
        Indexing::Complete => {}
        Indexing::NoSpace => return Ok(Outcome::Done),
        Indexing::OtherLanguage => return Ok(Outcome::Again(left.after(None), lease.now())),
    }
    if left.since.contains(&None) {
        let mut work = lease.step_with(&[left.space.into()]).await?;
        work.search().set_version(left.space, VERSION).await?;
        work.commit().await?;
    }
    Ok(Outcome::Done)
}

/// How the indexing of pages ended.
enum Indexing {
    /// All pages are indexed.
    Complete,
    /// The space does not exist anymore.
    NoSpace,
    /// The language of the space has changed.
    OtherLanguage,
}

/// Indexes pages of a space in parts. `left` is the work that is left after a page; it is stored after each part.
async fn index(
    lease: &Lease<'_>,
    space: &Space,
    pages: &[PageId],
    left: impl Fn(&PageId) -> Task,
) -> Result<Indexing, Stop> {
    let mut pages = pages;
    while !pages.is_empty() {
        let mut work = lease.read().await?;
        let Some(seen) = work.spaces().find(&space.id, None).await?.map(|reach| reach.entity) else {
            return Ok(Indexing::NoSpace);
        };
        let part = Part::first_of(&mut work, &seen, space.language, pages).await?;
        drop(work);
        let (done, next) = pages.split_at(part.pages.len());
        let mut work = lease.step_with(&[(&space.id).into()]).await?;
        let Some(now) = work.spaces().find(&space.id, None).await?.map(|reach| reach.entity) else {
            return Ok(Indexing::NoSpace);
        };
        if now.language != space.language {
            return Ok(Indexing::OtherLanguage);
        }
        part.store(&mut work, &now).await?;
        match done.last() {
            Some(last) => lease.note(work, &left(last)).await?,
            None => work.commit().await?,
        }
        pages = next;
    }
    Ok(Indexing::Complete)
}

/// Indexes the pages that show an OpenAPI spec, one space after another.
pub(super) async fn openapi(
    lease: &Lease<'_>,
    organization: &OrganizationId,
    slug: &SpecSlug,
    after: Option<&(SpaceId, PageId)>,
) -> Result<Outcome, Stop> {
    let mut showing = lease.read().await?.openapi_specs().pages_showing(organization, slug).await?;
    showing.retain(|page| after.is_none_or(|after| page > after));
    let mut by_space: BTreeMap<SpaceId, Vec<PageId>> = BTreeMap::new();
    for (space, page) in showing {
        by_space.entry(space).or_default().push(page);
    }
    let mut spaces = by_space.into_iter();
    let mut next = spaces.next();
    while let Some((space, pages)) = next.take() {
        let reach = lease.read().await?.spaces().find(&space, None).await?;
        let indexing = match reach {
            Some(reach) => {
                let left = |page: &PageId| Task::IndexOpenapi {
                    organization: organization.clone(),
                    slug: slug.clone(),
                    after: Some((space.clone(), page.clone())),
                };
                index(lease, &reach.entity, &pages, left).await?
            }
            None => Indexing::NoSpace,
        };
        next = match indexing {
            Indexing::Complete | Indexing::NoSpace => spaces.next(),
            Indexing::OtherLanguage => Some((space, pages)),
        };
    }
    Ok(Outcome::Done)
}

/// Adds the job of the next space with entries of an earlier version of the indexer. It continues after the due jobs,
/// so that changed spaces are indexed in between, and a space that cannot be indexed does not stop the others.
pub(super) async fn spaces(lease: &Lease<'_>, version: u32, after: Option<&SpaceId>) -> Result<Outcome, Stop> {
    // The job is from an earlier version of the program.
    if version != VERSION {
        return Ok(Outcome::Done);
    }
    let Some(space) = lease.read().await?.search().outdated(version, after).await? else { return Ok(Outcome::Done) };
    let task = Task::index_space(space.clone(), None);
    let mut work = lease.step_with(&[(&task).into()]).await?;
    let waiting = work.jobs().find_task(&task).await?;
    // A job that is added again would lose its progress.
    if !waiting.is_some_and(|job| job.task.indexes_all()) {
        index_later(&mut work, task).await?;
    }
    work.commit().await?;
    Ok(Outcome::Again(Task::IndexSpaces { version, after: Some(space) }, lease.now()))
}
