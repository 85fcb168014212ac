//! Reviews, review requests and contributors.
use super::comment::{Comment, comment};
use super::schemas;
use super::text::{JsonDocument, TextBody, note};
use super::user::{User, person};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::change_request::Subject;
use domain::id::{SpaceId, UserId};
use domain::patch::Patch;
use domain::review::{ContributorAction, Verdict};
use domain::text::Invalid;
use domain::usecases::change_requests::{
    RequestReviews, ShownContribution, ShownRequest, ShownReview, SubmitReview as Submit,
};
use domain::usecases::content::Format;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A review of a change request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Review {
    #[schema(example = "change-request-review")]
    object: &'static str,
    id: String,
    /// The revision of the change request that was reviewed.
    revision: String,
    reviewer: User,
    /// The user who requested the review.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_by: Option<User>,
    #[schema(value_type = schemas::ReviewStatus)]
    status: Verdict,
    /// Whether the review no longer counts: the same reviewer has a newer review or review request, or the space was
    /// transferred to another organization before the merge.
    outdated: bool,
    /// The comment of the reviewer: a comment of the change request. Absent if the caller may not see discussions.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<Comment>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    urls: ReviewUrls,
}

/// URLs of a review.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReviewUrls {
    pub(crate) location: String,
}

pub(crate) type ReviewList = List<Review>;

impl Review {
    pub(crate) fn urls(&self) -> &ReviewUrls {
        &self.urls
    }
}

/// Presents a review, with its comment in this format.
pub(crate) fn review(shown: ShownReview, space: &SpaceId, format: Format, links: &Links) -> Review {
    let ShownReview { review, reviewer, requested_by, comment: said } = shown;
    Review {
        object: "change-request-review",
        urls: ReviewUrls { location: links.review(space, &review.change_request, &review.id) },
        id: review.id.into(),
        revision: review.revision.into(),
        reviewer: person(reviewer, links),
        requested_by: requested_by.map(|asker| person(asker, links)),
        status: review.verdict,
        outdated: review.outdated,
        comment: said.map(|shown| comment(shown, format, links)),
        created_at: review.created_at,
        updated_at: review.updated_at,
    }
}

/// Filters and format of the list of reviews.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewParams {
    /// `true` returns only outdated reviews, `false` only current ones; both if absent.
    outdated: Option<bool>,
    /// The format of the comments; `document` if absent.
    #[param(inline)]
    format: Option<super::content::FormatParam>,
}

impl Wire for ReviewParams {
    /// The filter and the format.
    type Command = (Option<bool>, Format);

    fn command(self) -> Result<(Option<bool>, Format), Invalid> {
        Ok((self.outdated, self.format.map_or_else(Format::default, Format::from)))
    }
}

/// The format of a review.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewFormParams {
    /// The format of the comment; `document` if absent.
    #[param(inline)]
    format: Option<super::content::FormatParam>,
}

impl Wire for ReviewFormParams {
    type Command = Format;

    fn command(self) -> Result<Format, Invalid> {
        Ok(self.format.map_or_else(Format::default, Format::from))
    }
}

/// A review to submit.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SubmitReview {
    #[schema(value_type = schemas::ReviewStatus)]
    status: Verdict,
    /// The comment of the reviewer.
    #[serde(default)]
    comment: TextBody,
}

impl Wire for SubmitReview {
    type Command = Submit;

    fn command(self) -> Result<Submit, Invalid> {
        Ok(Submit { verdict: self.status, comment: self.comment.loose("comment")? })
    }
}

/// A user who is asked for a review.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestedReviewer {
    #[schema(example = "change-request-requested-reviewer")]
    object: &'static str,
    #[schema(example = "user")]
    kind: &'static str,
    user: User,
    /// The revision of the change request when the review was requested.
    revision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_by: Option<User>,
    created_at: DateTime<Utc>,
}

pub(crate) type RequestedReviewerList = List<RequestedReviewer>;

pub(crate) fn requested(shown: ShownRequest, links: &Links) -> RequestedReviewer {
    RequestedReviewer {
        object: "change-request-requested-reviewer",
        kind: "user",
        user: person(shown.user, links),
        revision: shown.request.revision.into(),
        requested_by: shown.requested_by.map(|asker| person(asker, links)),
        created_at: shown.request.created_at,
    }
}

/// The users who were asked.
#[derive(Serialize, ToSchema)]
pub(crate) struct RequestedReviewers {
    pub(crate) users: Vec<RequestedReviewer>,
}

/// The users to ask for a review.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RequestReviewers {
    /// User ids. Users who cannot read the space are omitted.
    #[schema(value_type = Vec<String>, min_items = 1)]
    users: Vec<UserId>,
    /// A new subject for the change request.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, max_length = 100)]
    subject: Option<Subject>,
    /// A new description for the change request; `null` removes it.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Document>)]
    description: Patch<JsonDocument>,
}

impl Wire for RequestReviewers {
    type Command = RequestReviews;

    fn command(self) -> Result<RequestReviews, Invalid> {
        let description = self.description.try_map(|text| note("description", text))?;
        Ok(RequestReviews { users: self.users, subject: self.subject, description })
    }
}

/// A user who contributed to a change request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Contributor {
    user: User,
    #[schema(value_type = schemas::ContributorAction)]
    action_type: ContributorAction,
    /// The number of contributions.
    count: u32,
    /// When the user last contributed.
    updated_at: DateTime<Utc>,
}

pub(crate) type ContributorList = List<Contributor>;

pub(crate) fn contributor(shown: ShownContribution, links: &Links) -> Contributor {
    let ShownContribution { contribution, user: who } = shown;
    Contributor {
        user: person(who, links),
        action_type: contribution.action,
        count: contribution.count,
        updated_at: contribution.updated_at,
    }
}
