//! Search.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::caller::Caller;
use crate::input::Query;
use crate::links::Place;
use crate::paging::{Paging, PagingParams};
use crate::wire::content::{SearchPageList, SearchParams, SearchSpaceList, search_page, search_space as found_space};
use crate::wire::page::View;
use actix_web::get;
use actix_web::web::{Data, Path};
use domain::id::{OrganizationId, SpaceId};
use domain::paging::Page;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(search_space).service(search_organization);
}

/// Search the content of a space
#[utoipa::path(tag = "search", operation_id = "searchSpaceContent", params(("spaceId" = String, Path), SearchParams, PagingParams),
    responses((status = 200, description = "Pages, best first", body = SearchPageList)))]
#[get("/spaces/{spaceId}/search")]
async fn search_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    query: Query<SearchParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.search.space(&caller, &path, paging.with(query)).await?;
    let view = View { links: &api.links, space: &path, place: Place::Primary, metadata: true };
    let Page { items, next } = &found.value;
    ok(&paging.list(Page { items: items.iter().collect(), next: next.clone() }, |page| search_page(page, view)))
}

/// Search the content of an organization
#[utoipa::path(tag = "search", operation_id = "searchOrganizationContent", params(("organizationId" = String, Path), SearchParams, PagingParams),
    responses((status = 200, description = "Spaces with pages that were found, best first", body = SearchSpaceList)))]
#[get("/orgs/{organizationId}/search")]
async fn search_organization(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    query: Query<SearchParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.search.organization(&caller, &path, paging.with(query)).await?;
    let Page { items, next } = &found;
    ok(&paging.list(Page { items: items.iter().collect(), next: next.clone() }, |space| found_space(space, &api.links)))
}
