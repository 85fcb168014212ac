//! The operations: each takes the parts of the request, calls one use case, and presents what that returns.
mod content;
mod links;
mod organizations;
mod reading;
mod revisions;
mod search;
mod spaces;
mod system;
mod users;

use utoipa_actix_web::service_config::ServiceConfig;

/// Every operation below `/v1`.
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
