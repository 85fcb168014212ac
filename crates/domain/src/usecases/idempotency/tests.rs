use super::*;
use crate::content::object::Hash;
use crate::ports::testing::{MockTx, token};
use crate::usecases::content::ahead::Stored;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn ada() -> UserId {
    "ada".parse().unwrap()
}

/// Ada with an idempotency key. No attempt has begun.
fn keyed() -> Actor {
    let mut actor = Actor::of(ada(), "t".parse().unwrap());
    if let Actor::User { idempotency_key, .. } = &mut actor {
        *idempotency_key = Some(IdempotencyKey::new("key", [1; 32]).unwrap());
    }
    actor
}

fn answer() -> StoredResponse {
    StoredResponse { status: 201, location: None, body: b"{}".to_vec() }
}

/// A unit of work that a request with a key opens, and that stores `answers` responses.
fn unit(answers: usize) -> MockTx {
    let mut tx = MockTx::default();
    tx.tokens.expect_find().returning(|_| Ok(Some(token(ada()))));
    tx.idempotency.expect_begin().returning(|_, _, _, _| Ok(()));
    tx.idempotency.expect_save_response().times(answers).returning(|_, _, _| Ok(()));
    tx
}

fn over(units: impl IntoIterator<Item = MockTx>) -> (Idempotency, Arc<AtomicBool>) {
    let (store, last_committed) = MockTx::script(units);
    (Idempotency { units: Units::over(store) }, last_committed)
}

impl Idempotency {
    fn attempt(&self) -> (IdempotentAttempt, Actor) {
        let mut actor = keyed();
        (self.begin(&mut actor).unwrap(), actor)
    }

    async fn execute(&self, actor: &Actor) -> Result<(), Error> {
        self.units.write(actor).await?.commit().await
    }

    /// The number of open attempts, and of units of work that wait.
    fn open(&self) -> (usize, usize) {
        let state = self.units.server.attempts.state();
        (state.open.len(), state.open.values().flatten().count())
    }
}

#[tokio::test]
async fn a_request_with_a_key_is_committed_together_with_its_response() {
    let (requests, committed) = over([unit(1)]);
    let (begun, actor) = requests.attempt();
    requests.execute(&actor).await.unwrap();
    assert!(!committed.load(Ordering::SeqCst), "the response is not known yet");
    begun.complete(Some(&answer())).await.unwrap();
    assert!(committed.load(Ordering::SeqCst));
    drop(begun);
    assert_eq!(requests.open(), (0, 0));
}

#[tokio::test]
async fn a_request_whose_response_shows_a_secret_is_committed_without_it() {
    let (requests, committed) = over([unit(0)]);
    let (begun, actor) = requests.attempt();
    requests.execute(&actor).await.unwrap();
    begun.complete(None).await.unwrap();
    assert!(committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_request_without_a_response_is_committed_at_once() {
    let (requests, committed) = over([unit(0)]);
    requests.execute(&keyed()).await.unwrap();
    assert!(committed.load(Ordering::SeqCst));
    assert_eq!(requests.open(), (0, 0));
}

#[tokio::test]
async fn only_a_request_with_a_key_is_an_attempt() {
    let (requests, committed) = over([unit(0)]);
    let mut actor = Actor::of(ada(), "t".parse().unwrap());
    assert!(requests.begin(&mut actor).is_none() && requests.begin(&mut Actor::Operator).is_none());
    requests.execute(&actor).await.unwrap();
    assert!(committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn an_attempt_that_ends_without_a_response_is_rolled_back() {
    let (requests, committed) = over([unit(0)]);
    let (begun, actor) = requests.attempt();
    requests.execute(&actor).await.unwrap();
    assert_eq!(requests.open(), (1, 1));
    drop(begun);
    assert_eq!(requests.open(), (0, 0));
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn an_attempt_that_has_ended_cannot_commit() {
    let (requests, committed) = over([unit(0)]);
    let (begun, actor) = requests.attempt();
    let work = requests.units.write(&actor).await.unwrap();
    drop(begun);
    assert!(matches!(work.commit().await, Err(Error::Store(StoreError::Unavailable(_)))));
    assert!(matches!(requests.execute(&actor).await, Err(Error::Store(StoreError::Unavailable(_)))));
    assert_eq!(requests.open(), (0, 0));
    assert!(!committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn attempts_under_one_key_do_not_touch_the_unit_of_work_of_each_other() {
    let (requests, second_committed) = over([unit(0), unit(1)]);
    let ((first, one), (second, two)) = (requests.attempt(), requests.attempt());
    requests.execute(&one).await.unwrap();
    requests.execute(&two).await.unwrap();
    assert_eq!(requests.open(), (2, 2));
    first.roll_back();
    drop(first);
    assert_eq!(requests.open(), (1, 1));
    second.complete(Some(&answer())).await.unwrap();
    assert!(second_committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn nothing_is_opened_after_the_unit_of_work_that_waits() {
    let (requests, _) = over([unit(0)]);
    let (_begun, actor) = requests.attempt();
    requests.execute(&actor).await.unwrap();
    let refused = |error: Option<Error>| matches!(error, Some(Error::Store(StoreError::Internal(_))));
    assert!(refused(requests.units.read(&actor).await.err()));
    assert!(refused(requests.units.write(&actor).await.err()));
    assert_eq!(requests.open(), (1, 1));
}

#[tokio::test]
async fn a_rolled_back_unit_of_work_can_be_followed_by_another() {
    let (requests, committed) = over([unit(0), unit(1)]);
    let (begun, actor) = requests.attempt();
    drop(requests.units.write(&actor).await.unwrap());
    requests.execute(&actor).await.unwrap();
    begun.complete(Some(&answer())).await.unwrap();
    assert!(committed.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_request_that_was_rolled_back_can_be_executed_again_in_its_attempt() {
    let mut full = unit(0);
    full.idempotency = Default::default();
    full.idempotency.expect_begin().returning(|_, _, _, _| Ok(()));
    full.idempotency.expect_save_response().returning(|_, _, _| Err(StoreError::Full("no space".into())));
    let (requests, committed) = over([full, unit(0), unit(1)]);
    let (begun, actor) = requests.attempt();
    requests.execute(&actor).await.unwrap();
    let failed = begun.complete(Some(&answer())).await;
    assert!(matches!(failed, Err(Error::Store(StoreError::Full(_)))), "{failed:?}");
    requests.execute(&actor).await.unwrap();
    begun.roll_back();
    assert_eq!(requests.open(), (1, 0));
    requests.execute(&actor).await.unwrap();
    begun.complete(Some(&answer())).await.unwrap();
    assert!(committed.load(Ordering::SeqCst));
}

/// A unit of work that releases what was stored ahead.
fn release() -> MockTx {
    let mut tx = MockTx::default();
    tx.garbage.expect_unlist().times(1).returning(|_, _| Ok(()));
    tx
}

#[tokio::test]
async fn objects_are_released_after_the_commit_that_waits_for_the_response() {
    let stored = || Stored::of([Hash::of(b"object")]);
    let (requests, released) = over([unit(1), release()]);
    let (begun, actor) = requests.attempt();
    let work = requests.units.write(&actor).await.unwrap();
    work.commit_and_release(stored()).await.unwrap();
    assert!(!released.load(Ordering::SeqCst));
    begun.complete(Some(&answer())).await.unwrap();
    assert!(released.load(Ordering::SeqCst));

    let (requests, released) = over([unit(0), release()]);
    let actor = Actor::of(ada(), "t".parse().unwrap());
    requests.units.write(&actor).await.unwrap().commit_and_release(stored()).await.unwrap();
    assert!(released.load(Ordering::SeqCst));
}
