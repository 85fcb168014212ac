//! What content refers to, and from where.
use super::ServiceConfig;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::caller::Caller;
use crate::input::Query;
use crate::paging::{Paging, PagingParams};
use crate::wire::link::{ContentLocationList, LinkFilter, LinkList, Surroundings, link_list};
use crate::wire::page::View;
use actix_web::get;
use actix_web::web::{Data, Path};
use domain::id::{FileId, PageId, SpaceId};
use domain::paging::Page;
use domain::usecases::Input;
use domain::usecases::content::{At, LinkQuery};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_space_links).service(list_page_links).service(list_file_backlinks);
}

/// List what the pages of a space refer to
#[utoipa::path(tag = "links", operation_id = "listSpaceLinks", params(("spaceId" = String, Path), LinkFilter, PagingParams),
    responses((status = 200, description = "Links", body = LinkList)))]
#[get("/spaces/{spaceId}/links")]
async fn list_space_links(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    filter: Query<LinkFilter>,
    paging: Paging,
) -> Answered {
    list(&api, &caller, &path, None, filter, paging).await
}

/// List what a page refers to
#[utoipa::path(tag = "links", operation_id = "listPageLinksInSpace",
    params(("spaceId" = String, Path), ("pageId" = String, Path), LinkFilter, PagingParams),
    responses((status = 200, description = "Links", body = LinkList)))]
#[get("/spaces/{spaceId}/content/page/{pageId}/links")]
async fn list_page_links(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, PageId)>,
    filter: Query<LinkFilter>,
    paging: Paging,
) -> Answered {
    let (space, page) = &*path;
    list(&api, &caller, space, Some(page), filter, paging).await
}

async fn list(
    api: &Api,
    caller: &Caller,
    space: &SpaceId,
    page: Option<&PageId>,
    filter: Query<LinkFilter>,
    paging: Paging,
) -> Answered {
    let wanted = paging.clone();
    let query = Input::new(move || Ok(LinkQuery { status: filter.read()?, page: wanted.request()? }));
    let found = api.services.content.links(caller, space, &At::Primary, page, query).await?;
    let view = View { links: &api.links, space, metadata: true };
    let around = Surroundings::new(&found.value.organization, &found.space, view, api.services.clock.now());
    let Page { items, next } = &found.value.page;
    let list = paging.list(Page { items: items.iter().collect(), next: next.clone() }, |item| around.link(item));
    ok(&link_list(list, found.value.stats))
}

/// List the places that refer to a file
#[utoipa::path(tag = "links", operation_id = "listSpaceFileBacklinks",
    params(("spaceId" = String, Path), ("fileId" = String, Path), PagingParams),
    responses((status = 200, description = "Places", body = ContentLocationList)))]
#[get("/spaces/{spaceId}/content/files/{fileId}/backlinks")]
async fn list_file_backlinks(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, FileId)>,
    paging: Paging,
) -> Answered {
    let (space, file) = &*path;
    let found = api.services.content.file_backlinks(&caller, space, &At::Primary, file, paging.input()).await?;
    let (organization, Page { items, next }) = &found.value;
    let view = View { links: &api.links, space, metadata: true };
    let around = Surroundings::new(organization, &found.space, view, api.services.clock.now());
    ok(&paging.list(Page { items: items.iter().collect(), next: next.clone() }, |found| around.place(found)))
}
