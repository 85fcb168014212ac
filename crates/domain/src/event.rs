//! What happened: recorded in the transaction that did it, so nothing is announced that was not committed, and
//! nothing committed goes unannounced. The audit log and, later, webhooks and jobs feed from it.
use crate::access::Role;
use crate::change_request::Status;
use crate::id::{
    ChangeRequestId, CollectionId, ConflictId, EventId, OrganizationId, ReviewId, RevisionId, SpaceId, TeamId, TokenId,
    UserId,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are the ids concerned")]
pub enum Change {
    /// An account was made.
    UserCreated { user: UserId },
    /// A token was made.
    TokenCreated { token: TokenId, user: UserId },
    /// A token was withdrawn.
    TokenRevoked { token: TokenId, user: UserId },
    /// An organization was made.
    OrganizationCreated { organization: OrganizationId },
    /// An organization's settings changed.
    OrganizationUpdated { organization: OrganizationId },
    /// A space was made.
    SpaceCreated { space: SpaceId },
    /// A space's settings changed.
    SpaceUpdated { space: SpaceId },
    /// A space was put elsewhere in its organization.
    SpaceMoved { space: SpaceId, parent: Option<CollectionId> },
    /// A space was handed over to another organization. Both are told.
    SpaceTransferred { space: SpaceId, from: OrganizationId, to: OrganizationId },
    /// A collection was made.
    CollectionCreated { collection: CollectionId },
    /// A collection's settings changed.
    CollectionUpdated { collection: CollectionId },
    /// A collection was put elsewhere in its organization.
    CollectionMoved { collection: CollectionId, parent: Option<CollectionId> },
    /// A collection was handed over to another organization, with all that is in it. Both are told.
    CollectionTransferred { collection: CollectionId, from: OrganizationId, to: OrganizationId },
    /// A collection was deleted, with all that is in it.
    CollectionDeleted { collection: CollectionId },
    /// Somebody was let into a space or a collection, or shut out of it, by name or as a team.
    AccessGranted {
        place: String,
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamId>,
        role: Option<Role>,
    },
    /// What was granted on a space or a collection was taken back.
    AccessWithdrawn {
        place: String,
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamId>,
    },
    /// The primary content of a space moved to another revision.
    SpaceContentUpdated { space: SpaceId, revision: RevisionId },
    /// A change request was made.
    ChangeRequestCreated { space: SpaceId, change_request: ChangeRequestId },
    /// The facts or the state of a change request changed.
    ChangeRequestUpdated { space: SpaceId, change_request: ChangeRequestId, status: Status },
    /// The content of a change request moved to another revision.
    ChangeRequestContentUpdated { space: SpaceId, change_request: ChangeRequestId, revision: RevisionId },
    /// A change request became part of the primary content.
    ChangeRequestMerged { space: SpaceId, change_request: ChangeRequestId, revision: RevisionId },
    /// A conflict of a change request was decided.
    ConflictResolved { space: SpaceId, change_request: ChangeRequestId, conflict: ConflictId },
    /// Somebody was asked to review a change request.
    ReviewRequested { space: SpaceId, change_request: ChangeRequestId, user: UserId },
    /// Somebody is no longer asked to review a change request.
    ReviewRequestWithdrawn { space: SpaceId, change_request: ChangeRequestId, user: UserId },
    /// A change request was reviewed.
    ReviewSubmitted { space: SpaceId, change_request: ChangeRequestId, review: ReviewId },
}

/// A change, with who made it and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The id; sorts by time.
    pub id: EventId,
    /// The organization concerned, if any.
    pub organization: Option<OrganizationId>,
    /// Who made it; absent when the server itself or its operator did.
    pub actor: Option<UserId>,
    /// The token it was made with.
    pub token: Option<TokenId>,
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    pub change: Change,
}
