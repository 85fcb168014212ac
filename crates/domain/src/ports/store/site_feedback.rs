//! Feedback of visitors on pages of docs sites.
use super::StoreResult;
use crate::id::{PageId, SiteFeedbackId, SiteId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::site::feedback::{FeedbackRating, SiteFeedback};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A filter for the feedback of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackFilter {
    /// Only with this rating.
    pub rating: Option<FeedbackRating>,
    /// Only on this page.
    pub page: Option<PageId>,
}

/// The feedback with one rating on the pages of one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackTally {
    /// The space.
    pub space: SpaceId,
    /// The rating.
    pub rating: FeedbackRating,
    /// The number of ratings.
    pub count: usize,
}

/// Stores feedback. The lock of the site covers it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SiteFeedbackStore: Send {
    /// Feedback on a page of a site.
    async fn find(&mut self, site: &SiteId, id: &SiteFeedbackId) -> StoreResult<Option<SiteFeedback>>;
    /// The feedback on the pages of these spaces by id; on all pages of the site without spaces.
    async fn list<'a>(
        &mut self,
        site: &SiteId,
        spaces: Option<&'a [SpaceId]>,
        filter: &FeedbackFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<SiteFeedback>>;
    /// The number of ratings of a site, or of one page, by space and rating.
    async fn tally<'a>(&mut self, site: &SiteId, page: Option<&'a PageId>) -> StoreResult<Vec<FeedbackTally>>;
    /// Adds feedback. A shared lock of the site is enough, so that visitors do not wait for each other.
    async fn add(&mut self, feedback: &SiteFeedback) -> StoreResult<()>;
    /// When the newest feedback of a site was sent.
    async fn newest(&mut self, site: &SiteId) -> StoreResult<Option<DateTime<Utc>>>;
    /// Removes the oldest feedback of a site, so that `most` is left, which takes time in proportion to `most`. A shared
    /// lock of the site is enough.
    async fn trim(&mut self, site: &SiteId, most: usize) -> StoreResult<()>;
    /// Removes feedback.
    async fn remove(&mut self, site: &SiteId, id: &SiteFeedbackId) -> StoreResult<()>;
}
