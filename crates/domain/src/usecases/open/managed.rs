//! Loading a place to manage access to it, and the access rules of a place for any user.
use super::access;
use crate::access::{Access, DefaultLevel, Grants, Guarded, Level, Place, PlaceRules, level};
use crate::id::{CollectionId, OrganizationId, SiteId, SpaceId, UserId};
use crate::place::{GrantTarget, PlaceId};
use crate::ports::store::grants::MemberGrants;
use crate::ports::store::spaces::ForUser;
use crate::space::{Space, SpacePermissions};
use crate::usecases::work::Work;
use crate::usecases::{Error, placing};
use std::collections::{BTreeSet, HashMap};

/// A space, a collection or a site that the caller may manage.
pub(in crate::usecases) struct Managed {
    /// The id.
    pub(in crate::usecases) id: GrantTarget,
    /// The organization that owns it.
    pub(in crate::usecases) organization: OrganizationId,
    /// The access rules of it and of the places around it.
    pub(in crate::usecases) rules: Rules,
    /// The caller's access to it.
    pub(in crate::usecases) access: Access,
}

/// The access rules of an object for any user: the rules and default levels of the object itself, of the sites that
/// show it, and of the collections around it.
pub(in crate::usecases) struct Rules {
    /// From the inside out.
    places: Vec<PlaceRules>,
    targets: Vec<GrantTarget>,
}

/// The permissions of users on a space, as far as a unit of work has looked them up.
pub(in crate::usecases) struct KnownPermissions {
    space: SpaceId,
    rules: Rules,
    /// By user; `None` for a user who is no member of the organization.
    of_users: HashMap<UserId, Option<SpacePermissions>>,
}

impl Rules {
    fn new(places: Vec<PlaceRules>) -> Self {
        let all = places.iter().flat_map(|place| std::iter::once(place).chain(&place.sites));
        Self { targets: all.map(|place| place.target.clone()).collect(), places }
    }

    /// The targets whose grants are needed
    /// ([`GrantStore::of_some_members`](crate::ports::store::GrantStore::of_some_members)).
    pub(in crate::usecases) fn targets(&self) -> &[GrantTarget] {
        &self.targets
    }

    /// The rules of each place, from the inside out.
    pub(in crate::usecases) fn of_places(&self) -> &[PlaceRules] {
        &self.places
    }

    /// The places of a member, from the inside out. `grants` are those on [`Self::targets`].
    pub(in crate::usecases) fn places(&self, grants: &HashMap<GrantTarget, Grants>) -> Vec<Place> {
        self.places.iter().map(|rules| rules.place(grants)).collect()
    }
}

impl Work<'_> {
    /// Those of these users who have a permission on a space, in a constant number of queries. A use case that asks
    /// again about the same space changes no permission on it in between: only users who are new are looked up.
    pub(in crate::usecases) async fn users_who(
        &mut self,
        space: &Space,
        users: &[UserId],
        need: impl Fn(&SpacePermissions) -> bool,
    ) -> Result<BTreeSet<UserId>, Error> {
        let mut known = match self.permissions.take().filter(|known| known.space == space.id) {
            Some(known) => known,
            None => {
                let rules = self.rules_of_space(space).await?;
                KnownPermissions { space: space.id.clone(), rules, of_users: HashMap::new() }
            }
        };
        let new: Vec<UserId> = users.iter().filter(|user| !known.of_users.contains_key(*user)).cloned().collect();
        if !new.is_empty() {
            let members = self.grants().of_some_members(&space.organization, &new, known.rules.targets()).await?;
            known.of_users.extend(new.into_iter().map(|user| (user, None)));
            for MemberGrants { user, membership, grants, .. } in members {
                let level = level(Some(membership), &known.rules.places(&grants));
                let may = space.permissions(&Access::new(Some(user.clone()), level));
                known.of_users.insert(user, Some(may));
            }
        }
        let has = |user: &&UserId| known.of_users.get(*user).copied().flatten().is_some_and(|may| need(&may));
        let found = users.iter().filter(has).cloned().collect();
        self.permissions = Some(known);
        Ok(found)
    }

    async fn rules_of_space(&mut self, space: &Space) -> Result<Rules, Error> {
        let sites = self.sites().of_space(&space.id).await?;
        let own = (space.id.clone().into(), space.default_level);
        self.rules(own, &space.organization, sites, space.parent.as_ref()).await
    }

    async fn rules(
        &mut self,
        own: (GrantTarget, DefaultLevel),
        organization: &OrganizationId,
        on: Vec<(SiteId, DefaultLevel)>,
        parent: Option<&CollectionId>,
    ) -> Result<Rules, Error> {
        let around = match parent {
            Some(parent) => self.collections().around(parent).await?,
            None => Vec::new(),
        };
        let site = |(id, default)| PlaceRules::new(GrantTarget::Site(organization.clone(), id), default);
        let (target, default) = own;
        let own = PlaceRules { target, default, sites: on.into_iter().map(site).collect() };
        let around = around.into_iter().map(|(id, default)| PlaceRules::new(id.into(), default));
        Ok(Rules::new(std::iter::once(own).chain(around).collect()))
    }

    /// Loads a space, a collection or a site for a caller who must be allowed to manage access to it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist or is hidden; [`Error::Forbidden`] without the permission.
    pub(in crate::usecases) async fn managed(&mut self, id: &GrantTarget) -> Result<Managed, Error> {
        let (organization, rules, access) = match id {
            GrantTarget::Place(PlaceId::Space(id)) => {
                let space = self.space(id, |may| may.admin).await?;
                (space.organization.clone(), self.rules_of_space(&space).await?, space.access().clone())
            }
            GrantTarget::Place(PlaceId::Collection(collection)) => {
                let collection = self.collection(collection, |may| may.admin).await?;
                let own = (id.clone(), collection.default_level);
                let rules = self.rules(own, &collection.organization, Vec::new(), collection.parent.as_ref()).await?;
                (collection.organization.clone(), rules, collection.access().clone())
            }
            GrantTarget::Site(organization, site) => {
                let site = self.site(organization, site, |may| may.create).await?;
                let rules = self.rules((id.clone(), site.default_level), organization, Vec::new(), None).await?;
                (site.organization.clone(), rules, site.access().clone())
            }
        };
        Ok(Managed { id: id.clone(), organization, rules, access })
    }

    /// The same for a unit of work that changes its grants. The place is locked. The organization is locked in shared
    /// mode, so that its members and teams cannot change.
    ///
    /// # Errors
    /// Also [`Error::Conflict`] if it was transferred to another organization at the same time.
    pub(in crate::usecases) async fn managed_to_change(&mut self, id: &GrantTarget) -> Result<Managed, Error> {
        let organization = self.managed(id).await?.organization;
        self.lock_shared(&[(&organization).into()]).await?;
        self.lock(&[id.into()]).await?;
        let managed = self.managed(id).await?;
        if managed.organization != organization {
            return Err(placing::transferred_concurrently());
        }
        Ok(managed)
    }

    /// The level that the caller would have on a place with another default level.
    ///
    /// # Errors
    /// [`Error::NotFound`] if it does not exist.
    pub(in crate::usecases) async fn level_with(
        &mut self,
        place: &PlaceId,
        default: DefaultLevel,
    ) -> Result<Level, Error> {
        let (membership, mut places) = match place {
            PlaceId::Space(id) => {
                let ForUser { membership, places, .. } = self.found_space(id).await?;
                (membership, places)
            }
            PlaceId::Collection(id) => {
                let ForUser { membership, places, .. } = self.found_collection(id).await?;
                (membership, places)
            }
        };
        if let Some(place) = places.first_mut() {
            place.default = default;
        }
        Ok(access(self.actor, level(membership, &places)).level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Membership, Role};
    use crate::actor::Actor;
    use crate::ports::testing::MockTx;
    use crate::space::NewSpace;
    use crate::usecases::work::Units;
    use chrono::DateTime;

    fn ids(names: &[&str]) -> Vec<UserId> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn space(id: &str) -> Space {
        let (organization, revision) = ("o".parse().unwrap(), "r".parse().unwrap());
        Space::new(id.parse().unwrap(), organization, revision, NewSpace::default(), DateTime::UNIX_EPOCH)
    }

    #[tokio::test]
    async fn the_permissions_of_a_user_on_a_space_are_looked_up_once() {
        let mut tx = MockTx::default();
        let member = |user: &str, role| MemberGrants {
            user: user.parse().unwrap(),
            membership: Membership { role: Some(role), disabled: false },
            grants: HashMap::new(),
        };
        for (asked, found) in [
            (ids(&["ada", "bob"]), vec![member("ada", Role::Comment), member("bob", Role::Read)]),
            // Eve is no member.
            (ids(&["eve", "cora"]), vec![member("cora", Role::Read)]),
            // Of another space.
            (ids(&["ada"]), Vec::new()),
        ] {
            tx.grants
                .expect_of_some_members()
                .withf(move |_, users, _| users == asked)
                .times(1)
                .returning(move |_, _, _| Ok(found.clone()));
        }
        let units = Units::over(tx.into_store().0);
        let mut work = units.read(&Actor::Server).await.unwrap();
        let one = space("one");
        let all = ids(&["ada", "eve", "bob", "cora"]);
        assert_eq!(work.users_who(&one, &all[..0], |_| true).await.unwrap(), BTreeSet::new());
        let commenting = work.users_who(&one, &ids(&["ada", "bob"]), |may| may.comment).await.unwrap();
        assert_eq!(commenting, ids(&["ada"]).into_iter().collect());
        for _ in 0..2 {
            let reading = work.users_who(&one, &all, |may| may.view).await.unwrap();
            assert_eq!(reading, ids(&["ada", "bob", "cora"]).into_iter().collect());
        }
        assert_eq!(work.users_who(&space("two"), &all[..1], |_| true).await.unwrap(), BTreeSet::new());
    }
}
