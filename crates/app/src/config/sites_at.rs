//! Where the sites of a server are.
use super::values;
use clap::Args;
use domain::site::address::{Hosting, WildcardHost};
use url::Url;

/// The settings of addresses of sites, for the server and for commands that read these addresses in pages.
#[derive(Args, Clone, Debug)]
pub(crate) struct SitesAt {
    /// The URL of docs sites: a site is at its host name, or below this URL [default: --public-url].
    ///
    /// Prefer a host of its own: browsers then keep sites apart from the API.
    #[arg(long, env = "OCTAVO_SITES_URL", value_name = "URL", value_parser = values::public_url)]
    sites_url: Option<Url>,

    /// The site at the root of --sites-url: its id or its basename [default: none].
    #[arg(long, env = "OCTAVO_ROOT_SITE", value_name = "SITE", value_parser = values::site)]
    root_site: Option<String>,

    /// The host below which each organization with a host name has one for its sites: *.docs.example.org [default:
    /// none].
    #[arg(long, env = "OCTAVO_SITES_HOST", value_name = "HOST", value_parser = values::wildcard_host)]
    sites_host: Option<WildcardHost>,
}

impl SitesAt {
    /// The URL of docs sites of a server with this URL.
    pub(crate) fn url<'u>(&'u self, public_url: &'u Url) -> &'u Url {
        self.sites_url.as_ref().unwrap_or(public_url)
    }

    /// Where the sites of a server with this URL are.
    pub(crate) fn hosting(&self, public_url: &Url) -> Hosting {
        Hosting::new(self.url(public_url), public_url, self.root_site.clone(), self.sites_host.clone())
    }
}
