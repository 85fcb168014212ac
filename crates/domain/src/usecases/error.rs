//! Why a use case did not do what was asked.
use crate::access::Denied;
use crate::ports::{FilesError, StoreError};
use crate::text::Invalid;

/// Why a use case stopped. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No token, or one that opens nothing (401).
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// Something that is not there, or that the caller may not know of (404).
    #[error("{0} not found")]
    NotFound(&'static str),
    /// Something the caller may see but not do (403).
    #[error("{0}")]
    Forbidden(String),
    /// A value that breaks a rule (400).
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Something that stands in the way at this moment (409).
    #[error("{0}")]
    Conflict(String),
    /// The object is not in the state that the caller said it must be in (412).
    #[error("{0}")]
    PreconditionFailed(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Stored content is damaged, or a fault of ours.
    #[error("stored content cannot be read: {0}")]
    Corrupt(String),
}

impl Error {
    /// What a denial means for something called `what`.
    pub(crate) fn denied(what: &'static str) -> impl FnOnce(Denied) -> Self {
        move |denied| match denied {
            Denied::Hidden => Self::NotFound(what),
            Denied::Forbidden => Self::Forbidden(format!("you can see this {what}, but you lack the permission for this operation")),
        }
    }
}
