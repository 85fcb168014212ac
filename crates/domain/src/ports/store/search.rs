//! The search index of primary content.
use super::StoreResult;
use crate::content::search::{Candidate, Condition, IndexedPage, SectionId, SectionText};
use crate::id::{PageId, ReusableContentId, SpaceId};
use async_trait::async_trait;
use std::collections::BTreeSet;

/// Indexes the sections of pages, in the unit of work that changes a space's primary content, and finds matching
/// sections. Terms and ranking come from the domain ([`crate::content::search`]), so both databases return the same
/// results.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SearchIndex: Send {
    /// The pages whose entries depend on the text of any of these reusable contents
    /// ([`IndexedPage::contents`]), by id.
    async fn including(&mut self, space: &SpaceId, contents: &BTreeSet<ReusableContentId>) -> StoreResult<Vec<PageId>>;
    /// The first space after `after`, by id, with entries that an earlier version of the indexer made. Includes deleted
    /// spaces, because they can be restored.
    async fn outdated<'a>(&mut self, version: u32, after: Option<&'a SpaceId>) -> StoreResult<Option<SpaceId>>;
    /// Records that this version of the indexer made all entries of a space. A space gets the current version when its
    /// first page is inserted.
    async fn set_version(&mut self, space: &SpaceId, version: u32) -> StoreResult<()>;
    /// Removes pages from the index.
    async fn remove(&mut self, space: &SpaceId, pages: &[PageId]) -> StoreResult<()>;
    /// Adds pages that are not in the index. Their order decides between equally good matches.
    async fn insert(&mut self, space: &SpaceId, pages: &[IndexedPage]) -> StoreResult<()>;
    /// Stores words permanently, for the correction of mistyped ones. Must be called once per unit of work with all
    /// words: otherwise two units of work could store words in different orders and deadlock.
    async fn add_words(&mut self, words: &BTreeSet<String>) -> StoreResult<()>;
    /// The stored words that have one of these variants ([`crate::content::search::variants`]). They may come from any
    /// space: use them only to search in spaces that the caller may see.
    async fn words_with_variant(&mut self, variants: &[String]) -> StoreResult<Vec<String>>;
    /// The sections in these spaces that match the first condition, in the order of insertion, at most `limit`. The
    /// other conditions are narrower forms of it, the most important one first: if more sections match than `limit`,
    /// those that match the second condition are chosen first, then those that match the third, and so on, and then any;
    /// of those that match the same one, the sections that were inserted first.
    async fn candidates(
        &mut self,
        spaces: &[SpaceId],
        conditions: &[Condition],
        limit: usize,
    ) -> StoreResult<Vec<Candidate>>;
    /// For each condition, whether a section in these spaces matches it.
    async fn occurring(&mut self, spaces: &[SpaceId], conditions: &[Condition]) -> StoreResult<Vec<bool>>;
    /// The texts of these sections, in any order.
    async fn texts(&mut self, sections: &[SectionId]) -> StoreResult<Vec<SectionText>>;
}
