//! OpenAPI specs and their versions.
use super::{ServiceConfig, at_length, at_length_if};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, ok};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query, SHORT_BODY};
use crate::state::caller::Caller;
use crate::wire::openapi_spec::{
    CreateOpenapiSpec, OpenapiContentParams, OpenapiSpecList, OpenapiSpecResource, OpenapiVersionContent,
    OpenapiVersionList, OpenapiVersionResource, OpenapiVersionText, PutOpenapiSpec, UpdateOpenapiSpec, openapi_content,
    openapi_spec, openapi_text, openapi_version,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post, put};
use domain::id::{OpenapiVersionId, OrganizationId};
use domain::openapi_spec::SpecSlug;
use domain::text::Rule;
use domain::usecases::Error;
use domain::usecases::openapi_specs::WhichVersion;
use serde_json::value::RawValue;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_openapi_specs).service(create_openapi_spec).service(get_openapi_spec);
    config.service(put_openapi_spec).service(update_openapi_spec).service(delete_openapi_spec);
    config.service(list_versions);
    // Before the routes with an id: the router takes the first match.
    config.service(get_latest_version).service(get_latest_content).service(get_latest_text);
    config.service(get_version).service(get_content).service(get_text);
}

/// List the OpenAPI specs of an organization
#[utoipa::path(tag = "openapi", operation_id = "listOpenAPISpecs",
    params(("organizationId" = String, Path), PagingParams),
    responses((status = 200, description = "OpenAPI specs, oldest first", body = OpenapiSpecList)))]
#[get("/orgs/{organizationId}/openapi")]
async fn list_openapi_specs(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, paging: Paging) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.openapi_specs.list(&caller, &path, paging.input()).await?;
        ok(&paging.list(found, |spec| openapi_spec(spec, &api.links)))
    })
    .await
}

/// Create an OpenAPI spec
///
/// The server processes the source in the background: then `processingState` is `complete`, and `lastVersion` is the
/// new version. A document with errors becomes a version too, as far as it can be read; `lastProcessedErrors` lists the
/// errors.
#[utoipa::path(tag = "openapi", operation_id = "createOpenAPISpec", params(("organizationId" = String, Path)),
    request_body = CreateOpenapiSpec,
    responses((status = 201, description = "The OpenAPI spec", body = OpenapiSpecResource, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/openapi")]
async fn create_openapi_spec(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    body: Body<CreateOpenapiSpec>,
) -> Answered {
    let length = body.len();
    at_length_if(length > SHORT_BODY, api, caller, length, |api, caller| async move {
        let new = api.services.openapi_specs.create(&caller, &path, body.input()).await?;
        let new = openapi_spec(new, &api.links);
        created(new.urls().location.clone(), &new)
    })
    .await
}

/// Get an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecBySlug",
    params(("organizationId" = String, Path), ("specSlug" = String, Path)),
    responses((status = 200, description = "The OpenAPI spec", body = OpenapiSpecResource)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}")]
async fn get_openapi_spec(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SpecSlug)>) -> Answered {
    let (organization, slug) = &*path;
    ok(&openapi_spec(api.services.openapi_specs.get(&caller, organization, slug).await?, &api.links))
}

/// Create an OpenAPI spec or set its source
///
/// The server processes the source in the background, even if it is unchanged, and adds a version.
#[utoipa::path(tag = "openapi", operation_id = "createOrUpdateOpenAPISpecBySlug",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), IfShown), request_body = PutOpenapiSpec,
    responses((status = 200, description = "The OpenAPI spec", body = OpenapiSpecResource),
        (status = 201, description = "The OpenAPI spec is new", body = OpenapiSpecResource, headers(("Location" = String)))))]
#[put("/orgs/{organizationId}/openapi/{specSlug}")]
async fn put_openapi_spec(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, String)>,
    body: Body<PutOpenapiSpec>,
    wanted: IfMatch,
) -> Answered {
    let length = body.len();
    at_length_if(length > SHORT_BODY, api, caller, length, |api, caller| async move {
        let (organization, slug) = path.into_inner();
        // The slug of a new spec is input: an invalid slug is 400, not 404.
        let slug: SpecSlug = slug.parse().map_err(|rule: Rule| Error::from(rule.of("specSlug")))?;
        let wanted = wanted.shown(&api, openapi_spec);
        let (spec, is_new) =
            api.services.openapi_specs.set(&caller, &organization, &slug, wanted, body.input()).await?;
        let spec = openapi_spec(spec, &api.links);
        if is_new { created(spec.urls().location.clone(), &spec) } else { ok(&spec) }
    })
    .await
}

/// Update the visibility of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "updateOpenAPISpecBySlug",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), IfShown), request_body = UpdateOpenapiSpec,
    responses((status = 200, description = "The OpenAPI spec", body = OpenapiSpecResource)))]
#[patch("/orgs/{organizationId}/openapi/{specSlug}")]
async fn update_openapi_spec(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug)>,
    body: Body<UpdateOpenapiSpec>,
    wanted: IfMatch,
) -> Answered {
    let (organization, slug) = &*path;
    let wanted = wanted.shown(&api, openapi_spec);
    let spec = api.services.openapi_specs.set_visibility(&caller, organization, slug, wanted, body.input()).await?;
    ok(&openapi_spec(spec, &api.links))
}

/// Delete an OpenAPI spec with all its versions
#[utoipa::path(tag = "openapi", operation_id = "deleteOpenAPISpecBySlug",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), IfShown),
    responses((status = 205, description = "The OpenAPI spec is deleted"),
        (status = 204, description = "There was no such OpenAPI spec")))]
#[delete("/orgs/{organizationId}/openapi/{specSlug}")]
async fn delete_openapi_spec(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, slug) = &*path;
    let wanted = wanted.shown(&api, openapi_spec);
    Ok(deleted(api.services.openapi_specs.remove(&caller, organization, slug, wanted).await?))
}

/// List the versions of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "listOpenAPISpecVersions",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), PagingParams),
    responses((status = 200, description = "Versions, newest first", body = OpenapiVersionList)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions")]
async fn list_versions(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug)>,
    paging: Paging,
) -> Answered {
    let (organization, slug) = &*path;
    let (spec, found) = api.services.openapi_specs.versions(&caller, organization, slug, paging.newest_first()).await?;
    let now = api.services.clock.now();
    ok(&paging.list(found, |version| openapi_version(version, &spec, &api.links, now)))
}

/// Get the newest version of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getLatestOpenAPISpecVersion",
    params(("organizationId" = String, Path), ("specSlug" = String, Path)),
    responses((status = 200, description = "The version", body = OpenapiVersionResource)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/latest")]
async fn get_latest_version(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SpecSlug)>) -> Answered {
    let (organization, slug) = path.into_inner();
    version(api, caller, organization, slug, WhichVersion::Latest).await
}

/// Get the content of the newest version of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getLatestOpenAPISpecVersionContent",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), OpenapiContentParams),
    responses((status = 200, description = "The document in OpenAPI 3.1 or 3.2", body = OpenapiVersionContent)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content")]
async fn get_latest_content(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug)>,
    params: Query<OpenapiContentParams>,
) -> Answered {
    let (organization, slug) = path.into_inner();
    content(api, caller, organization, slug, WhichVersion::Latest, params).await
}

/// Get the source text of the newest version of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getLatestOpenAPISpecVersionRawContent",
    params(("organizationId" = String, Path), ("specSlug" = String, Path)),
    responses((status = 200, description = "The document as it was sent or fetched", body = OpenapiVersionText)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content/raw")]
async fn get_latest_text(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SpecSlug)>) -> Answered {
    let (organization, slug) = path.into_inner();
    text(api, caller, organization, slug, WhichVersion::Latest).await
}

/// Get a version of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecVersionById",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), ("versionId" = String, Path)),
    responses((status = 200, description = "The version", body = OpenapiVersionResource)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}")]
async fn get_version(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug, OpenapiVersionId)>,
) -> Answered {
    let (organization, slug, id) = path.into_inner();
    version(api, caller, organization, slug, WhichVersion::Id(id)).await
}

/// Get the content of a version of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecVersionContentById",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), ("versionId" = String, Path),
        OpenapiContentParams),
    responses((status = 200, description = "The document in OpenAPI 3.1 or 3.2", body = OpenapiVersionContent)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content")]
async fn get_content(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug, OpenapiVersionId)>,
    params: Query<OpenapiContentParams>,
) -> Answered {
    let (organization, slug, id) = path.into_inner();
    content(api, caller, organization, slug, WhichVersion::Id(id), params).await
}

/// Get the source text of a version of an OpenAPI spec
#[utoipa::path(tag = "openapi", operation_id = "getOpenAPISpecVersionRawContentById",
    params(("organizationId" = String, Path), ("specSlug" = String, Path), ("versionId" = String, Path)),
    responses((status = 200, description = "The document as it was sent or fetched", body = OpenapiVersionText)))]
#[get("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content/raw")]
async fn get_text(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SpecSlug, OpenapiVersionId)>,
) -> Answered {
    let (organization, slug, id) = path.into_inner();
    text(api, caller, organization, slug, WhichVersion::Id(id)).await
}

async fn version(
    api: Data<Api>,
    caller: Caller,
    organization: OrganizationId,
    slug: SpecSlug,
    which: WhichVersion,
) -> Answered {
    let found = api.services.openapi_specs.version(&caller, &organization, &slug, &which).await?;
    ok(&openapi_version(found.version, &found.spec, &api.links, api.services.clock.now()))
}

async fn content(
    api: Data<Api>,
    caller: Caller,
    organization: OrganizationId,
    slug: SpecSlug,
    which: WhichVersion,
    params: Query<OpenapiContentParams>,
) -> Answered {
    at_length(api, caller, 0, |api, caller| async move {
        let specs = &api.services.openapi_specs;
        let found = specs.version(&caller, &organization, &slug, &which).await?;
        let as_list = params.read().map_err(Error::from)?;
        let corrupt = |error: serde_json::Error| Error::Corrupt(error.to_string());
        let document = RawValue::from_string(specs.document(&found).await?).map_err(corrupt)?;
        let now = api.services.clock.now();
        ok(&openapi_content(&found.version, &found.spec, document, as_list, &api.links, now))
    })
    .await
}

async fn text(
    api: Data<Api>,
    caller: Caller,
    organization: OrganizationId,
    slug: SpecSlug,
    which: WhichVersion,
) -> Answered {
    at_length(api, caller, 0, |api, caller| async move {
        let found = api.services.openapi_specs.text(&caller, &organization, &slug, &which).await?;
        ok(&openapi_text(&found))
    })
    .await
}
