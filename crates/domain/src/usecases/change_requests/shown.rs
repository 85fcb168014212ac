//! Change requests with the people that their answers name.
use crate::change_request::{ChangeRequest, ChangeRequestRef, State};
use crate::content::revision::Revision;
use crate::id::{RevisionId, UserId};
use crate::paging::Page;
use crate::ports::Tx;
use crate::space::Space;
use crate::usecases::Error;
use crate::user::User;
use std::collections::{BTreeMap, BTreeSet};

/// A change request that the caller may see, with all that an answer shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownChangeRequest {
    /// The change request.
    pub request: ChangeRequest,
    /// Whether the primary content has something that it does not have.
    pub outdated: bool,
    /// Who made it.
    pub created_by: User,
    /// Who merged it.
    pub merged_by: Option<User>,
}

/// Accounts by their ids.
pub(super) struct People(BTreeMap<UserId, User>);

impl People {
    /// Loads the accounts with these ids, in one query.
    pub(super) async fn find(tx: &mut dyn Tx, ids: impl IntoIterator<Item = UserId>) -> Result<Self, Error> {
        let ids: BTreeSet<UserId> = ids.into_iter().collect();
        if ids.is_empty() {
            return Ok(Self(BTreeMap::new()));
        }
        let found = tx.users().find_many(&ids.into_iter().collect::<Vec<_>>()).await?;
        Ok(Self(found.into_iter().map(|user| (user.id.clone(), user)).collect()))
    }

    /// An account that something names.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when it is not there: accounts that are named are never taken away.
    pub(super) fn get(&self, id: &UserId) -> Result<User, Error> {
        self.0.get(id).cloned().ok_or_else(|| Error::Corrupt(format!("user {id} is missing")))
    }

    pub(super) fn get_if(&self, id: Option<&UserId>) -> Result<Option<User>, Error> {
        id.map(|id| self.get(id)).transpose()
    }
}

fn merger(request: &ChangeRequest) -> Option<&UserId> {
    match &request.state {
        State::Merged(merge) => merge.by.as_ref(),
        State::Draft | State::Open | State::Archived => None,
    }
}

/// Shows a page of change requests; the primary revision of its space comes with each.
pub(super) async fn show(
    tx: &mut dyn Tx,
    found: Page<(ChangeRequest, RevisionId)>,
) -> Result<Page<ShownChangeRequest>, Error> {
    let named = |(request, _): &(ChangeRequest, RevisionId)| {
        [Some(&request.created_by), merger(request)].into_iter().flatten().cloned().collect::<Vec<_>>()
    };
    let people = People::find(tx, found.items.iter().flat_map(named)).await?;
    found.try_map(|(request, primary)| {
        Ok(ShownChangeRequest {
            outdated: request.outdated(&primary),
            created_by: people.get(&request.created_by)?,
            merged_by: people.get_if(merger(&request))?,
            request,
        })
    })
}

/// Shows a change request.
pub(super) async fn show_one(
    tx: &mut dyn Tx,
    request: ChangeRequest,
    primary: RevisionId,
) -> Result<ShownChangeRequest, Error> {
    let shown = show(tx, Page { items: vec![(request, primary)], next: None }).await?;
    shown.items.into_iter().next().ok_or_else(|| Error::Corrupt("a change request got lost".into()))
}

/// The change request that a revision merged, if it did.
pub(in crate::usecases) async fn merged_from(
    tx: &mut dyn Tx,
    space: &Space,
    revision: &Revision,
) -> Result<Option<ShownChangeRequest>, Error> {
    let Some(id) = revision.merged_from.clone() else { return Ok(None) };
    match tx.change_requests().find(&space.id, &ChangeRequestRef::Id(id)).await? {
        Some(request) => Ok(Some(show_one(tx, request, space.revision.clone()).await?)),
        None => Ok(None),
    }
}
