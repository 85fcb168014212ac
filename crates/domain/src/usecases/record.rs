//! Recording what was done.
use crate::actor::Actor;
use crate::event::{Change, Event};
use crate::id::OrganizationId;
use crate::ports::{Ids, StoreResult, Tx};
use chrono::{DateTime, Utc};

/// Adds an event to the unit of work that did it.
pub(super) async fn record(
    tx: &mut dyn Tx,
    ids: &dyn Ids,
    actor: &Actor,
    organization: Option<&OrganizationId>,
    at: DateTime<Utc>,
    change: Change,
) -> StoreResult<()> {
    let (user, token) = match actor {
        Actor::User { user, token, once: _ } => (Some(user.clone()), Some(token.clone())),
        Actor::Operator => (None, None),
    };
    let event = Event { id: ids.make(), organization: organization.cloned(), actor: user, token, at, change };
    tx.events().record(&event).await
}
