//! The HTTP interface of the domain: routes, wire formats, errors and the OpenAPI document.
//!
//! A request comes from the crate `http-server`, which has the connections and the telemetry. Below `/v1` it passes
//! `pipeline` (authentication, idempotency). A handler in `routes` extracts the parts of the request, calls one
//! use case and presents its result.
//!
//! Errors are checked in this order, the same for every operation: path (404) and method (405); token (401); rate limit
//! (429); scopes of the token (403); size and media type of the body (413, 415), since these rules are the same for
//! every object; then, in the use case, whether the caller may see the object (404), the caller's right (403), the
//! query and the body (400), and the state (409, 412). For a large text of an OpenAPI spec, the right
//! is checked before the body is received.
mod answer;
mod api;
mod files;
mod openapi;
mod pipeline;
mod request;
mod routes;
mod settings;
mod state;
#[cfg(test)]
mod tests;
mod wire;

pub use answer::links::mail_links;
pub use api::Api;
pub use openapi::{declared_errors, openapi_document, reference_document};
pub use pipeline::app;
pub use settings::Settings;
