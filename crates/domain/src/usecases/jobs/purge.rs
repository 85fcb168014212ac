//! Purging: what was deleted is removed for good once nobody can restore it any more.
//!
//! A run that finds the time over only marks; one that comes an hour later, and still finds so, purges. In between the
//! clock was watched ([`crate::heartbeat`]): neither a clock that was wrong for a while nor one that jumped purges.
use super::turn::{Outcome, Stop, Turn, reached};
use crate::actor::Actor;
use crate::content::object::Hash;
use crate::event::Change;
use crate::id::{CollectionId, OrganizationId, RevisionId, SpaceId};
use crate::job::{Job, Task};
use crate::place::PlaceId;
use crate::ports::store::garbage::Kind;
use crate::ports::{Ids, StoreResult, Tx};
use crate::retention::{Look, RETENTION, SECOND_LOOK, Stage, look};
use crate::usecases::record::record;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// How many revisions are condemned and removed at once.
const REVISIONS: usize = 50;
/// How much content one step condemns.
const CONDEMNED: usize = 2000;
/// How many rows of a kind one step removes.
const ROWS: usize = 200;

/// The work of purging a space or a collection, from its beginning.
pub(in crate::usecases) fn task_of(place: &PlaceId) -> Task {
    let stage = Stage::Kept;
    match place {
        PlaceId::Space(space) => Task::PurgeSpace { space: space.clone(), stage },
        PlaceId::Collection(collection) => Task::PurgeCollection { collection: collection.clone(), stage },
    }
}

/// Lets what was deleted be purged when it can be restored no more.
pub(in crate::usecases) async fn schedule(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    place: &PlaceId,
    deleted_at: DateTime<Utc>,
) -> StoreResult<()> {
    tx.jobs().add(&Job::new(ids.make(), task_of(place), deleted_at + RETENTION, deleted_at)).await
}

/// Calls off that a space or a collection is purged. Says whether that was possible: not when it has begun.
pub(in crate::usecases) async fn call_off(tx: &mut dyn Tx, place: &PlaceId) -> StoreResult<bool> {
    let Some(job) = tx.jobs().find_task(&task_of(place)).await? else { return Ok(true) };
    let (Task::PurgeSpace { stage, .. } | Task::PurgeCollection { stage, .. }) = &job.task else { return Ok(true) };
    if *stage == Stage::Begun {
        return Ok(false);
    }
    tx.jobs().remove(&job.id).await?;
    Ok(true)
}

/// Purges a space.
pub(super) async fn space(turn: &Turn<'_>, id: &SpaceId, stage: Stage) -> Result<Outcome, Stop> {
    let task = |stage| Task::PurgeSpace { space: id.clone(), stage };
    let mut tx = turn.step_with(&[id.into()]).await?;
    let Some(found) = tx.spaces().find(id, None).await?.map(|reach| reach.entity) else { return Ok(Outcome::Done) };
    // Restored, and the job should have gone with that.
    let Some(deleted_at) = found.deleted_at else { return Ok(Outcome::Done) };
    if let Look::Later { stage, at } = look(deleted_at, stage, turn.now()) {
        return Ok(Outcome::Again(task(stage), at));
    }
    turn.note(tx, &task(Stage::Begun)).await?;
    revisions(turn, id).await?;
    loop {
        // Whoever leaves the organization is taken out of what is removed here, too.
        let mut tx = turn.step_with(&[(&found.organization).into(), id.into()]).await?;
        let removed = tx.purge().remove_some(id, ROWS).await?;
        tx.commit().await?;
        if removed == 0 {
            break;
        }
    }
    let now = turn.now();
    let (task, due) = Task::collect_content(now);
    let mut tx = turn.step_with(&[id.into(), (&task).into()]).await?;
    tx.grants().clear(&[PlaceId::Space(id.clone())]).await?;
    tx.purge().remove_space(id).await?;
    purged(turn, &mut *tx, &found.organization, Change::SpacePurged { space: id.clone() }).await?;
    tx.jobs().add(&Job::new(turn.jobs.ids.make(), task, due, now)).await?;
    tx.commit().await?;
    Ok(Outcome::Done)
}

/// Removes the revisions of a space, and condemns all that they hold.
async fn revisions(turn: &Turn<'_>, space: &SpaceId) -> Result<(), Stop> {
    let mut known: BTreeSet<Hash> = BTreeSet::new();
    loop {
        let mut tx = turn.read().await?;
        let revisions = tx.purge().first_revisions(space, REVISIONS).await?;
        if revisions.is_empty() {
            return Ok(());
        }
        let (mut objects, mut files) = (Vec::new(), BTreeSet::new());
        for revision in &revisions {
            let more = reached(&mut *tx, revision, &known).await?;
            objects.extend(more.objects.iter().copied());
            known.extend(more.objects);
            files.extend(more.files);
        }
        drop(tx);
        let files: Vec<Hash> = files.into_iter().collect();
        for (kind, hashes) in [(Kind::Object, objects), (Kind::File, files)] {
            for some in hashes.chunks(CONDEMNED) {
                let mut tx = turn.step().await?;
                tx.garbage().condemn(kind, some, turn.now()).await?;
                tx.commit().await?;
            }
        }
        let ids: Vec<RevisionId> = revisions.into_iter().map(|revision| revision.id).collect();
        let mut tx = turn.step().await?;
        tx.purge().remove_revisions(&ids).await?;
        tx.commit().await?;
    }
}

/// Purges a collection, once nothing stands in it any more.
pub(super) async fn collection(turn: &Turn<'_>, id: &CollectionId, stage: Stage) -> Result<Outcome, Stop> {
    let task = |stage| Task::PurgeCollection { collection: id.clone(), stage };
    let mut tx = turn.step_with(&[id.into()]).await?;
    let Some(found) = tx.collections().find(id, None).await?.map(|reach| reach.entity) else {
        return Ok(Outcome::Done);
    };
    let Some(deleted_at) = found.deleted_at else { return Ok(Outcome::Done) };
    let now = turn.now();
    if let Look::Later { stage, at } = look(deleted_at, stage, now) {
        return Ok(Outcome::Again(task(stage), at));
    }
    if !tx.collections().children(&found.organization, Some(id)).await?.is_empty() {
        return Ok(Outcome::Again(task(stage), now + SECOND_LOOK));
    }
    tx.grants().clear(&[PlaceId::Collection(id.clone())]).await?;
    tx.purge().remove_collection(id).await?;
    purged(turn, &mut *tx, &found.organization, Change::CollectionPurged { collection: id.clone() }).await?;
    tx.commit().await?;
    Ok(Outcome::Done)
}

async fn purged(turn: &Turn<'_>, tx: &mut dyn Tx, owner: &OrganizationId, change: Change) -> Result<(), Stop> {
    Ok(record(tx, &*turn.jobs.ids, &Actor::Server, Some(owner), turn.now(), change).await?)
}
