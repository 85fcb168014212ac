//! Reviews, who is asked for one, and who took part.
use super::described;
use super::text::{JsonDocument, TextBody, note};
use super::user::{User, person};
use crate::input::Wire;
use crate::links::Links;
use crate::paging::List;
use chrono::{DateTime, Utc};
use domain::change_request::Subject;
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::id::{SpaceId, UserId};
use domain::patch::Patch;
use domain::review::{Action, Verdict};
use domain::text::Invalid;
use domain::usecases::change_requests::{
    RequestReviews, ShownContribution, ShownRequest, ShownReview, SubmitReview as Submit,
};
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
    /// Who asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_by: Option<User>,
    #[schema(value_type = described::ReviewStatus)]
    status: Verdict,
    /// Whether a newer review or request by the same reviewer stands in its place, or the space went to another
    /// organization before the change request was merged.
    outdated: bool,
    /// What else the reviewer says.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<ReviewComment>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    urls: ReviewUrls,
}

/// What a reviewer says, in the form of a comment. Nobody reacts or replies to it yet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewComment {
    #[schema(example = "comment")]
    object: &'static str,
    id: String,
    posted_by: User,
    posted_at: DateTime<Utc>,
    body: ReviewCommentBody,
    #[schema(example = "open")]
    status: &'static str,
    #[schema(value_type = Vec<Object>)]
    reactions: [(); 0],
    replies: u32,
    #[schema(value_type = Vec<Object>)]
    repliers: [(); 0],
    target: ReviewTarget,
    permissions: ReviewCommentPermissions,
    urls: ReviewUrls,
}

/// What a comment is about.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewTarget {
    space: String,
    change_request: String,
    revision: String,
    review: String,
}

/// What the caller may do with a comment.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReviewCommentPermissions {
    view: bool,
    edit: bool,
    delete: bool,
    reply: bool,
}

/// The text of what a reviewer says, in one of two forms.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ReviewCommentBody {
    Markdown(String),
    #[schema(value_type = described::Document)]
    Document(WireDocument<Document>),
}

/// Addresses of a review.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReviewUrls {
    pub(crate) location: String,
}

/// Reviews.
pub(crate) type ReviewList = List<Review>;

impl Review {
    /// Its addresses.
    pub(crate) fn urls(&self) -> &ReviewUrls {
        &self.urls
    }
}

/// Shows a review; what it says in Markdown where that is asked for.
pub(crate) fn review(shown: ShownReview, space: &SpaceId, as_markdown: bool, links: &Links) -> Review {
    let ShownReview { review, reviewer, requested_by } = shown;
    let body = |text: Document| match as_markdown {
        true => ReviewCommentBody::Markdown(super::conflict::markdown(&text)),
        false => ReviewCommentBody::Document(WireDocument(text)),
    };
    let urls = || ReviewUrls { location: links.review(space, &review.change_request, &review.id) };
    let comment = review.comment.clone().map(|text| ReviewComment {
        object: "comment",
        id: review.id.to_string(),
        posted_by: person(reviewer.clone(), links),
        posted_at: review.created_at,
        body: body(text),
        status: "open",
        reactions: [],
        replies: 0,
        repliers: [],
        target: ReviewTarget {
            space: space.to_string(),
            change_request: review.change_request.to_string(),
            revision: review.revision.to_string(),
            review: review.id.to_string(),
        },
        permissions: ReviewCommentPermissions { view: true, edit: false, delete: false, reply: false },
        urls: urls(),
    });
    Review {
        object: "change-request-review",
        urls: urls(),
        id: review.id.into(),
        revision: review.revision.into(),
        reviewer: person(reviewer, links),
        requested_by: requested_by.map(|asker| person(asker, links)),
        status: review.verdict,
        outdated: review.outdated,
        comment,
        created_at: review.created_at,
        updated_at: review.updated_at,
    }
}

/// Which reviews are listed, and in which form, besides the parameters of every list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewParams {
    /// `true` for outdated ones only, `false` for all others; both when absent.
    outdated: Option<bool>,
    /// The form of what reviewers say; `document` when absent.
    #[param(inline)]
    format: Option<super::content::FormatParam>,
}

impl Wire for ReviewParams {
    /// Which, and whether in Markdown.
    type Command = (Option<bool>, bool);

    fn command(self) -> Result<(Option<bool>, bool), Invalid> {
        Ok((self.outdated, matches!(self.format, Some(super::content::FormatParam::Markdown))))
    }
}

/// In which form a review is shown.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReviewFormParams {
    /// The form of what the reviewer says; `document` when absent.
    #[param(inline)]
    format: Option<super::content::FormatParam>,
}

impl Wire for ReviewFormParams {
    /// Whether in Markdown.
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(matches!(self.format, Some(super::content::FormatParam::Markdown)))
    }
}

/// A review to give.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SubmitReview {
    #[schema(value_type = described::ReviewStatus)]
    status: Verdict,
    /// What else there is to say.
    #[serde(default)]
    comment: TextBody,
}

impl Wire for SubmitReview {
    type Command = Submit;

    fn command(self) -> Result<Submit, Invalid> {
        Ok(Submit { verdict: self.status, comment: self.comment.loose("comment")? })
    }
}

/// Somebody who is asked for a review.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestedReviewer {
    #[schema(example = "change-request-requested-reviewer")]
    object: &'static str,
    #[schema(example = "user")]
    kind: &'static str,
    user: User,
    /// The revision that the change request had then.
    revision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_by: Option<User>,
    created_at: DateTime<Utc>,
}

/// Who is asked.
pub(crate) type RequestedReviewerList = List<RequestedReviewer>;

/// Shows who is asked.
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

/// Who was asked just now.
#[derive(Serialize, ToSchema)]
pub(crate) struct RequestedReviewers {
    pub(crate) users: Vec<RequestedReviewer>,
}

/// Whom to ask for a review.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RequestReviewers {
    /// Users; those who may not read the space are left out.
    #[schema(value_type = Vec<String>, min_items = 1)]
    users: Vec<UserId>,
    /// The new subject of the change request.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<String>, max_length = 100)]
    subject: Option<Subject>,
    /// Its new description; `null` takes it away.
    #[serde(default)]
    #[schema(value_type = Option<described::Document>)]
    description: Patch<JsonDocument>,
}

impl Wire for RequestReviewers {
    type Command = RequestReviews;

    fn command(self) -> Result<RequestReviews, Invalid> {
        let description = self.description.try_map(|text| note("description", text))?;
        Ok(RequestReviews { users: self.users, subject: self.subject, description })
    }
}

/// Somebody who took part in a change request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Contributor {
    user: User,
    #[schema(value_type = described::ContributorAction)]
    action_type: Action,
    /// How many times.
    count: u32,
    /// When last.
    updated_at: DateTime<Utc>,
}

/// Who took part.
pub(crate) type ContributorList = List<Contributor>;

/// Shows who took part.
pub(crate) fn contributor(shown: ShownContribution, links: &Links) -> Contributor {
    let ShownContribution { contribution, user: who } = shown;
    Contributor {
        user: person(who, links),
        action_type: contribution.action,
        count: contribution.count,
        updated_at: contribution.updated_at,
    }
}
