//! Invite links.
use super::StoreResult;
use crate::id::{InviteId, OrganizationId};
use crate::invite::LinkInvite;
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;

/// Stores invite links by their handle, which gives no access. Before changing one, a caller must lock the
/// organization.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InviteStore: Send {
    /// An invite of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &InviteId) -> StoreResult<Option<LinkInvite>>;
    /// The invites to an organization, by id; with `places`, also those to its spaces and collections. Invites to
    /// deleted spaces and collections are left out.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        places: bool,
        page: &PageRequest,
    ) -> StoreResult<Page<LinkInvite>>;
    /// Inserts the invite or updates all its fields.
    async fn save(&mut self, invite: &LinkInvite) -> StoreResult<()>;
    /// Removes an invite. Returns whether there was one.
    async fn remove(&mut self, organization: &OrganizationId, id: &InviteId) -> StoreResult<bool>;
}
