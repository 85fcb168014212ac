//! The OpenAPI schema of the requests that webhooks get. A test compares it with a real request.
use super::audit::AuditTarget;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An event of the audit log, as a webhook gets it: without the client of the request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookEvent {
    #[schema(pattern = "^event$")]
    object: String,
    /// The id of the event in the audit log. It is the same in every delivery of the event. A ping has the id of its
    /// delivery.
    id: String,
    /// The version of the event format. It increases when a field changes its meaning.
    schema_version: u32,
    /// The type of the event.
    #[serde(rename = "type")]
    #[schema(example = "space_updated")]
    kind: String,
    /// The id of the organization.
    organization: String,
    /// When it happened.
    created_at: DateTime<Utc>,
    actor: WebhookActor,
    target: AuditTarget,
    /// Details of the event, by type, as in the audit log.
    payload: Map<String, Value>,
}

/// The actor of an event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookActor {
    /// `user`; `operator` for the server's command line; `server` for the server itself.
    #[serde(rename = "type")]
    #[schema(example = "user")]
    kind: String,
    /// The account, if the actor is a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The name of the account when the request is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    /// The email address of the account when the request is sent, if the user is then a member of the organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
}
