//! Loading an object together with the caller's permissions on it: use cases load organizations and spaces only in this
//! way. Loading does not lock: lock an object before loading it to change it ([`Tx::lock`](crate::ports::Tx::lock)).
mod managed;
mod several;

use super::Error;
use super::visiting::with_visit;
use super::work::Work;
use crate::access::{
    Access, Denied, Granted, Guarded, Level, Membership, OrganizationAccess, Place, UserGrants, account_level, level,
    organization_level, site_level,
};
use crate::actor::Actor;
use crate::collection::{Collection, CollectionPermissions};
use crate::id::{CollectionId, OrganizationId, SiteId, SpaceId, TeamId, UserId};
use crate::organization::{Organization, OrganizationPermissions};
use crate::ports::store::organizations::OrganizationForUser;
use crate::ports::store::spaces::ForUser;
use crate::scope::{Scope, Wanted};
use crate::site::{Site, SitePermissions};
use crate::space::{Space, SpacePermissions};
use crate::team::{Team, TeamPermissions, TeamRole};
use crate::user::{User, UserPermissions};
pub(super) use managed::{KnownPermissions, Managed, Rules};
pub(super) use several::SeveralOrganizations;

fn access(actor: &Actor, level: Level) -> Access {
    match actor {
        Actor::User { user, .. } => Access::new(Some(user.clone()), level),
        Actor::Visitor(_) => Access { sees_outside: false, ..Access::new(None, Level::None) },
        Actor::Operator | Actor::Server => Access::new(None, Level::Admin),
    }
}

/// The account of a caller, for operations that require one.
///
/// # Errors
/// [`Error::Forbidden`] for the operator, who has none.
pub(super) fn account(actor: &Actor) -> Result<UserId, Error> {
    let none = || Error::Forbidden("only a user account can do this: use a token".into());
    actor.user().cloned().ok_or_else(none)
}

/// Checks that the token of a caller has a scope that an operation needs for some input, besides that of the operation.
///
/// # Errors
/// [`Error::Forbidden`] names the missing scope.
pub(super) fn require_scope(actor: &Actor, scope: Scope) -> Result<(), Error> {
    actor.scopes().check(Wanted::Scope(scope)).map_err(|rule| Error::Forbidden(rule.0))
}

/// Checks access to a loaded organization.
pub(super) fn grant_organization(
    actor: &Actor,
    found: OrganizationForUser,
    need: impl FnOnce(&OrganizationPermissions) -> bool,
) -> Result<Granted<Organization>, Denied> {
    let team = found.owns_team.then_some(TeamRole::Owner);
    let access = Access { team, ..access(actor, organization_level(found.membership)) };
    Granted::check(found.organization, &access, need)
}

/// Checks access to a loaded organization, for a caller who may also join it by a verified address of one of its
/// domains. A caller whose membership is disabled may not join.
pub(super) fn grant_joinable(
    actor: &Actor,
    found: OrganizationForUser,
    verified_domain: Option<&str>,
) -> Result<Granted<Organization>, Denied> {
    let admitted = verified_domain.is_some_and(|domain| found.organization.admits(domain));
    let joins = admitted && found.membership.is_none();
    let team = found.owns_team.then_some(TeamRole::Owner);
    let access = Access { team, joins, ..access(actor, organization_level(found.membership)) };
    Granted::check(found.organization, &access, |may| may.view || may.join)
}

/// Checks access to a loaded team for a caller with `role` in it.
pub(super) fn grant_team(
    organization: &Granted<Organization>,
    team: Team,
    role: Option<TeamRole>,
    need: impl FnOnce(&TeamPermissions) -> bool,
) -> Result<Granted<Team>, Denied> {
    Granted::check(team, &Access { team: role, ..organization.access().clone() }, need)
}

/// Checks access to a loaded space or collection.
fn grant<T: Guarded>(
    actor: &Actor,
    found: ForUser<T>,
    need: impl FnOnce(&T::Permissions) -> bool,
) -> Result<Granted<T>, Denied> {
    let access = access_to(actor, &found);
    Granted::check(found.entity, &access, need)
}

/// The caller's access to a space or a collection.
fn access_to<T>(actor: &Actor, found: &ForUser<T>) -> Access {
    let outside = level(found.membership, found.places.iter().skip(1));
    with_outside(actor, access(actor, level(found.membership, &found.places)), outside)
}

/// The caller's access to an item in a collection, on which the caller has this level.
fn with_outside(actor: &Actor, access: Access, collection: Level) -> Access {
    Access { sees_outside: actor.operates() || collection.reads(), ..access }
}

/// Checks access to a loaded space. A deleted space is hidden from everyone.
pub(super) fn grant_space(
    actor: &Actor,
    found: ForUser<Space>,
    need: impl FnOnce(&SpacePermissions) -> bool,
) -> Result<Granted<Space>, Denied> {
    if found.entity.deleted_at.is_some() {
        return Err(Denied::Hidden);
    }
    let access = with_visit(actor, access_to(actor, &found), |visitor| visitor.sees_space(&found.entity.id));
    let entity = if access.only_visits() { found.entity.without_internals() } else { found.entity };
    Granted::check(entity, &access, need)
}

/// Checks access to a space of a list.
pub(super) fn grant_listed_space(
    actor: &Actor,
    organization_access: &OrganizationAccess,
    space: Space,
) -> Result<Granted<Space>, Denied> {
    let level = organization_access.space(&space.id, space.parent.as_ref(), space.default_level);
    let outside = space.parent.as_ref().map_or(Level::None, |parent| organization_access.collection(parent));
    let access =
        with_visit(actor, with_outside(actor, access(actor, level), outside), |visitor| visitor.sees_space(&space.id));
    let space = if access.only_visits() { space.without_internals() } else { space };
    Granted::check(space, &access, |may| may.read)
}

/// Checks access to a collection of a list.
pub(super) fn grant_listed_collection(
    actor: &Actor,
    organization_access: &OrganizationAccess,
    collection: Collection,
) -> Result<Granted<Collection>, Denied> {
    let level = organization_access.collection(&collection.id);
    let outside = collection.parent.as_ref().map_or(Level::None, |parent| organization_access.collection(parent));
    Granted::check(collection, &with_outside(actor, access(actor, level), outside), |may| may.view)
}

/// Checks access to a site of a list. `reads_a_space` returns whether the caller may read any space on it.
pub(super) fn grant_listed_site(
    actor: &Actor,
    organization_access: &OrganizationAccess,
    site: Site,
    reads_a_space: impl FnOnce() -> bool,
) -> Result<Granted<Site>, Denied> {
    let level = organization_access.site(&site.id, reads_a_space);
    Granted::check(site, &access(actor, level), |may| may.view)
}

impl Work<'_> {
    /// Loads an organization for a caller who needs a permission on it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(super) async fn organization(
        &mut self,
        id: &OrganizationId,
        need: impl FnOnce(&OrganizationPermissions) -> bool,
    ) -> Result<Granted<Organization>, Error> {
        let user = self.actor.user();
        let found = self.organizations().find(id, user).await?.ok_or(Error::NotFound("organization"))?;
        grant_organization(self.actor, found, need).map_err(Error::denied("organization"))
    }

    /// The same, with the caller's access to all content of the organization.
    ///
    /// # Errors
    /// As [`Self::organization`].
    pub(super) async fn organization_with_access(
        &mut self,
        id: &OrganizationId,
        need: impl FnOnce(&OrganizationPermissions) -> bool,
    ) -> Result<(Granted<Organization>, OrganizationAccess), Error> {
        let user = self.actor.user();
        let found = self.organizations().find(id, user).await?.ok_or(Error::NotFound("organization"))?;
        let membership = found.membership;
        let organization = grant_organization(self.actor, found, need).map_err(Error::denied("organization"))?;
        Ok((organization, self.access_of_caller(id, membership).await?))
    }

    /// The caller's access to all content of the organization of an object that is already loaded.
    pub(super) async fn organization_access(&mut self, id: &OrganizationId) -> Result<OrganizationAccess, Error> {
        let user = self.actor.user();
        let found = self.organizations().find(id, user).await?;
        self.access_of_caller(id, found.and_then(|found| found.membership)).await
    }

    async fn access_of_caller(
        &mut self,
        id: &OrganizationId,
        membership: Option<Membership>,
    ) -> Result<OrganizationAccess, Error> {
        match self.actor {
            Actor::User { user, .. } => self.access_of(id, user, membership).await,
            Actor::Visitor(_) => Ok(OrganizationAccess::default()),
            Actor::Operator | Actor::Server => Ok(OrganizationAccess::operator()),
        }
    }

    /// The access of a user to all content of an organization.
    pub(super) async fn access_of(
        &mut self,
        id: &OrganizationId,
        user: &UserId,
        membership: Option<Membership>,
    ) -> Result<OrganizationAccess, Error> {
        if !OrganizationAccess::depends_on_places(membership) {
            return Ok(OrganizationAccess::new(membership, UserGrants::default()));
        }
        Ok(OrganizationAccess::new(membership, self.grants().of_user(std::slice::from_ref(id), user).await?))
    }

    /// Loads a team, with its organization, for a caller who needs a permission on the team.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the organization or the team does not exist or is hidden; [`Error::Forbidden`] without
    /// the permission, and for any missing or hidden team if the caller may not list teams.
    pub(super) async fn team(
        &mut self,
        organization: &OrganizationId,
        id: &TeamId,
        need: impl FnOnce(&TeamPermissions) -> bool,
    ) -> Result<(Granted<Organization>, Granted<Team>), Error> {
        let home = self.organization(organization, |may| may.view).await?;
        let hidden = || match home.permissions().list_teams {
            true => Error::NotFound("team"),
            false => Error::denied("organization")(Denied::Forbidden),
        };
        let team = self.teams().find(organization, id).await?.ok_or_else(hidden)?;
        let role = self.role_in_team(id).await?;
        let team = grant_team(&home, team, role, need).map_err(|denied| match denied {
            Denied::Hidden => hidden(),
            Denied::Forbidden => Error::denied("team")(denied),
        })?;
        Ok((home, team))
    }

    /// The caller's role in a team; `None` if the caller does not belong to it.
    pub(super) async fn role_in_team(&mut self, id: &TeamId) -> Result<Option<TeamRole>, Error> {
        match self.actor.user() {
            Some(user) => Ok(self.teams().roles_of_user(std::slice::from_ref(id), user).await?.remove(id)),
            None => Ok(None),
        }
    }

    /// Loads a space for a caller who needs a permission on it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(super) async fn space(
        &mut self,
        id: &SpaceId,
        need: impl FnOnce(&SpacePermissions) -> bool,
    ) -> Result<Granted<Space>, Error> {
        let found = self.found_space(id).await?;
        grant_space(self.actor, found, need).map_err(Error::denied("space"))
    }

    /// Loads a site of an organization for a caller who needs a permission on it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(super) async fn site(
        &mut self,
        organization: &OrganizationId,
        id: &SiteId,
        need: impl FnOnce(&SitePermissions) -> bool,
    ) -> Result<Granted<Site>, Error> {
        let user = self.actor.user();
        let found = self.sites().find(id, user).await?.filter(|found| found.entity.organization == *organization);
        let level = |reads| {
            let (membership, place) = found.as_ref().map(|found| (found.membership, found.places.first()))?;
            Some(site_level(membership, place.unwrap_or(&Place::default()), reads))
        };
        let mut access_to = level(false).unwrap_or(Level::None);
        // Queried even if the site does not exist, so that the response takes as long as for a hidden site.
        if !access_to.reads() && user.is_some() {
            let reads = self.reads_a_space_of(organization, id).await?;
            access_to = level(reads).unwrap_or(Level::None);
        }
        let entity = found.ok_or(Error::NotFound("site"))?.entity;
        let access = with_visit(self.actor, access(self.actor, access_to), |visitor| visitor.sees_site(&entity.id));
        let entity = if access.only_visits() { entity.without_internals() } else { entity };
        Granted::check(entity, &access, need).map_err(Error::denied("site"))
    }

    /// Whether the caller may read any space of a site.
    async fn reads_a_space_of(&mut self, organization: &OrganizationId, id: &SiteId) -> Result<bool, Error> {
        let organization_access = self.organization_access(organization).await?;
        let links = self.sites().links(organization, Some(id)).await?;
        let spaces = links.into_iter().map(|(_, space)| space).collect();
        Ok(!self.readable_spaces(&organization_access, spaces).await?.is_empty())
    }

    /// Loads a deleted space for a caller who could delete it if it were not deleted. It is hidden from all others.
    ///
    /// # Errors
    /// [`Error::NotFound`]; for a space that is not deleted, the errors of [`Self::space`] and [`Error::Conflict`].
    pub(super) async fn deleted_space(&mut self, id: &SpaceId) -> Result<Granted<Space>, Error> {
        let found = self.found_space(id).await?;
        let deleted = found.entity.deleted_at.is_some();
        match grant(self.actor, found, |may| may.admin) {
            Ok(space) if deleted => Ok(space),
            Ok(_there) => Err(Error::Conflict("the space is not deleted".into())),
            Err(_hidden) if deleted => Err(Error::NotFound("space")),
            Err(denied) => Err(Error::denied("space")(denied)),
        }
    }

    /// Loads a collection for a caller who needs a permission on it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(super) async fn collection(
        &mut self,
        id: &CollectionId,
        need: impl FnOnce(&CollectionPermissions) -> bool,
    ) -> Result<Granted<Collection>, Error> {
        let found = self.found_collection(id).await?;
        if found.entity.deleted_at.is_some() {
            return Err(Error::NotFound("collection"));
        }
        grant(self.actor, found, need).map_err(Error::denied("collection"))
    }

    async fn found_space(&mut self, id: &SpaceId) -> Result<ForUser<Space>, Error> {
        let user = self.actor.user();
        self.spaces().find(id, user).await?.ok_or(Error::NotFound("space"))
    }

    async fn found_collection(&mut self, id: &CollectionId) -> Result<ForUser<Collection>, Error> {
        let user = self.actor.user();
        self.collections().find(id, user).await?.ok_or(Error::NotFound("collection"))
    }

    /// Loads an account for a caller who needs a permission on it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(super) async fn user(
        &mut self,
        id: &UserId,
        need: impl FnOnce(&UserPermissions) -> bool,
    ) -> Result<Granted<User>, Error> {
        let found = self.users().find(id).await?;
        // Queried even if the account does not exist, so that the response takes as long as for a hidden account.
        let level = match self.actor.user() {
            Some(own) if own == id => account_level(true, &[]),
            Some(other) => account_level(false, &self.users().shared_memberships(other, id).await?),
            None => Level::None,
        };
        let found = found.ok_or(Error::NotFound("user"))?;
        Granted::check(found, &access(self.actor, level), need).map_err(Error::denied("user"))
    }
}
