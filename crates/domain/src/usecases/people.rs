//! The users that an object refers to, with the data that the caller may see.
use super::work::Work;
use crate::id::{OrganizationId, UserId};
use crate::usecases::{Error, open};
use crate::user::{Person, User};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The given accounts whose email address the caller may see in an organization: the caller's own account and, if the
/// caller may list members, the accounts of members.
async fn seen(work: &mut Work<'_>, organization: &OrganizationId, ids: &[UserId]) -> Result<HashSet<UserId>, Error> {
    let Some(own) = work.actor.user() else { return Ok(ids.iter().cloned().collect()) };
    let mut seen = HashSet::from([own.clone()]);
    if ids == [own.clone()] {
        return Ok(seen);
    }
    let home = work.organizations().find(organization, Some(own)).await?;
    if home.is_some_and(|home| open::grant_organization(work.actor, home, |may| may.list_members).is_ok()) {
        seen.extend(members(work, organization, ids).await?);
    }
    Ok(seen)
}

/// The same in several organizations, except the caller's own account.
async fn seen_in(
    work: &mut Work<'_>,
    organizations: &[OrganizationId],
    ids: &[UserId],
) -> Result<HashSet<(OrganizationId, UserId)>, Error> {
    let Some(own) = work.actor.user() else { return Ok(HashSet::new()) };
    let homes = work.organizations().find_many(organizations, Some(own)).await?.into_iter();
    let listed = homes.filter_map(|home| open::grant_organization(work.actor, home, |may| may.list_members).ok());
    let listed: Vec<OrganizationId> = listed.map(|home| home.id.clone()).collect();
    if listed.is_empty() {
        return Ok(HashSet::new());
    }
    Ok(work.members().memberships(&listed, ids).await?.into_iter().collect())
}

/// Those of the given accounts that are members of an organization.
async fn members(work: &mut Work<'_>, organization: &OrganizationId, ids: &[UserId]) -> Result<HashSet<UserId>, Error> {
    Ok(work.members().named(organization, ids, &[]).await?.into_iter().map(|(id, _)| id).collect())
}

/// These ids, each once; `None` if there are none.
fn each_once(ids: impl IntoIterator<Item = UserId>) -> Option<Vec<UserId>> {
    let ids: BTreeSet<UserId> = ids.into_iter().collect();
    (!ids.is_empty()).then(|| ids.into_iter().collect())
}

/// Users by id, with the data that the caller may see.
pub(in crate::usecases) struct People(BTreeMap<UserId, Person>);

impl People {
    /// Loads the accounts with these ids, in a constant number of queries.
    pub(in crate::usecases) async fn find(
        work: &mut Work<'_>,
        organization: &OrganizationId,
        ids: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, Error> {
        let Some(ids) = each_once(ids) else { return Ok(Self(BTreeMap::new())) };
        let seen = seen(work, organization, &ids).await?;
        Self::load(work, &ids, &seen).await
    }

    /// The same for users in several organizations, also in a constant number of queries.
    pub(in crate::usecases) async fn find_in(
        work: &mut Work<'_>,
        named: BTreeMap<OrganizationId, BTreeSet<UserId>>,
    ) -> Result<BTreeMap<OrganizationId, Self>, Error> {
        let Some(ids) = each_once(named.values().flatten().cloned()) else { return Ok(BTreeMap::new()) };
        let organizations: Vec<OrganizationId> = named.keys().cloned().collect();
        let seen = seen_in(work, &organizations, &ids).await?;
        let users: BTreeMap<UserId, User> =
            work.users().find_many(&ids).await?.into_iter().map(|user| (user.id.clone(), user)).collect();
        let own = work.actor.user();
        let mut all = BTreeMap::new();
        for (organization, ids) in named {
            let sees =
                |id: &UserId| own.is_none_or(|own| own == id) || seen.contains(&(organization.clone(), id.clone()));
            let found = ids.iter().filter_map(|id| users.get(id));
            let people = found.map(|user| (user.id.clone(), Person::of(user.clone(), sees(&user.id)))).collect();
            all.insert(organization, Self(people));
        }
        Ok(all)
    }

    /// The same, with the view of an administrator of an organization regardless of the caller: with the addresses of
    /// members only.
    pub(in crate::usecases) async fn for_administrators(
        work: &mut Work<'_>,
        organization: &OrganizationId,
        ids: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, Error> {
        let Some(ids) = each_once(ids) else { return Ok(Self(BTreeMap::new())) };
        let seen = members(work, organization, &ids).await?;
        Self::load(work, &ids, &seen).await
    }

    async fn load(work: &mut Work<'_>, ids: &[UserId], seen: &HashSet<UserId>) -> Result<Self, Error> {
        let found = work.users().find_many(ids).await?.into_iter();
        let people = found.map(|user| (user.id.clone(), Person::of(user.clone(), seen.contains(&user.id))));
        Ok(Self(people.collect()))
    }

    /// A user that an object refers to.
    ///
    /// # Errors
    /// [`Error::Corrupt`] if the account is missing: accounts that are referred to are never deleted.
    pub(in crate::usecases) fn get(&self, id: &UserId) -> Result<Person, Error> {
        self.0.get(id).cloned().ok_or_else(|| Error::Corrupt(format!("user {id} is missing")))
    }

    pub(in crate::usecases) fn get_if(&self, id: Option<&UserId>) -> Result<Option<Person>, Error> {
        id.map(|id| self.get(id)).transpose()
    }
}
