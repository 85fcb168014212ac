//! Comments on spaces and on change requests: threads with replies and reactions.
mod anchors;
mod body;
mod replies;
mod shown;

pub use replies::ShownReply;
pub use shown::{ShownComment, ShownReaction, ShownReplier};

pub(super) use body::cleaned;
pub(super) use shown::of_reviews;

use super::members::{ShownMember, show_members};
use super::notifications::notify;
use super::open::account;
use super::people::People;
use super::work::{Units, Work};
use super::{Error, Input, Precondition};
use crate::access::{Denied, Granted, Guarded};
use crate::actor::Actor;
use crate::change_request::{ChangeRequest, ChangeRequestRef};
use crate::comment::{Anchor, Comment, CommentPermissions, CommentTarget, Discussion, Reaction, Reactions};
use crate::content::document::Document;
use crate::event::Change;
use crate::id::{CommentId, ReviewId, RevisionId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::ports::store::comments::{CommentFilter, TextRef};
use crate::ports::store::members::MemberCounts;
use crate::review::ContributorAction;
use crate::space::{Space, SpacePermissions};
use std::collections::BTreeSet;

/// Posts, answers and resolves comments.
#[derive(Clone)]
pub struct Comments {
    /// Units of work.
    pub units: Units,
}

/// A discussion as a caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscussionRef {
    /// The space.
    pub space: SpaceId,
    /// The change request; absent for the space itself.
    pub change_request: Option<ChangeRequestRef>,
}

/// A comment to post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewComment {
    /// The text.
    pub body: Document,
    /// The place that it is on.
    pub anchor: Option<Anchor>,
    /// The revision that its author saw; absent for the current one.
    pub revision: Option<RevisionId>,
}

/// A change of a comment or a reply; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentChanges {
    /// The text.
    pub body: Option<Document>,
    /// Whether a comment is resolved.
    pub resolved: Option<bool>,
    /// The reactions of the caller.
    pub reactions: Reactions,
}

/// A discussion that the caller may see, with its space and change request.
pub(super) struct LoadedDiscussion {
    pub(super) space: Granted<Space>,
    request: Option<ChangeRequest>,
    pub(super) discussion: Discussion,
}

impl LoadedDiscussion {
    /// Loads a discussion for a caller who needs a permission on its space.
    async fn find(
        work: &mut Work<'_>,
        at: &DiscussionRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        let space = work.space(&at.space, need).await?;
        let request = match &at.change_request {
            Some(which) => {
                let found = work.change_requests().find(&space.id, which).await?;
                Some(found.ok_or(Error::NotFound("change request"))?)
            }
            None => None,
        };
        Ok(Self::of(space, request))
    }

    /// The discussion of a space, or of a change request of it.
    pub(super) fn of(space: Granted<Space>, request: Option<ChangeRequest>) -> Self {
        let change_request = request.as_ref().map(|request| request.id.clone());
        Self { discussion: Discussion { space: space.id.clone(), change_request }, space, request }
    }

    /// The same for a unit of work that changes it: locks the space, and so its comments.
    async fn lock(
        work: &mut Work<'_>,
        at: &DiscussionRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        work.lock(&[(&at.space).into()]).await?;
        Self::find(work, at, need).await
    }

    /// The same for a unit of work that adds a comment. A comment on a space changes nothing that was there before, so
    /// it needs no lock, and several callers can post at the same time. It stays on the revision that its author saw,
    /// also if the space changes at the same time. A change request is saved with its number of comments, so it is
    /// locked.
    async fn open(
        work: &mut Work<'_>,
        at: &DiscussionRef,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Self, Error> {
        if at.change_request.is_some() { Self::lock(work, at, need).await } else { Self::find(work, at, need).await }
    }

    /// The current revision of the discussed content.
    fn revision(&self) -> &RevisionId {
        self.request.as_ref().map_or(&self.space.revision, |request| &request.revision)
    }

    /// Checks access to a text of the discussion. A caller who may not take part in it gets the same error for every
    /// text, except for their own.
    fn granted<T: Guarded>(
        &self,
        what: &'static str,
        found: Option<T>,
        need: impl FnOnce(&T::Permissions) -> bool,
    ) -> Result<Granted<T>, Error> {
        let hidden = || match self.space.permissions().comment {
            true => Error::NotFound(what),
            false => Error::denied("space")(Denied::Forbidden),
        };
        let granted = Granted::check(found.ok_or_else(hidden)?, self.space.access(), need);
        granted.map_err(|denied| match denied {
            Denied::Hidden => hidden(),
            Denied::Forbidden => Error::denied(what)(denied),
        })
    }

    async fn comment(
        &self,
        work: &mut Work<'_>,
        id: &CommentId,
        need: impl FnOnce(&CommentPermissions) -> bool,
    ) -> Result<Granted<Comment>, Error> {
        let found = work.comments().find(&self.discussion, id).await?;
        self.granted("comment", found, need)
    }

    /// Adds to the number of open comments.
    async fn count(&mut self, work: &mut Work<'_>, change: i32) -> Result<(), Error> {
        match &mut self.request {
            Some(request) => {
                request.comments = request.comments.saturating_add_signed(change);
                work.change_requests().save(request).await?;
            }
            None => work.spaces().count_comments(&self.space.id, change).await?,
        }
        Ok(())
    }

    async fn record(&self, work: &mut Work<'_>, change: Change) -> Result<(), Error> {
        work.record(&self.space.organization, change).await
    }

    /// Counts a contribution to the change request.
    async fn contribute(&self, work: &mut Work<'_>, user: &UserId) -> Result<(), Error> {
        let Some(request) = &self.request else { return Ok(()) };
        let at = work.now();
        Ok(work.change_requests().contribute(&request.id, user, ContributorAction::Comment, at).await?)
    }

    /// Stores a new comment with a cleaned text on a target.
    pub(super) async fn post(
        &mut self,
        work: &mut Work<'_>,
        body: Document,
        target: CommentTarget,
        review: Option<ReviewId>,
    ) -> Result<Comment, Error> {
        let posted_by = account(work.actor)?;
        let comment = Comment {
            id: work.ids.make(),
            discussion: self.discussion.clone(),
            review,
            target,
            body,
            posted_by,
            posted_at: work.now(),
            edited_at: None,
            resolved: None,
        };
        work.comments().insert(&comment).await?;
        self.count(work, 1).await?;
        self.contribute(work, &comment.posted_by).await?;
        let change = Change::CommentPosted { discussion: self.discussion.clone(), comment: comment.id.clone() };
        self.record(work, change).await?;
        Ok(comment)
    }

    /// Changes the caller's reactions to a text.
    async fn react(&self, work: &mut Work<'_>, to: TextRef, change: Reactions) -> Result<(), Error> {
        if change.is_empty() {
            return Ok(());
        }
        let user = account(work.actor)?;
        let id = to.id().to_owned();
        let current = work.comments().reactions(std::slice::from_ref(&id)).await?.remove(&id).unwrap_or_default();
        let Reactions { added, removed } = change.of_user(&user, &current).map_err(|rule| rule.of("addedReactions"))?;
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        for emoji in &removed {
            work.comments().withdraw_reaction(&to, emoji, &user).await?;
        }
        let at = work.now();
        for emoji in &added {
            let reaction = Reaction { emoji: emoji.clone(), user: user.clone(), at };
            work.comments().react(&to, &reaction).await?;
        }
        let words = |emojis: BTreeSet<_>| emojis.into_iter().map(String::from).collect();
        let change = Change::CommentReactionsUpdated {
            discussion: self.discussion.clone(),
            comment: to.comment,
            reply: to.reply,
            added: words(added),
            removed: words(removed),
        };
        self.record(work, change).await
    }
}

/// The error for a caller who may react to a text, but not edit it.
fn not_own(what: &str) -> Error {
    Error::Forbidden(format!("only the author of a {what}, or a caller who may manage the space, can change it"))
}

impl Comments {
    /// The comments of a discussion, without those in other discussions of the same space.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        query: Input<(CommentFilter, PageRequest)>,
    ) -> Result<Page<ShownComment>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedDiscussion::find(&mut work, at, |may| may.comment).await?;
        let (filter, page) = query.read()?;
        let found = work.comments().list(&opened.discussion, &filter, &page).await?;
        let found = found.try_map(|comment| opened.granted("comment", Some(comment), |may| may.view))?;
        shown::show(&mut work, &opened, found).await
    }

    /// A comment.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn get(&self, actor: &Actor, at: &DiscussionRef, id: &CommentId) -> Result<ShownComment, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedDiscussion::find(&mut work, at, |may| may.view).await?;
        let comment = opened.comment(&mut work, id, |may| may.view).await?;
        shown::show_one(&mut work, &opened, comment).await
    }

    /// Posts a comment, also in a locked space and in a change request that is merged or archived.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`]; [`Error::Invalid`], also if the anchor is not in the revision.
    pub async fn post(&self, actor: &Actor, at: &DiscussionRef, new: Input<NewComment>) -> Result<ShownComment, Error> {
        let mut work = self.units.write(actor).await?;
        let mut opened = LoadedDiscussion::open(&mut work, at, |may| may.comment).await?;
        account(actor)?;
        let NewComment { body, anchor, revision } = new.read()?;
        let target = anchors::target(&mut work, &opened, anchor, revision).await?;
        let body = cleaned(&mut work, &opened.space, "body", body).await?;
        let comment = opened.post(&mut work, body, target, None).await?;
        notify::posted(&mut work, &opened.space, opened.request.as_ref(), &comment).await?;
        let comment = opened.granted("comment", Some(comment), |may| may.view)?;
        let shown = shown::show_new(&mut work, &opened, comment).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Changes a comment: its text and status for its author and callers who may manage the space; the caller's own
    /// reactions for all who may comment.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        id: &CommentId,
        precondition: Precondition<ShownComment>,
        changes: Input<CommentChanges>,
    ) -> Result<ShownComment, Error> {
        let mut work = self.units.write(actor).await?;
        let mut opened = LoadedDiscussion::lock(&mut work, at, |may| may.view).await?;
        let mut comment = opened.comment(&mut work, id, |may| may.reply).await?;
        let user = account(actor)?;
        let CommentChanges { body, resolved, reactions } = changes.read()?;
        if (body.is_some() || resolved.is_some()) && !comment.permissions().edit {
            return Err(not_own("comment"));
        }
        precondition.check_shown(shown::show_one(&mut work, &opened, comment.clone())).await?;
        let now = work.now();
        let (discussion, id) = (opened.discussion.clone(), comment.id.clone());
        let edited = match body {
            Some(body) => {
                let body = cleaned(&mut work, &opened.space, "body", body).await?;
                comment.entity_mut().edit(body, now)
            }
            None => false,
        };
        let resolved = resolved.filter(|resolved| comment.entity_mut().resolve(*resolved, &user, now));
        if edited || resolved.is_some() {
            work.comments().save(&comment).await?;
        }
        if edited {
            notify::edited(&mut work, &TextRef { comment: id.clone(), reply: None }, &comment.body).await?;
            let change = Change::CommentEdited { discussion: discussion.clone(), comment: id.clone() };
            opened.record(&mut work, change).await?;
        }
        if let Some(resolved) = resolved {
            let (by, change) = match resolved {
                true => (-1, Change::CommentResolved { discussion, comment: id.clone() }),
                false => (1, Change::CommentReopened { discussion, comment: id.clone() }),
            };
            opened.count(&mut work, by).await?;
            opened.record(&mut work, change).await?;
        }
        opened.react(&mut work, TextRef { comment: id, reply: None }, reactions).await?;
        if resolved == Some(true) {
            notify::resolved(&mut work, &opened.space, &comment).await?;
        }
        let shown = shown::show_one(&mut work, &opened, comment).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Deletes a comment with its replies. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the change request; [`Error::Forbidden`]; [`Error::PreconditionFailed`].
    pub async fn delete(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        id: &CommentId,
        precondition: Precondition<ShownComment>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        let mut opened = LoadedDiscussion::lock(&mut work, at, |may| may.view).await?;
        let found = opened.comment(&mut work, id, |may| may.delete).await;
        let Some(comment) = precondition.found(found)? else { return Ok(false) };
        precondition.check_shown(shown::show_one(&mut work, &opened, comment.clone())).await?;
        if let (Some(request), true) = (&opened.request, comment.review.is_some()) {
            notify::review_comment_deleted(&mut work, request, &comment).await?;
        }
        work.comments().remove(&comment).await?;
        if comment.resolved.is_none() {
            opened.count(&mut work, -1).await?;
        }
        let change = Change::CommentDeleted { discussion: opened.discussion.clone(), comment: id.clone() };
        opened.record(&mut work, change).await?;
        work.commit().await?;
        Ok(true)
    }

    /// The members of the organization who wrote a comment or a reply in a discussion. A caller who may not list
    /// members sees only their names and roles, not their email addresses, their last visits or their counts.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn commenters(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownMember>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedDiscussion::find(&mut work, at, |may| may.comment).await?;
        let organization = opened.space.organization.clone();
        let page = page.read()?;
        let Page { items, total, next } = work.comments().commenters(&organization, &opened.discussion, &page).await?;
        let named = items.iter().map(|(member, _)| member.user.clone());
        let people = People::find(&mut work, &organization, named).await?;
        let members = show_members(&mut work, &organization, items).await?;
        let seen = |shown: ShownMember| {
            let ShownMember { mut member, counts, .. } = shown;
            let user = people.get(&member.user)?;
            if user.email.is_some() {
                return Ok(ShownMember { member, user, counts });
            }
            member.last_seen_at = None;
            Ok(ShownMember { member, user, counts: MemberCounts::default() })
        };
        Page { items: members, total, next }.try_map(seen)
    }
}
