//! Comments on spaces and on change requests. The operations of both are the same, with another path.
mod in_change_request;
mod in_space;

use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, deleted, ok};
use crate::request::if_match::{IfMatch, shown_tag};
use crate::request::paging::Paging;
use crate::request::{Body, Query, SHORT_BODY, Wire};
use crate::routes::{at_length, at_length_if};
use crate::state::caller::Caller;
use crate::wire::comment::{
    CommentFormatParams, CommentsParams, PostComment, PostCommentReply, UpdateComment, comment, reply,
};
use crate::wire::member::member;
use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::comment::Anchor;
use domain::id::{CommentId, CommentReplyId};
use domain::paging::PageRequest;
use domain::text::Invalid;
use domain::usecases::comments::{DiscussionRef, NewComment, ShownComment, ShownReply};
use domain::usecases::content::Format;
use domain::usecases::{Input, Precondition};

pub(super) fn configure(config: &mut ServiceConfig) {
    in_space::configure(config);
    in_change_request::configure(config);
}

/// The precondition of `If-Match` on a comment: it is unchanged since the caller read it, in any format.
fn comment_as_read(wanted: IfMatch, api: &Api) -> Precondition<ShownComment> {
    let links = api.links.clone();
    let formats = [Format::Markdown, Format::Document];
    wanted.tags(move |shown: &ShownComment| {
        formats.map(|format| shown_tag(&comment(shown.clone(), format, &links))).to_vec()
    })
}

/// The same for a reply.
fn reply_as_read(wanted: IfMatch, api: &Api) -> Precondition<ShownReply> {
    let links = api.links.clone();
    let formats = [Format::Markdown, Format::Document];
    wanted
        .tags(move |shown: &ShownReply| formats.map(|format| shown_tag(&reply(shown.clone(), format, &links))).to_vec())
}

async fn list(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    params: Query<CommentsParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let format = params.read().map(|(_, _, format)| format).unwrap_or_default();
        let wanted = paging.clone();
        let query = Input::new(move || {
            let (filter, order, _) = params.read()?;
            Ok((filter, PageRequest { order, ..wanted.request()? }))
        });
        let found = api.services.comments.list(&caller, &at, query).await?;
        ok(&paging.list(found, |shown| comment(shown, format, &api.links)))
    })
    .await
}

/// The body of a request and the format of its response, which is checked before anything changes.
fn with_format<T: Wire + 'static>(
    body: Body<T>,
    params: &Query<CommentFormatParams>,
) -> (Input<T::Command>, Result<Format, Invalid>) {
    let format = params.read();
    let wanted = format.clone();
    (Input::new(move || wanted.and_then(|_format| body.input().read())), format)
}

/// Whether it takes long to post a comment: if its text is long, or if it is on a part of the text of a page, which is
/// then read. A short body is parsed for this, and the result is still used only after the access check.
fn weighed(bytes: usize, new: Input<NewComment>) -> (Input<NewComment>, bool) {
    if bytes > SHORT_BODY {
        return (new, true);
    }
    let new = new.read();
    let in_text = |new: &NewComment| new.anchor.as_ref().is_some_and(Anchor::is_in_text);
    let long = new.as_ref().is_ok_and(in_text);
    (Input::new(move || new), long)
}

async fn post(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    params: Query<CommentFormatParams>,
    body: Body<PostComment>,
) -> Answered {
    let bytes = body.len();
    let (new, format) = with_format(body, &params);
    let (new, long) = weighed(bytes, new);
    at_length_if(long, api, caller, bytes, move |api, caller| async move {
        let new = api.services.comments.post(&caller, &at, new).await?;
        ok(&comment(new, format?, &api.links))
    })
    .await
}

async fn read(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    id: CommentId,
    params: Query<CommentFormatParams>,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.comments.get(&caller, &at, &id).await?;
        ok(&comment(found, params.read()?, &api.links))
    })
    .await
}

async fn update(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    id: CommentId,
    (params, body): (Query<CommentFormatParams>, Body<UpdateComment>),
    wanted: IfMatch,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (changes, format) = with_format(body, &params);
        let wanted = comment_as_read(wanted, &api);
        let changed = api.services.comments.update(&caller, &at, &id, wanted, changes).await?;
        ok(&comment(changed, format?, &api.links))
    })
    .await
}

async fn delete(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    id: CommentId,
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let wanted = comment_as_read(wanted, &api);
    Ok(deleted(api.services.comments.delete(&caller, &at, &id, wanted).await?))
}

async fn list_replies(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    id: CommentId,
    params: Query<CommentFormatParams>,
    paging: Paging,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let format = params.read();
        let (wanted, pages) = (format.clone(), paging.clone());
        let page = Input::new(move || wanted.and_then(|_format| pages.request()));
        let found = api.services.comments.replies(&caller, &at, &id, page).await?;
        let format = format?;
        ok(&paging.list(found, |shown| reply(shown, format, &api.links)))
    })
    .await
}

async fn post_reply(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    id: CommentId,
    params: Query<CommentFormatParams>,
    body: Body<PostCommentReply>,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (new, format) = with_format(body, &params);
        let new = api.services.comments.post_reply(&caller, &at, &id, new).await?;
        ok(&reply(new, format?, &api.links))
    })
    .await
}

async fn read_reply(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    (id, answer): (CommentId, CommentReplyId),
    params: Query<CommentFormatParams>,
) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.comments.reply(&caller, &at, &id, &answer).await?;
        ok(&reply(found, params.read()?, &api.links))
    })
    .await
}

async fn update_reply(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    (id, answer): (CommentId, CommentReplyId),
    (params, body): (Query<CommentFormatParams>, Body<UpdateComment>),
    wanted: IfMatch,
) -> Answered {
    at_length(api, caller, body.len(), move |api, caller| async move {
        let (changes, format) = with_format(body, &params);
        let wanted = reply_as_read(wanted, &api);
        let changed = api.services.comments.update_reply(&caller, &at, (&id, &answer), wanted, changes).await?;
        ok(&reply(changed, format?, &api.links))
    })
    .await
}

async fn delete_reply(
    api: Data<Api>,
    caller: Caller,
    at: DiscussionRef,
    (id, answer): (CommentId, CommentReplyId),
    wanted: IfMatch,
) -> Result<HttpResponse, ApiError> {
    let wanted = reply_as_read(wanted, &api);
    Ok(deleted(api.services.comments.delete_reply(&caller, &at, (&id, &answer), wanted).await?))
}

async fn list_commenters(api: Data<Api>, caller: Caller, at: DiscussionRef, paging: Paging) -> Answered {
    at_length(api, caller, 0, move |api, caller| async move {
        let found = api.services.comments.commenters(&caller, &at, paging.input()).await?;
        ok(&paging.list(found, |shown| member(shown, &api.links)))
    })
    .await
}
