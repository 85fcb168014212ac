//! Spaces.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, ok, ok_with_key};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::place::{MoveBody, Transfer};
use crate::wire::site::ShareKeyParams;
use crate::wire::space::{CreateSpace, Space, SpaceList, SpaceParams, UpdateSpace, space};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::{OrganizationId, SpaceId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_spaces).service(create_space).service(get_space).service(update_space);
    config.service(delete_space).service(restore_space).service(duplicate_space);
    config.service(move_space).service(transfer_space);
}

/// List the spaces of an organization
#[utoipa::path(tag = "spaces", operation_id = "listSpacesInOrganizationById",
    params(("organizationId" = String, Path), SpaceParams, PagingParams),
    responses((status = 200, description = "Spaces that the caller may see, ordered by position", body = SpaceList)))]
#[get("/orgs/{organizationId}/spaces")]
async fn list_spaces(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    params: Query<SpaceParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.spaces.list(&caller, &path, paging.with(params)).await?;
    ok(&paging.list(found, |found| space(found, &api.links)))
}

/// Create a space
#[utoipa::path(tag = "spaces", operation_id = "createSpace", params(("organizationId" = String, Path)), request_body = Option<CreateSpace>,
    responses((status = 201, description = "The space", body = Space, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/spaces")]
async fn create_space(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, body: Body<CreateSpace>) -> Answered {
    let (organization, bytes) = (path.into_inner(), body.len());
    at_length(api, caller, bytes, move |api, caller| async move {
        let new = space(api.services.spaces.create(&caller, &organization, body.input_or_default()).await?, &api.links);
        created(new.urls().location.clone(), &new)
    })
    .await
}

/// Get a space
#[utoipa::path(tag = "spaces", operation_id = "getSpaceById",
    params(("spaceId" = String, Path), ShareKeyParams),
    responses((status = 200, description = "The space", body = Space)))]
#[get("/spaces/{spaceId}")]
async fn get_space(api: Data<Api>, caller: Caller, path: Path<SpaceId>, params: Query<ShareKeyParams>) -> Answered {
    let key = params.read();
    let found = api.services.spaces.get(&caller, &path, params.input()).await?;
    ok_with_key(key?.as_ref(), &space(found, &api.links))
}

/// Update a space
#[utoipa::path(tag = "spaces", operation_id = "updateSpaceById", params(("spaceId" = String, Path), IfShown), request_body = Option<UpdateSpace>,
    responses((status = 200, description = "The space", body = Space)))]
#[patch("/spaces/{spaceId}")]
async fn update_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    body: Body<UpdateSpace>,
    wanted: IfMatch,
) -> Answered {
    let (id, wanted) = (path.into_inner(), wanted.shown(&api, space));
    at_length(api, caller, body.len(), move |api, caller| async move {
        let changed = api.services.spaces.update(&caller, &id, wanted, body.input_or_default()).await?;
        ok(&space(changed, &api.links))
    })
    .await
}

/// Move a space within its organization
#[utoipa::path(tag = "spaces", operation_id = "moveSpace", params(("spaceId" = String, Path)), request_body = MoveBody,
    responses((status = 200, description = "The space", body = Space)))]
#[post("/spaces/{spaceId}/move")]
async fn move_space(api: Data<Api>, caller: Caller, path: Path<SpaceId>, body: Body<MoveBody>) -> Answered {
    let moved = api.services.spaces.move_to(&caller, &path, body.input()).await?;
    ok(&space(moved, &api.links))
}

/// Transfer a space to another organization
#[utoipa::path(tag = "spaces", operation_id = "transferSpace", params(("spaceId" = String, Path)), request_body = Transfer,
    responses((status = 200, description = "The space", body = Space)))]
#[post("/spaces/{spaceId}/transfer")]
async fn transfer_space(api: Data<Api>, caller: Caller, path: Path<SpaceId>, body: Body<Transfer>) -> Answered {
    let moved = api.services.spaces.transfer(&caller, &path, body.input()).await?;
    ok(&space(moved, &api.links))
}

/// Delete a space
///
/// The space can be restored for seven days. After that it is removed permanently, with all content that is not used
/// elsewhere.
#[utoipa::path(tag = "spaces", operation_id = "deleteSpaceById", params(("spaceId" = String, Path), IfShown),
    responses((status = 205, description = "The space is deleted"), (status = 204, description = "There was no such space")))]
#[delete("/spaces/{spaceId}")]
async fn delete_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    Ok(deleted(api.services.spaces.delete(&caller, &path, wanted.shown(&api, space)).await?))
}

/// Restore a space deleted in the last seven days
#[utoipa::path(tag = "spaces", operation_id = "restoreSpace", params(("spaceId" = String, Path)),
    responses((status = 200, description = "The space", body = Space)))]
#[post("/spaces/{spaceId}/restore")]
async fn restore_space(api: Data<Api>, caller: Caller, path: Path<SpaceId>) -> Answered {
    let restored = api.services.spaces.restore(&caller, &path).await?;
    ok(&space(restored, &api.links))
}

/// Duplicate a space
///
/// Copies the primary content and the settings, but not the history, change requests and comments.
#[utoipa::path(tag = "spaces", operation_id = "duplicateSpace", params(("spaceId" = String, Path)),
    responses((status = 201, description = "The new space", body = Space, headers(("Location" = String)))))]
#[post("/spaces/{spaceId}/duplicate")]
async fn duplicate_space(api: Data<Api>, caller: Caller, path: Path<SpaceId>) -> Answered {
    let original = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let copy = space(api.services.spaces.duplicate(&caller, &original).await?, &api.links);
        created(copy.urls().location.clone(), &copy)
    })
    .await
}
