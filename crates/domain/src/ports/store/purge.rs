//! Removing what was deleted for good, a portion at a time: no unit of work is long, whatever the size of a space.
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
    /// Removes some of what a space has besides its revisions: change requests with all that belongs to them, entries of
    /// the search index, the list of its documents. At most `limit` of each; says how many. None means that nothing is
    /// left.
    async fn remove_some(&mut self, space: &SpaceId, limit: usize) -> StoreResult<usize>;
    /// Removes a space that has nothing left.
    async fn remove_space(&mut self, space: &SpaceId) -> StoreResult<()>;
    /// Removes a collection in which nothing stands.
    async fn remove_collection(&mut self, collection: &CollectionId) -> StoreResult<()>;
}
