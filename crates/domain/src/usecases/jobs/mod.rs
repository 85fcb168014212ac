//! Doing jobs. A worker, or the operator at the command line, claims one after the other and has it done; what a job does
//! is cut into steps, each a short unit of work that is undone as a whole when it breaks off, and that can be done again.
mod collect;
mod index;
pub(super) mod purge;
mod turn;

use super::{Error, Input};
use crate::heartbeat::Heartbeat;
use crate::id::{JobId, SpaceId};
use crate::job::{Claim, Job, JobState, Task};
use crate::paging::{Page, PageRequest};
use crate::ports::store::Lockable;
use crate::ports::{Clock, Files, Ids, Store, StoreError, StoreResult, Tx};
use chrono::{DateTime, Utc};
use std::sync::Arc;
use turn::{Stop, Turn};

/// Does jobs.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Jobs {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub files: Arc<dyn Files>,
}

/// What became of a job that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    /// It is done, and gone.
    Done,
    /// It goes on then.
    Later(DateTime<Utc>),
    /// Somebody else has it now, or nobody needs it any more.
    Lost,
    /// It failed for this reason. Unless it was the last attempt it is tried again.
    Failed(String),
}

impl Jobs {
    /// Notes the time, where it is time to, and says whether the clock can be trusted.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn beat(&self) -> Result<bool, Error> {
        let now = self.clock.now();
        let known = self.store.ask().await?.jobs().heartbeat().await?;
        if let Some(beat) = known.filter(|beat| !beat.is_due(now)) {
            return Ok(beat.is_steady(now));
        }
        let mut tx = self.store.write().await?;
        tx.lock(&[Lockable::Heartbeat]).await?;
        let before = tx.jobs().heartbeat().await?;
        let beat = before.map_or_else(|| Heartbeat::first(now), |before| before.beat(now));
        tx.jobs().save_heartbeat(&beat).await?;
        tx.commit().await?;
        Ok(beat.is_steady(now))
    }

    /// Claims the job that has been due the longest, if there is one. What removes something for good waits for a clock
    /// that can be trusted.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn claim(&self) -> Result<Option<(Claim, Task)>, Error> {
        let kinds = Task::kinds(self.beat().await?);
        let now = self.clock.now();
        // Looking disturbs nobody; claiming takes the writer.
        if self.store.ask().await?.jobs().next(kinds, now).await?.is_none() {
            return Ok(None);
        }
        let mut tx = self.store.write().await?;
        let Some(job) = tx.jobs().next(kinds, now).await? else { return Ok(None) };
        begin(tx, job, now).await.map(Some)
    }

    /// Claims the job that brings the search index of a space along, if there is one and nobody does it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn claim_indexing(&self, space: &SpaceId) -> Result<Option<(Claim, Task)>, Error> {
        let now = self.clock.now();
        let task = Task::index_space(space.clone(), None);
        if self.store.ask().await?.jobs().find_task(&task).await?.is_none() {
            return Ok(None);
        }
        let mut tx = self.store.write().await?;
        tx.lock(&[(&task).into()]).await?;
        let Some(job) = tx.jobs().find_task(&task).await?.filter(|job| job.is_due(now)) else { return Ok(None) };
        begin(tx, job, now).await.map(Some)
    }

    /// Does a job that was claimed. A failure is noted with the job.
    ///
    /// # Errors
    /// Those of the store, where not even the failure could be noted: the job is free again when its lease ends.
    pub async fn perform(&self, claim: &Claim, task: &Task) -> Result<Ran, Error> {
        let turn = Turn::new(self, claim);
        let ended = match Self::attempt(&turn, task).await {
            // Steps can be done again.
            Err(Stop::Failed(Error::Store(StoreError::Contended(_)))) => Self::attempt(&turn, task).await,
            ended => ended,
        };
        match ended {
            Ok(ran) => Ok(ran),
            Err(Stop::Lost) => Ok(Ran::Lost),
            Err(Stop::Failed(error)) => {
                let reason = told(&error);
                self.fail(claim, &reason).await?;
                Ok(Ran::Failed(reason))
            }
        }
    }

    async fn attempt(turn: &Turn<'_>, task: &Task) -> Result<Ran, Stop> {
        let outcome = match task {
            Task::PurgeSpace { space, stage } => purge::space(turn, space, *stage).await?,
            Task::PurgeCollection { collection, stage } => purge::collection(turn, collection, *stage).await?,
            Task::CollectContent { .. } => collect::content(turn, task).await?,
            Task::IndexSpace { space, since, after } => {
                index::space(turn, &index::Left { space, since, after: after.as_ref() }).await?
            }
        };
        turn.end(outcome).await
    }

    /// Notes that a job failed.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn fail(&self, claim: &Claim, reason: &str) -> Result<(), Error> {
        let now = self.clock.now();
        self.change(claim, |job| job.fail(reason, now)).await
    }

    /// Puts a job back that was claimed and broken off: another server goes on with it at once.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn give_back(&self, claim: &Claim) -> Result<(), Error> {
        self.change(claim, Job::give_back).await
    }

    async fn change(&self, claim: &Claim, change: impl FnOnce(&mut Job) + Send) -> Result<(), Error> {
        let mut tx = self.store.write().await?;
        let found = locked(&mut *tx, &claim.job).await?;
        let Some(mut job) = found.filter(|job| job.belongs_to(claim)) else { return Ok(()) };
        change(&mut job);
        tx.jobs().save(&job).await?;
        Ok(tx.commit().await?)
    }

    /// Jobs with how they stand, oldest first; only those that failed when `failed` says so. For the operator.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub async fn list(&self, failed: bool, page: Input<PageRequest>) -> Result<Page<(Job, JobState)>, Error> {
        let page = page.read()?;
        let now = self.clock.now();
        let found = self.store.ask().await?.jobs().list(failed, &page).await?;
        Ok(found.map(|job| {
            let state = job.state(now);
            (job, state)
        }))
    }

    /// Lets a job that failed be tried at once, however often it did. For the operator.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn retry(&self, id: &JobId) -> Result<(), Error> {
        let mut tx = self.store.write().await?;
        let mut job = locked(&mut *tx, id).await?.ok_or(Error::NotFound("job"))?;
        job.retry(self.clock.now());
        tx.jobs().save(&job).await?;
        Ok(tx.commit().await?)
    }
}

async fn begin(mut tx: Box<dyn Tx>, mut job: Job, now: DateTime<Utc>) -> Result<(Claim, Task), Error> {
    let claim = job.claim(now);
    tx.jobs().save(&job).await?;
    tx.commit().await?;
    Ok((claim, job.task))
}

/// Locks a job and loads it.
async fn locked(tx: &mut dyn Tx, id: &JobId) -> StoreResult<Option<Job>> {
    let Some(job) = tx.jobs().find(id).await? else { return Ok(None) };
    tx.lock(&[(&job.task).into()]).await?;
    tx.jobs().find(id).await
}

/// An error with all that led to it.
fn told(error: &Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    std::iter::once(error.to_string()).chain(causes.map(ToString::to_string)).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests;
