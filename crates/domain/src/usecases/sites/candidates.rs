//! The candidates of an address: the addresses of sites that it may be.
use super::Sites;
use crate::ports::store::site_addresses::LocatedSite;
use crate::site::Site;
use crate::site::address::{Key, SiteCandidate};
use crate::usecases::Error;
use crate::usecases::work::Work;
use url::Url;

/// A candidate, with its site if that was looked up together with those of others.
pub(super) struct Candidate<'a> {
    pub(super) address: SiteCandidate<'a>,
    pub(super) site: Option<LocatedSite>,
}

impl Candidate<'_> {
    /// The site, whether it is published or not.
    pub(super) async fn locate(&self, work: &mut Work<'_>) -> Result<Option<Site>, Error> {
        let found = match &self.site {
            Some(found) => Some(found.clone()),
            None => work.site_addresses().locate(&self.address.key).await?,
        };
        Ok(found.map(|found| found.site))
    }
}

impl Sites {
    /// The candidates of an address, in the order in which to try them.
    ///
    /// An address at a host of its own can be that of the site with this host name, or of a site that is behind a proxy
    /// at the path or above it. One statement looks up all of them, and those without a site are left out.
    pub(super) async fn candidates<'a>(&self, work: &mut Work<'_>, url: &'a Url) -> Result<Vec<Candidate<'a>>, Error> {
        let all = self.hosting.read_url(url);
        let hostname = all.iter().find_map(|one| match &one.key {
            Key::Hostname(host) => Some(host.clone()),
            _ => None,
        });
        let proxies: Vec<String> = all.iter().filter_map(|one| proxy(&one.key).map(str::to_owned)).collect();
        let (Some(hostname), false) = (hostname, proxies.is_empty()) else {
            return Ok(all.into_iter().map(|address| Candidate { address, site: None }).collect());
        };
        let found = work.site_addresses().locate_at_host(&hostname, &proxies).await?;
        let with_site = |address: SiteCandidate<'a>| {
            let site = found.iter().find(|found| is_at(&found.site, &address.key)).cloned();
            site.map(|site| Candidate { address, site: Some(site) })
        };
        Ok(all.into_iter().filter_map(with_site).collect())
    }
}

/// The proxy in a key.
fn proxy(key: &Key) -> Option<&str> {
    match key {
        Key::Proxy(proxy) => Some(proxy),
        _ => None,
    }
}

/// Whether a site has the host name or the proxy in a key.
fn is_at(site: &Site, key: &Key) -> bool {
    match key {
        Key::Hostname(host) => site.hostname.as_ref().is_some_and(|own| own.as_str() == host),
        Key::Proxy(proxy) => site.proxy.as_ref().is_some_and(|own| own.as_str() == proxy),
        _ => false,
    }
}
