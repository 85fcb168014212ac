//! Notifications of users, and their settings.
use super::StoreResult;
use super::comments::TextRef;
use crate::id::{ChangeRequestId, CommentId, NotificationId, OrganizationId, SpaceId, ThreadId, UserId};
use crate::notification::{Notification, NotificationKind, NotificationLevel};
use crate::paging::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::{BTreeSet, HashMap};

/// A filter for the notifications of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationFilter {
    /// The user.
    pub user: UserId,
    /// All of these spaces.
    pub spaces: Vec<SpaceId>,
    /// Of these spaces, only the given kinds.
    pub limited: (Vec<SpaceId>, Vec<NotificationKind>),
    /// All about webhooks of these organizations.
    pub organizations: Vec<OrganizationId>,
    /// Only read ones, or only unread ones.
    pub read: Option<bool>,
}

/// Stores notifications. Before changing one, a setting or a level, a caller must lock the account of its user. The
/// lock of the space covers new notifications and their excerpts; the lock of the organization covers new ones about
/// webhooks.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NotificationStore: Send {
    /// The levels that were set for a space: by these users, and all that are [`NotificationLevel::All`]. None if there
    /// were none when this writing unit of work loaded the space.
    async fn levels(
        &mut self,
        space: &SpaceId,
        users: &BTreeSet<UserId>,
    ) -> StoreResult<HashMap<UserId, NotificationLevel>>;
    /// The level that a user has set for a space.
    async fn level(&mut self, space: &SpaceId, user: &UserId) -> StoreResult<Option<NotificationLevel>>;
    /// Sets the level of a user for a space, or removes it.
    async fn set_level(&mut self, space: &SpaceId, user: &UserId, level: Option<NotificationLevel>) -> StoreResult<()>;
    /// The users who replied to a comment, and those who were notified of a mention in its thread.
    async fn in_thread(&mut self, comment: &CommentId) -> StoreResult<BTreeSet<UserId>>;
    /// The reviewers, requested reviewers and contributors of a change request.
    async fn in_change_request(&mut self, id: &ChangeRequestId) -> StoreResult<BTreeSet<UserId>>;
    /// Adds notifications.
    async fn insert(&mut self, all: &[Notification]) -> StoreResult<()>;
    /// Sets the excerpt of the notifications of a text.
    async fn set_excerpt(&mut self, text: &TextRef, excerpt: &str) -> StoreResult<()>;
    /// Keeps the notifications of a review whose comment is about to be removed: they get this thread and this excerpt,
    /// and no longer name the comment.
    async fn detach_reviews(&mut self, comment: &CommentId, thread: &ThreadId, excerpt: &str) -> StoreResult<()>;
    /// A notification of a user.
    async fn find(&mut self, user: &UserId, id: &NotificationId) -> StoreResult<Option<Notification>>;
    /// The spaces with notifications of a user.
    async fn spaces(&mut self, user: &UserId) -> StoreResult<Vec<SpaceId>>;
    /// The organizations with webhooks that a user has notifications about.
    async fn organizations(&mut self, user: &UserId) -> StoreResult<Vec<OrganizationId>>;
    /// Notifications by id.
    async fn list(&mut self, filter: &NotificationFilter, page: &PageRequest) -> StoreResult<Page<Notification>>;
    /// Stores whether a notification is read. Returns whether it exists.
    async fn mark(&mut self, notification: &Notification) -> StoreResult<bool>;
    /// Marks the unread notifications of a filter as read: all, or those up to an id.
    async fn mark_all<'a>(
        &mut self,
        filter: &NotificationFilter,
        until: Option<&'a NotificationId>,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Those of these users who turned e-mails off.
    async fn without_email(&mut self, users: &BTreeSet<UserId>) -> StoreResult<BTreeSet<UserId>>;
    /// Turns e-mails of a user on or off.
    async fn set_email(&mut self, user: &UserId, email: bool) -> StoreResult<()>;
    /// The notifications of a user in a thread that are still to be mailed, by id, at most `limit`.
    async fn to_mail(&mut self, user: &UserId, thread: &ThreadId, limit: usize) -> StoreResult<Vec<Notification>>;
    /// Marks these notifications of a user as mailed.
    async fn mailed(&mut self, user: &UserId, ids: &[NotificationId]) -> StoreResult<()>;
    /// The notifications of all users by id, at most `limit`, from the first one after this id on.
    async fn oldest<'a>(&mut self, after: Option<&'a NotificationId>, limit: usize) -> StoreResult<Vec<Notification>>;
    /// Removes notifications of any users. Needs no lock, because a change of a removed notification has no effect.
    async fn remove(&mut self, ids: &[NotificationId]) -> StoreResult<()>;
}
