//! Docs sites.
mod audiences;
mod customization;
mod feedback;
mod moves;
mod redirects;
mod sections;
mod site_spaces;
mod structure;

use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, ok};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::site::{CreateSite, ListSites, Site, SiteList, UpdateSite, site};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use domain::id::{OrganizationId, SiteId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_sites).service(create_site).service(get_site).service(update_site).service(delete_site);
    config.service(publish_site).service(unpublish_site);
    structure::configure(config);
    sections::configure(config);
    site_spaces::configure(config);
    moves::configure(config);
    customization::configure(config);
    redirects::configure(config);
    audiences::configure(config);
    feedback::configure(config);
}

/// List the sites of an organization
#[utoipa::path(tag = "sites", operation_id = "listSites", params(("organizationId" = String, Path), ListSites, PagingParams),
    responses((status = 200, description = "Sites that the caller may see, oldest first", body = SiteList)))]
#[get("/orgs/{organizationId}/sites")]
async fn list_sites(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    params: Query<ListSites>,
    paging: Paging,
) -> Answered {
    let found = api.services.sites.list(&caller, &path, paging.with(params)).await?;
    ok(&paging.list(found, |found| site(found, &api.links)))
}

/// Create a site
///
/// The site is not published.
#[utoipa::path(tag = "sites", operation_id = "createSite", params(("organizationId" = String, Path)),
    request_body = Option<CreateSite>,
    responses((status = 201, description = "The site", body = Site, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites")]
async fn create_site(api: Data<Api>, caller: Caller, path: Path<OrganizationId>, body: Body<CreateSite>) -> Answered {
    let new = site(api.services.sites.create(&caller, &path, body.input_or_default()).await?, &api.links);
    created(new.urls().location.clone(), &new)
}

/// Get a site
#[utoipa::path(tag = "sites", operation_id = "getSiteById", params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The site", body = Site)))]
#[get("/orgs/{organizationId}/sites/{siteId}")]
async fn get_site(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&site(api.services.sites.get(&caller, organization, id).await?, &api.links))
}

/// Update a site
///
/// Only administrators of the site can change its settings. Callers who may change its structure can set the defaults.
#[utoipa::path(tag = "sites", operation_id = "updateSiteById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), IfShown), request_body = Option<UpdateSite>,
    responses((status = 200, description = "The site", body = Site)))]
#[patch("/orgs/{organizationId}/sites/{siteId}")]
async fn update_site(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<UpdateSite>,
    wanted: IfMatch,
) -> Answered {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, site);
    let changed = api.services.sites.update(&caller, organization, id, wanted, body.input_or_default()).await?;
    ok(&site(changed, &api.links))
}

/// Delete a site
///
/// The spaces on it are not deleted.
#[utoipa::path(tag = "sites", operation_id = "deleteSiteById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), IfShown),
    responses((status = 205, description = "The site is deleted"), (status = 204, description = "There was no such site")))]
#[delete("/orgs/{organizationId}/sites/{siteId}")]
async fn delete_site(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = &*path;
    Ok(deleted(api.services.sites.delete(&caller, organization, id, wanted.shown(&api, site)).await?))
}

/// Publish a site
///
/// Afterwards, the audience of its visibility can reach it.
#[utoipa::path(tag = "sites", operation_id = "publishSite", params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The site", body = Site)))]
#[post("/orgs/{organizationId}/sites/{siteId}/publish")]
async fn publish_site(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&site(api.services.sites.publish(&caller, organization, id).await?, &api.links))
}

/// Unpublish a site
#[utoipa::path(tag = "sites", operation_id = "unpublishSite", params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The site", body = Site)))]
#[post("/orgs/{organizationId}/sites/{siteId}/unpublish")]
async fn unpublish_site(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&site(api.services.sites.unpublish(&caller, organization, id).await?, &api.links))
}
