//! Revisions: immutable states of a space's content, in a graph.
use crate::object::Hash;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use values::id::{ChangeRequestId, RevisionId, SpaceId, UserId};
use values::words;

words! {
    /// The origin of a revision.
    pub enum RevisionKind {
        /// An edit or an import.
        Edits = "edits",
        /// A change request was merged into the primary content.
        Merge = "merge",
        /// The primary content was merged into a change request.
        Update = "update",
        /// An earlier state was restored.
        Rollback = "rollback",
    }
}

/// The commit a revision was imported from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitCommit {
    /// Its id.
    pub oid: String,
    /// Its message.
    pub message: String,
    /// The address at which it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The branch.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Whether this service wrote it.
    #[serde(default)]
    pub created_by_service: bool,
}

/// One state of a space's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The id.
    pub id: RevisionId,
    /// The space.
    pub space: SpaceId,
    /// The revisions it came from: none for a space's first, two for a merge or an update.
    pub parents: Vec<RevisionId>,
    /// The object that names all of its content ([`super::snapshot::Snapshot`]).
    pub manifest: Hash,
    /// Its origin.
    pub kind: RevisionKind,
    /// Who made it; absent when the server's operator did.
    pub author: Option<UserId>,
    /// When.
    pub created_at: DateTime<Utc>,
    /// The commit it was imported from.
    pub git: Option<GitCommit>,
    /// The change request it merged.
    pub merged_from: Option<ChangeRequestId>,
    /// Whether it is, or was, the primary content of its space. False if it is only the content of a change request.
    pub is_primary: bool,
}
