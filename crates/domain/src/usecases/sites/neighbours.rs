//! The published sites of the instance that share an origin or a host.
use super::{ShownSite, Sites};
use crate::access::Granted;
use crate::actor::Actor;
use crate::organization::Organization;
use crate::site::address::{Hosting, Key};
use crate::site::isolation::{Isolation, exposed, is_exposed, is_exposed_by_host};
use crate::site::{Site, SiteVisibility};
use crate::usecases::Error;
use crate::usecases::work::Work;
use url::Url;

/// The actor that reads all sites.
static SERVER: Actor = Actor::Server;
/// The most sites that a host lists: search engines read no longer lists.
const MAX_LISTED: usize = 2_000;

impl Sites {
    /// The canonical addresses of the public sites at a host, oldest first.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn public_at(&self, host: &str) -> Result<Vec<String>, Error> {
        let mut work = self.units.read(&SERVER).await?;
        let all = work.sites().published().await?;
        let public = all.into_iter().filter(|(_, site)| site.visibility == SiteVisibility::Public);
        let addresses = public.map(|(_, site)| self.hosting.canonical(site.located()).to_string());
        let here = |address: &String| Url::parse(address).is_ok_and(|url| url.host_str() == Some(host));
        Ok(addresses.filter(here).take(MAX_LISTED).collect())
    }

    /// The private sites that share their origin with a site of another organization: their basenames.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn exposed(&self) -> Result<Vec<String>, Error> {
        let mut work = self.units.read(&SERVER).await?;
        let all = work.sites().published().await?;
        Ok(exposed(&self.hosting, &all).into_iter().map(|site| site.basename.to_string()).collect())
    }

    /// The id or the basename of the site at the root, as in the settings, if there is no such site.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn missing_root(&self) -> Result<Option<&str>, Error> {
        let Some(root) = self.hosting.root() else { return Ok(None) };
        let mut work = self.units.read(&SERVER).await?;
        let found = work.site_addresses().locate(&Key::Root(root.to_owned())).await?;
        Ok(found.is_none().then_some(root))
    }

    /// Refuses a published site if it would expose a private site, and the operator forbids that.
    pub(super) async fn check_isolation(&self, work: &mut Work<'_>, site: &Site) -> Result<(), Error> {
        if self.hosting.isolation() == Isolation::Strict && self.shares_origin(work, site).await? {
            return Err(Error::Conflict(
                "a private site would share its origin with a site of another organization: give the site a hostname, or \
                 set OCTAVO_SITES_HOST and a hostname of the organization"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    async fn shares_origin(&self, work: &mut Work<'_>, site: &Site) -> Result<bool, Error> {
        let Some(location) = work.site_location(site).await? else { return Ok(false) };
        let all = work.sites().published().await?;
        Ok(is_exposed(&self.hosting, (&site.organization, &location), &all))
    }

    /// Adds whether a private site shares its origin.
    pub(super) async fn with_exposure(&self, work: &mut Work<'_>, shown: ShownSite) -> Result<ShownSite, Error> {
        let site: &Granted<Site> = &shown.site;
        let exposed = !site.visibility.is_open() && site.permissions().admin && self.shares_origin(work, site).await?;
        Ok(ShownSite { exposed, ..shown })
    }
}

impl Work<'_> {
    /// Refuses a new host name of an organization if it would expose a private site, and the operator forbids that. The
    /// organization must be saved; `before` is the one that it was.
    ///
    /// # Errors
    /// [`Error::Conflict`].
    pub(in crate::usecases) async fn check_host_of_organization(
        &mut self,
        hosting: &Hosting,
        before: &Organization,
    ) -> Result<(), Error> {
        if hosting.isolation() != Isolation::Strict {
            return Ok(());
        }
        let all = self.sites().published().await?;
        if is_exposed_by_host(hosting, (&before.id, before.hostname.as_deref()), &all) {
            let rule = "hostname: a private site would share its origin with a site of another organization";
            return Err(Error::Conflict(rule.to_owned()));
        }
        Ok(())
    }
}
