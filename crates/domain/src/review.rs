//! Reviews of change requests, and requests for reviews.
use crate::id::{ChangeRequestId, ReviewId, RevisionId, UserId};
use crate::words;
use chrono::{DateTime, Utc};

words! {
    /// The verdict of a reviewer.
    pub enum Verdict {
        /// The reviewer requests changes.
        ChangesRequested = "changes-requested",
        /// It may be merged.
        Approved = "approved",
    }
}

/// A review of a change request at one of its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The id.
    pub id: ReviewId,
    /// The reviewed change request.
    pub change_request: ChangeRequestId,
    /// The revision of the change request that was reviewed.
    pub revision: RevisionId,
    /// The user who reviewed it.
    pub reviewer: UserId,
    /// The user who requested the review; absent if there was no request.
    pub requested_by: Option<UserId>,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the review no longer counts: the same reviewer submitted a newer review, a newer review was requested
    /// from the reviewer, or the review ended.
    pub outdated: bool,
    /// When it was submitted.
    pub created_at: DateTime<Utc>,
    /// When it was submitted or became outdated.
    pub updated_at: DateTime<Utc>,
    /// Whether the space was transferred to another organization since. An ended review never counts again.
    pub ended: bool,
}

/// A user from whom a review of a change request is requested, and who has not submitted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedReviewer {
    /// The change request.
    pub change_request: ChangeRequestId,
    /// The requested reviewer.
    pub user: UserId,
    /// The revision of the change request at the time of the request.
    pub revision: RevisionId,
    /// The user who requested the review; absent for the server's operator.
    pub requested_by: Option<UserId>,
    /// When the review was requested.
    pub created_at: DateTime<Utc>,
}

words! {
    /// A way of contributing to a change request.
    #[derive(PartialOrd, Ord)]
    pub enum ContributorAction {
        /// By editing its content.
        Edit = "edit",
        /// By commenting on it.
        Comment = "comment",
    }
}

/// The contributions of one user to a change request in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The user.
    pub user: UserId,
    /// The way of contributing.
    pub action: ContributorAction,
    /// Number of contributions.
    pub count: u32,
    /// When the last contribution was made.
    pub updated_at: DateTime<Utc>,
}
