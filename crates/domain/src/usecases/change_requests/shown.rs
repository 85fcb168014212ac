//! Change requests with their users.
use crate::actor::Actor;
use crate::change_request::{ChangeRequest, ChangeRequestRef, State};
use crate::content::revision::Revision;
use crate::id::{OrganizationId, RevisionId, UserId};
use crate::paging::Page;
use crate::ports::Tx;
use crate::space::Space;
use crate::usecases::{Error, open};
use crate::user::Person;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A change request that the caller may see, with all data of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownChangeRequest {
    /// The change request.
    pub request: ChangeRequest,
    /// Whether the primary content has changes that the change request does not include.
    pub outdated: bool,
    /// The user who created it.
    pub created_by: Person,
    /// The user who merged it.
    pub merged_by: Option<Person>,
}

/// A reader, and the organization of what is read.
#[derive(Clone, Copy)]
pub(super) struct Viewer<'a> {
    pub(super) actor: &'a Actor,
    pub(super) organization: &'a OrganizationId,
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
pub(super) struct People(BTreeMap<UserId, Person>);

impl People {
    /// Loads the accounts with these ids, in a constant number of queries.
    pub(super) async fn find(
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
    pub(super) fn get(&self, id: &UserId) -> Result<Person, Error> {
        self.0.get(id).cloned().ok_or_else(|| Error::Corrupt(format!("user {id} is missing")))
    }

    pub(super) fn get_if(&self, id: Option<&UserId>) -> Result<Option<Person>, Error> {
        id.map(|id| self.get(id)).transpose()
    }
}

fn merger(request: &ChangeRequest) -> Option<&UserId> {
    match &request.state {
        State::Merged(merge) => merge.by.as_ref(),
        State::Draft | State::Open | State::Archived => None,
    }
}

/// Adds the users to a page of change requests; each comes with the primary revision of its space.
pub(super) async fn show(
    tx: &mut dyn Tx,
    viewer: Viewer<'_>,
    found: Page<(ChangeRequest, RevisionId)>,
) -> Result<Page<ShownChangeRequest>, Error> {
    let named = |(request, _): &(ChangeRequest, RevisionId)| {
        [Some(&request.created_by), merger(request)].into_iter().flatten().cloned().collect::<Vec<_>>()
    };
    let people = People::find(tx, viewer, found.items.iter().flat_map(named)).await?;
    found.try_map(|(request, primary)| {
        Ok(ShownChangeRequest {
            outdated: request.outdated(&primary),
            created_by: people.get(&request.created_by)?,
            merged_by: people.get_if(merger(&request))?,
            request,
        })
    })
}

/// Adds the users to a change request.
pub(super) async fn show_one(
    tx: &mut dyn Tx,
    viewer: Viewer<'_>,
    request: ChangeRequest,
    primary: RevisionId,
) -> Result<ShownChangeRequest, Error> {
    let shown = show(tx, viewer, Page { items: vec![(request, primary)], next: None }).await?;
    shown.items.into_iter().next().ok_or_else(|| Error::Corrupt("a change request is missing".into()))
}

/// The change request that a revision merged, if any.
pub(in crate::usecases) async fn merged_from(
    tx: &mut dyn Tx,
    actor: &Actor,
    space: &Space,
    revision: &Revision,
) -> Result<Option<ShownChangeRequest>, Error> {
    let Some(id) = revision.merged_from.clone() else { return Ok(None) };
    match tx.change_requests().find(&space.id, &ChangeRequestRef::Id(id)).await? {
        Some(request) => {
            let viewer = Viewer { actor, organization: &space.organization };
            Ok(Some(show_one(tx, viewer, request, space.revision.clone()).await?))
        }
        None => Ok(None),
    }
}
