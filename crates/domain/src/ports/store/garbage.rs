//! Content that may no longer be referenced.
use super::StoreResult;
use crate::content::object::Hash;
use crate::content::revision::Revision;
use crate::id::{RevisionId, SpaceId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An object.
    Object,
    /// The bytes of a file.
    File,
}

impl Kind {
    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::File => "file",
        }
    }
}

/// Stores the list of condemned content: content of purged spaces, and content that is stored before the revision that
/// refers to it. A job removes content on the list, unless a revision or an OpenAPI spec refers to it, or it is stored
/// again ([`super::ContentStore::put_objects`] takes objects off the list). See
/// `docs/decisions/0014-content-is-condemned-before-it-is-collected.md`.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GarbageStore: Send {
    /// Adds content to the list. Content that is already on it keeps its time.
    async fn condemn(&mut self, kind: Kind, hashes: &[Hash], at: DateTime<Utc>) -> StoreResult<()>;
    /// Content on the list after `after` that was added up to `before`, in the order of kinds and hashes.
    async fn condemned(
        &mut self,
        after: Option<(Kind, Hash)>,
        before: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<(Kind, Hash)>>;
    /// Takes content off the list.
    async fn unlist(&mut self, kind: Kind, hashes: &[Hash]) -> StoreResult<()>;
    /// Removes the given objects that have been on the list since this time or earlier, and takes them off the list.
    /// Returns their number.
    async fn remove_objects(&mut self, hashes: &[Hash], before: DateTime<Utc>) -> StoreResult<usize>;
    /// All revisions of all spaces, including deleted spaces, after `after`, by space and id.
    async fn revisions(&mut self, after: Option<(SpaceId, RevisionId)>, limit: usize) -> StoreResult<Vec<Revision>>;
}
