//! What callers send, taken from the connection at once and looked at only by the use case, once the right to send
//! it is shown ([`domain::usecases::Input`]).
mod body;
mod json;
mod query;

pub(crate) use body::{Body, LARGEST_BODY, collect, refuse_announced};
#[cfg(test)]
pub(crate) use json::read as read_json;
#[cfg(test)]
pub(crate) use query::read as read_query;
pub(crate) use query::{Query, pairs};

use domain::text::Invalid;

/// A form in which something is sent, and what it means.
pub(crate) trait Wire: serde::de::DeserializeOwned {
    /// The most bytes of it that are read.
    const MAX_BODY: usize = body::MAX_BODY;
    /// What it means to the domain.
    type Command: Send + 'static;
    /// Checks every field against the rule of its type.
    ///
    /// # Errors
    /// The first field that breaks a rule.
    fn command(self) -> Result<Self::Command, Invalid>;
}
