//! Requests with an idempotency key: they are executed at most once, and their response is stored in the unit of work
//! that executes them.
use super::{Error, Units};
use crate::id::UserId;
use crate::idempotency::{GivenAnswer, OnceKey, Repeat};
use crate::ports::Tx;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of attempts to store a response after its request was committed.
const TRIES: usize = 3;

/// Units of work by the user and the key of their request.
type ByKey = HashMap<(UserId, String), Box<dyn Tx>>;

/// Finished units of work that wait for the response of their request. They are committed together with it.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<ByKey>>);

impl Pending {
    fn all(&self) -> MutexGuard<'_, ByKey> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the unit of work of a request until its response is known.
    pub(super) fn put(&self, user: &UserId, once: &OnceKey, tx: Box<dyn Tx>) {
        self.all().insert((user.clone(), once.key.clone()), tx);
    }

    /// The unit of work of a request, if it waits.
    pub(super) fn take(&self, user: &UserId, once: &OnceKey) -> Option<Box<dyn Tx>> {
        self.all().remove(&(user.clone(), once.key.clone()))
    }
}

/// Looks up requests by their idempotency key, and stores their responses.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Idempotency {
    pub units: Units,
}

impl Idempotency {
    /// How to handle a request with a key; `None` if the key is new.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn find(&self, user: &UserId, wanted: &OnceKey) -> Result<Option<Repeat>, Error> {
        let known = self.units.store.read().await?.idempotency().find(user, &wanted.key).await?;
        Ok(known.map(|known| known.repeat(&wanted.request, self.units.clock.now())))
    }

    /// Begins to handle a request with a new key.
    pub fn begin(&self, user: &UserId, once: &OnceKey) -> Begun {
        Begun { units: self.units.clone(), user: user.clone(), once: once.clone() }
    }
}

/// A request with a key that is being handled. Dropping it without [`Begun::complete`] rolls the request back.
pub struct Begun {
    units: Units,
    user: UserId,
    once: OnceKey,
}

impl Begun {
    /// Commits the request with its response; without one, a retry only gets the error that the request was done. A
    /// request that had to be committed before its response was known gets it right after.
    ///
    /// # Errors
    /// Errors of the store: nothing of the request is stored, and it can be sent again.
    pub async fn complete(&self, answer: Option<&GivenAnswer>) -> Result<(), Error> {
        let Some(mut tx) = self.units.pending.take(&self.user, &self.once) else {
            if let Some(answer) = answer {
                self.add(answer).await;
            }
            return Ok(());
        };
        if let Some(answer) = answer {
            tx.idempotency().answer(&self.user, &self.once.key, answer).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Stores the response of a committed request. The request is done, so a failure is only logged.
    async fn add(&self, answer: &GivenAnswer) {
        for _try in 0..TRIES {
            let stored = async {
                let mut tx = self.units.store.write().await?;
                tx.idempotency().answer(&self.user, &self.once.key, answer).await?;
                tx.commit().await
            };
            match stored.await {
                Ok(()) => return,
                Err(error) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the response to a request with an Idempotency-Key could not be stored"
                ),
            }
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        drop(self.units.pending.take(&self.user, &self.once));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::ports::testing::{MockTx, token};
    use std::sync::atomic::Ordering;

    fn ada() -> UserId {
        "ada".parse().unwrap()
    }

    fn once() -> OnceKey {
        OnceKey::new("key", [1; 32]).unwrap()
    }

    fn answer() -> GivenAnswer {
        GivenAnswer { status: 201, location: None, body: b"{}".to_vec() }
    }

    /// A unit of work that a request with a key opens, and that stores `answers` responses.
    fn unit(answers: usize) -> MockTx {
        let mut tx = MockTx::default();
        tx.tokens.expect_find().returning(|_| Ok(Some(token(ada()))));
        tx.idempotency.expect_begin().returning(|_, _, _, _| Ok(()));
        tx.idempotency.expect_answer().times(answers).returning(|_, _, _| Ok(()));
        tx
    }

    /// A request with a key whose use case has committed.
    async fn done(units: &Units) -> (Begun, Actor) {
        let Actor::User { user, token, scopes, client, .. } = Actor::of(ada(), "t".parse().unwrap()) else {
            unreachable!("a user was made")
        };
        let actor = Actor::User { user, token, scopes, client, once: Some(once()) };
        let begun = Idempotency { units: units.clone() }.begin(&ada(), &once());
        units.write(&actor).await.unwrap().commit().await.unwrap();
        (begun, actor)
    }

    #[tokio::test]
    async fn a_request_with_a_key_is_committed_together_with_its_response() {
        let (store, committed) = unit(1).into_store();
        let (begun, _) = done(&Units::over(store)).await;
        assert!(!committed.load(Ordering::SeqCst), "the response is not known yet");
        begun.complete(Some(&answer())).await.unwrap();
        assert!(committed.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_request_whose_response_shows_a_secret_is_committed_without_it() {
        let (store, committed) = unit(0).into_store();
        done(&Units::over(store)).await.0.complete(None).await.unwrap();
        assert!(committed.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_request_with_a_key_that_gets_no_response_is_rolled_back() {
        let (store, committed) = unit(0).into_store();
        let units = Units::over(store);
        drop(done(&units).await);
        assert!(!committed.load(Ordering::SeqCst) && units.pending.all().is_empty());
    }

    #[tokio::test]
    async fn the_next_unit_of_work_of_a_request_sees_what_the_first_one_did() {
        let mut later = MockTx::default();
        later.idempotency.expect_answer().times(1).returning(|_, _, _| Ok(()));
        let (store, committed) = MockTx::script([unit(0), MockTx::default(), later]);
        let units = Units::over(store);
        let (begun, actor) = done(&units).await;
        drop(units.read(&actor).await.unwrap());
        assert!(units.pending.all().is_empty(), "it was committed");
        begun.complete(Some(&answer())).await.unwrap();
        assert!(committed.load(Ordering::SeqCst), "the response was stored afterwards");
    }
}
