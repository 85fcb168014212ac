//! Drafts of change requests about clusters of issues.
use super::lease::{Lease, Outcome, Stop};
use crate::id::{ChangeRequestId, SpaceId};
use crate::usecases::Error;

/// Drafts the content of a change request.
pub(super) async fn draft(lease: &Lease<'_>, space: &SpaceId, request: &ChangeRequestId) -> Result<Outcome, Stop> {
    let Some(drafter) = &lease.jobs.drafter else { return Err(Error::Unable("draft change requests").into()) };
    drafter.draft(space, request).await?;
    Ok(Outcome::Done)
}
