//! Teams and their members.
use super::member::{Member, member};
use crate::answer::links::Links;
use crate::answer::resource::{Presented, Resource};
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::ports::store::teams::TeamFilter;
use domain::team::{self, TeamRole};
use domain::text::{Email, Invalid, TeamTitle};
use domain::usecases::teams::{Named, NewTeam, ShownTeam, ShownTeamMember, TeamChanges};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// A team: a group of members that roles can be granted to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Team)]
pub(crate) struct TeamFields {
    id: String,
    #[schema(min_length = 1, max_length = 64)]
    title: String,
    /// The number of members.
    members: u32,
    /// The number of spaces granted to the team.
    spaces: u32,
    created_at: DateTime<Utc>,
}

/// URLs of a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamUrls {
    /// In this API.
    pub(crate) location: String,
}

impl Resource for TeamFields {
    const OBJECT: &'static str = "team";
    type Entity = team::Team;
    type Urls = TeamUrls;
}

pub(crate) type Team = Presented<TeamFields>;
pub(crate) type TeamList = List<Team>;

pub(crate) fn team(shown: ShownTeam, links: &Links) -> Team {
    let ShownTeam { team, counts } = shown;
    Presented::new(team, |team: team::Team| {
        let urls = TeamUrls { location: links.team(&team.organization, &team.id) };
        let fields = TeamFields {
            id: team.id.into(),
            title: team.title.into(),
            members: counts.members,
            spaces: counts.spaces,
            created_at: team.created_at,
        };
        (fields, urls)
    })
}

/// The role of a member in a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamRoleOf {
    #[schema(value_type = super::schemas::TeamRole)]
    role: TeamRole,
}

pub(crate) fn role_of(role: TeamRole) -> TeamRoleOf {
    TeamRoleOf { role }
}

/// A member of a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamMember {
    organization: Member,
    team: TeamRoleOf,
    permissions: TeamMemberPermissions,
}

/// The caller's permissions on a member of a team.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamMemberPermissions {
    view: bool,
}

pub(crate) type TeamMemberList = List<TeamMember>;

pub(crate) fn team_member(shown: ShownTeamMember, links: &Links) -> TeamMember {
    TeamMember {
        organization: member(shown.member, links),
        team: role_of(shown.role),
        permissions: TeamMemberPermissions { view: true },
    }
}

/// Filters of the list of teams.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TeamParams {
    /// Only teams owned by this member.
    #[param(value_type = Option<String>)]
    owner: Option<UserId>,
    /// Only teams whose title contains this text, ignoring case.
    title: Option<String>,
}

impl Wire for TeamParams {
    type Command = TeamFilter;

    fn command(self) -> Result<TeamFilter, Invalid> {
        Ok(TeamFilter { owner: self.owner, title: self.title, member: None })
    }
}

/// A team to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateTeam {
    #[schema(value_type = String, min_length = 1, max_length = 64)]
    title: TeamTitle,
    /// Ids of members of the organization.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    members: Vec<UserId>,
}

impl Wire for CreateTeam {
    type Command = NewTeam;

    fn command(self) -> Result<NewTeam, Invalid> {
        Ok(NewTeam { title: self.title, members: self.members })
    }
}

/// Changes to a team.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateTeam {
    #[schema(value_type = String, min_length = 1, max_length = 64)]
    title: TeamTitle,
}

impl Wire for UpdateTeam {
    type Command = TeamTitle;

    fn command(self) -> Result<TeamTitle, Invalid> {
        Ok(self.title)
    }
}

/// The new role of a member in a team.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SetTeamRole {
    #[schema(value_type = super::schemas::TeamRole)]
    role: TeamRole,
}

/// Changes to the members of a team: all of them are made or none.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdateTeamMembers {
    /// Members of the organization to add, by id or email address.
    #[serde(default)]
    add: Vec<String>,
    /// Members to remove, by id or email address. Takes precedence over `add` and `memberships`.
    #[serde(default)]
    remove: Vec<String>,
    /// Roles in the team, by id or email address. Members of the organization who are not in the team are added.
    #[serde(default)]
    memberships: BTreeMap<String, SetTeamRole>,
}

/// Parses an id or an email address.
fn named(field: String, raw: String) -> Result<Named, Invalid> {
    if raw.contains('@') {
        return raw.parse::<Email>().map(Named::Email).map_err(|rule| rule.of(field));
    }
    raw.parse().map(Named::Id).map_err(|error: domain::id::InvalidId| Invalid::new(field, error.to_string()))
}

fn all_named(field: &str, raw: Vec<String>) -> Result<Vec<Named>, Invalid> {
    raw.into_iter().enumerate().map(|(at, raw)| named(format!("{field}[{at}]"), raw)).collect()
}

impl Wire for UpdateTeamMembers {
    type Command = TeamChanges;

    fn command(self) -> Result<TeamChanges, Invalid> {
        let role = |(name, set): (String, SetTeamRole)| {
            named(format!("memberships.{name}"), name).map(|name| (name, set.role))
        };
        Ok(TeamChanges {
            add: all_named("add", self.add)?,
            remove: all_named("remove", self.remove)?,
            roles: self.memberships.into_iter().map(role).collect::<Result<_, _>>()?,
        })
    }
}

/// The role of a member to put into a team.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct PutTeamMember {
    /// The role in the team. If absent, an existing member keeps their role, and a new one is `member`.
    #[serde(default, deserialize_with = "super::given")]
    #[schema(value_type = super::schemas::TeamRole)]
    role: Option<TeamRole>,
}

impl Wire for PutTeamMember {
    type Command = Option<TeamRole>;

    fn command(self) -> Result<Option<TeamRole>, Invalid> {
        Ok(self.role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
    use rstest::rstest;

    #[test]
    fn users_are_named_by_id_or_address() {
        let body = r#"{"add":["u1","Ada@Example.org"],"memberships":{"u2":{"role":"owner"}}}"#;
        let changes = read_json::<UpdateTeamMembers>(body.as_bytes()).and_then(Wire::command).unwrap();
        let ada = Named::Email("ada@example.org".parse().unwrap());
        assert_eq!(changes.add, [Named::Id("u1".parse().unwrap()), ada]);
        assert_eq!(changes.roles, [(Named::Id("u2".parse().unwrap()), TeamRole::Owner)]);
    }

    #[rstest]
    #[case(r#"{"add":["a b"]}"#, "add[0]")]
    #[case(r#"{"remove":["u1","x@"]}"#, "remove[1]")]
    #[case(r#"{"memberships":{"u1":{}}}"#, "memberships.u1.role")]
    #[case(r#"{"memberships":{"u1":{"role":"king"}}}"#, "memberships.u1.role")]
    #[case(r#"{"memberships":{"a b":{"role":"owner"}}}"#, "memberships.a b")]
    fn an_entry_with_an_unknown_user_is_named_in_the_error(#[case] body: &str, #[case] field: &str) {
        let error = read_json::<UpdateTeamMembers>(body.as_bytes()).and_then(Wire::command).unwrap_err();
        assert_eq!(error.field, field);
    }

    #[rstest]
    #[case(0, false)]
    #[case(1, true)]
    #[case(64, true)]
    #[case(65, false)]
    fn a_title_has_1_to_64_characters(#[case] length: usize, #[case] fine: bool) {
        let body = format!(r#"{{"title":"{}"}}"#, "x".repeat(length));
        assert_eq!(read_json::<CreateTeam>(body.as_bytes()).is_ok(), fine);
    }
}
