//! Putting a space into the search index that was made whole, by duplicating another one.
use super::turn::{Outcome, Stop, Turn};
use crate::content::search::Indexer;
use crate::id::SpaceId;
use crate::job::Task;
use crate::usecases::search::language::{PART, found_pages, reindex_part};

/// Indexes the pages of a space, some at a time. Whoever edits it meanwhile indexes what changed.
pub(super) async fn space(turn: &Turn<'_>, id: &SpaceId, task: &Task) -> Result<Outcome, Stop> {
    let mut tx = turn.read().await?;
    let Some(found) = tx.spaces().find(id, None).await?.map(|reach| reach.entity) else { return Ok(Outcome::Done) };
    let pages = found_pages(&mut *tx, &found).await?;
    drop(tx);
    let mut indexer = Indexer::new(found.language);
    for part in pages.chunks(PART) {
        let mut tx = turn.step_with(&[id.into()]).await?;
        let Some(now) = tx.spaces().find(id, None).await?.map(|reach| reach.entity) else { return Ok(Outcome::Done) };
        if now.language != found.language {
            return Ok(Outcome::Again(task.clone(), turn.now()));
        }
        reindex_part(&mut *tx, &now, &mut indexer, part).await?;
        tx.commit().await?;
    }
    Ok(Outcome::Done)
}
