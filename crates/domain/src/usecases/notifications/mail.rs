//! E-mails about the notifications of one user in one thread.
use super::notify::excerpt_of;
use crate::access::Membership;
use crate::change_request::ChangeRequestRef;
use crate::characters::is_bidi_control;
use crate::comment::Discussion;
use crate::id::{ChangeRequestId, CommentId, OrganizationId, SpaceId, UserId, WebhookId};
use crate::notification::{Notification, NotificationKind, NotificationLevel, NotificationSubject};
use crate::ports::mail::{Mail, MailLinks};
use crate::space::{Space, SpacePermissions};
use crate::usecases::Error;
use crate::usecases::work::Work;
use crate::user::User;
use crate::webhook::DisabledReason;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// The longest part of the subject after the title of the space or the organization, in characters.
const MAX_SUBJECT: usize = 80;

/// The e-mail about these notifications of a user, which are of one thread. `None` if the user has read them, disabled
/// e-mails, has no verified address, or may no longer see them; and if they no longer apply, because the review request
/// was withdrawn or the webhook is enabled again.
pub(in crate::usecases) async fn compose(
    work: &mut Work<'_>,
    links: &dyn MailLinks,
    user: &UserId,
    found: Vec<Notification>,
) -> Result<Option<Mail>, Error> {
    let mut unread: Vec<Notification> = found.into_iter().filter(|one| one.read_at.is_none()).collect();
    leave_out_withdrawn(work, user, &mut unread).await?;
    let (Some(first), Some(last)) = (unread.first(), unread.last()) else { return Ok(None) };
    let Some(reader) = recipient(work, user).await? else { return Ok(None) };
    let subject = match &first.subject {
        NotificationSubject::Discussion { space, change_request, comment, .. } => {
            let Some(space) = visible(work, space, &unread, user).await? else { return Ok(None) };
            if work.notifications().level(&space.id, user).await? == Some(NotificationLevel::None) {
                return Ok(None);
            }
            subject(work, &space, change_request.as_ref(), comment.as_ref()).await?
        }
        NotificationSubject::Webhook { organization, webhook } => {
            let Some(title) = organization_of(work, organization, webhook, user).await? else { return Ok(None) };
            subject_of(&title, &format!("Webhook disabled: {}", one_line(&first.excerpt)))
        }
    };
    let actors: BTreeSet<UserId> = unread.iter().filter_map(|one| one.subject.actor().cloned()).collect();
    let actors: Vec<UserId> = actors.into_iter().collect();
    let actors = work.users().find_many(&actors).await?;
    let names: HashMap<UserId, String> =
        actors.into_iter().map(|actor| (actor.id, one_line(actor.display_name.as_str()))).collect();
    let (text, html) = content(links, first, &unread, &names);
    Ok(Some(Mail {
        id: last.id.to_string(),
        thread: first.thread.to_string(),
        to: reader.email,
        name: reader.display_name,
        subject,
        text,
        html,
    }))
}

/// Leaves out requests for reviews that were withdrawn or fulfilled. All of these notifications are of one thread, so
/// their requests are of one change request.
async fn leave_out_withdrawn(work: &mut Work<'_>, user: &UserId, unread: &mut Vec<Notification>) -> Result<(), Error> {
    let asks = |one: &Notification| one.kind == NotificationKind::ReviewRequested;
    let asked = unread.iter().find(|one| asks(one));
    let Some(request) = asked.and_then(|one| one.subject.change_request().cloned()) else { return Ok(()) };
    let requested = work.reviews().requested(&request).await?;
    if !requested.iter().any(|one| one.user == *user) {
        unread.retain(|one| !asks(one));
    }
    Ok(())
}

/// A user who gets e-mails.
async fn recipient(work: &mut Work<'_>, user: &UserId) -> Result<Option<User>, Error> {
    let found = work.users().find(user).await?.filter(|user| user.email_verified);
    let refuses = !work.notifications().without_email(&BTreeSet::from([user.clone()])).await?.is_empty();
    Ok(found.filter(|_| !refuses))
}

/// The space of these notifications, if a user may see them.
async fn visible(
    work: &mut Work<'_>,
    space: &SpaceId,
    all: &[Notification],
    user: &UserId,
) -> Result<Option<Space>, Error> {
    let found = work.spaces().find_many(std::slice::from_ref(space)).await?.pop();
    let Some(space) = found else { return Ok(None) };
    let sees = |may: &SpacePermissions| all.iter().all(|one| one.kind.is_visible(may));
    let may = work.users_who(&space, std::slice::from_ref(user), sees).await?;
    Ok((!may.is_empty()).then_some(space))
}

/// The title of the organization of a webhook that is still disabled after failures, if a user administers it.
async fn organization_of(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    webhook: &WebhookId,
    user: &UserId,
) -> Result<Option<String>, Error> {
    let disabled = work.webhooks().find(organization, webhook).await?.and_then(|webhook| webhook.disabled);
    if disabled.is_none_or(|disabled| disabled.reason != DisabledReason::Failures) {
        return Ok(None);
    }
    let found = work.organizations().find(organization, Some(user)).await?;
    let found = found.filter(|found| found.membership.is_some_and(Membership::administers));
    Ok(found.map(|found| one_line(found.organization.title.as_str())))
}

/// The subject, which is the same for all e-mails of a thread as long as its first text stays the same.
async fn subject(
    work: &mut Work<'_>,
    space: &Space,
    request: Option<&ChangeRequestId>,
    comment: Option<&CommentId>,
) -> Result<String, Error> {
    let title = one_line(space.title.as_str());
    let title = if title.is_empty() { "Untitled space".to_owned() } else { title };
    let about = match (request, comment) {
        (Some(request), _) => {
            let found = work.change_requests().find(&space.id, &ChangeRequestRef::Id(request.clone())).await?;
            found.map(|request| format!("#{} {}", request.number, one_line(request.subject.as_str())))
        }
        (None, Some(comment)) => {
            let discussion = Discussion { space: space.id.clone(), change_request: None };
            match work.comments().find(&discussion, comment).await? {
                Some(comment) => Some(one_line(&excerpt_of(work, &comment.body).await?)),
                None => None,
            }
        }
        (None, None) => None,
    };
    Ok(subject_of(&title, &about.unwrap_or_default()))
}

fn subject_of(title: &str, about: &str) -> String {
    let about: String = about.chars().take(MAX_SUBJECT).collect();
    format!("[{title}] {about}").trim_end().to_owned()
}

/// A text in one line, which cannot change the direction of the text after it.
fn one_line(text: &str) -> String {
    let visible: String = text.chars().filter(|char| !is_bidi_control(*char)).collect();
    crate::text::one_line(&visible)
}

fn verb(kind: NotificationKind) -> &'static str {
    match kind {
        NotificationKind::Mention => "mentioned you",
        NotificationKind::Comment => "commented",
        NotificationKind::Reply => "replied",
        NotificationKind::Resolved => "resolved a comment",
        NotificationKind::ReviewRequested => "asked you for a review",
        NotificationKind::ReviewSubmitted => "submitted a review",
        NotificationKind::WebhookDisabled => "disabled a webhook, because nothing arrived for two days",
    }
}

/// The content as plain text and as HTML.
fn content(
    links: &dyn MailLinks,
    first: &Notification,
    all: &[Notification],
    names: &HashMap<UserId, String>,
) -> (String, String) {
    let (mut text, mut html) = (String::new(), String::from("<!doctype html>\n<html><body>\n"));
    for one in all {
        let name = match one.subject.actor() {
            Some(actor) => names.get(actor).map_or("A user", String::as_str),
            None => "The server",
        };
        let (verb, excerpt) = (verb(one.kind), one_line(&one.excerpt));
        let _always_fits = write!(text, "{name} {verb}:\n\n  {excerpt}\n\n");
        let (name, excerpt) = (escaped(name), escaped(&excerpt));
        let _always_fits = writeln!(html, "<p><strong>{name}</strong> {verb}:</p>\n<blockquote>{excerpt}</blockquote>");
    }
    let reason = match first.subject {
        NotificationSubject::Discussion { .. } => {
            "you take part in this thread, get all notifications of its space, or were mentioned or asked for a review"
        }
        NotificationSubject::Webhook { .. } => "you administer the organization of the webhook",
    };
    let (place, settings) = (links.thread(&first.subject), links.settings());
    let _always_fits = write!(
        text,
        "In the API: {place}\n\n-- \nYou get this e-mail because {reason}.\nTo get no more e-mails, set \"email\" to \
         false: {settings}\n"
    );
    let (place, settings) = (escaped(&place), escaped(&settings));
    let _always_fits = write!(
        html,
        "<p>In the API: <a href=\"{place}\">{place}</a></p>\n<p><small>You get this e-mail because {reason}. To get no \
         more e-mails, set <code>email</code> to false: <a href=\"{settings}\">{settings}</a></small></p>\n\
         </body></html>\n"
    );
    (text, html)
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::mail::MockMailLinks;

    #[test]
    fn names_and_texts_are_escaped_in_html_and_have_one_line() {
        let one = Notification {
            kind: NotificationKind::Reply,
            excerpt: "a < b & \"c\"\r\nBcc: x".into(),
            ..Notification::sample()
        };
        let names = HashMap::from([("ada".parse().unwrap(), "<script>".to_owned())]);
        let mut links = MockMailLinks::new();
        links.expect_thread().returning(|_| "https://docs.test/thread?a=1&b=2".into());
        links.expect_settings().returning(|| "https://docs.test/settings".into());
        let (text, html) = content(&links, &one, std::slice::from_ref(&one), &names);
        assert!(text.starts_with("<script> replied:\n\n  a < b & \"c\" Bcc: x\n"), "{text}");
        assert!(text.contains("https://docs.test/thread?a=1&b=2\n"), "{text}");
        assert!(html.contains("\"https://docs.test/thread?a=1&amp;b=2\""), "{html}");
        assert!(html.contains("<strong>&lt;script&gt;</strong> replied"), "{html}");
        assert!(html.contains("a &lt; b &amp; &quot;c&quot; Bcc: x"), "{html}");
    }

    #[test]
    fn an_email_about_a_webhook_names_the_server_and_its_recipients() {
        let (organization, webhook) = ("o".parse().unwrap(), "w".parse().unwrap());
        let one = Notification {
            kind: NotificationKind::WebhookDisabled,
            subject: NotificationSubject::Webhook { organization, webhook },
            excerpt: "Chat & more".into(),
            ..Notification::sample()
        };
        let mut links = MockMailLinks::new();
        links.expect_thread().returning(|_| "https://docs.test/webhook".into());
        links.expect_settings().returning(|| "https://docs.test/settings".into());
        let (text, html) = content(&links, &one, std::slice::from_ref(&one), &HashMap::new());
        let expected = "The server disabled a webhook, because nothing arrived for two days:\n\n  Chat & more\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("because you administer the organization of the webhook.\n"), "{text}");
        assert!(html.contains("<strong>The server</strong> disabled") && html.contains("Chat &amp; more"), "{html}");
    }

    #[test]
    fn a_line_has_no_control_characters_and_no_changes_of_direction() {
        assert_eq!(one_line(" a\r\nb\u{7f}  c\t"), "a b c");
        assert_eq!(one_line("Bob\u{202e}\u{2067} \u{200f}é"), "Bob é");
    }
}
