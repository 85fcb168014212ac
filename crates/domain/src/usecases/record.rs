//! Recording events.
use crate::actor::Actor;
use crate::event::{Change, Event};
use crate::id::OrganizationId;
use crate::ports::{Ids, StoreResult, Tx};
use chrono::{DateTime, Utc};

/// Adds an event to the unit of work, with the actor and the source of the change.
pub(super) async fn record(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    organization: Option<&OrganizationId>,
    at: DateTime<Utc>,
    change: Change,
) -> StoreResult<()> {
    let token = match actor {
        Actor::User { token, .. } => Some(token.clone()),
        Actor::Operator | Actor::Server => None,
    };
    let event = Event {
        id: ids.make(),
        organization: organization.cloned(),
        actor: actor.user().cloned(),
        token,
        source: actor.source(),
        client: actor.client().cloned(),
        at,
        change,
    };
    tx.events().record(&event).await
}
