//! Purging: deleted items are removed irreversibly when they can no longer be restored.
//!
//! The first run after the retention only marks the item. A run one hour later checks again and purges it. In between,
//! the server monitors the clock ([`crate::heartbeat`]), so that a clock that is wrong for a while or jumps does not
//! cause a purge.
use super::lease::{Lease, Outcome, Stop, reached};
use crate::content::object::Hash;
use crate::event::Change;
use crate::id::{CollectionId, RevisionId, SpaceId};
use crate::job::{Job, Task};
use crate::place::PlaceId;
use crate::ports::store::garbage::Kind;
use crate::retention::{CONFIRMATION_DELAY, PurgeDecision, RETENTION, Stage, decide_purge};
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::collections::BTreeSet;

/// The number of revisions that are condemned and removed at once.
const REVISIONS: usize = 50;
/// The number of items that one step condemns.
const CONDEMNED: usize = 2000;
/// The number of rows of each kind that one step removes.
const ROWS: usize = 200;

/// The job that purges a space or a collection, at its first stage.
pub(in crate::usecases) fn task_of(place: &PlaceId) -> Task {
    let stage = Stage::Kept;
    match place {
        PlaceId::Space(space) => Task::PurgeSpace { space: space.clone(), stage },
        PlaceId::Collection(collection) => Task::PurgeCollection { collection: collection.clone(), stage },
    }
}

/// Schedules the purge of a deleted item for the end of its retention.
pub(in crate::usecases) async fn schedule(work: &mut Work<'_>, place: &PlaceId) -> Result<(), Error> {
    let deleted_at = work.now();
    let job = Job::new(work.ids.make(), task_of(place), deleted_at + RETENTION, deleted_at);
    Ok(work.jobs().add(&job).await?)
}

/// Cancels the purge of a space or a collection. Returns whether that was possible: not if the purge has begun.
pub(in crate::usecases) async fn cancel(work: &mut Work<'_>, place: &PlaceId) -> Result<bool, Error> {
    let Some(job) = work.jobs().find_task(&task_of(place)).await? else { return Ok(true) };
    let (Task::PurgeSpace { stage, .. } | Task::PurgeCollection { stage, .. }) = &job.task else { return Ok(true) };
    if *stage == Stage::Begun {
        return Ok(false);
    }
    work.jobs().remove(&job.id).await?;
    Ok(true)
}

/// Purges a space.
pub(super) async fn space(lease: &Lease<'_>, id: &SpaceId, stage: Stage) -> Result<Outcome, Stop> {
    let task = |stage| Task::PurgeSpace { space: id.clone(), stage };
    let mut work = lease.step_with(&[id.into()]).await?;
    let Some(found) = work.spaces().find(id, None).await?.map(|reach| reach.entity) else { return Ok(Outcome::Done) };
    // It was restored; normally a restore cancels the job.
    let Some(deleted_at) = found.deleted_at else { return Ok(Outcome::Done) };
    if let PurgeDecision::Later { stage, at } = decide_purge(deleted_at, stage, lease.now()) {
        return Ok(Outcome::Again(task(stage), at));
    }
    lease.note(work, &task(Stage::Begun)).await?;
    revisions(lease, id).await?;
    loop {
        // Removing a member of the organization also deletes rows that are deleted here, so the organization is locked
        // too.
        let mut work = lease.step_with(&[(&found.organization).into(), id.into()]).await?;
        let removed = work.purge().remove_some(id, ROWS).await?;
        work.commit().await?;
        if removed == 0 {
            break;
        }
    }
    let now = lease.now();
    let (task, due) = Task::collect_content(now);
    let mut work = lease.step_with(&[id.into(), (&task).into()]).await?;
    work.grants().clear(&[id.clone().into()]).await?;
    work.purge().remove_space(id).await?;
    work.record(&found.organization, Change::SpacePurged { space: id.clone() }).await?;
    let job = Job::new(work.ids.make(), task, due, now);
    work.jobs().add(&job).await?;
    work.commit().await?;
    Ok(Outcome::Done)
}

/// Removes the revisions of a space, and condemns all content that they refer to.
async fn revisions(lease: &Lease<'_>, space: &SpaceId) -> Result<(), Stop> {
    let mut known: BTreeSet<Hash> = BTreeSet::new();
    loop {
        let mut work = lease.read().await?;
        let revisions = work.purge().first_revisions(space, REVISIONS).await?;
        if revisions.is_empty() {
            return Ok(());
        }
        let (mut objects, mut files) = (Vec::new(), BTreeSet::new());
        for revision in &revisions {
            let more = reached(&mut work, revision, &known).await?;
            objects.extend(more.objects.iter().copied());
            known.extend(more.objects);
            files.extend(more.files);
        }
        drop(work);
        let files: Vec<Hash> = files.into_iter().collect();
        for (kind, hashes) in [(Kind::Object, objects), (Kind::File, files)] {
            for some in hashes.chunks(CONDEMNED) {
                let mut work = lease.step().await?;
                work.garbage().condemn(kind, some, lease.now()).await?;
                work.commit().await?;
            }
        }
        let ids: Vec<RevisionId> = revisions.into_iter().map(|revision| revision.id).collect();
        let mut work = lease.step().await?;
        work.purge().remove_revisions(&ids).await?;
        work.commit().await?;
    }
}

/// Purges a collection, when it is empty.
pub(super) async fn collection(lease: &Lease<'_>, id: &CollectionId, stage: Stage) -> Result<Outcome, Stop> {
    let task = |stage| Task::PurgeCollection { collection: id.clone(), stage };
    let mut work = lease.step_with(&[id.into()]).await?;
    let Some(found) = work.collections().find(id, None).await?.map(|reach| reach.entity) else {
        return Ok(Outcome::Done);
    };
    let Some(deleted_at) = found.deleted_at else { return Ok(Outcome::Done) };
    let now = lease.now();
    if let PurgeDecision::Later { stage, at } = decide_purge(deleted_at, stage, now) {
        return Ok(Outcome::Again(task(stage), at));
    }
    if !work.collections().children(&found.organization, Some(id)).await?.is_empty() {
        return Ok(Outcome::Again(task(stage), now + CONFIRMATION_DELAY));
    }
    work.grants().clear(&[id.clone().into()]).await?;
    work.purge().remove_collection(id).await?;
    work.record(&found.organization, Change::CollectionPurged { collection: id.clone() }).await?;
    work.commit().await?;
    Ok(Outcome::Done)
}
