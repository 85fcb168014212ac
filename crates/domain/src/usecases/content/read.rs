//! Reading content.
use super::page::{PageOptions, read_text};
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::document::Document;
use crate::content::object::{Hash, MemoryObjects, Read};
use crate::content::page::{FileEntry, MetaLinks, ReusableContent, Tag, Variable};
use crate::content::revision::Revision;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::Tree;
use crate::id::{FileId, PageId, ReusableContentId, RevisionId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::{Clock, Files, Ids, Store, Tx};
use crate::space::Space;
use crate::usecases::change_requests::{ShownChangeRequest, merged_from};
use crate::usecases::compute::compute;
use crate::usecases::people::{People, Viewer};
use crate::usecases::{Error, Input, open};
use crate::user::Person;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Reads and writes content.
#[derive(Clone)]
pub struct Content {
    /// Storage.
    pub store: Arc<dyn Store>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids.
    pub ids: Arc<dyn Ids>,
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
    /// Its author; `None` if the operator of the server made it, or the account is gone.
    pub author: Option<Person>,
}

/// A revision without the texts of its pages.
#[derive(Debug)]
pub struct Whole {
    /// Pages.
    pub tree: Tree,
    /// Files, by id.
    pub files: Vec<(FileId, FileEntry)>,
    /// Reusable contents, by id.
    pub reusable_contents: Vec<(ReusableContentId, ReusableContent)>,
    /// Variables, by name.
    pub variables: Vec<(String, Variable)>,
    /// Tags, by slug.
    pub tags: Vec<(String, Tag)>,
    /// The change request that it merged.
    pub merged_from: Option<ShownChangeRequest>,
}

/// An open revision: the base of every read.
pub(in crate::usecases) struct Opened {
    pub(in crate::usecases) space: Granted<Space>,
    pub(in crate::usecases) revision: Revision,
    pub(in crate::usecases) snapshot: Snapshot,
    pub(in crate::usecases) objects: MemoryObjects,
}

impl Opened {
    /// Runs a computation over the revision.
    pub(in crate::usecases) async fn read<T>(
        &mut self,
        tx: &mut dyn Tx,
        mut f: impl FnMut(&Snapshot, &MemoryObjects) -> Read<T>,
    ) -> Result<T, Error> {
        let snapshot = &self.snapshot;
        compute(tx, &mut self.objects, |objects| f(snapshot, objects)).await
    }

    pub(in crate::usecases) fn with<T>(self, value: T) -> Revised<T> {
        Revised { space: self.space, revision: self.revision, value }
    }

    pub(super) async fn page_id(&mut self, tx: &mut dyn Tx, page: &PageRef) -> Result<PageId, Error> {
        match page {
            PageRef::Id(id) => Ok(id.clone()),
            PageRef::Path(path) => {
                self.read(tx, |snapshot, objects| snapshot.page_at(objects, path)).await?.ok_or(Error::NotFound("page"))
            }
        }
    }
}

/// The space, if the caller may read it, and the id of the revision.
async fn revision_at(
    tx: &mut dyn Tx,
    actor: &Actor,
    space: &SpaceId,
    at: &At,
) -> Result<(Granted<Space>, RevisionId), Error> {
    let space = open::space(tx, actor, space, |may| may.view).await?;
    let id = match at {
        At::Primary => space.revision.clone(),
        At::Revision(id) => id.clone(),
        At::ChangeRequest(which) => {
            let found = tx.change_requests().find(&space.id, which).await?;
            found.ok_or(Error::NotFound("change request"))?.revision
        }
    };
    Ok((space, id))
}

/// Opens a revision for a caller who may read the space.
pub(in crate::usecases) async fn open_at(
    tx: &mut dyn Tx,
    actor: &Actor,
    space: &SpaceId,
    at: &At,
) -> Result<Opened, Error> {
    let (space, id) = revision_at(tx, actor, space, at).await?;
    let revision = tx.content().revision(&space.id, &id).await?.ok_or(Error::NotFound("revision"))?;
    let mut objects = MemoryObjects::default();
    let snapshot = compute(tx, &mut objects, |objects| Snapshot::load(objects, &revision.manifest)).await?;
    Ok(Opened { space, revision, snapshot, objects })
}

impl Content {
    /// The id of the revision at `at`, for a caller who may read the space. For [`At::Revision`] it is the given id,
    /// whether the revision exists or not.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the change request.
    pub async fn revision_at(&self, actor: &Actor, space: &SpaceId, at: &At) -> Result<RevisionId, Error> {
        let mut tx = self.store.read().await?;
        Ok(revision_at(&mut *tx, actor, space, at).await?.1)
    }

    /// A revision with its pages (without their texts), files and the rest.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the revision.
    pub async fn revision(&self, actor: &Actor, space: &SpaceId, at: &At) -> Result<Revised<Whole>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let whole = opened.read(&mut *tx, |snapshot, objects| {
            Ok(Whole {
                tree: snapshot.tree(objects)?,
                files: snapshot.files(objects)?,
                reusable_contents: snapshot.reusable_contents(objects)?,
                variables: snapshot.variables(objects)?,
                tags: snapshot.tags(objects)?,
                merged_from: None,
            })
        });
        let mut whole = whole.await?;
        whole.merged_from = merged_from(&mut *tx, actor, &opened.space, &opened.revision).await?;
        Ok(opened.with(whole))
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
        let mut tx = self.store.read().await?;
        let space = open::space(&mut *tx, actor, space, |may| may.view).await?;
        let found = tx.content().primary_revisions(&space.id, &page.read()?).await?;
        let authors = found.items.iter().filter_map(|revision| revision.author.clone());
        let viewer = Viewer { actor, organization: &space.organization };
        let people = People::find(&mut *tx, viewer, authors).await?;
        found.try_map(|revision| Ok(ShownRevision { author: people.get_if(revision.author.as_ref())?, revision }))
    }

    /// The pages of a revision as a tree, without their texts.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the revision.
    pub async fn pages(&self, actor: &Actor, space: &SpaceId, at: &At) -> Result<Revised<Tree>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let tree = opened.read(&mut *tx, |snapshot, objects| snapshot.tree(objects)).await?;
        Ok(opened.with(tree))
    }

    /// The files of a revision, by id.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space or the revision, [`Error::Invalid`].
    pub async fn files(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        page: Input<PageRequest>,
    ) -> Result<Revised<Page<(FileId, FileEntry)>>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let page = page.read()?;
        let files = opened.read(&mut *tx, |snapshot, objects| snapshot.files(objects)).await?;
        Ok(opened.with(Page::of_sorted(files, &page, |(id, _)| id.to_string())))
    }

    /// A file of a revision.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn file(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        id: &FileId,
    ) -> Result<Revised<FileEntry>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let file = opened.read(&mut *tx, |snapshot, objects| snapshot.file(objects, id)).await?;
        Ok(opened.with(file.ok_or(Error::NotFound("file"))?))
    }

    /// A document by its id, if any revision of the space ever contained it.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn document(&self, actor: &Actor, space: &SpaceId, id: &Hash) -> Result<Document, Error> {
        let mut tx = self.store.read().await?;
        open::space(&mut *tx, actor, space, |may| may.view).await?;
        if !tx.content().holds_document(space, id).await? {
            return Err(Error::NotFound("document"));
        }
        compute(&mut *tx, &mut MemoryObjects::default(), |objects| text_of(objects, Some(*id))).await
    }

    /// A reusable content of a revision.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn reusable_content(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        id: &ReusableContentId,
    ) -> Result<Revised<ReusableContent>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let found = opened.read(&mut *tx, |snapshot, objects| snapshot.reusable_content(objects, id)).await?;
        Ok(opened.with(found.ok_or(Error::NotFound("reusable content"))?))
    }

    /// The text of a reusable content as blocks.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn reusable_content_document(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        id: &ReusableContentId,
        options: Input<PageOptions>,
    ) -> Result<Revised<Document>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let found = opened.read(&mut *tx, |snapshot, objects| snapshot.reusable_content(objects, id)).await?;
        let document = found.ok_or(Error::NotFound("reusable content"))?.document;
        let options = options.read()?;
        let text = {
            let none = BTreeMap::new();
            opened.read(&mut *tx, |snapshot, objects| read_text(objects, snapshot, document, &none, options)).await?
        };
        Ok(opened.with(text))
    }

    /// The canonical and alternate locations of a page.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn meta_links(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        page: &PageId,
    ) -> Result<Revised<MetaLinks>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let found = opened.read(&mut *tx, |snapshot, objects| snapshot.page(objects, page)).await?;
        Ok(opened.with(found.ok_or(Error::NotFound("page"))?.meta_links))
    }
}
