//! Change requests.
use super::content::StartTemplate;
use super::schemas;
use super::text::{JsonDocument, note};
use super::user::{User, person};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::change_request::{ChangeRequestLinks, ChangeRequestPatch, ProposedStatus, State, Status, Subject};
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::id::{IssueClusterId, SiteId, SpaceId, UserId};
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
    /// The number of the change request in its space, from 1.
    number: u32,
    #[schema(value_type = schemas::ChangeRequestStatus)]
    status: Status,
    #[schema(max_length = 100)]
    subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::Document>)]
    description: Option<WireDocument<Document>>,
    created_by: User,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    /// The space that the change request belongs to.
    space: String,
    /// The revision with the content of the change request.
    revision: String,
    /// The primary revision that the change request was created from.
    revision_initial: String,
    /// The newest primary revision that the change request was updated with.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_merged_ancestor: Option<String>,
    /// The primary revision created by the merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_merged: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_by: Option<User>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_at: Option<DateTime<Utc>>,
    /// The number of open comments.
    comments: u32,
    /// Whether the primary content has changes that the change request does not have.
    outdated: bool,
    /// The id of the cluster of issues that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversations_issues_cluster: Option<String>,
    /// Links to what it is about elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<schemas::ChangeRequestLink>>, max_items = 10)]
    links: Option<ChangeRequestLinks>,
    urls: ChangeRequestUrls,
}

/// URLs of a change request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangeRequestUrls {
    /// For people.
    app: String,
    /// In this API.
    pub(crate) location: String,
}

pub(crate) type ChangeRequestList = List<ChangeRequest>;

impl ChangeRequest {
    pub(crate) fn urls(&self) -> &ChangeRequestUrls {
        &self.urls
    }
}

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
        conversations_issues_cluster: request.cluster.map(String::from),
        links: (!request.links.is_empty()).then_some(request.links),
        urls: ChangeRequestUrls { app: location.clone(), location },
    }
}

/// Filters of the list of change requests.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct ChangeRequestParams {
    /// Only change requests with this status; repeat for several. `open` if absent.
    #[serde(default)]
    #[param(value_type = Option<Vec<schemas::ChangeRequestStatus>>, style = Form, explode)]
    status: Vec<Status>,
    /// Only change requests created by this user.
    #[param(value_type = Option<String>)]
    creator: Option<UserId>,
    /// Only change requests that this user contributed to.
    #[param(value_type = Option<String>)]
    contributor: Option<UserId>,
    /// Only change requests that this user is asked to review.
    #[param(value_type = Option<String>)]
    requested_reviewer: Option<UserId>,
    /// Only change requests about this cluster of issues.
    #[param(value_type = Option<String>)]
    conversations_issues_cluster: Option<IssueClusterId>,
    /// The order, newest first: by last update (the default), or by creation.
    #[param(inline)]
    order_by: Option<OrderByParam>,
    /// Change requests have no topics.
    #[param(ignore)]
    topic: Option<String>,
}

/// Refuses a filter of the list that this server does not have: without the filter, the list would have too much.
fn refuse_filter(name: &str, sent: Option<&String>) -> Result<(), Invalid> {
    match sent {
        Some(_) => Err(Invalid::new(name, "is not supported by this server")),
        None => Ok(()),
    }
}

/// The order of change requests.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OrderByParam {
    UpdatedAt,
    CreatedAt,
}

impl Wire for ChangeRequestParams {
    type Command = ChangeRequestFilter;

    fn command(self) -> Result<ChangeRequestFilter, Invalid> {
        refuse_filter("topic", self.topic.as_ref())?;
        Ok(ChangeRequestFilter {
            space: None,
            site: None,
            status: if self.status.is_empty() { vec![Status::Open] } else { self.status },
            creator: self.creator,
            contributor: self.contributor,
            requested_reviewer: self.requested_reviewer,
            clusters: self.conversations_issues_cluster.map(|cluster| vec![cluster]),
            order_by: match self.order_by {
                None | Some(OrderByParam::UpdatedAt) => OrderBy::UpdatedAt,
                Some(OrderByParam::CreatedAt) => OrderBy::CreatedAt,
            },
        })
    }
}

/// Filters of the list of an organization.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct InPlaceParams {
    /// Only change requests of this space.
    #[param(value_type = Option<String>)]
    space: Option<SpaceId>,
    /// Only change requests of the spaces of this site.
    #[param(value_type = Option<String>)]
    site: Option<SiteId>,
    /// Style guides are not run.
    #[param(ignore)]
    styleguide_run: Option<String>,
    /// Whether to include change requests that were created for findings about a site. This server creates none, so
    /// both values have the same result.
    #[param(inline)]
    #[expect(dead_code, reason = "read for its errors")]
    finding: Option<FindingParam>,
}

/// Whether a list includes change requests for findings.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FindingParam {
    None,
    All,
}

/// The place in which change requests are listed.
pub(crate) struct InPlace {
    pub(crate) space: Option<SpaceId>,
    pub(crate) site: Option<SiteId>,
}

impl Wire for InPlaceParams {
    type Command = InPlace;

    fn command(self) -> Result<InPlace, Invalid> {
        refuse_filter("styleguideRun", self.styleguide_run.as_ref())?;
        Ok(InPlace { space: self.space, site: self.site })
    }
}

/// A change request to create.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreateChangeRequest {
    #[schema(value_type = Option<String>, max_length = 100)]
    subject: Option<Subject>,
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = schemas::Document)]
    description: Option<JsonDocument>,
    /// The cluster of issues of customers that it is about. If subject and description are absent, they are generated
    /// from the cluster.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String)]
    conversations_issues_cluster: Option<IssueClusterId>,
    /// Whether a language model drafts the changes, in the background. It needs `conversationsIssuesCluster`, a server
    /// with a language model, and an organization that allows it (`ai`).
    #[serde(default)]
    draft: bool,
    /// A template whose pages are added to the change request.
    template: Option<StartTemplate>,
}

impl Wire for CreateChangeRequest {
    type Command = NewChangeRequest;

    fn command(self) -> Result<NewChangeRequest, Invalid> {
        let template = self.template.map(Wire::command).transpose()?;
        let description = self.description.map(|value| note("description", value)).transpose()?;
        Ok(NewChangeRequest {
            subject: self.subject,
            description,
            cluster: self.conversations_issues_cluster,
            draft: self.draft,
            template,
        })
    }
}

/// Changes to the metadata of a change request; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdateChangeRequest {
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String, max_length = 100)]
    subject: Option<Subject>,
    /// `null` removes the description.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Document>)]
    description: Patch<JsonDocument>,
    /// `draft`, `open` or `archived`. To merge, use the merge operation.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = schemas::ProposedStatus)]
    status: Option<ProposedStatus>,
    /// All links, which replace the ones before; `null` or an empty list removes them.
    #[serde(default)]
    #[schema(value_type = Option<Vec<schemas::ChangeRequestLink>>, max_items = 10)]
    links: Patch<ChangeRequestLinks>,
}

impl Wire for UpdateChangeRequest {
    type Command = ChangeRequestPatch;

    fn command(self) -> Result<ChangeRequestPatch, Invalid> {
        Ok(ChangeRequestPatch {
            subject: self.subject,
            description: self.description.try_map(|text| note("description", text))?,
            status: self.status,
            links: match self.links {
                Patch::Keep => None,
                Patch::Clear => Some(ChangeRequestLinks::default()),
                Patch::Set(links) => Some(links),
            },
        })
    }
}

/// The result of a merge or an update.
#[derive(Serialize, ToSchema)]
pub(crate) struct MergeResult {
    /// The revision created by the merge, or the revision of the change request.
    revision: String,
    #[schema(inline)]
    result: MergeResultWord,
}

/// `conflicts` if there are conflicts to resolve first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MergeResultWord {
    Merge,
    Update,
    Conflicts,
}

/// Presents the result of a merge or an update; `clean` is the result without conflicts.
pub(crate) fn merge_result(outcome: Outcome, clean: MergeResultWord) -> MergeResult {
    let result = if outcome.conflicts { MergeResultWord::Conflicts } else { clean };
    MergeResult { revision: outcome.revision.into(), result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    #[rstest]
    #[case("", vec![Status::Open])]
    #[case("status=draft", vec![Status::Draft])]
    #[case("status=merged&status=archived", vec![Status::Merged, Status::Archived])]
    fn a_list_has_open_change_requests_by_default(#[case] query: &str, #[case] status: Vec<Status>) {
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
    #[case(r#"{"links":[{"id":"a","ref":{"kind":"page","page":"p"}}]}"#, "links[0].ref.kind")]
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

    #[rstest]
    #[case("{}", None)]
    #[case(r#"{"links":null}"#, Some(0))]
    #[case(r#"{"links":[]}"#, Some(0))]
    #[case(r#"{"links":[{"id":"a","ref":{"kind":"url","url":"https://example.org/"}}]}"#, Some(1))]
    fn links_stay_are_removed_or_are_replaced(#[case] body: &str, #[case] count: Option<usize>) {
        assert_eq!(patch(body).unwrap().links.map(|links| links.len()), count);
    }
}
