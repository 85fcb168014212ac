//! The caller of a use case, and the source of the call.
use crate::id::{TokenId, UserId};
use crate::idempotency::IdempotencyKey;
use crate::scope::{ScopeSet, Scopes};
use crate::site::visitor::SiteVisitor;
use crate::token::TokenHash;
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
        /// The scopes of the token.
        scopes: Scopes,
        /// The client of a request; absent for reads and for jobs.
        client: Option<Arc<Client>>,
        /// The idempotency key of the request.
        idempotency_key: Option<IdempotencyKey>,
    },
    /// A visitor of a site with a content token. The visitor may read the content of the visit.
    Visitor(Arc<SiteVisitor>),
    /// The operator at the server's command line, who may do everything.
    Operator,
    /// The server itself, at its first start and in background jobs. It may do everything too.
    Server,
}

/// The owner of cached responses and of queued requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A user.
    User(UserId),
    /// The visitor with this content token.
    Visitor(TokenHash),
    /// The operator of the server, or the server itself.
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
    /// A user with a token but without a request: for work of the server on behalf of an account.
    pub fn of(user: UserId, token: TokenId) -> Self {
        Self::User { user, token, scopes: Scopes::All, client: None, idempotency_key: None }
    }

    /// The user, if there is one.
    pub fn user(&self) -> Option<&UserId> {
        match self {
            Self::User { user, .. } => Some(user),
            Self::Visitor(_) | Self::Operator | Self::Server => None,
        }
    }

    /// The visitor of a site, if the caller is one.
    pub fn visitor(&self) -> Option<&Arc<SiteVisitor>> {
        match self {
            Self::Visitor(visitor) => Some(visitor),
            Self::User { .. } | Self::Operator | Self::Server => None,
        }
    }

    /// Whether the caller is the server or its operator, who may do everything.
    pub fn operates(&self) -> bool {
        matches!(self, Self::Operator | Self::Server)
    }

    /// The owner of the data and work of this caller.
    pub fn owner(&self) -> Owner {
        match self {
            Self::User { user, .. } => Owner::User(user.clone()),
            Self::Visitor(visitor) => Owner::Visitor(visitor.token),
            Self::Operator | Self::Server => Owner::Server,
        }
    }

    /// The scopes of the caller's token; all if no token is needed.
    pub fn scopes(&self) -> Scopes {
        match self {
            Self::User { scopes, .. } => *scopes,
            Self::Visitor(_) => Scopes::Only(ScopeSet::OF_VISITORS),
            Self::Operator | Self::Server => Scopes::All,
        }
    }

    /// The client of the request, if there is one.
    pub fn client(&self) -> Option<&Arc<Client>> {
        match self {
            Self::User { client, .. } => client.as_ref(),
            Self::Visitor(_) | Self::Operator | Self::Server => None,
        }
    }

    /// The source of the call.
    pub fn source(&self) -> Source {
        match self {
            Self::User { client: Some(_), .. } | Self::Visitor(_) => Source::Api,
            Self::User { client: None, .. } | Self::Server => Source::Server,
            Self::Operator => Source::Cli,
        }
    }
}
