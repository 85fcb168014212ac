//! Audit events.
use super::moment;
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::actor::Client;
use domain::event::{Action, Event, SCHEMA_VERSION};
use domain::id::UserId;
use domain::ports::store::events::EventFilter;
use domain::text::{Invalid, Rule};
use domain::usecases::audit::ShownEvent;
use domain::user::Person;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// An audit event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditEvent {
    #[schema(example = "audit-event")]
    object: &'static str,
    id: String,
    /// The version of the event format. It increases when a field changes its meaning.
    schema_version: u32,
    occurred_at: DateTime<Utc>,
    /// The event type, as listed by `audit-event-actions`.
    #[schema(example = "space_updated")]
    action: &'static str,
    /// The source: `api` is a request with a token, `cli` the server's command line, `server` the server itself.
    #[schema(example = "api")]
    source: &'static str,
    actor: AuditActor,
    target: AuditTarget,
    /// The id of the request that caused the event, as in its `X-Request-Id` and in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<AuditClient>,
    /// Details of the event, by type: the ids concerned and, where settings changed, `changes` with each value before
    /// and after.
    payload: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    urls: Option<AuditEventUrls>,
}

/// The actor of an event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditActor {
    /// `user`; `operator` for the server's command line; `server` for the server itself.
    #[serde(rename = "type")]
    #[schema(example = "user")]
    kind: &'static str,
    /// The account, if the actor is a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    /// The email address, if the user is a member of the organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// The id of the token that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// The target of an event.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditTarget {
    /// The kind of the target.
    #[serde(rename = "type")]
    #[schema(example = "space")]
    kind: String,
    id: String,
}

/// The client that sent the request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AuditClient {
    /// The address of the client, as seen by the server and its trusted proxies.
    address: String,
    /// The `User-Agent` of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
}

/// URLs of an event.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEventUrls {
    location: String,
}

pub(crate) type AuditEventList = List<AuditEvent>;

fn actor(event: &Event, person: Option<Person>) -> AuditActor {
    let (display_name, email) = match person {
        Some(person) => (Some(person.display_name.into()), person.email.map(String::from)),
        None => (None, None),
    };
    AuditActor {
        kind: event.actor_kind(),
        id: event.actor.as_ref().map(ToString::to_string),
        display_name,
        email,
        token: event.token.as_ref().map(ToString::to_string),
    }
}

pub(crate) fn audit_event(ShownEvent { event, actor: person }: ShownEvent, links: &Links) -> AuditEvent {
    let (actor, target) = (actor(&event, person), event.change.target());
    let location = event.organization.as_ref().map(|organization| links.audit_event(organization, &event.id));
    let target = AuditTarget { kind: target.kind.to_owned(), id: target.id.to_owned() };
    let (action, payload) = (event.change.action(), event.change.payload());
    let (correlation_id, client) = event.client.as_deref().map(client).unzip();
    AuditEvent {
        object: "audit-event",
        id: event.id.into(),
        schema_version: SCHEMA_VERSION,
        occurred_at: event.at,
        action,
        source: event.source.as_str(),
        actor,
        target,
        correlation_id,
        client,
        payload,
        urls: location.map(|location| AuditEventUrls { location }),
    }
}

fn client(client: &Client) -> (String, AuditClient) {
    let Client { address, user_agent, request } = client.clone();
    (request, AuditClient { address, user_agent })
}

/// Filters of the list of audit events.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditEventParams {
    /// Only events at this time or later.
    #[param(value_type = Option<DateTime<Utc>>)]
    from: Option<String>,
    /// Only events at this time or earlier.
    #[param(value_type = Option<DateTime<Utc>>)]
    to: Option<String>,
    /// Only events of this type.
    action: Option<String>,
    /// Only events caused by this user.
    actor: Option<String>,
    /// Only events on the target with this id.
    target: Option<String>,
}

impl Wire for AuditEventParams {
    type Command = EventFilter;

    fn command(self) -> Result<EventFilter, Invalid> {
        let time = |field, raw: Option<String>| raw.map(|raw| moment(field, &raw)).transpose();
        let action = self.action.map(|raw| raw.parse().map_err(|rule: Rule| rule.of("action"))).transpose()?;
        let wrong = |error: domain::id::InvalidId| Invalid::new("actor", error.to_string());
        let actor: Option<UserId> = self.actor.map(|raw| raw.parse().map_err(wrong)).transpose()?;
        let (from, to) = (time("from", self.from)?, time("to", self.to)?);
        Ok(EventFilter { organization: None, from, to, action, actor, target: self.target })
    }
}

/// An event type.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEventAction {
    #[schema(example = "audit-event-action")]
    object: &'static str,
    /// The name of the type; it never changes.
    #[schema(example = "space_updated")]
    id: &'static str,
    /// The name for display.
    #[schema(example = "Space updated")]
    label: &'static str,
}

/// All event types.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEventActions {
    items: Vec<AuditEventAction>,
}

pub(crate) fn actions(all: &'static [Action]) -> AuditEventActions {
    let items = all.iter().map(|Action { id, label }| AuditEventAction { object: "audit-event-action", id, label });
    AuditEventActions { items: items.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_query;
    use rstest::rstest;

    fn filter(query: &str) -> Result<EventFilter, Invalid> {
        read_query::<AuditEventParams>(query)?.command()
    }

    #[rstest]
    #[case("from=yesterday", "from")]
    #[case("to=2030-01-31", "to")]
    #[case("action=space_exploded", "action")]
    #[case("actor=a/b", "actor")]
    fn a_filter_that_cannot_be_met_is_named(#[case] query: &str, #[case] field: &str) {
        assert_eq!(filter(query).unwrap_err().field, field);
    }

    #[test]
    fn every_filter_may_be_left_out() {
        assert_eq!(filter(""), Ok(EventFilter::default()));
        let filter = filter("from=2026-01-01T00:00:00Z&action=space_created&actor=ada&target=s").unwrap();
        assert_eq!((filter.action.unwrap().id, filter.actor.unwrap().as_str()), ("space_created", "ada"));
        assert_eq!((filter.from.is_some(), filter.to, filter.target.as_deref()), (true, None, Some("s")));
    }
}
