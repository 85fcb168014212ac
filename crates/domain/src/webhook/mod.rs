//! Webhooks: addresses that get a signed request for each event of an organization.
mod body;
mod delivery;
mod running;
mod secret;

pub use body::{PING, WebhookEvent};
pub use delivery::{Delivery, DeliveryState, RETRY_PERIOD, Response};
pub use running::{Full, REQUESTS, Recipient, Running};
pub use secret::{WebhookSecret, WebhookSecretDeriver};

use crate::event::{Action, Audited};
use crate::id::{OrganizationId, WebhookId};
use crate::patch::{self, Patch, changed};
use crate::text::{Rule, WebhookDescription};
use crate::web_address::WebAddress;
use crate::words;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

/// The most webhooks of an organization.
pub const MAX_WEBHOOKS: usize = 20;
/// How long a delivery is kept, from its creation.
pub const DELIVERY_LIFETIME: TimeDelta = TimeDelta::days(30);

/// The kinds of events that a webhook gets. An empty list means all, also those of later versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription(Vec<Action>);

impl Subscription {
    /// These kinds, each once and in the order of [`Action::sent`].
    pub fn new(wanted: &[Action]) -> Self {
        Self(Action::sent().filter(|action| wanted.contains(action)).collect())
    }

    /// Reads the name of a kind.
    ///
    /// # Errors
    /// [`Rule`] lists the kinds that webhooks get.
    pub fn kind(name: &str) -> Result<Action, Rule> {
        let found = Action::sent().find(|action| action.id == name);
        found.ok_or_else(|| Rule::one_of(Action::sent().map(|action| action.id)))
    }

    /// Kinds from the database. A kind that this version does not know is left out.
    pub fn stored(names: &[String]) -> Self {
        Self(Action::sent().filter(|action| names.iter().any(|name| name == action.id)).collect())
    }

    /// The names of the kinds; empty for all.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|action| action.id).collect()
    }

    /// Whether events of this kind are sent.
    pub fn includes(&self, action: Action) -> bool {
        action.is_sent() && (self.0.is_empty() || self.0.contains(&action))
    }
}

words! {
    /// Why a webhook is disabled.
    pub enum DisabledReason {
        /// An administrator disabled it.
        Request = "request",
        /// A delivery failed for [`RETRY_PERIOD`], and no other one arrived since its first attempt.
        Failures = "failures",
    }
}

/// Since when a webhook is disabled, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// When it was disabled.
    pub at: DateTime<Utc>,
    /// Why.
    pub reason: DisabledReason,
}

/// A webhook of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The id.
    pub id: WebhookId,
    /// The organization whose events it gets.
    pub organization: OrganizationId,
    /// The address of the requests. It is checked whenever a request is sent, since the addresses of a name change.
    pub url: WebAddress,
    /// What it is for.
    pub description: WebhookDescription,
    /// The kinds of events that it gets.
    pub events: Subscription,
    /// A random value from which the secret is computed ([`WebhookSecretDeriver`]).
    pub salt: [u8; 32],
    /// Since when it is disabled, and why; absent if it is enabled.
    pub disabled: Option<Disabled>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When its settings or its secret last changed.
    pub updated_at: DateTime<Utc>,
}

/// The settings of a new webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWebhook {
    /// The address of the requests.
    pub url: WebAddress,
    /// What it is for.
    pub description: WebhookDescription,
    /// The kinds of events that it gets.
    pub events: Subscription,
    /// Whether events are sent from now on.
    pub enabled: bool,
}

/// Changes to the settings of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookPatch {
    /// The address of the requests.
    pub url: Option<WebAddress>,
    /// What it is for.
    pub description: Patch<WebhookDescription>,
    /// The kinds of events that it gets.
    pub events: Option<Subscription>,
    /// Whether events are sent.
    pub enabled: Option<bool>,
}

impl Webhook {
    /// A new webhook with a random `salt`.
    pub fn new(
        id: WebhookId,
        organization: OrganizationId,
        new: NewWebhook,
        salt: [u8; 32],
        now: DateTime<Utc>,
    ) -> Self {
        let NewWebhook { url, description, events, enabled } = new;
        let disabled = (!enabled).then_some(Disabled { at: now, reason: DisabledReason::Request });
        Self { id, organization, url, description, events, salt, disabled, created_at: now, updated_at: now }
    }

    /// Applies changes. Returns the webhook before; `None` if nothing changed.
    pub fn update(&mut self, patch: WebhookPatch, now: DateTime<Utc>) -> Option<Self> {
        let before = changed(self, |webhook| webhook.apply(patch, now))?;
        self.updated_at = now;
        Some(before)
    }

    fn apply(&mut self, patch: WebhookPatch, now: DateTime<Utc>) {
        let WebhookPatch { url, description, events, enabled } = patch;
        patch::set(&mut self.url, url);
        match description {
            Patch::Keep => {}
            Patch::Clear => self.description = WebhookDescription::fitted("", ""),
            Patch::Set(text) => self.description = text,
        }
        patch::set(&mut self.events, events);
        match enabled {
            None => {}
            Some(true) => self.disabled = None,
            Some(false) => self.disable(DisabledReason::Request, now),
        }
    }

    /// What administrators recognize it by: its description, or else the scheme, host and port of its address. The rest
    /// of the address can be a secret of the receiver.
    pub fn label(&self) -> String {
        let words: Vec<&str> = self.description.as_str().split_whitespace().collect();
        if words.is_empty() { self.url.origin().unwrap_or_default() } else { words.join(" ") }
    }

    /// Stops sending. A webhook that is already disabled keeps its time and its reason.
    pub fn disable(&mut self, reason: DisabledReason, now: DateTime<Utc>) {
        self.disabled.get_or_insert(Disabled { at: now, reason });
    }
}

/// The log does not have the whole address: it can be a secret of the receiver, and the event of the change is sent to
/// other webhooks.
impl Audited for Webhook {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("origin", json!(self.url.origin())),
            ("description", json!(self.description)),
            ("events", json!(self.events.names())),
            ("enabled", json!(self.disabled.is_none())),
        ]
    }
}

#[cfg(any(test, feature = "mocks"))]
impl Webhook {
    /// An enabled webhook that gets everything, for tests.
    ///
    /// # Panics
    /// If the id is invalid.
    pub fn sample(id: &str, salt: u8) -> Self {
        let new = NewWebhook {
            url: "https://example.org/".parse().expect("a URL"),
            description: WebhookDescription::fitted("", ""),
            events: Subscription::default(),
            enabled: true,
        };
        Self::new(id.parse().expect("an id"), "o".parse().expect("an id"), new, [salt; 32], DateTime::UNIX_EPOCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Differences;
    use serde_json::to_value;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn webhook() -> Webhook {
        let (url, description) = ("https://example.org/hooks/secret-path".parse().unwrap(), "Chat".parse().unwrap());
        Webhook { url, description, ..Webhook::sample("w", 1) }
    }

    fn kind(name: &str) -> Action {
        name.parse().unwrap()
    }

    #[test]
    fn an_empty_list_of_kinds_means_all_that_are_sent() {
        let all = Subscription::default();
        assert!(all.includes(kind("space_created")) && !all.includes(kind("access_denied")));
        let some = Subscription::new(&[kind("space_updated"), kind("space_created"), kind("space_updated")]);
        assert_eq!(some.names(), ["space_created", "space_updated"], "each once, in one order");
        assert!(some.includes(kind("space_created")) && !some.includes(kind("space_deleted")));
    }

    #[test]
    fn an_unknown_kind_is_refused_with_a_list_of_the_valid_ones() {
        for name in ["access_denied", "token_created", "nothing", ""] {
            let Err(Rule(rule)) = Subscription::kind(name) else { panic!("{name} is accepted") };
            assert!(rule.contains("space_created") && !rule.contains("access_denied"), "{rule}");
        }
        let stored = ["space_created".to_owned(), "space_exploded".to_owned()];
        assert_eq!(Subscription::stored(&stored).names(), ["space_created"]);
    }

    #[test]
    fn a_disabled_webhook_keeps_its_reason_until_it_is_enabled() {
        let mut webhook = webhook();
        webhook.disable(DisabledReason::Failures, at(5));
        webhook.update(WebhookPatch { enabled: Some(false), ..WebhookPatch::default() }, at(6));
        assert_eq!(webhook.disabled, Some(Disabled { at: at(5), reason: DisabledReason::Failures }));
        webhook.update(WebhookPatch { enabled: Some(true), ..WebhookPatch::default() }, at(7));
        assert_eq!((webhook.disabled, webhook.updated_at), (None, at(7)));
    }

    #[test]
    fn settings_that_stay_the_same_are_not_an_update() {
        let mut webhook = webhook();
        let (url, description, events) =
            (Some(webhook.url.clone()), Patch::Set(webhook.description.clone()), Some(webhook.events.clone()));
        let before = webhook.clone();
        assert_eq!(webhook.update(WebhookPatch { url, description, events, enabled: Some(true) }, at(5)), None);
        assert_eq!(webhook, before);
        let url = "https://example.org/hooks/another".parse().ok();
        assert_eq!(webhook.update(WebhookPatch { url, ..WebhookPatch::default() }, at(6)), Some(before));
        assert_eq!(webhook.updated_at, at(6));
    }

    #[test]
    fn the_label_is_the_description_or_else_the_host_of_the_address_and_never_its_path() {
        assert_eq!(webhook().label(), "Chat");
        let url = "https://example.org:8443/hooks/secret-path?token=secret".parse().unwrap();
        let nameless = Webhook { url, ..Webhook::sample("w", 1) };
        assert_eq!(nameless.label(), "https://example.org:8443");
    }

    #[test]
    fn the_log_has_the_host_of_an_address_and_not_its_path() {
        let before = webhook();
        let mut after = before.clone();
        let url = "https://example.net:8443/hooks/another".parse().ok();
        after.update(WebhookPatch { url, description: Patch::Clear, ..WebhookPatch::default() }, at(1));
        let logged = to_value(Differences::between(&before, &after)).unwrap();
        assert_eq!(logged["origin"], json!({"before": "https://example.org", "after": "https://example.net:8443"}));
        assert_eq!(logged["description"], json!({"before": "Chat", "after": ""}));
        assert!(!logged.to_string().contains("hooks"), "{logged}");
    }
}
