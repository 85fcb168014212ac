//! What the content tokens of sites open.
use super::Error;
use crate::access::Access;
use crate::actor::Actor;
use crate::site::visitor::SiteVisitor;

/// The access of a caller to an object that a visit shows if `sees` says so. Only here a content token opens anything.
pub(super) fn visiting(actor: &Actor, access: Access, sees: impl FnOnce(&SiteVisitor) -> bool) -> Access {
    let visits = actor.visitor().is_some_and(|visitor| sees(visitor));
    Access { visits, ..access }
}

/// Refuses visitors of sites with [`Error::Forbidden`], for operations that are about no object of a site.
pub(super) fn no_visitor(actor: &Actor) -> Result<(), Error> {
    match actor.visitor() {
        Some(_) => Err(Error::Forbidden("a content token opens only the content that it is for".into())),
        None => Ok(()),
    }
}
