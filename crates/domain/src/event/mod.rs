//! Events: each is recorded in the transaction that made the change. So only committed changes have an event, and each
//! of them has one. The audit log and the webhooks use the events. The log also records denied operations.
mod change;
mod define;
mod differences;

use crate::actor::{Client, Source};
use crate::id::{EventId, OrganizationId, TokenId, UserId};
use crate::text::Rule;
use change::NOT_SENT;
pub use change::{Change, StructureChange};
use chrono::{DateTime, Utc};
pub use differences::{Audited, Differences};
use std::sync::Arc;

/// The version of the event format. It increases when a field changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 1;

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its name, which never changes.
    pub id: &'static str,
    /// The label shown to people.
    pub label: &'static str,
}

impl std::str::FromStr for Action {
    type Err = Rule;
    fn from_str(raw: &str) -> Result<Self, Rule> {
        let found = Change::ACTIONS.iter().find(|action| action.id == raw);
        found.copied().ok_or_else(|| Rule::one_of(Change::ACTIONS.iter().map(|action| action.id)))
    }
}

impl Action {
    /// Whether webhooks get events of this kind.
    pub fn is_sent(&self) -> bool {
        !NOT_SENT.contains(&self.id)
    }

    /// The kinds that webhooks get.
    pub fn sent() -> impl Iterator<Item = Self> {
        Change::ACTIONS.iter().copied().filter(Self::is_sent)
    }
}

/// The object of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// The kind of object, as in the API.
    pub kind: &'a str,
    /// Its id.
    pub id: &'a str,
}

impl<'a> Target<'a> {
    fn new(kind: &'a str, id: &'a impl AsRef<str>) -> Self {
        Self { kind, id: id.as_ref() }
    }
}

/// A change with its actor, time and source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The id; ids sort by time.
    pub id: EventId,
    /// The organization, if the change belongs to one.
    pub organization: Option<OrganizationId>,
    /// The user who made the change; absent for the server itself and its operator.
    pub actor: Option<UserId>,
    /// The token of the request.
    pub token: Option<TokenId>,
    /// The source of the call.
    pub source: Source,
    /// The client of the request, if there was one.
    pub client: Option<Arc<Client>>,
    /// When the change was made.
    pub at: DateTime<Utc>,
    /// The change.
    pub change: Change,
}

impl Event {
    /// The kind of actor, as in the API.
    pub fn actor_kind(&self) -> &'static str {
        match (&self.actor, self.source) {
            (Some(_), _) => "user",
            (None, Source::Server) => "server",
            (None, Source::Api | Source::Cli) => "operator",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_of_change_has_a_name_and_a_label_of_its_own() {
        let names: BTreeSet<&str> = Change::ACTIONS.iter().map(|action| action.id).collect();
        let labels: BTreeSet<&str> = Change::ACTIONS.iter().map(|action| action.label).collect();
        assert_eq!((names.len(), labels.len()), (Change::ACTIONS.len(), Change::ACTIONS.len()));
        let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(Change::ACTIONS.iter().all(|action| plain(action.id) && !action.label.is_empty()));
    }

    #[test]
    fn a_change_has_the_field_names_of_the_api() {
        let (space, change_request) = ("s".parse().unwrap(), "c".parse().unwrap());
        let change = Change::ChangeRequestCreated { space, change_request };
        assert_eq!(Value::Object(change.payload()), json!({ "space": "s", "changeRequest": "c" }));
        assert_eq!(change.action(), "change_request_created");
        assert_eq!(change.target(), Target { kind: "change-request", id: "c" });
    }

    #[test]
    fn webhooks_get_the_changes_of_organizations_and_neither_accounts_nor_denied_requests() {
        let sent: BTreeSet<&str> = Action::sent().map(|action| action.id).collect();
        assert_eq!(sent.len() + NOT_SENT.len(), Change::ACTIONS.len(), "every kind in the list exists");
        assert!(sent.contains("space_created") && sent.contains("member_added") && !sent.contains("access_denied"));
        assert!(!sent.iter().any(|kind| kind.starts_with("notification_")), "{sent:?}");
    }

    #[test]
    fn the_error_for_an_unknown_action_lists_the_known_ones() {
        let Err(Rule(rule)) = "space_exploded".parse::<Action>() else { panic!("accepted") };
        assert!(rule.starts_with("must be one of user_created, "), "{rule}");
        assert_eq!("space_created".parse::<Action>().unwrap().label, "Space created");
    }
}
