use super::members::{MemberRow, pair};
use super::stored::{document, parsed, parsed_if, time, to_document};
use super::teams::counted;
use super::users::UserRow;
use crate::error::{internal, updated};
use crate::schema::accounts::users;
use crate::schema::comments::{comment_reactions as reactions, comment_replies as replies, comments};
use crate::schema::organizations::members;
use crate::sql::{columns, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::NaiveDateTime;
use diesel::dsl::{count_star, max};
use diesel::sql_types::Text;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, Insertable, IntoSql, JoinOnDsl, QueryDsl, Queryable, Selectable,
};
use domain::comment::{
    Anchor, CellRef, Comment, CommentReply, CommentStatus, CommentTarget, Discussion, Reaction, ReactionEmoji, Replier,
    Resolution,
};
use domain::content::document::Key;
use domain::id::{ChangeRequestId, CommentId, CommentReplyId, OrganizationId, PageId, ReviewId, UserId};
use domain::member::Member;
use domain::paging::{Page, PageRequest};
use domain::ports::store::CommentStore;
use domain::ports::store::comments::{CommentFilter, TextRef};
use domain::ports::{StoreError, StoreResult};
use domain::user::User;
use std::collections::HashMap;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = comments, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct CommentRow {
    id: String,
    space_id: String,
    change_request_id: Option<String>,
    discussion_id: String,
    review_id: Option<String>,
    revision_id: String,
    page_id: Option<String>,
    node: Option<String>,
    record: Option<String>,
    definition: Option<String>,
    quote: Option<String>,
    body: String,
    posted_by: String,
    posted_at: NaiveDateTime,
    edited_at: Option<NaiveDateTime>,
    resolved_by: Option<String>,
    resolved_at: Option<NaiveDateTime>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = replies, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ReplyRow {
    id: String,
    comment_id: String,
    discussion_id: String,
    body: String,
    posted_by: String,
    posted_at: NaiveDateTime,
    edited_at: Option<NaiveDateTime>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = reactions, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct ReactionRow {
    text_id: String,
    emoji: String,
    user_id: String,
    comment_id: String,
    reply_id: Option<String>,
    reacted_at: NaiveDateTime,
}

/// The id of a discussion in the tables.
fn discussion_id(discussion: &Discussion) -> &str {
    discussion.change_request.as_ref().map_or(discussion.space.as_str(), ChangeRequestId::as_str)
}

impl TryFrom<CommentRow> for Comment {
    type Error = StoreError;

    fn try_from(row: CommentRow) -> StoreResult<Self> {
        let cell = match (row.record, row.definition) {
            (Some(record), Some(definition)) => Some(CellRef { record: Key(record.into()), definition }),
            _ => None,
        };
        let page: Option<PageId> = parsed_if("comments.page_id", row.page_id.as_deref())?;
        let node = row.node.map(|node| Key(node.into()));
        let resolved = match (row.resolved_by, row.resolved_at) {
            (Some(by), Some(at)) => Some(Resolution { by: parsed("comments.resolved_by", &by)?, at: at.and_utc() }),
            _ => None,
        };
        Ok(Self {
            id: parsed("comments.id", &row.id)?,
            discussion: Discussion {
                space: parsed("comments.space_id", &row.space_id)?,
                change_request: parsed_if("comments.change_request_id", row.change_request_id.as_deref())?,
            },
            review: parsed_if("comments.review_id", row.review_id.as_deref())?,
            target: CommentTarget {
                revision: parsed("comments.revision_id", &row.revision_id)?,
                anchor: page.map(|page| Anchor { page, node, cell }),
                quote: row.quote,
            },
            body: document("comments.body", &row.body)?,
            posted_by: parsed("comments.posted_by", &row.posted_by)?,
            posted_at: row.posted_at.and_utc(),
            edited_at: row.edited_at.map(|at| at.and_utc()),
            resolved,
        })
    }
}

impl TryFrom<&Comment> for CommentRow {
    type Error = StoreError;

    fn try_from(comment: &Comment) -> StoreResult<Self> {
        let CommentTarget { revision, anchor, quote } = &comment.target;
        let cell = anchor.as_ref().and_then(|anchor| anchor.cell.as_ref());
        Ok(Self {
            id: comment.id.to_string(),
            space_id: comment.discussion.space.to_string(),
            change_request_id: comment.discussion.change_request.as_ref().map(ToString::to_string),
            discussion_id: discussion_id(&comment.discussion).to_owned(),
            review_id: comment.review.as_ref().map(ToString::to_string),
            revision_id: revision.to_string(),
            page_id: anchor.as_ref().map(|anchor| anchor.page.to_string()),
            node: anchor.as_ref().and_then(|anchor| anchor.node.as_ref()).map(|key| key.0.to_string()),
            record: cell.map(|cell| cell.record.0.to_string()),
            definition: cell.map(|cell| cell.definition.clone()),
            quote: quote.clone(),
            body: to_document(&comment.body)?,
            posted_by: comment.posted_by.to_string(),
            posted_at: time(comment.posted_at),
            edited_at: comment.edited_at.map(time),
            resolved_by: comment.resolved.as_ref().map(|resolution| resolution.by.to_string()),
            resolved_at: comment.resolved.as_ref().map(|resolution| time(resolution.at)),
        })
    }
}

/// A reply to a comment of this discussion.
fn reply(row: ReplyRow, discussion: &Discussion) -> StoreResult<CommentReply> {
    Ok(CommentReply {
        id: parsed("comment_replies.id", &row.id)?,
        comment: parsed("comment_replies.comment_id", &row.comment_id)?,
        discussion: discussion.clone(),
        body: document("comment_replies.body", &row.body)?,
        posted_by: parsed("comment_replies.posted_by", &row.posted_by)?,
        posted_at: row.posted_at.and_utc(),
        edited_at: row.edited_at.map(|at| at.and_utc()),
    })
}

#[async_trait]
impl CommentStore for DieselTx {
    async fn find(&mut self, discussion: &Discussion, id: &CommentId) -> StoreResult<Option<Comment>> {
        let query = comments::table
            .find(id.as_str())
            .filter(comments::discussion_id.eq(discussion_id(discussion)))
            .select(columns::<CommentRow>());
        self.conn.maybe::<CommentRow>(query).await?.map(Comment::try_from).transpose()
    }

    async fn list(
        &mut self,
        discussion: &Discussion,
        filter: &CommentFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<Comment>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let open = filter.status == Some(CommentStatus::Open);
        let resolved = filter.status == Some(CommentStatus::Resolved);
        let authors: Vec<&str> = filter.authors.iter().map(UserId::as_str).collect();
        let wanted = comments::table
            .filter(comments::discussion_id.eq(discussion_id(discussion)))
            .filter(when(open.then(|| comments::resolved_at.is_null())))
            .filter(when(resolved.then(|| comments::resolved_at.is_not_null())))
            .filter(when(filter.page.as_ref().map(|page| comments::page_id.eq(page.as_str()))))
            .filter(when((!authors.is_empty()).then(|| one_of(comments::posted_by, authors))));
        let query = wanted
            .clone()
            .filter(seek(comments::id, after, page.order))
            .order(ordered(comments::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<CommentRow>());
        let rows: Vec<CommentRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Comment::try_from)
    }

    async fn of_reviews(&mut self, reviews: &[ReviewId]) -> StoreResult<Vec<Comment>> {
        let wanted = reviews.iter().map(|id| Some(id.as_str()));
        let query = comments::table.filter(comments::review_id.eq_any(wanted)).select(columns::<CommentRow>());
        let rows: Vec<CommentRow> = self.conn.all(query).await?;
        rows.into_iter().map(Comment::try_from).collect()
    }

    async fn insert(&mut self, comment: &Comment) -> StoreResult<()> {
        // A comment on a space changes nothing that was there before.
        if comment.discussion.change_request.is_some() {
            self.check(&comment.discussion.space)?;
        }
        let row = CommentRow::try_from(comment)?;
        self.conn.send(diesel::insert_into(comments::table).values(&row)).await
    }

    async fn save(&mut self, comment: &Comment) -> StoreResult<()> {
        self.check(&comment.discussion.space)?;
        let resolved = comment.resolved.as_ref();
        // What a comment is on never changes.
        let set = (
            comments::body.eq(to_document(&comment.body)?),
            comments::edited_at.eq(comment.edited_at.map(time)),
            comments::resolved_by.eq(resolved.map(|resolution| resolution.by.as_str())),
            comments::resolved_at.eq(resolved.map(|resolution| time(resolution.at))),
        );
        let update = diesel::update(comments::table.find(comment.id.as_str())).set(set);
        updated("comment", &comment.id, self.conn.run(prepared(update)).await?)
    }

    async fn remove(&mut self, comment: &Comment) -> StoreResult<()> {
        self.check(&comment.discussion.space)?;
        // Its replies and reactions are deleted with it by foreign keys.
        self.conn.send(diesel::delete(comments::table.find(comment.id.as_str()))).await
    }

    async fn find_reply(&mut self, comment: &Comment, id: &CommentReplyId) -> StoreResult<Option<CommentReply>> {
        let query = replies::table
            .find(id.as_str())
            .filter(replies::comment_id.eq(comment.id.as_str()))
            .select(columns::<ReplyRow>());
        let row = self.conn.maybe::<ReplyRow>(query).await?;
        row.map(|row| reply(row, &comment.discussion)).transpose()
    }

    async fn replies(&mut self, comment: &Comment, page: &PageRequest) -> StoreResult<Page<CommentReply>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = replies::table.filter(replies::comment_id.eq(comment.id.as_str()));
        let query = wanted
            .filter(seek(replies::id, after, page.order))
            .order(ordered(replies::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<ReplyRow>());
        let rows: Vec<ReplyRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        let found = Page::from_overfetch(rows, page, total, |row| row.id.clone());
        found.try_map(|row| reply(row, &comment.discussion))
    }

    async fn insert_reply(&mut self, reply: &CommentReply) -> StoreResult<()> {
        self.check(&reply.discussion.space)?;
        let row = ReplyRow {
            id: reply.id.to_string(),
            comment_id: reply.comment.to_string(),
            discussion_id: discussion_id(&reply.discussion).to_owned(),
            body: to_document(&reply.body)?,
            posted_by: reply.posted_by.to_string(),
            posted_at: time(reply.posted_at),
            edited_at: reply.edited_at.map(time),
        };
        self.conn.send(diesel::insert_into(replies::table).values(&row)).await
    }

    async fn save_reply(&mut self, reply: &CommentReply) -> StoreResult<()> {
        self.check(&reply.discussion.space)?;
        let set = (replies::body.eq(to_document(&reply.body)?), replies::edited_at.eq(reply.edited_at.map(time)));
        let update = diesel::update(replies::table.find(reply.id.as_str())).set(set);
        updated("reply", &reply.id, self.conn.run(prepared(update)).await?)
    }

    async fn remove_reply(&mut self, reply: &CommentReply) -> StoreResult<()> {
        self.check(&reply.discussion.space)?;
        // Its reactions are deleted with it by a foreign key.
        self.conn.send(diesel::delete(replies::table.find(reply.id.as_str()))).await
    }

    async fn repliers(&mut self, wanted: &[CommentId]) -> StoreResult<HashMap<CommentId, Vec<Replier>>> {
        let query = replies::table
            .filter(one_of(replies::comment_id, wanted.iter().map(CommentId::as_str)))
            .group_by((replies::comment_id, replies::posted_by))
            .select((replies::comment_id, replies::posted_by, count_star(), max(replies::posted_at)));
        let rows: Vec<(String, String, i64, Option<NaiveDateTime>)> = self.conn.all(query).await?;
        let mut found: HashMap<CommentId, Vec<Replier>> = HashMap::new();
        for (comment, user, count, at) in rows {
            let at = at.ok_or_else(|| internal("a reply has no time"))?;
            let replier = Replier {
                user: parsed("comment_replies.posted_by", &user)?,
                count: counted(count),
                updated_at: at.and_utc(),
            };
            found.entry(parsed("comment_replies.comment_id", &comment)?).or_default().push(replier);
        }
        for repliers in found.values_mut() {
            repliers.sort_by(|one, other| (one.updated_at, &one.user).cmp(&(other.updated_at, &other.user)));
        }
        Ok(found)
    }

    async fn reactions(&mut self, texts: &[String]) -> StoreResult<HashMap<String, Vec<Reaction>>> {
        let query = reactions::table
            .filter(one_of(reactions::text_id, texts.iter().map(String::as_str)))
            .order((reactions::reacted_at.asc(), reactions::emoji.asc(), reactions::user_id.asc()))
            .select(columns::<ReactionRow>());
        let rows: Vec<ReactionRow> = self.conn.all(query).await?;
        let mut found: HashMap<String, Vec<Reaction>> = HashMap::new();
        for row in rows {
            let reaction = Reaction {
                emoji: parsed("comment_reactions.emoji", &row.emoji)?,
                user: parsed("comment_reactions.user_id", &row.user_id)?,
                at: row.reacted_at.and_utc(),
            };
            found.entry(row.text_id).or_default().push(reaction);
        }
        Ok(found)
    }

    async fn react(&mut self, text: &TextRef, reaction: &Reaction) -> StoreResult<()> {
        let row = ReactionRow {
            text_id: text.id().to_owned(),
            emoji: reaction.emoji.to_string(),
            user_id: reaction.user.to_string(),
            comment_id: text.comment.to_string(),
            reply_id: text.reply.as_ref().map(ToString::to_string),
            reacted_at: time(reaction.at),
        };
        let insert = diesel::insert_into(reactions::table).values(&row).on_conflict_do_nothing();
        self.conn.send(insert).await
    }

    async fn withdraw_reaction(&mut self, text: &TextRef, emoji: &ReactionEmoji, user: &UserId) -> StoreResult<()> {
        let one = reactions::table.find((text.id(), emoji.as_str(), user.as_str()));
        self.conn.send(diesel::delete(one)).await
    }

    async fn commenters(
        &mut self,
        organization: &OrganizationId,
        discussion: &Discussion,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let discussion = discussion_id(discussion);
        // Lists of authors, not conditions on each member: PostgreSQL would read all comments for each member.
        let commented = comments::table.filter(comments::discussion_id.eq(discussion)).select(comments::posted_by);
        let replied = replies::table.filter(replies::discussion_id.eq(discussion)).select(replies::posted_by);
        let wanted = members::table
            .inner_join(users::table.on(users::id.eq(members::user_id)))
            .filter(members::organization_id.eq(organization.as_str()))
            .filter(members::user_id.eq_any(commented).or(members::user_id.eq_any(replied)));
        let query = wanted
            .filter(seek(members::user_id, after, page.order))
            .order(ordered(members::user_id, page.order))
            .limit(page.limit as i64 + 1)
            .select((columns::<MemberRow>(), columns::<UserRow>()));
        let rows: Vec<(MemberRow, UserRow)> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |(_, user)| user.id.clone()).try_map(pair)
    }
}
