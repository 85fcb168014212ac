//! Search.
use super::ServiceConfig;
use crate::Api;
use crate::answer::links::Place;
use crate::answer::{Answered, ok};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::content::{SearchPageList, SearchParams, SearchSpaceList, search_page, search_space as found_space};
use crate::wire::page::View;
use crate::wire::site::SearchSite;
use actix_web::web::{Data, Path};
use actix_web::{get, post};
use domain::id::{OrganizationId, SiteId, SpaceId};
use domain::usecases::Input;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(search_space).service(search_organization).service(search_site);
}

/// Search the content of a space
#[utoipa::path(tag = "search", operation_id = "searchSpaceContent", params(("spaceId" = String, Path), SearchParams, PagingParams),
    responses((status = 200, description = "Pages, best match first", body = SearchPageList)))]
#[get("/spaces/{spaceId}/search")]
async fn search_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    query: Query<SearchParams>,
    paging: Paging,
) -> Answered {
    let space = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.search.space(&caller, &space, paging.with(query)).await?;
        let view = View { metadata: true, ..View::new(&api.links, &space, Place::Primary) };
        ok(&paging.list(found.value.as_ref(), |page| search_page(page, view)))
    })
    .await
}

/// Search the content of an organization
#[utoipa::path(tag = "search", operation_id = "searchOrganizationContent", params(("organizationId" = String, Path), SearchParams, PagingParams),
    responses((status = 200, description = "Spaces with matching pages, best match first", body = SearchSpaceList)))]
#[get("/orgs/{organizationId}/search")]
async fn search_organization(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    query: Query<SearchParams>,
    paging: Paging,
) -> Answered {
    let organization = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.search.organization(&caller, &organization, paging.with(query)).await?;
        ok(&paging.list(found.as_ref(), |space| found_space(space, &api.links)))
    })
    .await
}

/// Search the content of a site
///
/// Searches only what is live on the site, in spaces that the caller may read.
#[utoipa::path(tag = "search", operation_id = "searchSiteContent",
    params(("organizationId" = String, Path), ("siteId" = String, Path), PagingParams), request_body = SearchSite,
    responses((status = 200, description = "Spaces with matching pages, best match first", body = SearchSpaceList)))]
#[post("/orgs/{organizationId}/sites/{siteId}/search")]
async fn search_site(
    api: Data<Api>,
    caller: Caller,
    path: Path<(OrganizationId, SiteId)>,
    body: Body<SearchSite>,
    paging: Paging,
) -> Answered {
    let (organization, site) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let (wanted, page) = (body.input(), paging.input());
        let input = Input::new(move || Ok((wanted.read()?, page.read()?)));
        let found = api.services.search.site(&caller, &organization, &site, input).await?;
        ok(&paging.list(found.as_ref(), |space| found_space(space, &api.links)))
    })
    .await
}
