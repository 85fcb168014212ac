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
    /// and its holder loses the claim. The caller must then hold its lock. The commit of this unit of work wakes
    /// waiting workers ([`super::Store::work`]).
    async fn add(&mut self, job: &Job) -> StoreResult<()>;
    /// Adds jobs whose keys contain new ids, so that no other job has the same work. This takes no lock, so it can
    /// follow any other change. The commit wakes waiting workers.
    async fn add_new(&mut self, jobs: &[Job]) -> StoreResult<()>;
    /// Adds the jobs whose task is neither pending nor running. Pending jobs keep their due time. Work that was given
    /// up starts again.
    async fn add_missing(&mut self, jobs: &[Job]) -> StoreResult<()>;
    /// Makes waiting work due now; running and finished work is not changed. Needs no lock, but waits for a unit of
    /// work that has locked the job.
    async fn make_due(&mut self, task: &Task, now: DateTime<Utc>) -> StoreResult<()>;
    /// A job.
    async fn find(&mut self, id: &JobId) -> StoreResult<Option<Job>>;
    /// The job with this work.
    async fn find_task(&mut self, task: &Task) -> StoreResult<Option<Job>>;
    /// The job of one of these kinds that has been due the longest and can start now. A writing unit of work locks it,
    /// and skips jobs that another one is about to claim. Jobs for webhooks in `full` are left out.
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
