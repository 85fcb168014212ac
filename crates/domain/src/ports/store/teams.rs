//! Teams.
use super::StoreResult;
use crate::id::{OrganizationId, TeamId, UserId};
use crate::paging::{Page, PageRequest};
use crate::team::{Team, TeamRole};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// A filter for teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamFilter {
    /// Owned by this user.
    pub owner: Option<UserId>,
    /// With this user as a member.
    pub member: Option<UserId>,
    /// With this text in the title, ignoring case.
    pub title: Option<String>,
}

/// The number of members and of spaces of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamCounts {
    /// Members of the team.
    pub members: u32,
    /// Spaces with a grant to the team.
    pub spaces: u32,
}

/// Stores teams and their members. Before changing either, a caller must lock the organization.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TeamStore: Send {
    /// A team of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &TeamId) -> StoreResult<Option<Team>>;
    /// Teams of an organization that match a filter, by id.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        filter: &TeamFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<Team>>;
    /// The roles of a user in these teams; teams that the user does not belong to are left out.
    async fn roles_of_user(&mut self, teams: &[TeamId], user: &UserId) -> StoreResult<BTreeMap<TeamId, TeamRole>>;
    /// The roles of these users in a team; users who do not belong to it are left out.
    async fn roles_of_users(&mut self, team: &TeamId, users: &[UserId]) -> StoreResult<BTreeMap<UserId, TeamRole>>;
    /// The counts for these teams; teams with none are left out.
    async fn counts(&mut self, teams: &[TeamId]) -> StoreResult<BTreeMap<TeamId, TeamCounts>>;
    /// Inserts the team or updates all its fields.
    async fn save(&mut self, team: &Team) -> StoreResult<()>;
    /// Removes a team with its grants. Returns whether there was one.
    async fn remove(&mut self, organization: &OrganizationId, id: &TeamId) -> StoreResult<bool>;
    /// The members of a team, by user.
    async fn members(&mut self, team: &TeamId, page: &PageRequest) -> StoreResult<Page<(UserId, TeamRole)>>;
    /// Adds users to a team with the role of a member; users who already belong to it keep their role.
    async fn add_members(&mut self, team: &TeamId, users: &[UserId], at: DateTime<Utc>) -> StoreResult<()>;
    /// Sets the roles of users in a team; users who do not belong to it are added.
    async fn set_roles(
        &mut self,
        team: &TeamId,
        roles: &BTreeMap<UserId, TeamRole>,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Removes users from a team. Returns how many belonged to it.
    async fn remove_members(&mut self, team: &TeamId, users: &[UserId]) -> StoreResult<usize>;
}
