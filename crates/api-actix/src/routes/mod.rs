//! The operations: each takes the parts of the request, calls one use case, and presents what that returns.
mod content;
mod links;
mod organizations;
mod reading;
mod registry;
mod revisions;
mod search;
mod spaces;
mod system;
mod users;

pub(crate) use registry::ServiceConfig;

/// What the path of every operation begins with.
pub(crate) const BASE: &str = "/v1";

/// Every operation; their paths follow [`BASE`].
pub(crate) fn configure(config: &mut ServiceConfig) {
    system::configure(config);
    users::configure(config);
    organizations::configure(config);
    spaces::configure(config);
    search::configure(config);
    content::configure(config);
    links::configure(config);
    revisions::configure(config);
}
