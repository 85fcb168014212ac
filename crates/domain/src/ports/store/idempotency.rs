//! Idempotency keys of requests.
use super::StoreResult;
use crate::id::UserId;
use crate::idempotency::{IdempotencyKey, StoredRequest, StoredResponse};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores requests by their idempotency key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send {
    /// The stored request with a key.
    async fn find(&mut self, user: &UserId, key: &str) -> StoreResult<Option<StoredRequest>>;
    /// Stores the key of a request in the unit of work that handles the request. Deletes some keys from before
    /// `expired_before`, including an equal key. A valid key that is already stored is a conflict on `Idempotency-Key`.
    async fn begin(
        &mut self,
        user: &UserId,
        key: &IdempotencyKey,
        at: DateTime<Utc>,
        expired_before: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Stores the response to a request.
    async fn save_response(&mut self, user: &UserId, key: &str, response: &StoredResponse) -> StoreResult<()>;
}
