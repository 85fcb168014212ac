//! Collections, and the order of the items in them.
use super::StoreResult;
use super::spaces::ForUser;
use crate::access::{DefaultLevel, Within};
use crate::collection::Collection;
use crate::content::order::OrderKey;
use crate::id::{CollectionId, OrganizationId, UserId};
use crate::paging::{Page, PageRequest};
use crate::place::PlaceId;
use async_trait::async_trait;

/// An item in a collection, or at the top level of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The id.
    pub id: PlaceId,
    /// Its order key.
    pub position: OrderKey,
    /// Role of members without a grant of their own.
    pub default_level: DefaultLevel,
    /// Whether it is deleted.
    pub deleted: bool,
}

/// Stores collections. Before writing, a caller must lock the collection, unless it is new.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CollectionStore: Send {
    /// The collection, deleted or not, with the data that decides the level of `user` on it.
    async fn find<'a>(
        &mut self,
        id: &CollectionId,
        user: Option<&'a UserId>,
    ) -> StoreResult<Option<ForUser<Collection>>>;
    /// The collections with these ids that are not deleted, in any order.
    async fn find_many(&mut self, ids: &[CollectionId]) -> StoreResult<Vec<Collection>>;
    /// The readable collections of an organization, in the order that they had when the first page was read; only those
    /// at the top level if `top` is set. `None` if that order is no longer known.
    async fn list(
        &mut self,
        organization: &OrganizationId,
        readable: &Within,
        top: bool,
        page: &PageRequest,
    ) -> StoreResult<Option<Page<Collection>>>;
    /// The collection and all collections in it, at any depth, including deleted ones, by id.
    async fn within(&mut self, id: &CollectionId) -> StoreResult<Vec<Collection>>;
    /// The collection and those around it, from the inside out, with their default levels.
    async fn around(&mut self, id: &CollectionId) -> StoreResult<Vec<(CollectionId, DefaultLevel)>>;
    /// Every collection of an organization, with its parent and its default level, in any order.
    async fn tree(
        &mut self,
        organization: &OrganizationId,
    ) -> StoreResult<Vec<(CollectionId, Option<CollectionId>, DefaultLevel)>>;
    /// Inserts the collection or updates all its fields.
    async fn save(&mut self, collection: &Collection) -> StoreResult<()>;
    /// The items in a collection, or at the top level of an organization, in order. Includes deleted ones, which keep
    /// their position.
    async fn children<'a>(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&'a CollectionId>,
    ) -> StoreResult<Vec<Child>>;
    /// The order key of the last of these items.
    async fn last<'a>(
        &mut self,
        organization: &OrganizationId,
        parent: Option<&'a CollectionId>,
    ) -> StoreResult<Option<OrderKey>>;
    /// Records the order keys of items of an organization. Call it before they change and before an item leaves the
    /// organization, which must be locked. So lists that clients are reading page by page keep their order.
    async fn record_positions(&mut self, organization: &OrganizationId, items: &[PlaceId]) -> StoreResult<()>;
    /// Sets the order keys of siblings. They must be locked.
    async fn rearrange(&mut self, order: &[(PlaceId, OrderKey)]) -> StoreResult<()>;
}
