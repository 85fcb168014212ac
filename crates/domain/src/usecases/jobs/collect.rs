//! Collecting content that is no longer referenced (see
//! `docs/decisions/0014-content-is-condemned-before-it-is-collected.md`).
//!
//! The content of a purged space is condemned. Two hours later, when every unit of work from that time has ended, a job
//! walks all revisions of all spaces and all versions of OpenAPI specs. It takes content that one of them refers to off
//! the list, and removes the rest, unless it was stored again in the meantime.
use super::lease::{Lease, Outcome, Stop, reached, spec_objects};
use crate::content::object::Hash;
use crate::id::SpaceId;
use crate::job::Task;
use crate::ports::store::garbage::Kind;
use crate::retention::{GRACE, UNNAMED_FILE};
use std::collections::BTreeSet;

/// The number of condemned items in one walk; bounds the memory use.
const PORTION: usize = 100_000;
/// The number of revisions walked in one unit of work.
const REVISIONS: usize = 50;
/// The most visited objects of a space that are kept in memory. Beyond that, objects are visited again.
const MAX_VISITED: usize = 500_000;
/// The number of items that one step removes or takes off the list.
const REMOVED: usize = 500;

type Condemned = (Kind, Hash);

/// Removes the condemned content that nothing refers to.
pub(super) async fn content(lease: &Lease<'_>, task: &Task) -> Result<Outcome, Stop> {
    let started = lease.now();
    let mut after: Option<Condemned> = None;
    let mut kept = false;
    loop {
        let portion = lease.read().await?.garbage().condemned(after, started - GRACE, PORTION).await?;
        let Some(last) = portion.last() else { break };
        after = Some(*last);
        let condemned: BTreeSet<Condemned> = portion.into_iter().collect();
        let doomed = unreached(lease, condemned.clone()).await?;
        for kind in [Kind::Object, Kind::File] {
            unlist(lease, kind, &of_kind(kind, condemned.difference(&doomed))).await?;
        }
        for some in of_kind(Kind::Object, &doomed).chunks(REMOVED) {
            let mut work = lease.step().await?;
            work.garbage().remove_objects(some, started - GRACE).await?;
            work.commit().await?;
        }
        for some in of_kind(Kind::File, &doomed).chunks(REMOVED) {
            let mut gone = Vec::new();
            for file in some {
                // A file that was stored recently may be about to get a reference.
                if lease.jobs.files.remove(file, started - UNNAMED_FILE).await? {
                    gone.push(*file);
                } else {
                    kept = true;
                }
            }
            unlist(lease, Kind::File, &gone).await?;
        }
    }
    Ok(if kept { Outcome::Again(task.clone(), started + UNNAMED_FILE) } else { Outcome::Done })
}

fn of_kind<'c>(kind: Kind, content: impl IntoIterator<Item = &'c Condemned>) -> Vec<Hash> {
    content.into_iter().filter(|(of, _)| *of == kind).map(|(_, hash)| *hash).collect()
}

async fn unlist(lease: &Lease<'_>, kind: Kind, hashes: &[Hash]) -> Result<(), Stop> {
    for some in hashes.chunks(REMOVED) {
        let mut work = lease.step().await?;
        work.garbage().unlist(kind, some).await?;
        work.commit().await?;
    }
    Ok(())
}

/// Those of the items that neither a revision nor an OpenAPI spec refers to.
async fn unreached(lease: &Lease<'_>, looked_for: BTreeSet<Condemned>) -> Result<BTreeSet<Condemned>, Stop> {
    let left = unreached_by_revisions(lease, looked_for).await?;
    let left = unreached_by_versions(lease, left).await?;
    unreached_by_sources(lease, left).await
}

/// Whether there are objects among the items: OpenAPI specs refer to no files.
fn has_objects(items: &BTreeSet<Condemned>) -> bool {
    items.iter().any(|(kind, _)| *kind == Kind::Object)
}

/// Those that no version of an OpenAPI spec refers to.
async fn unreached_by_versions(
    lease: &Lease<'_>,
    mut looked_for: BTreeSet<Condemned>,
) -> Result<BTreeSet<Condemned>, Stop> {
    let mut after = None;
    let mut known: BTreeSet<Hash> = BTreeSet::new();
    while has_objects(&looked_for) {
        let mut work = lease.read().await?;
        let versions = work.openapi_specs().referenced(after.take(), REVISIONS).await?;
        let Some((last, _)) = versions.last() else { break };
        after = Some(last.clone());
        for (_, found) in versions {
            if known.len() > MAX_VISITED {
                known.clear();
            }
            let objects = spec_objects(&mut work, found, &known).await?;
            for hash in &objects {
                looked_for.remove(&(Kind::Object, *hash));
            }
            known.extend(objects);
        }
    }
    Ok(looked_for)
}

/// Those that are not the source of an OpenAPI spec.
async fn unreached_by_sources(
    lease: &Lease<'_>,
    mut looked_for: BTreeSet<Condemned>,
) -> Result<BTreeSet<Condemned>, Stop> {
    let mut after = None;
    while has_objects(&looked_for) {
        let texts = lease.read().await?.openapi_specs().source_texts(after.take(), REMOVED).await?;
        let Some((last, _)) = texts.last() else { break };
        after = Some(last.clone());
        for (_, text) in texts {
            looked_for.remove(&(Kind::Object, text));
        }
    }
    Ok(looked_for)
}

/// Those that no revision refers to.
async fn unreached_by_revisions(
    lease: &Lease<'_>,
    mut looked_for: BTreeSet<Condemned>,
) -> Result<BTreeSet<Condemned>, Stop> {
    let mut after = None;
    let mut space: Option<SpaceId> = None;
    let mut known: BTreeSet<Hash> = BTreeSet::new();
    loop {
        let mut work = lease.read().await?;
        let revisions = work.garbage().revisions(after.take(), REVISIONS).await?;
        let Some(last) = revisions.last() else { return Ok(looked_for) };
        after = Some((last.space.clone(), last.id.clone()));
        for revision in &revisions {
            if space.as_ref() != Some(&revision.space) || known.len() > MAX_VISITED {
                space = Some(revision.space.clone());
                known.clear();
            }
            let found = reached(&mut work, revision, &known).await?;
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
