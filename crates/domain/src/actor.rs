//! Who is asking.
use crate::id::{TokenId, UserId};
use crate::idempotency::OnceKey;

/// The caller of a use case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Somebody with a token.
    User {
        /// Who it is.
        user: UserId,
        /// The token presented.
        token: TokenId,
        /// The request, where it must not be done twice.
        once: Option<OnceKey>,
    },
    /// The operator at the server's own command line, who may do everything to everything.
    Operator,
}

impl Actor {
    /// The user, where there is one.
    pub fn user(&self) -> Option<&UserId> {
        match self {
            Self::User { user, .. } => Some(user),
            Self::Operator => None,
        }
    }
}
