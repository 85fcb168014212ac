//! Invites by email and by link.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created_with_secret, deleted, ok};
use crate::request::Body;
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::invite::{
    Accepted, CreateLinkInvite, InviteUsers, Invited, LinkInvite, LinkInviteList, UpdateLinkInvite, invite, invited,
    location,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::OrganizationId;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(invite_users).service(accept_invite);
    config.service(list_invites).service(create_invite).service(get_invite).service(update_invite);
    config.service(delete_invite);
}

/// Add users to an organization by email address
#[utoipa::path(tag = "invites", operation_id = "inviteUsersToOrganization", params(("organizationId" = String, Path)),
    request_body = InviteUsers, responses((status = 200, description = "The invited users, who are members now", body = Invited)))]
#[post("/orgs/{organizationId}/invites")]
async fn invite_users(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, body: Body<InviteUsers>) -> Answered {
    ok(&invited(api.services.invites.by_address(&caller, &path, body.input()).await?))
}

/// Accept an invite link
#[utoipa::path(tag = "invites", operation_id = "joinOrganizationWithInvite",
    params(("organizationId" = String, Path), ("inviteId" = String, Path)),
    responses((status = 200, description = "The caller has the access that the invite grants", body = Accepted)))]
#[post("/orgs/{organizationId}/invites/{inviteId}")]
async fn accept_invite(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, String)>) -> Answered {
    let (organization, code) = &*path;
    api.services.invites.accept(&caller, organization, code).await?;
    ok(&Accepted {})
}

/// List the invite links of an organization
#[utoipa::path(tag = "invites", operation_id = "listOrganizationInviteLinks",
    params(("organizationId" = String, Path), PagingParams),
    responses((status = 200, description = "Invites, oldest first", body = LinkInviteList)))]
#[get("/orgs/{organizationId}/link-invites")]
async fn list_invites(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, paging: Paging) -> Answered {
    let found = api.services.invites.list(&caller, &path, paging.input()).await?;
    ok(&paging.list(found, |shown| invite(shown, &api.links)))
}

/// Create an invite link
///
/// Anyone who has the id of the invite can accept it. With an `Idempotency-Key` the invite is created once, and the
/// response is not stored.
#[utoipa::path(tag = "invites", operation_id = "createOrganizationInvite", params(("organizationId" = String, Path)),
    request_body = CreateLinkInvite,
    responses((status = 201, description = "The invite", body = LinkInvite, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/link-invites")]
async fn create_invite(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<CreateLinkInvite>,
) -> Answered {
    let new = invite(api.services.invites.create(&caller, &path, body.input()).await?, &api.links);
    created_with_secret(location(&path, &new, &api.links), &new)
}

/// Get an invite link
#[utoipa::path(tag = "invites", operation_id = "getOrganizationInviteById",
    params(("organizationId" = String, Path), ("inviteId" = String, Path)),
    responses((status = 200, description = "The invite", body = LinkInvite)))]
#[get("/orgs/{organizationId}/link-invites/{inviteId}")]
async fn get_invite(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, String)>) -> Answered {
    let (organization, code) = &*path;
    ok(&invite(api.services.invites.get(&caller, organization, code).await?, &api.links))
}

/// Update an invite link
#[utoipa::path(tag = "invites", operation_id = "updateOrganizationInviteById",
    params(("organizationId" = String, Path), ("inviteId" = String, Path), IfShown), request_body = UpdateLinkInvite,
    responses((status = 200, description = "The invite", body = LinkInvite)))]
#[patch("/orgs/{organizationId}/link-invites/{inviteId}")]
async fn update_invite(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, String)>,
    body: Body<UpdateLinkInvite>,
    wanted: IfMatch,
) -> Answered {
    let (organization, code) = &*path;
    let wanted = wanted.shown(&api, invite);
    ok(&invite(api.services.invites.update(&caller, organization, code, wanted, body.input()).await?, &api.links))
}

/// Delete an invite link
#[utoipa::path(tag = "invites", operation_id = "deleteOrganizationInviteById",
    params(("organizationId" = String, Path), ("inviteId" = String, Path), IfShown),
    responses((status = 205, description = "The invite is deleted and can no longer be accepted"), (status = 204, description = "There was no such invite")))]
#[delete("/orgs/{organizationId}/link-invites/{inviteId}")]
async fn delete_invite(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, String)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, code) = &*path;
    Ok(deleted(api.services.invites.remove(&caller, organization, code, wanted.shown(&api, invite)).await?))
}
