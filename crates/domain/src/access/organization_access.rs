//! The access of a user to all content of an organization. Lists and searches use it to decide on many objects at once.
use super::{DefaultLevel, Grant, Level, Membership, Place, Role, level, organization_level, site_level};
use crate::id::{CollectionId, SiteId, SpaceId, TeamId};
use std::collections::HashMap;

/// The grants of one place to a user: direct grants, and grants to teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// See [`Place::direct`].
    pub direct: Grant,
    /// See [`Place::teams`]; with the teams.
    pub teams: Vec<(TeamId, Option<Role>)>,
}

impl Grants {
    /// The place with these grants and the default level `default`.
    pub fn with(self, default: DefaultLevel) -> Place {
        let teams = self.teams.into_iter().map(|(_, role)| role).collect();
        Place { direct: self.direct, teams, default, sites: Vec::new() }
    }

    /// The team with the highest grant, which wins. The first by id of several.
    pub fn highest_team(&self) -> Option<&TeamId> {
        let highest = self.teams.iter().map(|(_, role)| Level::from(*role)).max()?;
        self.teams.iter().filter(|(_, role)| Level::from(*role) == highest).map(|(team, _)| team).min()
    }
}

/// The access rules of a collection for a user, and its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionGrants {
    /// The collection that contains it.
    pub parent: Option<CollectionId>,
    /// Its access rules.
    pub place: Place,
}

/// The access rules of a site for a user, and the spaces on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteGrants {
    /// Its access rules.
    pub place: Place,
    /// The spaces on the site.
    pub spaces: Vec<SpaceId>,
}

/// The access rules of the places of an organization, or of several, for one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserGrants {
    /// Every collection.
    pub collections: HashMap<CollectionId, CollectionGrants>,
    /// The spaces with a grant to the user or to a team of the user.
    pub spaces: HashMap<SpaceId, Grants>,
    /// The sites that have a rule: a grant to the user or to a team of the user, or a default level.
    pub sites: HashMap<SiteId, SiteGrants>,
}

/// The access of a user to an organization: the membership, and the access rules of every place for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrganizationAccess {
    membership: Option<Membership>,
    collections: HashMap<CollectionId, CollectionGrants>,
    spaces: HashMap<SpaceId, Grants>,
    sites: HashMap<SiteId, Place>,
    on_sites: HashMap<SpaceId, Vec<Place>>,
    operator: bool,
}

/// The spaces and collections of an organization on which a user has a certain level (reading or managing), in a form
/// that storage can query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Within {
    /// None.
    #[default]
    Nothing,
    /// All.
    Everything,
    /// Some.
    Some {
        /// Whether the role in the organization is sufficient. It applies to spaces at the top level whose default
        /// level is [`DefaultLevel::Inherit`].
        top: bool,
        /// The default levels that are sufficient; empty for guests.
        defaults: Vec<Role>,
        /// The collections on which the user has the level; spaces in them whose default level is
        /// [`DefaultLevel::Inherit`] are included.
        collections: Vec<CollectionId>,
        /// Spaces with a grant that is sufficient.
        allowed: Vec<SpaceId>,
        /// Spaces with a grant that is not sufficient.
        denied: Vec<SpaceId>,
        /// Spaces on sites whose rules are sufficient. This applies to spaces whose default level is
        /// [`DefaultLevel::Inherit`], whatever the rules of their collection.
        site_allowed: Vec<SpaceId>,
        /// Spaces on sites whose rules are not sufficient; otherwise like `site_allowed`.
        site_denied: Vec<SpaceId>,
    },
}

impl OrganizationAccess {
    /// Combines the loaded data.
    pub fn new(membership: Option<Membership>, grants: UserGrants) -> Self {
        let UserGrants { collections, spaces, sites } = grants;
        let mut on_sites: HashMap<SpaceId, Vec<Place>> = HashMap::new();
        for site in sites.values() {
            for space in &site.spaces {
                on_sites.entry(space.clone()).or_default().push(site.place.clone());
            }
        }
        let sites = sites.into_iter().map(|(id, site)| (id, site.place)).collect();
        Self { membership, collections, spaces, sites, on_sites, operator: false }
    }

    /// The access of the operator, who may do everything.
    pub fn operator() -> Self {
        Self { operator: true, ..Self::default() }
    }

    /// Whether the access rules of places apply to a member: they do not apply to administrators and non-members.
    pub fn depends_on_places(membership: Option<Membership>) -> bool {
        membership.is_some_and(|member| !member.disabled && member.role != Some(Role::Admin))
    }

    /// The level on a space.
    pub fn space(&self, id: &SpaceId, parent: Option<&CollectionId>, default: DefaultLevel) -> Level {
        if self.operator {
            return Level::Admin;
        }
        let own = self.spaces.get(id).cloned().unwrap_or_default().with(default);
        let own = Place { sites: self.on_sites.get(id).cloned().unwrap_or_default(), ..own };
        level(self.membership, std::iter::once(&own).chain(self.around(parent)))
    }

    /// The level on a site. `reads_a_space` returns whether the user may read any space on it; it is called only if the
    /// level depends on that.
    pub fn site(&self, id: &SiteId, reads_a_space: impl FnOnce() -> bool) -> Level {
        if self.operator {
            return Level::Admin;
        }
        let inherits = Place::default();
        let site = self.sites.get(id).unwrap_or(&inherits);
        match site_level(self.membership, site, false) {
            denied if !denied.reads() => site_level(self.membership, site, reads_a_space()),
            reached => reached,
        }
    }

    /// The level on a collection.
    pub fn collection(&self, id: &CollectionId) -> Level {
        if self.operator { Level::Admin } else { level(self.membership, self.around(Some(id))) }
    }

    /// The level on the organization.
    pub fn organization(&self) -> Level {
        if self.operator { Level::Admin } else { organization_level(self.membership) }
    }

    /// Whether the user may create something anywhere: at the top level, or in a collection.
    pub fn creates_somewhere(&self) -> bool {
        self.organization().manages() || self.collections.keys().any(|id| self.collection(id).manages())
    }

    /// The spaces and collections that the user may read.
    pub fn readable(&self) -> Within {
        self.within(Level::reads)
    }

    /// The spaces and collections that the user may manage.
    pub fn manageable(&self) -> Within {
        self.within(Level::manages)
    }

    /// The places on which the user has a level for which `enough` is true.
    fn within(&self, enough: impl Fn(Level) -> bool) -> Within {
        let in_organization = organization_level(self.membership);
        match in_organization {
            _ if self.operator => return Within::Everything,
            Level::Admin => return Within::Everything,
            Level::None => return Within::Nothing,
            _ => {}
        }
        let mut collections: Vec<CollectionId> =
            self.collections.keys().filter(|id| enough(self.collection(id))).cloned().collect();
        collections.sort();
        // A grant decides regardless of the default level and the places around.
        let decided = |(id, grants): (&SpaceId, &Grants)| {
            let place = grants.clone().with(DefaultLevel::Inherit);
            (id.clone(), enough(level(self.membership, [&place])))
        };
        let granted = self.spaces.iter().filter(|(_, grants)| grants.direct != Grant::None || !grants.teams.is_empty());
        let (mut allowed, mut denied): (Vec<_>, Vec<_>) = granted.map(decided).partition(|(_, reached)| *reached);
        allowed.sort();
        denied.sort();
        let through_sites = |(id, sites): (&SpaceId, &Vec<Place>)| {
            let place = Place { sites: sites.clone(), ..Place::default() };
            (id.clone(), enough(level(self.membership, [&place])))
        };
        let (mut site_allowed, mut site_denied): (Vec<_>, Vec<_>) =
            self.on_sites.iter().map(through_sites).partition(|(_, reached)| *reached);
        site_allowed.sort();
        site_denied.sort();
        let ids = |decided: Vec<(SpaceId, bool)>| decided.into_iter().map(|(id, _)| id).collect();
        let member = self.membership.is_some_and(|member| member.role.is_some());
        let defaults = Role::ALL.iter().copied().filter(|role| member && enough((*role).into())).collect();
        Within::Some {
            top: enough(in_organization),
            defaults,
            collections,
            allowed: ids(allowed),
            denied: ids(denied),
            site_allowed: ids(site_allowed),
            site_denied: ids(site_denied),
        }
    }

    /// The access rules of a collection and of those around it, from the inside out.
    fn around(&self, innermost: Option<&CollectionId>) -> impl Iterator<Item = &Place> {
        let first = innermost.and_then(|id| self.collections.get(id));
        let outwards =
            std::iter::successors(first, |collection_grants| self.collections.get(collection_grants.parent.as_ref()?));
        // Collections cannot form a cycle; if they did, this would still end.
        outwards.take(self.collections.len()).map(|collection_grants| &collection_grants.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(kind: &str, number: usize) -> T {
        format!("{kind}{number}").parse().unwrap()
    }

    fn roles() -> impl Strategy<Value = Option<Role>> {
        prop_oneof![Just(None), proptest::sample::select(Role::ALL.to_vec()).prop_map(Some)]
    }

    fn defaults() -> impl Strategy<Value = DefaultLevel> {
        prop_oneof![
            3 => Just(DefaultLevel::Inherit),
            1 => Just(DefaultLevel::NoAccess),
            2 => proptest::sample::select(Role::ALL.to_vec()).prop_map(DefaultLevel::Role),
        ]
    }

    fn grants() -> impl Strategy<Value = Grants> {
        let direct = prop_oneof![4 => Just(Grant::None), 1 => roles().prop_map(Grant::from)];
        let teams = prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(roles(), 1..3)];
        (direct, teams).prop_map(|(direct, teams)| {
            let teams = teams.into_iter().enumerate().map(|(at, role)| (id("t", at), role)).collect();
            Grants { direct, teams }
        })
    }

    prop_compose! {
        /// Five collections, each inside an earlier one or at the top level, twelve spaces in them, and three sites
        /// with a rule and some of the spaces.
        fn worlds()(
            membership in proptest::option::weighted(0.9, (roles(), proptest::bool::weighted(0.1))),
            collections in proptest::collection::vec((grants(), defaults(), proptest::option::of(0usize..5)), 5),
            spaces in proptest::collection::vec((grants(), defaults(), proptest::option::of(0usize..5)), 12),
            sites in proptest::collection::vec((grants(), defaults(), proptest::collection::vec(0usize..12, 0..4)), 3),
        ) -> (OrganizationAccess, Vec<(SpaceId, Option<CollectionId>, DefaultLevel)>) {
            let membership = membership.map(|(role, disabled)| Membership { role, disabled });
            let collections = collections.into_iter().enumerate().map(|(at, (grants, default, parent))| {
                let parent = parent.filter(|parent| *parent < at).map(|parent| id("c", parent));
                (id("c", at), CollectionGrants { parent, place: grants.with(default) })
            });
            let collections = collections.collect();
            let speaks = |place: &Place| *place != Place::default();
            let sites = sites.into_iter().enumerate().map(|(at, (grants, default, spaces))| {
                (id("w", at), SiteGrants { place: grants.with(default), spaces: spaces.into_iter().map(|at| id("s", at)).collect() })
            });
            let sites = sites.filter(|(_, site)| speaks(&site.place)).collect();
            let granted = spaces.iter().enumerate().map(|(at, (grants, ..))| (id("s", at), grants.clone())).collect();
            let listed = spaces.into_iter().enumerate();
            let listed = listed.map(|(at, (_, default, parent))| (id("s", at), parent.map(|at| id("c", at)), default));
            let grants = UserGrants { collections, spaces: granted, sites };
            (OrganizationAccess::new(membership, grants), listed.collect())
        }
    }

    /// Whether a store lists a space for a [`Within`]: its query implements this rule.
    fn lists(within: &Within, space: &(SpaceId, Option<CollectionId>, DefaultLevel)) -> bool {
        let (id, parent, default) = space;
        match within {
            Within::Nothing => false,
            Within::Everything => true,
            Within::Some { top, defaults, collections, allowed, denied, site_allowed, site_denied } => {
                let around = match parent {
                    Some(parent) => collections.contains(parent),
                    None => *top,
                };
                let inherits = site_allowed.contains(id) || (!site_denied.contains(id) && around);
                let said = match default {
                    DefaultLevel::Inherit => inherits,
                    DefaultLevel::NoAccess => false,
                    DefaultLevel::Role(role) => defaults.contains(role),
                };
                allowed.contains(id) || (!denied.contains(id) && said)
            }
        }
    }

    #[test]
    fn of_several_teams_the_one_with_the_highest_grant_counts() {
        let granted = |roles: &[Option<Role>]| {
            let teams = roles.iter().enumerate().map(|(at, role)| (id("t", at), *role)).collect();
            Grants { direct: Grant::None, teams }.highest_team().cloned()
        };
        assert_eq!(granted(&[]), None);
        assert_eq!(granted(&[None, Some(Role::Read), Some(Role::Edit), Some(Role::Edit)]), Some(id("t", 2)));
        assert_eq!(granted(&[None, None]), Some(id("t", 0)));
    }

    proptest! {
        #[test]
        fn a_list_has_the_items_that_single_requests_return((access, spaces) in worlds()) {
            let (readable, manageable) = (access.readable(), access.manageable());
            for space in &spaces {
                let (id, parent, default) = space;
                let level = access.space(id, parent.as_ref(), *default);
                prop_assert_eq!(lists(&readable, space), level.reads(), "{:?} of {:?}", space, access);
                prop_assert_eq!(lists(&manageable, space), level.manages(), "{:?} of {:?}", space, access);
            }
        }
    }
}
