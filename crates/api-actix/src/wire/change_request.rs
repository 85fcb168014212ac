//! Change requests.
use super::content::StartTemplate;
use super::described;
use super::text::{JsonDocument, note};
use super::user::{User, person};
use crate::input::Wire;
use crate::links::Links;
use crate::paging::List;
use chrono::{DateTime, Utc};
use domain::change_request::{ChangeRequestPatch, ProposedStatus, State, Status, Subject};
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::id::UserId;
use domain::patch::Patch;
use domain::ports::store::change_requests::{ChangeRequestFilter, OrderBy};
use domain::text::Invalid;
use domain::usecases::change_requests::{NewChangeRequest, Outcome, ShownChangeRequest};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A proposed change to a space.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeRequest {
    #[schema(example = "change-request")]
    object: &'static str,
    id: String,
    /// Its number in the space, from 1.
    number: u32,
    #[schema(value_type = described::ChangeRequestStatus)]
    status: Status,
    #[schema(max_length = 100)]
    subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<described::Document>)]
    description: Option<WireDocument<Document>>,
    created_by: User,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    /// The space that it changes.
    space: String,
    /// The revision that holds its content.
    revision: String,
    /// The primary revision that it was made from.
    revision_initial: String,
    /// The newest primary revision that it was brought up to date with.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_merged_ancestor: Option<String>,
    /// The primary revision that merging it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_merged: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_by: Option<User>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_at: Option<DateTime<Utc>>,
    /// Open comments.
    comments: u32,
    /// Whether the primary content has something that it does not have.
    outdated: bool,
    urls: ChangeRequestUrls,
}

/// Addresses of a change request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangeRequestUrls {
    /// For people.
    app: String,
    /// In this API.
    pub(crate) location: String,
}

/// Change requests.
pub(crate) type ChangeRequestList = List<ChangeRequest>;

impl ChangeRequest {
    /// Its addresses.
    pub(crate) fn urls(&self) -> &ChangeRequestUrls {
        &self.urls
    }
}

/// Shows a change request.
pub(crate) fn change_request(shown: ShownChangeRequest, links: &Links) -> ChangeRequest {
    let ShownChangeRequest { request, outdated, created_by, merged_by } = shown;
    let status = request.status();
    let (revision_merged, merged_at) = match request.state {
        State::Merged(merge) => (Some(merge.revision.into()), Some(merge.at)),
        State::Draft | State::Open | State::Archived => (None, None),
    };
    let location = links.change_request(&request.space, &request.id);
    ChangeRequest {
        object: "change-request",
        id: request.id.into(),
        number: request.number,
        status,
        subject: request.subject.into(),
        description: request.description.map(WireDocument),
        created_by: person(created_by, links),
        created_at: request.created_at,
        updated_at: request.updated_at,
        space: request.space.into(),
        revision: request.revision.into(),
        revision_initial: request.revision_initial.into(),
        revision_merged_ancestor: request.revision_merged_ancestor.map(String::from),
        revision_merged,
        merged_by: merged_by.map(|merger| person(merger, links)),
        merged_at,
        comments: request.comments,
        outdated,
        urls: ChangeRequestUrls { app: location.clone(), location },
    }
}

/// Which change requests are listed, besides the parameters of every list.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct ChangeRequestParams {
    /// In this state, or, repeated, in one of these; `open` when absent.
    #[serde(default)]
    #[param(value_type = Option<Vec<described::ChangeRequestStatus>>, style = Form, explode)]
    status: Vec<Status>,
    /// Made by this user.
    #[param(value_type = Option<String>)]
    creator: Option<UserId>,
    /// With a part of this user in it.
    #[param(value_type = Option<String>)]
    contributor: Option<UserId>,
    /// That this user is asked to review.
    #[param(value_type = Option<String>)]
    requested_reviewer: Option<UserId>,
    /// That came from this cluster of issues. No change request does yet.
    conversations_issues_cluster: Option<String>,
    /// Newest first by this: when they last changed, which is the default, or when they were made.
    #[param(inline)]
    order_by: Option<OrderByParam>,
}

/// By what change requests are ordered.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OrderByParam {
    UpdatedAt,
    CreatedAt,
}

impl Wire for ChangeRequestParams {
    type Command = ChangeRequestFilter;

    fn command(self) -> Result<ChangeRequestFilter, Invalid> {
        Ok(ChangeRequestFilter {
            status: if self.status.is_empty() { vec![Status::Open] } else { self.status },
            creator: self.creator,
            contributor: self.contributor,
            requested_reviewer: self.requested_reviewer,
            cluster: self.conversations_issues_cluster,
            order_by: match self.order_by {
                None | Some(OrderByParam::UpdatedAt) => OrderBy::UpdatedAt,
                Some(OrderByParam::CreatedAt) => OrderBy::CreatedAt,
            },
        })
    }
}

/// What a new change request starts with.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct CreateChangeRequest {
    #[schema(value_type = Option<String>, max_length = 100)]
    subject: Option<Subject>,
    /// A template whose pages it adds.
    template: Option<StartTemplate>,
}

impl Wire for CreateChangeRequest {
    type Command = NewChangeRequest;

    fn command(self) -> Result<NewChangeRequest, Invalid> {
        let template = self.template.map(Wire::command).transpose()?;
        Ok(NewChangeRequest { subject: self.subject, template })
    }
}

/// A change to the facts of a change request; what is absent stays as it is.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdateChangeRequest {
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<String>, max_length = 100)]
    subject: Option<Subject>,
    /// `null` takes it away.
    #[serde(default)]
    #[schema(value_type = Option<described::Document>)]
    description: Patch<JsonDocument>,
    /// `draft`, `open` or `archived`; merging is an operation of its own.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<described::ProposedStatus>)]
    status: Option<ProposedStatus>,
}

impl Wire for UpdateChangeRequest {
    type Command = ChangeRequestPatch;

    fn command(self) -> Result<ChangeRequestPatch, Invalid> {
        Ok(ChangeRequestPatch {
            subject: self.subject,
            description: self.description.try_map(|text| note("description", text))?,
            status: self.status,
        })
    }
}

/// How a merge or an update ended.
#[derive(Serialize, ToSchema)]
pub(crate) struct MergeResult {
    /// The revision that it made, or that the change request has.
    revision: String,
    #[schema(inline)]
    result: MergeResultWord,
}

/// `conflicts` where somebody must decide first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MergeResultWord {
    Merge,
    Update,
    Conflicts,
}

/// Shows how a merge or an update ended; `clean` is the word where there were no conflicts.
pub(crate) fn merge_result(outcome: Outcome, clean: MergeResultWord) -> MergeResult {
    let result = if outcome.conflicts { MergeResultWord::Conflicts } else { clean };
    MergeResult { revision: outcome.revision.into(), result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{read_json, read_query};
    use rstest::rstest;

    #[rstest]
    #[case("", vec![Status::Open])]
    #[case("status=draft", vec![Status::Draft])]
    #[case("status=merged&status=archived", vec![Status::Merged, Status::Archived])]
    fn the_states_of_a_list_are_open_when_nobody_says(#[case] query: &str, #[case] status: Vec<Status>) {
        assert_eq!(read_query::<ChangeRequestParams>(query).unwrap().command().unwrap().status, status);
    }

    #[rstest]
    #[case("status=closed")]
    #[case("status=open&status=x")]
    fn a_state_that_is_none_is_named(#[case] query: &str) {
        let error = read_query::<ChangeRequestParams>(query).err().unwrap();
        assert!(error.field.starts_with("status"), "{error}");
    }

    fn patch(body: &str) -> Result<ChangeRequestPatch, Invalid> {
        read_json::<UpdateChangeRequest>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case(&format!(r#"{{"subject":"{}"}}"#, "x".repeat(101)), "subject")]
    #[case(r#"{"subject":null}"#, "subject")]
    #[case(r#"{"status":"merged"}"#, "status")]
    #[case(
        r#"{"description":{"object":"document","nodes":[{"object":"block","type":"nope"}]}}"#,
        "description.nodes[0]"
    )]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        let error = patch(body).unwrap_err();
        assert!(error.field.starts_with(field), "{error}");
    }

    #[test]
    fn a_subject_has_a_hundred_characters_at_most() {
        let subject = |length: usize| patch(&format!(r#"{{"subject":"{}"}}"#, "é".repeat(length)));
        assert!(subject(100).is_ok() && subject(101).is_err());
    }

    #[test]
    fn a_description_can_be_taken_away() {
        assert_eq!(patch(r#"{"description":null}"#).unwrap().description, Patch::Clear);
        assert_eq!(patch("{}").unwrap(), ChangeRequestPatch::default());
    }
}
