//! Teams.
use super::StoreResult;
use crate::id::{OrganizationId, TeamId, UserId};
use crate::paging::{Page, PageRequest};
use crate::team::{Team, TeamRole};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Which teams are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamFilter {
    /// That this user owns.
    pub owner: Option<UserId>,
    /// That this user belongs to.
    pub member: Option<UserId>,
    /// With this in their title, in whatever case.
    pub title: Option<String>,
}

/// What there is to a team, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Who belongs to it.
    pub members: u32,
    /// Spaces given to it.
    pub spaces: u32,
}

/// Stores teams, and who belongs to them. Whoever changes either has locked the organization.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TeamStore: Send {
    /// A team of an organization.
    async fn find(&mut self, organization: &OrganizationId, id: &TeamId) -> StoreResult<Option<Team>>;
    /// Teams of an organization that a filter lets through, by id.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        filter: &TeamFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<Team>>;
    /// What a user is in these teams; those that the user does not belong to are left out.
    async fn roles(&mut self, teams: &[TeamId], user: &UserId) -> StoreResult<BTreeMap<TeamId, TeamRole>>;
    /// What there is to these teams; those that have nothing are left out.
    async fn extents(&mut self, teams: &[TeamId]) -> StoreResult<BTreeMap<TeamId, Extent>>;
    /// Inserts the team or writes all of it.
    async fn save(&mut self, team: &Team) -> StoreResult<()>;
    /// Takes a team away, with what was given to it. Whether it was there.
    async fn remove(&mut self, organization: &OrganizationId, id: &TeamId) -> StoreResult<bool>;
    /// Who belongs to a team, by user.
    async fn members(&mut self, team: &TeamId, page: &PageRequest) -> StoreResult<Page<(UserId, TeamRole)>>;
    /// Adds users to a team, as members; those who belong to it already stay what they are.
    async fn add_members(&mut self, team: &TeamId, users: &[UserId], at: DateTime<Utc>) -> StoreResult<()>;
    /// Says what users are in a team; those who do not belong to it are added.
    async fn set_roles(
        &mut self,
        team: &TeamId,
        roles: &BTreeMap<UserId, TeamRole>,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Takes users out of a team. How many belonged to it.
    async fn remove_members(&mut self, team: &TeamId, users: &[UserId]) -> StoreResult<usize>;
}
