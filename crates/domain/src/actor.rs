//! The caller of a use case, and the source of the call.
use crate::id::{TokenId, UserId};
use crate::idempotency::OnceKey;
use crate::scope::Scopes;
use crate::words;
use std::sync::Arc;

/// The caller of a use case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A user with a token.
    User {
        /// The user.
        user: UserId,
        /// The token of the request.
        token: TokenId,
        /// What the token may do.
        scopes: Scopes,
        /// The client of a request that may change something; absent if there is no such request.
        client: Option<Arc<Client>>,
        /// The idempotency key of the request.
        once: Option<OnceKey>,
    },
    /// The operator at the server's command line, who may do everything.
    Operator,
    /// The server itself, at its first start and in the background. It may do everything too.
    Server,
}

words! {
    /// The source of a call.
    pub enum Source {
        /// A request with a token.
        Api = "api",
        /// The server's own command line.
        Cli = "cli",
        /// The server itself.
        Server = "server",
    }
}

/// The client of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The address of the client, as seen by the server and its trusted proxies.
    pub address: String,
    /// The `User-Agent` header.
    pub user_agent: Option<String>,
    /// The id of the request, as in the response and in the log.
    pub request: String,
}

impl Actor {
    /// A user with a token but without a request: the server, when it works for an account.
    pub fn of(user: UserId, token: TokenId) -> Self {
        Self::User { user, token, scopes: Scopes::All, client: None, once: None }
    }

    /// The user, if there is one.
    pub fn user(&self) -> Option<&UserId> {
        match self {
            Self::User { user, .. } => Some(user),
            Self::Operator | Self::Server => None,
        }
    }

    /// What the caller's token may do; everything if no token is needed.
    pub fn scopes(&self) -> Scopes {
        match self {
            Self::User { scopes, .. } => *scopes,
            Self::Operator | Self::Server => Scopes::All,
        }
    }

    /// The client of the request, if there is one.
    pub fn client(&self) -> Option<&Arc<Client>> {
        match self {
            Self::User { client, .. } => client.as_ref(),
            Self::Operator | Self::Server => None,
        }
    }

    /// The source of the call.
    pub fn source(&self) -> Source {
        match self {
            Self::User { client: Some(_), .. } => Source::Api,
            Self::User { client: None, .. } | Self::Server => Source::Server,
            Self::Operator => Source::Cli,
        }
    }
}
