//! E-mails about the notifications of one user in one thread.
use crate::change_request::ChangeRequestRef;
use crate::comment::Discussion;
use crate::id::{SpaceId, UserId};
use crate::notification::{Notification, NotificationKind, NotificationLevel, excerpt};
use crate::ports::mail::{Mail, MailLinks};
use crate::space::{Space, SpacePermissions};
use crate::usecases::Error;
use crate::usecases::work::Work;
use crate::user::User;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// The longest part of the subject after the title of the space, in characters.
const MAX_SUBJECT: usize = 80;

/// The e-mail about these notifications of a user, which are of one thread. `None` if the user has read them, wants no
/// e-mails, has no verified address, or may no longer see them.
pub(in crate::usecases) async fn compose(
    work: &mut Work<'_>,
    links: &dyn MailLinks,
    user: &UserId,
    found: Vec<Notification>,
) -> Result<Option<Mail>, Error> {
    let unread: Vec<Notification> = found.into_iter().filter(|one| one.read_at.is_none()).collect();
    let (Some(first), Some(last)) = (unread.first(), unread.last()) else { return Ok(None) };
    let Some(reader) = recipient(work, user).await? else { return Ok(None) };
    let Some(space) = visible(work, &unread, user).await? else { return Ok(None) };
    if work.notifications().level(&space.id, user).await? == Some(NotificationLevel::None) {
        return Ok(None);
    }
    let actors: BTreeSet<UserId> = unread.iter().map(|one| one.actor.clone()).collect();
    let actors: Vec<UserId> = actors.into_iter().collect();
    let actors = work.users().find_many(&actors).await?;
    let names: HashMap<UserId, String> =
        actors.into_iter().map(|actor| (actor.id, one_line(actor.display_name.as_str()))).collect();
    let subject = subject(work, &space, first).await?;
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

/// A user who gets e-mails.
async fn recipient(work: &mut Work<'_>, user: &UserId) -> Result<Option<User>, Error> {
    let found = work.users().find(user).await?.filter(|user| user.email_verified);
    let refuses = !work.notifications().without_email(&BTreeSet::from([user.clone()])).await?.is_empty();
    Ok(found.filter(|_| !refuses))
}

/// The space of these notifications, if a user may see them.
async fn visible(work: &mut Work<'_>, all: &[Notification], user: &UserId) -> Result<Option<Space>, Error> {
    let spaces: Vec<SpaceId> = all.iter().map(|one| one.space.clone()).take(1).collect();
    let Some(space) = work.spaces().find_many(&spaces).await?.pop() else { return Ok(None) };
    let sees = |may: &SpacePermissions| all.iter().all(|one| one.kind.is_visible(may));
    let may = work.users_who(&space, std::slice::from_ref(user), sees).await?;
    Ok((!may.is_empty()).then_some(space))
}

/// The subject, which is the same for all e-mails of a thread as long as its first text stays the same.
async fn subject(work: &mut Work<'_>, space: &Space, of: &Notification) -> Result<String, Error> {
    let title = one_line(space.title.as_str());
    let title = if title.is_empty() { "Untitled space".to_owned() } else { title };
    let about = match (&of.change_request, &of.comment) {
        (Some(request), _) => {
            let found = work.change_requests().find(&space.id, &ChangeRequestRef::Id(request.clone())).await?;
            found.map(|request| format!("#{} {}", request.number, one_line(request.subject.as_str())))
        }
        (None, Some(comment)) => {
            let discussion = Discussion { space: space.id.clone(), change_request: None };
            work.comments().find(&discussion, comment).await?.map(|comment| excerpt(&comment.body))
        }
        (None, None) => None,
    };
    let about: String = about.unwrap_or_default().chars().take(MAX_SUBJECT).collect();
    Ok(format!("[{title}] {about}").trim_end().to_owned())
}

fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn deed(kind: NotificationKind) -> &'static str {
    match kind {
        NotificationKind::Mention => "mentioned you",
        NotificationKind::Comment => "commented",
        NotificationKind::Reply => "replied",
        NotificationKind::Resolved => "resolved a comment",
        NotificationKind::ReviewRequested => "asked you for a review",
        NotificationKind::ReviewSubmitted => "submitted a review",
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
        let name = names.get(&one.actor).map_or("A user", String::as_str);
        let (deed, excerpt) = (deed(one.kind), one_line(&one.excerpt));
        let _always_fits = write!(text, "{name} {deed}:\n\n  {excerpt}\n\n");
        let (name, excerpt) = (escaped(name), escaped(&excerpt));
        let _always_fits = writeln!(html, "<p><strong>{name}</strong> {deed}:</p>\n<blockquote>{excerpt}</blockquote>");
    }
    let (place, settings) = (links.thread(first), links.settings());
    let _always_fits = write!(
        text,
        "In the API: {place}\n\n-- \nYou get this e-mail because you take part in this thread, or were mentioned or asked \
         for a review.\nTo get no more e-mails, set \"email\" to false: {settings}\n"
    );
    let (place, settings) = (escaped(&place), escaped(&settings));
    let _always_fits = write!(
        html,
        "<p>In the API: <a href=\"{place}\">{place}</a></p>\n<p><small>You get this e-mail because you take part in this \
         thread, or were mentioned or asked for a review. To get no more e-mails, set <code>email</code> to false: \
         <a href=\"{settings}\">{settings}</a></small></p>\n</body></html>\n"
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
    fn a_line_has_no_control_characters() {
        assert_eq!(one_line(" a\r\nb\u{7f}  c\t"), "a b c");
    }
}
