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
use crate::site::Site;
use crate::site::audience::SiteAudience;
use crate::site::publishing_auth::PublishingAuth;
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::sync::Arc;

/// Finds what addresses name.
#[derive(Clone)]
pub struct Urls {
    /// The sites.
    pub sites: Sites,
    /// The public address of this server.
    pub public_url: Arc<str>,
}

impl Urls {
    /// What decides who may see a site, with its publishing authentication.
    async fn audience(&self, work: &mut Work<'_>, site: &Site) -> Result<(SiteAudience, PublishingAuth), Error> {
        let stored = work.site_audiences().publishing_auth(&site.id).await?;
        let auth = stored.unwrap_or_else(|| PublishingAuth::new(site.id.clone()));
        let schema = work.site_audiences().adaptive_schema(&site.id).await?.map(|set| set.schema);
        Ok((SiteAudience::of(site, self.sites.seal.key(&auth), schema), auth))
    }
}
