//! Jobs: work that is done after the request that caused it. A job is written by the transaction that caused it, claimed
//! by one server at a time, and tried again when it fails.
use crate::id::{CollectionId, JobId, PageId, RevisionId, SpaceId};
use crate::retention::{GRACE, Stage};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// How long a job belongs to whoever claimed or renewed it. One whose holder is gone is free again after this.
pub const LEASE: TimeDelta = TimeDelta::minutes(5);
/// How far the clocks of servers may differ without anybody noticing.
pub const SKEW: TimeDelta = TimeDelta::hours(1);
/// How often a job is tried before it is left to the operator.
pub const MAX_ATTEMPTS: u32 = 16;
/// How long a job rests after it failed once; twice as long each further time.
const FIRST_REST: TimeDelta = TimeDelta::seconds(10);
/// The longest that a job rests between two attempts.
const LONGEST_REST: TimeDelta = TimeDelta::hours(6);
/// What is kept of the reason why a job failed, in characters.
const MAX_REASON: usize = 1000;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Task {
    /// Remove a deleted space for good, with all that only it holds.
    PurgeSpace {
        /// The space.
        space: SpaceId,
        /// How far it is.
        #[serde(default)]
        stage: Stage,
    },
    /// Remove a deleted collection for good.
    PurgeCollection {
        /// The collection.
        collection: CollectionId,
        /// How far it is.
        #[serde(default)]
        stage: Stage,
    },
    /// Remove the content that purged spaces held and nobody else holds.
    CollectContent {
        /// The end of the hour in which they were purged: what is purged within one hour is collected at once.
        hour: DateTime<Utc>,
    },
    /// Bring the search index of a space to its primary content, where so many pages changed at once that they were left
    /// for later.
    IndexSpace {
        /// The space.
        space: SpaceId,
        /// Before which steps: what differs from one of these revisions is indexed. From none, all pages are.
        #[serde(default = "from_nothing")]
        since: Vec<Option<RevisionId>>,
        /// The page that was indexed last; they are in the order of their ids.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<PageId>,
    },
}

/// What jobs say that were written when only copies were indexed later.
fn from_nothing() -> Vec<Option<RevisionId>> {
    vec![None]
}

impl Task {
    /// The words for the kinds of work that can be begun. What nobody brings back is not removed while the clock cannot be
    /// trusted.
    pub fn kinds(steady_clock: bool) -> &'static [&'static str] {
        let kinds: &[&str] = &["index-space", "purge-space", "purge-collection", "collect-content"];
        if steady_clock { kinds } else { &kinds[..1] }
    }

    /// Brings the search index to what a step from this revision made, or to the first revision where there is none.
    pub fn index_space(space: SpaceId, since: Option<RevisionId>) -> Self {
        Self::IndexSpace { space, since: vec![since], after: None }
    }

    /// This work together with the same work as it waits already, from the beginning.
    #[must_use]
    pub fn and(self, waiting: &Self) -> Self {
        match (self, waiting) {
            (Self::IndexSpace { space, since, .. }, Self::IndexSpace { since: earlier, .. }) => {
                let mut all = earlier.clone();
                all.extend(since.into_iter().filter(|since| !earlier.contains(since)));
                Self::IndexSpace { space, since: all, after: None }
            }
            (this, _) => this,
        }
    }

    /// The collection of what is purged at this moment, and when it is due.
    pub fn collect_content(now: DateTime<Utc>) -> (Self, DateTime<Utc>) {
        let hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now) + TimeDelta::hours(1);
        (Self::CollectContent { hour }, hour + GRACE)
    }

    /// The word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PurgeSpace { .. } => "purge-space",
            Self::PurgeCollection { .. } => "purge-collection",
            Self::CollectContent { .. } => "collect-content",
            Self::IndexSpace { .. } => "index-space",
        }
    }

    /// What it is about.
    pub fn subject(&self) -> String {
        match self {
            Self::PurgeSpace { space, .. } | Self::IndexSpace { space, .. } => space.to_string(),
            Self::PurgeCollection { collection, .. } => collection.to_string(),
            Self::CollectContent { hour } => hour.to_rfc3339(),
        }
    }

    /// Two jobs with one key are the same work.
    pub fn key(&self) -> String {
        format!("{} {}", self.kind(), self.subject())
    }
}

/// Why the last attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// When.
    pub at: DateTime<Utc>,
    /// The reason.
    pub reason: String,
}

/// Work that is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The id.
    pub id: JobId,
    /// What is to be done.
    pub task: Task,
    /// Not before this.
    pub due_at: DateTime<Utc>,
    /// How often it was begun since it last came further.
    pub attempts: u32,
    /// How often it was claimed: tells one holder from the next.
    pub claims: u32,
    /// Until when it belongs to its holder.
    pub leased_until: Option<DateTime<Utc>>,
    /// Why the last attempt failed.
    pub failure: Option<Failure>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// For its time.
    Waiting,
    /// Somebody does it.
    Running,
    /// It failed, and is tried again.
    Failing,
    /// It failed so often that it is left to the operator.
    GivenUp,
}

impl JobState {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Failing => "failing",
            Self::GivenUp => "given-up",
        }
    }
}

/// A job in the hands of one holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The job.
    pub job: JobId,
    /// Which claim of it.
    pub claims: u32,
}

impl Job {
    /// New work.
    pub fn new(id: JobId, task: Task, due_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        Self { id, task, due_at, attempts: 0, claims: 0, leased_until: None, failure: None, created_at: now }
    }

    /// Whether somebody holds it. A lease that ends later than any that is given out now was given by a clock that ran
    /// ahead: it holds nobody.
    pub fn is_held(&self, now: DateTime<Utc>) -> bool {
        self.leased_until.is_some_and(|until| now < until && until <= now + LEASE + SKEW)
    }

    /// How it stands.
    pub fn state(&self, now: DateTime<Utc>) -> JobState {
        match self.failure {
            _ if self.is_held(now) => JobState::Running,
            _ if self.attempts >= MAX_ATTEMPTS => JobState::GivenUp,
            Some(_) => JobState::Failing,
            None => JobState::Waiting,
        }
    }

    /// Whether it can be begun.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.due_at <= now && !self.is_held(now) && self.attempts < MAX_ATTEMPTS
    }

    /// Gives it to somebody. Beginning counts as an attempt, so that work which takes the whole server down is not begun
    /// for ever.
    pub fn claim(&mut self, now: DateTime<Utc>) -> Claim {
        self.attempts += 1;
        self.claims += 1;
        self.leased_until = Some(now + LEASE);
        Claim { job: self.id.clone(), claims: self.claims }
    }

    /// Whether it is still in the hands of this holder.
    pub fn belongs_to(&self, claim: &Claim) -> bool {
        self.id == claim.job && self.claims == claim.claims && self.leased_until.is_some()
    }

    /// Keeps it in the same hands.
    pub fn renew(&mut self, now: DateTime<Utc>) {
        self.leased_until = Some(now + LEASE);
    }

    /// Puts it back undone, as if it had not been begun.
    pub fn give_back(&mut self) {
        self.attempts = self.attempts.saturating_sub(1);
        self.leased_until = None;
    }

    /// It came as far as it can today, and goes on later.
    pub fn go_on(&mut self, task: Task, due_at: DateTime<Utc>) {
        self.task = task;
        self.due_at = due_at;
        self.attempts = 0;
        self.leased_until = None;
        self.failure = None;
    }

    /// It failed, and rests before the next attempt.
    pub fn fail(&mut self, reason: &str, now: DateTime<Utc>) {
        // PostgreSQL keeps no U+0000.
        let reason = reason.chars().filter(|char| *char != '\0').take(MAX_REASON).collect();
        self.failure = Some(Failure { at: now, reason });
        self.due_at = now + rest(self.attempts);
        self.leased_until = None;
    }

    /// Lets it be tried at once, however often it failed.
    pub fn retry(&mut self, now: DateTime<Utc>) {
        self.attempts = 0;
        self.due_at = self.due_at.min(now);
    }
}

/// How long a job rests after so many attempts that failed.
fn rest(attempts: u32) -> TimeDelta {
    let doubled = 1_i32.checked_shl(attempts.saturating_sub(1)).filter(|factor| *factor > 0);
    doubled.and_then(|factor| FIRST_REST.checked_mul(factor)).map_or(LONGEST_REST, |rest| rest.min(LONGEST_REST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn task() -> Task {
        Task::PurgeSpace { space: "s".parse().unwrap(), stage: Stage::Kept }
    }

    fn job() -> Job {
        Job::new("j".parse().unwrap(), task(), at(100), at(0))
    }

    #[rstest]
    #[case(99, false)]
    #[case(100, true)]
    fn a_job_can_be_begun_from_its_time_on(#[case] now: i64, #[case] due: bool) {
        assert_eq!(job().is_due(at(now)), due);
    }

    #[test]
    fn a_claimed_job_belongs_to_one_holder_until_the_lease_ends() {
        let mut job = job();
        let first = job.claim(at(100));
        assert!(job.belongs_to(&first) && !job.is_due(at(101)));
        assert_eq!(job.state(at(101)), JobState::Running);
        let end = at(100) + LEASE;
        assert!(!job.is_due(end - TimeDelta::microseconds(1)) && job.is_due(end));
        let second = job.claim(end);
        assert!(job.belongs_to(&second) && !job.belongs_to(&first));
        job.renew(end + TimeDelta::seconds(1));
        assert!(!job.is_due(end + LEASE));
    }

    #[rstest]
    #[case::backwards_by_a_little(-1800, true)]
    #[case::backwards_by_days(-8 * 86_400, false)]
    #[case::backwards_by_a_year(-365 * 86_400, false)]
    fn a_lease_of_a_clock_that_ran_ahead_holds_nobody(#[case] back: i64, #[case] held: bool) {
        let mut job = job();
        job.claim(at(100));
        assert_eq!(job.is_held(at(101 + back)), held);
    }

    #[test]
    fn a_job_that_is_given_back_was_never_begun() {
        let mut job = job();
        let claim = job.claim(at(100));
        job.give_back();
        assert!(job.is_due(at(100)) && !job.belongs_to(&claim));
        assert_eq!((job.attempts, job.state(at(100))), (0, JobState::Waiting));
    }

    #[rstest]
    #[case(1, 10)]
    #[case(2, 20)]
    #[case(4, 80)]
    #[case(12, 20_480)]
    #[case(13, 21_600)]
    #[case(40, 21_600)]
    fn rests_double_up_to_six_hours(#[case] attempts: u32, #[case] seconds: i64) {
        assert_eq!(rest(attempts), TimeDelta::seconds(seconds));
    }

    #[test]
    fn a_job_that_keeps_failing_is_left_to_the_operator_who_may_try_again() {
        let (mut job, mut now) = (job(), at(100));
        for attempt in 1..=MAX_ATTEMPTS {
            assert!(job.is_due(now), "attempt {attempt}");
            job.claim(now);
            job.fail("no\0 luck", now);
            assert!(!job.is_due(now));
            now = job.due_at;
        }
        assert_eq!((job.is_due(now), job.state(now)), (false, JobState::GivenUp));
        assert_eq!(job.failure.as_ref().unwrap().reason, "no luck");
        job.retry(now);
        assert!(job.is_due(now));
        job.claim(now);
        job.go_on(task(), at(7));
        assert_eq!((job.attempts, job.failure.clone(), job.state(at(6))), (0, None, JobState::Waiting));
    }

    #[rstest]
    #[case(task())]
    #[case(Task::PurgeSpace { space: "s".parse().unwrap(), stage: Stage::Marked { at: at(5) } })]
    #[case(Task::PurgeCollection { collection: "c".parse().unwrap(), stage: Stage::Begun })]
    #[case(Task::collect_content(at(5)).0)]
    #[case(Task::index_space("s".parse().unwrap(), None))]
    fn a_task_is_stored_under_the_word_for_its_kind(#[case] task: Task) {
        let stored = serde_json::to_value(&task).unwrap();
        assert_eq!(stored["kind"], task.kind());
        assert_eq!(serde_json::from_value::<Task>(stored).unwrap(), task);
        assert!(Task::kinds(true).contains(&task.kind()));
        assert_eq!(Task::kinds(false).contains(&task.kind()), matches!(task, Task::IndexSpace { .. }));
    }

    #[test]
    fn a_mark_makes_no_other_work_of_it() {
        let marked = Task::PurgeSpace { space: "s".parse().unwrap(), stage: Stage::Marked { at: at(5) } };
        assert_eq!(task().key(), marked.key());
        assert_ne!(task().key(), Task::index_space("s".parse().unwrap(), None).key());
    }

    proptest! {
        #[test]
        fn what_is_purged_within_an_hour_is_collected_at_once(now in 0i64..10_000_000) {
            let (task, due) = Task::collect_content(at(now));
            let Task::CollectContent { hour } = task else { unreachable!() };
            prop_assert!(hour > at(now) && hour - at(now) <= TimeDelta::hours(1));
            prop_assert_eq!(hour.timestamp() % 3600, 0);
            prop_assert!(due - at(now) > GRACE);
        }

        #[test]
        fn nobody_holds_a_job_for_longer_than_a_lease_and_the_skew(claimed in 0i64..10_000_000, now in 0i64..10_000_000) {
            let mut job = job();
            job.claim(at(claimed));
            if job.is_held(at(now)) {
                prop_assert!((at(now) - at(claimed)).abs() <= LEASE + SKEW);
            }
        }
    }

    #[test]
    fn steps_that_are_indexed_later_are_done_by_one_job_from_its_beginning() {
        let revision = |name: &str| Some(name.parse().unwrap());
        let space = || "s".parse().unwrap();
        let waiting = Task::IndexSpace { space: space(), since: vec![None, revision("r1")], after: "p".parse().ok() };
        let both = Task::index_space(space(), revision("r2")).and(&waiting);
        let since = vec![None, revision("r1"), revision("r2")];
        assert_eq!(both, Task::IndexSpace { space: space(), since: since.clone(), after: None });
        assert_eq!(Task::index_space(space(), revision("r1")).and(&both), both);
        let old: Task = serde_json::from_str(r#"{"kind":"index-space","space":"s"}"#).unwrap();
        assert_eq!(old, Task::index_space(space(), None));
        let written = serde_json::to_string(&both).unwrap();
        assert_eq!(serde_json::from_str::<Task>(&written).unwrap(), both);
    }
}
