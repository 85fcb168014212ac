//! Access control. One function computes the level of a user on an object. One function per kind of object maps a level
//! to permissions. The permissions are used for the check and are also returned as `permissions`. No other code
//! compares roles.
mod granted;
mod organization_access;
mod permissions;
mod place_rules;

use crate::words;
pub use granted::{Access, Denied, Granted, Guarded};
pub use organization_access::{CollectionGrants, Grants, OrganizationAccess, SiteGrants, UserGrants, Within};
pub use permissions::PermissionSet;
pub(crate) use permissions::permissions;
pub use place_rules::{PlaceRules, SpaceReaders};

words! {
    /// A role: of a member, as default level of content, or in a grant. Only [`Level`] has an order.
    pub enum Role {
        /// Can administer the organization.
        Admin = "admin",
        /// Can create and delete content, and manage access to it.
        Create = "create",
        /// Can edit, directly or through change requests.
        Edit = "edit",
        /// Can review and merge.
        Review = "review",
        /// Can read and comment.
        Comment = "comment",
        /// Can read.
        Read = "read",
    }
}

/// The role that content gives to members without a grant of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DefaultLevel {
    /// The default level of the parent applies.
    #[default]
    Inherit,
    /// No access, except for administrators and users with a grant.
    NoAccess,
    /// Every member who is not a guest has this role.
    Role(Role),
}

impl DefaultLevel {
    /// The name of [`DefaultLevel::Inherit`] in the API.
    pub const INHERIT: &'static str = "inherit";

    /// The name in the API; [`DefaultLevel::NoAccess`] has none.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Inherit => Some(Self::INHERIT),
            Self::NoAccess => None,
            Self::Role(role) => Some(role.as_str()),
        }
    }
}

/// The grant to one user or team on a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grant {
    /// There is no grant, so other rules decide.
    #[default]
    None,
    /// Denies access.
    NoAccess,
    /// Gives this role.
    Role(Role),
}

impl Grant {
    /// The role that it gives.
    pub fn role(self) -> Option<Role> {
        match self {
            Self::None | Self::NoAccess => None,
            Self::Role(role) => Some(role),
        }
    }

    /// The level that it gives; `None` if other rules decide.
    pub fn level(self) -> Option<Level> {
        match self {
            Self::None => None,
            Self::NoAccess => Some(Level::None),
            Self::Role(role) => Some(role.into()),
        }
    }
}

impl From<Option<Role>> for Grant {
    /// A stored grant: without a role, it denies access.
    fn from(role: Option<Role>) -> Self {
        role.map_or(Self::NoAccess, Self::Role)
    }
}

/// A membership in an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The role; absent for guests, who see only objects with a grant.
    pub role: Option<Role>,
    /// A disabled member has no access.
    pub disabled: bool,
}

impl Membership {
    /// Whether the member administers the organization now.
    pub fn administers(self) -> bool {
        organization_level(Some(self)) == Level::Admin
    }
}

/// The access rules of one place (a space, a collection or a site) for a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The grant to the user.
    pub direct: Grant,
    /// The grants to the user's teams. A grant without a role denies access, unless another team has a role.
    pub teams: Vec<Option<Role>>,
    /// The default level for all other members.
    pub default: DefaultLevel,
    /// The sites that a space is on. They apply if the space itself has no rule; the highest level wins.
    pub sites: Vec<Place>,
}

/// The level of access to an object. Levels are ordered, and only [`level`] and [`organization_level`] compute them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// No access: the caller gets 404 for the object.
    None,
    /// A guest of the organization, who sees only objects with a grant.
    Guest,
    /// See [`Role::Read`].
    Read,
    /// See [`Role::Comment`].
    Comment,
    /// See [`Role::Edit`].
    Edit,
    /// See [`Role::Review`].
    Review,
    /// See [`Role::Create`].
    Create,
    /// See [`Role::Admin`].
    Admin,
}

impl From<Role> for Level {
    fn from(role: Role) -> Self {
        match role {
            Role::Read => Self::Read,
            Role::Comment => Self::Comment,
            Role::Edit => Self::Edit,
            Role::Review => Self::Review,
            Role::Create => Self::Create,
            Role::Admin => Self::Admin,
        }
    }
}

impl Level {
    /// Whether the level allows reading content.
    pub fn reads(self) -> bool {
        self >= Self::Read
    }

    /// Whether the level allows managing content: deleting, moving, granting access.
    pub fn manages(self) -> bool {
        self >= Self::Create
    }

    /// The role with the same name; `None` below reading.
    pub fn role(self) -> Option<Role> {
        Role::ALL.iter().copied().find(|role| Self::from(*role) == self)
    }
}

impl From<Option<Role>> for Level {
    /// No role means no level: such a grant denies access.
    fn from(role: Option<Role>) -> Self {
        role.map_or(Self::None, Self::from)
    }
}

/// Why a user has a level on content. Places are numbered from the content outwards, starting with 0 for the content
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Not a member of the organization.
    NoMember,
    /// The membership is disabled.
    Disabled,
    /// Administers the organization; no rule lowers that.
    Administrator,
    /// The place has a grant to the user.
    Direct(usize),
    /// The place has grants to teams of the user; the highest one wins.
    Teams(usize),
    /// The place has a default level. It does not apply to guests, who get no access.
    Default(usize),
    /// The place has no rule, but sites that it is on have one; the highest one wins.
    Sites(usize),
    /// No place has a rule, so the role in the organization applies; none for guests.
    Membership,
}

/// The level of a user on content, and the reason. `places` go from the content outwards: the space (and the sites that
/// it is on), its collection, and so on.
///
/// The innermost place with a rule decides, not the highest level, so an override can also lower a level. An
/// administrator of the organization is never lowered. A user who is not an active member has no level.
pub fn decide<'a>(membership: Option<Membership>, places: impl IntoIterator<Item = &'a Place>) -> (Level, Reason) {
    let Some(member) = membership else { return (Level::None, Reason::NoMember) };
    if member.disabled {
        return (Level::None, Reason::Disabled);
    }
    if member.role == Some(Role::Admin) {
        return (Level::Admin, Reason::Administrator);
    }
    let said = places.into_iter().enumerate().find_map(|(at, place)| own(member, place, at));
    said.unwrap_or_else(|| (member.role.into(), Reason::Membership))
}

/// The level alone; see [`decide`].
pub fn level<'a>(membership: Option<Membership>, places: impl IntoIterator<Item = &'a Place>) -> Level {
    decide(membership, places).0
}

/// The level that one place alone gives a member.
fn own(member: Membership, place: &Place, at: usize) -> Option<(Level, Reason)> {
    if let Some(level) = place.direct.level() {
        return Some((level, Reason::Direct(at)));
    }
    if let Some(best) = place.teams.iter().copied().map(Level::from).max() {
        return Some((best, Reason::Teams(at)));
    }
    let level = match (place.default, member.role) {
        (DefaultLevel::Inherit, _) => {
            let sites = place.sites.iter().filter_map(|site| own(member, site, at));
            return sites.map(|(level, _)| level).max().map(|level| (level, Reason::Sites(at)));
        }
        (_, None) | (DefaultLevel::NoAccess, _) => Level::None,
        (DefaultLevel::Role(role), Some(_)) => role.into(),
    };
    Some((level, Reason::Default(at)))
}

/// The level of a user on a site. A user who gets no level from the site, but may read a space on it, may read the
/// site, unless a grant denies that.
pub fn site_level(membership: Option<Membership>, site: &Place, reads_a_space: bool) -> Level {
    let (level, reason) = decide(membership, [site]);
    if reads_a_space && opens_through_spaces(level, reason) { Level::Read } else { level }
}

/// Whether a user with this level on a site, for this reason, reads the site if the user reads a space on it.
pub fn opens_through_spaces(level: Level, reason: Reason) -> bool {
    let denied = matches!(reason, Reason::NoMember | Reason::Disabled | Reason::Direct(_) | Reason::Teams(_));
    !level.reads() && !denied
}

/// The level of a user on an organization: from the role, or guest.
pub fn organization_level(membership: Option<Membership>) -> Level {
    match membership.filter(|member| !member.disabled) {
        None => Level::None,
        Some(Membership { role: None, .. }) => Level::Guest,
        Some(Membership { role: Some(role), .. }) => role.into(),
    }
}

/// The level of a user on an account. Users may manage their own account. They may read accounts of members of an
/// organization in which they may list members. `shared` are the user's own memberships in the shared organizations.
pub fn account_level(own: bool, shared: &[Membership]) -> Level {
    if own {
        return Level::Admin;
    }
    let lists_members = shared.iter().any(|membership| organization_level(Some(*membership)) >= Level::Read);
    if lists_members { Level::Read } else { Level::None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn member(role: Option<Role>) -> Option<Membership> {
        Some(Membership { role, disabled: false })
    }
    fn default(default: DefaultLevel) -> Place {
        Place { default, ..Place::default() }
    }

    #[rstest]
    #[case::stranger(None, DefaultLevel::Role(Role::Edit), Level::None)]
    #[case::guest_inherits_nothing(member(None), DefaultLevel::Inherit, Level::None)]
    #[case::guest_is_not_meant_by_a_default(member(None), DefaultLevel::Role(Role::Edit), Level::None)]
    #[case::role_is_inherited(member(Some(Role::Review)), DefaultLevel::Inherit, Level::Review)]
    #[case::default_lowers(member(Some(Role::Create)), DefaultLevel::Role(Role::Read), Level::Read)]
    #[case::default_raises(member(Some(Role::Read)), DefaultLevel::Role(Role::Edit), Level::Edit)]
    #[case::no_access(member(Some(Role::Create)), DefaultLevel::NoAccess, Level::None)]
    #[case::admin_is_never_lowered(member(Some(Role::Admin)), DefaultLevel::NoAccess, Level::Admin)]
    #[case::disabled(Some(Membership { role: Some(Role::Admin), disabled: true }), DefaultLevel::Inherit, Level::None)]
    fn the_default_level_of_a_space_applies_to_members(
        #[case] membership: Option<Membership>,
        #[case] space: DefaultLevel,
        #[case] expected: Level,
    ) {
        assert_eq!(level(membership, &[default(space)]), expected);
    }

    #[test]
    fn a_direct_grant_wins_over_teams_and_the_best_team_over_the_default() {
        let mut place = Place {
            direct: Grant::NoAccess,
            teams: vec![Some(Role::Edit), None, Some(Role::Review)],
            default: DefaultLevel::Role(Role::Create),
            sites: Vec::new(),
        };
        assert_eq!(level(member(Some(Role::Read)), std::slice::from_ref(&place)), Level::None);
        place.direct = Grant::None;
        assert_eq!(level(member(Some(Role::Read)), std::slice::from_ref(&place)), Level::Review);
        place.teams = vec![None];
        assert_eq!(level(member(Some(Role::Read)), std::slice::from_ref(&place)), Level::None, "the team is shut out");
    }

    #[test]
    fn the_innermost_place_with_a_rule_decides() {
        let places = [
            default(DefaultLevel::Inherit),
            default(DefaultLevel::Role(Role::Comment)),
            default(DefaultLevel::NoAccess),
        ];
        assert_eq!(level(member(Some(Role::Create)), &places), Level::Comment);
    }

    fn on_sites(own: Place, sites: &[Place]) -> Place {
        Place { sites: sites.to_vec(), ..own }
    }

    #[rstest]
    #[case::the_highest_of_the_sites(
        on_sites(default(DefaultLevel::Inherit), &[default(DefaultLevel::Role(Role::Comment)), default(DefaultLevel::Role(Role::Edit))]),
        Level::Edit
    )]
    #[case::a_site_without_a_rule_does_not_count(
        on_sites(default(DefaultLevel::Inherit), &[default(DefaultLevel::Inherit), default(DefaultLevel::NoAccess)]),
        Level::None
    )]
    #[case::sites_that_inherit_leave_it_to_the_collection(
        on_sites(default(DefaultLevel::Inherit), &[default(DefaultLevel::Inherit)]),
        Level::Review
    )]
    #[case::the_rule_of_the_space_comes_first(
        on_sites(default(DefaultLevel::Role(Role::Read)), &[default(DefaultLevel::Role(Role::Edit))]),
        Level::Read
    )]
    fn the_sites_of_a_space_count_where_it_has_no_rule(#[case] space: Place, #[case] expected: Level) {
        let collection = default(DefaultLevel::Role(Role::Review));
        assert_eq!(level(member(Some(Role::Create)), &[space, collection]), expected);
    }

    #[test]
    fn a_reader_of_a_space_on_a_site_reads_the_site_unless_a_grant_denies_it() {
        let (guest, no_access) = (member(None), default(DefaultLevel::NoAccess));
        assert_eq!(site_level(guest, &default(DefaultLevel::Inherit), false), Level::None);
        assert_eq!(site_level(guest, &default(DefaultLevel::Inherit), true), Level::Read);
        assert_eq!(site_level(member(Some(Role::Edit)), &no_access, true), Level::Read);
        assert_eq!(site_level(member(Some(Role::Edit)), &default(DefaultLevel::Inherit), true), Level::Edit);
        let denied = Place { direct: Grant::NoAccess, ..no_access };
        assert_eq!(site_level(member(Some(Role::Edit)), &denied, true), Level::None);
        assert_eq!(site_level(None, &default(DefaultLevel::Inherit), true), Level::None, "no member");
    }

    #[rstest]
    #[case::oneself(true, &[], Level::Admin)]
    #[case::a_stranger(false, &[], Level::None)]
    #[case::through_a_role(false, &[Membership { role: Some(Role::Read), disabled: false }], Level::Read)]
    #[case::an_administrator_is_not_the_owner(false, &[Membership { role: Some(Role::Admin), disabled: false }], Level::Read)]
    #[case::guests_see_nobody(false, &[Membership { role: None, disabled: false }], Level::None)]
    #[case::nor_do_the_disabled(false, &[Membership { role: Some(Role::Admin), disabled: true }], Level::None)]
    fn an_account_is_visible_to_users_of_the_same_organizations(
        #[case] own: bool,
        #[case] shared: &[Membership],
        #[case] expected: Level,
    ) {
        assert_eq!(account_level(own, shared), expected);
    }

    proptest! {
        #[test]
        fn nobody_outside_the_organization_has_a_level(direct in 0usize..6, team in 0usize..6, default in 0usize..6) {
            let place = Place {
                direct: Grant::Role(Role::ALL[direct]),
                teams: vec![Some(Role::ALL[team])],
                default: DefaultLevel::Role(Role::ALL[default]),
                sites: Vec::new(),
            };
            prop_assert_eq!(level(None, &[place]), Level::None);
        }
    }
}
