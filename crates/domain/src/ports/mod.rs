//! What the use cases need from the outside, as traits: storage, files, time, ids and secrets.
pub mod files;
pub mod store;
pub mod system;
#[cfg(any(test, feature = "mocks"))]
pub mod testing;

pub use files::{BlobReader, Files, FilesError};
pub use store::{Store, StoreError, StoreResult, Tx};
pub use system::{Clock, Ids, Secrets};
