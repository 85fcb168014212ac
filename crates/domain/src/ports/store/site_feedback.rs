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

/// Stores feedback. The lock of the site covers it, except that new feedback takes no lock.
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
    /// Adds feedback. This needs no lock. It waits only for a unit of work that removes the site, the space on it, or
    /// the space of the page, or that changes the basename or the host name of the site. A conflict named `page` means
    /// that the site or one of these spaces is removed.
    async fn add(&mut self, feedback: &SiteFeedback) -> StoreResult<()>;
    /// When the newest feedback of a site was sent.
    async fn newest(&mut self, site: &SiteId) -> StoreResult<Option<DateTime<Utc>>>;
    /// Removes the oldest feedback of a site, so that `most` is left, which takes time in proportion to `most`. This
    /// needs no lock, and waits for no other unit of work: feedback that another one changes stays until the next call.
    async fn trim(&mut self, site: &SiteId, most: usize) -> StoreResult<()>;
    /// Removes feedback.
    async fn remove(&mut self, site: &SiteId, id: &SiteFeedbackId) -> StoreResult<()>;
}
