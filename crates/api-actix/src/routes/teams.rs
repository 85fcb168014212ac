//! Teams and their members.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, done, ok};
use crate::request::if_match::{IfMatch, IfRole, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::team::{
    CreateTeam, PutTeamMember, Team, TeamList, TeamMemberList, TeamParams, UpdateTeam, UpdateTeamMembers, team,
    team_member,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, put};
use domain::id::{OrganizationId, TeamId, UserId};
use domain::team::TeamRole;
use domain::usecases::Input;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_teams).service(create_team).service(get_team).service(update_team).service(remove_team);
    config.service(list_members_of_team).service(update_members_of_team);
    config.service(put_member_of_team).service(remove_member_of_team);
}

/// List the teams of an organization
#[utoipa::path(tag = "teams", operation_id = "listTeamsInOrganizationById",
    params(("organizationId" = String, Path), TeamParams, PagingParams),
    responses((status = 200, description = "Teams, oldest first", body = TeamList)))]
#[get("/orgs/{organizationId}/teams")]
async fn list_teams(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    filter: Query<TeamParams>,
    paging: Paging,
) -> Answered {
    let wanted = paging.clone();
    let query = Input::new(move || Ok((filter.read()?, wanted.request()?)));
    let found = api.services.teams.list(&caller, &path, query).await?;
    ok(&paging.list(found, |shown| team(shown, &api.links)))
}

/// Create a team
#[utoipa::path(tag = "teams", operation_id = "createOrganizationTeam", params(("organizationId" = String, Path)),
    request_body = CreateTeam,
    responses((status = 201, description = "The team", body = Team, headers(("Location" = String)))))]
#[put("/orgs/{organizationId}/teams")]
async fn create_team(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, body: Body<CreateTeam>) -> Answered {
    let new = team(api.services.teams.create(&caller, &path, body.input()).await?, &api.links);
    created(new.urls().location.clone(), &new)
}

/// Get a team
#[utoipa::path(tag = "teams", operation_id = "getTeamInOrganizationById",
    params(("organizationId" = String, Path), ("teamId" = String, Path)),
    responses((status = 200, description = "The team", body = Team)))]
#[get("/orgs/{organizationId}/teams/{teamId}")]
async fn get_team(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, TeamId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&team(api.services.teams.get(&caller, organization, id).await?, &api.links))
}

/// Update a team
#[utoipa::path(tag = "teams", operation_id = "updateTeamInOrganizationById",
    params(("organizationId" = String, Path), ("teamId" = String, Path), IfShown), request_body = UpdateTeam,
    responses((status = 200, description = "The team", body = Team)))]
#[patch("/orgs/{organizationId}/teams/{teamId}")]
async fn update_team(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TeamId)>,
    body: Body<UpdateTeam>,
    wanted: IfMatch,
) -> Answered {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, team);
    ok(&team(api.services.teams.update(&caller, organization, id, wanted, body.input()).await?, &api.links))
}

/// Delete a team and the roles granted to it
#[utoipa::path(tag = "teams", operation_id = "removeTeamFromOrganizationById",
    params(("organizationId" = String, Path), ("teamId" = String, Path), IfShown),
    responses((status = 205, description = "The team is deleted"), (status = 204, description = "There was no such team")))]
#[delete("/orgs/{organizationId}/teams/{teamId}")]
async fn remove_team(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TeamId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = &*path;
    Ok(deleted(api.services.teams.remove(&caller, organization, id, wanted.shown(&api, team)).await?))
}

/// List the members of a team
#[utoipa::path(tag = "teams", operation_id = "listTeamMembersInOrganizationById",
    params(("organizationId" = String, Path), ("teamId" = String, Path), PagingParams),
    responses((status = 200, description = "Members of the team, ordered by id", body = TeamMemberList)))]
#[get("/orgs/{organizationId}/teams/{teamId}/members")]
async fn list_members_of_team(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TeamId)>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let (organization, id) = &*path;
        let found = api.services.teams.members(&caller, organization, id, paging.input()).await?;
        ok(&paging.list(found, |shown| team_member(shown, &api.links)))
    })
    .await
}

/// Update the members of a team
///
/// Makes all changes or none.
#[utoipa::path(tag = "teams", operation_id = "updateMembersInOrganizationTeam",
    params(("organizationId" = String, Path), ("teamId" = String, Path)), request_body = UpdateTeamMembers,
    responses((status = 204, description = "The members and their roles are as requested")))]
#[put("/orgs/{organizationId}/teams/{teamId}/members")]
async fn update_members_of_team(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TeamId)>,
    body: Body<UpdateTeamMembers>,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = &*path;
    api.services.teams.change_members(&caller, organization, id, body.input()).await?;
    Ok(done())
}

/// Add a member to a team, or update their role in it
#[utoipa::path(tag = "teams", operation_id = "addMemberToOrganizationTeamById",
    params(("organizationId" = String, Path), ("teamId" = String, Path), ("userId" = String, Path), IfRole),
    request_body = Option<PutTeamMember>, responses((status = 204, description = "The user is in the team, in the requested role")))]
#[put("/orgs/{organizationId}/teams/{teamId}/members/{userId}")]
async fn put_member_of_team(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TeamId, UserId)>,
    body: Body<PutTeamMember>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, id, user) = &*path;
    let wanted = wanted.word(|role: &TeamRole| role.as_str());
    api.services.teams.put_member(&caller, organization, id, user, wanted, body.input_or_default()).await?;
    Ok(done())
}

/// Remove a member from a team
#[utoipa::path(tag = "teams", operation_id = "deleteMemberFromOrganizationTeamById",
    params(("organizationId" = String, Path), ("teamId" = String, Path), ("userId" = String, Path), IfRole),
    responses((status = 205, description = "The user is removed from the team"), (status = 204, description = "The user was not in the team")))]
#[delete("/orgs/{organizationId}/teams/{teamId}/members/{userId}")]
async fn remove_member_of_team(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, TeamId, UserId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, id, user) = &*path;
    let wanted = wanted.word(|role: &TeamRole| role.as_str());
    Ok(deleted(api.services.teams.remove_member(&caller, organization, id, user, wanted).await?))
}
