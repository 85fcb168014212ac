//! API tokens.
use super::StoreResult;
use crate::id::{TokenId, UserId};
use crate::paging::{Page, PageRequest};
use crate::token::{Token, TokenHash};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores tokens; knows hashes, never secrets.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TokenStore: Send {
    /// The token with this handle.
    async fn find(&mut self, id: &TokenId) -> StoreResult<Option<Token>>;
    /// The token whose secret has this hash, valid or not.
    async fn find_by_hash(&mut self, hash: &TokenHash) -> StoreResult<Option<Token>>;
    /// Tokens of a user, or of everybody, by id; those that were withdrawn only when `revoked` asks for them, too.
    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        revoked: bool,
        page: &PageRequest,
    ) -> StoreResult<Page<Token>>;
    /// Inserts the token or writes all of it but its last use. A second token of one hash is a conflict on `token`.
    async fn save(&mut self, token: &Token) -> StoreResult<()>;
    /// Writes down that a token was used, unless a later use is known.
    async fn note_use(&mut self, id: &TokenId, at: DateTime<Utc>) -> StoreResult<()>;
}
