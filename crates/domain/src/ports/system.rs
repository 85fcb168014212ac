//! Time, ids and secrets. They are passed in, so that rules stay pure and tests can set the time.
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::{Arc, Mutex, PoisonError};

/// The clock.
pub trait Clock: Send + Sync {
    /// The current time in microseconds, the precision that both databases store.
    fn now(&self) -> DateTime<Utc>;
}

/// Creates ids.
pub trait Ids: Send + Sync {
    /// A new id: a UUID of version 7 in its usual form, so that ids sort by creation time.
    fn next(&self) -> String;
}

impl dyn Ids + '_ {
    /// A new id of the required type.
    ///
    /// # Panics
    /// If the port returns a text that is not an id, which is a bug in the port.
    pub fn make<T: TryFrom<String, Error = crate::id::InvalidId>>(&self) -> T {
        T::try_from(self.next()).expect("the port makes ids")
    }
}

/// Creates random bytes.
pub trait Secrets: Send + Sync {
    /// 32 bytes from the operating system's source of randomness.
    fn random(&self) -> [u8; 32];
}

/// Runs long computations on threads that do not serve requests.
#[async_trait]
pub trait LongWork: Send + Sync {
    /// Runs the work and returns when it has ended or panicked.
    async fn run(&self, work: Box<dyn FnOnce() + Send>);
}

impl dyn LongWork + '_ {
    /// Runs a computation and returns its result; `None` if it panicked.
    pub async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let work = move || {
            let value = work();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        };
        self.run(Box::new(work)).await;
        result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
