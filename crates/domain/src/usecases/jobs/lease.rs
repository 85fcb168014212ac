//! The lease of a claimed job while it runs.
use super::{JobResult, Jobs, conversations, mail, send, translate};
use crate::actor::Actor;
use crate::content::map::Map;
use crate::content::object::{Hash, MemoryObjects};
use crate::content::revision::Revision;
use crate::content::snapshot::{Reached, Snapshot};
use crate::job::{Claim, Job, LEASE, Task};
use crate::openapi_spec::SpecObjects;
use crate::ports::store::Lockable;
use crate::ports::{FilesError, StoreError};
use crate::usecases::Error;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// How a job ended.
pub(super) enum Outcome {
    /// It is done.
    Done,
    /// It continues later.
    Again(Task, DateTime<Utc>),
}

/// Why a job stopped early.
#[derive(Debug)]
pub(super) enum Stop {
    /// Another server has claimed it, or it was removed.
    Lost,
    /// It failed.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<FilesError> for Stop {
    fn from(error: FilesError) -> Self {
        Self::Failed(error.into())
    }
}

/// A claimed job.
pub(super) struct Lease<'j> {
    pub(super) jobs: &'j Jobs,
    claim: &'j Claim,
    renewed: Mutex<DateTime<Utc>>,
}

impl<'j> Lease<'j> {
    pub(super) fn new(jobs: &'j Jobs, claim: &'j Claim) -> Self {
        Self { jobs, claim, renewed: Mutex::new(jobs.units.clock.now()) }
    }

    pub(super) fn now(&self) -> DateTime<Utc> {
        self.jobs.units.clock.now()
    }

    /// Opens a unit of work for a step, if the claim is still valid. Renews the lease; no other holder can run a step
    /// at the same time.
    pub(super) async fn step(&self) -> Result<Work<'_>, Stop> {
        self.step_with(&[]).await
    }

    /// The same for a step that changes these: they are locked together with the job, which comes after most of them in
    /// the lock order.
    pub(super) async fn step_with(&self, what: &[Lockable]) -> Result<Work<'_>, Stop> {
        Ok(self.open(what).await?.0)
    }

    async fn open(&self, what: &[Lockable]) -> Result<(Work<'_>, Job), Stop> {
        let mut work = self.jobs.units.write(&Actor::Server).await?;
        let task = work.jobs().find(&self.claim.job).await?.ok_or(Stop::Lost)?.task;
        let mut wanted = what.to_vec();
        wanted.push((&task).into());
        work.lock(&wanted).await?;
        let found = work.jobs().find(&self.claim.job).await?;
        let Some(mut job) = found.filter(|job| job.belongs_to(self.claim)) else { return Err(Stop::Lost) };
        let now = self.now();
        job.renew(now);
        work.jobs().save(&job).await?;
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Ok((work, job))
    }

    /// Opens a read-only unit of work for a part of a long computation. Renews the lease if necessary.
    pub(super) async fn read(&self) -> Result<Work<'_>, Stop> {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        if (self.now() - renewed).abs() >= LEASE / 2 {
            self.step().await?.commit().await?;
        }
        Ok(self.jobs.units.read(&Actor::Server).await?)
    }

    /// Stores the progress of the job and commits the step.
    pub(super) async fn note(&self, mut work: Work<'_>, task: &Task) -> Result<(), Stop> {
        let mut job = work.jobs().find(&self.claim.job).await?.ok_or(Stop::Lost)?;
        job.task = task.clone();
        work.jobs().save(&job).await?;
        Ok(work.commit().await?)
    }

    /// Ends the job.
    pub(super) async fn end(&self, outcome: Outcome) -> Result<JobResult, Stop> {
        let (mut work, mut job) = self.open(&[]).await?;
        let ran = match outcome {
            Outcome::Done => match again(&mut work, &job.task, self.now()).await? {
                Some(at) => {
                    job.continue_later(job.task.from_start(), at);
                    work.jobs().save(&job).await?;
                    JobResult::Later(at)
                }
                None => {
                    work.jobs().remove(&job.id).await?;
                    JobResult::Done
                }
            },
            Outcome::Again(task, at) => {
                let at = send::due(&mut work, &task, at, self.now()).await?;
                let at = conversations::due(&mut work, &task, at, self.now()).await?;
                job.continue_later(task, at);
                work.jobs().save(&job).await?;
                JobResult::Later(at)
            }
        };
        work.commit().await?;
        Ok(ran)
    }
}

/// When a finished job has to run again, because new work was added since.
async fn again(work: &mut Work<'_>, task: &Task, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Stop> {
    match mail::again(work, task, now).await? {
        Some(at) => Ok(Some(at)),
        None => translate::again(work, task, now).await,
    }
}

/// The objects and files that a revision refers to, except those below known objects.
pub(super) async fn reached(
    work: &mut Work<'_>,
    revision: &Revision,
    known: &BTreeSet<Hash>,
) -> Result<Reached, Error> {
    let mut objects = MemoryObjects::default();
    work.compute(&mut objects, |objects| Snapshot::reached(&revision.manifest, known, objects)).await
}

/// The objects that a version of an OpenAPI spec refers to, except those below known objects.
pub(super) async fn spec_objects(
    work: &mut Work<'_>,
    found: SpecObjects,
    known: &BTreeSet<Hash>,
) -> Result<Vec<Hash>, Error> {
    let parts = Map::<Hash>::at(Some(found.parts));
    let mut objects = MemoryObjects::default();
    let (nodes, values) = work.compute(&mut objects, |objects| parts.values_beyond(known, objects)).await?;
    Ok(found.text.into_iter().chain(nodes).chain(values).collect())
}
