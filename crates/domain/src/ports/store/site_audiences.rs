//! Share links, publishing authentication and adaptive schemas of docs sites.
use super::StoreResult;
use crate::id::{ShareLinkId, SiteId};
use crate::site::adaptive_schema::SiteAdaptiveSchema;
use crate::site::publishing_auth::PublishingAuth;
use crate::site::share_link::ShareLink;
use crate::token::TokenHash;
use async_trait::async_trait;

/// Stores the share links, the publishing authentication and the adaptive schemas of sites. The lock of the site covers
/// them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SiteAudienceStore: Send {
    /// The share links of a site by id, so the oldest first.
    async fn share_links(&mut self, site: &SiteId) -> StoreResult<Vec<ShareLink>>;
    /// A share link of a site.
    async fn share_link(&mut self, site: &SiteId, id: &ShareLinkId) -> StoreResult<Option<ShareLink>>;
    /// The share link of a key, of any site.
    async fn share_link_of_key(&mut self, hash: &TokenHash) -> StoreResult<Option<ShareLink>>;
    /// Adds or updates a share link.
    async fn save_share_link(&mut self, link: &ShareLink) -> StoreResult<()>;
    /// Removes a share link.
    async fn remove_share_link(&mut self, site: &SiteId, id: &ShareLinkId) -> StoreResult<()>;
    /// The publishing authentication of a site; `None` if none was set.
    async fn publishing_auth(&mut self, site: &SiteId) -> StoreResult<Option<PublishingAuth>>;
    /// Sets the publishing authentication of a site.
    async fn save_publishing_auth(&mut self, auth: &PublishingAuth) -> StoreResult<()>;
    /// The adaptive schema of a site.
    async fn adaptive_schema(&mut self, site: &SiteId) -> StoreResult<Option<SiteAdaptiveSchema>>;
    /// Sets the adaptive schema of a site.
    async fn save_adaptive_schema(&mut self, site: &SiteId, schema: &SiteAdaptiveSchema) -> StoreResult<()>;
}
