//! State of requests: the keys of caches, the table of routes, the caller.
pub(crate) mod caller;
pub(crate) mod revision_cache;
pub(crate) mod route_table;
pub(crate) mod scopes;
pub(crate) mod visitor_token;
