//! Change requests with their users.
use crate::change_request::{ChangeRequest, ChangeRequestRef, State};
use crate::content::revision::Revision;
use crate::id::{OrganizationId, RevisionId, UserId};
use crate::paging::Page;
use crate::space::Space;
use crate::usecases::Error;
use crate::usecases::lists::only;
use crate::usecases::people::People;
use crate::usecases::work::Work;
use crate::user::Person;

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

fn merger(request: &ChangeRequest) -> Option<&UserId> {
    match &request.state {
        State::Merged(merge) => merge.by.as_ref(),
        State::Draft | State::Open | State::Archived => None,
    }
}

/// Adds the users to a page of change requests; each comes with the primary revision of its space.
pub(super) async fn show(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    found: Page<(ChangeRequest, RevisionId)>,
) -> Result<Page<ShownChangeRequest>, Error> {
    let named = |(request, _): &(ChangeRequest, RevisionId)| {
        [Some(&request.created_by), merger(request)].into_iter().flatten().cloned().collect::<Vec<_>>()
    };
    let people = People::find(work, organization, found.items.iter().flat_map(named)).await?;
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
pub(in crate::usecases) async fn show_one(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    request: ChangeRequest,
    primary: RevisionId,
) -> Result<ShownChangeRequest, Error> {
    only(show(work, organization, vec![(request, primary)].into()).await?)
}

/// The change request that a revision merged, if any.
pub(in crate::usecases) async fn merged_from(
    work: &mut Work<'_>,
    space: &Space,
    revision: &Revision,
) -> Result<Option<ShownChangeRequest>, Error> {
    let Some(id) = revision.merged_from.clone() else { return Ok(None) };
    match work.change_requests().find(&space.id, &ChangeRequestRef::Id(id)).await? {
        Some(request) => Ok(Some(show_one(work, &space.organization, request, space.revision.clone()).await?)),
        None => Ok(None),
    }
}
