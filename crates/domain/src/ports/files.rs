//! The bytes of files, by the hash of their content.
use crate::content::object::Hash;
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};

/// Why bytes could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// Nothing is stored under this hash.
    #[error("no such file")]
    NotFound,
    /// No room is left.
    #[error("no space left for files")]
    Full(#[source] std::io::Error),
    /// The disk failed, or could not be reached: trying again later may help.
    #[error("the file store is unavailable")]
    Unavailable(#[source] std::io::Error),
    /// The store failed.
    #[error("the file store failed")]
    Internal(#[source] std::io::Error),
}

/// A stored file that is being read.
#[async_trait]
pub trait BlobReader: Send {
    /// Reads on; empty at the end.
    async fn chunk(&mut self) -> Result<Bytes, FilesError>;
}

/// Stores files by the BLAKE3 hash of their bytes: the same bytes are stored once, whoever brings them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Files: Send + Sync {
    /// Stores bytes durably; a second time only notes that they are wanted again. Returns their hash.
    async fn put(&self, bytes: Bytes) -> Result<Hash, FilesError>;
    /// The size in bytes, when stored.
    async fn size(&self, hash: &Hash) -> Result<Option<u64>, FilesError>;
    /// Removes bytes, unless somebody stored them after `since`. Says whether they are gone now.
    async fn remove(&self, hash: &Hash, since: DateTime<Utc>) -> Result<bool, FilesError>;
    /// Opens `length` bytes from `start`.
    async fn open(&self, hash: &Hash, start: u64, length: u64) -> Result<Box<dyn BlobReader>, FilesError>;
}
