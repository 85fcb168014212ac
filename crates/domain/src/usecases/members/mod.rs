//! Members of organizations: listing, updating, adding and removing them.
mod join;

pub(super) use join::enter;

use super::placing::known_page;
use super::spaces::ShownSpace;
use super::teams::{ShownTeam, show_teams};
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{Granted, Membership, Role};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, UserId};
use crate::member::Member;
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::patch::{self, Patch};
use crate::ports::store::members::{MemberCounts, MemberFilter};
use crate::ports::store::spaces::SpaceFilter;
use crate::ports::store::teams::TeamFilter;
use crate::space::Space;
use crate::team::TeamRole;
use crate::text::Invalid;
use crate::user::{Person, User};
use chrono::{DateTime, Utc};
use std::collections::HashSet;

/// Reads and updates members.
#[derive(Clone)]
pub struct Members {
    /// Units of work.
    pub units: Units,
}

/// A member with all data of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownMember {
    /// The membership.
    pub member: Member,
    /// The account, with the data that the caller may see.
    pub user: Person,
    /// Number of the member's spaces and teams.
    pub counts: MemberCounts,
}

/// A change to a membership.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberPatch {
    /// The role; cleared, it makes a guest.
    pub role: Patch<Role>,
    /// Whether the membership is disabled; absent keeps it. Only the operator may change it.
    pub disabled: Option<bool>,
}

/// The time when a member was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The user.
    pub user: UserId,
    /// The time.
    pub at: DateTime<Utc>,
}

/// Adds the counts to members, for a caller who may see them: two more queries, for any number of members.
pub(super) async fn show_members(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    found: Vec<(Member, User)>,
) -> Result<Vec<ShownMember>, Error> {
    let users: Vec<UserId> = found.iter().map(|(member, _)| member.user.clone()).collect();
    let counts = work.members().counts(organization, &users).await?;
    let show = |(member, user): (Member, User)| {
        let counts = counts.get(&member.user).copied().unwrap_or_default();
        ShownMember { member, user: Person::of(user, true), counts }
    };
    Ok(found.into_iter().map(show).collect())
}

async fn show_member(work: &mut Work<'_>, organization: &OrganizationId, user: &UserId) -> Result<ShownMember, Error> {
    let found = work.members().find_many(organization, std::slice::from_ref(user)).await?;
    show_members(work, organization, found).await?.pop().ok_or(Error::NotFound("member"))
}

/// Loads an organization for a caller who wants to see a member of it: only members other than guests may see other
/// members.
async fn open_seeing(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    user: &UserId,
) -> Result<Granted<Organization>, Error> {
    let own = work.actor.user() == Some(user);
    work.organization(organization, |may| may.list_members || (own && may.view)).await
}

/// Checks that the organization keeps an administrator. It must be locked, so that no other administrator is removed at
/// the same time.
async fn keep_administrator(work: &mut Work<'_>, member: &Member, after: Option<Membership>) -> Result<(), Error> {
    if member.ends_administration(after)
        && !work.members().has_other_administrator(&member.organization, &member.user).await?
    {
        let rule = "this is the last administrator of the organization: make another member an administrator first";
        return Err(Error::Conflict(rule.into()));
    }
    Ok(())
}

/// Checks that users belong to an organization; each comes with the field that names it.
///
/// # Errors
/// [`Error::Invalid`] for the first user who does not belong to it.
pub(in crate::usecases) async fn check_members(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    named: Vec<(String, &UserId)>,
) -> Result<(), Error> {
    if named.is_empty() {
        return Ok(());
    }
    let ids: Vec<UserId> = named.iter().map(|(_, user)| (*user).clone()).collect();
    let found: HashSet<UserId> =
        work.members().named(organization, &ids, &[]).await?.into_iter().map(|(id, _)| id).collect();
    match named.into_iter().find(|(_, user)| !found.contains(*user)) {
        Some((field, _)) => Err(Invalid::new(field, "is not a member of the organization").into()),
        None => Ok(()),
    }
}

impl Members {
    /// The members of an organization.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(MemberFilter, PageRequest)>,
    ) -> Result<Page<ShownMember>, Error> {
        let mut work = self.units.read(actor).await?;
        work.organization(organization, |may| may.list_members).await?;
        let (filter, page) = query.read()?;
        let Page { items, total, next } = work.members().list(organization, &filter, &page).await?;
        Ok(Page { items: show_members(&mut work, organization, items).await?, total, next })
    }

    /// A member.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests who ask for other members.
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId, user: &UserId) -> Result<ShownMember, Error> {
        let mut work = self.units.read(actor).await?;
        open_seeing(&mut work, organization, user).await?;
        show_member(&mut work, organization, user).await
    }

    /// Updates the role or the status of a member. It applies to every request that starts afterwards.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`];
    /// [`Error::Conflict`] if the organization would have no administrator; [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        user: &UserId,
        precondition: Precondition<ShownMember>,
        patch: Input<MemberPatch>,
    ) -> Result<ShownMember, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.admin).await?;
        let MemberPatch { role, disabled } = patch.read()?;
        let member = work.members().find(organization, user).await?.ok_or(Error::NotFound("member"))?;
        precondition.check_shown(show_member(&mut work, organization, user)).await?;
        let mut after = member.membership;
        role.apply(&mut after.role);
        patch::set(&mut after.disabled, disabled);
        if after != member.membership {
            keep_administrator(&mut work, &member, Some(after)).await?;
            self.save(&mut work, &member, &Member { membership: after, ..member.clone() }).await?;
        }
        let shown = show_member(&mut work, organization, user).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Marks a member as known to the organization's own identity provider.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators.
    pub async fn set_sso(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        user: &UserId,
    ) -> Result<ShownMember, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        work.organization(organization, |may| may.admin).await?;
        let member = work.members().find(organization, user).await?.ok_or(Error::NotFound("member"))?;
        if !member.sso {
            self.save(&mut work, &member, &Member { sso: true, ..member.clone() }).await?;
        }
        let shown = show_member(&mut work, organization, user).await?;
        work.commit().await?;
        Ok(shown)
    }

    async fn save(&self, work: &mut Work<'_>, before: &Member, member: &Member) -> Result<(), Error> {
        work.members().save(member).await?;
        let Membership { role, disabled } = member.membership;
        let (user, changes) = (member.user.clone(), Differences::between(before, member));
        let change = Change::MemberUpdated { user, role, disabled, sso: member.sso, changes };
        work.record(&member.organization, change).await
    }

    /// Removes a member from the organization, with the member's teams and grants in it. Requests of the user that
    /// start afterwards have no access. Administrators can remove any member, other members only themselves. Returns
    /// whether there was such a member.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`]; [`Error::Conflict`] if the organization would have no administrator;
    /// [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        user: &UserId,
        precondition: Precondition<ShownMember>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let leaves = actor.user() == Some(user);
        work.organization(organization, |may| may.admin || (leaves && may.view)).await?;
        let Some(member) = work.members().find(organization, user).await? else {
            return precondition.nothing_removed();
        };
        precondition.check_shown(show_member(&mut work, organization, user)).await?;
        keep_administrator(&mut work, &member, None).await?;
        work.members().remove(organization, user).await?;
        let change = Change::MemberRemoved { user: user.clone(), role: member.membership.role };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Updates the caller's last-seen time. It creates no event: it happens often, and does not change anyone's rights.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for the operator, who is not a member.
    pub async fn ping(&self, actor: &Actor, organization: &OrganizationId) -> Result<Visit, Error> {
        let user = open::account(actor)?;
        let mut work = self.units.write(actor).await?;
        let at = work.now();
        // Only the member's own row is locked, so that members do not wait for each other.
        if !work.members().seen(organization, &user, at).await? {
            return Err(Error::NotFound("organization"));
        }
        work.commit().await?;
        Ok(Visit { user, at })
    }

    /// The spaces that both a member and the caller may read, in order, with the member's level.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests who ask for other members; [`Error::Invalid`].
    pub async fn spaces(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        user: &UserId,
        page: Input<PageRequest>,
    ) -> Result<Page<(ShownSpace, Role)>, Error> {
        let mut work = self.units.read(actor).await?;
        let own = actor.user() == Some(user);
        let (_, organization_access) =
            work.organization_with_access(organization, |may| may.list_members || (own && may.view)).await?;
        let member = work.members().find(organization, user).await?.ok_or(Error::NotFound("member"))?;
        let page = page.read()?;
        let theirs = work.access_of(organization, user, Some(member.membership)).await?;
        let all = SpaceFilter::of(organization, &theirs);
        let filter = SpaceFilter { also_within: organization_access.readable(), ..all };
        let found = known_page(work.spaces().list(&filter, &page).await?)?;
        let show = |space: Space| {
            let role = theirs.space(&space.id, space.parent.as_ref(), space.default_level).role()?;
            Some((open::grant_listed_space(actor, &organization_access, space).ok()?, role))
        };
        let (found, publications) = work.with_publications(found.filter_map(show), |(space, _)| &space.id).await?;
        Ok(found.map(|(space, role)| (publications.show(space), role)))
    }

    /// The teams of a member with the member's role; optionally only teams whose title contains a text.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests who ask for other members; [`Error::Invalid`].
    pub async fn teams(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        user: &UserId,
        query: Input<(Option<String>, PageRequest)>,
    ) -> Result<Page<(ShownTeam, TeamRole)>, Error> {
        let mut work = self.units.read(actor).await?;
        let home = open_seeing(&mut work, organization, user).await?;
        work.members().find(organization, user).await?.ok_or(Error::NotFound("member"))?;
        let (title, page) = query.read()?;
        let filter = TeamFilter { member: Some(user.clone()), title, ..TeamFilter::default() };
        let found = work.teams().list(organization, &filter, &page).await?;
        let ids: Vec<_> = found.items.iter().map(|team| team.id.clone()).collect();
        let roles = work.teams().roles_of_user(&ids, user).await?;
        let shown = show_teams(&mut work, &home, found).await?;
        shown.try_map(|team| {
            let role = roles.get(&team.team.id).copied();
            Ok((team, role.ok_or_else(|| Error::Corrupt("a team member is missing".into()))?))
        })
    }
}
