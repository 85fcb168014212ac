//! The structure of a site as a whole, and the links in it.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answer, Answered, created, deleted, ok_or_minimal, ok_with_key};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::{Body, Query, Wire};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::site::{
    CreateLink, ExternalLink, MoveItem, PublishedContentSite, ShareKeyParams, SiteStructure, SortedPart, UpdateLink,
    part, published, structure,
};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post};
use domain::id::{OrganizationId, SiteId, SiteLinkId};
use domain::usecases::sites::Part;
use domain::usecases::{Error, Input, Precondition};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get_structure).service(sort_structure).service(get_published_site);
    config.service(fill_site);
    config.service(create_link).service(update_link).service(delete_link);
}

/// A part as the caller sees it after a change.
pub(super) fn shown(api: &Api, changed: &Part) -> Result<SortedPart, ApiError> {
    Ok(part(changed, &api.links).ok_or(Error::NotFound(changed.id.name()))?)
}

/// The part is unchanged since the caller read it.
fn as_read(wanted: IfMatch, api: &std::sync::Arc<Api>) -> Precondition<Part> {
    wanted.shown(api, |current: Part, links| part(&current, links))
}

/// The response to a request that added a part.
pub(super) fn added(api: &Api, (organization, site): &(OrganizationId, SiteId), part: &Part) -> Answered {
    created(api.links.site_part(organization, site, &part.id), &shown(api, part)?)
}

/// Updates a part with `update`, and returns it as the caller sees it then.
pub(super) async fn update_part<B, F>(
    api: Data<Api>,
    caller: Caller,
    request: &HttpRequest,
    (body, wanted): (Body<B>, IfMatch),
    update: impl FnOnce(Data<Api>, Caller, Precondition<Part>, Input<B::Command>) -> F,
) -> Answered
where
    B: Wire + Default + 'static,
    F: Future<Output = Result<Part, Error>> + Send + 'static,
{
    let minimal = Answer::is_minimal_preferred(request);
    at_length(api, caller, body.len(), |api, caller| {
        let (wanted, patch) = (as_read(wanted, &api), body.input_or_default());
        let changed = update(api.clone(), caller, wanted, patch);
        async move { ok_or_minimal(minimal, &shown(&api, &changed.await?)?) }
    })
    .await
}

/// Removes a part with `remove`, which returns whether it existed.
pub(super) async fn remove_part<F>(
    api: Data<Api>,
    caller: Caller,
    wanted: IfMatch,
    remove: impl FnOnce(Data<Api>, Caller, Precondition<Part>) -> F,
) -> Result<HttpResponse, ApiError>
where
    F: Future<Output = Result<bool, Error>> + Send + 'static,
{
    let found = at_length(api, caller, 0, |api, caller| {
        let wanted = as_read(wanted, &api);
        let removed = remove(api, caller, wanted);
        async move { Ok(removed.await?) }
    });
    Ok(deleted(found.await?))
}

/// Get the structure of a site
#[utoipa::path(tag = "site-structure", operation_id = "getSiteStructure",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ShareKeyParams),
    responses((status = 200, description = "Its sections or site spaces, in order", body = SiteStructure)))]
#[get("/orgs/{organizationId}/sites/{siteId}/structure")]
async fn get_structure(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<ShareKeyParams>,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let ((organization, id), key) = (&*path, params.read());
        let found = api.services.sites.structure(&caller, organization, id, params.input()).await?;
        ok_with_key(key?.as_ref(), &structure(&found, &api.links))
    })
    .await
}

/// Get what visitors see of a published site
///
/// Omits drafts, and parts whose condition is false for a visitor without claims. Callers who are not members get only
/// sites that they could visit: sites with the visibility `public` or `unlisted`, and with a `shareKey` the site of its
/// share link. They do not get fields that only members see.
#[utoipa::path(tag = "sites", operation_id = "getPublishedContentSite",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ShareKeyParams),
    responses((status = 200, description = "The site, its structure and its customizations", body = PublishedContentSite)))]
#[get("/orgs/{organizationId}/sites/{siteId}/published")]
async fn get_published_site(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    params: Query<ShareKeyParams>,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let ((organization, id), key) = (&*path, params.read());
        let found = api.services.sites.published(&caller, organization, id, params.input()).await?;
        ok_with_key(key?.as_ref(), &published(found, &api.links))
    })
    .await
}

/// Fill an empty site
///
/// The site gets a new space with the pages of a template. A site with spaces or sections is not changed (409).
#[utoipa::path(tag = "site-structure", operation_id = "applyTemplateToSite",
    params(("organizationId" = String, Path), ("siteId" = String, Path)),
    responses((status = 200, description = "The site has content")))]
#[post("/orgs/{organizationId}/sites/{siteId}/template")]
async fn fill_site(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
) -> Result<HttpResponse, ApiError> {
    let (organization, id) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        Ok(api.services.sites.fill(&caller, &organization, &id).await?)
    })
    .await?;
    Ok(HttpResponse::new(StatusCode::OK))
}

/// Move a part of a site among its siblings
///
/// To move it into or out of a group, update the part itself.
#[utoipa::path(tag = "site-structure", operation_id = "sortSiteStructure",
    params(("organizationId" = String, Path), ("siteId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body")),
    request_body = MoveItem,
    responses((status = 200, description = "The part", body = SortedPart),
        (status = 204, description = "The part is moved (with `Prefer: return=minimal`)")))]
#[patch("/orgs/{organizationId}/sites/{siteId}/structure/sort")]
async fn sort_structure(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<MoveItem>,
    request: HttpRequest,
) -> Answered {
    let minimal = Answer::is_minimal_preferred(&request);
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, id) = &*path;
        let moved = api.services.sites.sort(&caller, organization, id, body.input()).await?;
        ok_or_minimal(minimal, &shown(&api, &moved)?)
    })
    .await
}

/// Add a link to a site
///
/// Only sites with sections have links.
#[utoipa::path(tag = "site-structure", operation_id = "addSiteExternalLink",
    params(("organizationId" = String, Path), ("siteId" = String, Path)), request_body = CreateLink,
    responses((status = 201, description = "The link", body = ExternalLink, headers(("Location" = String)))))]
#[post("/orgs/{organizationId}/sites/{siteId}/external-links")]
async fn create_link(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<CreateLink>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (organization, id) = &*path;
        let new = api.services.sites.add_link(&caller, organization, id, body.input()).await?;
        added(&api, &path, &new)
    })
    .await
}

/// Update a link of a site
#[utoipa::path(tag = "site-structure", operation_id = "updateSiteExternalLinkById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteExternalLinkId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body"), IfShown),
    request_body = UpdateLink,
    responses((status = 200, description = "The link", body = ExternalLink),
        (status = 204, description = "The link is updated (with `Prefer: return=minimal`)")))]
#[patch("/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}")]
async fn update_link(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteLinkId)>,
    body: Body<UpdateLink>,
    wanted: IfMatch,
    request: HttpRequest,
) -> Answered {
    update_part(api, caller, &request, (body, wanted), move |api, caller, wanted, patch| async move {
        let (organization, site, id) = &*path;
        api.services.sites.update_link(&caller, organization, (site, id), wanted, patch).await
    })
    .await
}

/// Remove a link from a site
#[utoipa::path(tag = "site-structure", operation_id = "deleteSiteExternalLinkById",
    params(("organizationId" = String, Path), ("siteId" = String, Path), ("siteExternalLinkId" = String, Path), IfShown),
    responses((status = 205, description = "The link is removed"), (status = 204, description = "There was no such link")))]
#[delete("/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}")]
async fn delete_link(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId, SiteLinkId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    remove_part(api, caller, wanted, move |api, caller, wanted| async move {
        let (organization, site, id) = &*path;
        api.services.sites.remove_link(&caller, organization, (site, id), wanted).await
    })
    .await
}
