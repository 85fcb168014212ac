//! What addresses name: the content that a visitor reads at the address of a site, the objects of the application, and
//! the host names of organizations.
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

/// Finds what addresses name.
#[derive(Clone)]
pub struct Urls {
    /// The sites.
    pub sites: Sites,
    /// The public address of this server.
    pub public_url: Arc<str>,
}
