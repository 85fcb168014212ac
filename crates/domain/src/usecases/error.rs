//! Errors of use cases.
use crate::access::Denied;
use crate::ports::{FilesError, MailError, StoreError};
use crate::text::Invalid;

/// Why a use case failed. Nothing was changed, unless the outcome of a commit is unknown ([`StoreError::Unknown`]).
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
    /// A value that is too long (413).
    #[error(transparent)]
    TooLarge(Invalid),
    /// The current state does not allow the operation (409).
    #[error("{0}")]
    Conflict(String),
    /// The caller's precondition failed (412).
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
    /// This server is not configured for it; another server of the instance may be.
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
    /// Whether storage or another system is unavailable (503). A later retry may succeed.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Store(error) => {
                matches!(error, StoreError::Unavailable(_) | StoreError::Contended(_) | StoreError::Unknown(_))
            }
            Self::Files(error) => matches!(error, FilesError::Unavailable(_)),
            Self::Mail(_) | Self::Engine(_) | Self::Unable(_) => true,
            _ => false,
        }
    }

    /// Whether no space is left for the database or for files (507).
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Store(StoreError::Full(_)) | Self::Files(FilesError::Full(_)))
    }

    /// Whether a concurrent change aborted the unit of work: the same request can succeed at once.
    pub fn is_retryable_at_once(&self) -> bool {
        matches!(self, Self::Store(StoreError::Contended(_)))
    }

    /// Whether a retry soon may succeed: the database or the file store is temporarily unavailable.
    pub fn is_retryable(&self) -> bool {
        let storage = matches!(self, Self::Store(_) | Self::Files(FilesError::Unavailable(_)));
        storage && (self.is_unavailable() || self.is_full())
    }

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
