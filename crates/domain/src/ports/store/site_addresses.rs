//! The look-up of sites by address, and their redirects.
use super::StoreResult;
use crate::id::{SiteId, SiteRedirectId};
use crate::paging::{Page, PageRequest};
use crate::site::Site;
use crate::site::address::Key;
use crate::site::history::FormerName;
use crate::site::path::Basename;
use crate::site::redirect::{RedirectFilter, RedirectSource, SiteRedirect};
use async_trait::async_trait;

/// A site that was found by its address.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedSite {
    /// The site, published or not.
    pub site: Site,
    /// The host name of its organization.
    pub organization_host: Option<String>,
}

/// Finds sites by their addresses, and stores the former names of sites and of their parts. The lock of a site covers
/// its former names.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SiteAddressStore: Send {
    /// The site of an address: the one that has the name, or else the one that last had it.
    async fn locate(&mut self, key: &Key) -> StoreResult<Option<LocatedSite>>;
    /// The sites that have this host name or one of these proxies, in any order.
    async fn locate_at_host(&mut self, hostname: &str, proxies: &[String]) -> StoreResult<Vec<LocatedSite>>;
    /// Adds former names of a site or its parts. If two had the same name, the later one is kept.
    async fn record_former_names(&mut self, site: &SiteId, names: &[FormerName]) -> StoreResult<()>;
    /// The former names of the parts of a site, without basenames.
    async fn former_names(&mut self, site: &SiteId) -> StoreResult<Vec<FormerName>>;
    /// The former basenames that begin with this one.
    async fn former_basenames(&mut self, beginning: &str) -> StoreResult<Vec<Basename>>;
    /// Removes a former basename, because a site has it now.
    async fn remove_former_basename(&mut self, name: &Basename) -> StoreResult<()>;
}

/// Stores the redirects of sites. The lock of a site covers its redirects.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SiteRedirectStore: Send {
    /// A redirect of a site.
    async fn find(&mut self, site: &SiteId, id: &SiteRedirectId) -> StoreResult<Option<SiteRedirect>>;
    /// The redirects of a site, or its drafts, with these sources.
    async fn with_sources(
        &mut self,
        site: &SiteId,
        draft: bool,
        sources: &[RedirectSource],
    ) -> StoreResult<Vec<SiteRedirect>>;
    /// Redirects of a site.
    async fn list(
        &mut self,
        site: &SiteId,
        filter: &RedirectFilter,
        page: &PageRequest,
    ) -> StoreResult<Page<SiteRedirect>>;
    /// The number of redirects of a site, with drafts.
    async fn count(&mut self, site: &SiteId) -> StoreResult<usize>;
    /// Adds or updates redirects of a site. Each must occur once.
    async fn save(&mut self, site: &SiteId, redirects: &[SiteRedirect]) -> StoreResult<()>;
    /// Removes redirects of a site.
    async fn remove(&mut self, site: &SiteId, ids: &[SiteRedirectId]) -> StoreResult<()>;
}
