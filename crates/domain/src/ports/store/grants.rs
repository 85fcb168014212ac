//! Grants on spaces, collections and sites to users and teams.
use super::StoreResult;
use super::members::{MemberSort, RoleFilter};
use crate::access::{Grants, Membership, PlaceRules, Role, SpaceReaders, UserGrants};
use crate::id::{OrganizationId, TeamId, UserId};
use crate::member::Member;
use crate::paging::{Page, PageRequest};
use crate::place::{GrantTarget, Grantee};
use crate::team::Team;
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// A member of an organization with the grants on some places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberGrants {
    /// The user.
    pub user: UserId,
    /// The membership.
    pub membership: Membership,
    /// The grants on the places; a place without any is left out.
    pub grants: HashMap<GrantTarget, Grants>,
}

/// A filter for the users with access to a place, and their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessFilter {
    /// With exactly this effective role. Everyone with access has one, so no user matches [`RoleFilter::Guest`].
    pub role: RoleFilter,
    /// With this text in the name or email address, ignoring case.
    pub search: Option<String>,
    /// Members of this team.
    pub team: Option<TeamId>,
    /// The order. Unlike in the list of members, users who were never seen are not left out: they were seen before all
    /// others.
    pub sort: MemberSort,
}

/// The members with access to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessQuery {
    /// The rules of the place and of those around it, from the inside out. They decide as in
    /// [`decide`](crate::access::decide).
    pub rules: Vec<PlaceRules>,
    /// For a site: members without a level on it who read it nevertheless. They have the role [`Role::Read`].
    pub space_readers: Option<SpaceReaders>,
    /// Which of them, and in which order.
    pub filter: AccessFilter,
}

/// Stores grants. Before changing one, a caller must lock the place.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GrantStore: Send {
    /// The access rules of the places of these organizations for a user.
    async fn of_user(&mut self, organizations: &[OrganizationId], user: &UserId) -> StoreResult<UserGrants>;
    /// The members of an organization with access to a place of it.
    async fn members_with_access(
        &mut self,
        organization: &OrganizationId,
        query: &AccessQuery,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>>;
    /// The users with a grant on one of these places that denies access, to themselves or to a team, by id.
    async fn denied(&mut self, places: &[GrantTarget]) -> StoreResult<Vec<UserId>>;
    /// Those of these users who are members of an organization, with the grants on some of its places.
    async fn of_some_members(
        &mut self,
        organization: &OrganizationId,
        users: &[UserId],
        places: &[GrantTarget],
    ) -> StoreResult<Vec<MemberGrants>>;
    /// Checks that subjects belong to the organization: users as members, and teams. Returns the first that does not.
    async fn outsider(&mut self, organization: &OrganizationId, subjects: &[Grantee]) -> StoreResult<Option<Grantee>>;
    /// The grants on a place to some subjects.
    async fn find(&mut self, place: &GrantTarget, subjects: &[Grantee]) -> StoreResult<Vec<(Grantee, Option<Role>)>>;
    /// Gives each subject this role on a place; replaces existing grants.
    async fn save(
        &mut self,
        organization: &OrganizationId,
        place: &GrantTarget,
        subjects: &[Grantee],
        role: Option<Role>,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Copies all grants from one place to a new place of the same organization.
    async fn copy(&mut self, from: &GrantTarget, to: &GrantTarget, at: DateTime<Utc>) -> StoreResult<()>;
    /// Removes a grant. Returns whether there was one.
    async fn remove(&mut self, place: &GrantTarget, subject: &Grantee) -> StoreResult<bool>;
    /// Removes all grants on these places.
    async fn clear(&mut self, places: &[GrantTarget]) -> StoreResult<()>;
    /// The users with a grant on a place, by id.
    async fn users(&mut self, place: &GrantTarget, page: &PageRequest) -> StoreResult<Page<(User, Option<Role>)>>;
    /// The teams with a grant on a place, by id.
    async fn teams(&mut self, place: &GrantTarget, page: &PageRequest) -> StoreResult<Page<(Team, Option<Role>)>>;
}
