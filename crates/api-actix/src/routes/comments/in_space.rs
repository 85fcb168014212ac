//! Comments on spaces.
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

use domain::id::{CommentId, CommentReplyId, SpaceId};
use domain::usecases::comments::DiscussionRef;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_comments_in_space).service(post_comment_in_space).service(get_comment_in_space);
    config.service(update_comment_in_space).service(delete_comment_in_space);
    config.service(list_replies_in_space).service(post_reply_in_space).service(get_reply_in_space);
    config.service(update_reply_in_space).service(delete_reply_in_space);
    config.service(list_commenters_in_space);
}

fn at(space: SpaceId) -> DiscussionRef {
    DiscussionRef { space, change_request: None }
}

/// List the comments on a space
#[utoipa::path(tag = "comments", operation_id = "listCommentsInSpace",
    params(("spaceId" = String, Path), CommentsParams, PagingParams),
    responses((status = 200, description = "Comments on the primary content, without those of change requests", body = CommentList)))]
#[get("/spaces/{spaceId}/comments")]
async fn list_comments_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    params: Query<CommentsParams>,
    paging: Paging,
) -> Answered {
    let space = path.into_inner();
    super::list(api, caller, at(space), params, paging).await
}

/// Comment on a space
///
/// A comment can be on a page, a block of it or a cell of a table. It stays with the block as long as the block exists,
/// and keeps what it quotes.
#[utoipa::path(tag = "comments", operation_id = "postCommentInSpace",
    params(("spaceId" = String, Path), CommentFormatParams), request_body = PostComment,
    responses((status = 200, description = "The comment", body = Comment)))]
#[post("/spaces/{spaceId}/comments")]
async fn post_comment_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    params: Query<CommentFormatParams>,
    body: Body<PostComment>,
) -> Answered {
    let space = path.into_inner();
    super::post(api, caller, at(space), params, body).await
}

/// Get a comment on a space
#[utoipa::path(tag = "comments", operation_id = "getCommentInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), CommentFormatParams),
    responses((status = 200, description = "The comment", body = Comment)))]
#[get("/spaces/{spaceId}/comments/{commentId}")]
async fn get_comment_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId)>,
    params: Query<CommentFormatParams>,
) -> Answered {
    let (space, id) = path.into_inner();
    super::read(api, caller, at(space), id, params).await
}

/// Update a comment on a space
///
/// Changes its text or status, or the reactions of the caller.
#[utoipa::path(tag = "comments", operation_id = "updateCommentInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), CommentFormatParams, IfShown), request_body = UpdateComment,
    responses((status = 200, description = "The comment", body = Comment)))]
#[put("/spaces/{spaceId}/comments/{commentId}")]
async fn update_comment_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId)>,
    params: Query<CommentFormatParams>,
    body: Body<UpdateComment>,
    wanted: IfMatch,
) -> Answered {
    let (space, id) = path.into_inner();
    super::update(api, caller, at(space), id, (params, body), wanted).await
}

/// Delete a comment on a space
#[utoipa::path(tag = "comments", operation_id = "deleteCommentInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), IfShown),
    responses((status = 205, description = "The comment is deleted, with its replies"), (status = 204, description = "There was no such comment")))]
#[delete("/spaces/{spaceId}/comments/{commentId}")]
async fn delete_comment_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (space, id) = path.into_inner();
    super::delete(api, caller, at(space), id, wanted).await
}

/// List the replies to a comment on a space
#[utoipa::path(tag = "comments", operation_id = "listCommentRepliesInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), CommentFormatParams, PagingParams),
    responses((status = 200, description = "Replies, oldest first", body = CommentReplyList)))]
#[get("/spaces/{spaceId}/comments/{commentId}/replies")]
async fn list_replies_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId)>,
    params: Query<CommentFormatParams>,
    paging: Paging,
) -> Answered {
    let (space, id) = path.into_inner();
    super::list_replies(api, caller, at(space), id, params, paging).await
}

/// Reply to a comment on a space
#[utoipa::path(tag = "comments", operation_id = "postCommentReplyInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), CommentFormatParams), request_body = PostCommentReply,
    responses((status = 200, description = "The reply", body = CommentReply)))]
#[post("/spaces/{spaceId}/comments/{commentId}/replies")]
async fn post_reply_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId)>,
    params: Query<CommentFormatParams>,
    body: Body<PostCommentReply>,
) -> Answered {
    let (space, id) = path.into_inner();
    super::post_reply(api, caller, at(space), id, params, body).await
}

/// Get a reply to a comment on a space
#[utoipa::path(tag = "comments", operation_id = "getCommentReplyInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), ("commentReplyId" = String, Path), CommentFormatParams),
    responses((status = 200, description = "The reply", body = CommentReply)))]
#[get("/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}")]
async fn get_reply_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId, CommentReplyId)>,
    params: Query<CommentFormatParams>,
) -> Answered {
    let (space, id, answer) = path.into_inner();
    super::read_reply(api, caller, at(space), (id, answer), params).await
}

/// Update a reply to a comment on a space
///
/// Changes its text, or the reactions of the caller.
#[utoipa::path(tag = "comments", operation_id = "updateCommentReplyInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), ("commentReplyId" = String, Path), CommentFormatParams, IfShown), request_body = UpdateComment,
    responses((status = 200, description = "The reply", body = CommentReply)))]
#[put("/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}")]
async fn update_reply_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId, CommentReplyId)>,
    params: Query<CommentFormatParams>,
    body: Body<UpdateComment>,
    wanted: IfMatch,
) -> Answered {
    let (space, id, answer) = path.into_inner();
    super::update_reply(api, caller, at(space), (id, answer), (params, body), wanted).await
}

/// Delete a reply to a comment on a space
#[utoipa::path(tag = "comments", operation_id = "deleteCommentReplyInSpace",
    params(("spaceId" = String, Path), ("commentId" = String, Path), ("commentReplyId" = String, Path), IfShown),
    responses((status = 205, description = "The reply is deleted"), (status = 204, description = "There was no such reply")))]
#[delete("/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}")]
async fn delete_reply_in_space(
    api: Data<Api>,
    caller: Caller,
    path: Path<(SpaceId, CommentId, CommentReplyId)>,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let (space, id, answer) = path.into_inner();
    super::delete_reply(api, caller, at(space), (id, answer), wanted).await
}

/// List the commenters of a space
#[utoipa::path(tag = "comments", operation_id = "listCommentersInSpace",
    params(("spaceId" = String, Path), PagingParams),
    responses((status = 200, description = "Members of the organization who wrote a comment or a reply", body = MemberList)))]
#[get("/spaces/{spaceId}/commenters")]
async fn list_commenters_in_space(api: Data<Api>, caller: Caller, path: Path<SpaceId>, paging: Paging) -> Answered {
    let space = path.into_inner();
    super::list_commenters(api, caller, at(space), paging).await
}
