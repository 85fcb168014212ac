//! Links: the references of the pages of a revision, their status, and the backlinks of a file.
use super::read::{LoadedRevision, OpenReader, Reader, Revised};
use crate::access::Granted;
use crate::collection::Collection;
use crate::content::anchors::Anchors;
use crate::content::document::{self, Document, Key, Relation, SpecificationPart, SpecificationUse};
use crate::content::object::{MemoryObjects, Read, fetch, together};
use crate::content::page::{FileEntry, ReusableContent};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
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

mod listing;
mod loaded;
mod specs;
#[cfg(test)]
mod tests;

use listing::{Listing, all_pages, shown};
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
    Page(Box<Node>, Option<Arc<Granted<Space>>>),
    /// A file of this revision or of another space.
    File(FileEntry, Option<Arc<Granted<Space>>>),
    /// A reusable content of this revision or of another space.
    ReusableContent(ReusableContent, Option<Arc<Granted<Space>>>),
    /// A space of the same organization.
    Space(Arc<Granted<Space>>),
    /// A collection of the same organization.
    Collection(Arc<Granted<Collection>>),
    /// A member of the same organization.
    User(User),
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
    pub locations: Vec<Found>,
    /// Names it in every revision, and in tokens of further pages.
    id: String,
}

impl LinkItem {
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
    pub page: Page<LinkItem>,
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
        let items = listing.links(&mut work, &mut opened, pages).await?;
        let broken_by_change_request = match &change_request {
            Some(request) => Some(listing.broken_by(request, &items, &mut work, &opened).await?),
            None => None,
        };
        let broken = items.iter().filter(|item| item.is_broken()).count();
        let stats = LinkStats { total: items.len(), broken, broken_by_change_request };
        let wanted = items.into_iter().filter(|item| status.is_none_or(|status| item.status == status));
        let page = paged(wanted.collect(), &page, |item: &LinkItem| item.id.as_str())?;
        let change_request = shown(&mut work, &opened, change_request).await?;
        Ok(opened.with(Links { organization, change_request, page, stats }))
    }

    /// The backlinks of a file.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision or the file, [`Error::Invalid`].
    pub async fn file_backlinks(self, file: &FileId, page: Input<PageRequest>) -> Result<Revised<Backlinks>, Error> {
        let OpenReader { mut work, mut opened, change_request, .. } = self.load().await?;
        opened.space.require(|may| may.view).map_err(Error::denied("space"))?;
        let known = opened.read(&mut work, |snapshot, objects| snapshot.file(objects, file)).await?;
        known.ok_or(Error::NotFound("file"))?;
        let page = page.read()?;
        let nodes = all_pages(&mut work, &mut opened).await?;
        let found = references(&mut work, &mut opened, nodes, Some(file.as_str())).await?;
        let here = &opened.space.id;
        let about = |reference: &ContentRef| match reference {
            ContentRef::File { file: id, space } => id == file && space.as_ref().is_none_or(|space| space == here),
            _ => false,
        };
        let places = found.into_iter().filter(|found| about(&found.about.reference)).map(|found| found.place);
        // A block can have several places.
        let page = paged_numbered(places, &page, |place: &Found| format!("{}/{}", place.page.id, place.key.0))?;
        let organization = work.organization(&opened.space.organization, |may| may.view).await?;
        let change_request = shown(&mut work, &opened, change_request).await?;
        Ok(opened.with(Backlinks { organization, change_request, page }))
    }
}

/// References that are listed as one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct About {
    reference: ContentRef,
    depends_on: bool,
    /// Whether it is a missing anchor of the same page, or a missing part of an OpenAPI spec.
    lost: bool,
}

/// A reference in a page.
struct Referred {
    about: About,
    place: Found,
    /// What it shows of an OpenAPI spec.
    shows: Option<SpecificationUse>,
}

/// The places of references that are listed as one.
#[derive(Default)]
struct Places {
    locations: Vec<Found>,
    /// Why they are broken, if they show an OpenAPI spec.
    reason: Option<Presence>,
}

/// The references of pages, in the order of the references. With an id, only those of pages that can name it.
async fn references(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    nodes: Vec<Arc<Node>>,
    id: Option<&str>,
) -> Result<Vec<Referred>, Error> {
    let read = |snapshot: &Snapshot, objects: &MemoryObjects| {
        let mut texts = fetch(objects, nodes.iter().filter_map(|node| node.page.document()))?.into_iter();
        let named = nodes.iter().filter(|node| {
            let text = node.page.document().and_then(|_| texts.next());
            id.is_none_or(|id| text.is_some_and(|text| Document::may_name(&text, id)))
        });
        let found = together(named.map(|node| references_of(snapshot, objects, node)))?;
        let mut all: Vec<Referred> = found.into_iter().flatten().collect();
        // Stable: the places of a reference stay in the order of the pages.
        all.sort_by(|one, other| one.about.cmp(&other.about));
        Ok(all)
    };
    opened.read(work, read).await
}

/// The references of one page.
fn references_of(snapshot: &Snapshot, objects: &MemoryObjects, node: &Arc<Node>) -> Read<Vec<Referred>> {
    let document = text_of(objects, node.page.document())?;
    let references = document.references();
    let uses = document.specification_uses();
    let of_specs = uses.into_iter().filter(|shows| !shows.is_address);
    let mut uses: HashMap<Key, SpecificationUse> = of_specs.map(|shows| (shows.key.clone(), shows)).collect();
    let own = |target: &ContentRef| matches!(target, ContentRef::Anchor { page: None, space: None, .. });
    let anchors = if references.iter().any(|reference| own(&reference.target)) {
        Some(Anchors::of(snapshot, objects, &node.page)?)
    } else {
        None
    };
    let referred = |found: document::Found| {
        let lost = match (&found.target, &anchors) {
            (ContentRef::Anchor { anchor, page: None, space: None }, Some(anchors)) => !anchors.contains(anchor),
            _ => false,
        };
        let depends_on = matches!(found.relation, Relation::Include | Relation::Specification);
        let shows = match (found.relation, &found.target) {
            (Relation::Specification, _) => uses.remove(&found.key),
            (_, ContentRef::Openapi { spec, version: version @ Some(_) }) => {
                let shows = SpecificationPart::Schemas { schemas: Vec::new() };
                let (key, spec, version) = (found.key.clone(), spec.clone(), version.clone());
                Some(SpecificationUse { key, spec, is_address: false, version, shows })
            }
            _ => None,
        };
        let place = Found { page: node.clone(), key: found.key };
        Referred { about: About { reference: found.target, depends_on, lost }, place, shows }
    };
    Ok(references.into_iter().map(referred).collect())
}

/// The targets of the references of one revision.
struct Targets {
    own: SpaceId,
    here: Loaded,
    elsewhere: HashMap<SpaceId, (Arc<Granted<Space>>, Loaded)>,
    collections: HashMap<CollectionId, Arc<Granted<Collection>>>,
    users: HashMap<UserId, User>,
    /// By [`SpecSlug::key`].
    specs: HashMap<String, Arc<Granted<OpenapiSpec>>>,
}

impl Targets {
    /// Finds the targets that are in spaces. `known` are pages of the revision. The number of statements does not depend
    /// on the number of other spaces.
    async fn find(
        work: &mut Work<'_>,
        opened: &mut LoadedRevision,
        all: &[&ContentRef],
        known: &HashMap<PageId, Arc<Node>>,
    ) -> Result<Self, Error> {
        let (own, caller) = (opened.space.id.clone(), work.actor);
        let mut by_space: BTreeMap<Option<SpaceId>, Vec<&ContentRef>> = BTreeMap::new();
        for &reference in all {
            let space = space_of(reference).filter(|space| **space != own).cloned();
            by_space.entry(space).or_default().push(reference);
        }
        let mut targets = Self {
            own,
            here: Loaded::default(),
            elsewhere: HashMap::new(),
            collections: HashMap::new(),
            users: HashMap::new(),
            specs: HashMap::new(),
        };
        if let Some(references) = by_space.remove(&None) {
            let load = |snapshot: &Snapshot, objects: &MemoryObjects| load(snapshot, objects, &references, known);
            targets.here = opened.read(work, load).await?;
        }
        let ids: Vec<SpaceId> = by_space.keys().flatten().cloned().collect();
        if ids.is_empty() {
            return Ok(targets);
        }
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
                let references = by_space.get(&Some(space.id.clone())).map_or(&[][..], Vec::as_slice);
                load(snapshot, objects, references, &HashMap::new())
            }))
        };
        let loaded = work.compute(&mut MemoryObjects::default(), read).await?;
        for (LoadedRevision { space, .. }, loaded) in elsewhere.into_iter().zip(loaded) {
            targets.elsewhere.insert(space.id.clone(), (Arc::new(space), loaded));
        }
        Ok(targets)
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
            self.users = seen.map(|(_, user)| (user.id.clone(), user)).collect();
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
                loaded.pages.get(page).map(|node| LinkTarget::Page(Box::new(node.clone()), space))
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
