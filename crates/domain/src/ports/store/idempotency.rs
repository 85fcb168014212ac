//! Requests that must not be done twice.
use super::StoreResult;
use crate::id::UserId;
use crate::idempotency::{GivenAnswer, OnceKey, Remembered};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Remembers requests by the key that their sender gave them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send {
    /// What is remembered of a key.
    async fn find(&mut self, user: &UserId, key: &str) -> StoreResult<Option<Remembered>>;
    /// Remembers a request in the unit of work that does it, and forgets some of what is older than `forget`, what had
    /// the same key among it. A second request under the same key is a conflict on `Idempotency-Key`.
    async fn begin(
        &mut self,
        user: &UserId,
        once: &OnceKey,
        at: DateTime<Utc>,
        forget: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Remembers the answer to a request.
    async fn answer(&mut self, user: &UserId, key: &str, answer: &GivenAnswer) -> StoreResult<()>;
}
