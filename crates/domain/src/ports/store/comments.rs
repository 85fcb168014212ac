//! Comments, their replies and reactions.
use super::StoreResult;
use crate::comment::{Comment, CommentReply, CommentStatus, Discussion, Reaction, ReactionEmoji, Replier};
use crate::id::{CommentId, CommentReplyId, OrganizationId, PageId, ReviewId, UserId};
use crate::member::Member;
use crate::paging::{Page, PageRequest};
use crate::user::User;
use async_trait::async_trait;
use std::collections::HashMap;

/// A filter for the comments of a discussion; absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentFilter {
    /// With this status.
    pub status: Option<CommentStatus>,
    /// On this page or a place in it.
    pub page: Option<PageId>,
    /// By one of these users; by anyone if empty.
    pub authors: Vec<UserId>,
}

/// A text that users react to: a comment, or a reply to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRef {
    /// The comment.
    pub comment: CommentId,
    /// The reply.
    pub reply: Option<CommentReplyId>,
}

impl TextRef {
    /// The id of the text.
    pub fn id(&self) -> &str {
        self.reply.as_ref().map_or(self.comment.as_str(), CommentReplyId::as_str)
    }
}

/// Stores comments. Before changing one, or its data, a caller must lock its space.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CommentStore: Send {
    /// A comment of a discussion.
    async fn find(&mut self, discussion: &Discussion, id: &CommentId) -> StoreResult<Option<Comment>>;
    /// The comments of a discussion, by id.
    async fn list(
        &mut self,
        discussion: &Discussion,
        filter: &CommentFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<Comment>>;
    /// The comments of these reviews.
    async fn of_reviews(&mut self, reviews: &[ReviewId]) -> StoreResult<Vec<Comment>>;
    /// Inserts a new comment.
    async fn insert(&mut self, comment: &Comment) -> StoreResult<()>;
    /// Updates the text and status of an existing comment.
    async fn save(&mut self, comment: &Comment) -> StoreResult<()>;
    /// Removes a comment with its replies and reactions.
    async fn remove(&mut self, comment: &Comment) -> StoreResult<()>;
    /// A reply to a comment.
    async fn find_reply(&mut self, comment: &Comment, id: &CommentReplyId) -> StoreResult<Option<CommentReply>>;
    /// The replies to a comment, by id.
    async fn replies(&mut self, comment: &Comment, page: &PageRequest) -> StoreResult<Page<CommentReply>>;
    /// Inserts a new reply.
    async fn insert_reply(&mut self, reply: &CommentReply) -> StoreResult<()>;
    /// Updates the text of an existing reply.
    async fn save_reply(&mut self, reply: &CommentReply) -> StoreResult<()>;
    /// Removes a reply with its reactions.
    async fn remove_reply(&mut self, reply: &CommentReply) -> StoreResult<()>;
    /// The users who replied to these comments, by their last reply. Comments without replies are left out.
    async fn repliers(&mut self, comments: &[CommentId]) -> StoreResult<HashMap<CommentId, Vec<Replier>>>;
    /// The reactions to the texts with these ids, oldest first. Texts without reactions are left out.
    async fn reactions(&mut self, texts: &[String]) -> StoreResult<HashMap<String, Vec<Reaction>>>;
    /// Adds a reaction; an existing one is kept.
    async fn react(&mut self, text: &TextRef, reaction: &Reaction) -> StoreResult<()>;
    /// Removes a reaction.
    async fn withdraw_reaction(&mut self, text: &TextRef, emoji: &ReactionEmoji, user: &UserId) -> StoreResult<()>;
    /// The members of an organization who wrote a comment or a reply in a discussion, by user.
    async fn commenters(
        &mut self,
        organization: &OrganizationId,
        discussion: &Discussion,
        page: &PageRequest,
    ) -> StoreResult<Page<(Member, User)>>;
}
