//! Room for bodies above [`LARGEST_BODY`](crate::LARGEST_BODY). Only operations that ask for it take such bodies, and
//! few of these bodies are in memory at the same time.
use crate::error::ServerError;
use crate::work_pool::Owner;
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// The maximum size of a body that has room, in bytes.
pub const LARGEST_WITH_ROOM: usize = 48 * 1024 * 1024;

/// How many bodies have room at the same time, at most one of each caller.
const ROOMS: usize = 2;

/// How long large bodies may take.
#[derive(Clone, Copy, Debug)]
pub struct LargeBodyTimes {
    /// How long a request waits for room. It is shorter than the timeout of bodies, which includes this wait.
    pub room: Duration,
    /// How long a body with room may take to arrive: a slow client must not keep the room for long.
    pub arrival: Duration,
}

impl Default for LargeBodyTimes {
    fn default() -> Self {
        Self { room: Duration::from_secs(10), arrival: Duration::from_secs(300) }
    }
}

/// The room for large bodies of callers `O`.
pub struct LargeBodies<O: Owner>(Arc<Shared<O>>);

struct Shared<O> {
    times: LargeBodyTimes,
    /// The callers who have room.
    owners: Mutex<Vec<O>>,
    /// Wakes the requests that wait.
    freed: Notify,
}

impl<O: Owner> Shared<O> {
    /// Takes a room, if there is one for this caller.
    fn take(&self, owner: &O) -> bool {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = owners.len() < ROOMS && !owners.contains(owner);
        if is_free {
            owners.push(owner.clone());
        }
        is_free
    }

    fn give_back(&self, owner: &O) {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != owner);
        self.freed.notify_waiters();
    }
}

impl<O: Owner> LargeBodies<O> {
    /// Room that nobody has.
    pub fn new(times: LargeBodyTimes) -> Self {
        Self(Arc::new(Shared { times, owners: Mutex::default(), freed: Notify::new() }))
    }

    /// Takes room for a large body of a caller. Waits while the caller has another one, or others have all.
    ///
    /// # Errors
    /// [`ServerError::Busy`] if there is none in time.
    pub async fn enter(&self, owner: O) -> Result<Room<O>, ServerError> {
        let times = self.0.times;
        let until = Instant::now() + times.room;
        loop {
            // Before the look, so that nothing that is given back after it is missed.
            let freed = self.0.freed.notified();
            if self.0.take(&owner) {
                let arrival = Arrival(Instant::now() + times.arrival);
                return Ok(Room { shared: self.0.clone(), owner, arrival });
            }
            if timeout_at(until, freed).await.is_err() {
                return Err(ServerError::Busy);
            }
        }
    }
}

impl<O: Owner> Default for LargeBodies<O> {
    fn default() -> Self {
        Self::new(LargeBodyTimes::default())
    }
}

/// Room for a large body. Dropping it gives it back.
pub struct Room<O: Owner> {
    shared: Arc<Shared<O>>,
    owner: O,
    arrival: Arrival,
}

impl<O: Owner> Room<O> {
    /// The time in which the body must arrive.
    pub fn arrival(&self) -> Arrival {
        self.arrival
    }
}

impl<O: Owner> Drop for Room<O> {
    fn drop(&mut self) {
        self.shared.give_back(&self.owner);
    }
}

/// When a body must have arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival(Instant);

impl Arrival {
    /// Waits for a body.
    ///
    /// # Errors
    /// Those of the body; [`ServerError::Timeout`].
    pub async fn wait(self, body: impl Future<Output = Result<Bytes, ServerError>>) -> Result<Bytes, ServerError> {
        timeout_at(self.0, body).await.unwrap_or(Err(ServerError::Timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    #[tokio::test]
    async fn two_callers_have_room_and_none_of_them_twice() {
        let bodies = LargeBodies::default();
        let ada = bodies.enter("ada").await.unwrap();
        assert!(!bodies.0.take(&"ada"));
        let _bob = bodies.enter("bob").await.unwrap();
        assert!(!bodies.0.take(&"eve"));
        drop(ada);
        assert!(!bodies.0.take(&"bob"));
        assert!(bodies.0.take(&"eve"));
    }

    #[tokio::test]
    async fn a_request_waits_until_there_is_room() {
        let bodies = LargeBodies::default();
        let first = bodies.enter("ada").await.unwrap();
        let later = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        let (second, ()) = futures_util::join!(bodies.enter("ada"), later);
        assert!(second.is_ok());
    }

    #[tokio::test]
    async fn a_body_that_does_not_arrive_ends_its_wait() {
        let late = Arrival(Instant::now());
        assert_eq!(late.wait(pending()).await, Err(ServerError::Timeout));
        assert_eq!(late.wait(ready(Ok(Bytes::from_static(b"x")))).await, Ok(Bytes::from_static(b"x")));
    }
}
