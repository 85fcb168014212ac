//! Reviews of change requests, requested reviewers, and contributors.
use super::registry::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, created, deleted, ok};
use crate::request::if_match::{IfAskedAt, IfMatch};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::routes::at_length;
use crate::state::caller::Caller;
use crate::wire::review::{
    ContributorList, RequestReviewers, RequestedReviewerList, RequestedReviewers, Review, ReviewFormParams, ReviewList,
    ReviewParams, SubmitReview, contributor, requested, review,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, post};
use domain::change_request::ChangeRequestRef;
use domain::id::{ReviewId, SpaceId, UserId};
use domain::review::RequestedReviewer;
use domain::usecases::Input;
use domain::usecases::content::Format;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_reviews).service(submit_review).service(get_review);
    config.service(list_requested_reviewers).service(request_reviewers).service(remove_requested_reviewer);
    config.service(list_contributors);
}

/// List the reviews of a change request
#[utoipa::path(tag = "reviews", operation_id = "listChangeRequestReviews",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ReviewParams, PagingParams),
    responses((status = 200, description = "Reviews, oldest first", body = ReviewList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews")]
async fn list_reviews(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    params: Query<ReviewParams>,
    paging: Paging,
) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let (wanted, format) = (paging.clone(), params.read().map(|(_, format)| format).unwrap_or_default());
        let query = Input::new(move || Ok((params.read()?.0, wanted.request()?)));
        let found = api.services.change_requests.reviews(&caller, &space, &which, query).await?;
        ok(&paging.list(found, |shown| review(shown, &space, format, &api.links)))
    })
    .await
}

/// Review a change request
#[utoipa::path(tag = "reviews", operation_id = "submitChangeRequestReview",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path)), request_body = SubmitReview,
    responses((status = 201, description = "The review", body = Review, headers(("Location" = String)))))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews")]
async fn submit_review(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    body: Body<SubmitReview>,
) -> Answered {
    let (space, which) = path.into_inner();
    at_length(api, caller, body.len(), move |api, caller| async move {
        let new = api.services.change_requests.submit_review(&caller, &space, &which, body.input()).await?;
        let new = review(new, &space, Format::default(), &api.links);
        created(new.urls().location.clone(), &new)
    })
    .await
}

/// Get a review
#[utoipa::path(tag = "reviews", operation_id = "getChangeRequestReviewById",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("reviewId" = String, Path), ReviewFormParams),
    responses((status = 200, description = "The review", body = Review)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}")]
async fn get_review(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, ReviewId)>,
    params: Query<ReviewFormParams>,
) -> Answered {
    let (space, which, id) = path.into_inner();
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.change_requests.review(&caller, &space, &which, &id).await?;
        ok(&review(found, &space, params.read()?, &api.links))
    })
    .await
}

/// List the requested reviewers of a change request
#[utoipa::path(tag = "reviews", operation_id = "getRequestedReviewersByChangeRequestId",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), PagingParams),
    responses((status = 200, description = "Requested reviewers who have not reviewed yet", body = RequestedReviewerList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers")]
async fn list_requested_reviewers(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    paging: Paging,
) -> Answered {
    let (space, which) = &*path;
    let found = api.services.change_requests.requested_reviewers(&caller, space, which, paging.input()).await?;
    ok(&paging.list(found, |shown| requested(shown, &api.links)))
}

/// Request reviews of a change request
#[utoipa::path(tag = "reviews", operation_id = "requestReviewersForChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path)), request_body = RequestReviewers,
    responses((status = 200, description = "The users who are asked for a review", body = RequestedReviewers)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers")]
async fn request_reviewers(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    body: Body<RequestReviewers>,
) -> Answered {
    let (space, which) = &*path;
    let asked = api.services.change_requests.request_reviews(&caller, space, which, body.input()).await?;
    ok(&RequestedReviewers { users: asked.into_iter().map(|shown| requested(shown, &api.links)).collect() })
}

/// Withdraw a review request
#[utoipa::path(tag = "reviews", operation_id = "removeRequestedReviewerFromChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("userId" = String, Path), IfAskedAt),
    responses((status = 205, description = "The review request is withdrawn"), (status = 204, description = "The user was not asked")))]
#[delete("/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}")]
async fn remove_requested_reviewer(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, UserId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (space, which, user) = &*path;
    let wanted = wanted.word(|asked: &RequestedReviewer| asked.revision.as_str());
    Ok(deleted(api.services.change_requests.withdraw_request(&caller, space, which, user, wanted).await?))
}

/// List the contributors of a change request
#[utoipa::path(tag = "reviews", operation_id = "getContributorsByChangeRequestId",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), PagingParams),
    responses((status = 200, description = "Users and how they contributed", body = ContributorList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/contributors")]
async fn list_contributors(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    paging: Paging,
) -> Answered {
    let (space, which) = &*path;
    let found = api.services.change_requests.contributors(&caller, space, which, paging.input()).await?;
    ok(&paging.list(found, |shown| contributor(shown, &api.links)))
}
