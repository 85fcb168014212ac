//! Notifications and their settings.
use super::schemas;
use super::user::{User, person};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::comment::Discussion;
use domain::id::NotificationId;
use domain::notification::{LevelSource, NotificationKind, NotificationLevel, NotificationSubject};
use domain::text::Invalid;
use domain::usecases::notifications::{EmailSettings, ShownLevel, ShownNotification};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A notification of the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notification {
    #[schema(example = "notification")]
    object: &'static str,
    id: String,
    #[schema(value_type = schemas::NotificationKind)]
    kind: NotificationKind,
    /// The user who caused it; absent if the server did.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<User>,
    organization: String,
    /// Absent if it is about a webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change_request: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// The reply to the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<String>,
    /// The beginning of the text as plain text, the subject of the change request, or the description of the webhook or
    /// else the scheme, host and port of its address.
    excerpt: String,
    created_at: DateTime<Utc>,
    /// When the caller read it; absent if it is unread.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_at: Option<DateTime<Utc>>,
    urls: NotificationUrls,
}

/// URLs of a notification.
#[derive(Serialize, ToSchema)]
pub(crate) struct NotificationUrls {
    /// Of the notification.
    location: String,
    /// Of what it is about: the reply, the comment, the review, the change request or the webhook.
    target: String,
}

pub(crate) type NotificationList = List<Notification>;

/// The URL of what a notification is about.
fn target(subject: &NotificationSubject, links: &Links) -> String {
    let (space, change_request, comment, reply, review) = match subject {
        NotificationSubject::Discussion { space, change_request, comment, reply, review, .. } => {
            (space, change_request, comment, reply, review)
        }
        NotificationSubject::Webhook { organization, webhook } => return links.webhook(organization, webhook),
    };
    let discussion = Discussion { space: space.clone(), change_request: change_request.clone() };
    match (comment, reply, change_request, review) {
        (Some(comment), Some(reply), ..) => links.comment_reply(&discussion, comment, reply),
        (Some(comment), None, ..) => links.comment(&discussion, comment),
        (None, _, Some(request), Some(review)) => links.review(space, request, review),
        (None, _, Some(request), None) => links.change_request(space, request),
        (None, _, None, _) => links.space(space),
    }
}

pub(crate) fn notification(shown: ShownNotification, links: &Links) -> Notification {
    let ShownNotification { notification, organization, actor } = shown;
    let shown = Notification {
        object: "notification",
        urls: NotificationUrls {
            location: links.notification(&notification.id),
            target: target(&notification.subject, links),
        },
        id: notification.id.into(),
        kind: notification.kind,
        actor: actor.map(|actor| person(actor, links)),
        organization: organization.into(),
        space: None,
        change_request: None,
        comment: None,
        reply: None,
        review: None,
        webhook: None,
        excerpt: notification.excerpt,
        created_at: notification.created_at,
        read_at: notification.read_at,
    };
    match notification.subject {
        NotificationSubject::Discussion { actor: _, space, change_request, comment, reply, review } => Notification {
            space: Some(space.into()),
            change_request: change_request.map(String::from),
            comment: comment.map(String::from),
            reply: reply.map(String::from),
            review: review.map(String::from),
            ..shown
        },
        NotificationSubject::Webhook { organization: _, webhook } => {
            Notification { webhook: Some(webhook.into()), ..shown }
        }
    }
}

/// A filter of the list of notifications.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NotificationParams {
    /// `true` lists only notifications that are read, `false` only those that are not.
    read: Option<bool>,
}

impl Wire for NotificationParams {
    type Command = Option<bool>;

    fn command(self) -> Result<Option<bool>, Invalid> {
        Ok(self.read)
    }
}

/// A change of a notification.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateNotification {
    /// Whether it is read.
    read: bool,
}

impl Wire for UpdateNotification {
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(self.read)
    }
}

/// The notifications to mark as read.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct ReadNotifications {
    /// The newest notification to mark, which must be one of the caller's; all older ones are marked too. All
    /// notifications if absent.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = String)]
    until: Option<NotificationId>,
}

impl Wire for ReadNotifications {
    type Command = Option<NotificationId>;

    fn command(self) -> Result<Option<NotificationId>, Invalid> {
        Ok(self.until)
    }
}

/// Which events of a space the caller is notified of.
#[derive(Serialize, ToSchema)]
pub(crate) struct SpaceNotificationSettings {
    #[schema(example = "space-notification-settings")]
    object: &'static str,
    /// The level that applies.
    #[schema(value_type = schemas::NotificationLevel)]
    level: NotificationLevel,
    #[schema(value_type = schemas::NotificationLevelSource)]
    source: LevelSource,
    urls: SettingsUrls,
}

/// URLs of settings.
#[derive(Serialize, ToSchema)]
pub(crate) struct SettingsUrls {
    location: String,
}

pub(crate) fn level(shown: ShownLevel, links: &Links) -> SpaceNotificationSettings {
    SpaceNotificationSettings {
        object: "space-notification-settings",
        level: shown.level,
        source: shown.source,
        urls: SettingsUrls { location: links.notification_level(&shown.space) },
    }
}

/// The level that the caller sets for a space.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateSpaceNotificationSettings {
    /// `null` returns to the default, `participating`.
    #[serde(deserialize_with = "nullable")]
    #[schema(value_type = Option<schemas::NotificationLevel>, required)]
    level: Option<NotificationLevel>,
}

/// A field that is required, and may be `null`.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

impl Wire for UpdateSpaceNotificationSettings {
    type Command = Option<NotificationLevel>;

    fn command(self) -> Result<Option<NotificationLevel>, Invalid> {
        Ok(self.level)
    }
}

/// Whether the caller gets e-mails about notifications.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotificationSettings {
    #[schema(example = "notification-settings")]
    object: &'static str,
    /// Whether the caller wants e-mails.
    email: bool,
    /// Whether the caller's address is verified. The server sends no e-mail to other addresses.
    email_verified: bool,
    /// Whether the server sends e-mail at all: its operator has configured a mail server.
    email_available: bool,
    urls: SettingsUrls,
}

pub(crate) fn settings(shown: EmailSettings, links: &Links) -> NotificationSettings {
    NotificationSettings {
        object: "notification-settings",
        email: shown.wanted,
        email_verified: shown.verified,
        email_available: shown.available,
        urls: SettingsUrls { location: links.notification_settings() },
    }
}

/// A change of the caller's settings.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateNotificationSettings {
    /// Whether the caller wants e-mails.
    email: bool,
}

impl Wire for UpdateNotificationSettings {
    type Command = bool;

    fn command(self) -> Result<bool, Invalid> {
        Ok(self.email)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    #[rstest]
    #[case("{}", None)]
    #[case(r#"{"level":null}"#, Some(None))]
    #[case(r#"{"level":"none"}"#, Some(Some(NotificationLevel::None)))]
    #[case(r#"{"level":"loud"}"#, None)]
    fn a_level_is_required_and_may_be_null(#[case] body: &str, #[case] expected: Option<Option<NotificationLevel>>) {
        let read = read_json::<UpdateSpaceNotificationSettings>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.clone().ok(), expected);
        assert!(read.err().is_none_or(|invalid| invalid.field == "level"));
    }

    #[test]
    fn notifications_are_filtered_by_whether_they_are_read() {
        for (query, expected) in [("", None), ("read=true", Some(true)), ("read=false", Some(false))] {
            assert_eq!(read_query::<NotificationParams>(query).unwrap().command(), Ok(expected));
        }
        assert_eq!(read_query::<NotificationParams>("read=maybe").err().unwrap().field, "read");
        assert_eq!(read_json::<ReadNotifications>(br#"{"until":null}"#).err().unwrap().field, "until");
        assert_eq!(read_json::<ReadNotifications>(b"{}").unwrap().command(), Ok(None));
    }
}
