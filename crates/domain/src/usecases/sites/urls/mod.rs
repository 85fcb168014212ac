//! Resolves URLs: to the content that a visitor of a site gets, to objects of the application, and to organizations by
//! host name.
mod content;
mod content_tokens;
mod preview;
mod published;
mod subdomain;

pub use content::{NamedContent, NamedPage};
pub use preview::PreviewQuery;
pub use published::{PublishedContent, PublishedQuery, PublishedUrl, RedirectTarget};
pub use subdomain::Subdomain;

use super::Sites;
use std::sync::Arc;

/// Resolves URLs.
#[derive(Clone)]
pub struct Urls {
    /// The sites.
    pub sites: Sites,
    /// The public address of this server.
    pub public_url: Arc<str>,
}
