//! Purging deleted items in small parts, so that no unit of work is long, whatever the size of a space.
use super::StoreResult;
use crate::content::revision::Revision;
use crate::id::{CollectionId, RevisionId, SpaceId};
use async_trait::async_trait;

/// Removes spaces and collections.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PurgeStore: Send {
    /// The first revisions of a space, by id.
    async fn first_revisions(&mut self, space: &SpaceId, limit: usize) -> StoreResult<Vec<Revision>>;
    /// Removes revisions.
    async fn remove_revisions(&mut self, revisions: &[RevisionId]) -> StoreResult<()>;
    /// Removes some data of a space other than its revisions: change requests with their data, entries in the search
    /// index, the list of its documents. Removes at most `limit` of each and returns the number; 0 means that nothing
    /// is left.
    async fn remove_some(&mut self, space: &SpaceId, limit: usize) -> StoreResult<usize>;
    /// Removes a space that has no data left.
    async fn remove_space(&mut self, space: &SpaceId) -> StoreResult<()>;
    /// Removes an empty collection.
    async fn remove_collection(&mut self, collection: &CollectionId) -> StoreResult<()>;
}
