//! API tokens.
use super::StoreResult;
use crate::id::{TokenId, UserId};
use crate::paging::{Page, PageRequest};
use crate::token::{Token, TokenHash};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores tokens by hash; it never has the secrets.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TokenStore: Send {
    /// The token with this handle.
    async fn find(&mut self, id: &TokenId) -> StoreResult<Option<Token>>;
    /// The token whose secret has this hash, valid or not.
    async fn find_by_hash(&mut self, hash: &TokenHash) -> StoreResult<Option<Token>>;
    /// The tokens of a user, or of all users, by id; revoked ones only if `revoked` is set.
    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        revoked: bool,
        page: &PageRequest,
    ) -> StoreResult<Page<Token>>;
    /// Inserts the token or updates all its fields except its last use. A second token with the same hash is a conflict
    /// on `token`.
    async fn save(&mut self, token: &Token) -> StoreResult<()>;
    /// Records a use of a token, unless a later use is recorded.
    async fn record_use(&mut self, id: &TokenId, at: DateTime<Utc>) -> StoreResult<()>;
}
