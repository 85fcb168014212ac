//! Jobs, and the recorded time from which servers decide whether the clock can be trusted.
use super::StoreResult;
use crate::heartbeat::Heartbeat;
use crate::id::JobId;
use crate::job::{Job, Task};
use crate::paging::{Page, PageRequest};
use crate::webhook::Full;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores jobs, which several servers share. Before changing one, a caller must lock it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait JobStore: Send {
    /// Adds a job. If the same work ([`Task::key`]) is already waiting or running, it starts again from the beginning,
    /// and its holder loses the claim; the caller must lock it then. The commit of this unit of work wakes those that
    /// wait for work ([`super::Store::work`]).
    async fn add(&mut self, job: &Job) -> StoreResult<()>;
    /// Adds jobs whose work is theirs alone: the key of each has a new id. This takes no lock, so it can follow any
    /// other change. The commit wakes those that wait for work.
    async fn add_new(&mut self, jobs: &[Job]) -> StoreResult<()>;
    /// Adds those of these jobs whose work is neither waiting nor running; the others keep their time. Work that was given
    /// up starts again.
    async fn add_missing(&mut self, jobs: &[Job]) -> StoreResult<()>;
    /// Makes work that waits due now; work that runs or is gone is left alone. This takes no lock before, and waits for a
    /// unit of work that has locked the job.
    async fn hasten(&mut self, task: &Task, now: DateTime<Utc>) -> StoreResult<()>;
    /// A job.
    async fn find(&mut self, id: &JobId) -> StoreResult<Option<Job>>;
    /// The job with this work.
    async fn find_task(&mut self, task: &Task) -> StoreResult<Option<Job>>;
    /// The job of one of these kinds that has been due the longest and can start now. A writing unit of work locks it,
    /// and skips jobs that another one is about to claim. Requests to webhooks that are full are left out.
    async fn next(&mut self, kinds: &[&'static str], full: &Full, now: DateTime<Utc>) -> StoreResult<Option<Job>>;
    /// Jobs by id, so the oldest first; only failed ones if `failed` is set.
    async fn list(&mut self, failed: bool, page: &PageRequest) -> StoreResult<Page<Job>>;
    /// Updates all fields of an existing job.
    async fn save(&mut self, job: &Job) -> StoreResult<()>;
    /// Removes a job.
    async fn remove(&mut self, id: &JobId) -> StoreResult<()>;
    /// The last record of the time.
    async fn heartbeat(&mut self) -> StoreResult<Option<Heartbeat>>;
    /// Records the time.
    async fn save_heartbeat(&mut self, beat: &Heartbeat) -> StoreResult<()>;
}
