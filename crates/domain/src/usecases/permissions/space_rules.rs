//! The access rules of the spaces on a site, by which members read the site without a level on it.
use crate::access::{
    CollectionGrants, DefaultLevel, Grants, Membership, OrganizationAccess, Role, SiteGrants, SpaceReaders, UserGrants,
    decide, opens_through_spaces,
};
use crate::id::{CollectionId, OrganizationId, SiteId, SpaceId, UserId};
use crate::place::{GrantTarget, PlaceId};
use crate::ports::store::grants::MemberGrants;
use crate::space::Space;
use crate::usecases::Error;
use crate::usecases::open::Rules;
use crate::usecases::work::Work;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The access rules of the spaces on a site, loaded once for all users.
pub(super) struct SpaceRules {
    organization: OrganizationId,
    /// The spaces of the organization on the site, in its order.
    spaces: Vec<Space>,
    /// The collections around the spaces.
    collections: Vec<(CollectionId, Option<CollectionId>, DefaultLevel)>,
    /// The sites with these spaces, each with the ids of the spaces on it.
    sites: HashMap<SiteId, (DefaultLevel, Vec<SpaceId>)>,
}

impl SpaceRules {
    /// Loads the rules; `None` for a site without spaces.
    pub(super) async fn load(
        work: &mut Work<'_>,
        organization: &OrganizationId,
        site: &SiteId,
    ) -> Result<Option<Self>, Error> {
        let structure = work.sites().structure(site).await?;
        let ids: Vec<SpaceId> = structure.spaces().into_iter().map(|(_, space)| space.space.clone()).collect();
        let mut found: HashMap<SpaceId, Space> =
            work.spaces().find_many(&ids).await?.into_iter().map(|space| (space.id.clone(), space)).collect();
        let spaces: Vec<Space> = ids
            .iter()
            .filter_map(|id| found.remove(id))
            .filter(|space| space.organization == *organization && space.deleted_at.is_none())
            .collect();
        if spaces.is_empty() {
            return Ok(None);
        }
        let named: HashSet<&SpaceId> = spaces.iter().map(|space| &space.id).collect();
        let defaults: HashMap<SiteId, DefaultLevel> = work
            .sites()
            .of_organization(organization)
            .await?
            .into_iter()
            .map(|site| (site.id, site.default_level))
            .collect();
        let mut sites: HashMap<SiteId, (DefaultLevel, Vec<SpaceId>)> = HashMap::new();
        for (id, space) in work.sites().links(organization, None).await? {
            if !named.contains(&space) {
                continue;
            }
            let default = defaults.get(&id).copied().unwrap_or_default();
            sites.entry(id).or_insert_with(|| (default, Vec::new())).1.push(space);
        }
        let tree = work.collections().tree(organization).await?;
        let collections = around(tree, spaces.iter().filter_map(|space| space.parent.clone()));
        Ok(Some(Self { organization: organization.clone(), spaces, collections, sites }))
    }

    /// The members who read the site with these rules because they read a space on it. Takes as many statements for any
    /// number of members.
    pub(super) async fn readers(&self, work: &mut Work<'_>, site: &Rules) -> Result<SpaceReaders, Error> {
        let no_grants = HashMap::new();
        let membership = |role| Membership { role, disabled: false };
        let everyone = std::iter::once(None).chain(Role::ALL.iter().copied().map(Some));
        let opens = |role: &Option<Role>| {
            let (level, reason) = decide(Some(membership(*role)), &site.places(&no_grants));
            opens_through_spaces(level, reason)
        };
        let roles: Vec<Option<Role>> = everyone.filter(opens).collect();
        let read_without_grant = |role: &Option<Role>| self.reads_any(membership(*role), &no_grants);
        let without_grant = roles.iter().copied().filter(read_without_grant).collect();
        let places = self.targets();
        let denied = work.grants().denied(&places).await?;
        let denied = work.grants().of_some_members(&self.organization, &denied, &places).await?;
        let despite_denial = denied.into_iter().filter(|member| self.reads_any(member.membership, &member.grants));
        Ok(SpaceReaders {
            despite_denial: despite_denial.map(|member| member.user).collect(),
            reached: self.reached(),
            roles,
            without_grant,
            places,
        })
    }

    /// The first space on the site that each of these members may read. Members who read none, or only spaces that the
    /// caller may not read, are left out.
    pub(super) async fn first_spaces(
        &self,
        work: &mut Work<'_>,
        users: &[UserId],
    ) -> Result<HashMap<UserId, SpaceId>, Error> {
        if users.is_empty() {
            return Ok(HashMap::new());
        }
        let caller = work.organization_access(&self.organization).await?;
        let known: Vec<&Space> = self.spaces.iter().filter(|space| reads(&caller, space)).collect();
        let members = work.grants().of_some_members(&self.organization, users, &self.targets()).await?;
        let first = |member: MemberGrants| {
            let access = self.access(member.membership, &member.grants);
            let first = known.iter().find(|space| reads(&access, space))?;
            Some((member.user, first.id.clone()))
        };
        Ok(members.into_iter().filter_map(first).collect())
    }

    /// Whether a member with these grants may read any of the spaces.
    fn reads_any(&self, membership: Membership, grants: &HashMap<GrantTarget, Grants>) -> bool {
        let access = self.access(membership, grants);
        self.spaces.iter().any(|space| reads(&access, space))
    }

    /// See [`SpaceReaders::reached`].
    fn reached(&self) -> Vec<GrantTarget> {
        let collections: HashMap<&CollectionId, (Option<&CollectionId>, DefaultLevel)> =
            self.collections.iter().map(|(id, parent, default)| (id, (parent.as_ref(), *default))).collect();
        let mut reached: BTreeSet<GrantTarget> = BTreeSet::new();
        for space in &self.spaces {
            reached.insert(space.id.clone().into());
            if space.default_level != DefaultLevel::Inherit {
                continue;
            }
            let mut decides = false;
            for (id, (default, _)) in self.sites.iter().filter(|(_, (_, spaces))| spaces.contains(&space.id)) {
                reached.insert(GrantTarget::Site(self.organization.clone(), id.clone()));
                decides |= *default != DefaultLevel::Inherit;
            }
            let mut next = space.parent.as_ref().filter(|_| !decides);
            while let Some((id, (parent, default))) = next.and_then(|id| collections.get_key_value(id)) {
                let is_new = reached.insert((*id).clone().into());
                next = parent.filter(|_| is_new && *default == DefaultLevel::Inherit);
            }
        }
        reached.into_iter().collect()
    }

    /// The targets whose grants are needed.
    fn targets(&self) -> Vec<GrantTarget> {
        let spaces = self.spaces.iter().map(|space| space.id.clone().into());
        let collections = self.collections.iter().map(|(id, ..)| id.clone().into());
        let sites = self.sites.keys().map(|id| GrantTarget::Site(self.organization.clone(), id.clone()));
        spaces.chain(collections).chain(sites).collect()
    }

    /// The access of a member with these grants to the spaces.
    fn access(&self, membership: Membership, grants: &HashMap<GrantTarget, Grants>) -> OrganizationAccess {
        let place = |target: &GrantTarget, default| grants.get(target).cloned().unwrap_or_default().with(default);
        let collections = self.collections.iter().map(|(id, parent, default)| {
            let place = place(&id.clone().into(), *default);
            (id.clone(), CollectionGrants { parent: parent.clone(), place })
        });
        let sites = self.sites.iter().map(|(id, (default, spaces))| {
            let place = place(&GrantTarget::Site(self.organization.clone(), id.clone()), *default);
            (id.clone(), SiteGrants { place, spaces: spaces.clone() })
        });
        let spaces = grants.iter().filter_map(|(target, grants)| match target {
            GrantTarget::Place(PlaceId::Space(id)) => Some((id.clone(), grants.clone())),
            _ => None,
        });
        let grants =
            UserGrants { collections: collections.collect(), spaces: spaces.collect(), sites: sites.collect() };
        OrganizationAccess::new(Some(membership), grants)
    }
}

fn reads(access: &OrganizationAccess, space: &Space) -> bool {
    access.space(&space.id, space.parent.as_ref(), space.default_level).reads()
}

/// These collections and those around them.
fn around(
    tree: Vec<(CollectionId, Option<CollectionId>, DefaultLevel)>,
    innermost: impl Iterator<Item = CollectionId>,
) -> Vec<(CollectionId, Option<CollectionId>, DefaultLevel)> {
    let parents: HashMap<&CollectionId, Option<&CollectionId>> =
        tree.iter().map(|(id, parent, _)| (id, parent.as_ref())).collect();
    let mut wanted = HashSet::new();
    for id in innermost {
        let mut next = Some(id);
        while let Some(id) = next.filter(|id| !wanted.contains(id)) {
            next = parents.get(&id).copied().flatten().cloned();
            wanted.insert(id);
        }
    }
    tree.into_iter().filter(|(id, ..)| wanted.contains(id)).collect()
}
