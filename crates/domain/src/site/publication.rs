//! The addresses of published sites and their content, as far as a caller can open them.
//!
//! A site for visitors with a share link opens only at an address with the key of the link. Without the key, its
//! content has no address.
use super::address::{Base, Hosting, Located};
use super::history::FormerName;
use super::path::{Basename, Hostname, Proxy};
use super::resolve::{Spot, View};
use super::share_link::{ENTRY, ShareKey, ShareLink};
use super::structure::{SiteSpace, Structure};
use super::{Site, SiteVisibility};
use crate::content::object::Hash;
use crate::id::{PageId, SiteId, SiteSectionId, SiteSpaceId, SpaceId};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

/// Former segments do not change an address.
static NOTHING_FORMER: LazyLock<HashMap<String, Vec<FormerName>>> = LazyLock::new(HashMap::new);

/// Where a published site is, and who can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteLocation {
    /// The site.
    pub site: SiteId,
    /// Its basename.
    pub basename: Basename,
    /// Its host name.
    pub hostname: Option<Hostname>,
    /// Where its owner's proxy shows it.
    pub proxy: Option<Proxy>,
    /// The host name of its organization.
    pub organization: Option<String>,
    /// Who can see it.
    pub visibility: SiteVisibility,
}

impl SiteLocation {
    /// The location of a site whose organization has this host name; `None` while the site is not published.
    pub fn of(site: &Site, organization: Option<&str>) -> Option<Self> {
        site.is_published().then(|| Self {
            site: site.id.clone(),
            basename: site.basename.clone(),
            hostname: site.hostname.clone(),
            proxy: site.proxy.clone(),
            organization: organization.map(ToOwned::to_owned),
            visibility: site.visibility,
        })
    }

    /// The parts that its addresses are made of.
    pub fn located(&self) -> Located<'_> {
        Located {
            id: &self.site,
            basename: &self.basename,
            hostname: self.hostname.as_ref(),
            proxy: self.proxy.as_ref(),
            organization: self.organization.as_deref(),
        }
    }
}

/// A site that a caller unlocked with the key of a share link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlocked {
    site: SiteId,
    key: ShareKey,
}

impl Unlocked {
    /// The site that the key of this link unlocks; `None` if the link is not active.
    pub fn by(link: &ShareLink, key: ShareKey) -> Option<Self> {
        link.active.then(|| Self { site: link.site.clone(), key })
    }
}

/// The address of a published site that a caller can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteAddress {
    location: SiteLocation,
    /// The key that opens the site.
    key: Option<ShareKey>,
}

impl SiteAddress {
    /// The address of a site; `None` if it is for visitors with a share link, and the caller has none of its keys.
    pub fn of(location: SiteLocation, unlocked: Option<&Unlocked>) -> Option<Self> {
        if location.visibility != SiteVisibility::ShareLink {
            return Some(Self { location, key: None });
        }
        let key = unlocked.filter(|unlocked| unlocked.site == location.site)?.key.clone();
        Some(Self { location, key: Some(key) })
    }

    /// The address of a site through a share link.
    pub fn through(location: SiteLocation, key: ShareKey) -> Self {
        Self { location, key: Some(key) }
    }

    /// Whether anyone can open it, and search engines index the site.
    pub fn is_public(&self) -> bool {
        self.location.visibility == SiteVisibility::Public
    }

    /// The address of a path on the site, which is not encoded yet and has no slash at its start.
    pub fn at(&self, hosting: &Hosting, path: &str) -> String {
        self.base(hosting).at(path)
    }

    /// An address of the site, through the share link if there is one. Returns any other address unchanged.
    pub fn entered(&self, hosting: &Hosting, address: String) -> String {
        let canonical = hosting.canonical(self.location.located());
        match address.strip_prefix(canonical.as_str()) {
            Some(rest) => format!("{}{rest}", self.base(hosting)),
            None => address,
        }
    }

    fn base(&self, hosting: &Hosting) -> Base {
        let canonical = hosting.canonical(self.location.located());
        match &self.key {
            Some(key) => canonical.below(&format!("{ENTRY}{}", key.reveal())),
            None => canonical,
        }
    }
}

/// A published site with the live part of its structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    address: SiteAddress,
    structure: Structure,
    /// Computed at the first call: the server has one [`Hosting`].
    parts: OnceLock<PartAddresses>,
}

impl Publication {
    /// A site with the live part of its structure ([`Structure::live`]).
    pub fn new(address: SiteAddress, live: Structure) -> Self {
        Self { address, structure: live, parts: OnceLock::new() }
    }

    /// The address of the site.
    pub fn site(&self) -> &SiteAddress {
        &self.address
    }

    fn view(&self, hosting: &Hosting) -> View<'_> {
        View::of(&self.structure, hosting.reserved(self.address.location.located()), &NOTHING_FORMER)
    }

    /// The addresses of its parts.
    pub fn parts(&self, hosting: &Hosting) -> &PartAddresses {
        self.parts.get_or_init(|| PartAddresses::of(&self.address.base(hosting), &self.view(hosting)))
    }

    /// The first place of a space on the site.
    fn place_of(&self, space: &SpaceId) -> Option<&SiteSpace> {
        self.structure.spaces().into_iter().map(|(_, one)| one).find(|one| one.space == *space)
    }
}

/// The addresses of the parts of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartAddresses {
    sections: HashMap<SiteSectionId, String>,
    site_spaces: HashMap<SiteSpaceId, String>,
}

impl PartAddresses {
    fn of(base: &Base, view: &View<'_>) -> Self {
        let mut parts = Self::default();
        for (section, one) in view.sections.iter().enumerate() {
            let start = one.variants.iter().position(|variant| variant.default).unwrap_or(0);
            for (variant, own) in one.variants.iter().enumerate() {
                let address = base.at(&view.address(Spot { section, variant }, ""));
                if let Some(id) = one.id.filter(|_| variant == start) {
                    parts.sections.insert(id.clone(), address.clone());
                }
                parts.site_spaces.insert(own.id.clone(), address);
            }
        }
        parts
    }

    /// The address of a section; `None` if visitors do not see it.
    pub fn section(&self, id: &SiteSectionId) -> Option<&str> {
        self.sections.get(id).map(String::as_str)
    }

    /// The address of a space on the site; `None` if visitors do not see it.
    pub fn site_space(&self, id: &SiteSpaceId) -> Option<&str> {
        self.site_spaces.get(id).map(String::as_str)
    }
}

/// Where a space is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpacePublication {
    site: Arc<Publication>,
    place: SiteSpace,
}

impl SpacePublication {
    /// The first of these sites that shows a space, at the first place there.
    pub fn first<'a>(sites: impl IntoIterator<Item = &'a Arc<Publication>>, space: &SpaceId) -> Option<Self> {
        sites.into_iter().find_map(|site| {
            let place = site.place_of(space)?.clone();
            Some(Self { site: site.clone(), place })
        })
    }

    /// Whether anyone can see it, and search engines index it.
    pub fn is_public(&self) -> bool {
        self.site.address.is_public()
    }

    /// The address of the space.
    pub fn address(&self, hosting: &Hosting) -> Option<&str> {
        self.site.parts(hosting).site_space(&self.place.id)
    }

    /// The page that the space was set to start with.
    pub fn start(&self) -> Option<&PageId> {
        self.place.settings.page.as_ref()
    }

    /// The addresses of the pages of the space. `start` is the page that it starts with.
    pub fn pages(&self, hosting: &Hosting, start: Option<PageId>) -> Option<PageAddresses<'_>> {
        let (base, view) = (self.site.address.base(hosting), self.site.view(hosting));
        let spot = view.spot(&self.place.id)?;
        Some(PageAddresses { base, view, spot, start })
    }

    /// A hash of everything that the addresses of its pages depend on, besides the settings of the server.
    pub fn fingerprint(&self) -> Hash {
        let Publication { address: SiteAddress { location, key }, structure, parts: _ } = &*self.site;
        let SiteLocation { site, basename, hostname, proxy, organization, visibility } = location;
        let key = key.as_ref().map(ShareKey::reveal);
        let own = (&self.place.id, &self.place.settings.page);
        let mut text =
            format!("{site:?} {basename} {hostname:?} {proxy:?} {organization:?} {visibility} {key:?} {own:?}");
        for (section, one) in structure.spaces() {
            let section = section.map(|section| (section.settings.path.as_str(), section.settings.default));
            let place = (one.id.as_str(), one.settings.path.as_str(), one.settings.default);
            text.push_str(&format!("\n{section:?} {place:?}"));
        }
        Hash::of(text.as_bytes())
    }
}

/// The addresses of the pages of a published space.
#[derive(Clone, Debug)]
pub struct PageAddresses<'a> {
    base: Base,
    view: View<'a>,
    spot: Spot,
    start: Option<PageId>,
}

impl PageAddresses<'_> {
    /// The address of a page with this path in its space.
    pub fn of(&self, page: &PageId, path: &str) -> String {
        let path = if self.start.as_ref() == Some(page) { "" } else { path };
        self.base.at(&self.view.address(self.spot, path))
    }
}

#[cfg(test)]
mod tests;
