//! Invites: users invited by email address become members immediately; an invite link is valid for anyone who has it.
mod accept;
mod by_address;

pub use by_address::{InvitePeople, Invited, MAX_INVITED};

use super::permissions::check_ceiling;
use super::spaces::ShownSpace;
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{Access, Denied, Granted, Role};
use crate::actor::Actor;
use crate::collection::Collection;
use crate::event::{Change, Differences};
use crate::id::{CollectionId, InviteId, OrganizationId, SpaceId};
use crate::invite::{Gift, InviteSeal, LinkInvite};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::place::PlaceId;
use crate::scope::{Scope, Wanted};
use crate::text::Invalid;
use std::collections::HashMap;

/// Creates, reads, updates and accepts invites.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Invites {
    pub units: Units,
    pub seal: InviteSeal,
}

/// The target of an invite, for a caller who may invite to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Door {
    /// The organization.
    Organization(Access),
    /// A space.
    Space(Box<ShownSpace>),
    /// A collection.
    Collection(Box<Granted<Collection>>),
}

impl Door {
    /// The caller's access to it.
    fn access(&self) -> &Access {
        match self {
            Self::Organization(access) => access,
            Self::Space(space) => space.access(),
            Self::Collection(collection) => collection.access(),
        }
    }
}

/// An invite with all data of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownInvite {
    /// The code: anyone who has it can accept the invite.
    pub code: String,
    /// What it gives.
    pub gift: Gift,
    /// The target.
    pub door: Door,
    /// Whether the caller already has this access.
    pub redundant: bool,
}

/// A change to what an invite gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GiftPatch {
    /// The role in the organization; `Some(None)` makes guests.
    pub role: Option<Option<Role>>,
    /// The level on the space or collection.
    pub level: Option<Role>,
}

/// Checks that invite links are enabled in the organization.
fn check_switched_on(home: &Organization) -> Result<(), Error> {
    if home.invite_links {
        return Ok(());
    }
    Err(Error::Forbidden("inviteLinks: invite links are disabled in this organization".into()))
}

/// Checks the scopes of the token: a limited token without the scope for permissions cannot give levels on places through
/// an invite either.
fn check_place_scope(actor: &Actor) -> Result<(), Error> {
    let wanted = Wanted::Scope(Scope::SpacePermissionsWrite);
    actor.scopes().check(wanted).map_err(|rule| Error::Forbidden(rule.0))
}

/// The same for what an invite gives.
fn check_scope(actor: &Actor, gift: &Gift) -> Result<(), Error> {
    match gift {
        Gift::Organization(_) => Ok(()),
        Gift::Place(..) => check_place_scope(actor),
    }
}

impl Invites {
    fn shown(&self, invite: LinkInvite, door: Door) -> ShownInvite {
        let redundant = door.access().may_give(invite.gift.role());
        ShownInvite { code: self.seal.code(&invite.id), gift: invite.gift, door, redundant }
    }

    /// Loads the target of a gift, for a caller who may invite to it: administrators for the organization, and managers
    /// of a space or a collection for that place.
    async fn door(&self, work: &mut Work<'_>, home: &Granted<Organization>, gift: &Gift) -> Result<Door, Error> {
        let (door, organization) = match gift {
            Gift::Organization(_) if home.permissions().admin => {
                return Ok(Door::Organization(home.access().clone()));
            }
            Gift::Organization(_) => return Err(Error::denied("organization")(Denied::Forbidden)),
            Gift::Place(PlaceId::Space(id), _) => {
                let space = work.space(id, |may| may.admin).await?;
                let organization = space.organization.clone();
                (Door::Space(Box::new(work.shown_space(space).await?)), organization)
            }
            Gift::Place(PlaceId::Collection(id), _) => {
                let collection = work.collection(id, |may| may.admin).await?;
                let organization = collection.organization.clone();
                (Door::Collection(Box::new(collection)), organization)
            }
        };
        // The place was moved to another organization since; only that organization can give access to it.
        if organization != home.id {
            return Err(Error::NotFound("invite"));
        }
        check_scope(work.actor, gift)?;
        Ok(door)
    }

    /// Loads an invite, for a caller who may give what it gives. The organization is locked before the invite, and the
    /// place after it.
    async fn find(
        &self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        code: &str,
    ) -> Result<(Granted<Organization>, LinkInvite, Door), Error> {
        let home = work.organization(organization, |may| may.view).await?;
        let id: InviteId = self.seal.open(code).ok_or(Error::NotFound("invite"))?;
        let invite = work.invites().find(organization, &id).await?.ok_or(Error::NotFound("invite"))?;
        let door = self.door(work, &home, &invite.gift).await.map_err(|error| match error {
            Error::NotFound(_) => Error::NotFound("invite"),
            other => other,
        })?;
        Ok((home, invite, door))
    }

    /// The invite links of an organization that the caller's token could create, oldest first.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownInvite>, Error> {
        let mut work = self.units.read(actor).await?;
        let (home, organization_access) = work.organization_with_access(organization, |may| may.admin).await?;
        let places = check_place_scope(actor).is_ok();
        let found = work.invites().list(organization, places, &page.read()?).await?;
        let (mut spaces, mut collections): (Vec<SpaceId>, Vec<CollectionId>) = (Vec::new(), Vec::new());
        for invite in &found.items {
            match &invite.gift {
                Gift::Organization(_) => {}
                Gift::Place(PlaceId::Space(id), _) => spaces.push(id.clone()),
                Gift::Place(PlaceId::Collection(id), _) => collections.push(id.clone()),
            }
        }
        let publications = work.publications(&spaces, None, None).await?;
        let spaces = work.spaces().find_many(&spaces).await?.into_iter();
        let spaces: HashMap<_, _> = spaces.map(|space| (space.id.clone(), space)).collect();
        let collections = work.collections().find_many(&collections).await?.into_iter();
        let collections: HashMap<_, _> = collections.map(|one| (one.id.clone(), one)).collect();
        let show = |invite: LinkInvite| {
            let door = match &invite.gift {
                Gift::Organization(_) => Door::Organization(home.access().clone()),
                Gift::Place(PlaceId::Space(id), _) => {
                    let space = open::grant_listed_space(actor, &organization_access, spaces.get(id)?.clone());
                    Door::Space(Box::new(publications.show(space.ok()?)))
                }
                Gift::Place(PlaceId::Collection(id), _) => {
                    let collection =
                        open::grant_listed_collection(actor, &organization_access, collections.get(id)?.clone());
                    Door::Collection(Box::new(collection.ok()?))
                }
            };
            Some(self.shown(invite, door))
        };
        Ok(found.filter_map(show))
    }

    /// Creates an invite link.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for a caller who may not invite to the target, if it gives more than
    /// the caller has, and if invite links are disabled; [`Error::Invalid`], also for a place that does not exist.
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        gift: Input<Gift>,
    ) -> Result<ShownInvite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organization(organization, |may| may.view).await?;
        let gift = gift.read()?;
        let door = self.door(&mut work, &home, &gift).await.map_err(|error| match (&gift, error) {
            (Gift::Place(place, _), Error::NotFound(_)) => {
                Invalid::new(place.kind(), format!("there is no such {} in the organization", place.kind())).into()
            }
            (_, error) => error,
        })?;
        check_ceiling(door.access(), [gift.role()])?;
        check_switched_on(&home)?;
        let now = work.now();
        let (organization, created_by) = (organization.clone(), actor.user().cloned());
        let invite = LinkInvite { id: work.ids.make(), organization, gift, created_by, created_at: now };
        work.invites().save(&invite).await?;
        let (space, collection) = match &invite.gift {
            Gift::Organization(_) => (None, None),
            Gift::Place(PlaceId::Space(id), _) => (Some(id.clone()), None),
            Gift::Place(PlaceId::Collection(id), _) => (None, Some(id.clone())),
        };
        let (id, role) = (invite.id.clone(), invite.gift.role());
        let change = Change::InviteCreated { invite: id, space, collection, role };
        work.record(&home.id, change).await?;
        work.commit().await?;
        Ok(self.shown(invite, door))
    }

    /// An invite link.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for a caller who may not invite to the target.
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId, code: &str) -> Result<ShownInvite, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, invite, door) = self.find(&mut work, organization, code).await?;
        Ok(self.shown(invite, door))
    }

    /// Changes what an invite gives from now on.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for a caller who may not invite to the target, and if it gives more
    /// than the caller has; [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        code: &str,
        precondition: Precondition<ShownInvite>,
        patch: Input<GiftPatch>,
    ) -> Result<ShownInvite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (_, mut invite, door) = self.find(&mut work, organization, code).await?;
        let GiftPatch { role, level } = patch.read()?;
        let gift = match (invite.gift.clone(), role, level) {
            (Gift::Organization(before), role, None) => Gift::Organization(role.unwrap_or(before)),
            (Gift::Place(place, before), None, level) => Gift::Place(place, level.unwrap_or(before)),
            (Gift::Organization(_), ..) => {
                return Err(Invalid::new("level", "must be absent: this invite gives a role").into());
            }
            (Gift::Place(..), ..) => {
                return Err(Invalid::new("role", "must be absent: this invite gives a level").into());
            }
        };
        check_ceiling(door.access(), [invite.gift.role(), gift.role()])?;
        precondition.check(&self.shown(invite.clone(), door.clone()))?;
        if gift != invite.gift {
            let before = invite.clone();
            invite.gift = gift;
            // From now on, the invite is limited by the access of this caller.
            invite.created_by = actor.user().cloned();
            work.invites().save(&invite).await?;
            let changes = Differences::between(&before, &invite);
            let change = Change::InviteUpdated { invite: invite.id.clone(), changes };
            work.record(organization, change).await?;
        }
        work.commit().await?;
        Ok(self.shown(invite, door))
    }

    /// Deletes an invite: it cannot be accepted any more. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for a caller who may not invite to the target,
    /// and if it gives more than the caller has; [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        code: &str,
        precondition: Precondition<ShownInvite>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (_, invite, door) = match self.find(&mut work, organization, code).await {
            Err(Error::NotFound("invite")) => return precondition.nothing_there(),
            found => found?,
        };
        check_ceiling(door.access(), [invite.gift.role()])?;
        precondition.check(&self.shown(invite.clone(), door))?;
        work.invites().remove(organization, &invite.id).await?;
        let change = Change::InviteDeleted { invite: invite.id };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(true)
    }
}
