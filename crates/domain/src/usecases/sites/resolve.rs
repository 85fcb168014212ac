//! Resolves an address of a site to a page, another address, or nothing.
use super::Sites;
use super::addresses::{Addressed, Contents, shown, start_page};
use super::redirects::FoundRedirect;
use crate::actor::Actor;
use crate::content::computed::computed_page;
use crate::content::expression::Variables;
use crate::content::import::path::decode;
use crate::content::object::{MemoryObjects, Read};
use crate::content::snapshot::Snapshot;
use crate::id::{OrganizationId, PageId, RevisionId, SiteId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::site::address::{AddressOutcome, Base};
use crate::site::audience::SiteVisit;
use crate::site::redirect::{RedirectStatus, with_query};
use crate::site::resolve::{Form, PageAtPath, PathOutcome, Reading, Spot, View};
use crate::site::structure::{SiteSpace, Structure};
use crate::site::{Site, SiteVisibility};
use crate::usecases::Error;
use crate::usecases::content::{Generator, LoadedRevision, VisibleSources, Wanted};
use crate::usecases::work::Work;
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// The result of resolving an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A page of a site, at its address.
    Page(Box<ResolvedPage>),
    /// Another address.
    Redirect {
        /// The site.
        site: SiteId,
        /// The address, with the query of the requested one.
        url: String,
        /// The status of the response.
        status: RedirectStatus,
    },
    /// No such page, or no such published site.
    Nothing,
    /// No site has the host.
    UnknownHost,
}

/// A page of a site, by its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPage {
    /// The organization that owns the site.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// The section; absent on a site without sections.
    pub section: Option<SiteSectionId>,
    /// The space on the site.
    pub site_space: SiteSpaceId,
    /// The space.
    pub space: SpaceId,
    /// Its primary content.
    pub revision: RevisionId,
    /// The page.
    pub page: PageId,
    /// The requested form.
    pub form: Form,
    /// The canonical address of the site, with a slash at its end.
    pub base: String,
    /// The path of the page in its space.
    pub path: String,
}

/// The pages at paths of variants.
type PagesAt = HashMap<(Spot, String), PageAtPath>;

/// A variant that some readings of a path lead to.
struct ReadVariant<'a> {
    spot: Spot,
    on_site: &'a SiteSpace,
    /// The paths of the readings in its space.
    paths: Vec<String>,
}

impl Sites {
    /// Resolves an address: to the page at it, to the page that had the path, or to a redirect of the site. If a page
    /// has several addresses, all others redirect to its canonical one.
    ///
    /// Does not check access to the site: the calling code must check it before it shows anything of the result.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn resolve(&self, url: &Url) -> Result<Resolved, Error> {
        let actor = Actor::Operator;
        let mut work = self.units.read(&actor).await?;
        for candidate in self.candidates(&mut work, url).await? {
            let Some(site) = candidate.locate(&mut work).await?.filter(Site::is_published) else { continue };
            let candidate = candidate.address;
            let structure = work.sites().structure(&site.id).await?;
            let addressed = Addressed::load(&mut work, &self.hosting, &site, structure).await?;
            let public = site.visibility == SiteVisibility::Public;
            let moved = |url: String, permanent: bool| Resolved::Redirect {
                site: site.id.clone(),
                url,
                status: RedirectStatus::of(permanent, public),
            };
            return Ok(match self.hosting.outcome(&candidate, Some(addressed.located()), url.query()) {
                AddressOutcome::Here(rest) => {
                    let kept = |to: Url| String::from(with_query(to, url.query()));
                    match addressed.paths(&mut addressed.contents(), None).resolve(&mut work, rest).await? {
                        PathTarget::Page(page, _) => Resolved::Page(page),
                        PathTarget::Moved(path) => Url::parse(&addressed.base().at(&path))
                            .map_or(Resolved::Nothing, |to| moved(kept(to), true)),
                        PathTarget::Redirect { url: to, permanent } => moved(kept(to), permanent),
                        PathTarget::Nothing => Resolved::Nothing,
                    }
                }
                AddressOutcome::Redirect(to) => {
                    let (base, contents) = (addressed.base(), &mut addressed.contents());
                    let mut paths = addressed.paths(contents, None);
                    // A page that had the path is one step away.
                    let page = paths.moved_page(&mut work, candidate.rest, &base, url.query()).await?;
                    moved(page.map_or(to, String::from), candidate.key.is_lasting())
                }
                AddressOutcome::Nothing | AddressOutcome::UnknownHost => Resolved::Nothing,
            });
        }
        // Only a host without a site is unknown: hosts of this server have other paths.
        let ours = self.hosting.admits(url.host_str().unwrap_or_default()).is_err();
        Ok(if ours { Resolved::Nothing } else { Resolved::UnknownHost })
    }
}

/// The target of a path of a site.
#[derive(Clone, Debug)]
pub(super) enum PathTarget {
    /// A page, at its address: the path on the site, not encoded.
    Page(Box<ResolvedPage>, String),
    /// A page that has another address: its path on the site, not encoded.
    Moved(String),
    /// The address of a redirect of the site.
    Redirect {
        /// The address.
        url: Url,
        /// Whether clients may cache it.
        permanent: bool,
    },
    /// Nothing.
    Nothing,
}

/// The part of a site that a visitor sees.
pub(super) struct Seen<'a> {
    visit: &'a SiteVisit,
    /// The structure that the visitor sees.
    pub(super) structure: Arc<Structure>,
}

impl<'a> Seen<'a> {
    /// The part of a site that a visit shows.
    pub(super) fn of(visit: &'a SiteVisit, addressed: &Addressed<'_>) -> Self {
        Self::shared(visit, Arc::new(visit.sees(Structure::clone(&addressed.structure), |_| true)))
    }

    /// The same, with the structure that the visitor sees.
    pub(super) fn shared(visit: &'a SiteVisit, structure: Arc<Structure>) -> Self {
        Self { visit, structure }
    }

    /// The spaces that the visitor sees.
    pub(super) fn spaces(&self) -> VisibleSources {
        spaces_of(&self.structure)
    }

    /// Whether the visitor sees a space on the site.
    pub(super) fn shows(&self, variant: &SiteSpaceId) -> bool {
        self.structure.space(variant).is_some()
    }

    fn shows_at(&self, view: &View<'_>, spot: Spot) -> bool {
        view.at(spot).is_some_and(|(_, variant)| self.shows(variant.id))
    }

    /// The variant that the site starts with for the visitor: the default one, or the first one that the visitor sees.
    pub(super) fn start(&self, view: &View<'_>) -> Option<Spot> {
        let by_default = view.start().filter(|spot| self.shows_at(view, *spot));
        by_default.or_else(|| self.structure.spaces().iter().find_map(|(_, one)| view.spot(&one.id)))
    }

    /// The variant whose address a path is, for the visitor: the address of the site is that of [`Self::start`].
    pub(super) fn start_at(&self, view: &View<'_>, path: &str) -> Option<Spot> {
        let readings = view.readings(path);
        let reading = readings.first().filter(|reading| reading.page.is_empty() && !reading.former)?;
        let spot = Some(reading.spot).filter(|spot| view.address(*spot, "") == path)?;
        if self.shows_at(view, spot) {
            return Some(spot);
        }
        path.is_empty().then(|| self.start(view)).flatten()
    }
}

/// Resolves paths of a site.
pub(super) struct PathResolver<'a> {
    /// The site.
    pub(super) addressed: &'a Addressed<'a>,
    /// The spaces that are opened; they stay open for the next path and for the caller.
    pub(super) contents: &'a mut Contents,
    /// The part of the site that a visitor sees: other content does not count. The whole site without a visitor.
    pub(super) seen: Option<&'a Seen<'a>>,
}

impl<'a> PathResolver<'a> {
    /// The target of a path: the page at it, the page that had the path, or a redirect of the site.
    pub(super) async fn resolve(&mut self, work: &mut Work<'_>, path: &str) -> Result<PathTarget, Error> {
        let found = self.page(work, path).await?;
        if !matches!(found, PathTarget::Nothing) {
            return Ok(found);
        }
        let found = self.redirect(work, path).await?;
        Ok(match found.filter(|found| self.seen.is_none() || !found.is_dead) {
            Some(FoundRedirect { url, permanent, .. }) => PathTarget::Redirect { url, permanent },
            None => PathTarget::Nothing,
        })
    }

    /// The address below `base` of the page that had a path before, with a query: a client is redirected there once,
    /// not first to where the page was. `None` if a page is at the path now, or if none was.
    pub(super) async fn moved_page(
        &mut self,
        work: &mut Work<'_>,
        path: &str,
        base: &Base,
        query: Option<&str>,
    ) -> Result<Option<Url>, Error> {
        let PathTarget::Moved(path) = self.page(work, path).await? else { return Ok(None) };
        Ok(Url::parse(&base.at(&path)).ok().map(|address| with_query(address, query)))
    }

    /// Whether a page is at a path, or was there before.
    pub(super) async fn has_page(&mut self, work: &mut Work<'_>, path: &str) -> Result<bool, Error> {
        Ok(!matches!(self.page(work, path).await?, PathTarget::Nothing))
    }

    /// The page at a path.
    pub(super) async fn page(&mut self, work: &mut Work<'_>, path: &str) -> Result<PathTarget, Error> {
        let (addressed, seen) = (self.addressed, self.seen);
        let view = addressed.view();
        let readings = view.readings(path);
        let variants = self.variants(&readings);
        let current = self.current(work, &variants).await?;
        let at = |pages: &PagesAt, reading: &Reading| pages.get(&(reading.spot, reading.page.clone())).cloned();
        // A page that is at the path now comes before all that were there.
        let is_there = readings.iter().any(|reading| !reading.was_default && at(&current, reading).is_some());
        let former = if is_there { PagesAt::new() } else { self.former(work, &variants).await? };
        match view.find(path, |reading| at(&current, reading), |reading| at(&former, reading)) {
            PathOutcome::Here { spot, page, form } => {
                let Some((section, variant)) = view.at(spot) else { return Ok(PathTarget::Nothing) };
                let Some((_, found)) = addressed.structure.space(variant.id) else { return Ok(PathTarget::Nothing) };
                let Some(opened) = self.contents.get(work, &found.space).await? else { return Ok(PathTarget::Nothing) };
                let known = current.values().find(|known| known.page == page).map(|known| known.path.clone());
                let page_path = match opened.read(work, |snapshot, objects| snapshot.path(objects, &page)).await? {
                    Some(path) => Some(path),
                    None if known.is_some() => known,
                    None => generated(work, opened, shown_spaces(addressed, seen), Wanted::Id(&page))
                        .await?
                        .map(|found| found.path),
                };
                let page = ResolvedPage {
                    organization: addressed.site.organization.clone(),
                    site: addressed.site.id.clone(),
                    section: section.id.cloned(),
                    site_space: variant.id.clone(),
                    space: found.space.clone(),
                    revision: opened.revision.id.clone(),
                    page,
                    form,
                    base: addressed.base().to_string(),
                    path: page_path.unwrap_or_default(),
                };
                Ok(PathTarget::Page(Box::new(page), decoded(path)))
            }
            PathOutcome::Moved(path) => Ok(PathTarget::Moved(path)),
            PathOutcome::Nothing => Ok(PathTarget::Nothing),
        }
    }

    /// The variants that readings lead to and the visitor sees.
    fn variants(&self, readings: &[Reading]) -> Vec<ReadVariant<'a>> {
        let (addressed, seen) = (self.addressed, self.seen);
        let structure: &'a Structure = &addressed.structure;
        let view = addressed.view();
        let mut spots: Vec<Spot> = readings.iter().map(|reading| reading.spot).collect();
        spots.sort();
        spots.dedup();
        let variant = |spot: Spot| {
            let (_, variant) = view.at(spot)?;
            if seen.is_some_and(|seen| !seen.shows(variant.id)) {
                return None;
            }
            let (_, on_site) = structure.space(variant.id)?;
            let here = readings.iter().filter(|reading| reading.spot == spot);
            Some(ReadVariant { spot, on_site, paths: here.map(|reading| reading.page.clone()).collect() })
        };
        spots.into_iter().filter_map(variant).collect()
    }

    /// The pages that are at the paths of variants now, one space after the other.
    async fn current(&mut self, work: &mut Work<'_>, variants: &[ReadVariant<'_>]) -> Result<PagesAt, Error> {
        let (addressed, seen) = (self.addressed, self.seen);
        let mut pages = PagesAt::new();
        for ReadVariant { spot, on_site, paths } in variants {
            let Some(opened) = self.contents.get(work, &on_site.space).await? else { continue };
            let read = opened.read(work, |snapshot, objects| {
                let start = start_page(snapshot, objects, on_site.settings.page.as_ref())?;
                let page = |path: &String| {
                    let now = if path.is_empty() { start.clone() } else { snapshot.page_like(objects, path)? };
                    let now = visible_to(seen, snapshot, objects, now)?;
                    page_at_path(snapshot, objects, now, start.as_ref())
                };
                paths.iter().map(page).collect::<Read<Vec<_>>>()
            });
            let read = read.await?;
            for (path, mut now) in paths.iter().zip(read) {
                if now.is_none() && !path.is_empty() {
                    now = visible_generated(work, opened, shown_spaces(addressed, seen), seen, path).await?;
                }
                pages.extend(now.map(|found| ((*spot, path.clone()), found)));
            }
        }
        Ok(pages)
    }

    /// The pages that were at the paths of variants before, one space after the other.
    async fn former(&mut self, work: &mut Work<'_>, variants: &[ReadVariant<'_>]) -> Result<PagesAt, Error> {
        let seen = self.seen;
        let mut pages = PagesAt::new();
        for ReadVariant { spot, on_site, paths } in variants {
            let start = on_site.settings.page.as_ref();
            let former = work.content().former_pages(&on_site.space, paths).await?;
            let Some(opened) = self.contents.get(work, &on_site.space).await? else { continue };
            let read = opened.read(work, |snapshot, objects| {
                let start = start_page(snapshot, objects, start)?;
                let page = |former: &Option<PageId>| {
                    let before = visible_to(seen, snapshot, objects, former.clone())?;
                    page_at_path(snapshot, objects, before, start.as_ref())
                };
                former.iter().map(page).collect::<Read<Vec<_>>>()
            });
            let read = read.await?;
            for (path, mut before) in paths.iter().zip(read) {
                if before.is_none() && !path.is_empty() {
                    before = redirected(work, opened, seen, path, start).await?;
                }
                pages.extend(before.map(|found| ((*spot, path.clone()), found)));
            }
        }
        Ok(pages)
    }
}

/// The spaces on a site; with a visitor, only the spaces that the visitor sees.
fn shown_spaces(addressed: &Addressed<'_>, seen: Option<&Seen<'_>>) -> VisibleSources {
    match seen {
        Some(seen) => seen.spaces(),
        None => spaces_of(&addressed.structure),
    }
}

fn spaces_of(structure: &Structure) -> VisibleSources {
    VisibleSources::Some(structure.spaces().into_iter().map(|(_, one)| one.space.clone()).collect())
}

/// A generated page of a space.
async fn generated(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    shows: VisibleSources,
    wanted: Wanted<'_>,
) -> Result<Option<PageAtPath>, Error> {
    let LoadedRevision { space, snapshot, objects, .. } = opened;
    let found = Generator::new(space.organization.clone(), shows).page(work, snapshot, objects, wanted).await?;
    Ok(found.map(|node| PageAtPath { first: false, page: node.id, path: node.path }))
}

/// The generated page at a path of a space, if a visitor sees it.
async fn visible_generated(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    shows: VisibleSources,
    seen: Option<&Seen<'_>>,
    path: &str,
) -> Result<Option<PageAtPath>, Error> {
    let found = generated(work, opened, shows, Wanted::Path(path)).await?;
    // A generated page is visible where the computed page is.
    let visible = match (seen, found.as_ref().and_then(|found| computed_page(&found.page))) {
        (Some(seen), Some(place)) => {
            opened.read(work, |snapshot, objects| sees_page(seen.visit, snapshot, objects, &place)).await?
        }
        (_, place) => place.is_some(),
    };
    Ok(found.filter(|_| visible))
}

/// The page that a redirect of `.gitbook.yaml` leads to from a path of a space, if a visitor sees it.
async fn redirected(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    seen: Option<&Seen<'_>>,
    path: &str,
    start: Option<&PageId>,
) -> Result<Option<PageAtPath>, Error> {
    let read = opened.read(work, |snapshot, objects| {
        let page = snapshot.redirected(objects, path)?;
        let page = visible_to(seen, snapshot, objects, page)?;
        page_at_path(snapshot, objects, page, start_page(snapshot, objects, start)?.as_ref())
    });
    read.await
}

/// Whether a visit shows a page: the conditions of the page and of all pages above it are true. Reads only these.
fn sees_page(visit: &SiteVisit, snapshot: &Snapshot, objects: &MemoryObjects, page: &PageId) -> Read<bool> {
    let mut next = Some(page.clone());
    while let Some(id) = next {
        let Some(page) = snapshot.page(objects, &id)? else { return Ok(false) };
        if let Some(condition) = page.condition.as_ref().filter(|condition| !condition.is_empty()) {
            let space = Variables { vars: snapshot.variables(objects)?.into_iter().collect() };
            if !visit.satisfies(condition, &space, &Variables { vars: page.variables }) {
                return Ok(false);
            }
        }
        next = page.parent;
    }
    Ok(true)
}

/// The page to show for a page, if a visitor sees both.
fn visible_to(
    seen: Option<&Seen<'_>>,
    snapshot: &Snapshot,
    objects: &MemoryObjects,
    page: Option<PageId>,
) -> Read<Option<PageId>> {
    let visible = |page: Option<PageId>| match (seen, page) {
        (Some(seen), Some(page)) => sees_page(seen.visit, snapshot, objects, &page).map(|sees| sees.then_some(page)),
        (_, page) => Ok(page),
    };
    visible(shown(snapshot, objects, visible(page)?)?)
}

/// A path of a site, not encoded.
fn decoded(path: &str) -> String {
    path.split('/').map(decode).collect::<Vec<_>>().join("/")
}

fn page_at_path(
    snapshot: &Snapshot,
    objects: &MemoryObjects,
    page: Option<PageId>,
    start: Option<&PageId>,
) -> Read<Option<PageAtPath>> {
    let Some(page) = page else { return Ok(None) };
    let path = snapshot.path(objects, &page)?;
    Ok(path.map(|path| PageAtPath { first: start == Some(&page), page, path }))
}
