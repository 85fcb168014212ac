//! Notifying users of an event, in the unit of work of the event. A use case must do this last, because the jobs that
//! send e-mails are locked after everything else.
use crate::change_request::ChangeRequest;
use crate::comment::{Comment, CommentReply};
use crate::content::document::Document;
use crate::id::{ChangeRequestId, CommentId, CommentReplyId, ReviewId, ThreadId, UserId, WebhookId};
use crate::job::{Job, Task};
use crate::notification::{
    Audience, MAIL_DELAY, Notification, NotificationKind, NotificationSubject, excerpt, thread, thread_of,
};
use crate::ports::store::Lockable;
use crate::ports::store::comments::TextRef;
use crate::review::{RequestedReviewer, Review};
use crate::space::Space;
use crate::text::DisplayName;
use crate::usecases::Error;
use crate::usecases::work::Work;
use crate::webhook::Webhook;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An event of a discussion or a review.
struct Event<'e> {
    kind: NotificationKind,
    space: &'e Space,
    change_request: Option<&'e ChangeRequestId>,
    comment: Option<&'e CommentId>,
    reply: Option<&'e CommentReplyId>,
    review: Option<&'e ReviewId>,
    thread: ThreadId,
}

impl<'e> Event<'e> {
    fn of_comment(kind: NotificationKind, space: &'e Space, comment: &'e Comment) -> Self {
        Self {
            kind,
            space,
            change_request: comment.discussion.change_request.as_ref(),
            comment: Some(&comment.id),
            reply: None,
            review: comment.review.as_ref(),
            thread: thread_of(comment),
        }
    }

    fn of_request(kind: NotificationKind, space: &'e Space, request: &'e ChangeRequest) -> Self {
        Self {
            kind,
            space,
            change_request: Some(&request.id),
            comment: None,
            reply: None,
            review: None,
            thread: thread(&request.id),
        }
    }
}

/// Notifies of a new comment on a space, or on this change request of it.
pub(in crate::usecases) async fn posted(
    work: &mut Work<'_>,
    space: &Space,
    request: Option<&ChangeRequest>,
    comment: &Comment,
) -> Result<(), Error> {
    let participants = match request {
        Some(request) => in_request(work, request).await?,
        None => BTreeSet::new(),
    };
    let audience = Audience { mentioned: mentioned(&comment.body), participants, all: true };
    let event = Event::of_comment(NotificationKind::Comment, space, comment);
    notify(work, &event, &audience, Quoted::Text(&comment.body)).await
}

/// Notifies of a new reply to a comment.
pub(in crate::usecases) async fn replied(
    work: &mut Work<'_>,
    space: &Space,
    comment: &Comment,
    reply: &CommentReply,
) -> Result<(), Error> {
    let participants = in_thread(work, comment).await?;
    let audience = Audience { mentioned: mentioned(&reply.body), participants, all: true };
    let event = Event::of_comment(NotificationKind::Reply, space, comment);
    notify(work, &Event { reply: Some(&reply.id), ..event }, &audience, Quoted::Text(&reply.body)).await
}

/// Notifies of the resolution of a comment.
pub(in crate::usecases) async fn resolved(work: &mut Work<'_>, space: &Space, comment: &Comment) -> Result<(), Error> {
    let audience = Audience { participants: in_thread(work, comment).await?, all: true, ..Audience::default() };
    let event = Event::of_comment(NotificationKind::Resolved, space, comment);
    notify(work, &event, &audience, Quoted::Text(&comment.body)).await
}

/// Updates the notifications of an edited text. Newly mentioned users are not notified.
pub(in crate::usecases) async fn edited(work: &mut Work<'_>, text: &TextRef, body: &Document) -> Result<(), Error> {
    let excerpt = excerpt_of(work, body).await?;
    Ok(work.notifications().set_excerpt(text, &excerpt).await?)
}

/// Updates the notifications of a review whose comment is deleted: the review is still there, and they show the subject
/// of the change request. The other notifications of the comment are removed with it.
pub(in crate::usecases) async fn review_comment_deleted(
    work: &mut Work<'_>,
    request: &ChangeRequest,
    comment: &Comment,
) -> Result<(), Error> {
    let (subject, thread) = (request.subject.to_string(), thread(&request.id));
    Ok(work.notifications().detach_reviews(&comment.id, &thread, &subject).await?)
}

/// Notifies users from whom a review was requested.
pub(in crate::usecases) async fn review_requested(
    work: &mut Work<'_>,
    space: &Space,
    request: &ChangeRequest,
    asked: &[RequestedReviewer],
) -> Result<(), Error> {
    let participants = asked.iter().map(|one| one.user.clone()).collect();
    let audience = Audience { participants, ..Audience::default() };
    let event = Event::of_request(NotificationKind::ReviewRequested, space, request);
    notify(work, &event, &audience, Quoted::Request(request)).await
}

/// Notifies of a review, and of the comment that came with it.
pub(in crate::usecases) async fn review_submitted(
    work: &mut Work<'_>,
    space: &Space,
    request: &ChangeRequest,
    review: &Review,
    comment: Option<&Comment>,
) -> Result<(), Error> {
    let kind = NotificationKind::ReviewSubmitted;
    let event = match comment {
        Some(comment) => Event::of_comment(kind, space, comment),
        None => Event::of_request(kind, space, request),
    };
    let mentioned = comment.map(|comment| mentioned(&comment.body)).unwrap_or_default();
    let audience = Audience { mentioned, participants: in_request(work, request).await?, all: true };
    let about = comment.map_or(Quoted::Request(request), |comment| Quoted::Text(&comment.body));
    notify(work, &Event { review: Some(&review.id), ..event }, &audience, about).await
}

/// Notifies the administrators of an organization that the server disabled a webhook. The caller holds
/// [`locks_of_mails`].
pub(in crate::usecases) async fn webhook_disabled(
    work: &mut Work<'_>,
    webhook: &Webhook,
    administrators: &[UserId],
) -> Result<(), Error> {
    let recipients = administrators.iter().map(|user| (user.clone(), NotificationKind::WebhookDisabled)).collect();
    let (organization, id) = (webhook.organization.clone(), webhook.id.clone());
    let subject = NotificationSubject::Webhook { organization, webhook: id };
    add(work, recipients, &subject, &thread(&webhook.id), &webhook.label()).await
}

/// The locks of the jobs that mail notifications of a webhook to these users.
pub(in crate::usecases) fn locks_of_mails(webhook: &WebhookId, users: &[UserId]) -> Vec<Lockable> {
    users.iter().map(|user| (&mailing(user, &thread(webhook))).into()).collect()
}

fn mailing(user: &UserId, thread: &ThreadId) -> Task {
    Task::MailThread { user: user.clone(), thread: thread.clone() }
}

fn mentioned(body: &Document) -> BTreeSet<UserId> {
    body.mentioned_users().into_iter().collect()
}

/// The text whose excerpt notifications show.
enum Quoted<'e> {
    /// The text of a comment or a reply.
    Text(&'e Document),
    /// The subject of a change request.
    Request(&'e ChangeRequest),
}

/// The beginning of a text in one line, with the names of the users whom it mentions.
pub(super) async fn excerpt_of(work: &mut Work<'_>, text: &Document) -> Result<String, Error> {
    let mentioned = text.mentioned_users();
    let users = match mentioned.is_empty() {
        true => Vec::new(),
        false => work.users().find_many(&mentioned).await?,
    };
    let names: HashMap<UserId, DisplayName> = users.into_iter().map(|user| (user.id, user.display_name)).collect();
    Ok(excerpt(text, &names))
}

/// The author of a comment, those who replied, and those who were mentioned.
async fn in_thread(work: &mut Work<'_>, comment: &Comment) -> Result<BTreeSet<UserId>, Error> {
    let mut users = work.notifications().in_thread(&comment.id).await?;
    users.insert(comment.posted_by.clone());
    Ok(users)
}

/// The author of a change request, its reviewers and contributors.
async fn in_request(work: &mut Work<'_>, request: &ChangeRequest) -> Result<BTreeSet<UserId>, Error> {
    let mut users = work.notifications().in_change_request(&request.id).await?;
    users.insert(request.created_by.clone());
    Ok(users)
}

/// Adds the notifications of an event. An event without recipients takes at most one query.
async fn notify(work: &mut Work<'_>, event: &Event<'_>, audience: &Audience, about: Quoted<'_>) -> Result<(), Error> {
    let Some(actor) = work.actor.user() else { return Ok(()) };
    let mut named: BTreeSet<UserId> = audience.mentioned.union(&audience.participants).cloned().collect();
    named.remove(actor);
    if named.is_empty() && !audience.all {
        return Ok(());
    }
    let levels = work.notifications().levels(&event.space.id, &named).await?;
    let mut recipients = audience.recipients(event.kind, actor, &levels);
    if recipients.is_empty() {
        return Ok(());
    }
    let users: Vec<UserId> = recipients.keys().cloned().collect();
    let known = work.users_who(event.space, &users, |may| event.kind.is_visible(may)).await?;
    recipients.retain(|user, _| known.contains(user));
    let excerpt = match about {
        Quoted::Text(text) => excerpt_of(work, text).await?,
        Quoted::Request(request) => request.subject.to_string(),
    };
    let subject = NotificationSubject::Discussion {
        actor: actor.clone(),
        space: event.space.id.clone(),
        change_request: event.change_request.cloned(),
        comment: event.comment.cloned(),
        reply: event.reply.cloned(),
        review: event.review.cloned(),
    };
    add(work, recipients, &subject, &event.thread, &excerpt).await
}

/// Adds a notification for each recipient, and the jobs that send e-mails.
async fn add(
    work: &mut Work<'_>,
    recipients: BTreeMap<UserId, NotificationKind>,
    subject: &NotificationSubject,
    thread: &ThreadId,
    excerpt: &str,
) -> Result<(), Error> {
    let mailed = mailed(work, &recipients).await?;
    let now = work.now();
    let (mut all, mut jobs) = (Vec::with_capacity(recipients.len()), Vec::with_capacity(mailed.len()));
    for (user, kind) in recipients {
        let to_mail = mailed.contains(&user);
        if to_mail {
            jobs.push(Job::new(work.ids.make(), mailing(&user, thread), now + MAIL_DELAY, now));
        }
        all.push(Notification {
            id: work.ids.make(),
            user,
            kind,
            subject: subject.clone(),
            thread: thread.clone(),
            excerpt: excerpt.to_owned(),
            created_at: now,
            read_at: None,
            to_mail,
        });
    }
    work.notifications().insert(&all).await?;
    if !jobs.is_empty() {
        work.jobs().add_missing(&jobs).await?;
    }
    Ok(())
}

/// The recipients who also get an e-mail. Their addresses are checked when it is sent.
async fn mailed(
    work: &mut Work<'_>,
    recipients: &BTreeMap<UserId, NotificationKind>,
) -> Result<BTreeSet<UserId>, Error> {
    let wanted = recipients.iter().filter(|(_, kind)| kind.is_mailed()).map(|(user, _)| user.clone());
    let mut mailed: BTreeSet<UserId> = wanted.collect();
    if !work.mails() || mailed.is_empty() {
        return Ok(BTreeSet::new());
    }
    let without = work.notifications().without_email(&mailed).await?;
    mailed.retain(|user| !without.contains(user));
    Ok(mailed)
}
