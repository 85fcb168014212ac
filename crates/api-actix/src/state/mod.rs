//! What requests share, and what a request carries from step to step: caches, limits, the table of routes, the threads for
//! long work, the caller.
pub(crate) mod cache_size;
pub(crate) mod caller;
pub(crate) mod client_address;
pub(crate) mod exchange;
pub(crate) mod rate_limits;
pub(crate) mod response_cache;
pub(crate) mod revision_cache;
pub(crate) mod route_table;
pub(crate) mod scopes;
pub(crate) mod traffic;
pub(crate) mod visitor_token;
pub(crate) mod work_pool;
