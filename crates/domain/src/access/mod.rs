//! Who may do what. One function gives the level of a user on an object, one function per kind of object maps a level
//! to rights; the rights are both the check and the `permissions` of the answer. Nothing else compares roles.
mod standing;

use crate::id::UserId;
use crate::team::TeamRole;
use serde::{Deserialize, Serialize};
pub use standing::{Grants, Shelf, Standing, Within};

/// A role, as given to members, as default level of content, and as grant. The order of rights is private to
/// [`Level`]; a role by itself is only a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Access, no updates.
    Read,
    /// Access to content and discussions.
    Comment,
    /// Edits, live or through change requests.
    Edit,
    /// Reviews and merges.
    Review,
    /// Creates and deletes content, and manages who may see it.
    Create,
    /// Administers the organization.
    Admin,
}

impl Role {
    /// Every role, weakest first.
    pub const ALL: [Role; 6] = [Role::Read, Role::Comment, Role::Edit, Role::Review, Role::Create, Role::Admin];

    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Comment => "comment",
            Self::Edit => "edit",
            Self::Review => "review",
            Self::Create => "create",
            Self::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = crate::text::Rule;
    fn from_str(raw: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|role| role.as_str() == raw);
        found.ok_or_else(|| crate::text::Rule("must be one of admin, create, edit, review, comment, read".into()))
    }
}

/// What content says to those who are named by no grant of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DefaultLevel {
    /// Nothing: the next place outwards decides.
    #[default]
    Inherit,
    /// Nobody gets in but administrators and those with a grant.
    Nobody,
    /// Every member that is no guest has this role.
    Role(Role),
}

impl DefaultLevel {
    /// The word of the API; nobody has none.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Inherit => Some("inherit"),
            Self::Nobody => None,
            Self::Role(role) => Some(role.as_str()),
        }
    }
}

/// A person's place in an organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The role; absent for guests, who see only what they were given.
    pub role: Option<Role>,
    /// A disabled member is as good as none.
    pub disabled: bool,
}

impl Membership {
    /// Whether the member administers the organization at this moment.
    pub fn administers(self) -> bool {
        organization_level(Some(self)) == Level::Admin
    }
}

/// What one place (a space, its collection, the collection around that) says about a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The grant to the user: `Some(None)` shuts the user out.
    pub direct: Option<Option<Role>>,
    /// The grants to the user's teams; one without a role shuts out, unless another team is let in.
    pub teams: Vec<Option<Role>>,
    /// What it says to everyone else.
    pub default: DefaultLevel,
}

/// How far somebody may go with an object. Ordered; made only by [`level`] and [`organization_level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// May not know that it exists.
    None,
    /// Belongs to the organization as a guest, and sees of it only what was given.
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
    /// Whether content can be seen with it.
    pub fn reads(self) -> bool {
        self >= Self::Read
    }

    /// Whether content can be managed with it: deleted, moved, given to others.
    pub fn manages(self) -> bool {
        self >= Self::Create
    }

    /// The role of this name; none for what is less than reading.
    pub fn role(self) -> Option<Role> {
        Role::ALL.into_iter().find(|role| Self::from(*role) == self)
    }
}

impl From<Option<Role>> for Level {
    /// No role is no level: that is how a grant shuts out.
    fn from(role: Option<Role>) -> Self {
        role.map_or(Self::None, Self::from)
    }
}

/// Why somebody has a level on content. Places are counted from the content outwards, itself as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Belongs not to the organization.
    NoMember,
    /// The membership is disabled.
    Disabled,
    /// Administers the organization: nothing lowers that.
    Administrator,
    /// The place has a grant by name.
    Direct(usize),
    /// The place has grants to teams of the user; the best of them counts.
    Teams(usize),
    /// The place has a default level, which does not speak to guests: they get nothing.
    Default(usize),
    /// No place says anything, so it is the role in the organization; none for guests.
    Membership,
}

/// The level of a user on content, and why. `places` go from the content outwards: the space, its collection, and so on.
///
/// Precedence, not maximum: the innermost place that says something decides, so an override can also lower. An
/// administrator of the organization is never lowered; somebody who is no active member has no level at all.
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

/// What one place by itself says about a member.
fn own(member: Membership, place: &Place, at: usize) -> Option<(Level, Reason)> {
    if let Some(direct) = place.direct {
        return Some((direct.into(), Reason::Direct(at)));
    }
    if let Some(best) = place.teams.iter().copied().map(Level::from).max() {
        return Some((best, Reason::Teams(at)));
    }
    let level = match (place.default, member.role) {
        (DefaultLevel::Inherit, _) => return None,
        (_, None) | (DefaultLevel::Nobody, _) => Level::None,
        (DefaultLevel::Role(role), Some(_)) => role.into(),
    };
    Some((level, Reason::Default(at)))
}

/// The level of a user on an organization: the role, or guest.
pub fn organization_level(membership: Option<Membership>) -> Level {
    match membership.filter(|member| !member.disabled) {
        None => Level::None,
        Some(Membership { role: None, .. }) => Level::Guest,
        Some(Membership { role: Some(role), .. }) => role.into(),
    }
}

/// The level of a user on an account: all of it on the own one; reading on that of somebody with whom the user shares an
/// organization, as long as the user may see there who belongs to it. `shared` are the user's own places in such
/// organizations.
pub fn account_level(own: bool, shared: &[Membership]) -> Level {
    if own {
        return Level::Admin;
    }
    let lists_members = shared.iter().any(|membership| organization_level(Some(*membership)) >= Level::Read);
    if lists_members { Level::Read } else { Level::None }
}

/// The caller, as seen from one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who it is; absent for the server's operator.
    pub user: Option<UserId>,
    /// How far the caller may go.
    pub level: Level,
    /// What the caller is in the team that it is about; of an organization, the most that the caller is in any of its
    /// teams.
    pub team: Option<TeamRole>,
    /// Whether the caller may join the organization, because of a verified address. Looked at only where joining is what
    /// it is about: it opens nothing else.
    pub joins: bool,
    /// Whether the caller may know of the collection around it.
    pub sees_outside: bool,
}

impl Access {
    /// Somebody who may go so far.
    pub fn new(user: Option<UserId>, level: Level) -> Self {
        Self { user, level, team: None, joins: false, sees_outside: true }
    }

    /// Whether the caller may go at least so far.
    pub fn at_least(&self, level: Level) -> bool {
        self.level >= level
    }

    /// Whether the caller may give this role away, or take it from somebody: nobody gives more than they have.
    pub fn may_give(&self, role: Option<Role>) -> bool {
        self.level >= role.into()
    }

    /// The same of what a default level gives.
    pub fn may_set(&self, default: DefaultLevel) -> bool {
        match default {
            DefaultLevel::Inherit | DefaultLevel::Nobody => true,
            DefaultLevel::Role(role) => self.may_give(Some(role)),
        }
    }
}

/// An object whose use is guarded.
pub trait Guarded {
    /// What may be done with it: the `permissions` of the API.
    type Permissions: Copy;
    /// What the caller may do.
    fn permissions(&self, access: &Access) -> Self::Permissions;
    /// Whether the caller may know that it exists.
    fn visible(permissions: &Self::Permissions) -> bool;
}

/// An object together with what the caller may do with it. Only [`Granted::check`] makes one, so whoever holds it
/// has asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted<T: Guarded> {
    entity: T,
    access: Access,
    permissions: T::Permissions,
}

/// Why a caller may not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// May not know that it exists: 404.
    Hidden,
    /// May see it, but not do this: 403.
    Forbidden,
}

impl<T: Guarded> Granted<T> {
    /// Checks that the caller may see the object and do what is `allowed` by its permissions.
    pub fn check(entity: T, access: &Access, allowed: impl FnOnce(&T::Permissions) -> bool) -> Result<Self, Denied> {
        let permissions = entity.permissions(access);
        if !T::visible(&permissions) {
            return Err(Denied::Hidden);
        }
        if !allowed(&permissions) {
            return Err(Denied::Forbidden);
        }
        Ok(Self { entity, access: access.clone(), permissions })
    }

    /// The caller, as seen from this object.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// What the caller may do.
    pub fn permissions(&self) -> &T::Permissions {
        &self.permissions
    }

    /// The object, to be changed by a rule of its own.
    pub fn entity_mut(&mut self) -> &mut T {
        &mut self.entity
    }

    /// Takes the two apart.
    pub fn into_parts(self) -> (T, T::Permissions) {
        (self.entity, self.permissions)
    }
}

impl<T: Guarded> std::ops::Deref for Granted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.entity
    }
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
    #[case::nobody(member(Some(Role::Create)), DefaultLevel::Nobody, Level::None)]
    #[case::admin_is_never_lowered(member(Some(Role::Admin)), DefaultLevel::Nobody, Level::Admin)]
    #[case::disabled(Some(Membership { role: Some(Role::Admin), disabled: true }), DefaultLevel::Inherit, Level::None)]
    fn the_default_of_a_space_speaks_to_members(
        #[case] membership: Option<Membership>,
        #[case] space: DefaultLevel,
        #[case] expected: Level,
    ) {
        assert_eq!(level(membership, &[default(space)]), expected);
    }

    #[test]
    fn a_direct_grant_wins_over_teams_and_the_best_team_over_the_default() {
        let mut place = Place {
            direct: Some(None),
            teams: vec![Some(Role::Edit), None, Some(Role::Review)],
            default: DefaultLevel::Role(Role::Create),
        };
        assert_eq!(level(member(Some(Role::Read)), std::slice::from_ref(&place)), Level::None);
        place.direct = None;
        assert_eq!(level(member(Some(Role::Read)), std::slice::from_ref(&place)), Level::Review);
        place.teams = vec![None];
        assert_eq!(level(member(Some(Role::Read)), std::slice::from_ref(&place)), Level::None, "the team is shut out");
    }

    #[test]
    fn the_innermost_place_that_says_something_decides() {
        let places =
            [default(DefaultLevel::Inherit), default(DefaultLevel::Role(Role::Comment)), default(DefaultLevel::Nobody)];
        assert_eq!(level(member(Some(Role::Create)), &places), Level::Comment);
    }

    #[rstest]
    #[case::oneself(true, &[], Level::Admin)]
    #[case::a_stranger(false, &[], Level::None)]
    #[case::through_a_role(false, &[Membership { role: Some(Role::Read), disabled: false }], Level::Read)]
    #[case::an_administrator_is_not_the_owner(false, &[Membership { role: Some(Role::Admin), disabled: false }], Level::Read)]
    #[case::guests_see_nobody(false, &[Membership { role: None, disabled: false }], Level::None)]
    #[case::nor_do_the_disabled(false, &[Membership { role: Some(Role::Admin), disabled: true }], Level::None)]
    fn an_account_is_seen_by_those_it_works_with(
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
                direct: Some(Some(Role::ALL[direct])),
                teams: vec![Some(Role::ALL[team])],
                default: DefaultLevel::Role(Role::ALL[default]),
            };
            prop_assert_eq!(level(None, &[place]), Level::None);
        }
    }
}
