//! The operations. Each handler extracts the parts of the request, calls one use case, and presents its result.
mod audit;
mod change_request_content;
mod change_requests;
mod collections;
mod comments;
mod computed;
mod content;
mod conversations;
mod glossary;
pub(crate) mod health;
mod invites;
mod joining;
mod links;
mod long_work;
mod members;
mod notifications;
mod openapi_details;
mod openapi_specs;
mod organizations;
mod permissions;
mod reading;
mod registry;
mod reviews;
mod revisions;
mod search;
mod sites;
mod spaces;
mod system;
mod teams;
mod tokens;
mod translations;
mod urls;
mod users;
mod webhooks;
pub(crate) mod welcome;

use long_work::{at_length, at_length_if};
pub(crate) use registry::ServiceConfig;

/// The common path prefix of all operations.
pub(crate) const BASE: &str = "/v1";

/// Adds every operation to a worker of a server.
pub(crate) fn serve(config: &mut actix_web::web::ServiceConfig) {
    let mut routes = ServiceConfig::Server(registry::Routing::new(config));
    configure(&mut routes);
    if let ServiceConfig::Server(routing) = routes {
        routing.finish();
    }
}

/// Adds every operation. Their paths are relative to [`BASE`].
pub(crate) fn configure(config: &mut ServiceConfig) {
    system::configure(config);
    users::configure(config);
    tokens::configure(config);
    organizations::configure(config);
    joining::configure(config);
    invites::configure(config);
    members::configure(config);
    teams::configure(config);
    collections::configure(config);
    spaces::configure(config);
    sites::configure(config);
    urls::configure(config);
    permissions::configure(config);
    search::configure(config);
    content::configure(config);
    computed::configure(config);
    links::configure(config);
    revisions::configure(config);
    change_requests::configure(config);
    change_request_content::configure(config);
    reviews::configure(config);
    comments::configure(config);
    notifications::configure(config);
    conversations::configure(config);
    openapi_specs::configure(config);
    openapi_details::configure(config);
    audit::configure(config);
    webhooks::configure(config);
    translations::configure(config);
    glossary::configure(config);
}
