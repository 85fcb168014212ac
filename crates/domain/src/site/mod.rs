//! Docs sites: what decides who may see a site.
pub mod adaptive_schema;
pub mod audience;
pub mod condition;
pub mod publishing_auth;
pub mod share_link;
pub mod visitor_token;
