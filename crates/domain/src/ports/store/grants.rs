//! Grants on spaces, collections and sites to users and teams.
use super::StoreResult;
use crate::access::{Grants, Membership, Role, UserGrants};
use crate::id::{OrganizationId, UserId};
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
    /// When the user joined.
    pub joined_at: DateTime<Utc>,
    /// When the member was last seen.
    pub last_seen_at: Option<DateTime<Utc>>,
    /// The grants on the places; a place without any is left out.
    pub grants: HashMap<GrantTarget, Grants>,
}

/// Stores grants. Before changing one, a caller must lock the place.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GrantStore: Send {
    /// The access rules of the places of an organization for a user.
    async fn of_user(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<UserGrants>;
    /// All members of an organization, by id, with the grants on some of its places.
    async fn of_members(
        &mut self,
        organization: &OrganizationId,
        places: &[GrantTarget],
    ) -> StoreResult<Vec<MemberGrants>>;
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
