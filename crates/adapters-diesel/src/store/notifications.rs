use super::stored::{parsed, parsed_if, time};
use crate::error::internal;
use crate::schema::change_requests::{change_request_contributors as contributors, requested_reviewers, reviews};
use crate::schema::comments::comment_replies as replies;
use crate::schema::notifications::{notification_levels as levels, notification_settings as settings, notifications};
use crate::sql::{NAMED, columns, one_of, ordered, prepared, seek, when};
use crate::tx::DieselTx;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDateTime, Utc};
use diesel::sql_types::Text;
use diesel::{
    BoolExpressionMethods, CombineDsl, ExpressionMethods, Insertable, IntoSql, NullableExpressionMethods, QueryDsl,
    Queryable, Selectable,
};
use domain::id::{ChangeRequestId, CommentId, NotificationId, OrganizationId, SpaceId, ThreadId, UserId};
use domain::notification::{Notification, NotificationKind, NotificationLevel, NotificationSubject};
use domain::paging::{Page, PageRequest};
use domain::ports::store::NotificationStore;
use domain::ports::store::comments::TextRef;
use domain::ports::store::notifications::NotificationFilter;
use domain::ports::{StoreError, StoreResult};
use std::collections::{BTreeSet, HashMap};

/// The most rows in one statement: each binds 16 values.
const ROWS: usize = 1000;

/// The condition that a notification is in the spaces and organizations of a filter.
macro_rules! within {
    ($filter:expr) => {{
        let (limited, kinds) = &$filter.limited;
        let of_limited = notifications::space_id
            .eq_any(limited.iter().map(ToString::to_string))
            .and(notifications::kind.eq_any(kinds.iter().map(|kind| kind.as_str())).nullable());
        notifications::space_id
            .eq_any($filter.spaces.iter().map(ToString::to_string))
            .or(of_limited)
            .or(notifications::organization_id.eq_any($filter.organizations.iter().map(ToString::to_string)))
    }};
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = notifications, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::pg::Pg, diesel::sqlite::Sqlite))]
struct NotificationRow {
    id: String,
    user_id: String,
    kind: String,
    actor_id: Option<String>,
    space_id: Option<String>,
    change_request_id: Option<String>,
    comment_id: Option<String>,
    reply_id: Option<String>,
    review_id: Option<String>,
    organization_id: Option<String>,
    webhook_id: Option<String>,
    thread_id: String,
    excerpt: String,
    created_at: NaiveDateTime,
    read_at: Option<NaiveDateTime>,
    to_mail: bool,
}

/// Parses a column that is NULL only in rows with another subject.
fn present<T, E>(column: &'static str, id: Option<&str>) -> StoreResult<T>
where
    T: std::str::FromStr<Err = E>,
    E: std::fmt::Display,
{
    parsed(column, id.ok_or_else(|| internal(format!("stored {column} is NULL")))?)
}

/// The subject of a notification.
fn subject(row: &NotificationRow) -> StoreResult<NotificationSubject> {
    if let Some(webhook) = &row.webhook_id {
        return Ok(NotificationSubject::Webhook {
            organization: present("notifications.organization_id", row.organization_id.as_deref())?,
            webhook: parsed("notifications.webhook_id", webhook)?,
        });
    }
    Ok(NotificationSubject::Discussion {
        actor: present("notifications.actor_id", row.actor_id.as_deref())?,
        space: present("notifications.space_id", row.space_id.as_deref())?,
        change_request: parsed_if("notifications.change_request_id", row.change_request_id.as_deref())?,
        comment: parsed_if("notifications.comment_id", row.comment_id.as_deref())?,
        reply: parsed_if("notifications.reply_id", row.reply_id.as_deref())?,
        review: parsed_if("notifications.review_id", row.review_id.as_deref())?,
    })
}

impl TryFrom<NotificationRow> for Notification {
    type Error = StoreError;

    fn try_from(row: NotificationRow) -> StoreResult<Self> {
        Ok(Self {
            id: parsed("notifications.id", &row.id)?,
            user: parsed("notifications.user_id", &row.user_id)?,
            kind: parsed("notifications.kind", &row.kind)?,
            subject: subject(&row)?,
            thread: parsed("notifications.thread_id", &row.thread_id)?,
            excerpt: row.excerpt,
            created_at: row.created_at.and_utc(),
            read_at: row.read_at.map(|at| at.and_utc()),
            to_mail: row.to_mail,
        })
    }
}

impl From<&Notification> for NotificationRow {
    fn from(notification: &Notification) -> Self {
        let row = Self {
            id: notification.id.to_string(),
            user_id: notification.user.to_string(),
            kind: notification.kind.to_string(),
            actor_id: None,
            space_id: None,
            change_request_id: None,
            comment_id: None,
            reply_id: None,
            review_id: None,
            organization_id: None,
            webhook_id: None,
            thread_id: notification.thread.to_string(),
            // PostgreSQL cannot store U+0000.
            excerpt: notification.excerpt.replace('\0', ""),
            created_at: time(notification.created_at),
            read_at: notification.read_at.map(time),
            to_mail: notification.to_mail,
        };
        match &notification.subject {
            NotificationSubject::Discussion { actor, space, change_request, comment, reply, review } => Self {
                actor_id: Some(actor.to_string()),
                space_id: Some(space.to_string()),
                change_request_id: change_request.as_ref().map(ToString::to_string),
                comment_id: comment.as_ref().map(ToString::to_string),
                reply_id: reply.as_ref().map(ToString::to_string),
                review_id: review.as_ref().map(ToString::to_string),
                ..row
            },
            NotificationSubject::Webhook { organization, webhook } => {
                Self { organization_id: Some(organization.to_string()), webhook_id: Some(webhook.to_string()), ..row }
            }
        }
    }
}

fn users(column: &'static str, ids: Vec<String>) -> StoreResult<BTreeSet<UserId>> {
    ids.iter().map(|id| parsed(column, id)).collect()
}

#[async_trait]
impl NotificationStore for DieselTx {
    async fn levels(
        &mut self,
        space: &SpaceId,
        users: &BTreeSet<UserId>,
    ) -> StoreResult<HashMap<UserId, NotificationLevel>> {
        if self.known.without_levels.as_ref() == Some(space) {
            return Ok(HashMap::new());
        }
        let of_space =
            levels::table.filter(levels::space_id.eq(space.as_str())).select((levels::user_id, levels::level));
        let all = of_space.filter(levels::level.eq(NotificationLevel::All.as_str()));
        let mut rows: Vec<(String, String)> = Vec::new();
        if users.is_empty() {
            rows = self.conn.all(all).await?;
        }
        let users: Vec<&str> = users.iter().map(UserId::as_str).collect();
        for named in users.chunks(NAMED) {
            let of_users = of_space.filter(one_of(levels::user_id, named.iter().copied()));
            // Not one condition: SQLite would read all levels of the space.
            rows.extend(self.conn.all::<(String, String)>(all.union_all(of_users)).await?);
        }
        let read = |(user, level): (String, String)| {
            Ok((parsed("notification_levels.user_id", &user)?, parsed("notification_levels.level", &level)?))
        };
        rows.into_iter().map(read).collect()
    }

    async fn level(&mut self, space: &SpaceId, user: &UserId) -> StoreResult<Option<NotificationLevel>> {
        let query = levels::table.find((space.as_str(), user.as_str())).select(levels::level);
        let level: Option<String> = self.conn.maybe(query).await?;
        parsed_if("notification_levels.level", level.as_deref())
    }

    async fn set_level(&mut self, space: &SpaceId, user: &UserId, level: Option<NotificationLevel>) -> StoreResult<()> {
        self.check(user)?;
        self.known.without_levels = None;
        let Some(level) = level else {
            let one = levels::table.find((space.as_str(), user.as_str()));
            return self.conn.send(diesel::delete(one)).await;
        };
        let level = levels::level.eq(level.as_str());
        let row = (levels::space_id.eq(space.as_str()), levels::user_id.eq(user.as_str()), level);
        let upsert = diesel::insert_into(levels::table)
            .values(row)
            .on_conflict((levels::space_id, levels::user_id))
            .do_update()
            .set(level);
        self.conn.send(prepared(upsert)).await
    }

    async fn in_thread(&mut self, comment: &CommentId) -> StoreResult<BTreeSet<UserId>> {
        let replied = replies::table.filter(replies::comment_id.eq(comment.as_str())).select(replies::posted_by);
        let mentioned = notifications::table
            .filter(notifications::comment_id.eq(comment.as_str()))
            .filter(notifications::kind.eq(NotificationKind::Mention.as_str()))
            .select(notifications::user_id);
        users("notifications.user_id", self.conn.all(replied.union(mentioned)).await?)
    }

    async fn in_change_request(&mut self, id: &ChangeRequestId) -> StoreResult<BTreeSet<UserId>> {
        let id = id.as_str();
        let reviewed = reviews::table.filter(reviews::change_request_id.eq(id)).select(reviews::reviewer_id);
        let asked = requested_reviewers::table
            .filter(requested_reviewers::change_request_id.eq(id))
            .select(requested_reviewers::user_id);
        let contributed =
            contributors::table.filter(contributors::change_request_id.eq(id)).select(contributors::user_id);
        users("reviews.reviewer_id", self.conn.all(reviewed.union(asked).union(contributed)).await?)
    }

    async fn insert(&mut self, all: &[Notification]) -> StoreResult<()> {
        for some in all.chunks(ROWS) {
            let rows: Vec<NotificationRow> = some.iter().map(NotificationRow::from).collect();
            self.conn.send(diesel::insert_into(notifications::table).values(&rows)).await?;
        }
        Ok(())
    }

    async fn set_excerpt(&mut self, text: &TextRef, excerpt: &str) -> StoreResult<()> {
        let reply = text.reply.as_ref();
        let rows = notifications::table
            .filter(notifications::comment_id.eq(text.comment.as_str()))
            .filter(when(reply.is_none().then(|| notifications::reply_id.is_null())))
            .filter(when(reply.map(|reply| notifications::reply_id.eq(reply.as_str()))));
        let excerpt = notifications::excerpt.eq(excerpt.replace('\0', ""));
        self.conn.send(diesel::update(rows).set(excerpt)).await
    }

    async fn detach_reviews(&mut self, comment: &CommentId, thread: &ThreadId, excerpt: &str) -> StoreResult<()> {
        let rows = notifications::table
            .filter(notifications::comment_id.eq(comment.as_str()))
            .filter(notifications::kind.eq(NotificationKind::ReviewSubmitted.as_str()));
        let detached = (
            notifications::comment_id.eq(None::<String>),
            notifications::thread_id.eq(thread.as_str()),
            notifications::excerpt.eq(excerpt.replace('\0', "")),
        );
        self.conn.send(diesel::update(rows).set(detached)).await
    }

    async fn find(&mut self, user: &UserId, id: &NotificationId) -> StoreResult<Option<Notification>> {
        let query = notifications::table
            .find(id.as_str())
            .filter(notifications::user_id.eq(user.as_str()))
            .select(columns::<NotificationRow>());
        self.conn.maybe::<NotificationRow>(query).await?.map(Notification::try_from).transpose()
    }

    async fn spaces(&mut self, user: &UserId) -> StoreResult<Vec<SpaceId>> {
        let query = notifications::table
            .filter(notifications::user_id.eq(user.as_str()))
            .filter(notifications::space_id.is_not_null())
            .select(notifications::space_id.assume_not_null())
            .distinct();
        let ids: Vec<String> = self.conn.all(query).await?;
        ids.iter().map(|id| parsed("notifications.space_id", id)).collect()
    }

    async fn organizations(&mut self, user: &UserId) -> StoreResult<Vec<OrganizationId>> {
        let query = notifications::table
            .filter(notifications::user_id.eq(user.as_str()))
            .filter(notifications::organization_id.is_not_null())
            .select(notifications::organization_id.assume_not_null())
            .distinct();
        let ids: Vec<String> = self.conn.all(query).await?;
        ids.iter().map(|id| parsed("notifications.organization_id", id)).collect()
    }

    async fn list(&mut self, filter: &NotificationFilter, page: &PageRequest) -> StoreResult<Page<Notification>> {
        let after = page.after.as_deref().map(IntoSql::into_sql::<Text>);
        let wanted = notifications::table
            .filter(notifications::user_id.eq(filter.user.as_str()))
            .filter(within!(filter))
            .filter(when((filter.read == Some(true)).then(|| notifications::read_at.is_not_null())))
            .filter(when((filter.read == Some(false)).then(|| notifications::read_at.is_null())));
        let query = wanted
            .clone()
            .filter(seek(notifications::id, after, page.order))
            .order(ordered(notifications::id, page.order))
            .limit(page.limit as i64 + 1)
            .select(columns::<NotificationRow>());
        let rows: Vec<NotificationRow> = self.conn.all(query).await?;
        let total = self.conn.total(rows.len(), page, wanted.count()).await?;
        Page::from_overfetch(rows, page, total, |row| row.id.clone()).try_map(Notification::try_from)
    }

    async fn mark(&mut self, notification: &Notification) -> StoreResult<bool> {
        self.check(&notification.user)?;
        let one = notifications::table.find(notification.id.as_str());
        let read = notifications::read_at.eq(notification.read_at.map(time));
        Ok(self.conn.run(prepared(diesel::update(one).set(read))).await? > 0)
    }

    async fn mark_all<'a>(
        &mut self,
        filter: &NotificationFilter,
        until: Option<&'a NotificationId>,
        at: DateTime<Utc>,
    ) -> StoreResult<()> {
        self.check(&filter.user)?;
        let unread = notifications::table
            .filter(notifications::user_id.eq(filter.user.to_string()))
            .filter(within!(filter))
            .filter(notifications::read_at.is_null())
            .filter(when(until.map(|until| notifications::id.le(until.to_string()))));
        let read = notifications::read_at.eq(Some(time(at)));
        self.conn.at_length().send(diesel::update(unread).set(read)).await
    }

    async fn without_email(&mut self, asked: &BTreeSet<UserId>) -> StoreResult<BTreeSet<UserId>> {
        let asked: Vec<&str> = asked.iter().map(UserId::as_str).collect();
        let mut found = Vec::new();
        for named in asked.chunks(NAMED) {
            let query = settings::table
                .filter(one_of(settings::user_id, named.iter().copied()))
                .filter(settings::email.eq(false))
                .select(settings::user_id);
            found.extend(self.conn.all::<String>(query).await?);
        }
        users("notification_settings.user_id", found)
    }

    async fn set_email(&mut self, user: &UserId, email: bool) -> StoreResult<()> {
        self.check(user)?;
        let email = settings::email.eq(email);
        let upsert = diesel::insert_into(settings::table)
            .values((settings::user_id.eq(user.as_str()), email))
            .on_conflict(settings::user_id)
            .do_update()
            .set(email);
        self.conn.send(prepared(upsert)).await
    }

    async fn to_mail(&mut self, user: &UserId, thread: &ThreadId, limit: usize) -> StoreResult<Vec<Notification>> {
        let query = notifications::table
            .filter(notifications::user_id.eq(user.as_str()))
            .filter(notifications::thread_id.eq(thread.as_str()))
            .filter(notifications::to_mail)
            .order(notifications::id.asc())
            .limit(limit as i64)
            .select(columns::<NotificationRow>());
        let rows: Vec<NotificationRow> = self.conn.all(query).await?;
        rows.into_iter().map(Notification::try_from).collect()
    }

    async fn mailed(&mut self, user: &UserId, ids: &[NotificationId]) -> StoreResult<()> {
        self.check(user)?;
        let rows = notifications::table
            .filter(notifications::user_id.eq(user.as_str()))
            .filter(one_of(notifications::id, ids.iter().map(NotificationId::as_str)));
        self.conn.send(diesel::update(rows).set(notifications::to_mail.eq(false))).await
    }

    async fn oldest<'a>(&mut self, after: Option<&'a NotificationId>, limit: usize) -> StoreResult<Vec<Notification>> {
        let query = notifications::table
            .filter(when(after.map(|after| notifications::id.gt(after.as_str()))))
            .order(notifications::id.asc())
            .limit(limit as i64)
            .select(columns::<NotificationRow>());
        let rows: Vec<NotificationRow> = self.conn.all(query).await?;
        rows.into_iter().map(Notification::try_from).collect()
    }

    async fn remove(&mut self, ids: &[NotificationId]) -> StoreResult<()> {
        for some in ids.chunks(NAMED) {
            let rows = notifications::table.filter(one_of(notifications::id, some.iter().map(NotificationId::as_str)));
            self.conn.send(diesel::delete(rows)).await?;
        }
        Ok(())
    }
}
