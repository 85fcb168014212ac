//! Reading content.
use super::computed::{Generator, VisibleSources, Wanted};
use super::page::{PageOptions, PageReader, read_text};
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::{ChangeRequest, ChangeRequestRef};
use crate::content::document::Document;
use crate::content::expression::Variables;
use crate::content::object::{Hash, MemoryObjects, Read, fetch};
use crate::content::page::{FileEntry, MetaLinks, ReusableContent};
use crate::content::revision::Revision;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::Tree;
use crate::id::{FileId, OrganizationId, PageId, ReusableContentId, RevisionId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::Files;
use crate::ports::store::spaces::ForUser;
use crate::site::audience::SiteVisit;
use crate::site::publication::SpacePublication;
use crate::space::{Space, SpacePermissions};
use crate::usecases::change_requests::{ShownChangeRequest, merged_from};
use crate::usecases::open::grant_space;
use crate::usecases::people::People;
use crate::usecases::work::{Units, Work};
use crate::usecases::{Error, Input};
use crate::user::Person;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// Reads and writes content.
#[derive(Clone)]
pub struct Content {
    /// Units of work.
    pub units: Units,
    /// The bytes of files.
    pub files: Arc<dyn Files>,
    /// The public address of this server: links to addresses below it are links inside the product.
    pub public_url: Arc<str>,
}

/// A version of the content of a space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// The primary content.
    Primary,
    /// A revision.
    Revision(RevisionId),
    /// The content of a change request.
    ChangeRequest(ChangeRequestRef),
}

/// A reference to a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PageRef {
    /// By id.
    Id(PageId),
    /// By path.
    Path(String),
}

/// A part of a revision that the caller may read.
#[derive(Debug)]
pub struct Revised<T> {
    /// The space.
    pub space: Granted<Space>,
    /// The revision.
    pub revision: Revision,
    /// The part.
    pub value: T,
}

/// An entry of the history of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownRevision {
    /// The revision.
    pub revision: Revision,
    /// Its author; `None` if the operator of the server made it, or the account was deleted.
    pub author: Option<Person>,
}

/// A loaded revision of a space that the caller may read.
pub(in crate::usecases) struct LoadedRevision {
    pub(in crate::usecases) space: Granted<Space>,
    pub(in crate::usecases) revision: Revision,
    pub(in crate::usecases) snapshot: Snapshot,
    pub(in crate::usecases) objects: MemoryObjects,
}

impl LoadedRevision {
    /// Loads a version of the content of a space for a caller who may view the space.
    pub(in crate::usecases) async fn find(work: &mut Work<'_>, space: &SpaceId, at: &At) -> Result<Self, Error> {
        let (space, id, _) = revision_at(work, space, at, |may| may.view).await?;
        Self::load(work, space, &id).await
    }

    /// Loads the primary content of spaces in a few queries, for the server, which may view all spaces. Spaces without
    /// content are left out.
    pub(in crate::usecases) async fn find_all(work: &mut Work<'_>, spaces: &[SpaceId]) -> Result<Vec<Self>, Error> {
        let (found, actor) = (work.spaces().find_many(spaces).await?, work.actor);
        // No grants are loaded. So for other callers, the result is empty.
        let found = found.into_iter().map(|entity| ForUser { entity, membership: None, places: Vec::new() });
        let spaces = found.filter_map(|found| grant_space(actor, found, |may| may.view).ok());
        Self::load_all(work, spaces.collect()).await
    }

    /// Loads the primary content of loaded spaces in a few queries, in the same order. Spaces without content are left
    /// out.
    pub(in crate::usecases) async fn load_all(
        work: &mut Work<'_>,
        spaces: Vec<Granted<Space>>,
    ) -> Result<Vec<Self>, Error> {
        if spaces.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<RevisionId> = spaces.iter().map(|space| space.revision.clone()).collect();
        let found = work.content().revisions(&ids).await?;
        let mut revisions: HashMap<RevisionId, Revision> = found.into_iter().map(|one| (one.id.clone(), one)).collect();
        let mut objects = MemoryObjects::default();
        let manifests: Vec<Hash> = revisions.values().map(|revision| revision.manifest).collect();
        work.compute(&mut objects, |objects| fetch(objects, manifests.iter().copied())).await?;
        let mut all = Vec::with_capacity(spaces.len());
        for space in spaces {
            let Some(revision) = revisions.remove(&space.revision) else { continue };
            let snapshot = work.compute(&mut objects, |objects| Snapshot::load(objects, &revision.manifest)).await?;
            all.push(Self { space, revision, snapshot, objects: MemoryObjects::default() });
        }
        Ok(all)
    }

    /// Loads a revision of a loaded space.
    pub(super) async fn load(work: &mut Work<'_>, space: Granted<Space>, id: &RevisionId) -> Result<Self, Error> {
        let revision = work.content().revision(&space.id, id).await?.ok_or(Error::NotFound("revision"))?;
        let mut objects = MemoryObjects::default();
        let snapshot = work.compute(&mut objects, |objects| Snapshot::load(objects, &revision.manifest)).await?;
        Ok(Self { space, revision, snapshot, objects })
    }

    /// Runs a computation over the revision.
    pub(in crate::usecases) async fn read<T>(
        &mut self,
        work: &mut Work<'_>,
        mut f: impl FnMut(&Snapshot, &MemoryObjects) -> Read<T>,
    ) -> Result<T, Error> {
        let snapshot = &self.snapshot;
        work.compute(&mut self.objects, |objects| f(snapshot, objects)).await
    }

    /// Drops the objects in memory, such as texts that are not needed any more.
    pub(in crate::usecases) fn drop_objects(&mut self) {
        self.objects = MemoryObjects::default();
    }

    pub(in crate::usecases) fn with<T>(self, value: T) -> Revised<T> {
        Revised { space: self.space, revision: self.revision, value }
    }
}

/// The space, if the caller has a permission on it, the id of the revision, and the change request that has it as its
/// content. Visitors of a site read the primary content alone.
async fn revision_at(
    work: &mut Work<'_>,
    space: &SpaceId,
    at: &At,
    need: impl FnOnce(&SpacePermissions) -> bool,
) -> Result<(Granted<Space>, RevisionId, Option<ChangeRequest>), Error> {
    let space = work.space(space, need).await?;
    match at {
        At::Primary => {}
        At::Revision(id) if *id == space.revision || space.permissions().view => {}
        At::Revision(_) => return Err(Error::NotFound("revision")),
        At::ChangeRequest(_) => space.require(|may| may.view).map_err(Error::denied("space"))?,
    }
    Ok(match at {
        At::Primary => {
            let id = space.revision.clone();
            (space, id, None)
        }
        At::Revision(id) => (space, id.clone(), None),
        At::ChangeRequest(which) => {
            let found = work.change_requests().find(&space.id, which).await?;
            let request = found.ok_or(Error::NotFound("change request"))?;
            (space, request.revision.clone(), Some(request))
        }
    })
}

impl Content {
    /// Opens a version of the content of a space for a caller who may read the space.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the change request. A missing revision is reported by the methods of
    /// [`Reader`].
    pub async fn open<'a>(&'a self, actor: &'a Actor, space: &SpaceId, at: &At) -> Result<Reader<'a>, Error> {
        let mut work = self.units.read(actor).await?;
        let (space, revision, change_request) = revision_at(&mut work, space, at, |may| may.read).await?;
        let primary = matches!(at, At::Primary);
        let public_url = &self.public_url;
        Ok(Reader { work, space, revision, change_request, primary, published: None, public_url })
    }

    /// Opens a version again for the caller for whom it was loaded. The caller must still have access: nothing may have
    /// been committed since.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn reopen<'a>(&'a self, actor: &'a Actor, version: Version) -> Result<PageReader<'a>, Error> {
        Ok(PageReader::new(self.units.query(actor).await?, version, MemoryObjects::default()))
    }

    /// The history of a space: the revisions that are, or were, its content.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, [`Error::Invalid`].
    pub async fn revisions(
        &self,
        actor: &Actor,
        space: &SpaceId,
        page: Input<PageRequest>,
    ) -> Result<Page<ShownRevision>, Error> {
        let mut work = self.units.read(actor).await?;
        let space = work.space(space, |may| may.view).await?;
        let found = work.content().primary_revisions(&space.id, &page.read()?).await?;
        let authors = found.items.iter().filter_map(|revision| revision.author.clone());
        let people = People::find(&mut work, &space.organization, authors).await?;
        found.try_map(|revision| Ok(ShownRevision { author: people.get_if(revision.author.as_ref())?, revision }))
    }

    /// A document by its id, if any revision of the space ever contained it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn document(&self, actor: &Actor, space: &SpaceId, id: &Hash) -> Result<Document, Error> {
        let mut work = self.units.read(actor).await?;
        work.space(space, |may| may.view).await?;
        if !work.content().holds_document(space, id).await? {
            return Err(Error::NotFound("document"));
        }
        work.compute(&mut MemoryObjects::default(), |objects| text_of(objects, Some(*id))).await
    }
}

/// Reads one revision, in the unit of work that checked the caller's access. It is a snapshot, so the revision does not
/// change in between.
pub struct Reader<'a> {
    work: Work<'a>,
    space: Granted<Space>,
    revision: RevisionId,
    /// The change request with this content.
    change_request: Option<ChangeRequest>,
    /// Whether this is the primary content, which visitors of sites see.
    primary: bool,
    published: Option<SpacePublication>,
    public_url: &'a str,
}

/// A revision that was loaded for a caller who may read its space.
#[derive(Clone, Debug)]
pub struct Version(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    /// The organization of the space.
    organization: OrganizationId,
    revision: Revision,
    snapshot: Snapshot,
    published: Option<SpacePublication>,
    /// The page that the space starts with on its site, once it was loaded.
    start: OnceLock<Option<PageId>>,
}

impl Version {
    /// The id of the revision.
    pub fn revision_id(&self) -> &RevisionId {
        &self.0.revision.id
    }

    /// The revision.
    pub fn revision(&self) -> &Revision {
        &self.0.revision
    }

    /// Where its pages are published, if that was loaded ([`Reader::published`]).
    pub fn published(&self) -> Option<&SpacePublication> {
        self.0.published.as_ref()
    }

    pub(super) fn organization(&self) -> &OrganizationId {
        &self.0.organization
    }

    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.0.snapshot
    }

    pub(super) fn start(&self) -> &OnceLock<Option<PageId>> {
        &self.0.start
    }

    /// A version that is not published, for tests.
    #[cfg(test)]
    pub(super) fn of(organization: OrganizationId, revision: Revision, snapshot: Snapshot) -> Self {
        Self(Arc::new(Loaded { organization, revision, snapshot, published: None, start: OnceLock::new() }))
    }
}

/// A [`Reader`] with its revision loaded.
pub(super) struct OpenReader<'a> {
    pub(super) work: Work<'a>,
    pub(super) opened: LoadedRevision,
    /// The change request with this content.
    pub(super) change_request: Option<ChangeRequest>,
    pub(super) public_url: &'a str,
}

impl<'a> OpenReader<'a> {
    /// Reads the pages, which are published at `published`.
    fn pages(self, published: Option<SpacePublication>) -> PageReader<'a> {
        let Self { work, opened: LoadedRevision { space, revision, snapshot, objects }, .. } = self;
        let (organization, start) = (space.organization.clone(), OnceLock::new());
        let version = Version(Arc::new(Loaded { organization, revision, snapshot, published, start }));
        PageReader::new(work, version, objects)
    }

    /// Runs a computation over the revision.
    pub(super) async fn read<T>(&mut self, f: impl FnMut(&Snapshot, &MemoryObjects) -> Read<T>) -> Result<T, Error> {
        self.opened.read(&mut self.work, f).await
    }

    pub(super) fn with<T>(self, value: T) -> Revised<T> {
        self.opened.with(value)
    }
}

impl<'a> Reader<'a> {
    /// The id of the revision. For [`At::Revision`] it is the given id, whether the revision exists or not.
    pub fn revision_id(&self) -> &RevisionId {
        &self.revision
    }

    /// Loads where the pages are published: a site that shows the space shows its primary content.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub async fn published(mut self) -> Result<Self, Error> {
        if self.primary {
            let publications = self.work.publications(std::slice::from_ref(&self.space.id), None, None).await?;
            self.published = publications.of(&self.space.id);
        }
        Ok(self)
    }

    /// Where its pages are published, if that was loaded.
    pub fn publication(&self) -> Option<&SpacePublication> {
        self.published.as_ref()
    }

    pub(super) async fn load(self) -> Result<OpenReader<'a>, Error> {
        let Self { mut work, space, revision, change_request, public_url, .. } = self;
        let opened = LoadedRevision::load(&mut work, space, &revision).await?;
        Ok(OpenReader { work, opened, change_request, public_url })
    }

    /// Loads the revision, to read its pages.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision.
    pub async fn pages(mut self) -> Result<PageReader<'a>, Error> {
        let published = self.published.take();
        Ok(self.load().await?.pages(published))
    }

    /// The same, with the change request that the revision merged, if the caller may see it. The revision never changes,
    /// but the change request does, for example with its comments and the names of its users.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision.
    pub async fn pages_and_merge(mut self) -> Result<(PageReader<'a>, Option<ShownChangeRequest>), Error> {
        let published = self.published.take();
        let mut open = self.load().await?;
        let LoadedRevision { space, revision, .. } = &open.opened;
        let merge = match space.permissions().view {
            true => merged_from(&mut open.work, space, revision).await?,
            false => None,
        };
        Ok((open.pages(published), merge))
    }

    /// The files of a revision, by id.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision, [`Error::Invalid`].
    pub async fn files(self, page: Input<PageRequest>) -> Result<Revised<Page<(FileId, FileEntry)>>, Error> {
        let mut open = self.load().await?;
        let page = page.read()?;
        let (after, enough) = (page.after.as_deref(), page.limit + 1);
        let (files, total) = open.read(|snapshot, objects| snapshot.files_after(objects, after, enough)).await?;
        Ok(open.with(Page::from_overfetch(files, &page, total, |(id, _)| id.to_string())))
    }

    /// A file of a revision.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn file(self, id: &FileId) -> Result<Revised<FileEntry>, Error> {
        let mut open = self.load().await?;
        let file = open.read(|snapshot, objects| snapshot.file(objects, id)).await?;
        Ok(open.with(file.ok_or(Error::NotFound("file"))?))
    }

    /// A reusable content of a revision.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn reusable_content(self, id: &ReusableContentId) -> Result<Revised<ReusableContent>, Error> {
        let mut open = self.load().await?;
        let found = open.read(|snapshot, objects| snapshot.reusable_content(objects, id)).await?;
        Ok(open.with(found.ok_or(Error::NotFound("reusable content"))?))
    }

    /// The text of a reusable content as blocks.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn reusable_content_document(
        self,
        id: &ReusableContentId,
        options: Input<PageOptions>,
    ) -> Result<Revised<Document>, Error> {
        let mut open = self.load().await?;
        let found = open.read(|snapshot, objects| snapshot.reusable_content(objects, id)).await?;
        let document = found.ok_or(Error::NotFound("reusable content"))?.document;
        let options = options.read()?;
        let text = {
            let none = BTreeMap::new();
            let visitor = open.work.actor.visitor();
            open.read(|snapshot, objects| read_text(objects, snapshot, document, &none, visitor, options)).await?
        };
        Ok(open.with(text))
    }

    /// The canonical and alternate locations of a page; a generated page has none.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn meta_links(self, page: &PageId) -> Result<Revised<MetaLinks>, Error> {
        let mut open = self.load().await?;
        let found = open.read(|snapshot, objects| snapshot.page(objects, page)).await?;
        if found.is_none() && open.work.actor.visitor().is_none() {
            let OpenReader { work, opened: LoadedRevision { space, snapshot, objects, .. }, .. } = &mut open;
            let mut generator = Generator::new(space.organization.clone(), VisibleSources::Viewed);
            generator.page(work, snapshot, objects, Wanted::Id(page)).await?.ok_or(Error::NotFound("page"))?;
            return Ok(open.with(MetaLinks::default()));
        }
        if let Some(visitor) = open.work.actor.visitor() {
            let tree = open.read(|snapshot, objects| visited(&visitor.visit, snapshot, objects)).await?;
            tree.iter().find(|node| node.id == *page).ok_or(Error::NotFound("page"))?;
        }
        Ok(open.with(found.ok_or(Error::NotFound("page"))?.meta_links))
    }
}

/// The pages of a revision that a visit shows.
pub(in crate::usecases) fn visited(visit: &SiteVisit, snapshot: &Snapshot, objects: &MemoryObjects) -> Read<Tree> {
    let space = Variables { vars: snapshot.variables(objects)?.into_iter().collect() };
    Ok(visit.sees_pages(snapshot.tree(objects)?, &space))
}
