//! The fields that spaces and collections share: access, position and transfer.
use super::member::{OrderParam, SortParam, role_filter};
use super::schemas;
use super::team::{Team, team};
use super::user::{User, person, user};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::access::{DefaultLevel, Role};
use domain::id::{CollectionId, OrganizationId, SpaceId, TeamId, UserId};
use domain::paging::Order;
use domain::patch::Patch;
use domain::place::{GrantTarget, Grantee, PlaceId, Position};
use domain::ports::store::members::MemberSort;
use domain::text::{Invalid, Rule};
use domain::usecases::permissions::{AccessFilter, MemberAccess, NewGrants, Origin};
use domain::usecases::placing::Move;
use domain::usecases::teams::ShownTeam;
use domain::user::Person;
use domain::words::Words;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Parses a change of a default level.
pub(super) fn default_level_patch(patch: Patch<String>) -> Result<Option<DefaultLevel>, Invalid> {
    let raw = match patch {
        Patch::Keep => return Ok(None),
        Patch::Clear => return Ok(Some(DefaultLevel::NoAccess)),
        Patch::Set(raw) => raw,
    };
    if raw == DefaultLevel::INHERIT {
        return Ok(Some(DefaultLevel::Inherit));
    }
    let role = raw.parse().ok().map(DefaultLevel::Role);
    let words = Role::WORDS.iter().copied().chain([DefaultLevel::INHERIT, "or null"]);
    role.map(Some).ok_or_else(|| Rule::one_of(words).of("defaultLevel"))
}

/// A space or collection, as a reference for a position.
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

/// The siblings to move next to; the last position if both are absent. If both are given, they must be neighbours.
#[derive(Deserialize, ToSchema)]
#[schema(as = MovePositions)]
pub(crate) struct Positions {
    before: Option<Sibling>,
    after: Option<Sibling>,
}

/// The target of a move: a collection, a position among siblings, or both.
#[derive(Deserialize, ToSchema)]
#[schema(as = Move)]
pub(crate) struct MoveBody {
    /// The new parent collection; `null` is the top level of the organization.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    parent: Patch<CollectionId>,
    position: Option<Positions>,
}

impl Wire for MoveBody {
    type Command = Move;

    fn command(self) -> Result<Move, Invalid> {
        if self.parent == Patch::Keep && self.position.is_none() {
            return Err(Invalid::new("parent", "is required, unless position is sent"));
        }
        let position = self.position.map_or_else(Position::default, |positions| Position {
            before: positions.before.map(PlaceId::from),
            after: positions.after.map(PlaceId::from),
        });
        Ok(Move { parent: self.parent, position })
    }
}

/// The target of a transfer.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Transfer {
    /// The new organization.
    #[schema(value_type = String)]
    organization: OrganizationId,
}

impl Wire for Transfer {
    type Command = OrganizationId;

    fn command(self) -> Result<OrganizationId, Invalid> {
        Ok(self.organization)
    }
}

/// A role for users and teams; `null` denies them access.
#[derive(Deserialize, ToSchema)]
#[schema(as = Invite)]
pub(crate) struct GrantBody {
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
    /// Ids of members of the organization.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    users: Vec<UserId>,
    /// Ids of teams of the organization.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    teams: Vec<TeamId>,
}

impl Wire for GrantBody {
    type Command = NewGrants;

    fn command(self) -> Result<NewGrants, Invalid> {
        let role = match self.role {
            Patch::Keep => return Err(Invalid::new("role", "is required; null denies access")),
            Patch::Clear => None,
            Patch::Set(role) => Some(role),
        };
        let users = self.users.into_iter().map(Grantee::User);
        Ok(NewGrants { role, subjects: users.chain(self.teams.into_iter().map(Grantee::Team)).collect() })
    }
}

/// A new role for a user or team that has a grant. `null` denies access; absent changes nothing.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdatePermission {
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
}

impl Wire for UpdatePermission {
    type Command = Patch<Role>;

    fn command(self) -> Result<Patch<Role>, Invalid> {
        Ok(self.role)
    }
}

/// Filters and order of the list of users with access.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AggregateParams {
    /// Only users with exactly this effective role. Everyone with access has one, so `guest` lists no users.
    #[param(inline, value_type = Option<schemas::RoleOrGuest>)]
    role: Option<String>,
    /// Only users whose name or email address contains this text, ignoring case.
    search: Option<String>,
    /// Only members of this team, by its id.
    #[param(value_type = Option<String>)]
    team: Option<TeamId>,
    /// The field to sort by; `joinedAt` if absent. With `lastSeenAt`, users who were never seen count as the earliest.
    #[param(inline)]
    sort: Option<SortParam>,
    /// The sort direction; `desc` if absent.
    #[param(inline)]
    order: Option<OrderParam>,
}

impl Wire for AggregateParams {
    type Command = (AccessFilter, Order);

    fn command(self) -> Result<(AccessFilter, Order), Invalid> {
        let Self { role, search, team, sort, order } = self;
        let (role, sort) = (role_filter(role.as_deref())?, sort.map(MemberSort::from).unwrap_or_default());
        Ok((AccessFilter { role, search, team, sort }, order.map_or(Order::Desc, Order::from)))
    }
}

/// A user with a role.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserPermission {
    /// `null` denies access.
    #[schema(value_type = Option<schemas::Role>, required)]
    permission: Option<Role>,
    user: User,
}

pub(crate) type UserPermissionList = List<UserPermission>;

pub(crate) fn user_permission((account, permission): (Person, Option<Role>), links: &Links) -> UserPermission {
    UserPermission { permission, user: person(account, links) }
}

/// The effective role of a user.
pub(crate) fn effective_permission(found: MemberAccess, _place: &GrantTarget, links: &Links) -> UserPermission {
    UserPermission { permission: Some(found.role), user: user(found.user, links) }
}

/// A user with the effective role on a site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteUserPermission {
    #[schema(value_type = Option<schemas::Role>, required)]
    permission: Option<Role>,
    user: User,
    origin: PermissionOrigin,
    /// Whether the membership is disabled: such members have no access and are not listed.
    disabled: bool,
    /// When the user was last seen in the organization; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen_at: Option<DateTime<Utc>>,
}

/// Where a role comes from: the organization, the site, or a space on it.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct PermissionOrigin {
    /// `organization`, `site` or `space`.
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    /// A space on the site that the user may read, and so the site; absent if the caller may not read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<String>,
    /// For a site: `member` for a grant to the user, `team` for one to a team, `default` for the default level.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// The team that has the grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    team: Option<String>,
}

impl PermissionOrigin {
    fn new(origin: Origin, place: &GrantTarget) -> Self {
        let of_site = |reason, team: Option<TeamId>| Self {
            kind: "site",
            site: Some(place.as_str().to_owned()),
            reason: Some(reason),
            team: team.map(String::from),
            ..Self::default()
        };
        match origin {
            Origin::Organization => {
                let organization = match place {
                    GrantTarget::Site(organization, _) => Some(organization.to_string()),
                    GrantTarget::Place(_) => None,
                };
                Self { kind: "organization", organization, ..Self::default() }
            }
            Origin::Direct => of_site("member", None),
            Origin::Team(team) => of_site("team", team),
            Origin::Default => of_site("default", None),
            Origin::Space(space) => Self { kind: "space", space: space.map(String::from), ..Self::default() },
        }
    }
}

pub(crate) type SiteUserPermissionList = List<SiteUserPermission>;

pub(crate) fn site_user_permission(found: MemberAccess, place: &GrantTarget, links: &Links) -> SiteUserPermission {
    SiteUserPermission {
        permission: Some(found.role),
        user: user(found.user, links),
        origin: PermissionOrigin::new(found.origin, place),
        disabled: found.member.membership.disabled,
        last_seen_at: found.member.last_seen_at,
    }
}

/// A team with a role.
#[derive(Serialize, ToSchema)]
pub(crate) struct TeamPermission {
    /// `null` denies access.
    #[schema(value_type = Option<schemas::Role>, required)]
    permission: Option<Role>,
    team: Team,
}

pub(crate) type TeamPermissionList = List<TeamPermission>;

pub(crate) fn team_permission((shown, permission): (ShownTeam, Option<Role>), links: &Links) -> TeamPermission {
    TeamPermission { permission, team: team(shown, links) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::read_json;
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
    fn a_move_can_be_next_to_spaces_and_collections() {
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
