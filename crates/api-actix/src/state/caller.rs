//! The authenticated caller of a request.
use crate::answer::error::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use chrono::{DateTime, Utc};
use domain::actor::{Actor, Client};
use domain::id::TokenId;
use domain::token::TokenHash;
use domain::usecases::Error;
use http_server::{AsOf, Expiring, Network, RequestId, client_address, user_agent};
use std::future::{Ready, ready};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) actor: Actor,
    /// When the caller's token expires.
    pub(crate) expires_at: Option<DateTime<Utc>>,
    /// The state of the database before the request was handled, for a request that only reads.
    pub(crate) as_of: Option<AsOf>,
}

impl Caller {
    /// Adds the client's address, user agent and request id to the actor, for the audit log.
    pub(crate) fn note_client(&mut self, request: &HttpRequest, trusted_proxies: &[Network]) {
        let found = request.extensions();
        if let (Actor::User { client, .. }, Some(RequestId(id))) = (&mut self.actor, found.get::<RequestId>()) {
            *client = Some(Arc::new(Client {
                address: client_address(request, trusted_proxies).to_string(),
                user_agent: user_agent(request),
                request: id.clone(),
            }));
        }
    }
}

/// The credential of a request, as the key of its rate limit.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Bearer {
    /// An API token.
    Token(TokenId),
    /// A content token.
    Content(TokenHash),
}

impl Bearer {
    /// The credential of the caller; `None` for the operator and the server.
    pub(crate) fn of(actor: &Actor) -> Option<Self> {
        match actor {
            Actor::User { token, .. } => Some(Self::Token(token.clone())),
            Actor::Visitor(visitor) => Some(Self::Content(visitor.token)),
            Actor::Operator | Actor::Server => None,
        }
    }
}

impl std::ops::Deref for Caller {
    type Target = Actor;
    fn deref(&self) -> &Actor {
        &self.actor
    }
}

impl Expiring for Caller {
    fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.expires_at
    }
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = request.extensions().get::<Self>().cloned();
        ready(caller.ok_or_else(|| Error::Unauthenticated(NO_TOKEN).into()))
    }
}

/// The error of a request without a token.
pub(crate) const NO_TOKEN: &str = "send a token: Authorization: Bearer <token>";
