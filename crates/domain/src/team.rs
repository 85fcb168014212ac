//! Teams: groups of members of one organization that share grants.
use crate::access::{Access, Guarded, Level, permissions};
use crate::event::Audited;
use crate::id::{OrganizationId, TeamId};
use crate::text::TeamTitle;
use crate::words;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

words! {
    /// The role of a member in a team.
    pub enum TeamRole {
        /// Manages the team's members and title.
        Owner = "owner",
        /// Belongs to the team.
        Member = "member",
    }
}

/// A team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// The id.
    pub id: TeamId,
    /// The organization of the team.
    pub organization: OrganizationId,
    /// Its name.
    pub title: TeamTitle,
    /// When the team was created.
    pub created_at: DateTime<Utc>,
}

impl Audited for Team {
    fn settings(&self) -> Vec<(&'static str, Value)> {
        vec![("title", json!(self.title))]
    }
}

permissions! {
    /// What a member may do with a team (see `docs/access.md`).
    pub struct TeamPermissions {
        admin = "admin",
        view = "view",
    }
}

impl Guarded for Team {
    type Permissions = TeamPermissions;

    /// `access` has the level in the organization and the role in this team. A role in a team counts only for active
    /// members of the organization.
    fn permissions(&self, access: &Access) -> TeamPermissions {
        let role = access.team.filter(|_| access.at_least(Level::Guest));
        TeamPermissions {
            admin: access.at_least(Level::Admin) || role == Some(TeamRole::Owner),
            view: access.at_least(Level::Read) || role.is_some(),
        }
    }

    fn visible(permissions: &TeamPermissions) -> bool {
        permissions.view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::disabled(Level::None, Some(TeamRole::Owner), (false, false))]
    #[case::guest(Level::Guest, None, (false, false))]
    #[case::guest_in_it(Level::Guest, Some(TeamRole::Member), (false, true))]
    #[case::guest_who_owns_it(Level::Guest, Some(TeamRole::Owner), (true, true))]
    #[case::reader(Level::Read, None, (false, true))]
    #[case::creator(Level::Create, Some(TeamRole::Member), (false, true))]
    #[case::administrator(Level::Admin, None, (true, true))]
    fn a_team_is_managed_by_its_owners_and_by_administrators(
        #[case] level: Level,
        #[case] team: Option<TeamRole>,
        #[case] expected: (bool, bool),
    ) {
        let entity = Team {
            id: "t".parse().unwrap(),
            organization: "o".parse().unwrap(),
            title: "Writers".parse().unwrap(),
            created_at: DateTime::UNIX_EPOCH,
        };
        let may = entity.permissions(&Access { team, ..Access::new("u".parse().ok(), level) });
        assert_eq!((may.admin, may.view), expected);
    }
}
