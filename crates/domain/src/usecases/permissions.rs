//! Grants on spaces, collections and sites, and the resulting access of all users.
mod access_list;
mod space_rules;

use super::teams::{ShownTeam, show_teams};
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::{Access, DefaultLevel, Denied, Grant, Role};
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, TeamId, UserId};
use crate::paging::{Page, PageRequest};
use crate::patch::Patch;
use crate::place::{GrantTarget, Grantee, PlaceId};
use crate::text::Invalid;
use crate::user::Person;
use serde_json::json;
use std::collections::{HashMap, HashSet};

pub use crate::ports::store::grants::AccessFilter;
pub use access_list::{MemberAccess, Origin};

/// The maximum number of users and teams in one request (Octavo's own limit).
pub const MAX_SUBJECTS: usize = 1000;

/// A role for some users and teams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrants {
    /// The role; absent denies access.
    pub role: Option<Role>,
    /// The users and teams, at least one.
    pub subjects: Vec<Grantee>,
}

/// Creates, updates and withdraws grants.
#[derive(Clone)]
pub struct Permissions {
    /// Units of work.
    pub units: Units,
}

impl Permissions {
    /// Gives users and teams of the organization a role on a place; replaces existing grants.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the place, and for a user or team that does not belong to its organization;
    /// [`Error::Forbidden`], also if a role that is given or withdrawn is higher than the caller's own;
    /// [`Error::Invalid`].
    pub async fn grant(&self, actor: &Actor, place: &GrantTarget, new: Input<NewGrants>) -> Result<(), Error> {
        let mut work = self.units.write(actor).await?;
        let managed = work.managed_to_change(place).await?;
        let NewGrants { role, mut subjects } = new.read()?;
        if !(1..=MAX_SUBJECTS).contains(&subjects.len()) {
            let rule = format!("users and teams together must have 1 to {MAX_SUBJECTS} entries");
            return Err(Invalid::new("users", rule).into());
        }
        let mut known = HashSet::new();
        subjects.retain(|subject| known.insert(subject.clone()));
        if let Some(outsider) = work.grants().outsider(&managed.organization, &subjects).await? {
            return Err(match outsider {
                Grantee::User(_) => Error::NotFound("user"),
                Grantee::Team(_) => Error::NotFound("team"),
            });
        }
        let before = work.grants().find(place, &subjects).await?;
        check_own_level(&managed.access, before.iter().map(|(_, role)| *role).chain([role]))?;
        self.save(work, &managed, &subjects, &before, role).await
    }

    /// Updates the grant of one user or team on a place.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the place, and if there is no grant; [`Error::Forbidden`], also if the old or the new
    /// role is higher than the caller's own; [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        place: &GrantTarget,
        subject: Grantee,
        precondition: Precondition<Option<Role>>,
        role: Input<Patch<Role>>,
    ) -> Result<(), Error> {
        let mut work = self.units.write(actor).await?;
        let managed = work.managed_to_change(place).await?;
        let subjects = [subject];
        let before = work.grants().find(place, &subjects).await?;
        let (_, own) = before.first().ok_or(Error::NotFound("grant"))?;
        let role = role.read()?;
        precondition.check(own)?;
        let role = match role {
            Patch::Keep => return Ok(()),
            Patch::Clear => None,
            Patch::Set(role) => Some(role),
        };
        check_own_level(&managed.access, [*own, role])?;
        self.save(work, &managed, &subjects, &before, role).await
    }

    async fn save(
        &self,
        mut work: Work<'_>,
        managed: &open::Managed,
        subjects: &[Grantee],
        before: &[(Grantee, Option<Role>)],
        role: Option<Role>,
    ) -> Result<(), Error> {
        let before: HashMap<&Grantee, Option<Role>> = before.iter().map(|(subject, role)| (subject, *role)).collect();
        // Who has this role already keeps the same grant: the log has changes only.
        let changed = subjects.iter().filter(|subject| before.get(subject) != Some(&role));
        let changed: Vec<Grantee> = changed.cloned().collect();
        if !changed.is_empty() {
            let now = work.now();
            work.grants().save(&managed.organization, &managed.id, &changed, role, now).await?;
        }
        for subject in &changed {
            let before = before.get(subject).map_or(Grant::None, |role| Grant::from(*role));
            let change = granted(&managed.id, subject, before, role);
            work.record(&managed.organization, change).await?;
        }
        work.commit().await
    }

    /// Withdraws the grant of one user or team on a place. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the place; [`Error::Forbidden`], also if the role was higher than the caller's own;
    /// [`Error::PreconditionFailed`].
    pub async fn withdraw(
        &self,
        actor: &Actor,
        place: &GrantTarget,
        subject: &Grantee,
        precondition: Precondition<Option<Role>>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        let managed = work.managed_to_change(place).await?;
        let before = work.grants().find(place, std::slice::from_ref(subject)).await?;
        let Some((_, role)) = before.first() else { return precondition.nothing_removed() };
        check_own_level(&managed.access, [*role])?;
        precondition.check(role)?;
        work.grants().remove(place, subject).await?;
        let (user, team) = named(subject);
        let (kind, id) = (place.kind().to_owned(), place.as_str().to_owned());
        let change = Change::AccessWithdrawn { place: kind, id, user, team, role: *role };
        work.record(&managed.organization, change).await?;
        work.commit().await?;
        Ok(true)
    }

    /// The users with a grant on a place, by id. Guests see only their own address.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the place, [`Error::Invalid`].
    pub async fn users(
        &self,
        actor: &Actor,
        place: &GrantTarget,
        page: Input<PageRequest>,
    ) -> Result<Page<(Person, Option<Role>)>, Error> {
        let mut work = self.units.read(actor).await?;
        let managed = work.managed(place).await?;
        let home = work.organization(&managed.organization, |may| may.view).await?;
        let found = work.grants().users(place, &page.read()?).await?;
        Ok(found.map(|(user, role)| {
            let seen = home.permissions().list_members || actor.user() == Some(&user.id);
            (Person::of(user, seen), role)
        }))
    }

    /// The teams with a grant on a place, by id.
    ///
    /// # Errors
    /// [`Error::NotFound`] and [`Error::Forbidden`] for the place, [`Error::Invalid`].
    pub async fn teams(
        &self,
        actor: &Actor,
        place: &GrantTarget,
        page: Input<PageRequest>,
    ) -> Result<Page<(ShownTeam, Option<Role>)>, Error> {
        let mut work = self.units.read(actor).await?;
        let managed = work.managed(place).await?;
        let home = work.organization(&managed.organization, |may| may.list_teams).await?;
        let found = work.grants().teams(place, &page.read()?).await?;
        let roles: HashMap<TeamId, Option<Role>> =
            found.items.iter().map(|(team, role)| (team.id.clone(), *role)).collect();
        let shown = show_teams(&mut work, &home, found.map(|(team, _)| team)).await?;
        Ok(shown.map(|shown| {
            let role = roles.get(&shown.team.id).copied().flatten();
            (shown, role)
        }))
    }
}

/// Checks that roles are not higher than the caller's own level. A caller cannot grant, change or withdraw a higher
/// role.
pub(super) fn check_own_level(access: &Access, roles: impl IntoIterator<Item = Option<Role>>) -> Result<(), Error> {
    match roles.into_iter().find(|role| !access.may_give(*role)) {
        None => Ok(()),
        Some(role) => {
            Err(Error::Forbidden(format!("role: {} is higher than your own role", role.map_or("none", Role::as_str))))
        }
    }
}

/// Checks that neither default level of a change is higher than the caller's own level: the rule of grants.
pub(super) fn check_default(access: &Access, before: DefaultLevel, after: Option<DefaultLevel>) -> Result<(), Error> {
    let Some(after) = after.filter(|after| *after != before) else { return Ok(()) };
    if access.may_set(before) && access.may_set(after) {
        return Ok(());
    }
    Err(Error::Forbidden("defaultLevel: must not be higher than your own level".into()))
}

/// The default level of an item after a transfer: reset to [`DefaultLevel::Inherit`] if it would be higher than the
/// caller's own level in the new organization.
pub(super) fn default_after_transfer(access: &Access, default: DefaultLevel) -> DefaultLevel {
    if access.may_set(default) { default } else { DefaultLevel::Inherit }
}

impl Work<'_> {
    /// Gives the caller a grant to manage a place if the caller's change of its default level would otherwise have
    /// removed that permission. All managers of the place see the grant.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the permission is missing for another reason: it was withdrawn at the same time.
    pub(super) async fn keep_admin_access(
        &mut self,
        organization: &OrganizationId,
        place: &PlaceId,
        (before, after): (DefaultLevel, DefaultLevel),
    ) -> Result<(), Error> {
        let Some(user) = self.actor.user().filter(|_| before != after) else { return Ok(()) };
        if self.level_with(place, after).await?.manages() {
            return Ok(());
        }
        if !self.level_with(place, before).await?.manages() {
            return Err(Error::denied(place.kind())(Denied::Forbidden));
        }
        self.grant_management(organization, place, user).await
    }

    /// Gives the creator of a place a grant to manage it, if the creator could not manage it otherwise.
    pub(super) async fn grant_to_creator(
        &mut self,
        organization: &OrganizationId,
        place: &PlaceId,
        default: DefaultLevel,
    ) -> Result<(), Error> {
        match self.actor.user() {
            Some(user) if !self.level_with(place, default).await?.manages() => {
                self.grant_management(organization, place, user).await
            }
            _ => Ok(()),
        }
    }

    async fn grant_management(
        &mut self,
        organization: &OrganizationId,
        place: &PlaceId,
        user: &UserId,
    ) -> Result<(), Error> {
        let (subject, role, now) = (Grantee::User(user.clone()), Some(Role::Create), self.now());
        let place = place.clone().into();
        self.grants().save(organization, &place, std::slice::from_ref(&subject), role, now).await?;
        self.record(organization, granted(&place, &subject, Grant::None, role)).await
    }
}

/// The event of a grant; `before` is the grant that it replaces.
pub(super) fn granted(place: &GrantTarget, subject: &Grantee, before: Grant, role: Option<Role>) -> Change {
    let (user, team) = named(subject);
    let changes = if before == Grant::None || before == Grant::from(role) {
        Differences::default()
    } else {
        Differences::of("role", json!(before.role()), json!(role))
    };
    Change::AccessGranted { place: place.kind().to_owned(), id: place.as_str().to_owned(), user, team, role, changes }
}

fn named(subject: &Grantee) -> (Option<UserId>, Option<TeamId>) {
    match subject {
        Grantee::User(user) => (Some(user.clone()), None),
        Grantee::Team(team) => (None, Some(team.clone())),
    }
}
