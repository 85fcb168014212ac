//! Accounts.
use super::StoreResult;
use crate::access::Membership;
use crate::id::UserId;
use crate::paging::{Page, PageRequest};
use crate::text::Email;
use crate::user::User;
use async_trait::async_trait;

/// Stores accounts. What is written has been locked, or is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UserStore: Send {
    /// The account with this id.
    async fn find(&mut self, id: &UserId) -> StoreResult<Option<User>>;
    /// The accounts with these ids, in any order; those that are not there are left out.
    async fn find_many(&mut self, ids: &[UserId]) -> StoreResult<Vec<User>>;
    /// The account with this address.
    async fn find_by_email(&mut self, email: &Email) -> StoreResult<Option<User>>;
    /// The accounts with these addresses, in any order; those that are not there are left out.
    async fn find_many_by_email(&mut self, emails: &[Email]) -> StoreResult<Vec<User>>;
    /// Every account, by id.
    async fn list(&mut self, page: &PageRequest) -> StoreResult<Page<User>>;
    /// The places of `user` in the organizations that `other` belongs to as well, active or not.
    async fn shared_memberships(&mut self, user: &UserId, other: &UserId) -> StoreResult<Vec<Membership>>;
    /// Whether there is no account yet. Who has locked [`super::Lockable::FirstStart`] is the only one that is told so.
    async fn is_empty(&mut self) -> StoreResult<bool>;
    /// Inserts the account or writes all of it. A second account of one address is a conflict on `email`.
    async fn save(&mut self, user: &User) -> StoreResult<()>;
}
