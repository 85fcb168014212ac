//! Invites that are good for whoever has them.
use super::StoreResult;
use crate::id::{InviteId, OrganizationId};
use crate::invite::LinkInvite;
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;

/// Stores link invites, by handles that open nothing. Whoever changes one has locked its organization.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InviteStore: Send {
    /// An invite of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &InviteId) -> StoreResult<Option<LinkInvite>>;
    /// The invites of an organization, by id. Those to places that are not there (any more) are left out.
    async fn list(&mut self, organization: &OrganizationId, page: &PageRequest) -> StoreResult<Page<LinkInvite>>;
    /// Inserts the invite or writes all of it.
    async fn save(&mut self, invite: &LinkInvite) -> StoreResult<()>;
    /// Takes an invite away. Whether it was there.
    async fn remove(&mut self, organization: &OrganizationId, id: &InviteId) -> StoreResult<bool>;
}
