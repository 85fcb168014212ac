//! Previews of computed content.
use super::ServiceConfig;
use crate::Api;
use crate::answer::links::Place;
use crate::answer::{Answered, ok};
use crate::request::Body;
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::computed::{ComputedRevision, PreviewComputed};
use crate::wire::page::{View, pages};
use crate::wire::schemas::Document;
use actix_web::post;
use actix_web::web::{Data, Path};
use domain::content::document::wire::WireDocument;
use domain::id::SpaceId;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(preview_document).service(preview_revision);
}

/// Preview a generated document
///
/// The `source` is that of a generated page, with `doc` among its `props`. Nothing is stored.
#[utoipa::path(tag = "content", operation_id = "getComputedDocument", params(("spaceId" = String, Path)),
    request_body = PreviewComputed, responses((status = 200, description = "The document", body = Document)))]
#[post("/spaces/{spaceId}/content/computed/document")]
async fn preview_document(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    body: Body<PreviewComputed>,
) -> Answered {
    let (space, bytes) = (path.into_inner(), body.len());
    at_length(api, caller, bytes, move |api, caller| async move {
        let found = api.services.content.preview_document(&caller, &space, body.input()).await?;
        ok(&WireDocument(&found))
    })
    .await
}

/// Preview generated pages
///
/// The `source` is that of a computed page. Nothing is stored.
#[utoipa::path(tag = "content", operation_id = "getComputedRevision", params(("spaceId" = String, Path)),
    request_body = PreviewComputed, responses((status = 200, description = "The pages", body = ComputedRevision)))]
#[post("/spaces/{spaceId}/content/computed/revision")]
async fn preview_revision(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    body: Body<PreviewComputed>,
) -> Answered {
    let (space, bytes) = (path.into_inner(), body.len());
    at_length(api, caller, bytes, move |api, caller| async move {
        let tree = api.services.content.preview_pages(&caller, &space, body.input()).await?;
        let pages = pages(&tree, View::new(&api.links, &space, Place::Primary));
        ok(&ComputedRevision { pages, files: Vec::new(), reusable_contents: Vec::new() })
    })
    .await
}
