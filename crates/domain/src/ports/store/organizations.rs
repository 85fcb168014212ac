//! Organizations.
use super::StoreResult;
use crate::access::Membership;
use crate::agent_instructions::AgentInstructions;
use crate::id::{OrganizationId, UserId};
use crate::merge_rules::MergeRules;
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;

/// An organization with the data that decides one user's permissions on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationForUser {
    /// The organization.
    pub organization: Organization,
    /// The user's membership in it.
    pub membership: Option<Membership>,
    /// Whether the user owns a team of the organization.
    pub owns_team: bool,
}

/// Stores organizations. Before writing, a caller must lock the organization, unless it is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait OrganizationStore: Send {
    /// The organization, with the data that decides the access of `user`. Changes of memberships lock the organization.
    async fn find<'a>(
        &mut self,
        id: &OrganizationId,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<OrganizationForUser>>;
    /// The organizations with these ids, with the data that decides the access of `user`, in any order.
    async fn find_many<'a>(
        &mut self,
        ids: &[OrganizationId],
        user: Option<&'a UserId>,
    ) -> StoreResult<Vec<OrganizationForUser>>;
    /// The merge rules of the organization.
    async fn merge_rules(&mut self, id: &OrganizationId) -> StoreResult<Option<MergeRules>>;
    /// The organizations of `user` (active memberships only), with the data that decides the user's access, or all
    /// organizations; by id.
    async fn list<'a>(
        &mut self,
        user: Option<&'a UserId>,
        page: &PageRequest,
    ) -> StoreResult<Page<OrganizationForUser>>;
    /// The organizations that users with a verified address of this domain may join, with the data that decides the
    /// access of `user`; by id, at most `limit`.
    async fn admitting(&mut self, domain: &str, user: &UserId, limit: usize) -> StoreResult<Vec<OrganizationForUser>>;
    /// The organization with this host name, with the data that decides the access of `user`.
    async fn with_hostname<'a>(
        &mut self,
        hostname: &str,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<OrganizationForUser>>;
    /// Inserts the organization or updates all its fields. A host name of another organization is a conflict called
    /// `hostname`.
    async fn save(&mut self, organization: &Organization) -> StoreResult<()>;
    /// The agent instructions, if they were ever written.
    async fn agent_instructions(&mut self, id: &OrganizationId) -> StoreResult<Option<AgentInstructions>>;
    /// Writes the agent instructions.
    async fn save_agent_instructions(
        &mut self,
        id: &OrganizationId,
        instructions: &AgentInstructions,
    ) -> StoreResult<()>;
}
