//! What visitors read on a site. A [`SiteReader`] admits a visitor once; all that is read afterwards comes from the
//! [`Visiting`] that it returns, so no output can show more than another.
mod alternates;
mod feedback;
mod files;
mod frame;
mod listing;
mod memory;
mod openapi;
mod page;
mod places;
mod previewed;
mod printing;
mod references;
mod schemas;
mod search;
mod texts;
mod trees;

pub use feedback::RatablePage;
pub use files::SiteFile;
pub use listing::ListedPage;
pub use memory::Memory;
pub use page::{FoundPath, ReadPage};
pub use printing::Printing;
pub use schemas::{SchemaPage, SchemaQuery};
pub use search::{SiteHit, SiteHitSection};
pub use texts::PageText;

use super::Sites;
use super::addresses::{Addressed, Contents};
use super::entrance::{Arrived, Entered, VisitorRequest};
use super::resolve::Seen;
use crate::actor::Actor;
use crate::content::import::path::encode;
use crate::id::{PageId, SiteId, SiteSpaceId};
use crate::ports::Files;
use crate::site::Site;
use crate::site::address::Base;
use crate::site::audience::{Admission, SiteVisit};
use crate::site::customization::Customization;
use crate::site::publishing_auth::PublishingAuth;
use crate::site::resolve::Spot;
use crate::site::structure::SiteSpace;
use crate::usecases::Error;
use crate::usecases::content::Generator;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// Who reads for a visitor: the visit decides what is shown.
static READER: Actor = Actor::Server;

/// Reads sites for their visitors.
#[derive(Clone)]
pub struct SiteReader {
    /// The sites.
    pub sites: Sites,
    /// The bytes of files.
    pub files: Arc<dyn Files>,
    /// What is kept between visits.
    pub memory: Arc<Memory>,
}

/// What a visitor finds at an address.
pub enum Entrance<'a> {
    /// A site.
    Site(Box<Visiting<'a>>),
    /// The site has another address.
    Elsewhere {
        /// The address.
        url: String,
        /// Whether clients may remember it.
        permanent: bool,
    },
    /// The visitor must sign in first.
    SignIn {
        /// The site.
        site: SiteId,
        /// Where visitors sign in; absent if the owner set no address.
        to: Option<Url>,
        /// The path of the site that the visitor asked for.
        path: String,
        /// The path of the site on the server, with a slash at both ends.
        base: String,
    },
    /// Nothing, alike for an unknown site and for one that the visitor may not see.
    Nothing,
    /// No site has the host.
    UnknownHost,
}

/// A visitor on a site.
pub struct Visiting<'a> {
    memory: &'a Memory,
    files: &'a dyn Files,
    work: Work<'a>,
    site: Site,
    auth: PublishingAuth,
    addressed: Addressed<'a>,
    visit: SiteVisit,
    base: Base,
    share_key: Option<String>,
    path: String,
    contents: Contents,
    generator: Generator,
    variants: HashMap<SiteSpaceId, Arc<places::VariantPages>>,
    customizations: HashMap<SiteSpaceId, Arc<Customization>>,
}

impl SiteReader {
    /// Finds the site of an address, and decides whether the visitor may see it.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn enter<'a>(&'a self, request: &VisitorRequest<'_>) -> Result<Entrance<'a>, Error> {
        let mut work = self.sites.units.read(&READER).await?;
        Ok(match self.sites.enter(&mut work, request).await? {
            Entered::Site(arrived) => Entrance::Site(Box::new(Visiting::new(self, work, *arrived))),
            Entered::Elsewhere { url, lasts, .. } => Entrance::Elsewhere { url, permanent: lasts },
            Entered::SignIn { site, auth, path, base } => {
                let to = auth.fallback_url.as_ref().and_then(|url| Url::parse(url.as_str()).ok());
                Entrance::SignIn { site, to, path, base: path_of(&base) }
            }
            Entered::Nothing => {
                let host = request.url.host_str().unwrap_or_default();
                let ours = self.sites.hosting.admits(host).is_err();
                if ours { Entrance::Nothing } else { Entrance::UnknownHost }
            }
        })
    }

    /// Whether a site has this host name, or is behind a proxy at this host.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn has_host(&self, url: &Url) -> Result<bool, Error> {
        let mut work = self.sites.units.read(&READER).await?;
        for arrival in self.sites.hosting.read_url(url) {
            if super::resolve::site_of(&mut work, &arrival).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<'a> Visiting<'a> {
    fn new(reader: &'a SiteReader, work: Work<'a>, arrived: Arrived<'a>) -> Self {
        let Arrived { site, addressed, audience: _, auth, visit, base, prefix: _, share_key, path } = arrived;
        let generator = Generator::new(site.organization.clone(), Seen::of(&visit, &addressed).spaces());
        let contents = addressed.contents();
        Self {
            memory: &reader.memory,
            files: &*reader.files,
            work,
            site,
            auth,
            addressed,
            visit,
            base,
            share_key,
            path,
            contents,
            generator,
            variants: HashMap::new(),
            customizations: HashMap::new(),
        }
    }

    /// The site.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The visit.
    pub fn visit(&self) -> &SiteVisit {
        &self.visit
    }

    /// The path on the site, as it came, without a slash at its start.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The key of the share link in the path.
    pub fn share_key(&self) -> Option<&str> {
        self.share_key.as_deref()
    }

    /// Where visitors sign in.
    pub fn login_url(&self) -> Option<&str> {
        self.auth.fallback_url.as_ref().map(|url| url.as_str())
    }

    /// Where visitors are sent after they sign out.
    pub fn logout_url(&self) -> Option<&str> {
        self.auth.logout_url.as_ref().map(|url| url.as_str())
    }

    /// Goes on without the claims of the visitor, for what is the same for all visitors.
    pub fn forget_claims(&mut self) {
        self.visit = self.visit.without_claims();
        self.generator = Generator::new(self.site.organization.clone(), self.seen().spaces());
        self.variants.clear();
        self.customizations.clear();
    }

    /// When the visit ends; absent if it does not end by itself.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        match self.visit.admission() {
            Admission::Everyone | Admission::ShareLink(_) => None,
            Admission::Token { until } | Admission::Preview { until, .. } => Some(*until),
        }
    }

    /// The absolute address of the site for this visitor, with a slash at its end.
    pub fn address(&self) -> &str {
        self.base.as_str()
    }

    /// The path of the site on the server, with a slash at both ends.
    pub fn base_path(&self) -> String {
        path_of(self.base.as_str())
    }

    /// The path on the server for which the visitor proved that they may see the site, with a slash at both ends: that of
    /// the site, and in a preview that of all its versions.
    pub fn proof_path(&self) -> String {
        match self.visit.is_preview() {
            true => path_of(self.addressed.preview().as_str()),
            false => self.base_path(),
        }
    }

    /// The absolute canonical address of the site, with a slash at its end.
    pub fn canonical(&self) -> String {
        self.addressed.base().to_string()
    }

    /// Whether search engines may index the site.
    pub fn is_indexed(&self) -> bool {
        self.site.visibility == crate::site::SiteVisibility::Public && !self.visit.is_preview()
    }

    /// The path on the server of a path of the site, which is not encoded.
    fn href(&self, path: &str) -> String {
        format!("{}{}", self.base_path(), encode(path))
    }

    /// What the visitor sees of the structure.
    fn seen(&self) -> Seen<'_> {
        Seen::of(&self.visit, &self.addressed)
    }

    /// A space on the site that the visitor sees.
    fn variant(&self, spot: Spot) -> Option<SiteSpace> {
        let view = self.addressed.view();
        let (_, variant) = view.at(spot)?;
        let seen = self.seen();
        seen.structure.space(variant.id).map(|(_, one)| one.clone())
    }

    /// The variant that the visitor is sent to at first, if there is one that the visitor sees.
    fn first_spot(&self) -> Option<Spot> {
        let view = self.addressed.view();
        let seen = self.seen();
        let spaces = seen.structure.spaces();
        let by_default = view.start().filter(|spot| view.at(*spot).is_some_and(|(_, one)| seen.shows(one.id)));
        by_default.or_else(|| spaces.iter().find_map(|(_, one)| view.spot(&one.id)))
    }
}

/// The path of an absolute address, with a slash at its end.
fn path_of(address: &str) -> String {
    let path = Url::parse(address).map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default();
    format!("{path}/")
}

/// A page of a space on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spotted {
    spot: Spot,
    page: PageId,
}
