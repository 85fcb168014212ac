//! The list of everyone who may read a place.
use super::Permissions;
use crate::access::{
    CollectionGrants, DefaultLevel, Grants, Membership, OrganizationAccess, Reason, Role, SiteGrants, UserGrants,
    decide, opens_through_spaces,
};
use crate::actor::Actor;
use crate::id::{CollectionId, OrganizationId, SiteId, SpaceId, TeamId, UserId};
use crate::member::Member;
use crate::paging::{MAX_LIMIT, Order, Page, PageRequest};
use crate::place::{GrantTarget, PlaceId};
use crate::ports::store::grants::MemberGrants;
use crate::ports::store::members::MemberSort;
use crate::space::Space;
use crate::text::folded;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use crate::user::User;
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};

/// A user with access to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberAccess {
    /// The user.
    pub user: User,
    /// The membership.
    pub member: Member,
    /// The effective role.
    pub role: Role,
    /// The rule that decided.
    pub origin: Origin,
}

/// Where the role of a user on a place comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The role in the organization.
    Organization,
    /// A grant to the user.
    Direct,
    /// A grant to this team; absent if the grant is on a collection around the place.
    Team(Option<TeamId>),
    /// A default level, or a site that a space is on.
    Default,
    /// For a site: this space on it, which the user may read; absent if the caller may not read it.
    Space(Option<SpaceId>),
}

/// A filter for the users with access to a place, and their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessFilter {
    /// With exactly this effective role.
    pub role: Option<Role>,
    /// With this text in the name or email address, ignoring case.
    pub search: Option<String>,
    /// Members of this team.
    pub team: Option<TeamId>,
    /// The order. Unlike in the list of members, users who were never seen are not left out: they were seen before all
    /// others.
    pub sort: MemberSort,
}

/// A member with access, before the page is known: only its members are loaded whole.
struct Found {
    user: UserId,
    role: Role,
    origin: Origin,
    joined_at: DateTime<Utc>,
    last_seen_at: Option<DateTime<Utc>>,
    /// The folded name, if the list is sorted by name.
    name: String,
}

impl Found {
    fn new(member: MemberGrants, role: Role, origin: Origin) -> Self {
        let MemberGrants { user, joined_at, last_seen_at, .. } = member;
        Self { user, role, origin, joined_at, last_seen_at, name: String::new() }
    }

    /// The sort key, as text.
    fn key(&self, sort: MemberSort) -> String {
        let at = |time: DateTime<Utc>| format!("{:020}", time.timestamp_micros().max(0));
        let first = match sort {
            MemberSort::JoinedAt => at(self.joined_at),
            MemberSort::LastSeenAt => at(self.last_seen_at.unwrap_or_default()),
            MemberSort::Name => self.name.clone(),
        };
        // A name has no line break, so no longer name sorts between a name and the same name with an id.
        format!("{first}\n{}", self.user)
    }
}

impl Permissions {
    /// All users who may read a place, with their effective role.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the place, and for a team that does not belong to its organization; [`Error::Forbidden`]
    /// for the place, and for guests, who may not list members; [`Error::Invalid`].
    pub async fn everybody(
        &self,
        actor: &Actor,
        place: &GrantTarget,
        query: Input<(AccessFilter, PageRequest)>,
    ) -> Result<Page<MemberAccess>, Error> {
        let mut work = self.units.read(actor).await?;
        let managed = work.managed(place).await?;
        let organization = &managed.organization;
        // The list shows members of the organization, which guests may not see.
        work.organization(organization, |may| may.list_members).await?;
        let (filter, page) = query.read()?;
        let (mut found, mut through_spaces) = (Vec::new(), Vec::new());
        for member in work.grants().of_members(organization, managed.rules.targets()).await? {
            let (level, reason) = decide(Some(member.membership), &managed.rules.places(&member.grants));
            if let Some(role) = level.role() {
                let origin = origin(reason, member.grants.get(place));
                found.push(Found::new(member, role, origin));
            } else if opens_through_spaces(level, reason) {
                through_spaces.push(member.user);
            }
        }
        if let GrantTarget::Site(organization, site) = place {
            found.extend(readers_of_spaces(&mut work, organization, site, &through_spaces).await?);
        }
        found.retain(|found| filter.role.is_none_or(|wanted| wanted == found.role));
        if let Some(team) = &filter.team {
            let members = members_of(&mut work, organization, team).await?;
            found.retain(|found| members.contains(&found.user));
        }
        if filter.search.is_some() || filter.sort == MemberSort::Name {
            found = named(&mut work, found, filter.search.as_deref()).await?;
        }
        found.sort_by_cached_key(|found| found.key(filter.sort));
        if page.order == Order::Desc {
            found.reverse();
        }
        let part = Page::of_sorted(found, &page, |found| found.key(filter.sort));
        let ids: Vec<UserId> = part.items.iter().map(|found| found.user.clone()).collect();
        let members = work.members().find_many(organization, &ids).await?;
        let mut members: HashMap<UserId, (Member, User)> =
            members.into_iter().map(|(member, user)| (user.id.clone(), (member, user))).collect();
        part.try_map(|Found { user, role, origin, .. }| {
            let (member, user) = members.remove(&user).ok_or(Error::NotFound("user"))?;
            Ok(MemberAccess { user, member, role, origin })
        })
    }
}

/// Adds the names, and keeps only users with this text in their name or address.
async fn named(work: &mut Work<'_>, found: Vec<Found>, search: Option<&str>) -> Result<Vec<Found>, Error> {
    let ids: Vec<UserId> = found.iter().map(|found| found.user.clone()).collect();
    let users = work.users().find_many(&ids).await?;
    let mut users: HashMap<UserId, User> = users.into_iter().map(|user| (user.id.clone(), user)).collect();
    let search = search.map(folded);
    let with_name = |one: Found| {
        let user = users.remove(&one.user)?;
        let (name, email) = (folded(user.display_name.as_str()), folded(user.email.as_str()));
        let is_wanted = search.as_ref().is_none_or(|text| name.contains(text) || email.contains(text));
        is_wanted.then_some(Found { name, ..one })
    };
    Ok(found.into_iter().filter_map(with_name).collect())
}

/// Where a role comes from. `own` are the grants on the place itself.
fn origin(reason: Reason, own: Option<&Grants>) -> Origin {
    match reason {
        Reason::NoMember | Reason::Disabled | Reason::Administrator | Reason::Membership => Origin::Organization,
        Reason::Direct(_) => Origin::Direct,
        Reason::Teams(0) => Origin::Team(own.and_then(Grants::highest_team).cloned()),
        Reason::Teams(_) => Origin::Team(None),
        Reason::Default(_) | Reason::Sites(_) => Origin::Default,
    }
}

/// Those of these members who may read a space on a site, each with the first such space in the order of the site. A
/// space that the caller may not read is not named, and is used only if there is no other.
async fn readers_of_spaces(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    site: &SiteId,
    users: &[UserId],
) -> Result<Vec<Found>, Error> {
    if users.is_empty() {
        return Ok(Vec::new());
    }
    let rules = SpaceRules::load(work, organization, site).await?;
    if rules.spaces.is_empty() {
        return Ok(Vec::new());
    }
    let caller = work.organization_access(organization).await?;
    let (known, hidden): (Vec<&Space>, Vec<&Space>) = rules.spaces.iter().partition(|space| reads(&caller, space));
    let mut readers = Vec::new();
    for member in work.grants().of_some_members(organization, users, &rules.targets()).await? {
        let access = rules.access(member.membership, &member.grants);
        let first = known.iter().find(|space| reads(&access, space)).map(|space| space.id.clone());
        if first.is_some() || hidden.iter().any(|space| reads(&access, space)) {
            readers.push(Found::new(member, Role::Read, Origin::Space(first)));
        }
    }
    Ok(readers)
}

fn reads(access: &OrganizationAccess, space: &Space) -> bool {
    access.space(&space.id, space.parent.as_ref(), space.default_level).reads()
}

/// The access rules of the spaces on a site, loaded once for all users.
struct SpaceRules {
    organization: OrganizationId,
    /// The spaces of the organization on the site, in its order.
    spaces: Vec<Space>,
    /// The collections around the spaces.
    collections: Vec<(CollectionId, Option<CollectionId>, DefaultLevel)>,
    /// The sites with these spaces, each with the ids of the spaces on it.
    sites: HashMap<SiteId, (DefaultLevel, Vec<SpaceId>)>,
}

impl SpaceRules {
    async fn load(work: &mut Work<'_>, organization: &OrganizationId, site: &SiteId) -> Result<Self, Error> {
        let structure = work.sites().structure(site).await?;
        let ids: Vec<SpaceId> = structure.spaces().into_iter().map(|(_, space)| space.space.clone()).collect();
        let mut found: HashMap<SpaceId, Space> =
            work.spaces().find_many(&ids).await?.into_iter().map(|space| (space.id.clone(), space)).collect();
        let spaces: Vec<Space> = ids
            .iter()
            .filter_map(|id| found.remove(id))
            .filter(|space| space.organization == *organization && space.deleted_at.is_none())
            .collect();
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
        Ok(Self { organization: organization.clone(), spaces, collections, sites })
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

/// The members of a team of an organization.
async fn members_of(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    team: &TeamId,
) -> Result<HashSet<UserId>, Error> {
    work.teams().find(organization, team).await?.ok_or(Error::NotFound("team"))?;
    let (mut members, mut page) = (HashSet::new(), PageRequest { limit: MAX_LIMIT, ..PageRequest::default() });
    loop {
        let part = work.teams().members(team, &page).await?;
        members.extend(part.items.into_iter().map(|(user, _)| user));
        page.after = part.next;
        if page.after.is_none() {
            return Ok(members);
        }
    }
}
