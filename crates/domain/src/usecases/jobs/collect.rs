//! Collecting content that nobody holds any more (docs/decisions/0014-content-is-condemned-before-it-is-collected.md).
//!
//! What a purged space held is condemned. Two hours later, when every unit of work that was under way has ended, all
//! revisions of all spaces are walked: what one of them holds is spared. What is left is removed, unless somebody stored
//! it again meanwhile.
use super::turn::{Outcome, Stop, Turn, reached};
use crate::content::object::Hash;
use crate::id::SpaceId;
use crate::job::Task;
use crate::ports::store::garbage::Kind;
use crate::retention::{GRACE, UNNAMED_FILE};
use std::collections::BTreeSet;

/// How much condemned content is looked for in one walk: bounds the memory it takes.
const PORTION: usize = 100_000;
/// How many revisions are walked in one unit of work.
const REVISIONS: usize = 50;
/// How much of what a space holds is remembered at most. A walk that forgets goes ways twice.
const REMEMBERED: usize = 500_000;
/// How much one step removes or spares.
const REMOVED: usize = 500;

type Condemned = (Kind, Hash);

/// Removes the condemned content that nobody holds.
pub(super) async fn content(turn: &Turn<'_>, task: &Task) -> Result<Outcome, Stop> {
    let started = turn.now();
    let mut after: Option<Condemned> = None;
    let mut kept = false;
    loop {
        let portion = turn.read().await?.garbage().condemned(after, started - GRACE, PORTION).await?;
        let Some(last) = portion.last() else { break };
        after = Some(*last);
        let condemned: BTreeSet<Condemned> = portion.into_iter().collect();
        let doomed = unreached(turn, condemned.clone()).await?;
        for kind in [Kind::Object, Kind::File] {
            spare(turn, kind, &of_kind(kind, condemned.difference(&doomed))).await?;
        }
        for some in of_kind(Kind::Object, &doomed).chunks(REMOVED) {
            let mut tx = turn.step().await?;
            tx.garbage().remove_objects(some).await?;
            tx.commit().await?;
        }
        for some in of_kind(Kind::File, &doomed).chunks(REMOVED) {
            let mut gone = Vec::new();
            for file in some {
                // One that was stored of late may be named by a revision that is about to come.
                if turn.jobs.files.remove(file, started - UNNAMED_FILE).await? {
                    gone.push(*file);
                } else {
                    kept = true;
                }
            }
            spare(turn, Kind::File, &gone).await?;
        }
    }
    Ok(if kept { Outcome::Again(task.clone(), started + UNNAMED_FILE) } else { Outcome::Done })
}

fn of_kind<'c>(kind: Kind, content: impl IntoIterator<Item = &'c Condemned>) -> Vec<Hash> {
    content.into_iter().filter(|(of, _)| *of == kind).map(|(_, hash)| *hash).collect()
}

async fn spare(turn: &Turn<'_>, kind: Kind, hashes: &[Hash]) -> Result<(), Stop> {
    for some in hashes.chunks(REMOVED) {
        let mut tx = turn.step().await?;
        tx.garbage().spare(kind, some).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// What of this no revision holds.
async fn unreached(turn: &Turn<'_>, mut looked_for: BTreeSet<Condemned>) -> Result<BTreeSet<Condemned>, Stop> {
    let mut after = None;
    let mut space: Option<SpaceId> = None;
    let mut known: BTreeSet<Hash> = BTreeSet::new();
    loop {
        let mut tx = turn.read().await?;
        let revisions = tx.garbage().revisions(after.take(), REVISIONS).await?;
        let Some(last) = revisions.last() else { return Ok(looked_for) };
        after = Some((last.space.clone(), last.id.clone()));
        for revision in &revisions {
            if space.as_ref() != Some(&revision.space) || known.len() > REMEMBERED {
                space = Some(revision.space.clone());
                known.clear();
            }
            let found = reached(&mut *tx, revision, &known).await?;
            for hash in &found.objects {
                looked_for.remove(&(Kind::Object, *hash));
            }
            for hash in &found.files {
                looked_for.remove(&(Kind::File, *hash));
            }
            if looked_for.is_empty() {
                return Ok(looked_for);
            }
            known.extend(found.objects);
        }
    }
}
