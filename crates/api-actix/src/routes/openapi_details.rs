//! What versions of OpenAPI specs have, and what shows them.
use super::{ServiceConfig, at_length};
use crate::Api;
use crate::answer::{Answered, ok};
use crate::request::Query;
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::openapi_details::{
    OpenapiChangesParams, OpenapiOperationList, OpenapiOperationParams, OpenapiOperationView, OpenapiUsageList,
    OpenapiVersionChanges, WhichVersionPath, openapi_changes, openapi_operation, openapi_usage,
};
use actix_web::get;
use actix_web::web::{Data, Path};
use domain::id::OrganizationId;
use domain::openapi_spec::SpecSlug;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_usages).service(list_operations).service(get_changes).service(get_operation);
}

/// List the blocks that show an OpenAPI spec
///
/// Only the primary content of spaces that the caller may read. A block of an included content is listed with each page.
#[utoipa::path(tag = "openapi", operation_id = "listOpenAPISpecUsages",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), PagingParams),
    responses((status = 200, description = "Blocks, by space and page", body = OpenapiUsageList)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/usages")]
async fn list_usages(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug)>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, |api, caller| async move {
        let (organization, slug) = &*path;
        let found = api.services.openapi_specs.usages(&caller, organization, slug, paging.input()).await?;
        ok(&paging.list(found, |usage| openapi_usage(usage, &api.links)))
    })
    .await
}

/// List the operations of a version of an OpenAPI spec
///
/// First the operations of paths, then those of webhooks, in the order of the document.
#[utoipa::path(tag = "openapi", operation_id = "listOpenAPISpecOperations",
    params(("organizationId" = String, Path), ("specSlug" = String, Path),
        ("versionId" = String, Path, description = "The id of a version, or `latest`"), PagingParams),
    responses((status = 200, description = "Operations", body = OpenapiOperationList)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/operations")]
async fn list_operations(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug, WhichVersionPath)>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, |api, caller| async move {
        let (organization, slug, WhichVersionPath(which)) = &*path;
        let found = api.services.openapi_specs.operations(&caller, organization, slug, which, paging.input()).await?;
        ok(&paging.list(found, openapi_operation))
    })
    .await
}

/// Get an operation or a webhook of a version of an OpenAPI spec
///
/// As a reader sees it: parameters by place, bodies and responses by media type with their schemas as rows, security. A
/// schema that is too deep or too long is cut; the row says where it continues.
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecOperation",
    params(("organizationId" = String, Path), ("specSlug" = String, Path),
        ("versionId" = String, Path, description = "The id of a version, or `latest`"), OpenapiOperationParams),
    responses((status = 200, description = "The operation", body = OpenapiOperationView)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/operation")]
async fn get_operation(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug, WhichVersionPath)>,
    params: Query<OpenapiOperationParams>,
) -> Answered {
    at_length(api, caller, 0, |api, caller| async move {
        let (organization, slug, WhichVersionPath(which)) = &*path;
        let found = api.services.openapi_specs.operation(&caller, organization, slug, which, params.input()).await?;
        ok(&OpenapiOperationView::from(found))
    })
    .await
}

/// Get the changes of a version of an OpenAPI spec
///
/// What is `breaking` breaks callers of the API: in requests, what was valid must stay valid; in responses, what was
/// promised must be kept.
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecVersionChanges",
    params(("organizationId" = String, Path), ("specSlug" = String, Path),
        ("versionId" = String, Path, description = "The id of a version, or `latest`"), OpenapiChangesParams),
    responses((status = 200, description = "Changes, the worst first", body = OpenapiVersionChanges)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes")]
async fn get_changes(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug, WhichVersionPath)>,
    params: Query<OpenapiChangesParams>,
) -> Answered {
    at_length(api, caller, 0, |api, caller| async move {
        let (organization, slug, WhichVersionPath(which)) = &*path;
        let found = api.services.openapi_specs.changes(&caller, organization, slug, which, params.input()).await?;
        ok(&openapi_changes(found, slug))
    })
    .await
}
