//! The search index of primary content.
use super::StoreResult;
use crate::content::search::{Candidate, Condition, IndexedPage, SectionId, SectionText};
use crate::id::{PageId, SpaceId};
use async_trait::async_trait;
use std::collections::BTreeSet;

/// Indexes the sections of pages, in the unit of work that moves a space's primary content, and answers which of them
/// match. Terms and ranking are the domain's ([`crate::content::search`]), so both databases find alike.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SearchIndex: Send {
    /// Takes pages out of the index.
    async fn remove(&mut self, space: &SpaceId, pages: &[PageId]) -> StoreResult<()>;
    /// Puts pages in that are not there; their order decides where matches are equally good.
    async fn insert(&mut self, space: &SpaceId, pages: &[IndexedPage]) -> StoreResult<()>;
    /// Remembers words for the correction of mistyped ones, for ever. To be called once in a unit of work, with all
    /// words at once: two units of work that learn words in different orders could wait for each other.
    async fn learn(&mut self, words: &BTreeSet<String>) -> StoreResult<()>;
    /// The learnt words that have one of these variants ([`crate::content::search::variants`]). They may come from any
    /// space: use them for nothing but a search in spaces that the caller may see.
    async fn words_with_variant(&mut self, variants: &[String]) -> StoreResult<Vec<String>>;
    /// The sections in these spaces that match, in the order in which they were put in, at most `limit`.
    async fn matching(
        &mut self,
        spaces: &[SpaceId],
        condition: &Condition,
        limit: usize,
    ) -> StoreResult<Vec<SectionId>>;
    /// What these sections are ranked by, in any order.
    async fn candidates(&mut self, sections: &[SectionId]) -> StoreResult<Vec<Candidate>>;
    /// What of these sections is shown, in any order.
    async fn texts(&mut self, sections: &[SectionId]) -> StoreResult<Vec<SectionText>>;
}
