//! Comments and replies in requests.
use super::TableCell;
use crate::request::Wire;
use crate::wire::content::FormatParam;
use crate::wire::given;
use crate::wire::member::OrderParam;
use crate::wire::text::TextBody;
use domain::comment::{Anchor, CellRef, CommentStatus, MAX_EMOJIS, ReactionEmoji, Reactions};
use domain::content::document::{Document, Key};
use domain::id::{PageId, RevisionId, UserId};
use domain::paging::Order;
use domain::ports::store::comments::CommentFilter;
use domain::text::Invalid;
use domain::usecases::comments::{CommentChanges, NewComment};
use domain::usecases::content::Format;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// The maximum number of authors in a filter.
const MAX_AUTHORS: usize = 100;

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
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    page: Option<PageId>,
    /// The key of the block that it is on; needs `page`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
    node: Option<String>,
    /// The cell that it is on; needs `page`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = TableCell)]
    table_cell: Option<TableCell>,
    /// The revision that the author saw, if it is not the current one.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String)]
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

/// Changes to a comment or a reply; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateComment {
    /// `true` resolves the comment, `false` opens it again. A reply has no status: there it has no effect.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    resolved: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = TextBody)]
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
