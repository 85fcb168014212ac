//! The behaviour of the API over HTTP. Every case runs on both databases.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the case")]

mod access;
mod at_once;
mod audit;
mod authentication;
mod bad_input;
mod change_request_content;
mod change_requests;
mod collections;
mod conditions;
mod conflicts;
mod content;
mod crowds;
mod deletion;
mod duplicates;
mod files;
mod idempotency;
mod invites;
mod joining;
mod links;
mod meanwhile;
mod members;
mod merging;
mod openapi;
mod organizations;
mod permissions;
mod purge;
mod rate_limits;
mod reviews;
mod revisions;
mod scopes;
mod search;
mod spaces;
mod teams;
mod tokens;
mod users;
