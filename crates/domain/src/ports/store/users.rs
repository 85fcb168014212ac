//! Accounts.
use super::StoreResult;
use crate::access::Membership;
use crate::id::UserId;
use crate::paging::{Page, PageRequest};
use crate::text::Email;
use crate::user::User;
use async_trait::async_trait;

/// Stores accounts. Before writing, a caller must lock the account, unless it is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UserStore: Send {
    /// The account with this id.
    async fn find(&mut self, id: &UserId) -> StoreResult<Option<User>>;
    /// The accounts with these ids, in any order, to be shown; missing ones are left out. In a writing unit of work,
    /// the user of its token is as of the check of the token.
    async fn find_many(&mut self, ids: &[UserId]) -> StoreResult<Vec<User>>;
    /// The account with this email address.
    async fn find_by_email(&mut self, email: &Email) -> StoreResult<Option<User>>;
    /// The accounts with these email addresses, in any order; missing ones are left out.
    async fn find_many_by_email(&mut self, emails: &[Email]) -> StoreResult<Vec<User>>;
    /// Every account, by id.
    async fn list(&mut self, page: &PageRequest) -> StoreResult<Page<User>>;
    /// The memberships of `user` in the organizations that `other` belongs to as well, active or not.
    async fn shared_memberships(&mut self, user: &UserId, other: &UserId) -> StoreResult<Vec<Membership>>;
    /// Whether there is no account yet. Lock [`super::Lockable::FirstStart`] first, so that only one unit of work gets
    /// `true`.
    async fn is_empty(&mut self) -> StoreResult<bool>;
    /// Inserts the account or updates all its fields. A second account with the same address is a conflict on `email`.
    async fn save(&mut self, user: &User) -> StoreResult<()>;
}
