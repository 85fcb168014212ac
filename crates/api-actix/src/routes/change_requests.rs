//! Change requests: create, list, update, compare and merge them.
use super::registry::ServiceConfig;
use crate::Api;
use crate::answer::links::{Links, Place};
use crate::answer::{Answer, Answered, created, ok, ok_or_minimal};
use crate::request::if_match::{IfMatch, IfShownOrAt, quoted, shown_tag};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::change::{Changes, ChangesParams, changes};
use crate::wire::change_request::{
    ChangeRequest, ChangeRequestList, ChangeRequestParams, CreateChangeRequest, InPlace, InPlaceParams, MergeResult,
    MergeResultWord, UpdateChangeRequest, change_request, merge_result,
};
use crate::wire::conflict::{ConflictList, MergeStatus, ResolveConflict, conflict, merge_status};
use crate::wire::content::ContentParams;
use crate::wire::page::View;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, get, patch, post};
use domain::change_request::ChangeRequestRef;
use domain::id::{ConflictId, OrganizationId, RevisionId, SpaceId};
use domain::ports::store::change_requests::ChangeRequestFilter;
use domain::usecases::change_requests::ShownChangeRequest;
use domain::usecases::{Input, Precondition};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_change_requests).service(create_change_request);
    config.service(get_change_request).service(update_change_request);
    config.service(merge_change_request).service(update_from_primary).service(get_merge_status);
    config.service(list_conflicts).service(resolve_conflict);
    config.service(list_changes).service(list_changes_of_revision);
    config.service(list_in_organization);
}

/// The precondition of `If-Match` on a change request: one of the tags is its current revision or its current `ETag`.
pub(super) fn as_expected(wanted: IfMatch, links: &Links) -> Precondition<ShownChangeRequest> {
    let links = links.clone();
    wanted.tags(move |current: &ShownChangeRequest| {
        vec![quoted(current.request.revision.as_str()), shown_tag(&change_request(current.clone(), &links))]
    })
}

/// List the change requests of a space
#[utoipa::path(tag = "change-requests", operation_id = "listChangeRequestsForSpace",
    params(("spaceId" = String, Path), ChangeRequestParams, PagingParams),
    responses((status = 200, description = "Change requests, newest first", body = ChangeRequestList)))]
#[get("/spaces/{spaceId}/change-requests")]
async fn list_change_requests(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    filter: Query<ChangeRequestParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.change_requests.list(&caller, &path, paging.newest_first_with(filter)).await?;
        ok(&paging.list(found, |shown| change_request(shown, &api.links)))
    })
    .await
}

/// List the change requests of an organization
#[utoipa::path(tag = "change-requests", operation_id = "listChangeRequestsForOrganization",
    params(("organizationId" = String, Path), ChangeRequestParams, InPlaceParams, PagingParams),
    responses((status = 200, description = "Change requests of spaces that the caller may read, newest first", body = ChangeRequestList)))]
#[get("/orgs/{organizationId}/change-requests")]
async fn list_in_organization(
    api: Data<Api>,
    caller: Caller,
    path: Path<OrganizationId>,
    filter: Query<ChangeRequestParams>,
    place: Query<InPlaceParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let listed = paging.newest_first_with(filter);
        let listed = Input::new(move || {
            let (filter, page) = listed.read()?;
            let InPlace { space, site } = place.read()?;
            Ok((ChangeRequestFilter { space, site, ..filter }, page))
        });
        let found = api.services.change_requests.list_in_organization(&caller, &path, listed).await?;
        ok(&paging.list(found, |shown| change_request(shown, &api.links)))
    })
    .await
}

/// Create a change request
///
/// It starts as a draft with the primary content of the space.
#[utoipa::path(tag = "change-requests", operation_id = "createChangeRequest", params(("spaceId" = String, Path)),
    request_body = Option<CreateChangeRequest>,
    responses((status = 201, description = "The change request", body = ChangeRequest, headers(("Location" = String)))))]
#[post("/spaces/{spaceId}/change-requests")]
async fn create_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    body: Body<CreateChangeRequest>,
) -> Answered {
    let (space, bytes) = (path.into_inner(), body.len());
    at_length(api, caller, bytes, move |api, caller| async move {
        let new = api.services.change_requests.create(&caller, &space, body.input_or_default()).await?;
        let new = change_request(new, &api.links);
        created(new.urls().location.clone(), &new)
    })
    .await
}

/// Get a change request
#[utoipa::path(tag = "change-requests", operation_id = "getChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path, description = "The id of the change request, or its number in the space")),
    responses((status = 200, description = "The change request", body = ChangeRequest)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}")]
async fn get_change_request(api: Data<Api>, caller: Caller, path: Path<(SpaceId, ChangeRequestRef)>) -> Answered {
    let (space, which) = &*path;
    ok(&change_request(api.services.change_requests.get(&caller, space, which).await?, &api.links))
}

/// Update a change request
///
/// Changes its subject, description, status or links.
#[utoipa::path(tag = "change-requests", operation_id = "updateChangeRequestById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for a response without a body"), IfShownOrAt),
    request_body = Option<UpdateChangeRequest>,
    responses((status = 200, description = "The change request", body = ChangeRequest),
        (status = 204, description = "The change request is updated (with `Prefer: return=minimal`)")))]
#[patch("/spaces/{spaceId}/change-requests/{changeRequestId}")]
async fn update_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    body: Body<UpdateChangeRequest>,
    wanted: IfMatch,
    request: HttpRequest,
) -> Answered {
    let (space, which) = path.into_inner();
    let (wanted, minimal) = (as_expected(wanted, &api.links), Answer::is_minimal_preferred(&request));
    at_length(api, caller, body.len(), move |api, caller| async move {
        let patch = body.input_or_default();
        let changed = api.services.change_requests.update(&caller, &space, &which, wanted, patch).await?;
        ok_or_minimal(minimal, &change_request(changed, &api.links))
    })
    .await
}

/// Merge a change request into the primary content
#[utoipa::path(tag = "change-requests", operation_id = "mergeChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path)),
    responses((status = 200, description = "The change request is merged; or it has conflicts to resolve first, and the primary content is unchanged", body = MergeResult)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/merge")]
async fn merge_change_request(api: Data<Api>, caller: Caller, path: Path<(SpaceId, ChangeRequestRef)>) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let outcome = api.services.change_requests.merge(&caller, &space, &which).await?;
        ok(&merge_result(outcome, MergeResultWord::Merge))
    })
    .await
}

/// Update a change request with the primary content
#[utoipa::path(tag = "change-requests", operation_id = "updateChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path)),
    responses((status = 200, description = "The change request is up to date; where there are conflicts, it keeps its own version until they are resolved", body = MergeResult)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/update")]
async fn update_from_primary(api: Data<Api>, caller: Caller, path: Path<(SpaceId, ChangeRequestRef)>) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let outcome = api.services.change_requests.update_from_primary(&caller, &space, &which).await?;
        ok(&merge_result(outcome, MergeResultWord::Update))
    })
    .await
}

/// Check whether a change request can be merged
#[utoipa::path(tag = "change-requests", operation_id = "getChangeRequestMergeStatus",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path)),
    responses((status = 200, description = "Whether it can be merged now, and what prevents it", body = MergeStatus)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/merge-status")]
async fn get_merge_status(api: Data<Api>, caller: Caller, path: Path<(SpaceId, ChangeRequestRef)>) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.change_requests.merge_status(&caller, &space, &which).await?;
        let view = View::new(&api.links, &space, Place::ChangeRequest(&which));
        ok(&merge_status(found, view, api.services.clock.now()))
    })
    .await
}

/// List the unresolved conflicts of a change request
#[utoipa::path(tag = "change-requests", operation_id = "listChangeRequestConflicts",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), PagingParams),
    responses((status = 200, description = "Conflicts", body = ConflictList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts")]
async fn list_conflicts(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    paging: Paging,
) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.change_requests.conflicts(&caller, &space, &which, paging.input()).await?;
        let view = View::new(&api.links, &space, Place::ChangeRequest(&which));
        let now = api.services.clock.now();
        ok(&paging.list(found, |shown| conflict(shown, view, now)))
    })
    .await
}

/// Resolve a conflict
#[utoipa::path(tag = "change-requests", operation_id = "resolveChangeRequestConflict",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("conflictId" = String, Path)),
    request_body = ResolveConflict,
    responses((status = 200, description = "The change request, with the content of the chosen side", body = ChangeRequest)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts/{conflictId}")]
async fn resolve_conflict(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, ConflictId)>,
    body: Body<ResolveConflict>,
) -> Answered {
    let (space, which, id) = path.into_inner();
    at_length(api, caller, body.len(), move |api, caller| async move {
        let changed = api.services.change_requests.resolve(&caller, &space, &which, &id, body.input()).await?;
        ok(&change_request(changed, &api.links))
    })
    .await
}

/// List the changes of a change request
#[utoipa::path(tag = "change-requests", operation_id = "getChangeRequestChanges",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ChangesParams),
    responses((status = 200, description = "The differences from the primary content that it was last updated with", body = Changes)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/changes")]
async fn list_changes(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    params: Query<ChangesParams>,
) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.change_requests.changes(&caller, &space, &which, params.input()).await?;
        let view = View::new(&api.links, &space, Place::ChangeRequest(&which));
        ok(&changes(found, view, api.services.clock.now()))
    })
    .await
}

/// List the changes of a revision
#[utoipa::path(tag = "revisions", operation_id = "getRevisionSemanticChanges",
    params(("spaceId" = String, Path), ("revisionId" = String, Path), ChangesParams,
        ContentParams),
    responses((status = 200, description = "The differences from the previous revision", body = Changes)))]
#[get("/spaces/{spaceId}/revisions/{revisionId}/changes")]
async fn list_changes_of_revision(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, RevisionId)>,
    params: Query<ChangesParams>,
    content: Query<ContentParams>,
) -> Answered {
    let (space, revision) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        // The changes have no git metadata, so `metadata` is checked and has no effect.
        let limit = Input::new(move || content.read().and_then(|_metadata| params.read()));
        let found = api.services.change_requests.changes_of_revision(&caller, &space, &revision, limit).await?;
        let view = View::new(&api.links, &space, Place::Revision(&revision));
        ok(&changes(found, view, api.services.clock.now()))
    })
    .await
}
