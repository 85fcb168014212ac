//! The primary content of a space.
use super::ServiceConfig;
use super::reading::Reading;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, ok};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::content::{ApplyTemplate, ContentParams, TextParams};
use crate::wire::page::{Page, PageTree};
use crate::wire::revision::{File, FileList, ReusableContent, Revision};
use crate::wire::schemas::{Document, PageMetaLinks};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, get, post};
use domain::content::document::wire::WireDocument;
use domain::content::object::Hash;
use domain::id::{FileId, PageId, ReusableContentId, SpaceId};
use domain::usecases::content::{At, PageRef};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get_revision).service(list_pages).service(list_files).service(get_file);
    config.service(get_page).service(get_page_by_path).service(get_meta_links);
    config.service(get_reusable_content).service(get_document).service(apply_template);
}

pub(super) fn primary(api: &Data<Api>, caller: &Caller, space: &SpaceId) -> Reading {
    Reading::new(api, caller, space, At::Primary)
}

/// Get the content of a space
#[utoipa::path(tag = "content", operation_id = "getCurrentRevision", params(("spaceId" = String, Path), ContentParams),
    responses((status = 200, description = "The primary revision and its pages, without their text", body = Revision)))]
#[get("/spaces/{spaceId}/content")]
async fn get_revision(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    query: Query<ContentParams>,
    request: HttpRequest,
) -> Answered {
    primary(&api, &caller, &path).revision(query, &request).await
}

/// List the pages of a space as a tree
#[utoipa::path(tag = "content", operation_id = "listPages", params(("spaceId" = String, Path), ContentParams),
    responses((status = 200, description = "The pages, without their text", body = PageTree)))]
#[get("/spaces/{spaceId}/content/pages")]
async fn list_pages(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    query: Query<ContentParams>,
    request: HttpRequest,
) -> Answered {
    primary(&api, &caller, &path).pages(query, &request).await
}

/// List the files of a space
#[utoipa::path(tag = "content", operation_id = "listFiles", params(("spaceId" = String, Path), ContentParams, PagingParams),
    responses((status = 200, description = "Files", body = FileList)))]
#[get("/spaces/{spaceId}/content/files")]
async fn list_files(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    query: Query<ContentParams>,
    paging: Paging,
) -> Answered {
    primary(&api, &caller, &path).files(query, paging).await
}

/// Get a file of a space
#[utoipa::path(tag = "content", operation_id = "getFileById",
    params(("spaceId" = String, Path), ("fileId" = String, Path), ContentParams),
    responses((status = 200, description = "The file", body = File)))]
#[get("/spaces/{spaceId}/content/files/{fileId}")]
async fn get_file(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, FileId)>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, id) = &*path;
    primary(&api, &caller, space).file(id, query).await
}

/// Get a page with its text
#[utoipa::path(tag = "content", operation_id = "getPageById",
    params(("spaceId" = String, Path), ("pageId" = String, Path), TextParams, ContentParams),
    responses((status = 200, description = "The page; the pages below it come without their text", body = Page)))]
#[get("/spaces/{spaceId}/content/page/{pageId}")]
async fn get_page(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, PageId)>,
    text: Query<TextParams>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, id) = path.into_inner();
    primary(&api, &caller, &space).page(PageRef::Id(id), text, query).await
}

/// Get a page by its path
#[utoipa::path(tag = "content", operation_id = "getPageByPath",
    params(("spaceId" = String, Path),
        ("pagePath" = String, Path, description = "The slugs from the root down, separated by `/` or `%2F`"),
        TextParams, ContentParams),
    responses((status = 200, description = "The page; the pages below it come without their text", body = Page)))]
#[get("/spaces/{spaceId}/content/path/{pagePath:.*}")]
async fn get_page_by_path(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, String)>,
    text: Query<TextParams>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, page) = path.into_inner();
    primary(&api, &caller, &space).page(PageRef::Path(page), text, query).await
}

/// Get the canonical and alternate locations of a page
#[utoipa::path(tag = "content", operation_id = "listPageMetaLinksInSpace",
    params(("spaceId" = String, Path), ("pageId" = String, Path)),
    responses((status = 200, description = "The locations", body = PageMetaLinks)))]
#[get("/spaces/{spaceId}/content/page/{pageId}/meta-links")]
async fn get_meta_links(api: Data<Api>, caller: Caller, path: Path<(SpaceId, PageId)>) -> Answered {
    let (space, id) = &*path;
    primary(&api, &caller, space).meta_links(id).await
}

/// Get reusable content
#[utoipa::path(tag = "content", operation_id = "getReusableContentById",
    params(("spaceId" = String, Path), ("reusableContentId" = String, Path), ContentParams),
    responses((status = 200, description = "The reusable content", body = ReusableContent)))]
#[get("/spaces/{spaceId}/content/reusable-contents/{reusableContentId}")]
async fn get_reusable_content(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ReusableContentId)>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, id) = &*path;
    primary(&api, &caller, space).reusable_content(id, query).await
}

/// Get a document by its id
#[utoipa::path(tag = "content", operation_id = "getDocumentById",
    params(("spaceId" = String, Path), ("documentId" = String, Path, description = "The `documentId` of a page, or the `document` of reusable content")),
    responses((status = 200, description = "The document", body = Document)))]
#[get("/spaces/{spaceId}/documents/{documentId}")]
async fn get_document(api: Data<Api>, caller: Caller, path: Path<(SpaceId, Hash)>) -> Answered {
    let (space, id) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        ok(&WireDocument(api.services.content.document(&caller, &space, &id).await?))
    })
    .await
}

/// Add the pages of a template to a space
#[utoipa::path(tag = "content", operation_id = "applyTemplateToSpace", params(("spaceId" = String, Path)), request_body = ApplyTemplate,
    responses((status = 201, description = "The pages are added; the response has no body")))]
#[post("/spaces/{spaceId}/content/template")]
async fn apply_template(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    body: Body<ApplyTemplate>,
) -> Result<HttpResponse, ApiError> {
    let (space, bytes) = (path.into_inner(), body.len());
    at_length(api, caller, bytes, move |api, caller| async move {
        Ok(api.services.content.apply_template(&caller, &space, body.input()).await?)
    })
    .await?;
    Ok(HttpResponse::new(StatusCode::CREATED))
}
