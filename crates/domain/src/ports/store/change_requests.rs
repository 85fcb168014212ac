//! Change requests: their metadata, their open conflicts, and their contributors.
use super::StoreResult;
use crate::access::Within;
use crate::change_request::{ChangeRequest, ChangeRequestRef, Status};
use crate::content::merge::Conflict;
use crate::id::{ChangeRequestId, ConflictId, IssueClusterId, OrganizationId, RevisionId, SiteId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::review::{Contribution, ContributorAction};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A conflict that is not resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenConflict {
    /// The id.
    pub id: ConflictId,
    /// The conflict.
    pub conflict: Conflict,
}

/// Where to list change requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedIn {
    /// In a space.
    Space(SpaceId),
    /// In every readable space of an organization.
    Organization(OrganizationId, Within),
}

/// The order of change requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OrderBy {
    /// By the time of the last change.
    #[default]
    UpdatedAt,
    /// By the time of creation.
    CreatedAt,
}

/// A filter for change requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeRequestFilter {
    /// In this space.
    pub space: Option<SpaceId>,
    /// In a space that this site shows.
    pub site: Option<SiteId>,
    /// With one of these statuses; any status if empty.
    pub status: Vec<Status>,
    /// Created by this user.
    pub creator: Option<UserId>,
    /// With a contribution of this user.
    pub contributor: Option<UserId>,
    /// With a review requested from this user.
    pub requested_reviewer: Option<UserId>,
    /// About one of these clusters of issues.
    pub clusters: Option<Vec<IssueClusterId>>,
    /// The order.
    pub order_by: OrderBy,
}

/// Stores change requests. Before changing one, or its data, a caller must lock its space.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ChangeRequestStore: Send {
    /// A change request of a space.
    async fn find(&mut self, space: &SpaceId, which: &ChangeRequestRef) -> StoreResult<Option<ChangeRequest>>;
    /// The change requests of these spaces with this id or this number, in any order.
    async fn find_in(&mut self, spaces: &[SpaceId], which: &ChangeRequestRef) -> StoreResult<Vec<ChangeRequest>>;
    /// Those of these change requests that are neither merged nor archived.
    async fn undecided(&mut self, ids: &[ChangeRequestId]) -> StoreResult<Vec<ChangeRequestId>>;
    /// Change requests that match a filter, each with the primary revision of its space.
    async fn list(
        &mut self,
        scope: &ListedIn,
        filter: &ChangeRequestFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<(ChangeRequest, RevisionId)>>;
    /// Adds a new change request. A second one with the same number in a space is a conflict on `number`.
    async fn add(&mut self, change_request: &ChangeRequest) -> StoreResult<()>;
    /// Updates all fields of a change request. Its space and its number stay the same.
    async fn save(&mut self, change_request: &ChangeRequest) -> StoreResult<()>;
    /// Its open conflicts, by id.
    async fn conflicts(&mut self, id: &ChangeRequestId) -> StoreResult<Vec<OpenConflict>>;
    /// Adds open conflicts; each replaces an older one about the same subject.
    async fn add_conflicts(&mut self, id: &ChangeRequestId, conflicts: &[OpenConflict]) -> StoreResult<()>;
    /// Removes resolved conflicts.
    async fn remove_conflicts(&mut self, conflicts: &[ConflictId]) -> StoreResult<()>;
    /// Counts a contribution of a user.
    async fn contribute(
        &mut self,
        id: &ChangeRequestId,
        user: &UserId,
        action: ContributorAction,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// The contributors, by user and action.
    async fn contributors(&mut self, id: &ChangeRequestId, page: &PageRequest) -> StoreResult<Page<Contribution>>;
}
