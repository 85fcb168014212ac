//! Notifications of users about discussions, reviews and webhooks.
use crate::comment::Comment;
use crate::content::document::Document;
use crate::id::{
    ChangeRequestId, CommentId, CommentReplyId, NotificationId, OrganizationId, ReviewId, SpaceId, ThreadId, UserId,
    WebhookId,
};
use crate::space::SpacePermissions;
use crate::text::DisplayName;
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The longest excerpt, in characters.
pub const MAX_EXCERPT: usize = 200;
/// How long an e-mail waits for further notifications of the same thread.
pub const MAIL_DELAY: TimeDelta = TimeDelta::minutes(5);

words! {
    /// The kind of event that a notification reports.
    pub enum NotificationKind {
        /// The user is mentioned in a comment, a reply or a review.
        Mention = "mention",
        /// A comment was posted.
        Comment = "comment",
        /// A reply was posted.
        Reply = "reply",
        /// A comment was resolved.
        Resolved = "resolved",
        /// A review was requested from the user.
        ReviewRequested = "review-requested",
        /// A review was submitted.
        ReviewSubmitted = "review-submitted",
        /// The server disabled a webhook, because all deliveries failed for two days.
        WebhookDisabled = "webhook-disabled",
    }

    /// Which events of a space a user is notified of.
    #[derive(Default)]
    pub enum NotificationLevel {
        /// Every comment, reply, resolution and review.
        All = "all",
        /// Events of threads and change requests that the user takes part in, and mentions.
        #[default]
        Participating = "participating",
        /// Nothing.
        None = "none",
    }

    /// Where a user's level for a space comes from.
    pub enum LevelSource {
        /// The user has not set one.
        Default = "default",
        /// The user has set it for the space.
        Space = "space",
    }
}

impl NotificationKind {
    /// Whether users also get an e-mail.
    pub fn is_mailed(self) -> bool {
        matches!(self, Self::Mention | Self::Reply | Self::ReviewRequested | Self::WebhookDisabled)
    }

    /// Whether it concerns a space.
    pub fn is_of_space(self) -> bool {
        self != Self::WebhookDisabled
    }

    /// Whether users with these permissions for the space may see it. A review request is about the change request; the
    /// others of a space show texts of a discussion.
    pub fn is_visible(self, may: &SpacePermissions) -> bool {
        match self {
            Self::ReviewRequested => may.view,
            Self::Mention | Self::Comment | Self::Reply | Self::Resolved | Self::ReviewSubmitted => may.comment,
            Self::WebhookDisabled => false,
        }
    }
}

/// The object that a notification is about, and the user who caused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotificationSubject {
    /// A discussion or a review.
    Discussion {
        /// The user who caused it.
        actor: UserId,
        /// The space.
        space: SpaceId,
        /// The change request.
        change_request: Option<ChangeRequestId>,
        /// The comment.
        comment: Option<CommentId>,
        /// The reply to the comment.
        reply: Option<CommentReplyId>,
        /// The review.
        review: Option<ReviewId>,
    },
    /// A webhook: the server caused it. Its kind is [`NotificationKind::WebhookDisabled`].
    Webhook {
        /// The organization of the webhook. Its administrators may see the notification.
        organization: OrganizationId,
        /// The webhook.
        webhook: WebhookId,
    },
}

impl NotificationSubject {
    /// The user who caused the notification; `None` if the server did.
    pub fn actor(&self) -> Option<&UserId> {
        match self {
            Self::Discussion { actor, .. } => Some(actor),
            Self::Webhook { .. } => None,
        }
    }

    /// The change request.
    pub fn change_request(&self) -> Option<&ChangeRequestId> {
        match self {
            Self::Discussion { change_request, .. } => change_request.as_ref(),
            Self::Webhook { .. } => None,
        }
    }
}

/// A notification of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The id; ids sort by time.
    pub id: NotificationId,
    /// The user who is notified.
    pub user: UserId,
    /// The kind of event.
    pub kind: NotificationKind,
    /// The object of the notification.
    pub subject: NotificationSubject,
    /// The comment, or else the change request or the webhook. E-mails group notifications by it.
    pub thread: ThreadId,
    /// The beginning of the text, the subject of the change request, or the label of the webhook. It may be empty.
    pub excerpt: String,
    /// When the event happened.
    pub created_at: DateTime<Utc>,
    /// When the user read it; absent if it is unread.
    pub read_at: Option<DateTime<Utc>>,
    /// Whether an e-mail about it is still to be sent.
    pub to_mail: bool,
}

impl Notification {
    /// Marks it as read or as unread. One that is read keeps its time.
    pub fn mark(&mut self, read: bool, at: DateTime<Utc>) {
        self.read_at = self.read_at.or(Some(at)).filter(|_| read);
    }
}

/// The thread of a comment.
pub fn thread_of(comment: &Comment) -> ThreadId {
    thread(&comment.id)
}

/// The thread of the comment, the change request or the webhook with this id.
pub fn thread(id: &impl AsRef<str>) -> ThreadId {
    id.as_ref().parse().expect("ids have one form")
}

/// The beginning of a text in one line. `names` has the display names of mentioned users.
pub fn excerpt(text: &Document, names: &HashMap<UserId, DisplayName>) -> String {
    let named = (!names.is_empty()).then(|| {
        let mut named = text.clone();
        named.name_mentions(|user| names.get(user).map(DisplayName::as_str));
        named
    });
    let text = named.as_ref().unwrap_or(text);
    let mut short = String::new();
    let mut length = 0;
    // The text of a block does not repeat that of the blocks inside it.
    for line in text.walk().map(|block| block.line()) {
        for word in line.split_whitespace() {
            let size = word.chars().count();
            if length + size > MAX_EXCERPT {
                let left = MAX_EXCERPT.saturating_sub(length);
                short.extend(word.chars().take(left));
                return format!("{}…", short.trim_end());
            }
            short.push_str(word);
            short.push(' ');
            length += size + 1;
        }
    }
    short.truncate(short.trim_end().len());
    short
}

/// Users who may be notified of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Users whom the text mentions.
    pub mentioned: BTreeSet<UserId>,
    /// Participants of the discussion.
    pub participants: BTreeSet<UserId>,
    /// Whether users with [`NotificationLevel::All`] are notified too.
    pub all: bool,
}

impl Audience {
    /// The users to notify, each once, with the kind of the notification. `levels` has the levels that users have set;
    /// others have the default.
    pub fn recipients(
        &self,
        kind: NotificationKind,
        actor: &UserId,
        levels: &HashMap<UserId, NotificationLevel>,
    ) -> BTreeMap<UserId, NotificationKind> {
        let watching = levels.iter().filter(|(_, level)| self.all && **level == NotificationLevel::All);
        let others = self.participants.iter().chain(watching.map(|(user, _)| user)).map(|user| (user, kind));
        let mentioned = self.mentioned.iter().map(|user| (user, NotificationKind::Mention));
        // If a user has several entries, the last one wins.
        let named = others.chain(mentioned).filter(|(user, _)| *user != actor);
        named
            .filter(|(user, _)| levels.get(*user) != Some(&NotificationLevel::None))
            .map(|(user, kind)| (user.clone(), kind))
            .collect()
    }
}

#[cfg(test)]
impl Notification {
    /// An unread notification of bob about a comment of ada.
    pub(crate) fn sample() -> Self {
        Self {
            id: "n".parse().unwrap(),
            user: "bob".parse().unwrap(),
            kind: NotificationKind::Mention,
            subject: NotificationSubject::Discussion {
                actor: "ada".parse().unwrap(),
                space: "s".parse().unwrap(),
                change_request: None,
                comment: "c".parse().ok(),
                reply: None,
                review: None,
            },
            thread: "c".parse().unwrap(),
            excerpt: String::new(),
            created_at: DateTime::UNIX_EPOCH,
            read_at: None,
            to_mail: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Access, Guarded, Level};
    use crate::content::document::Inline;
    use crate::content::markdown::{self, Unresolved};
    use crate::content::reference::ContentRef;
    use crate::space::{NewSpace, Space};
    use proptest::prelude::*;

    fn users(names: &[&str]) -> BTreeSet<UserId> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn told(audience: &Audience, levels: &[(&str, NotificationLevel)]) -> Vec<(String, &'static str)> {
        let levels = levels.iter().map(|(user, level)| (user.parse().unwrap(), *level)).collect();
        let recipients = audience.recipients(NotificationKind::Reply, &"ada".parse().unwrap(), &levels);
        recipients.into_iter().map(|(user, kind)| (user.to_string(), kind.as_str())).collect()
    }

    #[test]
    fn each_user_is_notified_once_a_mention_counts_more_and_the_actor_is_left_out() {
        let audience =
            Audience { mentioned: users(&["ada", "bob"]), participants: users(&["ada", "bob", "cora"]), all: true };
        let expected = [("bob".to_owned(), "mention"), ("cora".to_owned(), "reply"), ("dora".to_owned(), "reply")];
        assert_eq!(told(&audience, &[("dora", NotificationLevel::All), ("ada", NotificationLevel::All)]), expected);
        assert_eq!(told(&Audience { all: false, ..audience }, &[("dora", NotificationLevel::All)]), expected[..2]);
    }

    #[test]
    fn a_user_with_the_level_none_is_not_notified_of_mentions() {
        let audience = Audience { mentioned: users(&["bob"]), participants: users(&["bob", "cora"]), all: true };
        let levels = [("bob", NotificationLevel::None), ("dora", NotificationLevel::Participating)];
        assert_eq!(told(&audience, &levels), [("cora".to_owned(), "reply")]);
    }

    fn text(markdown: &str) -> Document {
        markdown::parse(markdown, &Unresolved).into_document().unwrap()
    }

    fn excerpt(text: &Document) -> String {
        super::excerpt(text, &HashMap::new())
    }

    #[test]
    fn an_excerpt_is_one_line_of_plain_text() {
        assert_eq!(excerpt(&text("## Why?\n\n- *one*\n- [two](x.md)\n")), "Why? one two");
        assert_eq!(excerpt(&Document::default()), "");
        let long = excerpt(&text(&"wörd ".repeat(100)));
        assert!(long.ends_with("d…") && long.chars().count() <= MAX_EXCERPT + 1, "{long}");
    }

    #[test]
    fn an_excerpt_has_the_names_of_mentioned_users() {
        let mut hello = text("Hi look");
        let mention = |user: &str| {
            let target = Box::new(ContentRef::User { user: user.parse().unwrap() });
            Inline::Mention { target }
        };
        hello.blocks[0].content = vec![Inline::from("Hi "), mention("ann"), Inline::from(" look, "), mention("bob")];
        let names = HashMap::from([("ann".parse().unwrap(), "Ann A.".parse().unwrap())]);
        assert_eq!(super::excerpt(&hello, &names), "Hi @Ann A. look,", "an unknown user has no name");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_short(words in proptest::collection::vec("[a-zé]{1,300}", 0..40)) {
            let excerpt = excerpt(&text(&words.join(" ")));
            prop_assert!(excerpt.chars().count() <= MAX_EXCERPT + 1);
            prop_assert!(!excerpt.contains('\n') && excerpt.trim() == excerpt);
        }
    }

    #[test]
    fn a_notification_of_a_webhook_is_visible_with_no_permission_for_a_space() {
        let (space, organization, revision) = ("s".parse().unwrap(), "o".parse().unwrap(), "r".parse().unwrap());
        let space = Space::new(space, organization, revision, NewSpace::default(), DateTime::UNIX_EPOCH);
        let may = space.permissions(&Access::new(None, Level::Admin));
        for kind in NotificationKind::ALL {
            assert_eq!(kind.is_visible(&may), kind.is_of_space(), "{kind}");
        }
    }

    #[test]
    fn a_notification_that_is_read_keeps_its_time() {
        let at = |seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds);
        let mut notification = Notification::sample();
        notification.mark(true, at(1));
        notification.mark(true, at(2));
        assert_eq!(notification.read_at, Some(at(1)));
        notification.mark(false, at(3));
        assert_eq!(notification.read_at, None);
    }
}
