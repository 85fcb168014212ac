//! The spaces on a site.
use super::ServiceConfig;
use super::structure::{added, remove_part, shown, update_part};
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answer, Answered, created_or_minimal, ok_with_key};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::site::{
    CreateSiteSpace, DuplicateSiteSpace, SiteSpace, SiteSpaceList, SiteSpacesParams, UpdateSiteSpace, site_space,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post};
use domain::id::{OrganizationId, SiteId, SiteSpaceId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_site_spaces).service(add_site_space).service(update_site_space);
    config.service(delete_site_space).service(duplicate_site_space);
}

/// List the spaces of a site
#[utoipa::path(tag = "site-structure", operation_id = "listSiteSpaces",
    params(("organizationId" = String, Path), ("siteId" = String, Path), SiteSpacesParams, PagingParams),
    responses((status = 200, description = "Spaces that the caller may see, in order", body = SiteSpaceList)))]
#[get("/orgs/{organizationId}/sites/{siteId}/site-spaces")]
async fn list_site_spaces(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<SiteSpacesParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let ((organization, id), read) = (&*path, params.read());
        let (of, found) = api.services.sites.site_spaces(&caller, organization, id, paging.with(params)).await?;
        let show = |space: domain::site::structure::SiteSpace| {
            let (section, space) = of.structure.space(&space.id)?;
            site_space(&of, section, space, &api.links)
        };
        ok_with_key(read?.1.as_ref(), &paging.list(found.filter_map(show), |space| space))
    })
    .await
}

/// Add a space to a site
#[utoipa::path(tag = "site-structure", operation_id = "addSpaceToSite",
    params(("organizationId" = String, Path), ("siteId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body")),
    request_body = CreateSiteSpace,
    responses((status = 201, description = "The space on the site", body = SiteSpace, headers(("Location" = String))),
        (status = 204, description = "The space is added (with `Prefer: return=minimal`)")))]
#[post("/orgs/{organizationId}/sites/{siteId}/site-spaces")]
async fn add_site_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<CreateSiteSpace>,
    request: HttpRequest,
) -> Answered {
    let ((organization, id), minimal) = (path.into_inner(), Answer::is_minimal_preferred(&request));
    at_length(api, caller, body.len(), move |api, caller| async move {
        let added = api.services.sites.add_site_space(&caller, &organization, &id, body.input()).await?;
        let location = api.links.site_part(&organization, &id, &added.id);
        created_or_minimal(minimal, location, &shown(&api, &added)?)
    })
    .await
}

/// Duplicate a space on a site
///
/// Copies the space, and adds the copy after the original. The copy of the only space of a section gets a section of
/// its own.
#[utoipa::path(tag = "site-structure", operation_id = "duplicateSiteSpace",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path)),
    request_body = Option<DuplicateSiteSpace>,
    responses((status = 201, description = "The copy on the site", body = SiteSpace, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/duplicate")]
async fn duplicate_site_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
    body: Body<DuplicateSiteSpace>,
) -> Answered {
    let (organization, site, id) = path.into_inner();
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (sites, draft) = (&api.services.sites, body.input_or_default());
        let copy = sites.duplicate_site_space(&caller, &organization, (&site, &id), draft).await?;
        added(&api, &(organization, site), &copy)
    })
    .await
}

/// Update a space on a site
#[utoipa::path(tag = "site-structure", operation_id = "updateSiteSpaceById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body"), IfShown),
    request_body = UpdateSiteSpace,
    responses((status = 200, description = "The space on the site", body = SiteSpace),
        (status = 204, description = "The space is updated (with `Prefer: return=minimal`)")))]
#[patch("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}")]
async fn update_site_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
    body: Body<UpdateSiteSpace>,
    wanted: IfMatch,
    request: HttpRequest,
) -> Answered {
    update_part(api, caller, &request, (body, wanted), move |api, caller, wanted, patch| async move {
        let (organization, site, id) = &*path;
        api.services.sites.update_site_space(&caller, organization, (site, id), wanted, patch).await
    })
    .await
}

/// Remove a space from a site
///
/// The space itself is not deleted.
#[utoipa::path(tag = "site-structure", operation_id = "deleteSiteSpaceById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteSpaceId" = String, Path), IfShown),
    responses((status = 205, description = "The space is removed from the site"),
        (status = 204, description = "It was not on the site")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}")]
async fn delete_site_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteSpaceId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    remove_part(api, caller, wanted, move |api, caller, wanted| async move {
        let (organization, site, id) = &*path;
        api.services.sites.remove_site_space(&caller, organization, (site, id), wanted).await
    })
    .await
}
