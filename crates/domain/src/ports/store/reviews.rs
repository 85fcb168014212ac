//! Reviews and requests for reviews.
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
    /// Reviews of a change request, by id; `outdated` selects only outdated ones or only current ones.
    async fn list(
        &mut self,
        change_request: &ChangeRequestId,
        outdated: Option<bool>,
        page: &PageRequest,
    ) -> StoreResult<Page<Review>>;
    /// The reviews that are not outdated.
    async fn current(&mut self, change_request: &ChangeRequestId) -> StoreResult<Vec<Review>>;
    /// The newest review by a user, outdated or not.
    async fn newest(&mut self, change_request: &ChangeRequestId, user: &UserId) -> StoreResult<Option<Review>>;
    /// Inserts the review or updates all its fields.
    async fn save(&mut self, review: &Review) -> StoreResult<()>;
    /// The requested reviewers, by user.
    async fn requested(&mut self, change_request: &ChangeRequestId) -> StoreResult<Vec<RequestedReviewer>>;
    /// Requests a review; replaces an older request to the same user.
    async fn request(&mut self, request: &RequestedReviewer) -> StoreResult<()>;
    /// Withdraws a request. Returns whether there was one.
    async fn withdraw(&mut self, change_request: &ChangeRequestId, user: &UserId) -> StoreResult<bool>;
    /// Withdraws all requests in change requests of these spaces, and ends all reviews of change requests that are not
    /// merged.
    async fn end(&mut self, spaces: &[SpaceId], at: DateTime<Utc>) -> StoreResult<()>;
}
