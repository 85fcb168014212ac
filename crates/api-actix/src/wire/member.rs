//! Members of organizations.
use super::schemas;
use super::space::Space;
use super::team::{Team, TeamRoleOf, role_of, team};
use super::user::{User, person};
use crate::answer::links::Links;
use crate::request::Wire;
use crate::request::paging::List;
use chrono::{DateTime, Utc};
use domain::access::Role;
use domain::paging::Order;
use domain::patch::Patch;
use domain::ports::store::members::{MemberFilter, MemberSort, RoleFilter};
use domain::team::TeamRole;
use domain::text::{Invalid, Rule};
use domain::usecases::ShownSpace;
use domain::usecases::members::{MemberPatch, ShownMember};
use domain::usecases::teams::ShownTeam;
use domain::words::Words;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The filter for members without a role.
pub(super) const GUEST: &str = "guest";

/// A member of an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Member {
    #[schema(example = "member")]
    object: &'static str,
    /// The id of the account.
    id: String,
    /// The role in the organization; `null` for guests.
    #[schema(value_type = Option<schemas::Role>, required)]
    role: Option<Role>,
    user: User,
    /// Whether the member is disabled, and so has no access.
    disabled: bool,
    joined_at: DateTime<Utc>,
    /// When the member was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen_at: Option<DateTime<Utc>>,
    /// Whether the organization's identity provider knows the member. It has no effect yet, as there is no sign-in by
    /// identity providers.
    sso: bool,
    /// The number of spaces granted to the member, directly or through a team.
    spaces: u32,
    /// The number of teams of the member.
    teams: u32,
    /// The number of sites granted to the member, directly or through a team.
    sites: u32,
}

pub(crate) type MemberList = List<Member>;

pub(crate) fn member(shown: ShownMember, links: &Links) -> Member {
    let ShownMember { member, user: account, counts } = shown;
    Member {
        object: "member",
        id: member.user.into(),
        role: member.membership.role,
        user: person(account, links),
        disabled: member.membership.disabled,
        joined_at: member.joined_at,
        last_seen_at: member.last_seen_at,
        sso: member.sso,
        spaces: counts.spaces,
        teams: counts.teams,
        sites: counts.sites,
    }
}

/// A team of a member, with the member's role in it.
#[derive(Serialize, ToSchema)]
pub(crate) struct MemberTeam {
    team: Team,
    member: TeamRoleOf,
}

pub(crate) type MemberTeamList = List<MemberTeam>;

pub(crate) fn member_team((shown, role): (ShownTeam, TeamRole), links: &Links) -> MemberTeam {
    MemberTeam { team: team(shown, links), member: role_of(role) }
}

/// A space that a member can read, with the member's role in it.
#[derive(Serialize, ToSchema)]
pub(crate) struct MemberSpace {
    #[schema(value_type = schemas::Role)]
    permission: Role,
    space: Space,
}

pub(crate) type MemberSpaceList = List<MemberSpace>;

pub(crate) fn member_space((shown, permission): (ShownSpace, Role), links: &Links) -> MemberSpace {
    MemberSpace { permission, space: super::space::space(shown, links) }
}

/// Order of the list of a member's spaces.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MemberSpaceParams {
    /// `asc` lists the spaces by position, `desc` in reverse; `desc` if absent.
    #[param(inline)]
    order: Option<OrderParam>,
}

impl Wire for MemberSpaceParams {
    type Command = Order;

    fn command(self) -> Result<Order, Invalid> {
        Ok(self.order.map_or(Order::Desc, Order::from))
    }
}

/// Filters and order of the list of members.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct MemberParams {
    /// Only members with this role.
    #[param(inline, value_type = Option<schemas::RoleOrGuest>)]
    role: Option<String>,
    /// Only members whose name or email address contains this text, ignoring case.
    search: Option<String>,
    /// The field to sort by; `joinedAt` if absent. With `lastSeenAt`, members who were never seen or are disabled are
    /// omitted.
    #[param(inline)]
    sort: Option<SortParam>,
    /// The sort direction; `desc` if absent.
    #[param(inline)]
    order: Option<OrderParam>,
}

/// The field to sort members by.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SortParam {
    JoinedAt,
    LastSeenAt,
    Name,
}

/// The direction of a list.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OrderParam {
    Asc,
    Desc,
}

impl From<OrderParam> for Order {
    fn from(order: OrderParam) -> Self {
        match order {
            OrderParam::Asc => Self::Asc,
            OrderParam::Desc => Self::Desc,
        }
    }
}

impl From<SortParam> for MemberSort {
    fn from(sort: SortParam) -> Self {
        match sort {
            SortParam::JoinedAt => Self::JoinedAt,
            SortParam::LastSeenAt => Self::LastSeenAt,
            SortParam::Name => Self::Name,
        }
    }
}

/// Parses the role to filter by: a role, or `guest`.
pub(super) fn role_filter(raw: Option<&str>) -> Result<RoleFilter, Invalid> {
    let Some(raw) = raw else { return Ok(RoleFilter::Any) };
    if raw == GUEST {
        return Ok(RoleFilter::Guest);
    }
    let words = Role::WORDS.iter().copied().chain([GUEST]);
    raw.parse().ok().map(RoleFilter::Role).ok_or_else(|| Rule::one_of(words).of("role"))
}

impl Wire for MemberParams {
    type Command = (MemberFilter, Order);

    fn command(self) -> Result<(MemberFilter, Order), Invalid> {
        let sort = self.sort.map(MemberSort::from).unwrap_or_default();
        let role = role_filter(self.role.as_deref())?;
        let filter = MemberFilter { role, search: self.search, sort };
        Ok((filter, self.order.map_or(Order::Desc, Order::from)))
    }
}

/// Filters of the list of a member's teams.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MemberTeamParams {
    /// Only teams whose title contains this text, ignoring case.
    title: Option<String>,
}

impl Wire for MemberTeamParams {
    type Command = Option<String>;

    fn command(self) -> Result<Option<String>, Invalid> {
        Ok(self.title)
    }
}

/// Changes to a member; absent fields stay unchanged.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct UpdateMember {
    /// `null` for guests.
    #[serde(default)]
    #[schema(value_type = Option<schemas::Role>)]
    role: Patch<Role>,
}

impl Wire for UpdateMember {
    type Command = MemberPatch;

    fn command(self) -> Result<MemberPatch, Invalid> {
        Ok(MemberPatch { role: self.role, disabled: None })
    }
}

/// Signed claims about the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pinged {
    /// A JWT about the caller, signed by this server and valid for an hour.
    pub(crate) service_visitor_claims: String,
    /// The same JWT, under the name that existing clients expect.
    pub(crate) gitbook_visitor_claims: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{read_json, read_query};
    use rstest::rstest;

    #[rstest]
    #[case("{}", Patch::Keep)]
    #[case(r#"{"role":null}"#, Patch::Clear)]
    #[case(r#"{"role":"edit","disabled":true}"#, Patch::Set(Role::Edit))]
    fn a_role_may_be_left_alone_taken_away_or_given(#[case] body: &str, #[case] role: Patch<Role>) {
        let patch = read_json::<UpdateMember>(body.as_bytes()).and_then(Wire::command).unwrap();
        assert_eq!(patch, MemberPatch { role, disabled: None });
    }

    #[rstest]
    #[case("", RoleFilter::Any, MemberSort::JoinedAt, Order::Desc)]
    #[case("role=guest&sort=name&order=asc", RoleFilter::Guest, MemberSort::Name, Order::Asc)]
    #[case("role=review&sort=lastSeenAt", RoleFilter::Role(Role::Review), MemberSort::LastSeenAt, Order::Desc)]
    fn a_list_is_filtered_and_ordered_as_asked(
        #[case] query: &str,
        #[case] role: RoleFilter,
        #[case] sort: MemberSort,
        #[case] order: Order,
    ) {
        let (filter, given) = read_query::<MemberParams>(query).and_then(Wire::command).unwrap();
        assert_eq!((filter.role, filter.sort, given), (role, sort, order));
    }
}
