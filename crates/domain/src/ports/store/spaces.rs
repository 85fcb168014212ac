//! Spaces.
use super::StoreResult;
use crate::access::{Membership, OrganizationAccess, Place, Within};
use crate::id::{CollectionId, OrganizationId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::space::Space;
use crate::text::Language;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A space or a collection with the data for one user's level: the membership in the organization, and the access rules
/// of the object and of the places around it, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForUser<T> {
    /// The object.
    pub entity: T,
    /// The user's membership in the object's organization.
    pub membership: Option<Membership>,
    /// The access rules of the object itself first, then those of the collections around it. Empty if places do not
    /// apply ([`crate::access::OrganizationAccess::depends_on_places`]).
    pub places: Vec<Place>,
}

/// A filter for the spaces of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceFilter {
    /// The organization.
    pub organization: OrganizationId,
    /// Spaces within this access.
    pub within: Within,
    /// Spaces that are also within this access, of another user.
    pub also_within: Within,
    /// Only spaces directly in this collection.
    pub parent: Option<CollectionId>,
    /// Only spaces deleted after this time; if absent, only spaces that are not deleted.
    pub deleted_after: Option<DateTime<Utc>>,
}

impl SpaceFilter {
    /// All spaces of an organization that a user may read.
    pub fn of(organization: &OrganizationId, organization_access: &OrganizationAccess) -> Self {
        Self {
            organization: organization.clone(),
            within: organization_access.readable(),
            also_within: Within::Everything,
            parent: None,
            deleted_after: None,
        }
    }
}

/// Stores spaces. Before writing, a caller must lock the space, unless it is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SpaceStore: Send {
    /// The space, deleted or not, with the data that decides the level of `user` on it.
    async fn find<'a>(&mut self, id: &SpaceId, user: Option<&'a UserId>) -> StoreResult<Option<ForUser<Space>>>;
    /// The spaces with these ids that are not deleted, in any order.
    async fn find_many(&mut self, ids: &[SpaceId]) -> StoreResult<Vec<Space>>;
    /// The spaces that match a filter, in order: the order that they had when the first page was read
    /// ([`CollectionStore::record_positions`](super::CollectionStore::record_positions)). `None` if that order is no
    /// longer known. The query includes the access check, so hidden spaces do not make a page shorter.
    async fn list(&mut self, filter: &SpaceFilter, page: &PageRequest) -> StoreResult<Option<Page<Space>>>;
    /// The languages of the spaces that match a filter.
    async fn languages(&mut self, filter: &SpaceFilter) -> StoreResult<Vec<(SpaceId, Option<Language>)>>;
    /// The spaces in these collections, including deleted ones, by id.
    async fn within(&mut self, collections: &[CollectionId]) -> StoreResult<Vec<Space>>;
    /// Whether the space exists and is not deleted.
    async fn exists(&mut self, id: &SpaceId) -> StoreResult<bool>;
    /// Inserts the space or updates all its fields, except the number of open comments.
    async fn save(&mut self, space: &Space) -> StoreResult<()>;
    /// Adds to the number of open comments of a space. This needs no lock, and waits for no other unit of work.
    async fn count_comments(&mut self, id: &SpaceId, change: i32) -> StoreResult<()>;
}
