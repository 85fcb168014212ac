//! Request input. It is received first, and parsed by the use case only after the caller's right is established
//! ([`domain::usecases::Input`]).
mod body;
pub(crate) mod if_match;
mod json;
pub(crate) mod paging;
mod place_of_error;
mod query;
mod strict;
mod tracked;

pub(crate) use body::{Body, SHORT_BODY, receive};
pub(crate) use json::read as read_json;
#[cfg(test)]
pub(crate) use json::read_body;
#[cfg(test)]
pub(crate) use query::read as read_query;
pub(crate) use query::{Query, pairs};
pub(crate) use strict::strictly;

use domain::text::Invalid;

/// The wire format of an input, and the command it converts to.
pub(crate) trait Wire: serde::de::DeserializeOwned {
    /// The maximum size in bytes. More than [`http_server::LARGEST_BODY`] needs [`http_server::Room`].
    const MAX_BODY: usize = body::MAX_BODY;
    /// Whether a body may also be a list.
    const MAY_BE_LIST: bool = false;
    /// The command for the use case.
    type Command: Send + 'static;
    /// Validates every field and converts the input.
    ///
    /// # Errors
    /// The first field that breaks a rule.
    fn command(self) -> Result<Self::Command, Invalid>;
}
