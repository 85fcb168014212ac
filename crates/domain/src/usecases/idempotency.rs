//! Requests with an idempotency key: they are executed at most once, and their response is stored in the unit of work
//! that executes them.
use super::content::ahead::Stored;
use super::{Error, Units};
use crate::actor::Actor;
use crate::id::UserId;
use crate::idempotency::{Attempt, IdempotencyKey, KeyOutcome, StoredResponse};
use crate::ports::{StoreError, Tx};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A unit of work that waits for the response of its request. Dropping it rolls the unit of work back.
pub(super) struct Held {
    pub(super) tx: Box<dyn Tx>,
    /// The objects to release after the commit.
    pub(super) stored: Stored,
}

/// The attempts that have begun and not ended. Each has at most one unit of work.
#[derive(Default)]
pub(super) struct Attempts(Mutex<State>);

#[derive(Default)]
struct State {
    /// The number of attempts so far.
    begun: u64,
    open: HashMap<Attempt, Option<Held>>,
}

impl Attempts {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> Attempt {
        let mut state = self.state();
        state.begun += 1;
        let attempt = Attempt(state.begun);
        state.open.insert(attempt, None);
        attempt
    }

    /// Checks that an attempt may open a unit of work: it has not ended and has none. A second unit of work would not
    /// see the changes of the first, and on SQLite it would wait for it.
    pub(super) fn check(&self, attempt: Attempt) -> Result<(), Error> {
        match self.state().open.get(&attempt) {
            Some(None) => Ok(()),
            Some(Some(_)) => Err(defect("the request opens a unit of work after the one that waits for its response")),
            None => Err(ended()),
        }
    }

    /// Holds a unit of work until the response of its attempt is known.
    ///
    /// # Errors
    /// If the attempt has ended, there will be no response: the unit of work is rolled back.
    pub(super) fn hold(&self, attempt: Attempt, held: Held) -> Result<(), Error> {
        match self.state().open.get_mut(&attempt) {
            Some(place @ None) => *place = Some(held),
            Some(Some(_)) => return Err(defect("the request ends a second unit of work")),
            None => return Err(ended()),
        }
        Ok(())
    }

    fn take(&self, attempt: Attempt) -> Option<Held> {
        self.state().open.get_mut(&attempt)?.take()
    }

    fn end(&self, attempt: Attempt) {
        let left = self.state().open.remove(&attempt);
        // Rolled back here, without the lock.
        drop(left);
    }
}

fn defect(what: &'static str) -> Error {
    StoreError::Internal(what.into()).into()
}

/// The error for an attempt whose response is no longer awaited, for example after a panic.
fn ended() -> Error {
    StoreError::Unavailable("the request has ended".into()).into()
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
    pub async fn find(&self, user: &UserId, wanted: &IdempotencyKey) -> Result<Option<KeyOutcome>, Error> {
        let known = self.units.store.read().await?.idempotency().find(user, &wanted.key).await?;
        Ok(known.map(|known| known.outcome(&wanted.request, self.units.clock.now())))
    }

    /// As [`Self::find`], for a request that was refused: another attempt may have been committed since the first
    /// look-up, and may be the reason. This waits for a commit that is still being flushed.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn find_again(&self, user: &UserId, wanted: &IdempotencyKey) -> Result<Option<KeyOutcome>, Error> {
        // On SQLite, readers do not see a commit before its flush, but the next writer does, and its own commit waits
        // for the same flush.
        let mut tx = self.units.store.write().await?;
        let known = tx.idempotency().find(user, &wanted.key).await?;
        tx.commit().await?;
        Ok(known.map(|known| known.outcome(&wanted.request, self.units.clock.now())))
    }

    /// Begins an attempt of a request with a key: from now on, the unit of work that executes it for `actor` waits for
    /// [`IdempotentAttempt::complete`]. `None` for a request without a key.
    pub fn begin(&self, actor: &mut Actor) -> Option<IdempotentAttempt> {
        let Actor::User { user, idempotency_key: Some(idempotency_key), .. } = actor else { return None };
        let attempt = self.units.server.attempts.begin();
        idempotency_key.attempt = Some(attempt);
        Some(IdempotentAttempt {
            units: self.units.clone(),
            user: user.clone(),
            idempotency_key: idempotency_key.clone(),
            attempt,
        })
    }
}

/// An attempt of a request with a key. Dropping it rolls back a unit of work that is not committed yet.
pub struct IdempotentAttempt {
    units: Units,
    user: UserId,
    idempotency_key: IdempotencyKey,
    attempt: Attempt,
}

impl IdempotentAttempt {
    /// Commits the executed changes with the response. Without a response, a retry only gets the error that the request
    /// was done.
    ///
    /// # Errors
    /// Errors of the store: nothing of the request is stored, and it can be executed again, also in this attempt.
    pub async fn complete(&self, answer: Option<&StoredResponse>) -> Result<(), Error> {
        let Some(Held { mut tx, stored }) = self.units.server.attempts.take(self.attempt) else { return Ok(()) };
        if let Some(answer) = answer {
            tx.idempotency().save_response(&self.user, &self.idempotency_key.key, answer).await?;
        }
        tx.commit().await?;
        stored.release(&*self.units.store).await;
        Ok(())
    }

    /// Rolls back the executed changes. The request can be executed again in this attempt.
    pub fn roll_back(&self) {
        drop(self.units.server.attempts.take(self.attempt));
    }
}

impl Drop for IdempotentAttempt {
    fn drop(&mut self) {
        self.units.server.attempts.end(self.attempt);
    }
}

#[cfg(test)]
mod tests;
