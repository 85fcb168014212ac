//! Teams: creating, reading, renaming and deleting them. See [`membership`] for their members.
mod membership;

pub use membership::{MAX_NAMED, Named, ShownTeamMember, TeamChanges};

use self::membership::Field;
use super::work::{Units, Work};
use super::{Error, Input, Precondition, open};
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::{Change, Differences};
use crate::id::{OrganizationId, TeamId, UserId};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::patch::changed;
use crate::ports::store::teams::{TeamCounts, TeamFilter};
use crate::team::Team;
use crate::text::TeamTitle;
use std::collections::BTreeMap;

/// Creates, reads and updates teams.
#[derive(Clone)]
pub struct Teams {
    /// Units of work.
    pub units: Units,
}

/// A team that the caller may see, with its counts.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownTeam {
    /// The team.
    pub team: Granted<Team>,
    /// The number of its members and spaces.
    pub counts: TeamCounts,
}

/// The settings of a new team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTeam {
    /// Its name.
    pub title: TeamTitle,
    /// Its members, by id.
    pub members: Vec<UserId>,
}

/// The teams of a page that the caller may see, with their counts: three more queries, for any number of teams.
pub(super) async fn show_teams(
    work: &mut Work<'_>,
    home: &Granted<Organization>,
    found: Page<Team>,
) -> Result<Page<ShownTeam>, Error> {
    let ids: Vec<TeamId> = found.items.iter().map(|team| team.id.clone()).collect();
    let roles = match work.actor.user() {
        Some(user) => work.teams().roles_of_user(&ids, user).await?,
        None => BTreeMap::new(),
    };
    let counts = work.teams().counts(&ids).await?;
    let show = |team: Team| {
        let (role, counts) = (roles.get(&team.id).copied(), counts.get(&team.id).copied().unwrap_or_default());
        Some(ShownTeam { team: open::grant_team(home, team, role, |may| may.view).ok()?, counts })
    };
    Ok(found.filter_map(show))
}

/// A loaded team with its counts, for a caller who may see it or all teams of the organization.
async fn show_found(work: &mut Work<'_>, home: &Granted<Organization>, team: Team) -> Result<ShownTeam, Error> {
    let role = work.role_in_team(&team.id).await?;
    let team = open::grant_team(home, team, role, |may| may.view).map_err(Error::denied("team"))?;
    show_team(work, team).await
}

async fn show_team(work: &mut Work<'_>, team: Granted<Team>) -> Result<ShownTeam, Error> {
    let counts = work.teams().counts(std::slice::from_ref(&team.id)).await?.remove(&team.id).unwrap_or_default();
    Ok(ShownTeam { team, counts })
}

impl Teams {
    /// The teams of an organization.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests; [`Error::Invalid`].
    pub async fn list(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        query: Input<(TeamFilter, PageRequest)>,
    ) -> Result<Page<ShownTeam>, Error> {
        let mut work = self.units.read(actor).await?;
        let home = work.organization(organization, |may| may.list_teams).await?;
        let (filter, page) = query.read()?;
        let found = work.teams().list(organization, &filter, &page).await?;
        show_teams(&mut work, &home, found).await
    }

    /// Creates a team.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than administrators; [`Error::Invalid`], also for a
    /// user who is not a member of the organization.
    pub async fn create(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        new: Input<NewTeam>,
    ) -> Result<ShownTeam, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organization(organization, |may| may.admin).await?;
        let NewTeam { title, members } = new.read()?;
        let members: Vec<Named> = members.into_iter().map(Named::Id).collect();
        let field = Field { name: "members", users: &members, is_map: false };
        let members = membership::resolve(&mut work, organization, &[field]).await?.pop().unwrap_or_default();
        let now = work.now();
        let team = Team { id: work.ids.make(), organization: organization.clone(), title, created_at: now };
        work.teams().save(&team).await?;
        work.teams().add_members(&team.id, &members, now).await?;
        let change = Change::TeamCreated { team: team.id.clone() };
        work.record(organization, change).await?;
        if !members.is_empty() {
            let change =
                Change::TeamMembersUpdated { team: team.id.clone(), members, owners: Vec::new(), removed: Vec::new() };
            work.record(organization, change).await?;
        }
        let shown = show_found(&mut work, &home, team).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// A team.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests who do not belong to it.
    pub async fn get(&self, actor: &Actor, organization: &OrganizationId, id: &TeamId) -> Result<ShownTeam, Error> {
        let mut work = self.units.read(actor).await?;
        let (_, team) = work.team(organization, id, |may| may.view).await?;
        show_team(&mut work, team).await
    }

    /// Renames a team.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than its owners and administrators;
    /// [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn update(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TeamId,
        precondition: Precondition<ShownTeam>,
        title: Input<TeamTitle>,
    ) -> Result<ShownTeam, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (_, mut team) = work.team(organization, id, |may| may.admin).await?;
        let title = title.read()?;
        precondition.check_shown(show_team(&mut work, team.clone())).await?;
        let Some(before) = changed(team.entity_mut(), |team| team.title = title) else {
            return show_team(&mut work, team).await;
        };
        work.teams().save(&team).await?;
        let change = Change::TeamUpdated { team: id.clone(), changes: Differences::between(&before, &team) };
        work.record(organization, change).await?;
        let shown = show_team(&mut work, team).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Deletes a team with its grants. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the organization; [`Error::Forbidden`] for callers other than administrators;
    /// [`Error::PreconditionFailed`].
    pub async fn remove(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TeamId,
        precondition: Precondition<ShownTeam>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let home = work.organization(organization, |may| may.admin).await?;
        let Some(team) = work.teams().find(organization, id).await? else { return precondition.nothing_removed() };
        precondition.check_shown(show_found(&mut work, &home, team)).await?;
        work.teams().remove(organization, id).await?;
        let change = Change::TeamDeleted { team: id.clone() };
        work.record(organization, change).await?;
        work.commit().await?;
        Ok(true)
    }
}
