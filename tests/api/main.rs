//! The behaviour of the API over HTTP. Every case runs on both databases.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the case")]

mod access;
mod authentication;
mod bad_input;
mod conditions;
mod content;
mod files;
mod links;
mod openapi;
mod organizations;
mod rate_limits;
mod revisions;
mod search;
mod spaces;
