//! Links: the references of the pages of a revision, their status, and the backlinks of a file.
use super::read::{LoadedRevision, OpenReader, Reader, Revised};
use crate::access::Granted;
use crate::collection::Collection;
use crate::content::document::Key;
use crate::content::object::{MemoryObjects, together};
use crate::content::page::{FileEntry, ReusableContent};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::tree::Node;
use crate::id::{CollectionId, FileId, PageId, SpaceId, UserId};
use crate::openapi_spec::{OpenapiSpec, Presence, SpecSlug};
use crate::organization::Organization;
use crate::paging::{Page, PageRequest};
use crate::space::Space;
use crate::usecases::change_requests::ShownChangeRequest;
use crate::usecases::lists::{paged, paged_numbered};
use crate::usecases::work::Work;
use crate::usecases::{Error, Input, open};
use crate::user::User;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

mod cache;
mod collected;
mod documents;
mod listing;
mod loaded;
mod specs;
#[cfg(test)]
mod tests;

pub(in crate::usecases) use cache::LinkCache;
use collected::{About, all_links};
use listing::{Listing, shown};
use loaded::{Loaded, load};

/// The status of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkStatus {
    /// The target exists.
    Ok,
    /// The target does not exist in the revision or in the organization, or the page does not have the anchor.
    Broken,
    /// An address of this server.
    InApp,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkTarget {
    /// A web address.
    Url,
    /// A page of this revision or of another space's primary content; with the space if it is another one.
    Page(Arc<Node>, Option<Arc<Granted<Space>>>),
    /// A file of this revision or of another space.
    File(Box<FileEntry>, Option<Arc<Granted<Space>>>),
    /// A reusable content of this revision or of another space.
    ReusableContent(Box<ReusableContent>, Option<Arc<Granted<Space>>>),
    /// A space of the same organization.
    Space(Arc<Granted<Space>>),
    /// A collection of the same organization.
    Collection(Arc<Granted<Collection>>),
    /// A member of the same organization.
    User(Box<User>),
    /// An OpenAPI spec of the same organization.
    Openapi(Arc<Granted<OpenapiSpec>>),
}

/// A place with a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The page, without the pages below it.
    pub page: Arc<Node>,
    /// The block in the page.
    pub key: Key,
}

/// A reference.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkItem {
    /// Its status.
    pub status: LinkStatus,
    /// Whether the page cannot be shown without the target: inclusions and specifications.
    pub depends_on: bool,
    /// The reference.
    pub reference: ContentRef,
    /// The target, if it exists; the page of an anchor that it does not have, and the OpenAPI spec of a part that its
    /// version does not have.
    pub target: Option<LinkTarget>,
    /// Why blocks that show an OpenAPI spec are broken.
    pub reason: Option<Presence>,
    /// Where the reference occurs.
    pub locations: Arc<[Found]>,
    /// Names it in every revision, and in tokens of further pages.
    id: String,
}

impl LinkItem {
    fn new(
        about: About<'_>,
        (status, target): (LinkStatus, Option<LinkTarget>),
        reason: Option<Presence>,
        locations: Arc<[Found]>,
    ) -> Self {
        let (id, About { reference, depends_on, lost }) = (about.id(), about);
        let status = if lost { LinkStatus::Broken } else { status };
        Self { status, depends_on, reference: reference.clone(), target, reason, locations, id }
    }

    fn is_broken(&self) -> bool {
        self.status == LinkStatus::Broken
    }
}

/// Counts over a whole listing, regardless of the page of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// All.
    pub total: usize,
    /// Broken ones.
    pub broken: usize,
    /// For a change request: those that it broke.
    pub broken_by_change_request: Option<usize>,
}

/// A page of a listing of links.
#[derive(Debug)]
pub struct Links {
    /// The organization that owns the space.
    pub organization: Granted<Organization>,
    /// The change request whose content has the links.
    pub change_request: Option<ShownChangeRequest>,
    /// The page of the list.
    pub page: Page<Arc<LinkItem>>,
    /// Counts over the whole listing.
    pub stats: LinkStats,
}

/// A page of a listing of the places that refer to a file.
#[derive(Debug)]
pub struct Backlinks {
    /// The organization that owns the space.
    pub organization: Granted<Organization>,
    /// The change request whose content has the places.
    pub change_request: Option<ShownChangeRequest>,
    /// The page of the list.
    pub page: Page<Found>,
}

/// A query for links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkQuery {
    /// Only links with this status.
    pub status: Option<LinkStatus>,
    /// The page of the list.
    pub page: PageRequest,
}

impl Reader<'_> {
    /// The references of all pages of a revision, or of one page.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision or the page, [`Error::Invalid`].
    pub async fn links(self, page: Option<&PageId>, query: Input<LinkQuery>) -> Result<Revised<Links>, Error> {
        let OpenReader { mut work, mut opened, change_request, public_url } = self.load().await?;
        opened.space.require(|may| may.view).map_err(Error::denied("space"))?;
        let organization = work.organization(&opened.space.organization, |may| may.view).await?;
        let listing = Listing { page, organization: &organization, public_url };
        let pages = listing.pages(&mut work, &mut opened).await?.ok_or(Error::NotFound("page"))?;
        let LinkQuery { status, page } = query.read()?;
        let links = listing.links(&mut work, &mut opened, pages).await?;
        let broken_by_change_request = match &change_request {
            Some(request) => Some(listing.broken_by(request, &links, &mut work, &opened).await?),
            None => None,
        };
        let (total, broken) = links.counts();
        let stats = LinkStats { total, broken, broken_by_change_request };
        let wanted = links.iter().filter(|item| status.is_none_or(|status| item.status == status));
        let page = paged(wanted.collect(), &page, |item| item.id.as_str())?.map(Arc::clone);
        let change_request = shown(&mut work, &opened, change_request).await?;
        Ok(opened.with(Links { organization, change_request, page, stats }))
    }

    /// The backlinks of a file.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision or the file, [`Error::Invalid`].
    pub async fn file_backlinks(self, file: &FileId, page: Input<PageRequest>) -> Result<Revised<Backlinks>, Error> {
        let OpenReader { mut work, mut opened, change_request, public_url } = self.load().await?;
        opened.space.require(|may| may.view).map_err(Error::denied("space"))?;
        let known = opened.read(&mut work, |snapshot, objects| snapshot.file(objects, file)).await?;
        known.ok_or(Error::NotFound("file"))?;
        let page = page.read()?;
        let links = all_links(&mut work, &mut opened, public_url).await?;
        let places = links.places_of_file(&opened.space.id, file).into_iter();
        // A block can have several places.
        let page = paged_numbered(places, &page, |place: &Found| format!("{}/{}", place.page.id, place.key.0))?;
        let organization = work.organization(&opened.space.organization, |may| may.view).await?;
        let change_request = shown(&mut work, &opened, change_request).await?;
        Ok(opened.with(Backlinks { organization, change_request, page }))
    }
}

/// The targets of the references of one revision.
struct Targets {
    own: SpaceId,
    here: Loaded,
    elsewhere: HashMap<SpaceId, (Arc<Granted<Space>>, Loaded)>,
    collections: HashMap<CollectionId, Arc<Granted<Collection>>>,
    users: HashMap<UserId, Box<User>>,
    /// By [`SpecSlug::key`].
    specs: HashMap<String, Arc<Granted<OpenapiSpec>>>,
}

impl Targets {
    fn none(own: &SpaceId) -> Self {
        Self {
            own: own.clone(),
            here: Loaded::default(),
            elsewhere: HashMap::new(),
            collections: HashMap::new(),
            users: HashMap::new(),
            specs: HashMap::new(),
        }
    }

    /// Finds the targets in the revision itself. `known` are pages of it.
    async fn inside(
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
        references: &[&ContentRef],
        known: &HashMap<PageId, Arc<Node>>,
    ) -> Result<Self, Error> {
        let cache = work.link_cache();
        let load = |snapshot: &Snapshot, objects: &MemoryObjects| load(snapshot, objects, references, known, cache);
        let here = opened.read(work, load).await?;
        Ok(Self { here, ..Self::none(&opened.space.id) })
    }

    /// Finds the targets that are not in the space, as far as the caller may see them.
    async fn outside(
        work: &mut Work<'_>,
        opened: &LoadedRevision,
        organization: &Granted<Organization>,
        references: &[&ContentRef],
    ) -> Result<Self, Error> {
        let mut targets = Self::none(&opened.space.id);
        targets.find_in_spaces(work, opened, references).await?;
        targets.find_around(work, organization, references).await?;
        Ok(targets)
    }

    /// Finds the targets that are in other spaces. The number of statements does not depend on the number of spaces.
    async fn find_in_spaces(
        &mut self,
        work: &mut Work<'_>,
        opened: &LoadedRevision,
        references: &[&ContentRef],
    ) -> Result<(), Error> {
        let (caller, cache) = (work.actor, work.link_cache());
        let mut by_space: BTreeMap<SpaceId, Vec<&ContentRef>> = BTreeMap::new();
        for &reference in references {
            if let Some(space) = space_of(reference) {
                by_space.entry(space.clone()).or_default().push(reference);
            }
        }
        if by_space.is_empty() {
            return Ok(());
        }
        let ids: Vec<SpaceId> = by_space.keys().cloned().collect();
        let organization_access = work.organization_access(&opened.space.organization).await?;
        let mut spaces = work.spaces().find_many(&ids).await?;
        spaces.retain(|space| space.organization == opened.space.organization);
        let seen = spaces.into_iter().filter_map(|space| {
            let space = open::grant_listed_space(caller, &organization_access, space).ok()?;
            space.require(|may| may.view).is_ok().then_some(space)
        });
        let elsewhere = LoadedRevision::load_all(work, seen.collect()).await?;
        let read = |objects: &MemoryObjects| {
            together(elsewhere.iter().map(|LoadedRevision { space, snapshot, .. }| {
                let references = by_space.get(&space.id).map_or(&[][..], Vec::as_slice);
                load(snapshot, objects, references, &HashMap::new(), cache)
            }))
        };
        let loaded = work.compute(&mut MemoryObjects::default(), read).await?;
        for (LoadedRevision { space, .. }, loaded) in elsewhere.into_iter().zip(loaded) {
            self.elsewhere.insert(space.id.clone(), (Arc::new(space), loaded));
        }
        Ok(())
    }

    /// Finds the collections, members and OpenAPI specs of the organization that are referred to and that the caller
    /// may see.
    async fn find_around(
        &mut self,
        work: &mut Work<'_>,
        organization: &Granted<Organization>,
        all: &[&ContentRef],
    ) -> Result<(), Error> {
        let caller = work.actor;
        let (mut collections, mut users, mut slugs) = (Vec::new(), Vec::new(), Vec::new());
        for reference in all {
            match reference {
                ContentRef::Collection { collection } => collections.push(collection.clone()),
                ContentRef::User { user } => users.push(user.clone()),
                ContentRef::Openapi { spec, .. } => slugs.extend(spec.parse::<SpecSlug>()),
                _ => {}
            }
        }
        if !collections.is_empty() {
            let organization_access = work.organization_access(&organization.id).await?;
            let found = work.collections().find_many(&collections).await?;
            let own = found.into_iter().filter(|collection| collection.organization == organization.id);
            let seen = own
                .filter_map(|collection| open::grant_listed_collection(caller, &organization_access, collection).ok());
            self.collections = seen.map(|collection| (collection.id.clone(), Arc::new(collection))).collect();
        }
        if !users.is_empty() {
            let found = work.members().find_many(&organization.id, &users).await?;
            let sees_all = organization.permissions().list_members;
            let seen = found.into_iter().filter(|(member, _)| sees_all || caller.user() == Some(&member.user));
            self.users = seen.map(|(_, user)| (user.id.clone(), Box::new(user))).collect();
        }
        if !slugs.is_empty() {
            let found = work.openapi_specs().find_many(&organization.id, &slugs).await?;
            let seen =
                found.into_iter().filter_map(|spec| Granted::check(spec, organization.access(), |may| may.view).ok());
            self.specs = seen.map(|spec| (spec.slug.key(), Arc::new(spec))).collect();
        }
        Ok(())
    }

    fn of(&self, reference: &ContentRef, public_url: &str) -> (LinkStatus, Option<LinkTarget>) {
        if let ContentRef::Url { url } = reference {
            return match address_status(url, public_url) {
                LinkStatus::Broken => (LinkStatus::Broken, None),
                status => (status, Some(LinkTarget::Url)),
            };
        }
        let (space, loaded) = match space_of(reference).filter(|space| **space != self.own) {
            None if matches!(reference, ContentRef::Space { .. }) => return (LinkStatus::Ok, None),
            None => (None, &self.here),
            Some(other) => match self.elsewhere.get(other) {
                Some((space, loaded)) => (Some(space.clone()), loaded),
                None => return (LinkStatus::Broken, None),
            },
        };
        let target = match reference {
            ContentRef::Page { page, .. } | ContentRef::Anchor { page: Some(page), .. } => {
                loaded.pages.get(page).map(|node| LinkTarget::Page(node.clone(), space))
            }
            ContentRef::Anchor { page: None, .. } => return (LinkStatus::Ok, None),
            ContentRef::File { file, .. } => loaded.files.get(file).map(|file| LinkTarget::File(file.clone(), space)),
            ContentRef::ReusableContent { reusable_content, .. } => {
                loaded.reusable.get(reusable_content).map(|content| LinkTarget::ReusableContent(content.clone(), space))
            }
            ContentRef::Space { .. } => space.map(LinkTarget::Space),
            ContentRef::Tag { tag, .. } if loaded.tags.contains(tag) => return (LinkStatus::Ok, None),
            ContentRef::Collection { collection } => {
                self.collections.get(collection).map(|collection| LinkTarget::Collection(collection.clone()))
            }
            ContentRef::User { user } => self.users.get(user).map(|user| LinkTarget::User(user.clone())),
            ContentRef::Openapi { spec, .. } => {
                let slug: Option<SpecSlug> = spec.parse().ok();
                slug.and_then(|slug| self.specs.get(&slug.key())).map(|spec| LinkTarget::Openapi(spec.clone()))
            }
            // No other target can exist on this server, so the reference is broken.
            _ => None,
        };
        let has_anchor = match reference {
            ContentRef::Anchor { anchor, page: Some(page), .. } => {
                loaded.anchors.get(page).is_some_and(|anchors| anchors.contains(anchor))
            }
            _ => true,
        };
        (if target.is_some() && has_anchor { LinkStatus::Ok } else { LinkStatus::Broken }, target)
    }
}

/// Whether the target is not in the space `own`.
fn is_outside(reference: &ContentRef, own: &SpaceId) -> bool {
    match reference {
        ContentRef::User { .. } | ContentRef::Collection { .. } | ContentRef::Openapi { .. } => true,
        _ => space_of(reference).is_some_and(|space| space != own),
    }
}

fn space_of(reference: &ContentRef) -> Option<&SpaceId> {
    match reference {
        ContentRef::File { space, .. }
        | ContentRef::Page { space, .. }
        | ContentRef::Anchor { space, .. }
        | ContentRef::ReusableContent { space, .. }
        | ContentRef::Tag { space, .. } => space.as_ref(),
        ContentRef::Space { space } => Some(space),
        _ => None,
    }
}

/// An address with a scheme is external or an address of this server. One without a scheme was meant for a page or a
/// file that was not found.
fn address_status(url: &str, public_url: &str) -> LinkStatus {
    let inside = url.strip_prefix(public_url).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
    if inside {
        LinkStatus::InApp
    } else if url::Url::parse(url).is_ok() || url.starts_with("//") {
        LinkStatus::Ok
    } else {
        LinkStatus::Broken
    }
}
