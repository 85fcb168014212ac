//! The users that an object refers to, with the data that the caller may see.
use crate::actor::Actor;
use crate::id::{OrganizationId, UserId};
use crate::ports::Tx;
use crate::usecases::{Error, open};
use crate::user::Person;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A reader, and the organization of what is read.
#[derive(Clone, Copy)]
pub(in crate::usecases) struct Viewer<'a> {
    pub(in crate::usecases) actor: &'a Actor,
    pub(in crate::usecases) organization: &'a OrganizationId,
}

impl Viewer<'_> {
    /// Those of the given accounts that the viewer may see: the viewer's own, and those of members if the viewer may
    /// list members.
    async fn sees(&self, tx: &mut dyn Tx, ids: &[UserId]) -> Result<HashSet<UserId>, Error> {
        let Some(own) = self.actor.user() else { return Ok(ids.iter().cloned().collect()) };
        let mut seen = HashSet::from([own.clone()]);
        if ids == [own.clone()] {
            return Ok(seen);
        }
        let home = tx.organizations().find(self.organization, Some(own)).await?;
        if home.is_some_and(|home| open::grant_organization(self.actor, home, |may| may.list_members).is_ok()) {
            seen.extend(tx.members().named(self.organization, ids, &[]).await?.into_iter().map(|(id, _)| id));
        }
        Ok(seen)
    }
}

/// Users by id, with the data that a viewer may see.
pub(in crate::usecases) struct People(BTreeMap<UserId, Person>);

impl People {
    /// Loads the accounts with these ids, in a constant number of queries.
    pub(in crate::usecases) async fn find(
        tx: &mut dyn Tx,
        viewer: Viewer<'_>,
        ids: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, Error> {
        let ids: BTreeSet<UserId> = ids.into_iter().collect();
        if ids.is_empty() {
            return Ok(Self(BTreeMap::new()));
        }
        let ids: Vec<UserId> = ids.into_iter().collect();
        let seen = viewer.sees(tx, &ids).await?;
        let found = tx.users().find_many(&ids).await?.into_iter();
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
