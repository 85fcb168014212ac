//! The bytes of files, stored by the hash of their content.
use crate::content::object::Hash;
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};

/// Why bytes could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// No file is stored under this hash.
    #[error("no such file")]
    NotFound,
    /// The disk is full.
    #[error("no space left for files")]
    Full(#[source] std::io::Error),
    /// The disk failed or could not be reached; a retry may succeed.
    #[error("the file store is unavailable")]
    Unavailable(#[source] std::io::Error),
    /// The store failed.
    #[error("the file store failed")]
    Internal(#[source] std::io::Error),
}

/// An open file.
#[async_trait]
pub trait BlobReader: Send {
    /// Reads the next bytes; empty at the end.
    async fn chunk(&mut self) -> Result<Bytes, FilesError>;
}

/// Stores files by the BLAKE3 hash of their bytes, so the same bytes are stored only once.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Files: Send + Sync {
    /// Stores bytes durably and returns their hash. If they are already stored, only their time of storage is updated.
    async fn put(&self, bytes: Bytes) -> Result<Hash, FilesError>;
    /// The size in bytes, if the file is stored.
    async fn size(&self, hash: &Hash) -> Result<Option<u64>, FilesError>;
    /// Removes a file, unless it was stored again after `since`. Returns whether it no longer exists.
    async fn remove(&self, hash: &Hash, since: DateTime<Utc>) -> Result<bool, FilesError>;
    /// Opens `length` bytes from `start`.
    async fn open(&self, hash: &Hash, start: u64, length: u64) -> Result<Box<dyn BlobReader>, FilesError>;
}
