//! Serves published sites to their visitors, as a second driver of the domain beside the API.
//!
//! A request comes from the crate `http-server`. It is parsed once ([`address`] and [`request`]), and the domain checks
//! the access of the visitor (`domain::usecases::SiteReader`); everything that the response shows comes from that visit.
//! The crate `site-html` renders it. This crate makes no access decisions.
mod address;
mod answer;
mod auth;
mod cookies;
mod driver;
mod error;
mod export;
mod external;
mod fast_path;
mod favicon;
mod feedback;
mod files;
mod full_text;
mod guard;
mod handler;
mod machine;
mod mcp;
mod packed_article;
mod pages;
mod pictures;
mod policy;
mod print;
mod reference;
mod render_cache;
mod request;
mod schemas;
mod settings;
mod site;
mod speculation;

pub use error::SiteError;
pub use export::{ExportedSite, SiteExport, export};
pub use fast_path::CachedPages;
pub use handler::dispatch;
pub use settings::{FEEDBACK_PER_MINUTE, SEARCHES_PER_MINUTE, SiteSettings};
pub use site::SiteServer;
