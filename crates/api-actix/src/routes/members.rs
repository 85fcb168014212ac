//! Members of organizations.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, deleted, ok, ok_with_secret};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::member::{
    Member, MemberList, MemberParams, MemberSpaceList, MemberSpaceParams, MemberTeamList, MemberTeamParams, Pinged,
    UpdateMember, member, member_space, member_team,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::{OrganizationId, UserId};
use domain::paging::PageRequest;
use domain::usecases::Input;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_members).service(get_member).service(update_member).service(remove_member);
    config.service(ping).service(set_sso).service(list_spaces_of_member).service(list_teams_of_member);
}

/// List the members of an organization
#[utoipa::path(tag = "members", operation_id = "listMembersInOrganizationById",
    params(("organizationId" = String, Path), MemberParams, PagingParams),
    responses((status = 200, description = "Members", body = MemberList)))]
#[get("/orgs/{organizationId}/members")]
async fn list_members(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    filter: Query<MemberParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.members.list(&caller, &path, paging.ordered_with(filter)).await?;
        ok(&paging.list(found, |shown| member(shown, &api.links)))
    })
    .await
}

/// Get a member
#[utoipa::path(tag = "members", operation_id = "getMemberInOrganizationById",
    params(("organizationId" = String, Path), ("userId" = String, Path)),
    responses((status = 200, description = "The member", body = Member)))]
#[get("/orgs/{organizationId}/members/{userId}")]
async fn get_member(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, UserId)>) -> Answered {
    let (organization, user) = &*path;
    ok(&member(api.services.members.get(&caller, organization, user).await?, &api.links))
}

/// Update the role of a member
#[utoipa::path(tag = "members", operation_id = "updateMemberInOrganizationById",
    params(("organizationId" = String, Path), ("userId" = String, Path), IfShown), request_body = UpdateMember,
    responses((status = 200, description = "The member", body = Member)))]
#[patch("/orgs/{organizationId}/members/{userId}")]
async fn update_member(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, UserId)>,
    body: Body<UpdateMember>,
    wanted: IfMatch,
) -> Answered {
    let (organization, user) = &*path;
    let wanted = wanted.shown(&api, member);
    ok(&member(api.services.members.update(&caller, organization, user, wanted, body.input()).await?, &api.links))
}

/// Remove a member from an organization
///
/// Members may remove themselves.
#[utoipa::path(tag = "members", operation_id = "removeMemberFromOrganizationById",
    params(("organizationId" = String, Path), ("userId" = String, Path), IfShown),
    responses((status = 205, description = "The user is no longer a member"), (status = 204, description = "The user was not a member")))]
#[delete("/orgs/{organizationId}/members/{userId}")]
async fn remove_member(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, UserId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, user) = &*path;
    Ok(deleted(api.services.members.remove(&caller, organization, user, wanted.shown(&api, member)).await?))
}

/// Update the caller's last-seen time
#[utoipa::path(tag = "members", operation_id = "updateOrganizationMemberLastSeenAt",
    params(("organizationId" = String, Path)),
    responses((status = 200, description = "Signed claims about the caller", body = Pinged)))]
#[post("/orgs/{organizationId}/ping")]
async fn ping(api: Data<Api>, caller: Caller, path: Path<OrganizationId>) -> Answered {
    let visit = api.services.members.ping(&caller, &path).await?;
    let claims = api.visitors.claims(&visit, &path);
    ok_with_secret(&Pinged { service_visitor_claims: claims.clone(), gitbook_visitor_claims: claims })
}

/// Mark a member as known to the organization's identity provider
#[utoipa::path(tag = "members", operation_id = "setUserAsSSOMemberForOrganization",
    params(("organizationId" = String, Path), ("userId" = String, Path)),
    responses((status = 200, description = "The member", body = Member)))]
#[post("/orgs/{organizationId}/members/{userId}/sso")]
async fn set_sso(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, UserId)>) -> Answered {
    let (organization, user) = &*path;
    ok(&member(api.services.members.set_sso(&caller, organization, user).await?, &api.links))
}

/// List the spaces that a member can read
#[utoipa::path(tag = "members", operation_id = "listSpacesForOrganizationMember",
    params(("organizationId" = String, Path), ("userId" = String, Path), MemberSpaceParams, PagingParams),
    responses((status = 200, description = "Spaces that both the member and the caller can read", body = MemberSpaceList)))]
#[get("/orgs/{organizationId}/members/{userId}/spaces")]
async fn list_spaces_of_member(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, UserId)>,
    order: Query<MemberSpaceParams>,
    paging: Paging,
) -> Answered {
    let (organization, user) = &*path;
    let wanted = paging.clone();
    let page = Input::new(move || Ok(PageRequest { order: order.read()?, ..wanted.request()? }));
    let found = api.services.members.spaces(&caller, organization, user, page).await?;
    ok(&paging.list(found, |shown| member_space(shown, &api.links)))
}

/// List the teams of a member
#[utoipa::path(tag = "members", operation_id = "listTeamsForOrganizationMember",
    params(("organizationId" = String, Path), ("userId" = String, Path), MemberTeamParams, PagingParams),
    responses((status = 200, description = "Teams, oldest first", body = MemberTeamList)))]
#[get("/orgs/{organizationId}/members/{userId}/teams")]
async fn list_teams_of_member(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, UserId)>,
    filter: Query<MemberTeamParams>,
    paging: Paging,
) -> Answered {
    let (organization, user) = &*path;
    let wanted = paging.clone();
    let query = Input::new(move || Ok((filter.read()?, wanted.request()?)));
    let found = api.services.members.teams(&caller, organization, user, query).await?;
    ok(&paging.list(found, |shown| member_team(shown, &api.links)))
}
