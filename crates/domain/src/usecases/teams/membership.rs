//! The members of teams and their roles.
use super::Teams;
use crate::access::Granted;
use crate::actor::Actor;
use crate::event::Change;
use crate::id::{OrganizationId, TeamId, UserId};
use crate::paging::{Page, PageRequest};
use crate::team::{Team, TeamRole};
use crate::text::{Email, Invalid};
use crate::usecases::members::{ShownMember, show_members};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, Precondition};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The maximum number of users in one request (Octavo's own limit).
pub const MAX_NAMED: usize = 1000;

/// A member of the organization, as named in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// By id.
    Id(UserId),
    /// By email address.
    Email(Email),
}

/// Changes to the members of a team. `remove` wins over `add` and `roles`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamChanges {
    /// Users to add; existing members keep their role.
    pub add: Vec<Named>,
    /// Users to remove.
    pub remove: Vec<Named>,
    /// Roles to set; users who are not members are added.
    pub roles: Vec<(Named, TeamRole)>,
}

/// A member of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownTeamMember {
    /// The member of the organization.
    pub member: ShownMember,
    /// The role in the team.
    pub role: TeamRole,
}

/// The users in a field of a request: a list, or the keys of a map.
pub(super) struct Field<'a> {
    pub(super) name: &'static str,
    pub(super) users: &'a [Named],
    pub(super) is_map: bool,
}

impl Field<'_> {
    /// The path of an entry in the request.
    fn entry(&self, at: usize, user: &Named) -> String {
        match user {
            Named::Id(id) if self.is_map => format!("{}.{id}", self.name),
            Named::Email(email) if self.is_map => format!("{}.{email}", self.name),
            _ => format!("{}[{at}]", self.name),
        }
    }
}

/// Finds the members that the fields of a request name, in one query; returns those of each field in order.
///
/// # Errors
/// [`Error::Invalid`] for the entry that names no member, and if too many are named.
pub(super) async fn resolve(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    fields: &[Field<'_>],
) -> Result<Vec<Vec<UserId>>, Error> {
    let all = || fields.iter().flat_map(|field| field.users);
    if all().count() > MAX_NAMED {
        let first = fields.first().map_or("", |field| field.name);
        return Err(Invalid::new(first, format!("must have at most {MAX_NAMED} users in one request")).into());
    }
    let (mut ids, mut emails) = (Vec::new(), Vec::new());
    for name in all() {
        match name {
            Named::Id(id) => ids.push(id.clone()),
            Named::Email(email) => emails.push(email.clone()),
        }
    }
    let found = if ids.is_empty() && emails.is_empty() {
        Vec::new()
    } else {
        work.members().named(organization, &ids, &emails).await?
    };
    let by_email: HashMap<&str, &UserId> = found.iter().map(|(id, email)| (email.as_str(), id)).collect();
    let by_id: HashMap<&str, &UserId> = found.iter().map(|(id, _)| (id.as_str(), id)).collect();
    let find = |field: &Field<'_>| {
        let mut users = Vec::with_capacity(field.users.len());
        for (at, user) in field.users.iter().enumerate() {
            let known = match user {
                Named::Id(id) => by_id.get(id.as_str()),
                Named::Email(email) => by_email.get(email.as_str()),
            };
            let none = || Invalid::new(field.entry(at, user), "is not a member of the organization");
            users.push((*known.ok_or_else(none)?).clone());
        }
        Ok(users)
    };
    fields.iter().map(find).collect()
}

/// Users by their roles in a team.
type Roles = BTreeMap<UserId, TeamRole>;

/// Changes to the members of a team, with the ids of all users.
#[derive(Default)]
struct Resolved {
    add: BTreeSet<UserId>,
    roles: Roles,
    remove: BTreeSet<UserId>,
}

impl Teams {
    /// The members of a team, by id.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for guests, who may not list members; [`Error::Invalid`].
    pub async fn members(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TeamId,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownTeamMember>, Error> {
        let mut work = self.units.read(actor).await?;
        let (home, _) = work.team(organization, id, |may| may.view).await?;
        if !home.permissions().list_members {
            return Err(Error::Forbidden("guests cannot list the members of the organization".into()));
        }
        let Page { items, total, next } = work.teams().members(id, &page.read()?).await?;
        let roles: BTreeMap<UserId, TeamRole> = items.into_iter().collect();
        let users: Vec<UserId> = roles.keys().cloned().collect();
        let mut found = work.members().find_many(organization, &users).await?;
        found.sort_by(|(one, _), (other, _)| one.user.cmp(&other.user));
        let members = show_members(&mut work, organization, found).await?;
        let show =
            |member: ShownMember| roles.get(&member.member.user).copied().map(|role| ShownTeamMember { member, role });
        Ok(Page { items: members.into_iter().filter_map(show).collect(), total, next })
    }

    /// Changes the members of a team and their roles; on an error, it changes nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than its owners and administrators;
    /// [`Error::Invalid`], also for a user who is not a member of the organization.
    pub async fn change_members(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TeamId,
        changes: Input<TeamChanges>,
    ) -> Result<(), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (home, team) = work.team(organization, id, |may| may.admin).await?;
        let TeamChanges { add, remove, roles } = changes.read()?;
        let mut named = add.iter().chain(&remove).chain(roles.iter().map(|(named, _)| named));
        if !home.permissions().list_members && named.any(|named| matches!(named, Named::Email(_))) {
            // Otherwise a guest could find out who belongs to the organization.
            return Err(Error::Forbidden("guests must name users by id, not by email address".into()));
        }
        let (with_role, roles): (Vec<Named>, Vec<TeamRole>) = roles.into_iter().unzip();
        let fields = [
            Field { name: "add", users: &add, is_map: false },
            Field { name: "remove", users: &remove, is_map: false },
            Field { name: "memberships", users: &with_role, is_map: true },
        ];
        let mut found = resolve(&mut work, organization, &fields).await?.into_iter();
        let (add, remove, with_role) =
            (found.next().unwrap_or_default(), found.next().unwrap_or_default(), found.next().unwrap_or_default());
        let remove: BTreeSet<UserId> = remove.into_iter().collect();
        let add: BTreeSet<UserId> = add.into_iter().filter(|user| !remove.contains(user)).collect();
        let roles: Roles = with_role.into_iter().zip(roles).filter(|(user, _)| !remove.contains(user)).collect();
        let changed: BTreeSet<&UserId> = add.iter().chain(roles.keys()).chain(&remove).collect();
        let changed: Vec<UserId> = changed.into_iter().cloned().collect();
        let before = if changed.is_empty() { Roles::new() } else { work.teams().roles_of_users(id, &changed).await? };
        self.apply(work, &team, &before, Resolved { add, roles, remove }).await
    }

    /// Adds a member of the organization to a team, or sets the role of a user in it. Without a role, an existing
    /// member keeps the current one.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a user who is not a member of the organization; [`Error::Forbidden`] for callers
    /// other than its owners and administrators; [`Error::Invalid`], [`Error::PreconditionFailed`].
    pub async fn put_member(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TeamId,
        user: &UserId,
        precondition: Precondition<TeamRole>,
        role: Input<Option<TeamRole>>,
    ) -> Result<(), Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (_, team) = work.team(organization, id, |may| may.admin).await?;
        work.members().find(organization, user).await?.ok_or(Error::NotFound("member"))?;
        let role = role.read()?;
        let before = work.teams().roles_of_users(id, std::slice::from_ref(user)).await?;
        match before.get(user) {
            Some(current) => precondition.check(current)?,
            None => precondition.check_absent()?,
        }
        let changes = match role {
            Some(role) => Resolved { roles: Roles::from([(user.clone(), role)]), ..Resolved::default() },
            None => Resolved { add: BTreeSet::from([user.clone()]), ..Resolved::default() },
        };
        self.apply(work, &team, &before, changes).await
    }

    /// Removes a user from a team. Returns whether the user belonged to it.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for callers other than its owners and administrators;
    /// [`Error::PreconditionFailed`].
    pub async fn remove_member(
        &self,
        actor: &Actor,
        organization: &OrganizationId,
        id: &TeamId,
        user: &UserId,
        precondition: Precondition<TeamRole>,
    ) -> Result<bool, Error> {
        let mut work = self.units.write(actor).await?;
        work.lock(&[organization.into()]).await?;
        let (_, team) = work.team(organization, id, |may| may.admin).await?;
        let before = work.teams().roles_of_users(id, std::slice::from_ref(user)).await?;
        let Some(current) = before.get(user) else { return precondition.nothing_removed() };
        precondition.check(current)?;
        let changes = Resolved { remove: BTreeSet::from([user.clone()]), ..Resolved::default() };
        self.apply(work, &team, &before, changes).await?;
        Ok(true)
    }

    /// Stores and records the changes. `before` has the earlier roles of the users in them: what is already so is left
    /// out.
    async fn apply(
        &self,
        mut work: Work<'_>,
        team: &Granted<Team>,
        before: &Roles,
        Resolved { mut add, mut roles, mut remove }: Resolved,
    ) -> Result<(), Error> {
        add.retain(|user| !before.contains_key(user));
        roles.retain(|user, role| before.get(user) != Some(&*role));
        remove.retain(|user| before.contains_key(user));
        let now = work.now();
        let (add, removed): (Vec<UserId>, Vec<UserId>) = (add.into_iter().collect(), remove.into_iter().collect());
        if !add.is_empty() {
            work.teams().add_members(&team.id, &add, now).await?;
        }
        if !roles.is_empty() {
            work.teams().set_roles(&team.id, &roles, now).await?;
        }
        if !removed.is_empty() {
            work.teams().remove_members(&team.id, &removed).await?;
        }
        let owners = roles.iter().filter(|(_, role)| **role == TeamRole::Owner).map(|(user, _)| user.clone()).collect();
        let mut members: Vec<UserId> = add.into_iter().chain(roles.into_keys()).collect();
        members.sort();
        members.dedup();
        if !members.is_empty() || !removed.is_empty() {
            let change = Change::TeamMembersUpdated { team: team.id.clone(), members, owners, removed };
            work.record(&team.organization, change).await?;
        }
        work.commit().await
    }
}
