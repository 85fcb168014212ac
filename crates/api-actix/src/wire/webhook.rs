//! Webhooks and their deliveries.
use super::{given, schemas};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::event::Action;
use domain::patch::Patch;
use domain::text::{Invalid, Rule, WebhookDescription};
use domain::usecases::webhooks::ShownDelivery;
use domain::web_address::WebAddress;
use domain::webhook::{
    self, DeliveryState, DisabledReason, NewWebhook as New, Response, Subscription, WebhookPatch, WebhookSecret,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// A webhook: an address that gets a request for each event of an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    #[schema(example = "webhook")]
    object: &'static str,
    id: String,
    #[schema(max_length = 2048)]
    url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(max_length = 200)]
    description: String,
    /// The types of events that are sent, as in the audit log; all, if the list is empty.
    events: Vec<&'static str>,
    /// Whether events are sent.
    enabled: bool,
    /// When it was disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schemas::WebhookDisabledReason>)]
    disabled_reason: Option<DisabledReason>,
    created_at: DateTime<Utc>,
    /// When its settings or its secret last changed.
    updated_at: DateTime<Utc>,
    urls: WebhookUrls,
}

/// URLs of a webhook.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookUrls {
    pub(crate) location: String,
    /// Its deliveries.
    deliveries: String,
}

/// A webhook with its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: Webhook,
    /// The key of the signatures. It is shown only once.
    #[schema(example = "octavo_webhook_…")]
    secret: String,
}

pub(crate) type WebhookList = List<Webhook>;

pub(crate) fn webhook(webhook: webhook::Webhook, links: &Links) -> Webhook {
    let location = links.webhook(&webhook.organization, &webhook.id);
    Webhook {
        object: "webhook",
        urls: WebhookUrls { deliveries: format!("{location}/deliveries"), location },
        id: webhook.id.into(),
        url: webhook.url.into(),
        description: webhook.description.into(),
        events: webhook.events.names(),
        enabled: webhook.disabled.is_none(),
        disabled_at: webhook.disabled.map(|disabled| disabled.at),
        disabled_reason: webhook.disabled.map(|disabled| disabled.reason),
        created_at: webhook.created_at,
        updated_at: webhook.updated_at,
    }
}

pub(crate) fn with_secret(made: (webhook::Webhook, WebhookSecret), links: &Links) -> WebhookWithSecret {
    WebhookWithSecret { webhook: webhook(made.0, links), secret: made.1.reveal().to_owned() }
}

impl WebhookWithSecret {
    pub(crate) fn location(&self) -> String {
        self.webhook.urls.location.clone()
    }
}

/// An event, or a ping, for a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookDelivery {
    #[schema(example = "webhook-delivery")]
    object: &'static str,
    /// The same in every attempt, as in `Octavo-Webhook-Id`.
    id: String,
    /// The type of the event, or `ping`.
    #[serde(rename = "type")]
    #[schema(example = "space_updated")]
    kind: String,
    /// The id of the event in the audit log; absent for a ping.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    /// The delivery that this one repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    redelivery_of: Option<String>,
    #[schema(value_type = schemas::WebhookDeliveryState)]
    state: DeliveryState,
    /// The number of attempts so far.
    attempts: u32,
    created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_attempt_at: Option<DateTime<Utc>>,
    /// The earliest time of the next attempt, while the delivery is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_attempt_at: Option<DateTime<Utc>>,
    /// When it was delivered, failed or stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_response: Option<WebhookResponse>,
    urls: WebhookDeliveryUrls,
}

/// The result of the last attempt.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookResponse {
    /// The status; absent if there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The first 1024 bytes of the body, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Why there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// URLs of a delivery.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookDeliveryUrls {
    location: String,
}

/// A delivery with the body of its requests.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookDeliveryWithPayload {
    #[serde(flatten)]
    delivery: WebhookDelivery,
    /// The body of the requests.
    #[schema(value_type = super::webhook_event::WebhookEvent)]
    payload: webhook::WebhookEvent,
}

pub(crate) type WebhookDeliveryList = List<WebhookDelivery>;

pub(crate) fn delivery(delivery: webhook::Delivery, links: &Links) -> WebhookDelivery {
    let webhook = links.webhook(&delivery.organization, &delivery.webhook);
    let last_response = delivery.response.map(|response| match response {
        Response::Status { status, body } => WebhookResponse { status: Some(status), body: Some(body), error: None },
        Response::None(reason) => WebhookResponse { status: None, body: None, error: Some(reason) },
    });
    WebhookDelivery {
        object: "webhook-delivery",
        urls: WebhookDeliveryUrls { location: format!("{webhook}/deliveries/{}", delivery.id) },
        id: delivery.id.into(),
        kind: delivery.kind,
        event: delivery.event.map(String::from),
        redelivery_of: delivery.repeats.map(String::from),
        state: delivery.state,
        attempts: delivery.attempts,
        created_at: delivery.created_at,
        last_attempt_at: delivery.last_attempt_at,
        next_attempt_at: delivery.next_attempt_at,
        finished_at: delivery.finished_at,
        last_response,
    }
}

pub(crate) fn with_payload(shown: ShownDelivery, links: &Links) -> WebhookDeliveryWithPayload {
    WebhookDeliveryWithPayload { delivery: delivery(shown.delivery, links), payload: shown.body }
}

impl WebhookDeliveryWithPayload {
    pub(crate) fn location(&self) -> String {
        self.delivery.urls.location.clone()
    }
}

/// The types of events in a request.
fn subscription(names: &[String]) -> Result<Subscription, Invalid> {
    let kind = |(at, name): (usize, &String)| Subscription::kind(name).map_err(|rule| rule.of(format!("events[{at}]")));
    let kinds = names.iter().enumerate().map(kind).collect::<Result<Vec<Action>, Invalid>>()?;
    Ok(Subscription::new(&kinds))
}

/// A webhook to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateWebhook {
    /// An `http` or `https` URL.
    #[schema(value_type = String, max_length = 2048)]
    url: WebAddress,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 200)]
    description: Option<WebhookDescription>,
    /// The types of events to send, as in the audit log. If the list is empty or absent, all types are sent, also those
    /// of later versions.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Vec<String>)]
    events: Option<Vec<String>>,
    /// Whether to send events; true if absent.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    enabled: Option<bool>,
}

impl Wire for CreateWebhook {
    type Command = New;

    fn command(self) -> Result<New, Invalid> {
        let description = self.description.unwrap_or_else(|| WebhookDescription::fitted("", ""));
        let events = subscription(&self.events.unwrap_or_default())?;
        Ok(New { url: self.url, description, events, enabled: self.enabled.unwrap_or(true) })
    }
}

/// Changes to a webhook.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateWebhook {
    /// An `http` or `https` URL.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = String, max_length = 2048)]
    url: Option<WebAddress>,
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    description: Patch<WebhookDescription>,
    /// The types of events to send; an empty list for all.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Vec<String>)]
    events: Option<Vec<String>>,
    /// Whether to send events. `false` also stops the pending deliveries.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = bool)]
    enabled: Option<bool>,
}

impl Wire for UpdateWebhook {
    type Command = WebhookPatch;

    fn command(self) -> Result<WebhookPatch, Invalid> {
        let events = self.events.as_deref().map(subscription).transpose()?;
        Ok(WebhookPatch { url: self.url, description: self.description, events, enabled: self.enabled })
    }
}

/// Filters of the list of deliveries.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WebhookDeliveryParams {
    /// Only deliveries in this state.
    #[param(value_type = Option<schemas::WebhookDeliveryState>)]
    state: Option<String>,
}

impl Wire for WebhookDeliveryParams {
    type Command = Option<DeliveryState>;

    fn command(self) -> Result<Option<DeliveryState>, Invalid> {
        self.state.map(|raw| raw.parse().map_err(|rule: Rule| rule.of("state"))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    fn new(body: &str) -> Result<New, Invalid> {
        read_json::<CreateWebhook>(body.as_bytes())?.command()
    }

    fn patch(body: &str) -> Result<WebhookPatch, Invalid> {
        read_json::<UpdateWebhook>(body.as_bytes())?.command()
    }

    #[rstest]
    #[case("{}", "url")]
    #[case(r#"{"url":null}"#, "url")]
    #[case(r#"{"url":"ftp://example.org/"}"#, "url")]
    #[case(r#"{"url":"https://user:password@example.org/"}"#, "url")]
    #[case(r#"{"url":"https://example.org/","events":null}"#, "events")]
    #[case(r#"{"url":"https://example.org/","events":["space_created","access_denied"]}"#, "events[1]")]
    #[case(r#"{"url":"https://example.org/","enabled":"yes"}"#, "enabled")]
    fn a_field_that_breaks_a_rule_is_named(#[case] body: &str, #[case] field: &str) {
        assert_eq!(new(body).unwrap_err().field, field);
    }

    #[test]
    fn a_description_has_at_most_200_characters() {
        let body = |length: usize| format!(r#"{{"url":"https://a.b/","description":"{}"}}"#, "é".repeat(length));
        assert!(new(&body(200)).is_ok());
        assert_eq!(new(&body(201)).unwrap_err().field, "description");
    }

    #[test]
    fn an_absent_list_of_types_means_all_and_the_webhook_is_enabled() {
        let new = new(r#"{"url":"https://example.org/"}"#).unwrap();
        assert_eq!((new.events, new.enabled), (Subscription::default(), true));
    }

    #[test]
    fn only_a_description_can_be_cleared() {
        let cleared = patch(r#"{"description":null}"#).unwrap();
        assert_eq!(cleared, WebhookPatch { description: Patch::Clear, ..WebhookPatch::default() });
        for field in ["url", "events", "enabled"] {
            assert_eq!(patch(&format!(r#"{{"{field}":null}}"#)).unwrap_err().field, field);
        }
        assert_eq!(patch("{}").unwrap(), WebhookPatch::default());
    }

    #[test]
    fn an_unknown_state_is_refused_with_those_that_are_known() {
        let filter = |query| read_query::<WebhookDeliveryParams>(query)?.command();
        assert_eq!(filter("state=failed"), Ok(Some(DeliveryState::Failed)));
        assert_eq!(filter(""), Ok(None));
        assert_eq!(filter("state=lost").unwrap_err().rule, "must be one of pending, delivered, failed, stopped");
    }
}
