//! The addresses of a site, which of them is canonical, and the site of an incoming address.
use super::isolation::Isolation;
use super::path::{Basename, Hostname, NAMED, Proxy, Reserved};
use crate::content::import::path::encode;
use crate::id::SiteId;
use crate::text::Rule;
use std::fmt;
use url::Url;

/// The segment of the addresses that owners' proxies forward requests to.
const PROXIED: &str = "~proxy";
/// The segment of the addresses of previews.
const PREVIEW: &str = "~preview";
/// The most segments that are looked at for the path of a proxy.
const MAX_PROXY_DEPTH: usize = 16;

/// The settings that decide the addresses of sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosting {
    /// The address of all sites, with a slash at its end.
    url: String,
    /// Its host.
    host: String,
    /// The path of the address, with a slash at its end.
    path: String,
    /// The host of the server.
    server: String,
    root: Option<String>,
    wildcard: Option<WildcardHost>,
    isolation: Isolation,
}

/// The host whose subdomains are the hosts of organizations: `*.docs.example.org`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WildcardHost(String);

impl std::str::FromStr for WildcardHost {
    type Err = Rule;

    fn from_str(raw: &str) -> Result<Self, Rule> {
        let wrong = || Rule("must be a wildcard and a host name, such as *.docs.example.org".into());
        let host = raw.strip_prefix("*.").ok_or_else(wrong)?.to_ascii_lowercase();
        // What is valid for the site of an organization is valid here.
        format!("a.{host}").parse::<Hostname>().map_err(|_not_a_host| wrong())?;
        Ok(Self(host))
    }
}

impl fmt::Display for WildcardHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "*.{}", self.0)
    }
}

/// The parts of a site that its addresses are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located<'a> {
    /// The site.
    pub id: &'a SiteId,
    /// Its basename.
    pub basename: &'a Basename,
    /// Its host name.
    pub hostname: Option<&'a Hostname>,
    /// Where its owner's proxy shows it.
    pub proxy: Option<&'a Proxy>,
    /// The host name of its organization.
    pub organization: Option<&'a str>,
}

/// An address below which a site is found. It ends with a slash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Base(String);

impl Base {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a path of the site, which is not encoded yet and has no slash at its start.
    pub fn at(&self, path: &str) -> String {
        format!("{}{}", self.0, encode(path))
    }

    /// The address below these segments, which are not encoded.
    pub fn below(&self, segments: &str) -> Self {
        Self(format!("{}{segments}/", self.0))
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part of an incoming address that identifies its site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The id.
    Id(SiteId),
    /// The basename, in lower case; one that the site had before leads to it too, unless another site has it.
    Basename(String),
    /// The id or the basename in the settings.
    Root(String),
    /// The host name.
    Hostname(String),
    /// The host name of the organization, and the basename as in [`Key::Basename`].
    Organization(String, String),
    /// The host name of an organization without a path: the site that the organization has chosen for it.
    OrganizationRoot(String),
    /// The proxy.
    Proxy(String),
}

impl Key {
    /// Whether it leads to the same site until the address of the site changes. An organization can choose another site
    /// for its host name at any time.
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Self::OrganizationRoot(_))
    }
}

/// An incoming address that may belong to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteCandidate<'a> {
    /// How to find the site.
    pub key: Key,
    /// See [`Self::address`].
    address: String,
    /// Whether the request comes from the owner's proxy.
    proxied: bool,
    /// The rest of the path, still encoded, without a slash at its start.
    pub rest: &'a str,
}

impl SiteCandidate<'_> {
    /// The address of the site in the form in which the client requested it: the incoming address without `rest`.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// An incoming address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming<'a> {
    /// It may belong to a site.
    Site(SiteCandidate<'a>),
    /// The preview of a site.
    Preview {
        /// The site.
        site: SiteId,
        /// The rest of the path, still encoded, without a slash at its start.
        rest: &'a str,
    },
    /// A host of this server, and a path that belongs to no site.
    Nothing,
    /// A host that cannot belong to a site.
    UnknownHost,
}

/// What an incoming address leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressOutcome<'a> {
    /// A path of the site, still encoded.
    Here(&'a str),
    /// The site has another address: the same path there.
    Redirect(String),
    /// There is no such site.
    Nothing,
    /// No site has this host.
    UnknownHost,
}

/// Sites on this machine, for programs that show no addresses.
impl Default for Hosting {
    fn default() -> Self {
        let host = || "localhost".to_owned();
        let (url, path) = (format!("http://{}/", host()), "/".to_owned());
        Self { url, host: host(), path, server: host(), root: None, wildcard: None, isolation: Isolation::default() }
    }
}

impl Hosting {
    /// The addresses of sites begin with `url`; the server itself is at `server`. `root` is the id or the basename of
    /// the site at the root.
    pub fn new(url: &Url, server: &Url, root: Option<String>, wildcard: Option<WildcardHost>) -> Self {
        let host = |url: &Url| url.host_str().unwrap_or_default().to_owned();
        let slash = |text: &str| format!("{}/", text.trim_end_matches('/'));
        Self {
            url: slash(url.as_str()),
            host: host(url),
            path: slash(url.path()),
            server: host(server),
            root: root.map(|root| root.to_ascii_lowercase()),
            wildcard,
            isolation: Isolation::default(),
        }
    }

    /// The same, with this policy for private sites that share an origin with sites of other organizations.
    #[must_use]
    pub fn isolated(self, isolation: Isolation) -> Self {
        Self { isolation, ..self }
    }

    /// The policy for private sites that share an origin with sites of other organizations.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// The id or the basename of the site at the root, as in the settings.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// All addresses of a site: the canonical one first.
    pub fn bases(&self, site: Located<'_>) -> Vec<Base> {
        let Located { id, basename, hostname, proxy, organization } = site;
        let proxy = proxy.map(|proxy| format!("https://{proxy}/"));
        let hostname = hostname.map(|hostname| format!("https://{hostname}/"));
        let root = self.is_root(id, basename).then(|| self.url.clone());
        let wildcard = (self.wildcard.as_ref().zip(organization))
            .map(|(WildcardHost(host), organization)| format!("https://{organization}.{host}/{basename}/"));
        let named = format!("{}{NAMED}/{basename}/", self.url);
        [proxy, hostname, root, wildcard, Some(named)].into_iter().flatten().map(Base).collect()
    }

    /// The canonical address of a site: its other addresses redirect to it.
    pub fn canonical(&self, site: Located<'_>) -> Base {
        // There is always the address by the basename.
        self.bases(site).swap_remove(0)
    }

    /// The address that the proxy of a site's owner forwards requests to.
    pub fn proxy_target(&self, site: &SiteId) -> Base {
        Base(format!("{}{PROXIED}/{site}/", self.url))
    }

    /// The address of a site with its drafts.
    pub fn preview(&self, site: &SiteId) -> Base {
        Base(format!("{}{PREVIEW}/{site}/", self.url))
    }

    /// The names that paths of a site cannot begin with.
    pub fn reserved(&self, site: Located<'_>) -> Reserved {
        if self.canonical(site).0 != self.url {
            Reserved::Site
        } else if self.host == self.server {
            Reserved::Shared
        } else {
            Reserved::Root
        }
    }

    /// Whether an address belongs to a site.
    fn is_of(&self, key: &Key, site: Located<'_>) -> bool {
        match key {
            Key::Id(id) => id == site.id,
            Key::Basename(name) => name == site.basename.as_str(),
            Key::Root(_) => self.is_root(site.id, site.basename),
            Key::Hostname(host) => site.hostname.is_some_and(|own| own.as_str() == host),
            Key::Organization(host, name) => site.organization == Some(host) && name == site.basename.as_str(),
            // The choice is no part of a site.
            Key::OrganizationRoot(_) => false,
            Key::Proxy(proxy) => site.proxy.is_some_and(|own| own.as_str() == proxy),
        }
    }

    /// The path on a site of any of its addresses, as written; `None` for an address of another site. The scheme is
    /// ignored: a redirect may have led the client from http to https or back.
    pub fn within(&self, site: Located<'_>, address: &Url) -> Option<String> {
        let candidates = self.read_url(address);
        candidates
            .into_iter()
            .find(|candidate| self.is_of(&candidate.key, site))
            .map(|candidate| candidate.rest.to_owned())
    }

    fn is_root(&self, id: &SiteId, basename: &Basename) -> bool {
        self.root.as_deref().is_some_and(|root| root == basename.as_str() || root.eq_ignore_ascii_case(id.as_str()))
    }

    /// Checks that a host can belong to a site or its proxy.
    ///
    /// # Errors
    /// The rule, if it is a host of the server.
    pub fn admits(&self, host: &str) -> Result<(), Rule> {
        let host = host.to_ascii_lowercase();
        let wild = |WildcardHost(wild): &WildcardHost| host.strip_suffix(wild).is_some_and(dotted);
        if host == self.host || host == self.server || self.wildcard.as_ref().is_some_and(wild) {
            return Err(Rule("must not be a host of this server".into()));
        }
        Ok(())
    }

    /// Reads the host and the path of a request to the server.
    pub fn read<'a>(&self, host: &str, path: &'a str) -> Incoming<'a> {
        let Some(host) = folded_host(host) else { return Incoming::UnknownHost };
        let path = path.trim_start_matches('/');
        if host == self.host {
            return self.read_shared(path);
        }
        if let Some(organization) = self.organization(&host) {
            return match segment(path) {
                Some(part) => {
                    let address = format!("https://{host}/{}", part.written);
                    let key = Key::Organization(organization.to_owned(), part.name.to_ascii_lowercase());
                    Incoming::Site(SiteCandidate { key, address, proxied: false, rest: part.rest })
                }
                None => {
                    let (key, address) = (Key::OrganizationRoot(organization.to_owned()), format!("https://{host}/"));
                    Incoming::Site(SiteCandidate { key, address, proxied: false, rest: path })
                }
            };
        }
        if host == self.server {
            return Incoming::Nothing;
        }
        let address = format!("https://{host}/");
        Incoming::Site(SiteCandidate { key: Key::Hostname(host), address, proxied: false, rest: path })
    }

    /// The path of an address as the server sees it: without the path of the address of all sites.
    fn path_inside<'a>(&self, url: &'a Url) -> Option<&'a str> {
        let path = url.path();
        if url.host_str() != Some(&self.host) {
            return Some(path);
        }
        format!("{path}/").starts_with(&self.path).then(|| path.get(self.path.len() - 1..).unwrap_or_default())
    }

    /// The site of the address of a preview, and the rest of the path, without a slash at its start.
    pub fn read_preview<'a>(&self, url: &'a Url) -> Option<(SiteId, &'a str)> {
        match self.read(url.host_str()?, self.path_inside(url)?) {
            Incoming::Preview { site, rest } => Some((site, rest)),
            _ => None,
        }
    }

    /// Whether a host can have sites of several owners.
    pub fn lists_sites(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        host == self.host || self.organization(&host).is_some()
    }

    /// Whether the server itself is at the host of the address of all sites.
    pub fn is_shared(&self) -> bool {
        self.host == self.server
    }

    /// Whether sites of organizations with a host name have a host of their own.
    pub fn has_organization_hosts(&self) -> bool {
        self.wildcard.is_some()
    }

    /// Reads an absolute address. Returns the candidates in the order in which to look for their sites.
    pub fn read_url<'a>(&self, url: &'a Url) -> Vec<SiteCandidate<'a>> {
        let host = url.host_str().unwrap_or_default();
        let Some(path) = self.path_inside(url) else { return Vec::new() };
        let Incoming::Site(candidate) = self.read(host, path) else { return Vec::new() };
        let mut all = Vec::new();
        if matches!(candidate.key, Key::Hostname(_)) {
            let path = path.trim_start_matches('/');
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).take(MAX_PROXY_DEPTH);
            let proxies = ends.filter(|end| *end > 0).map(|end| {
                let (proxy, rest) = path.split_at(end);
                let address = format!("https://{host}/{proxy}{}", if rest.is_empty() { "" } else { "/" });
                let key = Key::Proxy(format!("{host}/{proxy}"));
                SiteCandidate { key, address, proxied: false, rest: rest.trim_start_matches('/') }
            });
            all.extend(proxies);
            all.reverse();
        }
        all.push(candidate);
        all
    }

    /// The address of all sites: sites by basename, for proxies, previews, and the site at the root.
    fn read_shared<'a>(&self, path: &'a str) -> Incoming<'a> {
        let below = |first: &str| path.strip_prefix(first).and_then(|rest| rest.strip_prefix('/')).and_then(segment);
        if let Some(part) = below(PREVIEW) {
            return part.name.parse().map_or(Incoming::Nothing, |site| Incoming::Preview { site, rest: part.rest });
        }
        let (first, part, proxied) = match (below(PROXIED), below(NAMED)) {
            (Some(part), _) => (PROXIED, part, true),
            (None, Some(part)) => (NAMED, part, false),
            (None, None) => {
                let Some(root) = &self.root else { return Incoming::Nothing };
                let (key, address) = (Key::Root(root.clone()), self.url.clone());
                return Incoming::Site(SiteCandidate { key, address, proxied: false, rest: path });
            }
        };
        let key = if proxied {
            part.name.parse().ok().map(Key::Id)
        } else {
            Some(Key::Basename(part.name.to_ascii_lowercase()))
        };
        let address = format!("{}{first}/{}", self.url, part.written);
        key.map_or(Incoming::Nothing, |key| Incoming::Site(SiteCandidate { key, address, proxied, rest: part.rest }))
    }

    fn organization<'a>(&self, host: &'a str) -> Option<&'a str> {
        let WildcardHost(wild) = self.wildcard.as_ref()?;
        let name = host.strip_suffix(wild)?.strip_suffix('.')?;
        (!name.is_empty() && !name.contains('.')).then_some(name)
    }

    /// The result for a candidate after the look-up of its site. A redirect keeps the query.
    pub fn outcome<'a>(
        &self,
        candidate: &SiteCandidate<'a>,
        site: Option<Located<'_>>,
        query: Option<&str>,
    ) -> AddressOutcome<'a> {
        let Some(site) = site else {
            let by_host = matches!(candidate.key, Key::Hostname(_));
            return if by_host { AddressOutcome::UnknownHost } else { AddressOutcome::Nothing };
        };
        let canonical = self.canonical(site);
        if candidate.address == canonical.0 || (candidate.proxied && site.proxy.is_some()) {
            return AddressOutcome::Here(candidate.rest);
        }
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        AddressOutcome::Redirect(format!("{canonical}{}{query}", candidate.rest.trim_start_matches('/')))
    }
}

/// Whether a text ends a label, or is empty.
fn dotted(text: &str) -> bool {
    text.is_empty() || text.ends_with('.')
}

/// The host of a `Host` header in lower case, without its port and a dot at its end; `None` if it cannot be one.
fn folded_host(raw: &str) -> Option<String> {
    let name = match raw.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => raw,
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte));
    (!name.is_empty() && plain).then_some(name)
}

/// The first segment of a path.
struct Segment<'a> {
    name: &'a str,
    /// The segment with the slash behind it, if there is one.
    written: &'a str,
    rest: &'a str,
}

fn segment(path: &str) -> Option<Segment<'_>> {
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    let written = path.get(..=name.len()).unwrap_or(path);
    (!name.is_empty()).then_some(Segment { name, written, rest })
}

#[cfg(test)]
mod tests;
