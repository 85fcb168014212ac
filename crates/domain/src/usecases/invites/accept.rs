//! Accepting an invite link.
use super::{Invites, check_switched_on};
use crate::access::{Access, Grant, Guarded, Place, Role, level, organization_level};
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, UserId};
use crate::invite::InviteGrant;
use crate::member::Member;
use crate::organization::Organization;
use crate::place::{Grantee, PlaceId};
use crate::ports::store::spaces::ForUser;
use crate::usecases::members::enter;
use crate::usecases::permissions::granted;
use crate::usecases::work::Work;
use crate::usecases::{Error, open};

/// A space or a collection with the access of a user.
struct Seen {
    access: Access,
    /// Whether the user may manage it.
    admin: bool,
    /// The access rules of it and of the places around it for the user.
    places: Vec<Place>,
}

impl Seen {
    fn new<T: Guarded>(reach: ForUser<T>, user: &UserId, admin: impl FnOnce(T::Permissions) -> bool) -> Self {
        let ForUser { entity, membership, places } = reach;
        let access = Access::new(Some(user.clone()), level(membership, &places));
        Self { admin: admin(entity.permissions(&access)), access, places }
    }

    /// Loads a place of an organization; `None` if it does not exist.
    async fn find(
        work: &mut Work<'_>,
        organization: &OrganizationId,
        place: &PlaceId,
        user: &UserId,
    ) -> Result<Option<Self>, Error> {
        Ok(match place {
            PlaceId::Space(id) => {
                let found = work.spaces().find(id, Some(user)).await?;
                found
                    .filter(|reach| reach.entity.deleted_at.is_none() && reach.entity.organization == *organization)
                    .map(|reach| Self::new(reach, user, |may| may.admin))
            }
            PlaceId::Collection(id) => {
                let found = work.collections().find(id, Some(user)).await?;
                found
                    .filter(|reach| reach.entity.deleted_at.is_none() && reach.entity.organization == *organization)
                    .map(|reach| Self::new(reach, user, |may| may.admin))
            }
        })
    }
}

/// Whether a user may grant this now: the user must administer the target of the invite, and must have at least the
/// granted role.
async fn may_give(
    work: &mut Work<'_>,
    organization: &Organization,
    grant: &InviteGrant,
    user: &UserId,
) -> Result<bool, Error> {
    let seen = match grant {
        InviteGrant::Organization(_) => {
            let membership = work.members().find(&organization.id, user).await?.map(|member| member.membership);
            let access = Access::new(Some(user.clone()), organization_level(membership));
            Some((organization.permissions(&access).admin, access))
        }
        InviteGrant::Place(place, _) => {
            Seen::find(work, &organization.id, place, user).await?.map(|seen| (seen.admin, seen.access))
        }
    };
    Ok(seen.is_some_and(|(admin, access)| admin && access.may_give(grant.role())))
}

/// Grants a user a role on a place, unless the user's level there is as high already. Returns the change.
///
/// # Errors
/// [`Error::NotFound`] if the place does not exist; [`Error::Forbidden`] if a grant denies the user access.
async fn raise(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    place: PlaceId,
    wanted: Role,
    user: &UserId,
) -> Result<Option<Change>, Error> {
    let found = Seen::find(work, organization, &place, user).await?;
    let Seen { access, places, .. } = found.ok_or(Error::NotFound("invite"))?;
    // The innermost grant decides, as for the level.
    let mut grants = places.iter().map(|place| place.direct);
    if grants.find(|grant| *grant != Grant::None) == Some(Grant::NoAccess) {
        return Err(Error::Forbidden(format!("a grant denies you access to this {}", place.kind())));
    }
    if access.may_give(Some(wanted)) {
        return Ok(None);
    }
    let (subject, now) = (Grantee::User(user.clone()), work.now());
    let place = place.into();
    work.grants().save(organization, &place, std::slice::from_ref(&subject), Some(wanted), now).await?;
    let before = places.first().map_or(Grant::None, |place| place.direct);
    Ok(Some(granted(&place, &subject, before, Some(wanted))))
}

impl Invites {
    /// Accepts an invite. A caller who is already a member stays one with the same role, and a level on a space or a
    /// collection is never lowered. The invite is valid only while its creator may grant the same access.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an invite that does not exist or is no longer valid; [`Error::Forbidden`] if invite
    /// links are disabled, if the caller's membership is disabled or a grant denies the caller access, and for the
    /// operator.
    pub async fn accept(&self, actor: &Actor, organization: &OrganizationId, code: &str) -> Result<(), Error> {
        let user = open::account(actor)?;
        // The same error for every missing invite, in any organization.
        let none = || Error::NotFound("invite");
        let id = self.signer.verify(code).ok_or_else(none)?;
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organizations().find(organization, Some(&user)).await?.ok_or_else(none)?;
        let invite = work.invites().find(organization, &id).await?.ok_or_else(none)?;
        check_switched_on(&home.organization)?;
        if let InviteGrant::Place(place, _) = &invite.grant {
            work.lock(&[place.into()]).await?;
        }
        if home.membership.is_some_and(|membership| membership.disabled) {
            return Err(Error::Forbidden("your membership in the organization is disabled".into()));
        }
        if let Some(maker) = &invite.created_by
            && !may_give(&mut work, &home.organization, &invite.grant, maker).await?
        {
            return Err(none());
        }
        let now = work.now();
        let (role, place) = match invite.grant {
            InviteGrant::Organization(role) => (role, None),
            InviteGrant::Place(place, level) => (None, Some((place, level))),
        };
        let mut changes = Vec::new();
        if home.membership.is_none() {
            enter(&mut work, &Member::new(organization.clone(), user.clone(), role, now)).await?;
            changes.push(Change::InviteAccepted { invite: id.clone(), user: user.clone() });
        }
        if let Some((place, wanted)) = place
            && let Some(change) = raise(&mut work, organization, place, wanted, &user).await?
        {
            changes.push(change);
            if home.membership.is_some() {
                changes.push(Change::InviteAccepted { invite: id, user });
            }
        }
        for change in changes {
            work.record(organization, change).await?;
        }
        work.commit().await?;
        Ok(())
    }
}
