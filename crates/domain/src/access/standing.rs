//! A user's place in a whole organization: what lists and searches go by, where many objects are decided at once.
use super::{DefaultLevel, Level, Membership, Place, Role, level, organization_level};
use crate::id::{CollectionId, SpaceId};
use std::collections::HashMap;

/// The grants of one place to a user: by name, and through teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// See [`Place::direct`].
    pub direct: Option<Option<Role>>,
    /// See [`Place::teams`].
    pub teams: Vec<Option<Role>>,
}

impl Grants {
    /// The place with these grants and this default level.
    pub fn with(self, default: DefaultLevel) -> Place {
        Place { direct: self.direct, teams: self.teams, default }
    }
}

/// What a collection says about a user, and where the collection stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shelf {
    /// The collection around it.
    pub parent: Option<CollectionId>,
    /// What it says.
    pub place: Place,
}

/// A user's place in an organization: the membership, and what every place of the organization says about the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    membership: Option<Membership>,
    collections: HashMap<CollectionId, Shelf>,
    spaces: HashMap<SpaceId, Grants>,
    operator: bool,
}

/// What of an organization a user may read, as storage can ask for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Readable {
    /// Nothing.
    #[default]
    Nothing,
    /// Everything.
    Everything,
    /// Some of it.
    Some {
        /// Whether a default level speaks to the user: it does to members, and not to guests.
        member: bool,
        /// Collections that can be read, and what in them has no opinion of its own.
        collections: Vec<CollectionId>,
        /// Spaces with a grant that lets the user in.
        open: Vec<SpaceId>,
        /// Spaces with a grant that shuts the user out.
        shut: Vec<SpaceId>,
    },
}

impl Standing {
    /// Puts together what was loaded. The collections are all of the organization's, the spaces those with a grant.
    pub fn new(
        membership: Option<Membership>,
        collections: HashMap<CollectionId, Shelf>,
        spaces: HashMap<SpaceId, Grants>,
    ) -> Self {
        Self { membership, collections, spaces, operator: false }
    }

    /// That of the operator, who may do everything.
    pub fn operator() -> Self {
        Self { operator: true, ..Self::default() }
    }

    /// Whether places have a say at all: not for an administrator, nor for somebody who does not belong here.
    pub fn depends_on_places(membership: Option<Membership>) -> bool {
        membership.is_some_and(|member| !member.disabled && member.role != Some(Role::Admin))
    }

    /// The level on a space.
    pub fn space(&self, id: &SpaceId, parent: Option<&CollectionId>, default: DefaultLevel) -> Level {
        if self.operator {
            return Level::Admin;
        }
        let own = self.spaces.get(id).cloned().unwrap_or_default().with(default);
        level(self.membership, std::iter::once(&own).chain(self.around(parent)))
    }

    /// The level on a collection.
    pub fn collection(&self, id: &CollectionId) -> Level {
        if self.operator { Level::Admin } else { level(self.membership, self.around(Some(id))) }
    }

    /// The level on the organization.
    pub fn organization(&self) -> Level {
        if self.operator { Level::Admin } else { organization_level(self.membership) }
    }

    /// Whether the user may make something anywhere: at the top, or in a collection.
    pub fn creates_somewhere(&self) -> bool {
        self.organization().manages() || self.collections.keys().any(|id| self.collection(id).manages())
    }

    /// What the user may read.
    pub fn readable(&self) -> Readable {
        match organization_level(self.membership) {
            _ if self.operator => return Readable::Everything,
            Level::Admin => return Readable::Everything,
            Level::None => return Readable::Nothing,
            _ => {}
        }
        let mut collections: Vec<CollectionId> =
            self.collections.keys().filter(|id| self.collection(id).reads()).cloned().collect();
        collections.sort();
        // A grant decides whatever the default and the places around say.
        let decided = |(id, grants): (&SpaceId, &Grants)| {
            let place = grants.clone().with(DefaultLevel::Inherit);
            (id.clone(), level(self.membership, [&place]).reads())
        };
        let granted = self.spaces.iter().filter(|(_, grants)| grants.direct.is_some() || !grants.teams.is_empty());
        let (mut open, mut shut): (Vec<_>, Vec<_>) = granted.map(decided).partition(|(_, reads)| *reads);
        open.sort();
        shut.sort();
        let ids = |decided: Vec<(SpaceId, bool)>| decided.into_iter().map(|(id, _)| id).collect();
        let member = self.membership.is_some_and(|member| member.role.is_some());
        Readable::Some { member, collections, open: ids(open), shut: ids(shut) }
    }

    /// What a collection and those around it say, from the inside out.
    fn around(&self, innermost: Option<&CollectionId>) -> impl Iterator<Item = &Place> {
        let first = innermost.and_then(|id| self.collections.get(id));
        let outwards = std::iter::successors(first, |shelf| self.collections.get(shelf.parent.as_ref()?));
        // A ring cannot be made; were there one, this ends all the same.
        outwards.take(self.collections.len()).map(|shelf| &shelf.place)
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
            1 => Just(DefaultLevel::Nobody),
            2 => proptest::sample::select(Role::ALL.to_vec()).prop_map(DefaultLevel::Role),
        ]
    }

    fn grants() -> impl Strategy<Value = Grants> {
        let direct = prop_oneof![4 => Just(None), 1 => roles().prop_map(Some)];
        let teams = prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(roles(), 1..3)];
        (direct, teams).prop_map(|(direct, teams)| Grants { direct, teams })
    }

    prop_compose! {
        /// Five collections, each within one before it or at the top, and twelve spaces in them.
        fn worlds()(
            membership in proptest::option::weighted(0.9, (roles(), proptest::bool::weighted(0.1))),
            collections in proptest::collection::vec((grants(), defaults(), proptest::option::of(0usize..5)), 5),
            spaces in proptest::collection::vec((grants(), defaults(), proptest::option::of(0usize..5)), 12),
        ) -> (Standing, Vec<(SpaceId, Option<CollectionId>, DefaultLevel)>) {
            let membership = membership.map(|(role, disabled)| Membership { role, disabled });
            let shelves = collections.into_iter().enumerate().map(|(at, (grants, default, parent))| {
                let parent = parent.filter(|parent| *parent < at).map(|parent| id("c", parent));
                (id("c", at), Shelf { parent, place: grants.with(default) })
            });
            let shelves = shelves.collect();
            let granted = spaces.iter().enumerate().map(|(at, (grants, ..))| (id("s", at), grants.clone())).collect();
            let listed = spaces.into_iter().enumerate();
            let listed = listed.map(|(at, (_, default, parent))| (id("s", at), parent.map(|at| id("c", at)), default));
            (Standing::new(membership, shelves, granted), listed.collect())
        }
    }

    /// What a store makes of a [`Readable`]: the rule that its query is written by.
    fn lists(readable: &Readable, space: &(SpaceId, Option<CollectionId>, DefaultLevel)) -> bool {
        let (id, parent, default) = space;
        match readable {
            Readable::Nothing => false,
            Readable::Everything => true,
            Readable::Some { member, collections, open, shut } => {
                let inherits = match parent {
                    Some(parent) => collections.contains(parent),
                    None => *member,
                };
                let said = match default {
                    DefaultLevel::Inherit => inherits,
                    DefaultLevel::Nobody => false,
                    DefaultLevel::Role(_) => *member,
                };
                open.contains(id) || (!shut.contains(id) && said)
            }
        }
    }

    proptest! {
        #[test]
        fn a_list_holds_what_a_single_look_would_show((standing, spaces) in worlds()) {
            let readable = standing.readable();
            for space in &spaces {
                let (id, parent, default) = space;
                let sees = standing.space(id, parent.as_ref(), *default).reads();
                prop_assert_eq!(lists(&readable, space), sees, "{:?} of {:?}", space, standing);
            }
        }
    }
}
