//! Revisions, and the immutable objects they are made of.
use super::StoreResult;
use crate::content::object::Hash;
use crate::content::revision::Revision;
use crate::id::{RevisionId, SpaceId};
use async_trait::async_trait;
use bytes::Bytes;

/// Stores content. Objects are named by their hash and never change, so they may be cached without limit of time.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContentStore: Send {
    /// Loads objects, each checked against its name; those that are not stored are left out of the answer.
    async fn objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<(Hash, Bytes)>>;
    /// Stores objects; those that are stored already are left alone.
    async fn put_objects(&mut self, objects: Vec<(Hash, Bytes)>) -> StoreResult<()>;
    /// Sees to it that objects which are stored stay so, as storing them again would. Answers those that are not stored.
    async fn keep_objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<Hash>>;
    /// A revision of a space.
    async fn revision(&mut self, space: &SpaceId, id: &RevisionId) -> StoreResult<Option<Revision>>;
    /// Inserts a revision. Revisions never change.
    async fn insert_revision(&mut self, revision: &Revision) -> StoreResult<()>;
    /// Notes that revisions of the space hold these documents.
    async fn note_documents(&mut self, space: &SpaceId, documents: &[Hash]) -> StoreResult<()>;
    /// Whether any revision of the space ever held the document. A hash alone must open nothing: without this a
    /// guess at somebody else's text could be confirmed.
    async fn holds_document(&mut self, space: &SpaceId, document: &Hash) -> StoreResult<bool>;
}
