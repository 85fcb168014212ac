//! Roles granted on spaces, collections and sites, and the effective access to them.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, deleted, ok};
use crate::request::if_match::{IfMatch, IfPermission};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::place::{
    AggregateParams, GrantBody, SiteUserPermissionList, TeamPermissionList, UpdatePermission, UserPermissionList,
    effective_permission, site_user_permission, team_permission, user_permission,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::access::Role;
use domain::id::{CollectionId, OrganizationId, SiteId, SpaceId, TeamId, UserId};
use domain::place::{GrantTarget, Grantee};
use domain::usecases::Precondition;

pub(super) fn configure(config: &mut ServiceConfig) {
    spaces::configure(config);
    collections::configure(config);
    sites::configure(config);
}

/// The precondition of `If-Match` on a grant: the tag is the `permission` that the lists show.
fn permission(wanted: IfMatch) -> Precondition<Option<Role>> {
    wanted.word(|role: &Option<Role>| role.map_or("null", Role::as_str))
}

/// The operations on one kind of place. Only the paths and ids differ between spaces, collections and sites.
macro_rules! permissions_of {
    (
        $kind:ident, ($($part:ident: $Id:ty = $id:literal),+) => $target:expr, $List:ty, $present:path,
        $all:literal, $users:literal, $user:literal, $teams:literal, $team:literal, $aggregate:literal,
        [$grant_id:literal, $users_id:literal, $update_user_id:literal, $remove_user_id:literal, $teams_id:literal,
            $update_team_id:literal, $remove_team_id:literal, $aggregate_id:literal]
    ) => {
        mod $kind {
            use super::*;

            pub(super) fn configure(config: &mut ServiceConfig) {
                config.service(grant).service(list_users).service(update_user).service(remove_user);
                config.service(list_teams).service(update_team).service(remove_team).service(list_everybody);
            }

            /// Grant a role to users and teams
            #[utoipa::path(tag = "permissions", operation_id = $grant_id, params($(($id = String, Path)),+),
                request_body = GrantBody, responses((status = 204, description = "The users and teams have the role")))]
            #[post($all)]
            async fn grant(
                api: Data<Api>,
                caller: Caller,
                path: Path<($($Id,)+)>,
                body: Body<GrantBody>,
            ) -> Result<HttpResponse, ApiError> {
                let ($($part,)+) = path.into_inner();
                api.services.permissions.grant(&caller, &$target, body.input()).await?;
                Ok(HttpResponse::NoContent().finish())
            }

            /// List the users with a role of their own
            #[utoipa::path(tag = "permissions", operation_id = $users_id, params($(($id = String, Path)),+, PagingParams),
                responses((status = 200, description = "Users, ordered by id", body = UserPermissionList)))]
            #[get($users)]
            async fn list_users(api: Data<Api>, caller: Caller, path: Path<($($Id,)+)>, paging: Paging) -> Answered {
                let ($($part,)+) = path.into_inner();
                let place = $target;
                let found = api.services.permissions.users(&caller, &place, paging.input()).await?;
                ok(&paging.list(found, |found| user_permission(found, &api.links)))
            }

            /// Update the role granted to a user
            #[utoipa::path(tag = "permissions", operation_id = $update_user_id,
                params($(($id = String, Path)),+, ("userId" = String, Path), IfPermission), request_body = Option<UpdatePermission>,
                responses((status = 204, description = "The user has the role")))]
            #[patch($user)]
            async fn update_user(
                api: Data<Api>,
                caller: Caller,
                path: Path<($($Id,)+ UserId)>,
                body: Body<UpdatePermission>,
                wanted: IfMatch,
            ) -> Result<HttpResponse, ApiError> {
                let ($($part,)+ user) = path.into_inner();
                let (place, user) = ($target, Grantee::User(user));
                api.services.permissions.update(&caller, &place, user, permission(wanted), body.input_or_default()).await?;
                Ok(HttpResponse::NoContent().finish())
            }

            /// Remove the role granted to a user
            #[utoipa::path(tag = "permissions", operation_id = $remove_user_id,
                params($(($id = String, Path)),+, ("userId" = String, Path), IfPermission),
                responses((status = 205, description = "The role is removed"), (status = 204, description = "No role was granted")))]
            #[delete($user)]
            async fn remove_user(
                api: Data<Api>,
                caller: Caller,
                path: Path<($($Id,)+ UserId)>,
                wanted: IfMatch,
            ) -> Result<HttpResponse, ApiError> {
                let ($($part,)+ user) = path.into_inner();
                let (place, user) = ($target, Grantee::User(user));
                Ok(deleted(api.services.permissions.withdraw(&caller, &place, &user, permission(wanted)).await?))
            }

            /// List the teams with a role of their own
            #[utoipa::path(tag = "permissions", operation_id = $teams_id, params($(($id = String, Path)),+, PagingParams),
                responses((status = 200, description = "Teams, ordered by id", body = TeamPermissionList)))]
            #[get($teams)]
            async fn list_teams(api: Data<Api>, caller: Caller, path: Path<($($Id,)+)>, paging: Paging) -> Answered {
                let ($($part,)+) = path.into_inner();
                let place = $target;
                let found = api.services.permissions.teams(&caller, &place, paging.input()).await?;
                ok(&paging.list(found, |found| team_permission(found, &api.links)))
            }

            /// Update the role granted to a team
            #[utoipa::path(tag = "permissions", operation_id = $update_team_id,
                params($(($id = String, Path)),+, ("teamId" = String, Path), IfPermission), request_body = Option<UpdatePermission>,
                responses((status = 204, description = "The team has the role")))]
            #[patch($team)]
            async fn update_team(
                api: Data<Api>,
                caller: Caller,
                path: Path<($($Id,)+ TeamId)>,
                body: Body<UpdatePermission>,
                wanted: IfMatch,
            ) -> Result<HttpResponse, ApiError> {
                let ($($part,)+ team) = path.into_inner();
                let (place, team) = ($target, Grantee::Team(team));
                api.services.permissions.update(&caller, &place, team, permission(wanted), body.input_or_default()).await?;
                Ok(HttpResponse::NoContent().finish())
            }

            /// Remove the role granted to a team
            #[utoipa::path(tag = "permissions", operation_id = $remove_team_id,
                params($(($id = String, Path)),+, ("teamId" = String, Path), IfPermission),
                responses((status = 205, description = "The role is removed"), (status = 204, description = "No role was granted")))]
            #[delete($team)]
            async fn remove_team(
                api: Data<Api>,
                caller: Caller,
                path: Path<($($Id,)+ TeamId)>,
                wanted: IfMatch,
            ) -> Result<HttpResponse, ApiError> {
                let ($($part,)+ team) = path.into_inner();
                let (place, team) = ($target, Grantee::Team(team));
                Ok(deleted(api.services.permissions.withdraw(&caller, &place, &team, permission(wanted)).await?))
            }

            /// List all users with access, with their effective role
            #[utoipa::path(tag = "permissions", operation_id = $aggregate_id,
                params($(($id = String, Path)),+, AggregateParams, PagingParams),
                responses((status = 200, description = "Users", body = $List)))]
            #[get($aggregate)]
            async fn list_everybody(
                api: Data<Api>,
                caller: Caller,
                path: Path<($($Id,)+)>,
                params: Query<AggregateParams>,
                paging: Paging,
            ) -> Answered {
                let ($($part,)+) = path.into_inner();
                let place = $target;
                at_length(api, caller, 0, move |api, caller| async move {
                    let found = api.services.permissions.everybody(&caller, &place, paging.ordered_with(params)).await?;
                    ok(&paging.list(found, |reached| $present(reached, &place, &api.links)))
                })
                .await
            }
        }
    };
}

permissions_of!(
    spaces,
    (space: SpaceId = "spaceId") => GrantTarget::from(space),
    UserPermissionList,
    effective_permission,
    "/spaces/{spaceId}/permissions",
    "/spaces/{spaceId}/permissions/users",
    "/spaces/{spaceId}/permissions/users/{userId}",
    "/spaces/{spaceId}/permissions/teams",
    "/spaces/{spaceId}/permissions/teams/{teamId}",
    "/spaces/{spaceId}/permissions/aggregate",
    [
        "inviteToSpace",
        "listUserPermissionsInSpace",
        "updateUserPermissionInSpace",
        "removeUserFromSpace",
        "listTeamPermissionsInSpace",
        "updateTeamPermissionInSpace",
        "removeTeamFromSpace",
        "listPermissionsAggregateInSpace"
    ]
);
permissions_of!(
    collections,
    (collection: CollectionId = "collectionId") => GrantTarget::from(collection),
    UserPermissionList,
    effective_permission,
    "/collections/{collectionId}/permissions",
    "/collections/{collectionId}/permissions/users",
    "/collections/{collectionId}/permissions/users/{userId}",
    "/collections/{collectionId}/permissions/teams",
    "/collections/{collectionId}/permissions/teams/{teamId}",
    "/collections/{collectionId}/permissions/aggregate",
    [
        "inviteToCollection",
        "listUserPermissionsInCollection",
        "updateUserPermissionInCollection",
        "removeUserFromCollection",
        "listTeamPermissionsInCollection",
        "updateTeamPermissionInCollection",
        "removeTeamFromCollection",
        "listPermissionsAggregateInCollection"
    ]
);
permissions_of!(
    sites,
    (organization: OrganizationId = "organizationId", site: SiteId = "siteId") => GrantTarget::Site(organization, site),
    SiteUserPermissionList,
    site_user_permission,
    "/orgs/{organizationId}/sites/{siteId}/permissions",
    "/orgs/{organizationId}/sites/{siteId}/permissions/users",
    "/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}",
    "/orgs/{organizationId}/sites/{siteId}/permissions/teams",
    "/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}",
    "/orgs/{organizationId}/sites/{siteId}/permissions/aggregate",
    [
        "inviteToSite",
        "listUserPermissionsInSite",
        "updateUserPermissionInSite",
        "removeUserFromSite",
        "listTeamPermissionsInSite",
        "updateTeamPermissionInSite",
        "removeTeamFromSite",
        "listPermissionsAggregateInSite"
    ]
);
