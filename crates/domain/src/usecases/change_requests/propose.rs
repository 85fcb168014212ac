//! Change requests for clusters of issues that need one.
use super::{ChangeRequests, LoadedChangeRequest, NewChangeRequest, ShownChangeRequest};
use crate::access::Within;
use crate::actor::Actor;
use crate::conversation::{ClusterOrder, SHOWN_ISSUES};
use crate::id::{IssueClusterId, OrganizationId, SpaceId, UserId};
use crate::paging::{MAX_LIMIT, Order, PageRequest};
use crate::ports::store::change_requests::{ChangeRequestFilter, ListedIn};
use crate::usecases::Error;
use crate::usecases::conversations::{counted, known_as, successor};
use crate::usecases::work::Work;

/// A change request that was created for a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The cluster.
    pub cluster: IssueClusterId,
    /// The change request.
    pub request: ShownChangeRequest,
}

impl ChangeRequests {
    /// Creates change requests of a user in a space, one for each cluster that needs one and has none yet, at most
    /// `limit`. A cluster needs one if `ShownCluster::needs_change` says so.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space; [`Error::Forbidden`]; [`Error::Invalid`] if drafts are wanted and cannot be
    /// made; [`Error::Conflict`] if the space is transferred to another organization at the same time.
    pub async fn propose(
        &self,
        actor: &Actor,
        space: &SpaceId,
        author: &UserId,
        draft: bool,
        limit: usize,
    ) -> Result<Vec<Proposed>, Error> {
        let mut work = self.units.read(actor).await?;
        let organization = work.space(space, |may| may.edit).await?.organization.clone();
        let clusters = needing(&mut work, &organization, limit).await?;
        drop(work);
        let mut proposed = Vec::new();
        for cluster in clusters {
            let (mut work, mut space) = self.with_clusters(actor, space, &organization).await?;
            let new = NewChangeRequest { cluster: Some(cluster.clone()), draft, ..NewChangeRequest::default() };
            self.check_draft(&mut work, &organization, &new).await?;
            // In the meantime it may have been removed or muted, or another change request may have been created.
            let stays = successor(&mut work, &organization, &cluster).await?.is_some_and(|found| !found.muted);
            if !stays || has_change_request(&mut work, &organization, &cluster).await? {
                continue;
            }
            let request = self.add(&mut work, &mut space, author.clone(), new).await?;
            let request = LoadedChangeRequest { space, request }.shown(&mut work).await?;
            work.commit().await?;
            proposed.push(Proposed { cluster, request });
        }
        Ok(proposed)
    }
}

/// The clusters that need a change request and have none, those with the most issues first.
async fn needing(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    limit: usize,
) -> Result<Vec<IssueClusterId>, Error> {
    let mut wanted = Vec::new();
    let mut page = PageRequest { limit: MAX_LIMIT, order: Order::Desc, ..PageRequest::default() };
    loop {
        let found = work.conversations().clusters(organization, SHOWN_ISSUES, ClusterOrder::Issues, &page).await?;
        let found = counted(work, found).await?;
        for shown in found.items.into_iter().filter(|shown| shown.needs_change()) {
            if wanted.len() == limit {
                return Ok(wanted);
            }
            let id = shown.cluster.id;
            if !has_change_request(work, organization, &id).await? {
                wanted.push(id);
            }
        }
        match found.next {
            Some(next) => page.after = Some(next),
            None => return Ok(wanted),
        }
    }
}

async fn has_change_request(
    work: &mut Work<'_>,
    organization: &OrganizationId,
    cluster: &IssueClusterId,
) -> Result<bool, Error> {
    let clusters = Some(known_as(work, organization, cluster).await?);
    let filter = ChangeRequestFilter { clusters, ..ChangeRequestFilter::default() };
    let everywhere = ListedIn::Organization(organization.clone(), Within::Everything);
    let one = PageRequest { limit: 1, ..PageRequest::default() };
    Ok(!work.change_requests().list(&everywhere, &filter, &one).await?.items.is_empty())
}
