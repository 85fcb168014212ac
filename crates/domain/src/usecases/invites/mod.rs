//! Invites: users invited by email address become members immediately; an invite link is valid for anyone who has it.
mod accept;
mod by_address;

pub use by_address::{InvitePeople, Invited, MAX_INVITED};

use super::permissions::check_own_level;
use super::spaces::ShownSpace;
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{Access, Denied, Granted, Role};
use crate::actor::Actor;
use crate::collection::Collection;
use crate::event::{Change, Differences};
use crate::id::{CollectionId, InviteId, OrganizationId, SpaceId};
use crate::invite::{InviteGrant, InviteSigner, LinkInvite};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::patch::Patch;
use crate::place::PlaceId;
use crate::scope::Scope;
use crate::text::Invalid;
use std::collections::HashMap;

/// Creates, reads, updates and accepts invites.
#[derive(Clone)]
#[expect(missing_docs, reason = "the ports it needs")]
pub struct Invites {
    pub units: Units,
    pub signer: InviteSigner,
}

/// The target of an invite, for a caller who may invite to it.
#[derive(Clone, Debug, PartialEq)]
pub enum InviteTarget {
    /// The organization.
    Organization(Access),
    /// A space.
    Space(Box<ShownSpace>),
    /// A collection.
    Collection(Box<Granted<Collection>>),
}

impl InviteTarget {
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
    /// The access that it grants.
    pub grant: InviteGrant,
    /// The target.
    pub target: InviteTarget,
    /// Whether the caller already has this access.
    pub redundant: bool,
}

/// A change to the access that an invite grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvitePatch {
    /// The role in the organization; cleared, the invite makes guests.
    pub role: Patch<Role>,
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

/// Checks the scopes of the token: a limited token needs the scope for permissions to create invites to places.
fn check_place_scope(actor: &Actor) -> Result<(), Error> {
    open::require_scope(actor, Scope::SpacePermissionsWrite)
}

/// The same for a grant of an invite.
fn check_scope(actor: &Actor, grant: &InviteGrant) -> Result<(), Error> {
    match grant {
        InviteGrant::Organization(_) => Ok(()),
        InviteGrant::Place(..) => check_place_scope(actor),
    }
}

impl Invites {
    fn shown(&self, invite: LinkInvite, target: InviteTarget) -> ShownInvite {
        let redundant = target.access().may_give(invite.grant.role());
        ShownInvite { code: self.signer.code(&invite.id), grant: invite.grant, target, redundant }
    }

    /// Loads the target of a grant and checks that the caller may invite to it: only administrators to the
    /// organization, and only managers to a space or a collection.
    async fn load_target(
        &self,
        work: &mut Work<'_>,
        home: &Granted<Organization>,
        grant: &InviteGrant,
    ) -> Result<InviteTarget, Error> {
        let (target, organization) = match grant {
            InviteGrant::Organization(_) if home.permissions().admin => {
                return Ok(InviteTarget::Organization(home.access().clone()));
            }
            InviteGrant::Organization(_) => return Err(Error::denied("organization")(Denied::Forbidden)),
            InviteGrant::Place(PlaceId::Space(id), _) => {
                let space = work.space(id, |may| may.admin).await?;
                let organization = space.organization.clone();
                (InviteTarget::Space(Box::new(work.shown_space(space).await?)), organization)
            }
            InviteGrant::Place(PlaceId::Collection(id), _) => {
                let collection = work.collection(id, |may| may.admin).await?;
                let organization = collection.organization.clone();
                (InviteTarget::Collection(Box::new(collection)), organization)
            }
        };
        // The place was transferred to another organization since; only that organization can grant access to it.
        if organization != home.id {
            return Err(Error::NotFound("invite"));
        }
        check_scope(work.actor, grant)?;
        Ok(target)
    }

    /// Loads an invite, for a caller who may grant the same access. The organization is locked before the invite, and
    /// the place after it.
    async fn find(
        &self,
        work: &mut Work<'_>,
        organization: &OrganizationId,
        code: &str,
    ) -> Result<(LinkInvite, InviteTarget), Error> {
        let home = work.organization(organization, |may| may.view).await?;
        self.find_in(work, &home, code).await
    }

    /// The same in a loaded organization.
    async fn find_in(
        &self,
        work: &mut Work<'_>,
        home: &Granted<Organization>,
        code: &str,
    ) -> Result<(LinkInvite, InviteTarget), Error> {
        let id: InviteId = self.signer.verify(code).ok_or(Error::NotFound("invite"))?;
        let invite = work.invites().find(&home.id, &id).await?.ok_or(Error::NotFound("invite"))?;
        let target = self.load_target(work, home, &invite.grant).await.map_err(|error| match error {
            Error::NotFound(_) => Error::NotFound("invite"),
            other => other,
        })?;
        Ok((invite, target))
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
            match &invite.grant {
                InviteGrant::Organization(_) => {}
                InviteGrant::Place(PlaceId::Space(id), _) => spaces.push(id.clone()),
                InviteGrant::Place(PlaceId::Collection(id), _) => collections.push(id.clone()),
            }
        }
        let publications = work.publications(&spaces, None, None).await?;
        let spaces = work.spaces().find_many(&spaces).await?.into_iter();
        let spaces: HashMap<_, _> = spaces.map(|space| (space.id.clone(), space)).collect();
        let collections = work.collections().find_many(&collections).await?.into_iter();
        let collections: HashMap<_, _> = collections.map(|one| (one.id.clone(), one)).collect();
        let show = |invite: LinkInvite| {
            let target = match &invite.grant {
                InviteGrant::Organization(_) => InviteTarget::Organization(home.access().clone()),
                InviteGrant::Place(PlaceId::Space(id), _) => {
                    let space = open::grant_listed_space(actor, &organization_access, spaces.get(id)?.clone());
                    InviteTarget::Space(Box::new(publications.show(space.ok()?)))
                }
                InviteGrant::Place(PlaceId::Collection(id), _) => {
                    let collection =
                        open::grant_listed_collection(actor, &organization_access, collections.get(id)?.clone());
                    InviteTarget::Collection(Box::new(collection.ok()?))
                }
            };
            Some(self.shown(invite, target))
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
        grant: Input<InviteGrant>,
    ) -> Result<ShownInvite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organization(organization, |may| may.view).await?;
        let grant = grant.read()?;
        let target = self.load_target(&mut work, &home, &grant).await.map_err(|error| match (&grant, error) {
            (InviteGrant::Place(place, _), Error::NotFound(_)) => {
                Invalid::new(place.kind(), format!("there is no such {} in the organization", place.kind())).into()
            }
            (_, error) => error,
        })?;
        check_own_level(target.access(), [grant.role()])?;
        check_switched_on(&home)?;
        let now = work.now();
        let (organization, created_by) = (organization.clone(), actor.user().cloned());
        let invite = LinkInvite { id: work.ids.make(), organization, grant, created_by, created_at: now };
        work.invites().save(&invite).await?;
        let (space, collection) = match &invite.grant {
            InviteGrant::Organization(_) => (None, None),
            InviteGrant::Place(PlaceId::Space(id), _) => (Some(id.clone()), None),
            InviteGrant::Place(PlaceId::Collection(id), _) => (None, Some(id.clone())),
        };
        let (id, role) = (invite.id.clone(), invite.grant.role());
        let change = Change::InviteCreated { invite: id, space, collection, role };
        work.record(&home.id, change).await?;
        work.commit().await?;
        Ok(self.shown(invite, target))
    }

    /// An invite link.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for a caller who may not invite to the target.
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId, code: &str) -> Result<ShownInvite, Error> {
        let mut work = self.units.read(actor).await?;
        let (invite, target) = self.find(&mut work, organization, code).await?;
        Ok(self.shown(invite, target))
    }

    /// Changes the access that an invite grants from now on.
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
        patch: Input<InvitePatch>,
    ) -> Result<ShownInvite, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (mut invite, target) = self.find(&mut work, organization, code).await?;
        let InvitePatch { role, level } = patch.read()?;
        let grant = match (invite.grant.clone(), role, level) {
            (InviteGrant::Organization(mut given), role, None) => {
                role.apply(&mut given);
                InviteGrant::Organization(given)
            }
            (InviteGrant::Place(place, before), Patch::Keep, level) => {
                InviteGrant::Place(place, level.unwrap_or(before))
            }
            (InviteGrant::Organization(_), ..) => {
                return Err(Invalid::new("level", "must be absent: this invite gives a role").into());
            }
            (InviteGrant::Place(..), ..) => {
                return Err(Invalid::new("role", "must be absent: this invite gives a level").into());
            }
        };
        check_own_level(target.access(), [invite.grant.role(), grant.role()])?;
        precondition.check(&self.shown(invite.clone(), target.clone()))?;
        if grant != invite.grant {
            let before = invite.clone();
            invite.grant = grant;
            // From now on, the invite is limited by the access of this caller.
            invite.created_by = actor.user().cloned();
            work.invites().save(&invite).await?;
            let changes = Differences::between(&before, &invite);
            let change = Change::InviteUpdated { invite: invite.id.clone(), changes };
            work.record(organization, change).await?;
        }
        work.commit().await?;
        Ok(self.shown(invite, target))
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
        let home = work.organization(organization, |may| may.view).await?;
        let found = self.find_in(&mut work, &home, code).await;
        let Some((invite, target)) = precondition.found(found)? else { return Ok(false) };
        check_own_level(target.access(), [invite.grant.role()])?;
        precondition.check(&self.shown(invite.clone(), target))?;
        work.invites().remove(organization, &invite.id).await?;
        let change = Change::InviteDeleted { invite: invite.id };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(true)
    }
}
