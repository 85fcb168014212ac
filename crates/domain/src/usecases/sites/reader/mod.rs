//! Reading sites for their visitors. A [`SiteReader`] admits a visitor once. All further reads use the [`Visiting`]
//! that it returns, so that all outputs show the same content.
mod alternates;
mod cache;
mod feedback;
mod file_uses;
mod files;
mod former_anchors;
mod frame;
mod listing;
mod old_paths;
mod openapi;
mod page;
mod page_tree;
mod places;
mod previewed;
mod printing;
mod references;
mod schemas;
mod search;
mod texts;
mod trees;

pub use super::known::UnconfirmedVisit;
pub use cache::ReaderCache;
pub use feedback::RatablePage;
pub use files::SiteFile;
pub use listing::ListedPage;
pub use old_paths::{OldPaths, WildcardRedirect};
pub use page::{FoundPath, ReadPage};
pub use printing::Printing;
pub use schemas::{SchemaPage, SchemaQuery};
pub use search::{SiteHit, SiteHitSection};
pub use texts::{PageText, texts_at_once};

use super::Sites;
use super::addresses::{Addressed, Contents};
use super::admission::{Admitted, EntryOutcome, VisitorRequest};
use super::known::{KnownState, Lookup};
use super::resolve::Seen;
use crate::actor::Actor;
use crate::content::import::path::encode;
use crate::id::{PageId, SiteId, SiteSpaceId};
use crate::ports::Files;
use crate::site::Site;
use crate::site::address::Base;
use crate::site::audience::SiteVisit;
use crate::site::customization::Customization;
use crate::site::publishing_auth::PublishingAuth;
use crate::site::resolve::Spot;
use crate::site::structure::{SiteSpace, Structure};
use crate::usecases::Error;
use crate::usecases::content::Generator;
use crate::usecases::work::Work;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// The actor that reads for visitors. The visit decides which content is shown.
static READER: Actor = Actor::Server;

/// Reads sites for their visitors.
#[derive(Clone)]
pub struct SiteReader {
    /// The sites.
    pub sites: Sites,
    /// The bytes of files.
    pub files: Arc<dyn Files>,
    /// The caches.
    pub cache: Arc<ReaderCache>,
}

/// The result for a visitor at an address.
pub enum VisitOutcome<'a> {
    /// A site.
    Site(Box<Visiting<'a>>),
    /// The site has another address.
    Redirect {
        /// The address.
        url: String,
        /// Whether clients may cache it.
        permanent: bool,
    },
    /// The visitor must sign in first.
    SignIn {
        /// The site.
        site: SiteId,
        /// Where visitors sign in; absent if the owner set no address.
        to: Option<Url>,
        /// The requested path of the site.
        path: String,
        /// The path of the site on the server, with a slash at both ends.
        base: String,
    },
    /// No site: it is unknown, or the visitor may not see it. Both have the same result.
    Nothing,
    /// The host is neither one of the server, such as those below the host of sites of organizations, nor that of a
    /// site that the visitor may see.
    UnknownHost,
}

/// A visitor on a site.
pub struct Visiting<'a> {
    cache: &'a ReaderCache,
    files: &'a dyn Files,
    work: Work<'a>,
    /// The stamp of the database before the visit, with which it may use cached values.
    stamp: Option<u64>,
    /// How the site was found; absent for a preview.
    lookup: Option<Lookup>,
    site: Site,
    auth: PublishingAuth,
    addressed: Addressed<'a>,
    visit: SiteVisit,
    visible: VisibleStructure,
    base: Base,
    /// The path of `base`, which the link to each page begins with.
    base_path: String,
    share_key: Option<String>,
    path: String,
    contents: Contents,
    generator: Generator,
    variants: HashMap<SiteSpaceId, Arc<places::VariantPages>>,
    customizations: HashMap<SiteSpaceId, Arc<Customization>>,
    /// The customizations that were loaded, with the parts that have conditions.
    loaded_customizations: HashMap<SiteSpaceId, Arc<Customization>>,
}

impl SiteReader {
    /// Finds the site of an address, and decides whether the visitor may see it. All that the visit reads is of one
    /// state of the database.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn enter<'a>(&'a self, request: &VisitorRequest<'_>) -> Result<VisitOutcome<'a>, Error> {
        self.enter_at(request, None).await
    }

    /// The same with a stamp of the database ([`Store::stamp`](crate::ports::Store::stamp)) that was taken after the
    /// request had arrived. Then the visit uses what others have read since the last commit. Before its result is used,
    /// [`Visiting::unconfirmed`] must be confirmed.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn enter_at<'a>(
        &'a self,
        request: &VisitorRequest<'_>,
        stamp: Option<u64>,
    ) -> Result<VisitOutcome<'a>, Error> {
        let mut work = self.sites.units.read(&READER).await?;
        let state = stamp.map(|stamp| KnownState { sites: &self.cache.sites, stamp });
        Ok(match self.sites.enter(&mut work, request, state).await? {
            EntryOutcome::Site(admitted) => VisitOutcome::Site(Box::new(Visiting::new(self, work, *admitted, stamp))),
            EntryOutcome::Redirect { url, lasts, .. } => VisitOutcome::Redirect { url, permanent: lasts },
            EntryOutcome::SignIn { site, auth, path, base } => {
                let to = auth.fallback_url.as_ref().and_then(|url| Url::parse(url.as_str()).ok());
                VisitOutcome::SignIn { site, to, path, base: path_of(&base) }
            }
            EntryOutcome::Nothing => {
                let host = request.url.host_str().unwrap_or_default();
                let ours = self.sites.hosting.admits(host).is_err();
                if ours { VisitOutcome::Nothing } else { VisitOutcome::UnknownHost }
            }
        })
    }

    /// Whether all that a visit has read is of one state of the database. If not, its result must not be used, because
    /// it could show content that was added after the visitor lost the access; repeat the visit with [`Self::enter`].
    /// `now` is the stamp of the database after the visit. If it is still that of the visit, later visits use what was
    /// read.
    pub fn confirm(&self, visit: UnconfirmedVisit, now: Option<u64>) -> bool {
        visit.confirm(now, &self.cache.sites)
    }

    /// Whether a site has this host name, or is served through a proxy at this host.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn has_host(&self, url: &Url) -> Result<bool, Error> {
        let mut work = self.sites.units.read(&READER).await?;
        for candidate in self.sites.candidates(&mut work, url).await? {
            if candidate.locate(&mut work).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<'a> Visiting<'a> {
    fn new(reader: &'a SiteReader, work: Work<'a>, admitted: Admitted<'a>, stamp: Option<u64>) -> Self {
        let Admitted { site, addressed, audience: _, auth, visit, base, prefix: _, share_key, path, lookup } = admitted;
        let visible = VisibleStructure::of(&visit, &addressed);
        let generator = Generator::new(site.organization.clone(), visible.seen(&visit).spaces());
        let known = lookup.as_ref().map(|lookup| lookup.known.clone());
        let contents = addressed.contents().with_known(known);
        Self {
            cache: &reader.cache,
            files: &*reader.files,
            work,
            stamp,
            lookup,
            site,
            auth,
            addressed,
            visit,
            visible,
            base_path: path_of(base.as_str()),
            base,
            share_key,
            path,
            contents,
            generator,
            variants: HashMap::new(),
            customizations: HashMap::new(),
            loaded_customizations: HashMap::new(),
        }
    }

    /// The part of the visit to confirm with [`SiteReader::confirm`] before its result is used; `None` if it has no
    /// stamp, or has read nothing but cached values and content that never changes.
    pub fn unconfirmed(&self) -> Option<UnconfirmedVisit> {
        let lookup = self.lookup.as_ref().filter(|_| self.work.has_used_storage())?.clone();
        let customizations = self.loaded_customizations.clone();
        Some(UnconfirmedVisit::new(self.stamp?, lookup, self.contents.primary(), customizations))
    }

    /// The site.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The visit.
    pub fn visit(&self) -> &SiteVisit {
        &self.visit
    }

    /// The path on the site, still encoded, without a slash at its start.
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

    /// Drops the claims of the visitor, for output that is the same for all visitors.
    pub fn clear_claims(&mut self) {
        self.visit = self.visit.without_claims();
        self.visible = VisibleStructure::of(&self.visit, &self.addressed);
        self.generator = Generator::new(self.site.organization.clone(), self.seen().spaces());
        self.variants.clear();
        self.customizations.clear();
    }

    /// When the visit or its claims expire; absent if neither does.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.visit.expires_at()
    }

    /// The absolute address of the site for this visitor, with a slash at its end.
    pub fn address(&self) -> &str {
        self.base.as_str()
    }

    /// The path of the site on the server, with a slash at both ends.
    pub fn base_path(&self) -> String {
        self.base_path.clone()
    }

    /// The path on the server for which the visitor's credentials are valid, with a slash at both ends: that of the
    /// site, and in a preview that of all its versions.
    pub fn credentials_path(&self) -> String {
        match self.visit.is_preview() {
            true => path_of(self.addressed.preview().as_str()),
            false => self.base_path(),
        }
    }

    /// The absolute canonical address of the site, with a slash at its end.
    pub fn canonical(&self) -> String {
        self.addressed.base().to_string()
    }

    /// All absolute addresses of the site, each with a slash at its end: the canonical one first.
    pub fn addresses(&self) -> Vec<String> {
        self.addressed.bases().iter().map(ToString::to_string).collect()
    }

    /// Whether search engines may index the site.
    pub fn is_indexed(&self) -> bool {
        self.site.visibility == crate::site::SiteVisibility::Public && !self.visit.is_preview()
    }

    /// The path on the server of a path of the site, which is not encoded.
    fn href(&self, path: &str) -> String {
        format!("{}{}", self.base_path, encode(path))
    }

    /// The part of the structure that the visitor sees.
    fn seen(&self) -> Seen<'_> {
        self.visible.seen(&self.visit)
    }

    /// A space on the site that the visitor sees.
    fn variant(&self, spot: Spot) -> Option<SiteSpace> {
        self.visible.variants.get(&spot).cloned()
    }

    /// The start variant for the visitor, if the visitor sees any variant.
    fn first_spot(&self) -> Option<Spot> {
        self.seen().start(&self.addressed.view())
    }
}

/// The part of the structure that the visitor sees, computed once for a visit: a list of all pages asks for each space.
struct VisibleStructure {
    structure: Arc<Structure>,
    variants: HashMap<Spot, SiteSpace>,
}

impl VisibleStructure {
    fn of(visit: &SiteVisit, addressed: &Addressed<'_>) -> Self {
        let structure = Seen::of(visit, addressed).structure;
        let variants = {
            let spaces: HashMap<&SiteSpaceId, &SiteSpace> =
                structure.spaces().into_iter().map(|(_, one)| (&one.id, one)).collect();
            let view = addressed.view();
            let spots = view.sections.iter().enumerate().flat_map(|(section, one)| {
                one.variants.iter().enumerate().map(move |(variant, one)| (Spot { section, variant }, one.id))
            });
            spots.filter_map(|(spot, id)| Some((spot, (*spaces.get(id)?).clone()))).collect()
        };
        Self { structure, variants }
    }

    fn seen<'v>(&self, visit: &'v SiteVisit) -> Seen<'v> {
        Seen::shared(visit, self.structure.clone())
    }
}

/// The path of an absolute address, with a slash at its end.
fn path_of(address: &str) -> String {
    let path = Url::parse(address).map(|url| url.path().trim_end_matches('/').to_owned()).unwrap_or_default();
    format!("{path}/")
}

/// A page of a space on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PageOnSite {
    spot: Spot,
    page: PageId,
}
