//! The redirects of a site.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, ok, ok_with_key};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::site::{
    CreateRedirect, ListRedirects, PutRedirects, PutResults, Redirect, RedirectList, RedirectParams, ResolvedRedirect,
    UpdateRedirect, redirect, resolved, results,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post, put};
use domain::id::{OrganizationId, SiteId, SiteRedirectId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_redirects).service(create_redirect).service(put_redirects);
    config.service(get_redirect).service(update_redirect).service(delete_redirect).service(resolve_redirect);
}

/// List the redirects of a site
#[utoipa::path(tag = "sites", operation_id = "listSiteRedirects",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ListRedirects, PagingParams),
    responses((status = 200, description = "Redirects", body = RedirectList)))]
#[get("/orgs/{organizationId}/sites/{siteId}/redirects")]
async fn list_redirects(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<ListRedirects>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let (organization, id) = &*path;
        let found = api.services.sites.redirects(&caller, organization, id, paging.with(params)).await?;
        ok(&paging.list(found, |one| redirect(one, &api.links)))
    })
    .await
}

/// Add a redirect to a site
///
/// A site has at most one redirect and one draft with the same source (409), and at most 10,000 of both (409).
#[utoipa::path(tag = "sites", operation_id = "createSiteRedirect",
    params(("organizationId" = String, Path), ("siteId" = String, Path)), request_body = CreateRedirect,
    responses((status = 201, description = "The redirect", body = Redirect, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/redirects")]
async fn create_redirect(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<CreateRedirect>,
) -> Answered {
    let (organization, id) = &*path;
    let new = api.services.sites.add_redirect(&caller, organization, id, body.input()).await?;
    let location = api.links.site_redirect(organization, id, &new.id);
    created(location, &redirect(new, &api.links))
}

/// Create, update, publish or delete many redirects of a site
///
/// The changes are independent and are made in the order sent: a refused change does not stop the others.
#[utoipa::path(tag = "sites", operation_id = "upsertSiteRedirects",
    params(("organizationId" = String, Path), ("siteId" = String, Path)), request_body = PutRedirects,
    responses((status = 200, description = "A result for each change", body = PutResults)))]
#[put("/orgs/{organizationId}/sites/{siteId}/redirects")]
async fn put_redirects(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<PutRedirects>,
) -> Answered {
    let (organization, id) = &*path;
    ok(&results(api.services.sites.put_redirects(&caller, organization, id, body.input()).await?))
}

/// Get a redirect of a site
#[utoipa::path(tag = "sites", operation_id = "getSiteRedirectById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteRedirectId" = String, Path)),
    responses((status = 200, description = "The redirect", body = Redirect)))]
#[get("/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}")]
async fn get_redirect(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteRedirectId)>,
) -> Answered {
    let (organization, site, id) = &*path;
    ok(&redirect(api.services.sites.redirect(&caller, organization, (site, id)).await?, &api.links))
}

/// Update a redirect of a site
#[utoipa::path(tag = "sites", operation_id = "updateSiteRedirectById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteRedirectId" = String, Path), IfShown),
    request_body = UpdateRedirect,
    responses((status = 200, description = "The redirect", body = Redirect)))]
#[patch("/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}")]
async fn update_redirect(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteRedirectId)>,
    body: Body<UpdateRedirect>,
    wanted: IfMatch,
) -> Answered {
    let (organization, site, id) = &*path;
    let (wanted, patch) = (wanted.shown(&api, redirect), body.input_or_default());
    let changed = api.services.sites.update_redirect(&caller, organization, (site, id), wanted, patch).await?;
    ok(&redirect(changed, &api.links))
}

/// Delete a redirect of a site
#[utoipa::path(tag = "sites", operation_id = "deleteSiteRedirectById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteRedirectId" = String, Path), IfShown),
    responses((status = 205, description = "The redirect is deleted"), (status = 204, description = "There was no such redirect")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}")]
async fn delete_redirect(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteRedirectId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (organization, site, id) = &*path;
    let wanted = wanted.shown(&api, redirect);
    Ok(deleted(api.services.sites.remove_redirect(&caller, organization, (site, id), wanted).await?))
}

/// Find the redirect for a path of a site
///
/// Drafts are left out. A redirect that leads to another one of the same site is followed to its end.
#[utoipa::path(tag = "sites", operation_id = "getSiteRedirectBySource",
    params(("organizationId" = String, Path), ("siteId" = String, Path), RedirectParams),
    responses((status = 200, description = "The redirect, and the URL that it leads to", body = ResolvedRedirect)))]
#[get("/orgs/{organizationId}/sites/{siteId}/redirect")]
async fn resolve_redirect(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<RedirectParams>,
) -> Answered {
    let ((organization, id), read) = (&*path, params.read());
    let found = api.services.sites.redirect_of(&caller, organization, id, params.input()).await?;
    ok_with_key(read?.1.as_ref(), &resolved(found, &api.links))
}
