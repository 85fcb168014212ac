//! Errors of use cases.
use crate::access::Denied;
use crate::ports::{FilesError, MailError, StoreError};
use crate::text::Invalid;

/// Why a use case failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no token, or it is not valid (401).
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// The object does not exist, or the caller may not see it (404).
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The caller may see the object but not do this (403).
    #[error("{0}")]
    Forbidden(String),
    /// A value that breaks a rule (400).
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The current state does not allow the operation (409).
    #[error("{0}")]
    Conflict(String),
    /// The caller's precondition does not hold (412).
    #[error("{0}")]
    PreconditionFailed(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// An e-mail was not sent.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// This server is not set up for it; another one of the instance may be.
    #[error("this server does not {0}")]
    Unable(&'static str),
    /// An engine cannot be used.
    #[error("{0}")]
    Engine(String),
    /// Stored content is damaged, or there is a bug.
    #[error("stored content cannot be read: {0}")]
    Corrupt(String),
}

impl Error {
    /// The error for a denied access to an object called `what`.
    pub(crate) fn denied(what: &'static str) -> impl FnOnce(Denied) -> Self {
        move |denied| match denied {
            Denied::Hidden => Self::NotFound(what),
            Denied::Forbidden => {
                Self::Forbidden(format!("you can see this {what}, but you lack the permission for this operation"))
            }
        }
    }
}
