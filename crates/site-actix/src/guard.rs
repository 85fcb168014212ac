//! Which requests are for sites.
use crate::address::Address;
use crate::reference;
use crate::site::SiteServer;
use actix_http::Request;
use actix_web::web::Data;
use domain::site::address::{Incoming, Key};
use domain::site::path::Reserved;
use http_server::is_refused;
use url::{Host, Url};

/// Whether a request is for this driver, and not for the API: for a site, or for the reference of the API. The address
/// of a request for this driver becomes an extension of the request, so that it is parsed once.
pub(crate) fn serves(server: Data<SiteServer>, request: &Request) -> impl Future<Output = bool> + use<> {
    // The API reports the errors of bytes that are not a request, as its documentation says.
    let address = Address::parse(&server, request.head()).filter(|_| !is_refused(request));
    if let Some(address) = &address {
        address.store(request);
    }
    async move {
        let Some(Address { url, is_of_site, has_reference_path }) = address else { return false };
        decide(&server, &url, is_of_site).await || has_reference_path
    }
}

/// Whether an address is of the reference of the API. No address of a site is.
pub(crate) async fn is_reference(server: &SiteServer, url: &Url) -> bool {
    reference::path(server, url).is_some() && !decide(server, url, of_site(server, url)).await
}

/// Whether an address is of no site, whichever sites there are: `/docs` beside a site at the root.
pub(crate) fn is_plainly_of_server(server: &SiteServer, url: &Url) -> bool {
    of_site(server, url) == Some(false)
}

/// Whether an address is of a site, with what [`of_site`] knows. A host that no site has is for the driver of sites,
/// which refuses it, unless the path is of the API or the host is an IP address: health checks do not know the host
/// name.
async fn decide(server: &SiteServer, url: &Url, is_of_site: Option<bool>) -> bool {
    match is_of_site {
        Some(known) => known,
        None => has_host(server, url).await || !is_of_server(first(url)),
    }
}

/// The path where a proxy checks whether a host name belongs to a site, before it requests a certificate for it:
/// `~hostname?domain=…` below the address of all sites.
const CHECK: &str = "/~hostname";
/// The parameter with the host name.
const DOMAIN: &str = "domain";

/// The host name that a proxy checks; `None` for all other requests.
pub(crate) fn checked_host(server: &SiteServer, url: &Url) -> Option<Url> {
    if url.host() != server.settings.sites_url.host() || path_inside(server, url) != CHECK {
        return None;
    }
    let (_, domain) = url.query_pairs().find(|(name, _)| name == DOMAIN)?;
    let named = Url::parse(&format!("http://{domain}/")).ok()?;
    let is_plain =
        named.path() == "/" && named.query().is_none() && named.port().is_none() && named.username().is_empty();
    is_plain.then_some(named)
}

/// The rules of a host for search engines.
const ROBOTS: &str = "/robots.txt";

/// The host whose `robots.txt` a request asks for, if sites of several owners can be there. Search engines read no
/// other one, such as those below the paths of sites.
pub(crate) fn robots_of<'u>(server: &SiteServer, url: &'u Url) -> Option<&'u str> {
    let host = url.host_str().filter(|_| url.path() == ROBOTS)?;
    server.services.sites.hosting.lists_sites(host).then_some(host)
}

/// Whether an address is of a site; `None` if that depends on whether a site has its host.
pub(crate) fn of_site(server: &SiteServer, url: &Url) -> Option<bool> {
    if path_inside(server, url) == CHECK || robots_of(server, url).is_some() {
        return Some(true);
    }
    let hosting = &server.services.sites.hosting;
    if hosting.read_preview(url).is_some() {
        return Some(true);
    }
    match hosting.read(url.host_str().unwrap_or_default(), path_inside(server, url)) {
        Incoming::Preview { .. } => Some(true),
        Incoming::Nothing | Incoming::UnknownHost => Some(false),
        Incoming::Site(arrival) => match arrival.key {
            Key::Id(_) | Key::Basename(_) | Key::Organization(..) | Key::OrganizationRoot(_) | Key::Proxy(_) => {
                Some(true)
            }
            Key::Root(_) => Some(!(hosting.is_shared() && is_of_server(first(url)))),
            Key::Hostname(_) if is_number(url) => Some(false),
            Key::Hostname(_) => None,
        },
    }
}

/// The first segment of a path.
fn first(url: &Url) -> &str {
    url.path().trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// The path of an address, without that of the address of all sites.
fn path_inside<'u>(server: &SiteServer, url: &'u Url) -> &'u str {
    let prefix = server.settings.sites_url.path().trim_end_matches('/');
    url.path().strip_prefix(prefix).unwrap_or(url.path())
}

/// Whether the server itself has paths with this first segment.
fn is_of_server(first: &str) -> bool {
    Reserved::Shared.has(first) && !Reserved::Root.has(first)
}

/// Whether the host is an IP address.
fn is_number(url: &Url) -> bool {
    matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)))
}

/// Whether a site has the host. A failure of the storage is reported by the driver.
pub(crate) async fn has_host(server: &SiteServer, url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().to_owned();
    let as_of = server.as_of().await;
    if let Some(known) = as_of.and_then(|as_of| server.hosts.find(&host, as_of)) {
        return known;
    }
    let found = server.services.site_reader.has_host(url).await.unwrap_or(true);
    if let Some(as_of) = as_of {
        server.hosts.store(host, as_of, found);
    }
    found
}
