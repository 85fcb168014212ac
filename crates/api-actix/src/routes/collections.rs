//! Collections.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, ok};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::collection::{
    Collection, CollectionList, CollectionParams, CreateCollection, UpdateCollection, collection,
};
use crate::wire::place::{MoveBody, Transfer};
use crate::wire::space::{SpaceList, space};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::{CollectionId, OrganizationId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_collections).service(create_collection).service(get_collection).service(update_collection);
    config
        .service(list_spaces_in_collection)
        .service(move_collection)
        .service(transfer_collection)
        .service(delete_collection);
}

/// List the collections of an organization
#[utoipa::path(tag = "collections", operation_id = "listCollectionsInOrganizationById",
    params(("organizationId" = String, Path), CollectionParams, PagingParams),
    responses((status = 200, description = "Collections that the caller may see, ordered by position", body = CollectionList)))]
#[get("/orgs/{organizationId}/collections")]
async fn list_collections(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    params: Query<CollectionParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.collections.list(&caller, &path, paging.with(params)).await?;
    ok(&paging.list(found, |found| collection(found, &api.links)))
}

/// Create a collection
#[utoipa::path(tag = "collections", operation_id = "createCollection", params(("organizationId" = String, Path)),
    request_body = Option<CreateCollection>,
    responses((status = 201, description = "The collection", body = Collection, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/collections")]
async fn create_collection(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<CreateCollection>,
) -> Answered {
    let new = api.services.collections.create(&caller, &path, body.input_or_default()).await?;
    let new = collection(new, &api.links);
    created(new.urls().location.clone(), &new)
}

/// Get a collection
#[utoipa::path(tag = "collections", operation_id = "getCollectionById", params(("collectionId" = String, Path)),
    responses((status = 200, description = "The collection", body = Collection)))]
#[get("/collections/{collectionId}")]
async fn get_collection(api: Data<Api>, caller: Caller, path: Path<CollectionId>) -> Answered {
    let found = api.services.collections.get(&caller, &path).await?;
    ok(&collection(found, &api.links))
}

/// Update a collection
#[utoipa::path(tag = "collections", operation_id = "updateCollectionById", params(("collectionId" = String, Path), IfShown),
    request_body = Option<UpdateCollection>,
    responses((status = 200, description = "The collection", body = Collection)))]
#[patch("/collections/{collectionId}")]
async fn update_collection(
    api: Data<Api>,
    caller: Caller,
    path: Path<CollectionId>,
    body: Body<UpdateCollection>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, collection);
    let changed = api.services.collections.update(&caller, &path, wanted, body.input_or_default()).await?;
    ok(&collection(changed, &api.links))
}

/// List the spaces in a collection
#[utoipa::path(tag = "collections", operation_id = "listSpacesInCollectionById",
    params(("collectionId" = String, Path), PagingParams),
    responses((status = 200, description = "Spaces that the caller may see, ordered by position", body = SpaceList)))]
#[get("/collections/{collectionId}/spaces")]
async fn list_spaces_in_collection(
    api: Data<Api>,
    caller: Caller,
    path: Path<CollectionId>,
    paging: Paging,
) -> Answered {
    let found = api.services.spaces.in_collection(&caller, &path, paging.input()).await?;
    ok(&paging.list(found, |found| space(found, &api.links)))
}

/// Move a collection within its organization
#[utoipa::path(tag = "collections", operation_id = "moveCollection", params(("collectionId" = String, Path)),
    request_body = MoveBody, responses((status = 200, description = "The collection", body = Collection)))]
#[post("/collections/{collectionId}/move")]
async fn move_collection(api: Data<Api>, caller: Caller, path: Path<CollectionId>, body: Body<MoveBody>) -> Answered {
    let moved = api.services.collections.move_to(&caller, &path, body.input()).await?;
    ok(&collection(moved, &api.links))
}

/// Transfer a collection to another organization
#[utoipa::path(tag = "collections", operation_id = "transferCollection", params(("collectionId" = String, Path)),
    request_body = Transfer, responses((status = 200, description = "The collection", body = Collection)))]
#[post("/collections/{collectionId}/transfer")]
async fn transfer_collection(
    api: Data<Api>,
    caller: Caller,
    path: Path<CollectionId>,
    body: Body<Transfer>,
) -> Answered {
    let moved = api.services.collections.transfer(&caller, &path, body.input()).await?;
    ok(&collection(moved, &api.links))
}

/// Delete a collection and everything in it
#[utoipa::path(tag = "collections", operation_id = "deleteCollectionById", params(("collectionId" = String, Path), IfShown),
    responses((status = 205, description = "The collection is deleted"), (status = 204, description = "There was no such collection")))]
#[delete("/collections/{collectionId}")]
async fn delete_collection(
    api: Data<Api>,
    caller: Caller,
    path: Path<CollectionId>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    Ok(deleted(api.services.collections.delete(&caller, &path, wanted.shown(&api, collection)).await?))
}
