//! Content that may have nobody left who holds it.
use super::StoreResult;
use crate::content::object::Hash;
use crate::content::revision::Revision;
use crate::id::{RevisionId, SpaceId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// What content is condemned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An object.
    Object,
    /// The bytes of a file.
    File,
}

impl Kind {
    /// The word for it, as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::File => "file",
        }
    }
}

/// Keeps the list of condemned content: what was held by a space that was purged, and what was stored before the revision
/// that is to name it. Content on it is removed, unless a revision is found that holds it, or somebody stores it again
/// ([`super::ContentStore::put_objects`] takes objects off the list). See `docs/decisions/0014-content-is-condemned-before-it-is-collected.md`.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GarbageStore: Send {
    /// Puts content on the list. What is on it already keeps its time.
    async fn condemn(&mut self, kind: Kind, hashes: &[Hash], at: DateTime<Utc>) -> StoreResult<()>;
    /// The content after `after` on the list that was put there by `before`, in the order of kinds and hashes.
    async fn condemned(
        &mut self,
        after: Option<(Kind, Hash)>,
        before: DateTime<Utc>,
        limit: usize,
    ) -> StoreResult<Vec<(Kind, Hash)>>;
    /// Takes content off the list.
    async fn spare(&mut self, kind: Kind, hashes: &[Hash]) -> StoreResult<()>;
    /// Removes those of these objects that are still on the list, and takes them off it. Says how many.
    async fn remove_objects(&mut self, hashes: &[Hash]) -> StoreResult<usize>;
    /// All revisions of all spaces, deleted spaces too, after `after` by space and id.
    async fn revisions(&mut self, after: Option<(SpaceId, RevisionId)>, limit: usize) -> StoreResult<Vec<Revision>>;
}
