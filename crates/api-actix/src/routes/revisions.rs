//! The content of any revision of a space.
use super::ServiceConfig;
use super::reading::Reading;
use crate::Api;
use crate::answer::{Answered, ok};
use crate::request::Query;
use crate::request::paging::{Paging, PagingParams};
use crate::state::caller::Caller;
use crate::wire::content::{ContentParams, TextParams};
use crate::wire::page::{Page, PageTree};
use crate::wire::revision::{File, FileList, ReusableContent, Revision, RevisionList, revision_entry};
use crate::wire::schemas::{Document, PageMetaLinks};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, get};
use domain::id::{FileId, PageId, ReusableContentId, RevisionId, SpaceId};
use domain::usecases::content::{At, PageRef};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_revisions).service(get_revision).service(list_pages).service(list_files).service(get_file);
    config.service(get_page).service(get_page_document).service(get_page_by_path).service(get_meta_links);
    config.service(get_reusable_content).service(get_reusable_content_document);
}

fn at(api: &Data<Api>, caller: &Caller, space: &SpaceId, revision: &RevisionId) -> Reading {
    Reading::new(api, caller, space, At::Revision(revision.clone()))
}

/// List the revisions of a space
///
/// The history of the primary content, newest first. It contains merges, but no revisions of change requests.
#[utoipa::path(tag = "revisions", operation_id = "listRevisionsInSpace",
    params(("spaceId" = String, Path), PagingParams),
    responses((status = 200, description = "Revisions, newest first", body = RevisionList)))]
#[get("/spaces/{spaceId}/revisions")]
async fn list_revisions(api: Data<Api>, caller: Caller, path: Path<SpaceId>, paging: Paging) -> Answered {
    let found = api.services.content.revisions(&caller, &path, paging.newest_first()).await?;
    ok(&paging.list(found, |shown| revision_entry(shown, &api.links)))
}

/// Get a revision
#[utoipa::path(tag = "revisions", operation_id = "getRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ContentParams),
    responses((status = 200, description = "The revision and its pages, without their text", body = Revision)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}")]
async fn get_revision(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId)>,
    query: Query<ContentParams>,
    request: HttpRequest,
) -> Answered {
    let (space, revision) = &*path;
    at(&api, &caller, space, revision).revision(query, &request).await
}

/// List the pages of a revision as a tree
#[utoipa::path(tag = "revisions", operation_id = "listPagesInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ContentParams),
    responses((status = 200, description = "The pages, without their text", body = PageTree)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/pages")]
async fn list_pages(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId)>,
    query: Query<ContentParams>,
    request: HttpRequest,
) -> Answered {
    let (space, revision) = &*path;
    at(&api, &caller, space, revision).pages(query, &request).await
}

/// List the files of a revision
#[utoipa::path(tag = "revisions", operation_id = "listFilesInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ContentParams, PagingParams),
    responses((status = 200, description = "Files", body = FileList)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/files")]
async fn list_files(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId)>,
    query: Query<ContentParams>,
    paging: Paging,
) -> Answered {
    let (space, revision) = &*path;
    at(&api, &caller, space, revision).files(query, paging).await
}

/// Get a file of a revision
#[utoipa::path(tag = "revisions", operation_id = "getFileInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ("fileId" = String, Path), ContentParams),
    responses((status = 200, description = "The file", body = File)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/files/{fileId}")]
async fn get_file(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId, FileId)>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, revision, id) = &*path;
    at(&api, &caller, space, revision).file(id, query).await
}

/// Get a page of a revision with its text
#[utoipa::path(tag = "revisions", operation_id = "getPageInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ("pageId" = String, Path), TextParams, ContentParams),
    responses((status = 200, description = "The page; the pages below it come without their text", body = Page)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}")]
async fn get_page(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId, PageId)>,
    text: Query<TextParams>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, revision, id) = path.into_inner();
    at(&api, &caller, &space, &revision).page(PageRef::Id(id), text, query).await
}

/// Get the document of a page of a revision
#[utoipa::path(tag = "revisions", operation_id = "getPageDocumentInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ("pageId" = String, Path), TextParams),
    responses((status = 200, description = "The document", body = Document)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document")]
async fn get_page_document(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId, PageId)>,
    text: Query<TextParams>,
) -> Answered {
    let (space, revision, id) = &*path;
    at(&api, &caller, space, revision).page_document(id.clone(), text).await
}

/// Get a page of a revision by its path
#[utoipa::path(tag = "revisions", operation_id = "getPageInRevisionByPath",
    params(("spaceId" = String, Path), ("revisionId" = String, Path),
        ("pagePath" = String, Path, description = "The slugs from the root down, separated by `/` or `%2F`"),
        TextParams, ContentParams),
    responses((status = 200, description = "The page; the pages below it come without their text", body = Page)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath:.*}")]
async fn get_page_by_path(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId, String)>,
    text: Query<TextParams>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, revision, page) = path.into_inner();
    at(&api, &caller, &space, &revision).page(PageRef::Path(page), text, query).await
}

/// Get the canonical and alternate locations of a page in a revision
#[utoipa::path(tag = "revisions", operation_id = "listPageMetaLinksInRevision",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ("pageId" = String, Path)),
    responses((status = 200, description = "The locations", body = PageMetaLinks)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/meta-links")]
async fn get_meta_links(api: Data<Api>, caller: Caller, path: Path<(SpaceId, RevisionId, PageId)>) -> Answered {
    let (space, revision, id) = &*path;
    at(&api, &caller, space, revision).meta_links(id).await
}

/// Get reusable content of a revision
#[utoipa::path(tag = "revisions", operation_id = "getReusableContentInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ("reusableContentId" = String, Path), ContentParams),
    responses((status = 200, description = "The reusable content", body = ReusableContent)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}")]
async fn get_reusable_content(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId, ReusableContentId)>,
    query: Query<ContentParams>,
) -> Answered {
    let (space, revision, id) = &*path;
    at(&api, &caller, space, revision).reusable_content(id, query).await
}

/// Get the document of reusable content of a revision
#[utoipa::path(tag = "revisions", operation_id = "getReusableContentDocumentInRevisionById",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ("reusableContentId" = String, Path), TextParams),
    responses((status = 200, description = "The document", body = Document)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document")]
async fn get_reusable_content_document(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId, ReusableContentId)>,
    text: Query<TextParams>,
) -> Answered {
    let (space, revision, id) = &*path;
    at(&api, &caller, space, revision).reusable_content_document(id.clone(), text).await
}
