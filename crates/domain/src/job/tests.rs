//! Tests of jobs.
use super::*;
use crate::content::search::VERSION;
use crate::openapi_spec::SpecSlug;
use crate::retention::{GRACE, Stage};
use crate::web_address::WebAddress;
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
fn a_lease_in_the_far_future_is_ignored(#[case] back: i64, #[case] held: bool) {
    let mut job = job();
    job.claim(at(100));
    assert_eq!(job.is_held(at(101 + back)), held);
}

#[test]
fn a_released_job_counts_no_attempt() {
    let mut job = job();
    let claim = job.claim(at(100));
    job.release();
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
fn waits_double_up_to_six_hours(#[case] attempts: u32, #[case] seconds: i64) {
    assert_eq!(wait(attempts), TimeDelta::seconds(seconds));
}

#[test]
fn a_job_that_keeps_failing_is_retried_only_by_the_operator() {
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
    job.continue_later(task(), at(7));
    assert_eq!((job.attempts, job.failure.clone(), job.state(at(6))), (0, None, JobState::Waiting));
}

fn address() -> WebAddress {
    "https://example.org/openapi.json".parse().unwrap()
}

fn linked() -> SpecSlug {
    SpecSlug::of_address(&address())
}

#[rstest]
#[case(task())]
#[case(Task::PurgeSpace { space: "s".parse().unwrap(), stage: Stage::Marked { at: at(5) } })]
#[case(Task::PurgeCollection { collection: "c".parse().unwrap(), stage: Stage::Begun })]
#[case(Task::collect_content(at(5)).0)]
#[case(Task::index_space("s".parse().unwrap(), None))]
#[case(Task::IndexSpaces { version: VERSION, after: "s".parse().ok() })]
#[case(Task::SendWebhook { delivery: "d".parse().unwrap() })]
#[case(Task::RemoveDeliveries { organization: "o".parse().unwrap(), webhook: "w".parse().unwrap() })]
#[case(Task::ProcessOpenapi { spec: "s".parse().unwrap() })]
#[case(Task::RenewOpenapi { engine: 1, after: "v".parse().ok() })]
#[case(Task::IndexOpenapi { organization: "o".parse().unwrap(), slug: "s".parse().unwrap(), after: None })]
#[case(Task::IndexOpenapi { organization: "o".parse().unwrap(), slug: linked(), after: None })]
#[case(Task::LinkOpenapi { job: "j".parse().unwrap(), space: "s".parse().unwrap(), addresses: vec![address()] })]
#[case(Task::RemoveOpenapi { spec: "s".parse().unwrap() })]
#[case(Task::translate("o".parse().unwrap(), "t".parse().unwrap()))]
#[case(Task::SweepMemory)]
#[case(Task::MailThread { user: "u".parse().unwrap(), thread: "c".parse().unwrap() })]
fn a_task_is_stored_under_the_word_for_its_kind(#[case] task: Task) {
    let stored = serde_json::to_value(&task).unwrap();
    assert_eq!(stored["kind"], task.kind());
    assert_eq!(serde_json::from_value::<Task>(stored).unwrap(), task);
    for lane in Lane::ALL {
        assert_eq!(Task::kinds(true, &[lane]).contains(&task.kind()), task.lane() == lane);
    }
    let indexes = matches!(
        task,
        Task::IndexSpace { .. } | Task::IndexSpaces { .. } | Task::IndexOpenapi { .. } | Task::LinkOpenapi { .. }
    );
    let harmless = indexes || matches!(task.lane(), Lane::Network | Lane::Mail | Lane::Specs | Lane::Engines);
    assert_eq!(Task::kinds(false, &[task.lane()]).contains(&task.kind()), harmless);
}

#[test]
fn a_mark_makes_no_other_work_of_it() {
    let marked = Task::PurgeSpace { space: "s".parse().unwrap(), stage: Stage::Marked { at: at(5) } };
    assert_eq!(task().key(), marked.key());
    assert_ne!(task().key(), Task::index_space("s".parse().unwrap(), None).key());
}

proptest! {
    #[test]
    fn a_collection_is_scheduled_for_the_next_full_hour(now in 0i64..10_000_000) {
        let (task, due) = Task::collect_content(at(now));
        let Task::CollectContent { hour } = task else { unreachable!() };
        prop_assert!(hour > at(now) && hour - at(now) <= TimeDelta::hours(1));
        prop_assert_eq!(hour.timestamp() % 3600, 0);
        prop_assert!(due - at(now) > GRACE);
    }

    #[test]
    fn a_claim_lasts_at_most_a_lease_and_the_skew(claimed in 0i64..10_000_000, now in 0i64..10_000_000) {
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
    let (after, version) = ("p".parse().ok(), VERSION);
    let waiting = Task::IndexSpace { space: space(), since: vec![None, revision("r1")], after, version };
    let both = Task::index_space(space(), revision("r2")).merged_with(&waiting);
    let since = vec![None, revision("r1"), revision("r2")];
    assert_eq!(both, Task::IndexSpace { space: space(), since: since.clone(), after: None, version });
    assert!(both.indexes_all() && !Task::index_space(space(), revision("r2")).indexes_all());
    assert_eq!(Task::index_space(space(), revision("r1")).merged_with(&both), both);
    let written = serde_json::to_string(&both).unwrap();
    assert_eq!(serde_json::from_str::<Task>(&written).unwrap(), both);
}

#[test]
fn a_job_of_an_earlier_version_does_not_count_as_work_of_this_one() {
    let earlier = r#"{"kind":"index-space","space":"s","since":[null],"after":"p"}"#;
    let earlier: Task = serde_json::from_str(earlier).unwrap();
    assert!(matches!(&earlier, Task::IndexSpace { version: 0, .. }) && !earlier.indexes_all());
}
