//! Who is asking, and from where.
use crate::id::{TokenId, UserId};
use crate::idempotency::OnceKey;
use crate::scope::Scopes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The caller of a use case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Somebody with a token.
    User {
        /// Who it is.
        user: UserId,
        /// The token presented.
        token: TokenId,
        /// What the token opens.
        scopes: Scopes,
        /// Where a request came from that may change something; absent when no request did.
        client: Option<Arc<Client>>,
        /// The request, where it must not be done twice.
        once: Option<OnceKey>,
    },
    /// The operator at the server's own command line, who may do everything to everything.
    Operator,
    /// The server itself, at its first start and in the background. It may do everything, too.
    Server,
}

/// Which way in was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A request with a token.
    Api,
    /// The server's own command line.
    Cli,
    /// Nobody's: the server did it by itself.
    Server,
}

impl Source {
    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Cli => "cli",
            Self::Server => "server",
        }
    }
}

/// Where a request came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The address of the client, as the server and the proxies that it trusts saw it.
    pub address: String,
    /// What the client says that it is.
    pub user_agent: Option<String>,
    /// The id of the request: the one in the answer and in the log.
    pub request: String,
}

impl Actor {
    /// Somebody who works through a token without a request of their own: the server, where it works for an account.
    pub fn of(user: UserId, token: TokenId) -> Self {
        Self::User { user, token, scopes: Scopes::All, client: None, once: None }
    }

    /// The user, where there is one.
    pub fn user(&self) -> Option<&UserId> {
        match self {
            Self::User { user, .. } => Some(user),
            Self::Operator | Self::Server => None,
        }
    }

    /// What the caller's token opens; all of it where none is needed.
    pub fn scopes(&self) -> Scopes {
        match self {
            Self::User { scopes, .. } => *scopes,
            Self::Operator | Self::Server => Scopes::All,
        }
    }

    /// Where the request came from, where there is one.
    pub fn client(&self) -> Option<&Arc<Client>> {
        match self {
            Self::User { client, .. } => client.as_ref(),
            Self::Operator | Self::Server => None,
        }
    }

    /// Which way in was taken.
    pub fn source(&self) -> Source {
        match self {
            Self::User { client: Some(_), .. } => Source::Api,
            Self::User { client: None, .. } | Self::Server => Source::Server,
            Self::Operator => Source::Cli,
        }
    }
}
