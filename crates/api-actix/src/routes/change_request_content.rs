//! The content of a change request: reads, and batches of edits.
use super::change_requests::as_expected;
use super::reading::Reading;
use super::registry::ServiceConfig;
use crate::Api;
use crate::answer::links::Place;
use crate::answer::{Answered, ok};
use crate::request::if_match::{IfMatch, IfShownOrAt};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::batch::{BatchParams, EditAnswer, EditContent, edited};
use crate::wire::content::{ContentParams, TextParams};
use crate::wire::link::{ContentLocationList, LinkFilter, LinkList};
use crate::wire::page::{Page, PageTree, View};
use crate::wire::revision::{File, FileList, ReusableContent, Revision};
use crate::wire::schemas::PageMetaLinks;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, get, post};
use domain::change_request::ChangeRequestRef;
use domain::id::{FileId, PageId, ReusableContentId, SpaceId};
use domain::usecases::Input;
use domain::usecases::content::{At, PageRef};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(edit_content).service(list_links);
    config.service(get_revision).service(list_pages).service(list_files).service(get_file).service(list_file_backlinks);
    config.service(get_page).service(list_page_links).service(get_meta_links).service(get_page_by_path);
    config.service(get_reusable_content);
}

fn proposed(api: &Data<Api>, caller: &Caller, space: &SpaceId, which: &ChangeRequestRef) -> Reading {
    Reading::new(api, caller, space, At::ChangeRequest(which.clone()))
}

/// Edit the content of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "updateChangeRequestContent",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), BatchParams, IfShownOrAt),
    request_body = EditContent,
    responses((status = 200, description = "All edits were made, in one new revision", body = EditAnswer)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/content")]
async fn edit_content(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    params: Query<BatchParams>,
    body: Body<EditContent>,
    wanted: IfMatch,
) -> Answered {
    let (space, which) = path.into_inner();
    let wanted = as_expected(wanted, &api.links);
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (compat, body) = (params.read(), body.input());
        let wrong = compat.clone().err();
        let batch = Input::new(move || wrong.map_or_else(|| body.read(), Err));
        let done = api.services.change_requests.edit(&caller, &space, &which, wanted, batch).await?;
        let view = View { metadata: true, ..View::new(&api.links, &space, Place::ChangeRequest(&which)) };
        ok(&edited(&done, compat.unwrap_or(true), view, &api.links, api.services.clock.now()))
    })
    .await
}

/// List the links in the pages of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "listChangeRequestLinks",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), LinkFilter, PagingParams),
    responses((status = 200, description = "Links", body = LinkList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/links")]
async fn list_links(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    filter: Query<LinkFilter>,
    paging: Paging,
) -> Answered {
    let (space, which) = &*path;
    proposed(&api, &caller, space, which).links(None, filter, paging).await
}

/// Get the content of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "getRevisionOfChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ContentParams),
    responses((status = 200, description = "The revision and its pages, without their text", body = Revision)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content")]
async fn get_revision(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    query: Query<ContentParams>,
    request: HttpRequest,
) -> Answered {
    let (space, which) = &*path;
    proposed(&api, &caller, space, which).revision(query, &request).await
}

/// List the pages of a change request as a tree
#[utoipa::path(tag = "change-request-content", operation_id = "listPagesInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ContentParams),
    responses((status = 200, description = "The pages, without their text", body = PageTree)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages")]
async fn list_pages(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    query: Query<ContentParams>,
    request: HttpRequest,
) -> Answered {
    let (space, which) = &*path;
    proposed(&api, &caller, space, which).pages(query, &request).await
}

/// List the files of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "listFilesInChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ContentParams, PagingParams),
    responses((status = 200, description = "Files", body = FileList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/files")]
async fn list_files(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    query: Query<ContentParams>,
    paging: Paging,
) -> Answered {
    let (space, which) = &*path;
    proposed(&api, &caller, space, which).files(query, paging).await
}

/// Get a file of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "getFileInChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("fileId" = String, Path), ContentParams),
    responses((status = 200, description = "The file", body = File)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}")]
async fn get_file(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, FileId)>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).file(id, query).await
}

/// List the backlinks of a file in a change request
#[utoipa::path(tag = "change-request-content", operation_id = "listChangeRequestFileBacklinks",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("fileId" = String, Path), PagingParams),
    responses((status = 200, description = "Locations that refer to the file", body = ContentLocationList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks")]
async fn list_file_backlinks(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, FileId)>,
    paging: Paging,
) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).file_backlinks(id.clone(), paging).await
}

/// Get a page of a change request with its text
#[utoipa::path(tag = "change-request-content", operation_id = "getPageInChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("pageId" = String, Path), TextParams, ContentParams),
    responses((status = 200, description = "The page; the pages below it come without their text", body = Page)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}")]
async fn get_page(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, PageId)>,
    text: Query<TextParams>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).page(PageRef::Id(id.clone()), text, query).await
}

/// List the links in a page of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "listChangeRequestPageLinks",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("pageId" = String, Path), LinkFilter, PagingParams),
    responses((status = 200, description = "Links", body = LinkList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links")]
async fn list_page_links(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, PageId)>,
    filter: Query<LinkFilter>,
    paging: Paging,
) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).links(Some(id.clone()), filter, paging).await
}

/// Get the canonical and alternate locations of a page in a change request
#[utoipa::path(tag = "change-request-content", operation_id = "listPageMetaLinksInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("pageId" = String, Path)),
    responses((status = 200, description = "The locations", body = PageMetaLinks)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/meta-links")]
async fn get_meta_links(api: Data<Api>, caller: Caller, path: Path<(SpaceId, ChangeRequestRef, PageId)>) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).meta_links(id).await
}

/// Get a page of a change request by its path
#[utoipa::path(tag = "change-request-content", operation_id = "getPageInChangeRequestByPath",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("pagePath" = String, Path), TextParams, ContentParams),
    responses((status = 200, description = "The page; the pages below it come without their text", body = Page)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath:.*}")]
async fn get_page_by_path(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, String)>,
    text: Query<TextParams>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).page(PageRef::Path(id.clone()), text, query).await
}

/// Get reusable content of a change request
#[utoipa::path(tag = "change-request-content", operation_id = "getReusableContentInChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("reusableContentId" = String, Path), ContentParams),
    responses((status = 200, description = "The reusable content", body = ReusableContent)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId}")]
async fn get_reusable_content(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, ReusableContentId)>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, which, id) = &*path;
    proposed(&api, &caller, space, which).reusable_content(id, query).await
}
