//! Access with content tokens, which visitors of sites have.
use super::Error;
use crate::access::Access;
use crate::actor::Actor;
use crate::site::visitor::SiteVisitor;

/// Adds read access for a visitor if the visit shows the object, which `sees` decides. Content tokens get access only
/// here.
pub(super) fn with_visit(actor: &Actor, access: Access, sees: impl FnOnce(&SiteVisitor) -> bool) -> Access {
    let visits = actor.visitor().is_some_and(|visitor| sees(visitor));
    Access { visits, ..access }
}

/// Refuses visitors of sites with [`Error::Forbidden`], for operations outside the content of a site.
pub(super) fn deny_visitors(actor: &Actor) -> Result<(), Error> {
    match actor.visitor() {
        Some(_) => Err(Error::Forbidden("a content token opens only the content that it is for".into())),
        None => Ok(()),
    }
}
