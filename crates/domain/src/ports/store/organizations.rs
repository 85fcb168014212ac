//! Organizations and who belongs to them.
use super::StoreResult;
use crate::access::Membership;
use crate::id::{OrganizationId, UserId};
use crate::merge_rules::MergeRules;
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores organizations and memberships.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait OrganizationStore: Send {
    /// The organization, with the membership of `user` in it: one query. Locked in a writing unit of work.
    async fn find<'a>(
        &mut self,
        id: &OrganizationId,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<(Organization, Option<Membership>)>>;
    /// The merge rules of the organization. In a writing unit of work they stay as they are until it ends, whoever wants
    /// to change them; others may read them meanwhile.
    async fn merge_rules(&mut self, id: &OrganizationId) -> StoreResult<Option<MergeRules>>;
    /// The organizations of `user` (active memberships only) with the membership, or all of them, by id.
    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        page: &PageRequest,
    ) -> StoreResult<Page<(Organization, Option<Membership>)>>;
    /// Inserts the organization or writes all of it.
    async fn save(&mut self, organization: &Organization) -> StoreResult<()>;
    /// Makes `user` a member, or changes the membership.
    async fn save_membership(
        &mut self,
        id: &OrganizationId,
        user: &UserId,
        membership: Membership,
        joined_at: DateTime<Utc>,
    ) -> StoreResult<()>;
}
