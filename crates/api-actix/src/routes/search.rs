//! Search.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::caller::Caller;
use crate::input::Query;
use crate::links::Place;
use crate::paging::{Paging, PagingParams};
use crate::wire::content::{SearchPageList, SearchParams, search_page};
use crate::wire::page::View;
use actix_web::get;
use actix_web::web::{Data, Path};
use domain::id::SpaceId;
use domain::paging::Page;
use domain::usecases::Input;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(search_space);
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
    let wanted = paging.clone();
    let input = Input::new(move || Ok((query.read()?, wanted.request()?)));
    let found = api.services.search.space(&caller, &path, input).await?;
    let view = View { links: &api.links, space: &path, place: Place::Primary, metadata: true };
    let Page { items, next } = &found.value;
    ok(&paging.list(Page { items: items.iter().collect(), next: next.clone() }, |page| search_page(page, view)))
}
