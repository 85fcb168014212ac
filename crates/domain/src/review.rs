//! Reviews of change requests: who was asked, and what they said.
use crate::content::document::Document;
use crate::id::{ChangeRequestId, ReviewId, RevisionId, UserId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What a reviewer says (contract.md 1.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Something must change first.
    ChangesRequested,
    /// It may be merged.
    Approved,
}

/// A review of a change request at one of its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The id.
    pub id: ReviewId,
    /// What was reviewed.
    pub change_request: ChangeRequestId,
    /// The revision of the change request that was reviewed.
    pub revision: RevisionId,
    /// Who reviewed it.
    pub reviewer: UserId,
    /// Who asked for the review; absent when nobody did.
    pub requested_by: Option<UserId>,
    /// What the reviewer says.
    pub verdict: Verdict,
    /// What else the reviewer says.
    pub comment: Option<Document>,
    /// Whether a newer review by the same reviewer, or a newer request for one, stands in its place, or it has ended.
    pub outdated: bool,
    /// When it was given.
    pub created_at: DateTime<Utc>,
    /// When it was given, or became outdated.
    pub updated_at: DateTime<Utc>,
    /// Whether the space went to another organization since: then it never counts again.
    pub ended: bool,
}

/// Somebody who is asked to review a change request, and has not yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedReviewer {
    /// The change request.
    pub change_request: ChangeRequestId,
    /// Who is asked.
    pub user: UserId,
    /// The revision that the change request had then.
    pub revision: RevisionId,
    /// Who asks; absent when the server's operator does.
    pub requested_by: Option<UserId>,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

/// How somebody took part in a change request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// By editing its content.
    Edit,
    /// By commenting on it.
    Comment,
}

/// What somebody contributed to a change request in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// Who.
    pub user: UserId,
    /// In which way.
    pub action: Action,
    /// How many times.
    pub count: u32,
    /// When last.
    pub updated_at: DateTime<Utc>,
}
