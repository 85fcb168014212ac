//! Comments, replies and reactions.
mod input;

pub(crate) use input::{CommentFormatParams, CommentsParams, PostComment, PostCommentReply, UpdateComment};

use super::schemas;
use super::user::{User, person};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::comment::{self, Anchor, CommentStatus, CommentTarget as On, Present};
use domain::content::document::Document;
use domain::content::document::wire::WireDocument;
use domain::usecases::comments::{ShownComment, ShownReaction, ShownReplier, ShownReply};
use domain::usecases::content::Format;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A comment: the first text of a thread.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Comment)]
pub(crate) struct CommentFields {
    id: String,
    posted_by: User,
    posted_at: DateTime<Utc>,
    /// When the text was last edited; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<DateTime<Utc>>,
    body: CommentBody,
    target: CommentTarget,
    #[schema(value_type = schemas::CommentStatus)]
    status: CommentStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_by: Option<User>,
    /// The number of replies.
    replies: u32,
    /// The users who replied, by their last reply.
    repliers: Vec<Replier>,
    reactions: Vec<Reaction>,
}

/// A reply to a comment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CommentReply)]
pub(crate) struct ReplyFields {
    id: String,
    posted_by: User,
    posted_at: DateTime<Utc>,
    /// When the text was last edited; absent if it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<DateTime<Utc>>,
    body: CommentBody,
    reactions: Vec<Reaction>,
}

/// The text of a comment or a reply, in the requested format.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CommentBody {
    Markdown(String),
    #[schema(value_type = schemas::Document)]
    Document(WireDocument<Document>),
}

/// The target of a comment. `page`, `node` and `tableCell` are present as long as the content has them.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommentTarget {
    space: String,
    /// The revision that the author saw.
    revision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    change_request: Option<String>,
    /// The review that the comment came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<TargetId>,
    /// The block.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<TargetId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_cell: Option<TableCell>,
    /// The text of the block or the cell when the comment was posted, or the title of the page. It is kept when they
    /// are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<String>,
}

/// The id of a page, or the key of a block.
#[derive(Serialize, ToSchema)]
pub(crate) struct TargetId {
    id: String,
}

/// A cell of a table.
#[derive(Deserialize, Serialize, ToSchema)]
pub(crate) struct TableCell {
    /// The key of the row.
    record: String,
    /// The id of the column.
    definition: String,
}

/// The reactions with one emoji.
#[derive(Serialize, ToSchema)]
pub(crate) struct Reaction {
    emoji: String,
    /// The number of users.
    count: usize,
    users: Vec<ReactionUser>,
}

/// A user who reacted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReactionUser {
    user: User,
    reacted_at: DateTime<Utc>,
}

/// A user who replied.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replier {
    user: User,
    /// The number of replies.
    count: u32,
    /// When the last reply was posted.
    updated_at: DateTime<Utc>,
}

/// URLs of a comment or a reply.
#[derive(Serialize, ToSchema)]
pub(crate) struct CommentUrls {
    /// In this API.
    location: String,
}

impl Resource for CommentFields {
    const OBJECT: &'static str = "comment";
    type Entity = comment::Comment;
    type Urls = CommentUrls;
}

impl Resource for ReplyFields {
    const OBJECT: &'static str = "comment-reply";
    type Entity = comment::CommentReply;
    type Urls = CommentUrls;
}

pub(crate) type Comment = Presented<CommentFields>;
pub(crate) type CommentList = List<Comment>;
pub(crate) type CommentReply = Presented<ReplyFields>;
pub(crate) type CommentReplyList = List<CommentReply>;

fn body(text: Document, format: Format) -> CommentBody {
    match format {
        Format::Markdown => CommentBody::Markdown(super::conflict::markdown(&text)),
        Format::Document => CommentBody::Document(WireDocument(text)),
    }
}

fn target(comment: &comment::Comment, on: On, present: Present) -> CommentTarget {
    let id = |id: String| TargetId { id };
    let On { revision, anchor, quote } = on;
    let (page, node, cell) = match anchor {
        Some(Anchor { page, node, cell }) => (Some(page), node, cell),
        None => (None, None, None),
    };
    CommentTarget {
        space: comment.discussion.space.to_string(),
        revision: revision.into(),
        change_request: comment.discussion.change_request.as_ref().map(ToString::to_string),
        review: comment.review.as_ref().map(ToString::to_string),
        page: page.filter(|_| present.page).map(|page| id(page.into())),
        node: node.filter(|_| present.node).map(|key| id(key.0.to_string())),
        table_cell: cell
            .filter(|_| present.cell)
            .map(|cell| TableCell { record: cell.record.0.to_string(), definition: cell.definition }),
        quote,
    }
}

fn reactions(shown: Vec<ShownReaction>, links: &Links) -> Vec<Reaction> {
    let users = |users: Vec<(_, _)>| {
        users.into_iter().map(|(user, reacted_at)| ReactionUser { user: person(user, links), reacted_at }).collect()
    };
    let one = |shown: ShownReaction| Reaction {
        emoji: shown.emoji.into(),
        count: shown.users.len(),
        users: users(shown.users),
    };
    shown.into_iter().map(one).collect()
}

/// Presents a comment, with its text in this format.
pub(crate) fn comment(shown: ShownComment, format: Format, links: &Links) -> Comment {
    let ShownComment { comment, posted_by, resolved_by, reactions: reacted, repliers, present } = shown;
    Presented::new(comment, |mut comment: comment::Comment| {
        let urls = CommentUrls { location: links.comment(&comment.discussion, &comment.id) };
        let on = comment.target.clone();
        let text = std::mem::take(&mut comment.body);
        let fields = CommentFields {
            posted_by: person(posted_by, links),
            posted_at: comment.posted_at,
            edited_at: comment.edited_at,
            body: body(text, format),
            target: target(&comment, on, present),
            status: comment.status(),
            resolved_at: comment.resolved.as_ref().map(|resolution| resolution.at),
            resolved_by: resolved_by.map(|resolver| person(resolver, links)),
            replies: repliers.iter().map(|replier| replier.count).sum(),
            repliers: repliers
                .into_iter()
                .map(|ShownReplier { user, count, updated_at }| Replier {
                    user: person(user, links),
                    count,
                    updated_at,
                })
                .collect(),
            reactions: reactions(reacted, links),
            id: comment.id.into(),
        };
        (fields, urls)
    })
}

/// Presents a reply, with its text in this format.
pub(crate) fn reply(shown: ShownReply, format: Format, links: &Links) -> CommentReply {
    let ShownReply { reply, posted_by, reactions: reacted } = shown;
    Presented::new(reply, |reply: comment::CommentReply| {
        let urls = CommentUrls { location: links.comment_reply(&reply.discussion, &reply.comment, &reply.id) };
        let fields = ReplyFields {
            posted_by: person(posted_by, links),
            posted_at: reply.posted_at,
            edited_at: reply.edited_at,
            body: body(reply.body, format),
            reactions: reactions(reacted, links),
            id: reply.id.into(),
        };
        (fields, urls)
    })
}
