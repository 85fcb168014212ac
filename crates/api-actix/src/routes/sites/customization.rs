//! The customization of sites, and of the spaces on them.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, deleted, ok};
use crate::request::Body;
use crate::request::if_match::{IfMatch, IfShown};
use crate::state::caller::Caller;
use crate::wire::site::customization::{SiteCustomization, UpdateSiteCustomization, customization};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, put};
use domain::id::{OrganizationId, SiteId, SiteSpaceId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get_customization).service(replace_customization);
    config.service(get_space_customization).service(update_space_customization).service(delete_space_customization);
}

/// Get the customization of a site
#[utoipa::path(tag = "site-customization", operation_id = "getSiteCustomizationById",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "Every value", body = SiteCustomization)))]
#[get("/orgs/{organizationId}/sites/{siteId}/customization")]
async fn get_customization(api: Data<Api>, caller: Caller, path: Path<(OrganizationId, SiteId)>) -> Answered {
    let (organization, id) = &*path;
    ok(&customization(api.services.sites.customization(&caller, organization, id).await?, &api.links))
}

/// Replace the customization of a site
///
/// Absent and `null` values return to their defaults.
#[utoipa::path(tag = "site-customization", operation_id = "updateSiteCustomizationById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), IfShown), request_body = UpdateSiteCustomization,
    responses((status = 200, description = "Every value", body = SiteCustomization)))]
#[put("/orgs/{organizationId}/sites/{siteId}/customization")]
async fn replace_customization(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<UpdateSiteCustomization>,
    wanted: IfMatch,
) -> Answered {
    let (organization, id) = &*path;
    let wanted = wanted.shown(&api, customization);
    let replaced = api.services.sites.replace_customization(&caller, organization, id, wanted, body.input()).await?;
    ok(&customization(replaced, &api.links))
}

/// Get the customization of a space on a site
///
/// Values that the space does not override come from the site.
#[utoipa::path(tag = "site-customization", operation_id = "getSiteSpaceCustomizationById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path)),
    responses((status = 200, description = "Every value", body = SiteCustomization)))]
#[get("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization")]
async fn get_space_customization(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
) -> Answered {
    let (organization, site, id) = &*path;
    let found = api.services.sites.site_space_customization(&caller, organization, (site, id)).await?;
    ok(&customization(found, &api.links))
}

/// Override the customization of a site for a space
///
/// Absent values stay unchanged. `null` removes an override; for a part such as `styling`, it removes the overrides of
/// all its values.
#[utoipa::path(tag = "site-customization", operation_id = "overrideSiteSpaceCustomizationById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path), IfShown),
    request_body = UpdateSiteCustomization,
    responses((status = 200, description = "Every value", body = SiteCustomization)))]
#[patch("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization")]
async fn update_space_customization(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
    body: Body<UpdateSiteCustomization>,
    wanted: IfMatch,
) -> Answered {
    let (organization, site, id) = &*path;
    let (wanted, patch) = (wanted.shown(&api, customization), body.input());
    let sites = &api.services.sites;
    let updated = sites.update_site_space_customization(&caller, organization, (site, id), wanted, patch).await?;
    ok(&customization(updated, &api.links))
}

/// Remove all overrides of a space on a site
#[utoipa::path(tag = "site-customization", operation_id = "deleteSiteSpaceCustomizationById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path), IfShown),
    responses((status = 205, description = "The overrides are removed"), (status = 204, description = "There were none")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization")]
async fn delete_space_customization(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, site, id) = &*path;
    let wanted = wanted.shown(&api, customization);
    let sites = &api.services.sites;
    Ok(deleted(sites.remove_site_space_customization(&caller, organization, (site, id), wanted).await?))
}
