//! What spaces and collections have in common: what they say about access, where they stand, whom they are given to.
use super::described;
use super::team::{Team, team};
use super::user::{User, user};
use crate::input::Wire;
use crate::links::Links;
use crate::paging::List;
use domain::access::{DefaultLevel, Role};
use domain::id::{CollectionId, OrganizationId, SpaceId, TeamId, UserId};
use domain::patch::Patch;
use domain::place::{PlaceId, Position, Subject};
use domain::text::Invalid;
use domain::usecases::permissions::NewGrants;
use domain::usecases::placing::Move;
use domain::usecases::teams::ShownTeam;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Reads a change of a default level.
pub(super) fn default_level_patch(patch: Patch<String>) -> Result<Option<DefaultLevel>, Invalid> {
    let raw = match patch {
        Patch::Keep => return Ok(None),
        Patch::Clear => return Ok(Some(DefaultLevel::Nobody)),
        Patch::Set(raw) => raw,
    };
    if raw == "inherit" {
        return Ok(Some(DefaultLevel::Inherit));
    }
    let role = raw.parse().ok().map(DefaultLevel::Role);
    let rule = "must be one of admin, create, edit, review, comment, read, inherit, or null";
    role.map(Some).ok_or_else(|| Invalid::new("defaultLevel", rule))
}

/// A space or a collection beside which something is put.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schema(as = MovePosition)]
pub(crate) enum Sibling {
    Space {
        #[schema(value_type = String)]
        space: SpaceId,
    },
    Collection {
        #[schema(value_type = String)]
        collection: CollectionId,
    },
}

impl From<Sibling> for PlaceId {
    fn from(sibling: Sibling) -> Self {
        match sibling {
            Sibling::Space { space } => Self::Space(space),
            Sibling::Collection { collection } => Self::Collection(collection),
        }
    }
}

/// Beside what something is put; at the end when neither is named. With both, they must be neighbours.
#[derive(Deserialize, ToSchema)]
#[schema(as = MovePositions)]
pub(crate) struct Positions {
    before: Option<Sibling>,
    after: Option<Sibling>,
}

/// Where something is put: a collection, a place among what stands there, or both.
#[derive(Deserialize, ToSchema)]
#[schema(as = Move)]
pub(crate) struct MoveBody {
    /// The collection it goes to; `null` is the top of the organization.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    parent: Patch<CollectionId>,
    position: Option<Positions>,
}

impl Wire for MoveBody {
    type Command = Move;

    fn command(self) -> Result<Move, Invalid> {
        if self.parent == Patch::Keep && self.position.is_none() {
            return Err(Invalid::new("parent", "name where it goes: parent, position, or both"));
        }
        let position = self.position.map_or_else(Position::default, |positions| Position {
            before: positions.before.map(PlaceId::from),
            after: positions.after.map(PlaceId::from),
        });
        Ok(Move { parent: self.parent, position })
    }
}

/// Whom something is handed over to.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Transfer {
    /// The organization.
    #[schema(value_type = String)]
    organization: OrganizationId,
}

impl Wire for Transfer {
    type Command = OrganizationId;

    fn command(self) -> Result<OrganizationId, Invalid> {
        Ok(self.organization)
    }
}

/// A role for some users and teams; `null` shuts them out.
#[derive(Deserialize, ToSchema)]
#[schema(as = Invite)]
pub(crate) struct GrantBody {
    #[serde(default)]
    #[schema(value_type = Option<described::Role>)]
    role: Patch<Role>,
    /// Members of the organization.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    users: Vec<UserId>,
    /// Teams of the organization.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    teams: Vec<TeamId>,
}

impl Wire for GrantBody {
    type Command = NewGrants;

    fn command(self) -> Result<NewGrants, Invalid> {
        let role = match self.role {
            Patch::Keep => return Err(Invalid::new("role", "must be given; null shuts out")),
            Patch::Clear => None,
            Patch::Set(role) => Some(role),
        };
        let users = self.users.into_iter().map(Subject::User);
        Ok(NewGrants { role, subjects: users.chain(self.teams.into_iter().map(Subject::Team)).collect() })
    }
}

/// Another role for somebody who has one; `null` shuts out, absence changes nothing.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdatePermission {
    #[serde(default)]
    #[schema(value_type = Option<described::Role>)]
    role: Patch<Role>,
}

impl Wire for UpdatePermission {
    type Command = Option<Option<Role>>;

    fn command(self) -> Result<Option<Option<Role>>, Invalid> {
        Ok(match self.role {
            Patch::Keep => None,
            Patch::Clear => Some(None),
            Patch::Set(role) => Some(Some(role)),
        })
    }
}

/// Whose access is listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AggregateParams {
    /// Only those with exactly this role in the end.
    #[param(value_type = Option<described::Role>)]
    role: Option<Role>,
}

impl Wire for AggregateParams {
    type Command = Option<Role>;

    fn command(self) -> Result<Option<Role>, Invalid> {
        Ok(self.role)
    }
}

/// A user, and what the user may do.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserPermission {
    /// `null` is shut out.
    #[schema(value_type = Option<described::Role>)]
    permission: Option<Role>,
    user: User,
}

/// Users, and what they may do.
pub(crate) type UserPermissionList = List<UserPermission>;

/// Shows what a user may do.
pub(crate) fn user_permission(
    (account, permission): (domain::user::User, Option<Role>),
    links: &Links,
) -> UserPermission {
    UserPermission { permission, user: user(account, links) }
}

/// A team, and what its members may do.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamPermission {
    /// `null` is shut out.
    #[schema(value_type = Option<described::Role>)]
    permission: Option<Role>,
    team: Team,
}

/// Teams, and what their members may do.
pub(crate) type TeamPermissionList = List<TeamPermission>;

/// Shows what the members of a team may do.
pub(crate) fn team_permission((shown, permission): (ShownTeam, Option<Role>), links: &Links) -> TeamPermission {
    TeamPermission { permission, team: team(shown, links) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::read_json;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{}"#, "parent")]
    #[case(r#"{"position":{"before":{"type":"page","page":"p"}}}"#, "position.before.type")]
    #[case(r#"{"parent":"a/b"}"#, "parent")]
    fn a_move_names_where_to(#[case] body: &str, #[case] field: &str) {
        let read = read_json::<MoveBody>(body.as_bytes()).and_then(Wire::command);
        assert!(
            read.as_ref().is_err_and(|error| error.field.starts_with(field.split(".type").next().unwrap())),
            "{read:?}"
        );
    }

    #[test]
    fn a_move_goes_beside_spaces_and_collections_alike() {
        let body = r#"{"parent":null,"position":{"before":{"type":"space","space":"s"},"after":{"type":"collection","collection":"c"}}}"#;
        let read = read_json::<MoveBody>(body.as_bytes()).unwrap().command().unwrap();
        assert_eq!(read.parent, Patch::Clear);
        assert_eq!(read.position.before, Some(PlaceId::Space("s".parse().unwrap())));
        assert_eq!(read.position.after, Some(PlaceId::Collection("c".parse().unwrap())));
    }

    #[rstest]
    #[case("{}", None)]
    #[case(r#"{"users":["u"]}"#, None)]
    #[case(r#"{"role":null,"users":["u"]}"#, Some(None))]
    #[case(r#"{"role":"edit","teams":["t"]}"#, Some(Some(Role::Edit)))]
    fn a_grant_says_its_role(#[case] body: &str, #[case] role: Option<Option<Role>>) {
        let read = read_json::<GrantBody>(body.as_bytes()).and_then(Wire::command);
        assert_eq!(read.ok().map(|read| read.role), role);
    }
}
