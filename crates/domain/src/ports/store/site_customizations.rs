//! The customization of docs sites.
use super::StoreResult;
use crate::id::{SiteId, SiteSpaceId};
use crate::site::customization::{Customized, SiteCustomizations};
use async_trait::async_trait;

/// Stores the customization overrides of sites and of the spaces on them. They are removed with the sites and spaces.
/// Before writing, a caller must lock the site.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SiteCustomizationStore: Send {
    /// The overrides of a site and of the spaces on it; with `spaces`, of those spaces only.
    async fn load<'a>(&mut self, site: &SiteId, spaces: Option<&'a [SiteSpaceId]>) -> StoreResult<SiteCustomizations>;
    /// Inserts or replaces the overrides of a site, or of a space on it.
    async fn save<'a>(
        &mut self,
        site: &SiteId,
        space: Option<&'a SiteSpaceId>,
        customized: &Customized,
    ) -> StoreResult<()>;
    /// Removes the overrides of a space on a site.
    async fn remove(&mut self, site: &SiteId, space: &SiteSpaceId) -> StoreResult<()>;
}
