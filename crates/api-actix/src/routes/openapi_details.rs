//! Operations and changes of versions of OpenAPI specs, and the blocks that show specs.
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
/// Lists blocks in the primary content of spaces that the caller may read. A block in included content is listed for
/// each page that includes it.
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
/// The operation as documentation shows it: parameters by place, bodies and responses by media type with their schemas
/// as rows, and security. A schema that is too deep or too long is cut; the row says where it continues.
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
/// A `breaking` change can break existing callers of the API: a valid request becomes invalid, or a response no longer
/// keeps what the older version promised.
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecVersionChanges",
    params(("organizationId" = String, Path), ("specSlug" = String, Path),
        ("versionId" = String, Path, description = "The id of a version, or `latest`"), OpenapiChangesParams),
    responses((status = 200, description = "Changes, the most severe first", body = OpenapiVersionChanges)))]
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
