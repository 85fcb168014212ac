//! Grants: what spaces and collections say about users and teams by name.
use super::StoreResult;
use crate::access::{Grants, Membership, Role, Shelf};
use crate::id::{CollectionId, OrganizationId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::place::{PlaceId, Subject};
use crate::team::Team;
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// What the places of an organization say about one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Every collection.
    pub collections: HashMap<CollectionId, Shelf>,
    /// The spaces with a grant to the user or one of the user's teams.
    pub spaces: HashMap<SpaceId, Grants>,
}

/// Somebody who belongs to an organization, with the grants on some places, in the order of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Who it is.
    pub user: UserId,
    /// The membership.
    pub membership: Membership,
    /// The grants on each of the places.
    pub grants: Vec<Grants>,
}

/// Stores grants. Whoever changes one has locked the place that it is on.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GrantStore: Send {
    /// What the places of an organization say about a user.
    async fn said(&mut self, organization: &OrganizationId, user: &UserId) -> StoreResult<Said>;
    /// Everybody who belongs to an organization, by id, with the grants on some of its places.
    async fn seats(&mut self, organization: &OrganizationId, places: &[PlaceId]) -> StoreResult<Vec<Seat>>;
    /// Whether these subjects are of the organization: users who belong to it, and teams of it. The first that is not.
    async fn outsider(&mut self, organization: &OrganizationId, subjects: &[Subject]) -> StoreResult<Option<Subject>>;
    /// The grants on a place to some subjects.
    async fn find(&mut self, place: &PlaceId, subjects: &[Subject]) -> StoreResult<Vec<(Subject, Option<Role>)>>;
    /// Gives each subject this role on a place, in place of what was granted before.
    async fn save(
        &mut self,
        organization: &OrganizationId,
        place: &PlaceId,
        subjects: &[Subject],
        role: Option<Role>,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Gives everybody on a new place what they were granted on another one of the same organization.
    async fn copy(&mut self, from: &PlaceId, to: &PlaceId, at: DateTime<Utc>) -> StoreResult<()>;
    /// Takes a grant back. Whether there was one.
    async fn remove(&mut self, place: &PlaceId, subject: &Subject) -> StoreResult<bool>;
    /// Takes every grant on these places back.
    async fn clear(&mut self, places: &[PlaceId]) -> StoreResult<()>;
    /// The users with a grant on a place, by id.
    async fn users(&mut self, place: &PlaceId, page: &PageRequest) -> StoreResult<Page<(User, Option<Role>)>>;
    /// The teams with a grant on a place, by id.
    async fn teams(&mut self, place: &PlaceId, page: &PageRequest) -> StoreResult<Page<(Team, Option<Role>)>>;
}
