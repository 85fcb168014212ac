//! Spaces.
use super::StoreResult;
use crate::access::{Membership, Place};
use crate::id::{OrganizationId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::space::Space;
use async_trait::async_trait;

/// A space with all that decides the level of one user on it: the membership in its organization, and what the
/// places from the space outwards say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The space.
    pub space: Space,
    /// The user's membership in the space's organization.
    pub membership: Option<Membership>,
    /// The space itself first, then the collections around it.
    pub places: Vec<Place>,
}

/// Stores spaces.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SpaceStore: Send {
    /// The space with what decides the level of `user` on it, in one query. Locked in a writing unit of work.
    async fn find<'a>(&mut self, id: &SpaceId, user: Option<&'a UserId>) -> StoreResult<Option<Reach>>;
    /// The spaces of an organization that `user` has a level of at least reading on (all of them when no user is
    /// given), by id. The filter is part of the query, so a page is never short for what is hidden.
    async fn list<'a>(
        &mut self,
        organization: &OrganizationId,
        user: Option<&'a UserId>,
        page: &PageRequest,
    ) -> StoreResult<Page<Reach>>;
    /// Inserts the space or writes all of it.
    async fn save(&mut self, space: &Space) -> StoreResult<()>;
}
