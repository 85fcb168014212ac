//! Change requests: their facts, their open conflicts, and who took part in them.
use super::StoreResult;
use crate::access::Within;
use crate::change_request::{ChangeRequest, ChangeRequestRef, Status};
use crate::content::merge::Conflict;
use crate::id::{ChangeRequestId, ConflictId, OrganizationId, RevisionId, SpaceId, UserId};
use crate::paging::{Page, PageRequest};
use crate::review::{Action, Contribution};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A conflict that nobody has decided yet.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenConflict {
    /// The id.
    pub id: ConflictId,
    /// What cannot be joined.
    pub conflict: Conflict,
}

/// Whose change requests are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of a space.
    Space(SpaceId),
    /// Those of every space of an organization that can be read.
    Organization(OrganizationId, Within),
}

/// By what change requests are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OrderBy {
    /// When they last changed.
    #[default]
    UpdatedAt,
    /// When they were made.
    CreatedAt,
}

/// Which change requests are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeRequestFilter {
    /// In one of these states; in any when there are none.
    pub status: Vec<Status>,
    /// Made by this user.
    pub creator: Option<UserId>,
    /// With a part of this user in it.
    pub contributor: Option<UserId>,
    /// That this user is asked to review.
    pub requested_reviewer: Option<UserId>,
    /// That came from this cluster of issues.
    pub cluster: Option<String>,
    /// Their order.
    pub order_by: OrderBy,
}

/// Stores change requests. Whoever changes one, or what belongs to it, has locked its space.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ChangeRequestStore: Send {
    /// The change request of a space.
    async fn find(&mut self, space: &SpaceId, which: &ChangeRequestRef) -> StoreResult<Option<ChangeRequest>>;
    /// Change requests that a filter lets through, with the primary revision of their spaces.
    async fn list(
        &mut self,
        scope: &Scope,
        filter: &ChangeRequestFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<(ChangeRequest, RevisionId)>>;
    /// Inserts the change request or writes all of it. A second one of one number in a space is a conflict on `number`.
    async fn save(&mut self, change_request: &ChangeRequest) -> StoreResult<()>;
    /// Its open conflicts, by id.
    async fn conflicts(&mut self, id: &ChangeRequestId) -> StoreResult<Vec<OpenConflict>>;
    /// Adds open conflicts; each takes the place of an older one about the same.
    async fn add_conflicts(&mut self, id: &ChangeRequestId, conflicts: &[OpenConflict]) -> StoreResult<()>;
    /// Takes away conflicts that were decided.
    async fn remove_conflicts(&mut self, conflicts: &[ConflictId]) -> StoreResult<()>;
    /// Counts a contribution of a user.
    async fn contribute(
        &mut self,
        id: &ChangeRequestId,
        user: &UserId,
        action: Action,
        at: DateTime<Utc>,
    ) -> StoreResult<()>;
    /// Who took part, by user and action.
    async fn contributors(&mut self, id: &ChangeRequestId, page: &PageRequest) -> StoreResult<Page<Contribution>>;
}
