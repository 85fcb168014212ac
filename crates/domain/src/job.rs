//! Jobs: background work that runs after the request that caused it. The transaction of that request stores the job;
//! one server at a time claims it; a failed job is retried.
mod task;

use crate::id::JobId;
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};
pub use task::{
    DRAFT_CHANGE_REQUEST, GROUP_CONVERSATIONS, Lane, MAIL_THREAD, PROCESS_OPENAPI, RENEW_OPENAPI, SEND_WEBHOOK,
    SWEEP_CONVERSATIONS, TRANSLATE, Task,
};

/// How long a claim is valid without renewal. The job of a server that stopped can be claimed after this time.
pub const LEASE: TimeDelta = TimeDelta::minutes(5);
/// How far the clocks of servers may differ without being detected.
pub const SKEW: TimeDelta = TimeDelta::hours(1);
/// How often a job is tried before it is given up.
pub const MAX_ATTEMPTS: u32 = 16;
/// How long a job waits after its first failure. The wait doubles with each further failure.
const FIRST_WAIT: TimeDelta = TimeDelta::seconds(10);
/// The longest wait between two attempts.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);
/// The longest stored failure reason, in characters.
const MAX_REASON: usize = 1000;

/// The failure of the last attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When it failed.
    pub at: DateTime<Utc>,
    /// The reason.
    pub reason: String,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The id.
    pub id: JobId,
    /// The work.
    pub task: Task,
    /// The earliest time to run.
    pub due_at: DateTime<Utc>,
    /// Number of attempts since the last progress.
    pub attempts: u32,
    /// Number of claims; distinguishes one holder from the next.
    pub claims: u32,
    /// When the lease of the current holder ends.
    pub leased_until: Option<DateTime<Utc>>,
    /// Why the last attempt failed.
    pub failure: Option<Failure>,
    /// When the job was created.
    pub created_at: DateTime<Utc>,
}

words! {
    /// The state of a job.
    pub enum JobState {
        /// Waits until it is due.
        Waiting = "waiting",
        /// A server runs it.
        Running = "running",
        /// It failed and will be retried.
        Failing = "failing",
        /// It failed too often; the operator must act.
        GivenUp = "given-up",
    }
}

/// A claim of a job by one holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The job.
    pub job: JobId,
    /// The number of the claim.
    pub claims: u32,
}

impl Job {
    /// A new job.
    pub fn new(id: JobId, task: Task, due_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        Self { id, task, due_at, attempts: 0, claims: 0, leased_until: None, failure: None, created_at: now }
    }

    /// Whether a holder has a valid lease. A lease that ends later than any lease granted now came from a clock that
    /// was ahead, and is ignored.
    pub fn is_held(&self, now: DateTime<Utc>) -> bool {
        self.leased_until.is_some_and(|until| now < until && until <= now + LEASE + SKEW)
    }

    /// The state of the job.
    pub fn state(&self, now: DateTime<Utc>) -> JobState {
        match self.failure {
            _ if self.is_held(now) => JobState::Running,
            _ if self.attempts >= MAX_ATTEMPTS => JobState::GivenUp,
            Some(_) => JobState::Failing,
            None => JobState::Waiting,
        }
    }

    /// Whether it can start now.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at <= now && !self.is_held(now) && self.attempts < MAX_ATTEMPTS
    }

    /// Claims the job. A start counts as an attempt, so that work that crashes the server is not retried forever.
    pub fn claim(&mut self, now: DateTime<Utc>) -> Claim {
        self.attempts += 1;
        self.claims += 1;
        self.leased_until = Some(now + LEASE);
        Claim { job: self.id.clone(), claims: self.claims }
    }

    /// Whether this claim is still the current one.
    pub fn belongs_to(&self, claim: &Claim) -> bool {
        self.id == claim.job && self.claims == claim.claims && self.leased_until.is_some()
    }

    /// Renews the lease.
    pub fn renew(&mut self, now: DateTime<Utc>) {
        self.leased_until = Some(now + LEASE);
    }

    /// Releases the job as if it had not been started.
    pub fn release(&mut self) {
        self.attempts = self.attempts.saturating_sub(1);
        self.leased_until = None;
    }

    /// Stores the progress; the job continues at `due_at`.
    pub fn continue_later(&mut self, task: Task, due_at: DateTime<Utc>) {
        self.task = task;
        self.due_at = due_at;
        self.attempts = 0;
        self.leased_until = None;
        self.failure = None;
    }

    /// Records a failure; the job waits before the next attempt.
    pub fn fail(&mut self, reason: &str, now: DateTime<Utc>) {
        // PostgreSQL cannot store U+0000.
        let reason = reason.chars().filter(|char| *char != '\0').take(MAX_REASON).collect();
        self.failure = Some(Failure { at: now, reason });
        self.due_at = now + wait(self.attempts);
        self.leased_until = None;
    }

    /// Makes the job due now and resets its attempts.
    pub fn retry(&mut self, now: DateTime<Utc>) {
        self.attempts = 0;
        self.due_at = self.due_at.min(now);
    }
}

/// The wait after this number of failed attempts.
fn wait(attempts: u32) -> TimeDelta {
    let doubled = 1_i32.checked_shl(attempts.saturating_sub(1)).filter(|factor| *factor > 0);
    doubled.and_then(|factor| FIRST_WAIT.checked_mul(factor)).map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests;
