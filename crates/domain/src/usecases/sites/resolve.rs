//! What an address of a site leads to: a page, another address, or nothing.
use super::Sites;
use super::addresses::{Addressed, Contents, start_page};
use super::redirects::lead;
use crate::actor::Actor;
use crate::content::object::{MemoryObjects, Read};
use crate::content::page::PageKind;
use crate::content::snapshot::Snapshot;
use crate::id::{OrganizationId, PageId, RevisionId, SiteId, SiteSectionId, SiteSpaceId, SpaceId};
use crate::site::address::{AddressOutcome, Arrival};
use crate::site::redirect::{RedirectStatus, with_query};
use crate::site::resolve::{Finding, Form, Living, Reading, Spot};
use crate::site::{Site, SiteVisibility};
use crate::usecases::Error;
use crate::usecases::work::Work;
use std::collections::HashMap;
use url::Url;

/// What an address leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A page of a site, at its address.
    Page(Box<ResolvedPage>),
    /// Another address.
    Redirect {
        /// The site.
        site: SiteId,
        /// The address, with the query of the one that was asked for.
        url: String,
        /// The status of the response.
        status: RedirectStatus,
    },
    /// Nothing: there is no such page, or no such site for visitors.
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
    /// What of it is asked for.
    pub form: Form,
    /// The canonical address of the site, with a slash at its end.
    pub base: String,
    /// The path of the page in its space.
    pub path: String,
}

/// The pages that the readings of a path lead to, now and before.
#[derive(Default)]
struct Pages {
    living: HashMap<(Spot, String), Living>,
    former: HashMap<(Spot, String), Living>,
}

impl Sites {
    /// What an address leads to: a page that is there, the page that had the path, or a redirect of the site. Of a page
    /// with several addresses, all but one redirect to that one.
    ///
    /// It does not decide who may see the site: the caller must, before anything of the result is shown.
    ///
    /// # Errors
    /// Only failures of the storage.
    pub async fn resolve(&self, url: &Url) -> Result<Resolved, Error> {
        let actor = Actor::Operator;
        let mut work = self.units.read(&actor).await?;
        for arrival in self.hosting.read_url(url) {
            let Some(site) = located(&mut work, &arrival).await? else { continue };
            let structure = work.sites().structure(&site.id).await?;
            let addressed = Addressed::load(&mut work, &self.hosting, &site, structure).await?;
            let public = site.visibility == SiteVisibility::Public;
            let moved = |url: String, permanent: bool| Resolved::Redirect {
                site: site.id.clone(),
                url,
                status: RedirectStatus::of(permanent, public),
            };
            return Ok(match self.hosting.settle(&arrival, Some(addressed.located()), url.query()) {
                AddressOutcome::Here(rest) => page(&mut work, &site, &addressed, rest, url, moved).await?,
                AddressOutcome::Redirect(url) => moved(url, true),
                AddressOutcome::Nothing | AddressOutcome::UnknownHost => Resolved::Nothing,
            });
        }
        // Only the host of no site is unknown: ours has other paths.
        let ours = self.hosting.admits(url.host_str().unwrap_or_default()).is_err();
        Ok(if ours { Resolved::Nothing } else { Resolved::UnknownHost })
    }
}

/// The published site of an address.
async fn located(work: &mut Work<'_>, arrival: &Arrival<'_>) -> Result<Option<Site>, Error> {
    let Some(id) = work.site_addresses().locate(&arrival.key).await? else { return Ok(None) };
    let found = work.sites().find(&id, None).await?;
    Ok(found.map(|found| found.entity).filter(Site::is_published))
}

/// What a path of a site leads to.
async fn page(
    work: &mut Work<'_>,
    site: &Site,
    addressed: &Addressed<'_>,
    path: &str,
    asked: &Url,
    moved: impl Fn(String, bool) -> Resolved,
) -> Result<Resolved, Error> {
    let view = addressed.view();
    let readings = view.readings(path);
    let mut contents = Contents::default();
    let pages = Pages::load(work, addressed, &mut contents, &readings).await?;
    let key = |reading: &Reading| (reading.spot, reading.page.clone());
    let living = |reading: &Reading| pages.living.get(&key(reading)).cloned();
    let former = |reading: &Reading| pages.former.get(&key(reading)).cloned();
    let with_query = |url: Url| String::from(with_query(url, asked.query()));
    match view.find(path, living, former) {
        Finding::Here { spot, page, form } => {
            let Some((section, variant)) = view.at(spot) else { return Ok(Resolved::Nothing) };
            let Some((_, found)) = addressed.structure.space(variant.id) else { return Ok(Resolved::Nothing) };
            let Some(opened) = contents.get(work, &found.space).await? else { return Ok(Resolved::Nothing) };
            let path = opened.read(work, |snapshot, objects| snapshot.path(objects, &page)).await?;
            Ok(Resolved::Page(Box::new(ResolvedPage {
                organization: site.organization.clone(),
                site: site.id.clone(),
                section: section.id.cloned(),
                site_space: variant.id.clone(),
                space: found.space.clone(),
                revision: opened.revision.id.clone(),
                page,
                form,
                base: addressed.base().to_string(),
                path: path.unwrap_or_default(),
            })))
        }
        Finding::Moved(path) => {
            let address = addressed.base().at(&path);
            Ok(Url::parse(&address).map_or(Resolved::Nothing, |url| moved(with_query(url), true)))
        }
        Finding::Nothing => {
            let Some((redirect, target)) = lead(work, addressed, &site.id, path).await? else {
                return Ok(Resolved::Nothing);
            };
            Ok(Url::parse(&target).map_or(Resolved::Nothing, |url| moved(with_query(url), redirect.permanent)))
        }
    }
}

impl Pages {
    /// Looks for the pages of all readings, a space at a time.
    async fn load(
        work: &mut Work<'_>,
        addressed: &Addressed<'_>,
        contents: &mut Contents,
        readings: &[Reading],
    ) -> Result<Self, Error> {
        let view = addressed.view();
        let mut pages = Self::default();
        let mut spots: Vec<Spot> = readings.iter().map(|reading| reading.spot).collect();
        spots.sort();
        spots.dedup();
        for spot in spots {
            let Some((_, variant)) = view.at(spot) else { continue };
            let Some((_, found)) = addressed.structure.space(variant.id) else { continue };
            let wanted: Vec<String> =
                readings.iter().filter(|reading| reading.spot == spot).map(|reading| reading.page.clone()).collect();
            let former = work.content().former_pages(&found.space, &wanted).await?;
            let Some(opened) = contents.get(work, &found.space).await? else { continue };
            let start = found.settings.page.as_ref();
            let read = opened.read(work, |snapshot, objects| {
                let start = start_page(snapshot, objects, start)?;
                let mut both = Vec::with_capacity(wanted.len());
                for (path, former) in wanted.iter().zip(&former) {
                    let now = if path.is_empty() { start.clone() } else { snapshot.page_like(objects, path)? };
                    let now = shown(snapshot, objects, now)?;
                    both.push([living(snapshot, objects, now, start.as_ref())?, {
                        let before = shown(snapshot, objects, former.clone())?;
                        living(snapshot, objects, before, start.as_ref())?
                    }]);
                }
                Ok(both)
            });
            for (path, [now, before]) in wanted.iter().zip(read.await?) {
                pages.living.extend(now.map(|found| ((spot, path.clone()), found)));
                pages.former.extend(before.map(|found| ((spot, path.clone()), found)));
            }
        }
        Ok(pages)
    }
}

/// The page that is shown for one: a group leads to its first page, and a link is no page.
fn shown(snapshot: &Snapshot, objects: &MemoryObjects, page: Option<PageId>) -> Read<Option<PageId>> {
    let Some(id) = page else { return Ok(None) };
    match snapshot.page(objects, &id)?.map(|page| page.kind) {
        Some(PageKind::Document { .. }) => Ok(Some(id)),
        Some(PageKind::Group) => snapshot.first_document(objects, Some(&id)),
        Some(PageKind::Link { .. }) | None => Ok(None),
    }
}

fn living(
    snapshot: &Snapshot,
    objects: &MemoryObjects,
    page: Option<PageId>,
    start: Option<&PageId>,
) -> Read<Option<Living>> {
    let Some(page) = page else { return Ok(None) };
    let path = snapshot.path(objects, &page)?;
    Ok(path.map(|path| Living { first: start == Some(&page), page, path }))
}
