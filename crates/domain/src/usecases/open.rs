//! Loading an object together with the caller's permissions on it: use cases load organizations and spaces only in this
//! way. Loading does not lock: lock an object before loading it to change it ([`Tx::lock`](crate::ports::Tx::lock)).
use super::work::Work;
use super::{Error, placing};
use crate::access::{
    Access, DefaultLevel, Denied, Granted, Guarded, Level, Membership, OrganizationAccess, Place, account_level, level,
    organization_level,
};
use crate::actor::Actor;
use crate::collection::{Collection, CollectionPermissions};
use crate::id::{CollectionId, OrganizationId, SpaceId, TeamId, UserId};
use crate::organization::{Organization, OrganizationPermissions};
use crate::place::PlaceId;
use crate::ports::store::grants::{MemberGrants, UserGrants};
use crate::ports::store::organizations::Belonging;
use crate::ports::store::spaces::Reach;
use crate::space::{Space, SpacePermissions};
use crate::team::{Team, TeamPermissions, TeamRole};
use crate::user::{User, UserPermissions};
use std::collections::{BTreeSet, HashMap};

fn access(actor: &Actor, level: Level) -> Access {
    match actor {
        Actor::User { user, .. } => Access::new(Some(user.clone()), level),
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

/// Checks access to a loaded organization.
pub(super) fn grant_organization(
    actor: &Actor,
    found: Belonging,
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
    found: Belonging,
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
    reach: Reach<T>,
    need: impl FnOnce(&T::Permissions) -> bool,
) -> Result<Granted<T>, Denied> {
    let outside = level(reach.membership, reach.places.iter().skip(1));
    let access = beside(access(actor, level(reach.membership, &reach.places)), outside);
    Granted::check(reach.entity, &access, need)
}

/// The caller's access to an item in a collection, on which the caller has this level.
fn beside(access: Access, collection: Level) -> Access {
    let sees_outside = access.user.is_none() || collection.reads();
    Access { sees_outside, ..access }
}

/// Checks access to a loaded space. A deleted space is hidden from everyone.
pub(super) fn grant_space(
    actor: &Actor,
    reach: Reach<Space>,
    need: impl FnOnce(&SpacePermissions) -> bool,
) -> Result<Granted<Space>, Denied> {
    if reach.entity.deleted_at.is_some() { Err(Denied::Hidden) } else { grant(actor, reach, need) }
}

/// Checks access to a space of a list.
pub(super) fn grant_listed_space(
    actor: &Actor,
    organization_access: &OrganizationAccess,
    space: Space,
) -> Result<Granted<Space>, Denied> {
    let level = organization_access.space(&space.id, space.parent.as_ref(), space.default_level);
    let outside = space.parent.as_ref().map_or(Level::None, |parent| organization_access.collection(parent));
    Granted::check(space, &beside(access(actor, level), outside), |may| may.view)
}

/// Checks access to a collection of a list.
pub(super) fn grant_listed_collection(
    actor: &Actor,
    organization_access: &OrganizationAccess,
    collection: Collection,
) -> Result<Granted<Collection>, Denied> {
    let level = organization_access.collection(&collection.id);
    let outside = collection.parent.as_ref().map_or(Level::None, |parent| organization_access.collection(parent));
    Granted::check(collection, &beside(access(actor, level), outside), |may| may.view)
}

/// A space or a collection that the caller may manage.
pub(super) struct Managed {
    /// The id.
    pub(super) id: PlaceId,
    /// The organization that owns it.
    pub(super) organization: OrganizationId,
    /// The collection that contains it.
    pub(super) parent: Option<CollectionId>,
    /// Role of members without a grant of their own.
    pub(super) default_level: DefaultLevel,
    /// The caller's access to it.
    pub(super) access: Access,
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
        match self.actor.user() {
            Some(user) => self.access_of(id, user, membership).await,
            None => Ok(OrganizationAccess::operator()),
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
            return Ok(OrganizationAccess::new(membership, HashMap::new(), HashMap::new()));
        }
        let UserGrants { collections, spaces } = self.grants().of_user(id, user).await?;
        Ok(OrganizationAccess::new(membership, collections, spaces))
    }

    /// Loads a team, with its organization, for a caller who needs a permission on the team.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the organization or the team does not exist or is hidden; [`Error::Forbidden`] without the
    /// permission, and for any missing or hidden team if the caller may not list teams.
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
            Some(user) => Ok(self.teams().roles(std::slice::from_ref(id), user).await?.remove(id)),
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

    /// Those of these users who have a permission on a space, in a constant number of queries.
    pub(super) async fn users_who(
        &mut self,
        space: &Space,
        users: &[UserId],
        need: impl Fn(&SpacePermissions) -> bool,
    ) -> Result<BTreeSet<UserId>, Error> {
        let mut places = vec![(PlaceId::Space(space.id.clone()), space.default_level)];
        if let Some(parent) = &space.parent {
            let around = self.collections().around(parent).await?;
            places.extend(around.into_iter().map(|(id, default)| (PlaceId::Collection(id), default)));
        }
        let (ids, defaults): (Vec<_>, Vec<_>) = places.into_iter().unzip();
        let seats = self.grants().of_some_members(&space.organization, users, &ids).await?;
        let has = |seat: &MemberGrants| {
            let grants = seat.grants.iter().cloned().zip(&defaults);
            let places: Vec<Place> = grants.map(|(grants, default)| grants.with(*default)).collect();
            let level = level(Some(seat.membership), &places);
            need(&space.permissions(&Access::new(Some(seat.user.clone()), level)))
        };
        Ok(seats.into_iter().filter(has).map(|seat| seat.user).collect())
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

    async fn found_space(&mut self, id: &SpaceId) -> Result<Reach<Space>, Error> {
        let user = self.actor.user();
        self.spaces().find(id, user).await?.ok_or(Error::NotFound("space"))
    }

    async fn found_collection(&mut self, id: &CollectionId) -> Result<Reach<Collection>, Error> {
        let user = self.actor.user();
        self.collections().find(id, user).await?.ok_or(Error::NotFound("collection"))
    }

    /// Loads a space or a collection for a caller who must be allowed to manage it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(super) async fn managed(&mut self, id: &PlaceId) -> Result<Managed, Error> {
        let (organization, parent, default_level, access) = match id {
            PlaceId::Space(id) => {
                let space = self.space(id, |may| may.admin).await?;
                (space.organization.clone(), space.parent.clone(), space.default_level, space.access().clone())
            }
            PlaceId::Collection(id) => {
                let collection = self.collection(id, |may| may.admin).await?;
                let Collection { organization, parent, default_level, .. } = &*collection;
                (organization.clone(), parent.clone(), *default_level, collection.access().clone())
            }
        };
        Ok(Managed { id: id.clone(), organization, parent, default_level, access })
    }

    /// The same for a unit of work that changes its grants. The place is locked. The organization is locked in shared
    /// mode, so that its members and teams cannot change.
    ///
    /// # Errors
    /// Also [`Error::Conflict`] if it was transferred to another organization at the same time.
    pub(super) async fn managed_to_change(&mut self, id: &PlaceId) -> Result<Managed, Error> {
        let organization = self.managed(id).await?.organization;
        self.keep(&[(&organization).into()]).await?;
        self.lock(&[id.into()]).await?;
        let managed = self.managed(id).await?;
        if managed.organization != organization {
            return Err(placing::moved_meanwhile());
        }
        Ok(managed)
    }

    /// The level that the caller would have on a place with another default level.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist.
    pub(super) async fn level_with(&mut self, place: &PlaceId, default: DefaultLevel) -> Result<Level, Error> {
        let (membership, mut places) = match place {
            PlaceId::Space(id) => {
                let Reach { membership, places, .. } = self.found_space(id).await?;
                (membership, places)
            }
            PlaceId::Collection(id) => {
                let Reach { membership, places, .. } = self.found_collection(id).await?;
                (membership, places)
            }
        };
        if let Some(place) = places.first_mut() {
            place.default = default;
        }
        Ok(access(self.actor, level(membership, &places)).level)
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
