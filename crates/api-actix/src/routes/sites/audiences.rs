//! Who may see a site: share links, publishing authentication and adaptive schemas.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created_with_secret, deleted, ok, ok_with_secret};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::site::audience::{
    AdaptiveSchema, CreateShareLink, IntegrationScript, PublishingAuth, ShareLink, ShareLinkList, ShareLinkParams,
    TemplateConditions, UpdateAdaptiveSchema, UpdatePublishingAuth, UpdateShareLink, adaptive_schema,
    integration_scripts, publishing_auth, share_link, template_conditions,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post, put};
use domain::id::{OrganizationId, ShareLinkId, SiteId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_share_links).service(create_share_link).service(get_share_link);
    config.service(update_share_link).service(delete_share_link);
    config.service(get_publishing_auth).service(update_publishing_auth).service(regenerate_publishing_auth);
    config.service(get_adaptive_schema).service(update_adaptive_schema).service(list_template_conditions);
    config.service(list_integration_scripts);
}

/// List the share links of a site
///
/// Only administrators of the site see them.
#[utoipa::path(tag = "site-audiences", operation_id = "listSiteShareLinks",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ShareLinkParams, PagingParams),
    responses((status = 200, description = "Share links, oldest first", body = ShareLinkList)))]
#[get("/orgs/{organizationId}/sites/{siteId}/share-links")]
async fn list_share_links(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<ShareLinkParams>,
    paging: Paging,
) -> Answered {
    let (organization, site) = &*path;
    let found = api.services.share_links.list(&caller, organization, site, paging.with(params)).await?;
    ok_with_secret(&paging.list(found, |found| share_link(found, &api.links)))
}

/// Create a share link
///
/// The link opens the site if the site is published and its visibility is `share-link`. A site has at most 100 share
/// links. With an `Idempotency-Key` the link is created once, and the response is not stored.
#[utoipa::path(tag = "site-audiences", operation_id = "createSiteShareLink",
    params(("organizationId" = String, Path), ("siteId" = String, Path)), request_body = CreateShareLink,
    responses((status = 201, description = "The share link", body = ShareLink, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/share-links")]
async fn create_share_link(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<CreateShareLink>,
) -> Answered {
    let (organization, site) = &*path;
    let new = share_link(api.services.share_links.create(&caller, organization, site, body.input()).await?, &api.links);
    created_with_secret(new.location(), &new)
}

/// Get a share link
#[utoipa::path(tag = "site-audiences", operation_id = "getSiteShareLinkById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("shareLinkId" = String, Path)),
    responses((status = 200, description = "The share link", body = ShareLink)))]
#[get("/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}")]
async fn get_share_link(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId, ShareLinkId)>) -> Answered {
    let (organization, site, id) = &*path;
    let found = api.services.share_links.get(&caller, organization, site, id).await?;
    ok_with_secret(&share_link(found, &api.links))
}

/// Update a share link
///
/// An inactive link gives no access. It can be activated again.
#[utoipa::path(tag = "site-audiences", operation_id = "updateSiteShareLinkById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("shareLinkId" = String, Path), IfShown),
    request_body = UpdateShareLink,
    responses((status = 200, description = "The share link", body = ShareLink)))]
#[patch("/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}")]
async fn update_share_link(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, ShareLinkId)>,
    body: Body<UpdateShareLink>,
    wanted: IfMatch,
) -> Answered {
    let (organization, site, id) = &*path;
    let wanted = wanted.shown(&api, share_link);
    let changed = api.services.share_links.update(&caller, organization, site, id, wanted, body.input()).await?;
    ok_with_secret(&share_link(changed, &api.links))
}

/// Delete a share link
///
/// The link stops working at once.
#[utoipa::path(tag = "site-audiences", operation_id = "deleteSiteShareLinkById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("shareLinkId" = String, Path), IfShown),
    responses((status = 205, description = "The share link is deleted"), (status = 204, description = "There was no such share link")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}")]
async fn delete_share_link(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, ShareLinkId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, site, id) = &*path;
    let wanted = wanted.shown(&api, share_link);
    Ok(deleted(api.services.share_links.remove(&caller, organization, site, id, wanted).await?))
}

/// Get the publishing authentication of a site
///
/// Only administrators of the site see it, since it contains the private key that signs the tokens of visitors.
#[utoipa::path(tag = "site-audiences", operation_id = "getSitePublishingAuthById",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The publishing authentication", body = PublishingAuth)))]
#[get("/orgs/{organizationId}/sites/{siteId}/publishing/auth")]
async fn get_publishing_auth(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, site) = &*path;
    let found = api.services.publishing_auths.get(&caller, organization, site).await?;
    ok_with_secret(&publishing_auth(found, &api.links))
}

/// Update the publishing authentication of a site
///
/// The private key does not change.
#[utoipa::path(tag = "site-audiences", operation_id = "updateSitePublishingAuthById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), IfShown), request_body = UpdatePublishingAuth,
    responses((status = 200, description = "The publishing authentication", body = PublishingAuth)))]
#[patch("/orgs/{organizationId}/sites/{siteId}/publishing/auth")]
async fn update_publishing_auth(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<UpdatePublishingAuth>,
    wanted: IfMatch,
) -> Answered {
    let (organization, site) = &*path;
    let wanted = wanted.shown(&api, publishing_auth);
    let changed = api.services.publishing_auths.update(&caller, organization, site, wanted, body.input()).await?;
    ok_with_secret(&publishing_auth(changed, &api.links))
}

/// Replace the private key of a site
///
/// Tokens that were signed with the old key become invalid at once. With an `Idempotency-Key` the key is replaced once,
/// and the response is not stored.
#[utoipa::path(tag = "site-audiences", operation_id = "regenerateSitePublishingAuthById",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The publishing authentication, with the new key", body = PublishingAuth)))]
#[post("/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate")]
async fn regenerate_publishing_auth(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, site) = &*path;
    let changed = api.services.publishing_auths.regenerate(&caller, organization, site).await?;
    ok_with_secret(&publishing_auth(changed, &api.links))
}

/// Get the adaptive schema of a site
///
/// Callers who can edit the site see it. Returns 404 if the site has none.
#[utoipa::path(tag = "site-audiences", operation_id = "getSiteAdaptiveSchema",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The adaptive schema", body = AdaptiveSchema)))]
#[get("/orgs/{organizationId}/sites/{siteId}/adaptive-schema")]
async fn get_adaptive_schema(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, site) = &*path;
    ok(&adaptive_schema(api.services.adaptive_schemas.get(&caller, organization, site).await?, &api.links))
}

/// Set the adaptive schema of a site
///
/// Claims that are not in the schema are ignored. A schema is at most 64 KiB of JSON, with at most 200 claims, nested
/// at most 4 deep.
#[utoipa::path(tag = "site-audiences", operation_id = "updateSiteAdaptiveSchema",
    params(("organizationId" = String, Path), ("siteId" = String, Path), IfShown), request_body = UpdateAdaptiveSchema,
    responses((status = 200, description = "The adaptive schema", body = AdaptiveSchema)))]
#[put("/orgs/{organizationId}/sites/{siteId}/adaptive-schema")]
async fn update_adaptive_schema(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<UpdateAdaptiveSchema>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, adaptive_schema);
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, site) = &*path;
        let set = api.services.adaptive_schemas.put(&caller, organization, site, wanted, body.input()).await?;
        ok(&adaptive_schema(set, &api.links))
    })
    .await
}

/// List the conditions that the adaptive schema of a site suggests
///
/// Callers who can edit the site see them. The list is empty if the site has no schema.
#[utoipa::path(tag = "site-audiences", operation_id = "listSiteAdaptiveTemplateConditions",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "Conditions", body = TemplateConditions)))]
#[get("/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions")]
async fn list_template_conditions(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, site) = &*path;
    ok(&template_conditions(api.services.adaptive_schemas.template_conditions(&caller, organization, site).await?))
}

/// List the scripts of the integrations of a site
///
/// This server has no integrations, so the list is empty.
#[utoipa::path(tag = "site-audiences", operation_id = "listSiteIntegrationScripts",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "Scripts", body = Vec<IntegrationScript>)))]
#[get("/orgs/{organizationId}/sites/{siteId}/integration-scripts")]
async fn list_integration_scripts(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, site) = &*path;
    api.services.sites.get(&caller, organization, site).await?;
    ok(&integration_scripts())
}
