//! Loading something together with the caller's right to it: the only way to an organization or a space here.
use super::Error;
use crate::access::{Access, Denied, Granted, Guarded, Level, level, organization_level};
use crate::actor::Actor;
use crate::id::{OrganizationId, SpaceId};
use crate::idempotency::MEMORY;
use crate::organization::{Organization, OrganizationPermissions};
use crate::ports::store::spaces::Reach;
use crate::ports::{Clock, Store, StoreError, Tx};
use crate::space::{Space, SpacePermissions};

fn access(actor: &Actor, level: Level) -> Access {
    match actor {
        Actor::User { user, .. } => Access { user: Some(user.clone()), level },
        Actor::Operator => Access { user: None, level: Level::Admin },
    }
}

/// Decides on an organization that is loaded.
pub(super) fn grant_organization(
    actor: &Actor,
    (organization, membership): (Organization, Option<crate::access::Membership>),
    need: impl FnOnce(&OrganizationPermissions) -> bool,
) -> Result<Granted<Organization>, Denied> {
    Granted::check(organization, &access(actor, organization_level(membership)), need)
}

/// Decides on a space that is loaded. A deleted space is hidden from everyone.
pub(super) fn grant_space(
    actor: &Actor,
    reach: Reach,
    need: impl FnOnce(&SpacePermissions) -> bool,
) -> Result<Granted<Space>, Denied> {
    if reach.space.deleted_at.is_some() {
        return Err(Denied::Hidden);
    }
    Granted::check(reach.space, &access(actor, level(reach.membership, &reach.places)), need)
}

/// Opens a unit of work that writes, for a caller whose token is still good: between the first byte of a request and
/// its last, the token may have been withdrawn. A request that must not be done twice is remembered with what it does.
///
/// # Errors
/// [`Error::Unauthenticated`] when it was; [`Error::Conflict`] when the same request is being done at this moment.
pub(super) async fn write(store: &dyn Store, clock: &dyn Clock, actor: &Actor) -> Result<Box<dyn Tx>, Error> {
    let mut tx = store.write().await?;
    if let Actor::User { user, token, once } = actor {
        let now = clock.now();
        let known = tx.tokens().find(token).await?;
        if known.is_none_or(|token| !token.is_valid(now)) {
            return Err(Error::Unauthenticated("the token was withdrawn while the request was under way"));
        }
        if let Some(once) = once {
            let begun = tx.idempotency().begin(user, once, now, now - MEMORY).await;
            begun.map_err(|error| match error {
                StoreError::Conflict(_) => {
                    Error::Conflict("a request with this Idempotency-Key is under way: try again later".into())
                }
                other => other.into(),
            })?;
        }
    }
    Ok(tx)
}

/// Loads an organization for a caller who must have a right to it.
///
/// # Errors
/// [`Error::NotFound`] when it is not there or hidden, [`Error::Forbidden`] when the right is missing.
pub(super) async fn organization(
    tx: &mut dyn Tx,
    actor: &Actor,
    id: &OrganizationId,
    need: impl FnOnce(&OrganizationPermissions) -> bool,
) -> Result<Granted<Organization>, Error> {
    let found = tx.organizations().find(id, actor.user()).await?.ok_or(Error::NotFound("organization"))?;
    grant_organization(actor, found, need).map_err(Error::denied("organization"))
}

/// Loads a space for a caller who must have a right to it.
///
/// # Errors
/// [`Error::NotFound`] when it is not there or hidden, [`Error::Forbidden`] when the right is missing.
pub(super) async fn space(
    tx: &mut dyn Tx,
    actor: &Actor,
    id: &SpaceId,
    need: impl FnOnce(&SpacePermissions) -> bool,
) -> Result<Granted<Space>, Error> {
    let found = tx.spaces().find(id, actor.user()).await?.ok_or(Error::NotFound("space"))?;
    grant_space(actor, found, need).map_err(Error::denied("space"))
}

/// The state a caller says an object must be in, such as an `If-Match` header asks.
pub struct Precondition<T: Guarded>(Option<Matches<T>>);

type Matches<T> = Box<dyn Fn(&Granted<T>) -> bool + Send + Sync>;

impl<T: Guarded> Precondition<T> {
    /// Any state will do.
    pub fn none() -> Self {
        Self(None)
    }

    /// Only a state for which `matches` holds.
    pub fn that(matches: impl Fn(&Granted<T>) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(matches)))
    }

    /// Stops with [`Error::PreconditionFailed`] when the object is in another state.
    pub(super) fn check(&self, object: &Granted<T>) -> Result<(), Error> {
        match &self.0 {
            Some(matches) if !matches(object) => Err(Error::PreconditionFailed(
                "it changed since you read it: read it again, then repeat the change".into(),
            )),
            _ => Ok(()),
        }
    }
}
