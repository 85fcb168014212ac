//! Reading content.
use crate::access::Granted;
use crate::actor::Actor;
use crate::change_request::ChangeRequestRef;
use crate::content::document::Document;
use crate::content::evaluate::{Evaluated, evaluate};
use crate::content::expand::expand;
use crate::content::expression::{Scope, Variables};
use crate::content::href::{Addresses, Form};
use crate::content::markdown;
use crate::content::object::{Hash, MemoryObjects, Read};
use crate::content::page::{FileEntry, MetaLinks, PageKind, ReusableContent, Tag, Variable};
use crate::content::reference::ContentRef;
use crate::content::revision::Revision;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::{Node, Tree};
use crate::id::{FileId, PageId, ReusableContentId, RevisionId, SpaceId};
use crate::paging::{Page, PageRequest};
use crate::ports::{Clock, Files, Ids, Store, Tx};
use crate::space::Space;
use crate::usecases::change_requests::{ShownChangeRequest, merged_from};
use crate::usecases::compute::compute;
use crate::usecases::{Error, Input, open};
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
    /// Where this server is reached: addresses below it are links inside the product.
    pub public_url: Arc<str>,
}

/// Which content of a space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// What readers see.
    Primary,
    /// One revision.
    Revision(RevisionId),
    /// What a change request proposes.
    ChangeRequest(ChangeRequestRef),
}

/// Which page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PageRef {
    /// By id.
    Id(PageId),
    /// By path.
    Path(String),
}

/// Something of a revision that the caller may read.
#[derive(Debug)]
pub struct Revised<T> {
    /// The space.
    pub space: Granted<Space>,
    /// The revision.
    pub revision: Revision,
    /// What was asked for.
    pub value: T,
}

/// All of a revision but the texts of its pages.
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

/// The form in which a text is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Blocks; also what is given when nobody asks.
    #[default]
    Document,
    /// Markdown.
    Markdown,
}

/// What is put in place of references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dereferenced {
    /// Nothing.
    #[default]
    No,
    /// Reusable contents are replaced by their text.
    ReusableContents,
    /// Every reference that has a text: today these are the reusable contents too.
    All,
}

/// How a text is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageOptions {
    /// Its form.
    pub format: Format,
    /// In Markdown, the form of addresses.
    pub refs: Form,
    /// Which expressions are evaluated.
    pub evaluated: Evaluated,
    /// What stands in place of references.
    pub dereferenced: Dereferenced,
}

/// A text in the form that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Blocks.
    Document(Document),
    /// Markdown.
    Markdown(String),
}

/// A page with its text and the pages below it.
#[derive(Clone, Debug, PartialEq)]
pub struct PageContent {
    /// The page.
    pub node: Node,
    /// Its text; absent for groups and links, which have none.
    pub body: Option<Body>,
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

    async fn page_id(&mut self, tx: &mut dyn Tx, page: &PageRef) -> Result<PageId, Error> {
        match page {
            PageRef::Id(id) => Ok(id.clone()),
            PageRef::Path(path) => {
                self.read(tx, |snapshot, objects| snapshot.page_at(objects, path)).await?.ok_or(Error::NotFound("page"))
            }
        }
    }
}

/// A space for a caller who may read it, and which revision of it is read.
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
    /// Which revision is read there, by a caller who may read the space. For [`At::Revision`] it is the one that is
    /// asked for, whether it is there or not.
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

    /// A page with its text and the pages below it.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the space, the revision or the page, [`Error::Invalid`].
    pub async fn page(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        page: &PageRef,
        options: Input<PageOptions>,
    ) -> Result<Revised<PageContent>, Error> {
        let mut tx = self.store.read().await?;
        let mut opened = open_at(&mut *tx, actor, space, at).await?;
        let id = opened.page_id(&mut *tx, page).await?;
        let node = opened.read(&mut *tx, |snapshot, objects| snapshot.subtree(objects, &id)).await?;
        let node = node.ok_or(Error::NotFound("page"))?;
        let options = options.read()?;
        let body = match node.page.kind {
            PageKind::Group | PageKind::Link { .. } => None,
            PageKind::Document { document } => {
                let vars = &node.page.variables;
                let text = |snapshot: &Snapshot, objects: &MemoryObjects| {
                    let text = read_text(objects, snapshot, document, vars, options)?;
                    body(objects, snapshot, text, &node.path, options)
                };
                Some(opened.read(&mut *tx, text).await?)
            }
        };
        Ok(opened.with(PageContent { node, body }))
    }

    /// The text of a page as blocks.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for a page that has no text, [`Error::Invalid`].
    pub async fn page_document(
        &self,
        actor: &Actor,
        space: &SpaceId,
        at: &At,
        page: &PageId,
        options: Input<PageOptions>,
    ) -> Result<Revised<Document>, Error> {
        let options = Input::new(move || Ok(PageOptions { format: Format::Document, ..options.read()? }));
        let found = self.page(actor, space, at, &PageRef::Id(page.clone()), options).await?;
        match found.value.body {
            Some(Body::Document(document)) => {
                Ok(Revised { space: found.space, revision: found.revision, value: document })
            }
            _ => Err(Error::NotFound("document")),
        }
    }

    /// A document by its id, when any revision of the space ever held it.
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

    /// Where else the content of a page stands.
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

/// A text, with what was asked for put in place. `page_variables` are those of the page it stands on.
fn read_text(
    objects: &MemoryObjects,
    snapshot: &Snapshot,
    document: Option<Hash>,
    page_variables: &BTreeMap<String, Variable>,
    options: PageOptions,
) -> Read<Document> {
    let text = text_of(objects, document)?;
    let text = match options.dereferenced {
        Dereferenced::No => text,
        Dereferenced::ReusableContents | Dereferenced::All => expand(objects, snapshot, text)?,
    };
    if options.evaluated == Evaluated::No {
        return Ok(text);
    }
    let space = Variables { vars: snapshot.variables(objects)?.into_iter().collect() };
    let scope = Scope { space, page: Variables { vars: page_variables.clone() } };
    Ok(evaluate(text, &scope, options.evaluated))
}

fn body(objects: &MemoryObjects, snapshot: &Snapshot, text: Document, path: &str, options: PageOptions) -> Read<Body> {
    Ok(match options.format {
        Format::Document => Body::Document(text),
        Format::Markdown => {
            let targets: Vec<ContentRef> = text.references().into_iter().map(|found| found.target).collect();
            let addresses = Addresses::find(objects, snapshot, path, options.refs, &targets)?;
            Body::Markdown(markdown::write(&text, &addresses))
        }
    })
}
