//! Comments with all data of a response.
use super::{LoadedDiscussion, anchors};
use crate::access::Granted;
use crate::comment::{Comment, Present, Reaction, ReactionEmoji, Replier};
use crate::id::{CommentId, ReviewId, UserId};
use crate::paging::Page;
use crate::usecases::Error;
use crate::usecases::lists::only;
use crate::usecases::people::People;
use crate::usecases::work::Work;
use crate::user::Person;
use chrono::{DateTime, Utc};
use std::collections::HashMap;

/// The reactions with one emoji.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownReaction {
    /// The emoji.
    pub emoji: ReactionEmoji,
    /// The users, and when they reacted; the first one first.
    pub users: Vec<(Person, DateTime<Utc>)>,
}

/// The replies of one user to a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownReplier {
    /// The user.
    pub user: Person,
    /// The number of replies.
    pub count: u32,
    /// When the last one was posted.
    pub updated_at: DateTime<Utc>,
}

/// A comment that the caller may see, with all data of a response.
#[derive(Clone, Debug)]
pub struct ShownComment {
    /// The comment.
    pub comment: Granted<Comment>,
    /// The author.
    pub posted_by: Person,
    /// The user who resolved it.
    pub resolved_by: Option<Person>,
    /// The reactions.
    pub reactions: Vec<ShownReaction>,
    /// The users who replied.
    pub repliers: Vec<ShownReplier>,
    /// Which parts of its anchor exist in the current revision.
    pub present: Present,
}

/// Puts the reactions with one emoji together, in the order of the first of each.
pub(super) fn gathered(reactions: Vec<Reaction>, people: &People) -> Result<Vec<ShownReaction>, Error> {
    let mut shown: Vec<ShownReaction> = Vec::new();
    for Reaction { emoji, user, at } in reactions {
        let one = (people.get(&user)?, at);
        match shown.iter_mut().find(|known| known.emoji == emoji) {
            Some(known) => known.users.push(one),
            None => shown.push(ShownReaction { emoji, users: vec![one] }),
        }
    }
    Ok(shown)
}

/// Adds the users, reactions, replies and the state of anchors to a page of comments of a discussion, in a constant
/// number of queries.
pub(in crate::usecases) async fn show(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    found: Page<Granted<Comment>>,
) -> Result<Page<ShownComment>, Error> {
    if found.items.is_empty() {
        return Ok(Page { items: Vec::new(), total: found.total, next: found.next });
    }
    let ids: Vec<CommentId> = found.items.iter().map(|comment| comment.id.clone()).collect();
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let mut reactions = work.comments().reactions(&texts).await?;
    let mut repliers = work.comments().repliers(&ids).await?;
    let named = found.items.iter().flat_map(|comment| {
        let resolver = comment.resolved.as_ref().map(|resolution| resolution.by.clone());
        std::iter::once(comment.posted_by.clone()).chain(resolver)
    });
    let reacting = reactions.values().flatten().map(|reaction| reaction.user.clone());
    let replying = repliers.values().flatten().map(|replier| replier.user.clone());
    let named: Vec<UserId> = named.chain(reacting).chain(replying).collect();
    let people = People::find(work, &opened.space.organization, named).await?;
    let comments: Vec<&Comment> = found.items.iter().map(|comment| &**comment).collect();
    let mut present = anchors::present(work, opened, &comments).await?.into_iter();
    found.try_map(|comment| {
        let repliers = repliers.remove(&comment.id).unwrap_or_default().into_iter();
        let repliers = repliers.map(|Replier { user, count, updated_at }| {
            Ok(ShownReplier { user: people.get(&user)?, count, updated_at })
        });
        Ok(ShownComment {
            posted_by: people.get(&comment.posted_by)?,
            resolved_by: people.get_if(comment.resolved.as_ref().map(|resolution| &resolution.by))?,
            reactions: gathered(reactions.remove(comment.id.as_str()).unwrap_or_default(), &people)?,
            repliers: repliers.collect::<Result<_, Error>>()?,
            present: present.next().unwrap_or_default(),
            comment,
        })
    })
}

/// The same for one comment.
pub(super) async fn show_one(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    comment: Granted<Comment>,
) -> Result<ShownComment, Error> {
    only(show(work, opened, vec![comment].into()).await?)
}

/// A comment that was just posted: there are no replies and reactions to look up.
pub(super) async fn show_new(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    comment: Granted<Comment>,
) -> Result<ShownComment, Error> {
    let people = People::find(work, &opened.space.organization, [comment.posted_by.clone()]).await?;
    let present = anchors::present(work, opened, &[&*comment]).await?;
    Ok(ShownComment {
        posted_by: people.get(&comment.posted_by)?,
        resolved_by: None,
        reactions: Vec::new(),
        repliers: Vec::new(),
        present: present.first().copied().unwrap_or_default(),
        comment,
    })
}

/// The comments that came with reviews, by review, without those that the caller may not see.
pub(in crate::usecases) async fn of_reviews(
    work: &mut Work<'_>,
    opened: &LoadedDiscussion,
    reviews: &[ReviewId],
) -> Result<HashMap<ReviewId, ShownComment>, Error> {
    let found = work.comments().of_reviews(reviews).await?.into_iter();
    let seen = found.filter_map(|comment| opened.granted("comment", Some(comment), |may| may.view).ok());
    let shown = show(work, opened, seen.collect::<Vec<_>>().into()).await?;
    Ok(shown.items.into_iter().filter_map(|shown| Some((shown.comment.review.clone()?, shown))).collect())
}
