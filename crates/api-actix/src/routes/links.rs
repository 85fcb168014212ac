//! Links of content, and backlinks.
use super::ServiceConfig;
use super::content::primary;
use crate::Api;
use crate::answer::Answered;
use crate::request::Query;
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::link::{ContentLocationList, LinkFilter, LinkList};
use actix_web::get;
use actix_web::web::{Data, Path};
use domain::id::{FileId, PageId, SpaceId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_space_links).service(list_page_links).service(list_file_backlinks);
}

/// List the links in the pages of a space
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
    primary(&api, &caller, &path).links(None, filter, paging).await
}

/// List the links in a page
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
    primary(&api, &caller, space).links(Some(page.clone()), filter, paging).await
}

/// List the backlinks of a file
#[utoipa::path(tag = "links", operation_id = "listSpaceFileBacklinks",
    params(("spaceId" = String, Path), ("fileId" = String, Path), PagingParams),
    responses((status = 200, description = "Locations that refer to the file", body = ContentLocationList)))]
#[get("/spaces/{spaceId}/content/files/{fileId}/backlinks")]
async fn list_file_backlinks(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, FileId)>,
    paging: Paging,
) -> Answered {
    let (space, file) = &*path;
    primary(&api, &caller, space).file_backlinks(file.clone(), paging).await
}
