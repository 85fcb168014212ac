//! Comments on change requests.
use super::ServiceConfig;
use crate::Api;
use crate::answer::Answered;
use crate::answer::error::ApiError;
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::comment::{
    Comment, CommentFormatParams, CommentList, CommentReply, CommentReplyList, CommentsParams, PostComment,
    PostCommentReply, UpdateComment,
};
use crate::wire::member::MemberList;
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, post, put};
use domain::change_request::ChangeRequestRef;
use domain::id::{CommentId, CommentReplyId, SpaceId};
use domain::usecases::comments::DiscussionRef;

pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(list_comments_in_change_request)
        .service(post_comment_in_change_request)
        .service(get_comment_in_change_request);
    config.service(update_comment_in_change_request).service(delete_comment_in_change_request);
    config
        .service(list_replies_in_change_request)
        .service(post_reply_in_change_request)
        .service(get_reply_in_change_request);
    config.service(update_reply_in_change_request).service(delete_reply_in_change_request);
    config.service(list_commenters_in_change_request);
}

fn at(space: SpaceId, which: ChangeRequestRef) -> DiscussionRef {
    DiscussionRef { space, change_request: Some(which) }
}

/// List the comments on a change request
#[utoipa::path(tag = "comments", operation_id = "listCommentsInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), CommentsParams, PagingParams),
    responses((status = 200, description = "Comments of the change request", body = CommentList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/comments")]
async fn list_comments_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    params: Query<CommentsParams>,
    paging: Paging,
) -> Answered {
    let (space, which) = path.into_inner();
    super::list(api, caller, at(space, which), params, paging).await
}

/// Comment on a change request
///
/// A comment can be on a page, a block of it or a cell of a table. It stays with the block as long as the block exists,
/// and keeps what it quotes.
#[utoipa::path(tag = "comments", operation_id = "postCommentInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), CommentFormatParams), request_body = PostComment,
    responses((status = 200, description = "The comment", body = Comment)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/comments")]
async fn post_comment_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    params: Query<CommentFormatParams>,
    body: Body<PostComment>,
) -> Answered {
    let (space, which) = path.into_inner();
    super::post(api, caller, at(space, which), params, body).await
}

/// Get a comment on a change request
#[utoipa::path(tag = "comments", operation_id = "getCommentInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), CommentFormatParams),
    responses((status = 200, description = "The comment", body = Comment)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}")]
async fn get_comment_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId)>,
    params: Query<CommentFormatParams>,
) -> Answered {
    let (space, which, id) = path.into_inner();
    super::read(api, caller, at(space, which), id, params).await
}

/// Update a comment on a change request
///
/// Changes its text or status, or the reactions of the caller.
#[utoipa::path(tag = "comments", operation_id = "updateCommentInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), CommentFormatParams, IfShown), request_body = UpdateComment,
    responses((status = 200, description = "The comment", body = Comment)))]
#[put("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}")]
async fn update_comment_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId)>,
    params: Query<CommentFormatParams>,
    body: Body<UpdateComment>,
    wanted: IfMatch,
) -> Answered {
    let (space, which, id) = path.into_inner();
    super::update(api, caller, at(space, which), id, (params, body), wanted).await
}

/// Delete a comment on a change request
#[utoipa::path(tag = "comments", operation_id = "deleteCommentInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), IfShown),
    responses((status = 205, description = "The comment is deleted, with its replies"), (status = 204, description = "There was no such comment")))]
#[delete("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}")]
async fn delete_comment_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (space, which, id) = path.into_inner();
    super::delete(api, caller, at(space, which), id, wanted).await
}

/// List the replies to a comment on a change request
#[utoipa::path(tag = "comments", operation_id = "listCommentRepliesInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), CommentFormatParams, PagingParams),
    responses((status = 200, description = "Replies, oldest first", body = CommentReplyList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies")]
async fn list_replies_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId)>,
    params: Query<CommentFormatParams>,
    paging: Paging,
) -> Answered {
    let (space, which, id) = path.into_inner();
    super::list_replies(api, caller, at(space, which), id, params, paging).await
}

/// Reply to a comment on a change request
#[utoipa::path(tag = "comments", operation_id = "postCommentReplyInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), CommentFormatParams), request_body = PostCommentReply,
    responses((status = 200, description = "The reply", body = CommentReply)))]
#[post("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies")]
async fn post_reply_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId)>,
    params: Query<CommentFormatParams>,
    body: Body<PostCommentReply>,
) -> Answered {
    let (space, which, id) = path.into_inner();
    super::post_reply(api, caller, at(space, which), id, params, body).await
}

/// Get a reply to a comment on a change request
#[utoipa::path(tag = "comments", operation_id = "getCommentReplyInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), ("commentReplyId" = String, Path), CommentFormatParams),
    responses((status = 200, description = "The reply", body = CommentReply)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}")]
async fn get_reply_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId, CommentReplyId)>,
    params: Query<CommentFormatParams>,
) -> Answered {
    let (space, which, id, answer) = path.into_inner();
    super::read_reply(api, caller, at(space, which), (id, answer), params).await
}

/// Update a reply to a comment on a change request
///
/// Changes its text, or the reactions of the caller.
#[utoipa::path(tag = "comments", operation_id = "updateCommentReplyInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), ("commentReplyId" = String, Path), CommentFormatParams, IfShown), request_body = UpdateComment,
    responses((status = 200, description = "The reply", body = CommentReply)))]
#[put("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}")]
async fn update_reply_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId, CommentReplyId)>,
    params: Query<CommentFormatParams>,
    body: Body<UpdateComment>,
    wanted: IfMatch,
) -> Answered {
    let (space, which, id, answer) = path.into_inner();
    super::update_reply(api, caller, at(space, which), (id, answer), (params, body), wanted).await
}

/// Delete a reply to a comment on a change request
#[utoipa::path(tag = "comments", operation_id = "deleteCommentReplyInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), ("commentId" = String, Path), ("commentReplyId" = String, Path), IfShown),
    responses((status = 205, description = "The reply is deleted"), (status = 204, description = "There was no such reply")))]
#[delete("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}")]
async fn delete_reply_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef, CommentId, CommentReplyId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (space, which, id, answer) = path.into_inner();
    super::delete_reply(api, caller, at(space, which), (id, answer), wanted).await
}

/// List the commenters of a change request
#[utoipa::path(tag = "comments", operation_id = "listCommentersInChangeRequest",
    params(("spaceId" = String, Path), ("changeRequestId" = String, Path), PagingParams),
    responses((status = 200, description = "Members of the organization who wrote a comment or a reply", body = MemberList)))]
#[get("/spaces/{spaceId}/change-requests/{changeRequestId}/commenters")]
async fn list_commenters_in_change_request(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, ChangeRequestRef)>,
    paging: Paging,
) -> Answered {
    let (space, which) = path.into_inner();
    super::list_commenters(api, caller, at(space, which), paging).await
}
