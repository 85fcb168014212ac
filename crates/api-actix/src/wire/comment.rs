//! Comments, replies and reactions.
use super::content::FormatParam;
use super::member::OrderParam;
use super::schemas;
use super::text::TextBody;
use super::user::{User, person};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::comment::{
    self, Anchor, CellRef, CommentStatus, MAX_EMOJIS, Present, ReactionEmoji, Reactions, Target as On,
};
use domain::content::document::wire::WireDocument;
use domain::content::document::{Document, Key};
use domain::id::{PageId, RevisionId, UserId};
use domain::paging::Order;
use domain::ports::store::comments::CommentFilter;
use domain::text::Invalid;
use domain::usecases::comments::{
    CommentChanges, NewComment, ReplyChanges, ShownComment, ShownReaction, ShownReplier, ShownReply,
};
use domain::usecases::content::Format;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The maximum number of authors in a filter.
const MAX_AUTHORS: usize = 100;

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

/// What a comment is on. `page`, `node` and `tableCell` are present as long as the content has them.
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
    /// The text of the block or the cell when the comment was posted, or the title of the page; it stays when they are
    /// gone.
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

/// The format of texts, which is Markdown if the caller names none.
fn format_of(param: Option<FormatParam>) -> Format {
    param.map_or(Format::Markdown, Format::from)
}

/// The format of the texts of comments.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CommentFormatParams {
    /// The format of the text; `markdown` if absent.
    #[param(inline)]
    format: Option<FormatParam>,
}

impl Wire for CommentFormatParams {
    type Command = Format;

    fn command(self) -> Result<Format, Invalid> {
        Ok(format_of(self.format))
    }
}

/// The status of the comments of a list.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StatusParam {
    #[default]
    All,
    Open,
    Resolved,
}

/// Filters, order and format of a list of comments.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct CommentsParams {
    /// Only comments with this status; `all` if absent.
    #[serde(default)]
    #[param(inline, value_type = Option<StatusParam>)]
    status: StatusParam,
    /// Only comments on this page, or on a place in it.
    #[param(value_type = Option<String>)]
    target_page: Option<PageId>,
    /// Only comments by this user; repeat for several, at most 100.
    #[serde(default)]
    #[param(value_type = Option<Vec<String>>, style = Form, explode)]
    authors: Vec<UserId>,
    /// `asc` lists the oldest comments first, `desc` the newest; `desc` if absent.
    #[param(inline)]
    order: Option<OrderParam>,
    /// The format of the texts; `markdown` if absent.
    #[param(inline)]
    format: Option<FormatParam>,
}

impl Wire for CommentsParams {
    type Command = (CommentFilter, Order, Format);

    fn command(self) -> Result<Self::Command, Invalid> {
        if self.authors.len() > MAX_AUTHORS {
            return Err(Invalid::new("authors", format!("must name at most {MAX_AUTHORS} users")));
        }
        let status = match self.status {
            StatusParam::All => None,
            StatusParam::Open => Some(CommentStatus::Open),
            StatusParam::Resolved => Some(CommentStatus::Resolved),
        };
        let filter = CommentFilter { status, page: self.target_page, authors: self.authors };
        Ok((filter, self.order.map_or(Order::Desc, Order::from), format_of(self.format)))
    }
}

/// Reads the text of a field.
fn text(body: TextBody) -> Result<Document, Invalid> {
    body.loose("body")?.ok_or_else(|| Invalid::new("body", "must have markdown or document"))
}

/// A comment to post.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PostComment {
    body: TextBody,
    /// The page that the comment is on.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<String>)]
    page: Option<PageId>,
    /// The key of the block that it is on; needs `page`.
    #[serde(default, deserialize_with = "super::given")]
    node: Option<String>,
    /// The cell that it is on; needs `page`.
    #[serde(default, deserialize_with = "super::given")]
    table_cell: Option<TableCell>,
    /// The revision that the author saw, if it is not the current one.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = Option<String>)]
    revision: Option<RevisionId>,
}

impl Wire for PostComment {
    type Command = NewComment;

    fn command(self) -> Result<NewComment, Invalid> {
        let node = self.node.map(|key| Key(key.into()));
        let cell =
            self.table_cell.map(|TableCell { record, definition }| CellRef { record: Key(record.into()), definition });
        let anchor = match self.page {
            Some(page) => Some(Anchor { page, node, cell }),
            None if node.is_some() || cell.is_some() => {
                return Err(Invalid::new("page", "is required with node or tableCell"));
            }
            None => None,
        };
        Ok(NewComment { body: text(self.body)?, anchor, revision: self.revision })
    }
}

/// A reply to post.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PostCommentReply {
    body: TextBody,
}

impl Wire for PostCommentReply {
    type Command = Document;

    fn command(self) -> Result<Document, Invalid> {
        text(self.body)
    }
}

/// Changes to a comment; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateComment {
    /// `true` resolves the comment, `false` opens it again.
    #[serde(default, deserialize_with = "super::given")]
    resolved: Option<bool>,
    #[serde(default, deserialize_with = "super::given")]
    body: Option<TextBody>,
    /// Emojis to add as reactions of the caller, at most 20.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    added_reactions: Vec<ReactionEmoji>,
    /// Reactions of the caller to remove.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    removed_reactions: Vec<ReactionEmoji>,
}

/// Changes to a reply; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateCommentReply {
    /// Accepted for clients that send it with every text. A reply has no status: it has no effect.
    #[serde(default, deserialize_with = "super::given")]
    #[expect(dead_code, reason = "part of the format")]
    resolved: Option<bool>,
    #[serde(default, deserialize_with = "super::given")]
    body: Option<TextBody>,
    /// Emojis to add as reactions of the caller, at most 20.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    added_reactions: Vec<ReactionEmoji>,
    /// Reactions of the caller to remove.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    removed_reactions: Vec<ReactionEmoji>,
}

fn changed_reactions(added: Vec<ReactionEmoji>, removed: Vec<ReactionEmoji>) -> Result<Reactions, Invalid> {
    for (field, emojis) in [("addedReactions", &added), ("removedReactions", &removed)] {
        if emojis.len() > MAX_EMOJIS {
            return Err(Invalid::new(field, format!("must have at most {MAX_EMOJIS} emojis")));
        }
    }
    let change = Reactions { added: added.into_iter().collect(), removed: removed.into_iter().collect() };
    if change.added.is_disjoint(&change.removed) {
        Ok(change)
    } else {
        Err(Invalid::new("removedReactions", "must not have an emoji of addedReactions"))
    }
}

impl Wire for UpdateComment {
    type Command = CommentChanges;

    fn command(self) -> Result<CommentChanges, Invalid> {
        let reactions = changed_reactions(self.added_reactions, self.removed_reactions)?;
        Ok(CommentChanges { body: self.body.map(text).transpose()?, resolved: self.resolved, reactions })
    }
}

impl Wire for UpdateCommentReply {
    type Command = ReplyChanges;

    fn command(self) -> Result<ReplyChanges, Invalid> {
        let reactions = changed_reactions(self.added_reactions, self.removed_reactions)?;
        Ok(ReplyChanges { body: self.body.map(text).transpose()?, reactions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    #[rstest]
    #[case(r#"{}"#, "body")]
    #[case(r#"{"body":{}}"#, "body")]
    #[case(r#"{"body":{"markdown":"a","document":{"object":"document","data":{},"nodes":[]}}}"#, "body")]
    #[case(r#"{"body":{"markdown":"a"},"node":"x"}"#, "page")]
    #[case(r#"{"body":{"markdown":"a"},"tableCell":{"record":"r","definition":"d"}}"#, "page")]
    #[case(r#"{"body":{"markdown":"a"},"page":"p","tableCell":{"record":"r"}}"#, "tableCell.definition")]
    #[case(r#"{"body":{"markdown":"a"},"page":null}"#, "page")]
    #[case(r#"{"body":{"markdown":"a"},"revision":""}"#, "revision")]
    fn a_comment_that_breaks_a_rule_names_the_field(#[case] body: &str, #[case] field: &str) {
        let invalid = read_json::<PostComment>(body.as_bytes()).and_then(PostComment::command).unwrap_err();
        assert!(invalid.field.starts_with(field.split('.').next().unwrap()), "{invalid}");
    }

    #[rstest]
    #[case(r#"{"addedReactions":["a"],"removedReactions":["a"]}"#, "removedReactions")]
    #[case(r#"{"addedReactions":[""]}"#, "addedReactions")]
    #[case(
        r#"{"addedReactions":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r","s","t","u"]}"#,
        "addedReactions"
    )]
    #[case(r#"{"resolved":null}"#, "resolved")]
    #[case(r#"{"body":{}}"#, "body")]
    fn a_change_that_breaks_a_rule_names_the_field(#[case] body: &str, #[case] field: &str) {
        let invalid = read_json::<UpdateComment>(body.as_bytes()).and_then(UpdateComment::command).unwrap_err();
        assert!(invalid.field.starts_with(field), "{invalid}");
    }

    #[test]
    fn a_list_is_of_all_comments_in_markdown_and_newest_first() {
        let (filter, order, format) = read_query::<CommentsParams>("").unwrap().command().unwrap();
        assert_eq!((filter, order, format), (CommentFilter::default(), Order::Desc, Format::Markdown));
        let sent = "status=resolved&authors=ada&authors=bob&targetPage=p&order=asc&format=document";
        let (filter, order, format) = read_query::<CommentsParams>(sent).unwrap().command().unwrap();
        assert_eq!((filter.authors.len(), order, format), (2, Order::Asc, Format::Document));
        assert_eq!(filter.status, Some(CommentStatus::Resolved));
        assert!(read_query::<CommentsParams>("status=closed").is_err());
    }
}
