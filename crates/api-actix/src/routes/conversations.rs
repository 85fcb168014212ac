//! Conversations with customers, their issues, and the clusters of these.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, deleted, done, ok};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::conversation::{
    ConversationDetail, ConversationIssueList, ConversationIssueParams, ConversationIssueWithConversation,
    ConversationList, ConversationParams, IngestConversations, IssuesCluster, IssuesClusterList, IssuesClusterParams,
    UpdateIssuesCluster, cluster, conversation, conversation_detail, issue,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::{ConversationIssueId, IssueClusterId, OrganizationId};
use domain::usecases::conversations::ConversationRef;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_conversations).service(ingest).service(get_conversation).service(delete_conversation);
    config.service(list_issues).service(get_issue);
    config.service(list_clusters).service(get_cluster).service(update_cluster);
}

/// List the conversations of an organization
///
/// Only callers who can edit content may list them.
#[utoipa::path(tag = "conversations", operation_id = "listConversations",
    params(("organizationId" = String, Path), ConversationParams, PagingParams),
    responses((status = 200, description = "Conversations, newest first", body = ConversationList)))]
#[get("/orgs/{organizationId}/conversations")]
async fn list_conversations(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    filter: Query<ConversationParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.conversations.list(&caller, &path, paging.newest_first_with(filter)).await?;
    ok(&paging.list(found, |one| conversation(one, &api.links)))
}

/// Store conversations
///
/// The body is one conversation, or a list of 1 to 100. Personal data and secrets, such as e-mail addresses, phone
/// numbers, card numbers and keys, are replaced by placeholders before anything is stored. A conversation with a known
/// `id` of the same source replaces the earlier one. A job finds the issues.
#[utoipa::path(tag = "conversations", operation_id = "ingestConversation", params(("organizationId" = String, Path)),
    request_body = IngestConversations, responses((status = 204, description = "The conversations are stored")))]
#[post("/orgs/{organizationId}/conversations")]
async fn ingest(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<IngestConversations>,
) -> Result<HttpResponse, ApiError> {
    let (organization, bytes) = (path.into_inner(), body.len());
    at_length(api, caller, bytes, move |api, caller| async move {
        api.services.conversations.ingest(&caller, &organization, body.input()).await?;
        Ok(())
    })
    .await?;
    Ok(done())
}

/// Get a conversation
#[utoipa::path(tag = "conversations", operation_id = "getConversationById",
    params(("organizationId" = String, Path), ("conversationId" = String, Path, description = "The id of the conversation, or the id that its sender gave it if only one source uses that")),
    responses((status = 200, description = "The conversation with its messages", body = ConversationDetail)))]
#[get("/orgs/{organizationId}/conversations/{conversationId}")]
async fn get_conversation(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, String)>) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let (organization, which) = path.into_inner();
        let found = api.services.conversations.get(&caller, &organization, &ConversationRef(which)).await?;
        ok(&conversation_detail(found, &api.links))
    })
    .await
}

/// Delete a conversation
///
/// Deletes its messages and its issues.
#[utoipa::path(tag = "conversations", operation_id = "deleteConversationById",
    params(("organizationId" = String, Path), ("conversationId" = String, Path), IfShown),
    responses((status = 205, description = "The conversation is deleted"), (status = 204, description = "There was no such conversation")))]
#[delete("/orgs/{organizationId}/conversations/{conversationId}")]
async fn delete_conversation(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, String)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, which) = path.into_inner();
    let wanted = wanted.shown(&api, conversation_detail);
    Ok(deleted(api.services.conversations.remove(&caller, &organization, &ConversationRef(which), wanted).await?))
}

/// List issues of conversations
#[utoipa::path(tag = "conversations", operation_id = "listConversationsIssues",
    params(("organizationId" = String, Path), ConversationIssueParams, PagingParams),
    responses((status = 200, description = "Issues with their conversations, newest first", body = ConversationIssueList)))]
#[get("/orgs/{organizationId}/conversations-issues")]
async fn list_issues(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    filter: Query<ConversationIssueParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.conversations.issues(&caller, &path, paging.newest_first_with(filter)).await?;
    ok(&paging.list(found, |one| issue(one, &api.links)))
}

/// Get an issue of a conversation
#[utoipa::path(tag = "conversations", operation_id = "getConversationIssueById",
    params(("organizationId" = String, Path), ("issueId" = String, Path)),
    responses((status = 200, description = "The issue with its conversation", body = ConversationIssueWithConversation)))]
#[get("/orgs/{organizationId}/conversations-issues/{issueId}")]
async fn get_issue(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, ConversationIssueId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&issue(api.services.conversations.issue(&caller, organization, id).await?, &api.links))
}

/// List clusters of issues
///
/// A cluster is listed once it has two issues.
#[utoipa::path(tag = "conversations", operation_id = "listConversationsIssuesClusters",
    params(("organizationId" = String, Path), IssuesClusterParams, PagingParams),
    responses((status = 200, description = "Clusters in the requested order", body = IssuesClusterList)))]
#[get("/orgs/{organizationId}/conversations-clusters")]
async fn list_clusters(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    order: Query<IssuesClusterParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.conversations.clusters(&caller, &path, paging.ordered_with(order)).await?;
    ok(&paging.list(found, |one| cluster(one, &api.links)))
}

/// Get a cluster of issues
///
/// The id of a merged cluster returns the cluster that has its issues now.
#[utoipa::path(tag = "conversations", operation_id = "getConversationsIssuesCluster",
    params(("organizationId" = String, Path), ("clusterId" = String, Path)),
    responses((status = 200, description = "The cluster", body = IssuesCluster)))]
#[get("/orgs/{organizationId}/conversations-clusters/{clusterId}")]
async fn get_cluster(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, IssueClusterId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&cluster(api.services.conversations.cluster(&caller, organization, id).await?, &api.links))
}

/// Mute or unmute a cluster of issues
///
/// No change requests are created for a muted cluster.
#[utoipa::path(tag = "conversations", operation_id = "updateConversationsIssuesCluster",
    params(("organizationId" = String, Path), ("clusterId" = String, Path), IfShown), request_body = UpdateIssuesCluster,
    responses((status = 200, description = "The cluster", body = IssuesCluster)))]
#[patch("/orgs/{organizationId}/conversations-clusters/{clusterId}")]
async fn update_cluster(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, IssueClusterId)>,
    body: Body<UpdateIssuesCluster>,
    wanted: IfMatch,
) -> Answered {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, cluster);
    let updated = api.services.conversations.update_cluster(&caller, organization, id, wanted, body.input()).await?;
    ok(&cluster(updated, &api.links))
}
