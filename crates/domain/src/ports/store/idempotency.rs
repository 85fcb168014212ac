//! Idempotency keys of requests.
use super::StoreResult;
use crate::id::UserId;
use crate::idempotency::{GivenAnswer, OnceKey, Remembered};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores requests by their idempotency key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send {
    /// The stored request with a key.
    async fn find(&mut self, user: &UserId, key: &str) -> StoreResult<Option<Remembered>>;
    /// Stores a request in the unit of work that handles it, and deletes some entries older than `forget`, including
    /// one with the same key. A second request with the same key is a conflict on `Idempotency-Key`.
    async fn begin(
        &mut self,
        user: &UserId,
        once: &OnceKey,
        at: DateTime<Utc>,
        forget: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Stores the response to a request.
    async fn answer(&mut self, user: &UserId, key: &str, answer: &GivenAnswer) -> StoreResult<()>;
}
