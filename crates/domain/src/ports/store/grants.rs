//! Grants of spaces and collections to users and teams.
use super::StoreResult;
use crate::access::{CollectionGrants, Grants, Membership, Role};
use crate::id::{CollectionId, OrganizationId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::place::{Grantee, PlaceId};
use crate::team::Team;
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// The access rules of the places of an organization for one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserGrants {
    /// Every collection.
    pub collections: HashMap<CollectionId, CollectionGrants>,
    /// The spaces with a grant to the user or to a team of the user.
    pub spaces: HashMap<SpaceId, Grants>,
}

/// A member of an organization with the grants on some places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberGrants {
    /// The user.
    pub user: UserId,
    /// The membership.
    pub membership: Membership,
    /// The grants on each place, in the order of the places.
    pub grants: Vec<Grants>,
}

/// Stores grants. Before changing one, a caller must lock the place.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GrantStore: Send {
    /// The access rules of the places of an organization for a user.
    async fn of_user(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<UserGrants>;
    /// All members of an organization, by id, with the grants on some of its places.
    async fn of_members(&mut self, organization: &OrganizationId, places: &[PlaceId])
    -> StoreResult<Vec<MemberGrants>>;
    /// Those of these users who are members of an organization, with the grants on some of its places.
    async fn of_some_members(
        &mut self,
        organization: &OrganizationId,
        users: &[UserId],
        places: &[PlaceId],
    ) -> StoreResult<Vec<MemberGrants>>;
    /// Checks that subjects belong to the organization: users as members, and teams. Returns the first that does not.
    async fn outsider(&mut self, organization: &OrganizationId, subjects: &[Grantee]) -> StoreResult<Option<Grantee>>;
    /// The grants on a place to some subjects.
    async fn find(&mut self, place: &PlaceId, subjects: &[Grantee]) -> StoreResult<Vec<(Grantee, Option<Role>)>>;
    /// Gives each subject this role on a place; replaces existing grants.
    async fn save(
        &mut self,
        organization: &OrganizationId,
        place: &PlaceId,
        subjects: &[Grantee],
        role: Option<Role>,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Copies all grants from one place to a new place of the same organization.
    async fn copy(&mut self, from: &PlaceId, to: &PlaceId, at: DateTime<Utc>) -> StoreResult<()>;
    /// Removes a grant. Returns whether there was one.
    async fn remove(&mut self, place: &PlaceId, subject: &Grantee) -> StoreResult<bool>;
    /// Removes all grants on these places.
    async fn clear(&mut self, places: &[PlaceId]) -> StoreResult<()>;
    /// The users with a grant on a place, by id.
    async fn users(&mut self, place: &PlaceId, page: &PageRequest) -> StoreResult<Page<(User, Option<Role>)>>;
    /// The teams with a grant on a place, by id.
    async fn teams(&mut self, place: &PlaceId, page: &PageRequest) -> StoreResult<Page<(Team, Option<Role>)>>;
}
