//! Jobs, and the note of the time by which servers tell whether the clock can be trusted.
use super::StoreResult;
use crate::heartbeat::Heartbeat;
use crate::id::JobId;
use crate::job::{Job, Task};
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores jobs. Several servers share them. Whoever changes one has locked it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait JobStore: Send {
    /// Adds a job. Where the same work ([`Task::key`]) waits already or is being done, it starts anew, and whoever held it
    /// holds it no more; it is locked then. When this unit of work is committed, those who wait for work
    /// ([`super::Store::work`]) go on.
    async fn add(&mut self, job: &Job) -> StoreResult<()>;
    /// A job.
    async fn find(&mut self, id: &JobId) -> StoreResult<Option<Job>>;
    /// The job that does this work.
    async fn find_task(&mut self, task: &Task) -> StoreResult<Option<Job>>;
    /// The job of one of these kinds that has been due the longest and can be begun. In a writing unit of work it is
    /// locked, and passed over where somebody else is about to claim it.
    async fn next(&mut self, kinds: &[&'static str], now: DateTime<Utc>) -> StoreResult<Option<Job>>;
    /// Jobs by id, hence oldest first; only those that failed when `failed` says so.
    async fn list(&mut self, failed: bool, page: &PageRequest) -> StoreResult<Page<Job>>;
    /// Writes all of a job that is there.
    async fn save(&mut self, job: &Job) -> StoreResult<()>;
    /// Takes a job away.
    async fn remove(&mut self, id: &JobId) -> StoreResult<()>;
    /// When the time was last noted.
    async fn heartbeat(&mut self) -> StoreResult<Option<Heartbeat>>;
    /// Notes the time.
    async fn save_heartbeat(&mut self, beat: &Heartbeat) -> StoreResult<()>;
}
