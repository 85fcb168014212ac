//! The body of a request to a webhook.
use super::Delivery;
use crate::event::{Event, SCHEMA_VERSION};
use crate::user::Person;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

/// The type of a ping. The audit log has no event for it.
pub const PING: &str = "ping";

/// The body of a request: the event as the audit log shows it, but without the client that caused it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEvent {
    object: &'static str,
    id: String,
    schema_version: u32,
    #[serde(rename = "type")]
    kind: String,
    organization: String,
    created_at: DateTime<Utc>,
    actor: WebhookActor,
    target: WebhookTarget,
    payload: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct WebhookActor {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct WebhookTarget {
    #[serde(rename = "type")]
    kind: String,
    id: String,
}

impl WebhookEvent {
    /// The body for an event, with the user who caused it.
    pub fn new(delivery: &Delivery, event: &Event, actor: Option<Person>) -> Self {
        let target = event.change.target();
        let (display_name, email) = match actor {
            Some(person) => (Some(person.display_name.to_string()), person.email.map(|email| email.to_string())),
            None => (None, None),
        };
        Self {
            object: "event",
            id: event.id.to_string(),
            schema_version: SCHEMA_VERSION,
            kind: delivery.kind.clone(),
            organization: delivery.organization.to_string(),
            created_at: event.at,
            actor: WebhookActor {
                kind: event.actor_kind(),
                id: event.actor.as_ref().map(ToString::to_string),
                display_name,
                email,
            },
            target: WebhookTarget { kind: target.kind.to_owned(), id: target.id.to_owned() },
            payload: event.change.payload(),
        }
    }

    /// The body of a ping. It has the id of its delivery, and the webhook as its target.
    pub fn ping(delivery: &Delivery) -> Self {
        Self {
            object: "event",
            id: delivery.id.to_string(),
            schema_version: SCHEMA_VERSION,
            kind: PING.to_owned(),
            organization: delivery.organization.to_string(),
            created_at: delivery.created_at,
            actor: WebhookActor { kind: "server", id: None, display_name: None, email: None },
            target: WebhookTarget { kind: "webhook".to_owned(), id: delivery.webhook.to_string() },
            payload: Map::new(),
        }
    }
}
