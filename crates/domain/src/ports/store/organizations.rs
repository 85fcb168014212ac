//! Organizations.
use super::StoreResult;
use crate::access::Membership;
use crate::agent_instructions::AgentInstructions;
use crate::id::{OrganizationId, UserId};
use crate::merge_rules::MergeRules;
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;

/// An organization with all that decides what one user may do with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belonging {
    /// The organization.
    pub organization: Organization,
    /// The user's membership in it.
    pub membership: Option<Membership>,
    /// Whether the user owns one of its teams.
    pub owns_team: bool,
}

/// Stores organizations. What is written has been locked, or is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait OrganizationStore: Send {
    /// The organization, with what decides about `user`. Whatever changes memberships locks the organization.
    async fn find<'a>(&mut self, id: &OrganizationId, user: Option<&'a UserId>) -> StoreResult<Option<Belonging>>;
    /// The merge rules of the organization.
    async fn merge_rules(&mut self, id: &OrganizationId) -> StoreResult<Option<MergeRules>>;
    /// The organizations of `user` (active memberships only) with what decides about the user, or all of them, by id.
    async fn list<'a>(&mut self, user: Option<&'a UserId>, page: &PageRequest) -> StoreResult<Page<Belonging>>;
    /// The organizations that let in addresses of a domain, with what decides about `user`, by id; at most `limit`.
    async fn admitting(&mut self, domain: &str, user: &UserId, limit: usize) -> StoreResult<Vec<Belonging>>;
    /// Inserts the organization or writes all of it.
    async fn save(&mut self, organization: &Organization) -> StoreResult<()>;
    /// What the organization tells agents, if it was told anything yet.
    async fn agent_instructions(&mut self, id: &OrganizationId) -> StoreResult<Option<AgentInstructions>>;
    /// Writes what the organization tells agents.
    async fn save_agent_instructions(
        &mut self,
        id: &OrganizationId,
        instructions: &AgentInstructions,
    ) -> StoreResult<()>;
}
