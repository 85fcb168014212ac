//! Guarantees for workers, for every kind of job.
use super::*;
use crate::content::object::Hash;
use crate::heartbeat::Heartbeat;
use crate::job::{LEASE, MAX_ATTEMPTS};
use crate::ports::Posted;
use crate::ports::fetch::MockFetcher;
use crate::ports::files::MockFiles;
use crate::ports::mail::{MockMailLinks, MockMailer};
use crate::ports::store::garbage::Kind;
use crate::ports::testing::{Counting, FixedClock, MockTx};
use crate::ports::{StoreError, StoreResult};
use crate::retention::{CONFIRMATION_DELAY, GRACE, Stage, UNNAMED_FILE};
use crate::webhook::{Delivery, DeliveryState, Webhook};
use chrono::TimeDelta;
use rstest::rstest;
use std::sync::Mutex;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

const NOW: i64 = 10_000_000;

fn jobs(units: impl IntoIterator<Item = MockTx>) -> Jobs {
    let store = MockTx::script(units).0;
    let (clock, ids) = (Arc::new(FixedClock(at(NOW))), Arc::new(Counting::default()));
    let outbox = Outbox { mailer: Arc::new(MockMailer::new()), links: Arc::new(MockMailLinks::new()) };
    Jobs {
        units: Units::new(store, clock, ids),
        files: Arc::new(MockFiles::new()),
        sender: None,
        outbox: Some(outbox),
        analyst: None,
        specs: None,
        engines: None,
        drafter: None,
    }
}

fn job(task: Task) -> Job {
    Job::new("j".parse().unwrap(), task, at(0), at(0))
}

fn index() -> Task {
    Task::index_space("s".parse().unwrap(), None)
}

/// A claimed job.
fn claimed(task: Task) -> (Job, Claim) {
    let mut job = job(task);
    let claim = job.claim(at(NOW));
    (job, claim)
}

/// A unit of work that finds this job, and the version of it that is saved.
fn with(job: Option<Job>) -> (MockTx, Arc<Mutex<Option<Job>>>) {
    let saved: Arc<Mutex<Option<Job>>> = Arc::default();
    let mut tx = MockTx::default();
    let found = job.clone();
    tx.jobs.expect_find().returning(move |_| Ok(found.clone()));
    let to = saved.clone();
    tx.jobs.expect_save().returning(move |job| {
        *to.lock().unwrap() = Some(job.clone());
        Ok(())
    });
    (tx, saved)
}

fn failing() -> StoreError {
    StoreError::Internal("no such table".into())
}

fn beating(beat: Heartbeat) -> MockTx {
    let mut tx = MockTx::default();
    tx.jobs.expect_heartbeat().returning(move || Ok(Some(beat)));
    tx
}

#[rstest]
#[case::steady(3600, true)]
#[case::not_for_an_hour(3599, false)]
#[tokio::test]
async fn permanent_removals_are_claimed_only_while_the_clock_is_steady(#[case] since: i64, #[case] steady: bool) {
    let beat = Heartbeat { at: at(NOW), steady_since: at(NOW - since) };
    let (mut look, mut take) = (MockTx::default(), MockTx::default());
    let expected = move |kinds: &[&'static str], _: &Full, _: &DateTime<Utc>| {
        // This server has what no job of specs, engines and conversations needs.
        let mut wanted = Task::kinds(steady, &[Lane::Storage, Lane::Mail]);
        wanted.retain(|kind| *kind != SWEEP_CONVERSATIONS);
        kinds == wanted
    };
    look.jobs.expect_next().withf(expected).returning(|_, _, _| Ok(Some(job(index()))));
    take.jobs.expect_next().withf(expected).returning(|_, _, _| Ok(Some(job(index()))));
    take.jobs.expect_save().withf(|job| job.is_held(at(NOW)) && job.attempts == 1).returning(|_| Ok(()));
    let (claim, task) = jobs([beating(beat), look, take]).claim().await.unwrap().unwrap();
    assert_eq!((claim.claims, task), (1, index()));
}

#[tokio::test]
async fn emails_are_left_to_a_server_that_can_send_them() {
    let beat = Heartbeat { at: at(NOW), steady_since: at(0) };
    let mut look = MockTx::default();
    look.jobs.expect_next().withf(|kinds, _, _| !kinds.contains(&MAIL_THREAD)).returning(|_, _, _| Ok(None));
    assert_eq!(Jobs { outbox: None, ..jobs([beating(beat), look]) }.claim().await.unwrap(), None);
}

#[rstest]
#[case::a_request(Task::SendWebhook { delivery: "d".parse().unwrap() }, "send to webhooks")]
#[case::an_email(Task::MailThread { user: "u".parse().unwrap(), thread: "t".parse().unwrap() }, "send e-mail")]
#[tokio::test]
async fn a_job_fails_on_a_server_that_cannot_send(#[case] task: Task, #[case] reason: &str) {
    let (held, claim) = claimed(task.clone());
    let (noted, saved) = with(Some(held));
    let ran = Jobs { outbox: None, ..jobs([noted]) }.perform(&claim, &task).await.unwrap();
    assert_eq!(ran, JobResult::Failed(format!("this server does not {reason}")));
    assert!(saved.lock().unwrap().clone().unwrap().failure.is_some());
}

#[tokio::test]
async fn a_result_is_decided_again_if_another_server_has_stopped_the_delivery() {
    let webhook = Webhook::sample("w", 1);
    let pending = Delivery::ping("d".parse().unwrap(), &webhook, at(NOW));
    let mut stopped = pending.clone();
    stopped.stop(at(NOW));
    let task = Task::SendWebhook { delivery: pending.id.clone() };
    let (held, claim) = claimed(task.clone());
    let (mut look, found) = (MockTx::default(), pending.clone());
    let first = pending.clone();
    look.webhooks.0.expect_delivery().returning(move |_| Ok(Some(found.clone())));
    look.webhooks.0.expect_find().returning(move |_, _| Ok(Some(webhook.clone())));
    look.webhooks.0.expect_first_pending().returning(move |_| Ok(Some(first.clone())));
    let (mut result, _) = with(Some(held.clone()));
    let (mut states, saved) = ([pending, stopped].into_iter(), Arc::<Mutex<Vec<_>>>::default());
    result.webhooks.0.expect_delivery().times(2).returning(move |_| Ok(states.next()));
    let to = saved.clone();
    result.webhooks.0.expect_save_delivery().times(2).returning(move |delivery, loaded| {
        let mut all = to.lock().unwrap();
        all.push((loaded, delivery.state));
        Ok(all.len() > 1)
    });
    result.webhooks.0.expect_first_pending().returning(|_| Ok(None));
    let (mut end, _) = with(Some(held));
    end.jobs.expect_remove().times(1).returning(|_| Ok(()));
    let mut fetcher = MockFetcher::new();
    fetcher.expect_post().times(1).returning(|_| Ok(Posted { status: 500, body: "".into() }));
    let sender = Sender { fetcher: Arc::new(fetcher), deriver: WebhookSecretDeriver::new(&[0; 32]) };
    let jobs = Jobs { sender: Some(sender), ..jobs([look, result, end]) };
    assert_eq!(jobs.perform(&claim, &task).await.unwrap(), JobResult::Done);
    let expected = [DeliveryState::Pending, DeliveryState::Stopped].map(|state| (state, state));
    assert_eq!(*saved.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_job_that_another_server_claimed_is_skipped() {
    let beat = Heartbeat { at: at(NOW), steady_since: at(0) };
    let (mut look, mut take) = (MockTx::default(), MockTx::default());
    look.jobs.expect_next().returning(|_, _, _| Ok(Some(job(index()))));
    take.jobs.expect_next().returning(|_, _, _| Ok(None));
    assert_eq!(jobs([beating(beat), look, take]).claim().await.unwrap(), None);
}

#[tokio::test]
async fn the_time_is_noted_when_it_moved_and_never_twice_over() {
    let before = Heartbeat { at: at(NOW - 300), steady_since: at(NOW - 7200) };
    let mut write = beating(before);
    let expected = before.record(at(NOW));
    write.jobs.expect_save_heartbeat().withf(move |beat| *beat == expected).returning(|_| Ok(()));
    assert!(jobs([beating(before), write]).record_time().await.unwrap());
    let recent = Heartbeat { at: at(NOW - 299), ..before };
    assert!(jobs([beating(recent)]).record_time().await.unwrap(), "nothing is written");
}

#[tokio::test]
async fn a_failure_is_noted_with_its_causes_and_the_job_rests() {
    let (held, claim) = claimed(index());
    let mut reads = MockTx::default();
    reads.spaces.expect_find().returning(|_, _| Err(failing()));
    let (noted, saved) = with(Some(held));
    let ran = jobs([reads, noted]).perform(&claim, &index()).await.unwrap();
    assert_eq!(ran, JobResult::Failed("the database failed: no such table".into()));
    let job = saved.lock().unwrap().clone().unwrap();
    assert_eq!(job.state(at(NOW)), JobState::Failing);
    assert!(job.due_at > at(NOW) && job.failure.unwrap().reason.contains("no such table"));
}

#[tokio::test]
async fn a_job_that_met_another_change_is_done_again_at_once() {
    let (held, claim) = claimed(index());
    let (mut first, mut second) = (MockTx::default(), MockTx::default());
    first.spaces.expect_find().returning(|_, _| Err(StoreError::Contended("deadlock".into())));
    second.spaces.expect_find().returning(|_, _| Ok(None));
    let (mut end, _) = with(Some(held));
    end.jobs.expect_remove().returning(|_| Ok(()));
    assert_eq!(jobs([first, second, end]).perform(&claim, &index()).await.unwrap(), JobResult::Done);
}

#[tokio::test]
async fn a_job_that_was_taken_over_is_not_changed() {
    let (mut held, claim) = claimed(index());
    held.claim(at(NOW) + LEASE);
    let mut reads = MockTx::default();
    reads.spaces.expect_find().returning(|_, _| Ok(None));
    // It would be done if this claim were still valid.
    let (other, saved) = with(Some(held.clone()));
    assert_eq!(jobs([reads, other]).perform(&claim, &index()).await.unwrap(), JobResult::Lost);
    assert_eq!(*saved.lock().unwrap(), None);
    let (other, saved) = with(Some(held));
    jobs([other]).fail(&claim, "late").await.unwrap();
    let (gone, _) = with(None);
    jobs([gone]).release(&claim).await.unwrap();
    assert_eq!(*saved.lock().unwrap(), None, "nor is a failure noted with the other's");
}

#[tokio::test]
async fn a_released_job_can_be_claimed_at_once() {
    let (held, claim) = claimed(index());
    let (tx, saved) = with(Some(held));
    jobs([tx]).release(&claim).await.unwrap();
    let job = saved.lock().unwrap().clone().unwrap();
    assert!(job.is_due(at(NOW)) && job.attempts == 0);
}

#[tokio::test]
async fn the_operator_lets_a_job_be_tried_again() {
    let mut given_up = job(index());
    given_up.attempts = MAX_ATTEMPTS;
    given_up.fail("no", at(NOW));
    let (tx, saved) = with(Some(given_up));
    jobs([tx]).retry(&"j".parse().unwrap()).await.unwrap();
    assert!(saved.lock().unwrap().clone().unwrap().is_due(at(NOW)));
    let (nothing, _) = with(None);
    assert!(matches!(jobs([nothing]).retry(&"j".parse().unwrap()).await, Err(Error::NotFound("job"))));
}

fn purge(stage: Stage) -> Task {
    Task::PurgeCollection { collection: "c".parse().unwrap(), stage }
}

/// A unit of work that finds a deleted collection with this number of items.
fn with_collection(held: Job, deleted_at: Option<DateTime<Utc>>, inside: usize) -> MockTx {
    use crate::collection::{Collection, NewCollection};
    use crate::content::order::OrderKey;
    use crate::place::PlaceId;
    use crate::ports::store::collections::Child;
    use crate::ports::store::spaces::ForUser;
    let (mut tx, _) = with(Some(held));
    let position = || OrderKey::sequence(1).remove(0);
    let new = NewCollection::default();
    let mut entity = Collection::new("c".parse().unwrap(), "o".parse().unwrap(), new, position(), at(0));
    entity.deleted_at = deleted_at;
    tx.collections
        .expect_find()
        .returning(move |_, _| Ok(Some(ForUser { entity: entity.clone(), membership: None, places: Vec::new() })));
    let child = move || Child {
        id: PlaceId::Space("s".parse().unwrap()),
        position: position(),
        default_level: crate::access::DefaultLevel::Inherit,
        deleted: true,
    };
    tx.collections.expect_children().returning(move |_, _| Ok((0..inside).map(|_| child()).collect()));
    tx
}

#[rstest]
#[case::restored(None, 0, Stage::Kept, JobResult::Done)]
#[case::too_early(Some(NOW - 86_400), 0, Stage::Kept, JobResult::Later(at(NOW + 6 * 86_400)))]
#[case::found_over(Some(NOW - 8 * 86_400), 0, Stage::Kept, JobResult::Later(at(NOW) + CONFIRMATION_DELAY))]
#[case::not_empty(
    Some(NOW - 8 * 86_400),
    1,
    Stage::Marked { at: at(NOW - 3600) },
    JobResult::Later(at(NOW) + CONFIRMATION_DELAY)
)]
#[tokio::test]
async fn a_collection_is_purged_only_after_its_time_and_when_empty(
    #[case] deleted_at: Option<i64>,
    #[case] inside: usize,
    #[case] stage: Stage,
    #[case] expected: JobResult,
) {
    let (held, claim) = claimed(purge(stage));
    let looked = with_collection(held.clone(), deleted_at.map(at), inside);
    let (mut end, _) = with(Some(held));
    end.jobs.expect_remove().returning(|_| Ok(()));
    assert_eq!(jobs([looked, end]).perform(&claim, &purge(stage)).await.unwrap(), expected);
}

#[tokio::test]
async fn an_empty_collection_is_purged_with_its_grants() {
    let stage = Stage::Marked { at: at(NOW - 3600) };
    let (held, claim) = claimed(purge(stage));
    let mut looked = with_collection(held.clone(), Some(at(NOW - 8 * 86_400)), 0);
    looked.grants.expect_clear().withf(|places| places.len() == 1).times(1).returning(|_| Ok(()));
    looked.purge.expect_remove_collection().times(1).returning(|_| Ok(()));
    looked.events.expect_record().times(1).returning(|_| Ok(()));
    let (mut end, _) = with(Some(held));
    end.jobs.expect_remove().times(1).returning(|_| Ok(()));
    assert_eq!(jobs([looked, end]).perform(&claim, &purge(stage)).await.unwrap(), JobResult::Done);
}

fn hash(n: u8) -> Hash {
    Hash::from_bytes([n; 32])
}

/// A unit of work that returns the condemned content, and then one without revisions.
fn condemned(held: &Job, content: Vec<(Kind, Hash)>) -> [MockTx; 3] {
    let mut list = MockTx::default();
    list.garbage
        .expect_condemned()
        .withf(|after, before, _| after.is_none() && *before == at(NOW) - GRACE)
        .returning(move |_, _, _| Ok(content.clone()));
    let mut walk = MockTx::default();
    walk.garbage.expect_revisions().returning(|_, _| Ok(Vec::new()));
    let (step, _) = with(Some(held.clone()));
    [list, walk, step]
}

#[rstest]
#[case::gone(true, JobResult::Done)]
#[case::stored_of_late(false, JobResult::Later(at(NOW) + UNNAMED_FILE))]
#[tokio::test]
async fn a_recently_stored_file_is_checked_again_a_day_later(#[case] gone: bool, #[case] expected: JobResult) {
    let (task, _) = Task::collect_content(at(NOW - 10_000));
    let (held, claim) = claimed(task.clone());
    let [list, walk, mut spare] = condemned(&held, vec![(Kind::File, hash(1))]);
    spare
        .garbage
        .expect_unlist()
        .withf(|kind, hashes| (*kind, hashes) == (Kind::File, &[hash(1)]))
        .returning(|_, _| Ok(()));
    let mut more = MockTx::default();
    more.garbage.expect_condemned().returning(|_, _, _| Ok(Vec::new()));
    let (mut end, _) = with(Some(held));
    end.jobs.expect_remove().returning(|_| Ok(()));
    let units = if gone { vec![list, walk, spare, more, end] } else { vec![list, walk, more, end] };
    let mut files = MockFiles::new();
    files
        .expect_remove()
        .withf(|file, since| *file == hash(1) && *since == at(NOW) - UNNAMED_FILE)
        .returning(move |_, _| Ok(gone));
    let jobs = Jobs { files: Arc::new(files), ..jobs(units) };
    assert_eq!(jobs.perform(&claim, &task).await.unwrap(), expected);
}

#[tokio::test]
async fn nothing_is_removed_if_content_cannot_be_read() {
    let (task, _) = Task::collect_content(at(NOW - 10_000));
    let (held, claim) = claimed(task.clone());
    let [list, mut walk, step] = condemned(&held, vec![(Kind::Object, hash(1))]);
    walk.garbage.checkpoint();
    let nothing = |_: Option<_>, _: usize| -> StoreResult<Vec<crate::content::revision::Revision>> { Err(failing()) };
    walk.garbage.expect_revisions().returning(nothing);
    let ran = jobs([list, walk, step]).perform(&claim, &task).await.unwrap();
    assert!(matches!(ran, JobResult::Failed(_)), "{ran:?}");
}
