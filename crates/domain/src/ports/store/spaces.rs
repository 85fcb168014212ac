//! Spaces.
use super::StoreResult;
use crate::access::{Membership, Place, Standing, Within};
use crate::id::{CollectionId, OrganizationId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::space::Space;
use crate::text::Language;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A space or a collection with all that decides the level of one user on it: the membership in its organization, and
/// what the places from the object outwards say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach<T> {
    /// The object.
    pub entity: T,
    /// The user's membership in the object's organization.
    pub membership: Option<Membership>,
    /// The object itself first, then the collections around it. Empty where they have no say
    /// ([`crate::access::Standing::depends_on_places`]).
    pub places: Vec<Place>,
}

/// Which spaces of an organization are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceFilter {
    /// The organization.
    pub organization: OrganizationId,
    /// What of it is reached.
    pub within: Within,
    /// What of it somebody else reaches, where only what both do is wanted.
    pub also_within: Within,
    /// Only those that stand in this collection, not deeper.
    pub parent: Option<CollectionId>,
    /// Only those that were deleted after this; when absent, only those that are not deleted.
    pub deleted_after: Option<DateTime<Utc>>,
}

impl SpaceFilter {
    /// All spaces of an organization that somebody may read.
    pub fn of(organization: &OrganizationId, standing: &Standing) -> Self {
        Self {
            organization: organization.clone(),
            within: standing.readable(),
            also_within: Within::Everything,
            parent: None,
            deleted_after: None,
        }
    }
}

/// Stores spaces. What is written has been locked, or is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SpaceStore: Send {
    /// The space, deleted or not, with what decides the level of `user` on it.
    async fn find<'a>(&mut self, id: &SpaceId, user: Option<&'a UserId>) -> StoreResult<Option<Reach<Space>>>;
    /// The spaces with these ids that are not deleted, in any order.
    async fn find_many(&mut self, ids: &[SpaceId]) -> StoreResult<Vec<Space>>;
    /// The spaces that a filter lets through, in their order. What may be read is part of the query, so a page is never
    /// short for what is hidden.
    async fn list(&mut self, filter: &SpaceFilter, page: &PageRequest) -> StoreResult<Page<Space>>;
    /// The languages of the spaces that a filter lets through.
    async fn languages(&mut self, filter: &SpaceFilter) -> StoreResult<Vec<(SpaceId, Option<Language>)>>;
    /// The spaces that stand in these collections, deleted ones as well, by id.
    async fn within(&mut self, collections: &[CollectionId]) -> StoreResult<Vec<Space>>;
    /// Whether the space is there and not deleted.
    async fn is_there(&mut self, id: &SpaceId) -> StoreResult<bool>;
    /// Inserts the space or writes all of it.
    async fn save(&mut self, space: &Space) -> StoreResult<()>;
}
