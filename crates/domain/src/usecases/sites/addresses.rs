//! Loads the data that the addresses of a site depend on.
use super::known::KnownSite;
use super::resolve::{PathResolver, Seen};
use crate::change_request::ChangeRequest;
use crate::content::object::{MemoryObjects, Read};
use crate::content::page::PageKind;
use crate::content::snapshot::Snapshot;
use crate::id::{PageId, RevisionId, SiteId, SiteSpaceId, SpaceId};
use crate::site::Site;
use crate::site::address::{Base, Hosting, Located};
use crate::site::history::FormerName;
use crate::site::redirect::RedirectDestination;
use crate::site::resolve::View;
use crate::site::structure::Structure;
use crate::usecases::Error;
use crate::usecases::content::{At, LoadedRevision};
use crate::usecases::work::Work;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use url::Url;

/// A site, with the data that decides the targets of its paths.
pub(super) struct Addressed<'a> {
    hosting: &'a Hosting,
    pub(super) site: Site,
    /// The host name of the organization.
    host: Option<String>,
    /// The live part of its structure.
    pub(super) structure: Arc<Structure>,
    /// The names that parts of the structure had, by the id of the part.
    former: Arc<HashMap<String, Vec<FormerName>>>,
    /// The version that is shown instead of the primary content of its space.
    pub(super) version: Option<SpaceVersion>,
}

/// The stored data that the addresses of a site depend on, besides the site itself.
#[derive(Clone, Default)]
pub(super) struct AddressData {
    /// The host name of the organization.
    host: Option<String>,
    /// The live part of the structure.
    structure: Arc<Structure>,
    /// The names that parts of the structure had, by the id of the part.
    former: Arc<HashMap<String, Vec<FormerName>>>,
}

impl AddressData {
    /// Loads it for a site whose organization has this host name. `structure` is the live part of the structure.
    pub(super) async fn load(
        work: &mut Work<'_>,
        site: &SiteId,
        host: Option<String>,
        structure: Structure,
    ) -> Result<Self, Error> {
        let mut former: HashMap<String, Vec<FormerName>> = HashMap::new();
        for left in work.site_addresses().former_names(site).await? {
            former.entry(left.item.clone()).or_default().push(left);
        }
        Ok(Self { host, structure: Arc::new(structure), former: Arc::new(former) })
    }
}

/// A version of a space that a preview shows.
#[derive(Clone, Debug)]
pub(super) struct SpaceVersion {
    pub(super) space: SpaceId,
    pub(super) revision: RevisionId,
    /// The change request, if the preview is of one.
    pub(super) change_request: Option<Box<ChangeRequest>>,
}

impl<'a> Addressed<'a> {
    /// Loads a site. `structure` is the whole one.
    pub(super) async fn load(
        work: &mut Work<'_>,
        hosting: &'a Hosting,
        site: &Site,
        structure: Structure,
    ) -> Result<Self, Error> {
        let owner = work.organizations().find(&site.organization, None).await?;
        let host = owner.and_then(|found| found.organization.hostname);
        let there: HashSet<SpaceId> =
            work.sites().links(&site.organization, Some(&site.id)).await?.into_iter().map(|(_, space)| space).collect();
        let structure = structure.live(|one| there.contains(&one.space));
        let data = AddressData::load(work, &site.id, host, structure).await?;
        Ok(Self::of(hosting, site, &data))
    }

    /// A site with this data.
    pub(super) fn of(hosting: &'a Hosting, site: &Site, data: &AddressData) -> Self {
        let AddressData { host, structure, former } = data.clone();
        Self { hosting, site: site.clone(), host, structure, former, version: None }
    }

    /// The parts that the addresses of the site are made of.
    pub(super) fn located(&self) -> Located<'_> {
        Located {
            id: &self.site.id,
            basename: &self.site.basename,
            hostname: self.site.hostname.as_ref(),
            proxy: self.site.proxy.as_ref(),
            organization: self.host.as_deref(),
        }
    }

    /// The canonical address of the site.
    pub(super) fn base(&self) -> Base {
        self.hosting.canonical(self.located())
    }

    /// All addresses of the site: the canonical one first.
    pub(super) fn bases(&self) -> Vec<Base> {
        self.hosting.bases(self.located())
    }

    /// The address of the preview of the site, with the primary content of its spaces.
    pub(super) fn preview(&self) -> Base {
        self.hosting.preview(&self.site.id)
    }

    /// The content of its spaces, in the versions that are shown.
    pub(super) fn contents(&self) -> Contents {
        let version = self.version.as_ref().map(|version| (version.space.clone(), version.revision.clone()));
        Contents { version, ..Contents::default() }
    }

    /// The paths of the site.
    pub(super) fn view(&self) -> View<'_> {
        View::of(&self.structure, self.hosting.reserved(self.located()), &self.former)
    }

    /// Resolves paths of the site; for a visitor, with the part that the visitor sees.
    pub(super) fn paths<'r>(&'r self, contents: &'r mut Contents, seen: Option<&'r Seen<'r>>) -> PathResolver<'r> {
        PathResolver { addressed: self, contents, seen }
    }

    /// The path that an address has on the site.
    pub(super) fn within(&self, address: &Url) -> Option<String> {
        self.hosting.within(self.located(), address)
    }

    /// The address of a destination; `None` if it is deleted, or the caller may not read it.
    pub(super) async fn destination(
        &self,
        work: &mut Work<'_>,
        contents: &mut Contents,
        destination: &RedirectDestination,
    ) -> Result<Option<Url>, Error> {
        let view = self.view();
        let at = |path: &str| Url::parse(&self.base().at(path)).ok();
        Ok(match destination {
            RedirectDestination::External { url } => Url::parse(url.as_str()).ok(),
            RedirectDestination::SiteSection { site_section_id } => {
                view.start_of(site_section_id).and_then(|spot| at(&view.address(spot, "")))
            }
            RedirectDestination::SiteSpace { site_space_id } => {
                view.spot(site_space_id).and_then(|spot| at(&view.address(spot, "")))
            }
            RedirectDestination::SitePage { site_space_id, page_id } => {
                let found = self.structure.space(site_space_id).zip(view.spot(site_space_id));
                let Some(((_, variant), spot)) = found else { return Ok(None) };
                let (space, start) = (variant.space.clone(), variant.settings.page.clone());
                let path = match contents.get(work, &space).await? {
                    Some(opened) => path_on_site(work, opened, start.as_ref(), page_id).await?,
                    None => None,
                };
                path.and_then(|path| at(&view.address(spot, &path)))
            }
        })
    }

    /// The first site space of a space.
    pub(super) fn space_of(structure: &Structure, space: &SpaceId) -> Option<SiteSpaceId> {
        structure.spaces().into_iter().find(|(_, one)| one.space == *space).map(|(_, one)| one.id.clone())
    }
}

/// The path of a page on the site, below its variant: empty for the page that the variant starts with.
pub(super) async fn path_on_site(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    start: Option<&PageId>,
    page: &PageId,
) -> Result<Option<String>, Error> {
    opened
        .read(work, |snapshot, objects| {
            let Some(path) = snapshot.path(objects, page)? else { return Ok(None) };
            Ok(Some(if start_page(snapshot, objects, start)?.as_ref() == Some(page) { String::new() } else { path }))
        })
        .await
}

/// The page that a variant starts with: the one that is set, or the first one in it if it is a group, or else the first
/// one with text.
pub(in crate::usecases) fn start_page(
    snapshot: &Snapshot,
    objects: &MemoryObjects,
    wanted: Option<&PageId>,
) -> Read<Option<PageId>> {
    match shown(snapshot, objects, wanted.cloned())? {
        Some(start) => Ok(Some(start)),
        None => snapshot.first_document(objects, None),
    }
}

/// The page to show for a page: for a group, its first page; none for a link or a computed page.
pub(super) fn shown(snapshot: &Snapshot, objects: &MemoryObjects, page: Option<PageId>) -> Read<Option<PageId>> {
    let Some(id) = page else { return Ok(None) };
    match snapshot.page(objects, &id)?.map(|page| page.kind) {
        Some(PageKind::Document { .. }) => Ok(Some(id)),
        Some(PageKind::Group) => snapshot.first_document(objects, Some(&id)),
        Some(PageKind::Link { .. } | PageKind::Computed { .. }) | None => Ok(None),
    }
}

/// The content of spaces that a caller may read, each loaded once.
#[derive(Default)]
pub(super) struct Contents {
    opened: HashMap<SpaceId, Option<LoadedRevision>>,
    /// The revision of a space that is read instead of its primary content.
    version: Option<(SpaceId, RevisionId)>,
    /// The site whose cached spaces are read, for the server, which may read all spaces.
    known: Option<Arc<KnownSite>>,
}

impl Contents {
    /// The same, with the spaces that are cached for a site.
    pub(super) fn with_known(self, known: Option<Arc<KnownSite>>) -> Self {
        Self { known, ..self }
    }

    /// The spaces whose primary content was opened.
    pub(super) fn primary(&self) -> impl Iterator<Item = &LoadedRevision> {
        let versioned = self.version.as_ref().map(|(space, _)| space);
        self.opened.values().flatten().filter(move |opened| versioned != Some(&opened.space.id))
    }

    /// The content of a space; `None` if there is no such space for the caller.
    pub(super) async fn get(
        &mut self,
        work: &mut Work<'_>,
        space: &SpaceId,
    ) -> Result<Option<&mut LoadedRevision>, Error> {
        if !self.opened.contains_key(space) {
            let at = match &self.version {
                Some((versioned, revision)) if versioned == space => At::Revision(revision.clone()),
                _ => At::Primary,
            };
            let known = self.known.as_ref().filter(|_| at == At::Primary).and_then(|known| known.space(space));
            let found = match known {
                Some(opened) => Some(opened),
                None => match LoadedRevision::find(work, space, &at).await {
                    Ok(opened) => Some(opened),
                    Err(Error::NotFound(_) | Error::Forbidden(_)) => None,
                    Err(error) => return Err(error),
                },
            };
            self.opened.insert(space.clone(), found);
        }
        Ok(self.opened.get_mut(space).and_then(Option::as_mut))
    }

    /// Whether the content of a space is loaded, or was not found.
    pub(super) fn knows(&self, space: &SpaceId) -> bool {
        self.opened.contains_key(space)
    }

    /// The number of spaces that were looked for.
    pub(super) fn count(&self) -> usize {
        self.opened.len()
    }

    /// Loads the content of spaces in a few queries, for the server, which may read all spaces.
    pub(super) async fn load(&mut self, work: &mut Work<'_>, mut spaces: Vec<SpaceId>) -> Result<(), Error> {
        let versioned = self.version.as_ref().map(|(space, _)| space);
        spaces.retain(|space| !self.opened.contains_key(space) && versioned != Some(space));
        if let Some(known) = &self.known {
            let known = spaces.iter().filter_map(|space| Some((space.clone(), Some(known.space(space)?))));
            self.opened.extend(known);
            spaces.retain(|space| !self.opened.contains_key(space));
        }
        if spaces.is_empty() {
            return Ok(());
        }
        for opened in LoadedRevision::find_all(work, &spaces).await? {
            self.opened.insert(opened.space.id.clone(), Some(opened));
        }
        for space in spaces {
            self.opened.entry(space).or_insert(None);
        }
        Ok(())
    }

    /// Whether a space that the caller may read has a page.
    pub(super) async fn has_page(
        &mut self,
        work: &mut Work<'_>,
        space: &SpaceId,
        page: &PageId,
    ) -> Result<bool, Error> {
        Ok(self.kind_of_page(work, space, page).await?.is_some())
    }

    /// The kind of a page; `None` if no space that the caller may read has it.
    pub(super) async fn kind_of_page(
        &mut self,
        work: &mut Work<'_>,
        space: &SpaceId,
        page: &PageId,
    ) -> Result<Option<PageKind>, Error> {
        let Some(opened) = self.get(work, space).await? else { return Ok(None) };
        opened.read(work, |snapshot, objects| Ok(snapshot.page(objects, page)?.map(|page| page.kind))).await
    }
}
