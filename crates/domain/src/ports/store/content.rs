//! Revisions, and the immutable objects that they consist of.
use super::StoreResult;
use crate::content::changes::FormerAnchor;
use crate::content::object::Hash;
use crate::content::revision::Revision;
use crate::id::{PageId, RevisionId, SpaceId};
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use bytes::Bytes;

/// Stores content. Objects are identified by their hash and never change, so they can be cached forever.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContentStore: Send {
    /// Loads objects and checks each against its hash. Objects that are not stored are left out.
    async fn objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<(Hash, Bytes)>>;
    /// Stores objects; objects that are already stored are not changed.
    async fn put_objects(&mut self, objects: Vec<(Hash, Bytes)>) -> StoreResult<()>;
    /// Keeps stored objects from being collected, as storing them again would. Returns the ones that are not stored.
    async fn keep_objects(&mut self, hashes: &[Hash]) -> StoreResult<Vec<Hash>>;
    /// The revisions with these ids, in any order.
    async fn revisions(&mut self, ids: &[RevisionId]) -> StoreResult<Vec<Revision>>;
    /// A revision of a space.
    async fn revision(&mut self, space: &SpaceId, id: &RevisionId) -> StoreResult<Option<Revision>>;
    /// The revisions that are, or were, the content of a space, by their time.
    async fn primary_revisions(&mut self, space: &SpaceId, page: &PageRequest) -> StoreResult<Page<Revision>>;
    /// Inserts a revision. Revisions never change.
    async fn insert_revision(&mut self, revision: &Revision) -> StoreResult<()>;
    /// Records that revisions of the space contain these documents.
    async fn record_documents(&mut self, space: &SpaceId, documents: &[Hash]) -> StoreResult<()>;
    /// Whether any revision of the space ever contained the document. A hash alone must not give access: otherwise a
    /// caller could confirm a guess at a text of another space.
    async fn holds_document(&mut self, space: &SpaceId, document: &Hash) -> StoreResult<bool>;
    /// Records paths that pages of the primary content had. Of two pages that had a path, the later one is kept; case
    /// does not matter.
    async fn record_former_paths(&mut self, space: &SpaceId, paths: Vec<(String, PageId)>) -> StoreResult<()>;
    /// The pages that last had some paths of the primary content, in the order of the paths. They may be deleted.
    async fn former_pages(&mut self, space: &SpaceId, paths: &[String]) -> StoreResult<Vec<Option<PageId>>>;
    /// All paths that pages of the primary content had, in no order.
    async fn former_paths(&mut self, space: &SpaceId) -> StoreResult<Vec<String>>;
    /// Records anchors that headings of pages of the primary content had, the newest first for each page. At least
    /// [`MAX_FORMER_ANCHORS`](crate::content::changes::MAX_FORMER_ANCHORS) of a page are kept, unless the same ones
    /// were recorded many times.
    async fn record_former_anchors(
        &mut self,
        space: &SpaceId,
        anchors: Vec<(PageId, Vec<FormerAnchor>)>,
    ) -> StoreResult<()>;
    /// The anchors that headings of a page of the primary content had ([`FormerAnchor::newest`]).
    async fn former_anchors(&mut self, space: &SpaceId, page: &PageId) -> StoreResult<Vec<FormerAnchor>>;
}
