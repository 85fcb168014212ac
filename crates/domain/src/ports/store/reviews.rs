//! Reviews, and who is asked for one.
use super::StoreResult;
use crate::id::{ChangeRequestId, ReviewId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::review::{RequestedReviewer, Review};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores reviews.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ReviewStore: Send {
    /// A review of a change request.
    async fn find(&mut self, change_request: &ChangeRequestId, id: &ReviewId) -> StoreResult<Option<Review>>;
    /// Reviews of a change request, by id; only outdated ones, or only others, when that is said.
    async fn list(
        &mut self,
        change_request: &ChangeRequestId,
        outdated: Option<bool>,
        page: &PageRequest,
    ) -> StoreResult<Page<Review>>;
    /// The reviews that count: those that are not outdated.
    async fn current(&mut self, change_request: &ChangeRequestId) -> StoreResult<Vec<Review>>;
    /// The newest review by a user, outdated or not.
    async fn newest(&mut self, change_request: &ChangeRequestId, user: &UserId) -> StoreResult<Option<Review>>;
    /// Inserts the review or writes all of it.
    async fn save(&mut self, review: &Review) -> StoreResult<()>;
    /// Who is asked, by user.
    async fn requested(&mut self, change_request: &ChangeRequestId) -> StoreResult<Vec<RequestedReviewer>>;
    /// Asks somebody; a request takes the place of an older one to the same user.
    async fn request(&mut self, request: &RequestedReviewer) -> StoreResult<()>;
    /// Asks somebody no longer. Whether that user was asked.
    async fn withdraw(&mut self, change_request: &ChangeRequestId, user: &UserId) -> StoreResult<bool>;
    /// Asks nobody any more in any change request of these spaces, and lets no review count of those that are not merged.
    async fn end(&mut self, spaces: &[SpaceId], at: DateTime<Utc>) -> StoreResult<()>;
}
