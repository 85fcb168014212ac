//! Replies to comments.
use super::shown::{ShownReaction, gathered};
use super::{CommentChanges, Comments, DiscussionRef, LoadedDiscussion, cleaned, not_own};
use crate::access::Granted;
use crate::actor::Actor;
use crate::comment::{Comment, CommentPermissions, CommentReply};
use crate::content::document::Document;
use crate::event::Change;
use crate::id::{CommentId, CommentReplyId};
use crate::paging::{Page, PageRequest};
use crate::ports::store::comments::TextRef;
use crate::usecases::lists::only;
use crate::usecases::notifications::notify;
use crate::usecases::open::account;
use crate::usecases::people::People;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};
use crate::user::Person;

/// A reply with all data of a response.
#[derive(Clone, Debug)]
pub struct ShownReply {
    /// The reply.
    pub reply: Granted<CommentReply>,
    /// The author.
    pub posted_by: Person,
    /// The reactions.
    pub reactions: Vec<ShownReaction>,
}

async fn show(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    found: Page<Granted<CommentReply>>,
) -> Result<Page<ShownReply>, Error> {
    let ids: Vec<String> = found.items.iter().map(|reply| reply.id.to_string()).collect();
    let mut reactions = work.comments().reactions(&ids).await?;
    let authors = found.items.iter().map(|reply| reply.posted_by.clone());
    let reacting = reactions.values().flatten().map(|reaction| reaction.user.clone());
    let people = People::find(work, &opened.space.organization, authors.chain(reacting)).await?;
    found.try_map(|reply| {
        let reactions = gathered(reactions.remove(reply.id.as_str()).unwrap_or_default(), &people)?;
        Ok(ShownReply { posted_by: people.get(&reply.posted_by)?, reactions, reply })
    })
}

async fn show_one(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    reply: Granted<CommentReply>,
) -> Result<ShownReply, Error> {
    only(show(work, opened, vec![reply].into()).await?)
}

impl LoadedDiscussion {
    async fn reply(
        &self,
        work: &mut Work<'_>,
        comment: &Comment,
        id: &CommentReplyId,
        need: impl FnOnce(&CommentPermissions) -> bool,
    ) -> Result<Granted<CommentReply>, Error> {
        let found = work.comments().find_reply(comment, id).await?;
        self.granted("reply", found, need)
    }
}

impl Comments {
    /// The replies to a comment, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn replies(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        comment: &CommentId,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownReply>, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedDiscussion::find(&mut work, at, |may| may.comment).await?;
        let comment = opened.comment(&mut work, comment, |may| may.view).await?;
        let found = work.comments().replies(&comment, &page.read()?).await?;
        let found = found.try_map(|reply| opened.granted("reply", Some(reply), |may| may.view))?;
        show(&mut work, &opened, found).await
    }

    /// A reply.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`].
    pub async fn reply(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        comment: &CommentId,
        id: &CommentReplyId,
    ) -> Result<ShownReply, Error> {
        let mut work = self.units.read(actor).await?;
        let opened = LoadedDiscussion::find(&mut work, at, |may| may.comment).await?;
        let comment = opened.comment(&mut work, comment, |may| may.view).await?;
        let reply = opened.reply(&mut work, &comment, id, |may| may.view).await?;
        show_one(&mut work, &opened, reply).await
    }

    /// Replies to a comment, also to a resolved one, which stays resolved.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`].
    pub async fn post_reply(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        comment: &CommentId,
        body: Input<Document>,
    ) -> Result<ShownReply, Error> {
        let mut work = self.units.write(actor).await?;
        let opened = LoadedDiscussion::lock(&mut work, at, |may| may.view).await?;
        let comment = opened.comment(&mut work, comment, |may| may.reply).await?;
        let posted_by = account(actor)?;
        let reply = CommentReply {
            id: work.ids.make(),
            comment: comment.id.clone(),
            discussion: opened.discussion.clone(),
            body: cleaned(&mut work, &opened.space, "body", body.read()?).await?,
            posted_by,
            posted_at: work.now(),
            edited_at: None,
        };
        work.comments().insert_reply(&reply).await?;
        opened.contribute(&mut work, &reply.posted_by).await?;
        let change = Change::CommentReplyPosted {
            discussion: opened.discussion.clone(),
            comment: reply.comment.clone(),
            reply: reply.id.clone(),
        };
        opened.record(&mut work, change).await?;
        notify::replied(&mut work, &opened.space, &comment, &reply).await?;
        let reply = opened.granted("reply", Some(reply), |may| may.view)?;
        let people = People::find(&mut work, &opened.space.organization, [reply.posted_by.clone()]).await?;
        let shown = ShownReply { posted_by: people.get(&reply.posted_by)?, reactions: Vec::new(), reply };
        work.commit().await?;
        Ok(shown)
    }

    /// Changes a reply: its text for its author and callers who may manage the space; the caller's own reactions for
    /// all who may comment.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update_reply(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        (comment, id): (&CommentId, &CommentReplyId),
        precondition: Precondition<ShownReply>,
        changes: Input<CommentChanges>,
    ) -> Result<ShownReply, Error> {
        let mut work = self.units.write(actor).await?;
        let opened = LoadedDiscussion::lock(&mut work, at, |may| may.view).await?;
        let comment = opened.comment(&mut work, comment, |may| may.reply).await?;
        let mut reply = opened.reply(&mut work, &comment, id, |may| may.reply).await?;
        // A reply has no status.
        let CommentChanges { body, resolved: _, reactions } = changes.read()?;
        if body.is_some() && !reply.permissions().edit {
            return Err(not_own("reply"));
        }
        precondition.check_shown(show_one(&mut work, &opened, reply.clone())).await?;
        if let Some(body) = body {
            let body = cleaned(&mut work, &opened.space, "body", body).await?;
            let now = work.now();
            if reply.entity_mut().edit(body, now) {
                work.comments().save_reply(&reply).await?;
                let text = TextRef { comment: reply.comment.clone(), reply: Some(reply.id.clone()) };
                notify::edited(&mut work, &text, &reply.body).await?;
                let change = Change::CommentReplyEdited {
                    discussion: opened.discussion.clone(),
                    comment: reply.comment.clone(),
                    reply: reply.id.clone(),
                };
                opened.record(&mut work, change).await?;
            }
        }
        let to = TextRef { comment: reply.comment.clone(), reply: Some(reply.id.clone()) };
        opened.react(&mut work, to, reactions).await?;
        let shown = show_one(&mut work, &opened, reply).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Deletes a reply. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, the change request or the comment; [`Error::Forbidden`];
    /// [`Error::PreconditionFailed`].
    pub async fn delete_reply(
        &self,
        actor: &Actor,
        at: &DiscussionRef,
        (comment, id): (&CommentId, &CommentReplyId),
        precondition: Precondition<ShownReply>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        let opened = LoadedDiscussion::lock(&mut work, at, |may| may.view).await?;
        // A deleted comment has no replies any more.
        let found = match opened.comment(&mut work, comment, |may| may.view).await {
            Ok(comment) => opened.reply(&mut work, &comment, id, |may| may.delete).await,
            Err(error) => Err(error),
        };
        let Some(reply) = precondition.found(found)? else { return Ok(false) };
        precondition.check_shown(show_one(&mut work, &opened, reply.clone())).await?;
        work.comments().remove_reply(&reply).await?;
        let change = Change::CommentReplyDeleted {
            discussion: opened.discussion.clone(),
            comment: reply.comment.clone(),
            reply: reply.id.clone(),
        };
        opened.record(&mut work, change).await?;
        work.commit().await?;
        Ok(true)
    }
}
