//! Collections, and the order of what stands in them.
use super::StoreResult;
use super::spaces::Reach;
use crate::access::{DefaultLevel, Within};
use crate::collection::Collection;
use crate::content::order::OrderKey;
use crate::id::{CollectionId, OrganizationId, UserId};
use crate::paging::{Page, PageRequest};
use crate::place::PlaceId;
use async_trait::async_trait;

/// What stands in a collection, or at the top of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Which.
    pub id: PlaceId,
    /// Its order.
    pub position: OrderKey,
    /// What it says to whom no grant names.
    pub default_level: DefaultLevel,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// Stores collections. What is written has been locked, or is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CollectionStore: Send {
    /// The collection, deleted or not, with what decides the level of `user` on it.
    async fn find<'a>(&mut self, id: &CollectionId, user: Option<&'a UserId>)
    -> StoreResult<Option<Reach<Collection>>>;
    /// The collections with these ids that are not deleted, in any order.
    async fn find_many(&mut self, ids: &[CollectionId]) -> StoreResult<Vec<Collection>>;
    /// The collections of an organization that can be read, in their order; only those at the top when `top` says so.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        readable: &Within,
        top: bool,
        page: &PageRequest,
    ) -> StoreResult<Page<Collection>>;
    /// The collection and all collections in it, at any depth, deleted ones as well, by id.
    async fn within(&mut self, id: &CollectionId) -> StoreResult<Vec<Collection>>;
    /// The collection and those around it, from the inside out, with what each says to whom no grant names.
    async fn around(&mut self, id: &CollectionId) -> StoreResult<Vec<(CollectionId, DefaultLevel)>>;
    /// Inserts the collection or writes all of it.
    async fn save(&mut self, collection: &Collection) -> StoreResult<()>;
    /// What stands in a collection, or at the top of an organization, in its order. What is deleted keeps its place.
    async fn children<'a>(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&'a CollectionId>,
    ) -> StoreResult<Vec<Child>>;
    /// The order of the last of them.
    async fn last<'a>(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&'a CollectionId>,
    ) -> StoreResult<Option<OrderKey>>;
    /// Gives siblings another order. They are locked.
    async fn rearrange(&mut self, order: &[(PlaceId, OrderKey)]) -> StoreResult<()>;
}
