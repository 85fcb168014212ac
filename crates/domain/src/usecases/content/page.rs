//! Reading pages with their texts.
use super::computed::{Generator, VisibleSources, Wanted, sources};
use super::read::{PageRef, Version, visited};
use crate::content::computed::computed_page;
use crate::content::document::Document;
use crate::content::document::wire::StoredDocument;
use crate::content::evaluate::{Evaluated, evaluate, with_conditions};
use crate::content::expand::expand;
use crate::content::expression::{Scope, Variables};
use crate::content::href::{Addresses, Form};
use crate::content::markdown;
use crate::content::object::{Hash, MemoryObjects, Read, fetch};
use crate::content::page::{PageKind, Variable};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::{Node, Tree};
use crate::id::PageId;
use crate::site::visitor::SiteVisitor;
use crate::usecases::sites::start_page;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The format of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Blocks; the default.
    #[default]
    Document,
    /// Markdown.
    Markdown,
}

/// Which references are replaced by their content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dereferenced {
    /// None.
    #[default]
    No,
    /// Reusable contents.
    ReusableContents,
    /// Every reference that has a text: currently reusable contents only.
    All,
}

/// Options for reading a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageOptions {
    /// Its format.
    pub format: Format,
    /// In Markdown, the form of addresses.
    pub refs: Form,
    /// Which expressions are evaluated.
    pub evaluated: Evaluated,
    /// Which references are replaced by their content.
    pub dereferenced: Dereferenced,
}

/// A text in the requested format.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Blocks.
    Document(Document),
    /// Blocks in the stored form.
    Stored(StoredDocument),
    /// Markdown.
    Markdown(String),
}

/// A page with its text and the pages below it.
#[derive(Clone, Debug, PartialEq)]
pub struct PageContent {
    /// The page.
    pub node: Arc<Node>,
    /// Its text; absent for groups, links and computed pages, which have none.
    pub body: Option<Body>,
    /// Whether it is the same as long as the revision is. Generated pages change with their spec.
    pub is_lasting: bool,
}

/// The pages of a revision, without their texts.
#[derive(Clone, Debug, PartialEq)]
pub struct PageTree {
    /// The pages.
    pub tree: Tree,
    /// Whether they are the same as long as the revision is. Generated pages change with their spec.
    pub is_lasting: bool,
}

/// Reads the pages of one revision. A revision never changes, so this needs no snapshot of the database.
pub struct PageReader<'a> {
    work: Work<'a>,
    version: Version,
    objects: MemoryObjects,
    generator: Generator,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(work: Work<'a>, version: Version, objects: MemoryObjects) -> Self {
        let generator = Generator::new(version.organization().clone(), VisibleSources::Viewed);
        Self { work, version, objects, generator }
    }

    /// The revision.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// Runs a computation over the revision.
    pub(super) async fn read<T>(
        &mut self,
        mut f: impl FnMut(&Snapshot, &MemoryObjects) -> Read<T>,
    ) -> Result<T, Error> {
        let snapshot = self.version.snapshot();
        self.work.compute(&mut self.objects, |objects| f(snapshot, objects)).await
    }

    /// The page that the space starts with on the site that publishes it; `None` if that is not known.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub async fn start(&mut self) -> Result<Option<PageId>, Error> {
        let Some(published) = self.version.published() else { return Ok(None) };
        if let Some(known) = self.version.start().get() {
            return Ok(known.clone());
        }
        let wanted = published.start().cloned();
        let found = self.read(|snapshot, objects| start_page(snapshot, objects, wanted.as_ref())).await?;
        Ok(self.version.start().get_or_init(|| found).clone())
    }

    /// The pages as a tree, without their texts; with generated pages in the place of computed ones if `computed`.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub async fn tree(mut self, computed: bool) -> Result<PageTree, Error> {
        self.pages(computed).await
    }

    pub(super) async fn pages(&mut self, computed: bool) -> Result<PageTree, Error> {
        let tree = self.stored_tree().await?;
        if !computed || !self.version.snapshot().has_computed_pages() {
            return Ok(PageTree { tree, is_lasting: true });
        }
        let generated = self.generator.computed(&mut self.work, sources(&tree.roots)).await?;
        Ok(PageTree { tree: tree.with_computed(&generated), is_lasting: false })
    }

    /// The pages of the revision that the caller sees.
    async fn stored_tree(&mut self) -> Result<Tree, Error> {
        match self.work.actor.visitor() {
            Some(visitor) => self.read(|snapshot, objects| visited(&visitor.visit, snapshot, objects)).await,
            None => self.read(|snapshot, objects| snapshot.tree(objects)).await,
        }
    }

    /// A page with its text and the pages below it; with generated pages in the place of computed ones if `computed`. A
    /// generated page is found only then. A computed page is found by its id.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn page(
        mut self,
        page: &PageRef,
        computed: bool,
        options: Input<PageOptions>,
    ) -> Result<PageContent, Error> {
        if self.work.actor.visitor().is_some() {
            let PageTree { tree, is_lasting } = self.pages(computed).await?;
            let wanted = |node: &Node| match page {
                PageRef::Id(id) => node.id == *id,
                PageRef::Path(path) => node.path == *path,
            };
            let node = found(&tree, wanted).ok_or(Error::NotFound("page"))?;
            return self.with_text(node, is_lasting, options.read()?).await;
        }
        let options = options.read();
        let node = match self.stored_id(page, computed).await? {
            Some(id) => self.read(|snapshot, objects| snapshot.subtree(objects, &id)).await?,
            None => None,
        };
        let Some(node) = node else {
            let found = if computed { self.generated(page).await? } else { None };
            return self.with_text(found.ok_or(Error::NotFound("page"))?, false, options?).await;
        };
        let below = if computed { sources(&node.children) } else { Vec::new() };
        if below.is_empty() {
            return self.with_text(node, true, options?).await;
        }
        let generated = self.generator.computed(&mut self.work, below).await?;
        self.with_text(node.with_computed(&generated), false, options?).await
    }

    /// A generated page; also the first page of the space, if it is one.
    async fn generated(&mut self, page: &PageRef) -> Result<Option<Node>, Error> {
        let wanted = match page {
            PageRef::Id(id) => Wanted::Id(id),
            PageRef::Path(path) if is_first(path) => Wanted::First,
            PageRef::Path(path) => Wanted::Path(path),
        };
        let Self { work, version, objects, generator } = self;
        generator.page(work, version.snapshot(), objects, wanted).await
    }

    /// The same for a page that takes less than a millisecond of processor time to read; `None` for any other page.
    /// Read a larger page with [`PageReader::page`], on a thread that may block.
    ///
    /// # Errors
    /// See [`PageReader::page`].
    pub async fn small_page(
        mut self,
        page: &PageRef,
        computed: bool,
        options: Input<PageOptions>,
    ) -> Result<Option<PageContent>, Error> {
        // The visibility of a page for a visitor depends on the pages above it.
        if self.work.actor.visitor().is_some() {
            return Ok(None);
        }
        // Generated pages take longer.
        let generates = computed && self.version.snapshot().has_computed_pages();
        let absent = || if generates { Ok(None) } else { Err(Error::NotFound("page")) };
        let Some(id) = self.stored_id(page, computed).await? else { return absent() };
        let node = match self.small_node(&id).await? {
            Measured::Small(node) => node,
            Measured::Large => return Ok(None),
            Measured::Absent => return absent(),
        };
        let is_computed = |page: &Node| page.page.kind.is_computed();
        if generates && node.children.iter().flat_map(Node::iter).any(is_computed) {
            return Ok(None);
        }
        let text = self.read(|_, objects| fetch(objects, node.page.document())).await?;
        if text.first().is_some_and(|text| text.len() > SMALL.text) {
            return Ok(None);
        }
        let options = options.read()?;
        if options.evaluated != Evaluated::No || options.dereferenced != Dereferenced::No {
            return Ok(None);
        }
        Ok(Some(self.with_text(node, true, options).await?))
    }

    /// A page with the pages below it, from the cache if it was read before. Otherwise its text is loaded, too, in the
    /// query that loads the last of the rest.
    async fn small_node(&mut self, id: &PageId) -> Result<Measured, Error> {
        let cache = self.work.page_cache();
        if let Some(node) = cache.find(self.version.snapshot(), id) {
            return Ok(Measured::Small(node));
        }
        let page = self.read(|snapshot, objects| snapshot.outlined(objects, id, SMALL.pages)).await?;
        let Some(page) = page else { return Ok(Measured::Absent) };
        if page.below.len() > SMALL.pages {
            return Ok(Measured::Large);
        }
        // In two steps, because a computation starts again after missing objects are loaded.
        let (node, _) = self.read(|snapshot, objects| snapshot.node_and_text(objects, id, &page)).await?;
        let node = Arc::new(node);
        cache.add(self.version.snapshot(), Arc::clone(&node));
        Ok(Measured::Small(node))
    }

    /// The text of a page as blocks, and whether it is immutable: a generated page changes with its spec.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a page that has no text; [`Error::Invalid`].
    pub async fn document(self, page: &PageId, options: Input<PageOptions>) -> Result<(Document, bool), Error> {
        let options = Input::new(move || Ok(PageOptions { format: Format::Document, ..options.read()? }));
        let found = self.page(&PageRef::Id(page.clone()), true, options).await?;
        let document = match found.body {
            Some(Body::Document(document)) => document,
            Some(Body::Stored(document)) => document.decode().map_err(|error| Error::Corrupt(error.to_string()))?,
            _ => return Err(Error::NotFound("document")),
        };
        Ok((document, found.is_lasting))
    }

    /// The id of a page of the revision, whether it has the page or not; `None` if no page is at the path, or if it is
    /// a generated one if `computed`.
    async fn stored_id(&mut self, page: &PageRef, computed: bool) -> Result<Option<PageId>, Error> {
        let path = match page {
            PageRef::Id(id) => return Ok(Some(id.clone())),
            PageRef::Path(path) => path,
        };
        let Some(id) = self.read(|snapshot, objects| snapshot.page_at(objects, path)).await? else { return Ok(None) };
        if !computed || !is_first(path) || !self.version.snapshot().has_computed_pages() {
            return Ok(Some(id));
        }
        let first = self.read(|snapshot, objects| snapshot.page(objects, &id)).await?;
        Ok(Some(id).filter(|_| first.is_some_and(|page| !page.kind.is_computed())))
    }

    async fn with_text(
        &mut self,
        node: impl Into<Arc<Node>>,
        is_lasting: bool,
        options: PageOptions,
    ) -> Result<PageContent, Error> {
        let node = node.into();
        let visitor = self.work.actor.visitor();
        if let Some(generated) = &node.generated {
            let place = computed_page(&node.id);
            let written = self.generator.document(&mut self.work, &generated.source, place.as_ref()).await?;
            let written = written.unwrap_or_default();
            let text = |snapshot: &Snapshot, objects: &MemoryObjects| {
                let text = shown_text(objects, snapshot, written.clone(), &BTreeMap::new(), visitor, options)?;
                body(objects, snapshot, text, &node.path, options)
            };
            let body = Some(self.read(text).await?);
            return Ok(PageContent { node, body, is_lasting });
        }
        let body = match node.page.kind {
            PageKind::Group | PageKind::Link { .. } | PageKind::Computed { .. } => None,
            PageKind::Document { document: Some(text) } if visitor.is_none() && options == PageOptions::default() => {
                let text = self.read(|_, objects| fetch(objects, [text])).await?.into_iter().next();
                text.map(|text| Body::Stored(StoredDocument::new(text)))
            }
            PageKind::Document { document } => {
                let vars = &node.page.variables;
                let text = |snapshot: &Snapshot, objects: &MemoryObjects| {
                    let text = read_text(objects, snapshot, document, vars, visitor, options)?;
                    body(objects, snapshot, text, &node.path, options)
                };
                Some(self.read(text).await?)
            }
        };
        Ok(PageContent { node, body, is_lasting })
    }
}

/// The first page that is wanted.
fn found(tree: &Tree, wanted: impl Fn(&Node) -> bool) -> Option<Node> {
    tree.iter().find(|node| wanted(node)).cloned()
}

/// Whether a path is that of the first page of the space.
fn is_first(path: &str) -> bool {
    path.trim_matches('/').is_empty()
}

/// The largest page that counts as small.
struct PageLimits {
    /// Pages below it.
    pages: usize,
    /// Bytes of its stored text.
    text: usize,
}

/// A page that is read and written in less than a millisecond.
const SMALL: PageLimits = PageLimits { pages: 100, text: 64 * 1024 };

/// A page of a revision, by the number of pages below it.
enum Measured {
    /// No more than those of a [`SMALL`] page.
    Small(Arc<Node>),
    /// More than that.
    Large,
    /// The revision does not have the page.
    Absent,
}

/// A text with the requested replacements; for a visitor of a site, as the visit shows it. `page_variables` are the
/// variables of its page.
pub(super) fn read_text(
    objects: &MemoryObjects,
    snapshot: &Snapshot,
    document: Option<Hash>,
    page_variables: &BTreeMap<String, Variable>,
    visitor: Option<&Arc<SiteVisitor>>,
    options: PageOptions,
) -> Read<Document> {
    shown_text(objects, snapshot, text_of(objects, document)?, page_variables, visitor, options)
}

fn shown_text(
    objects: &MemoryObjects,
    snapshot: &Snapshot,
    text: Document,
    page_variables: &BTreeMap<String, Variable>,
    visitor: Option<&Arc<SiteVisitor>>,
    options: PageOptions,
) -> Read<Document> {
    let text = match options.dereferenced {
        Dereferenced::No => text,
        Dereferenced::ReusableContents | Dereferenced::All => expand(objects, snapshot, text)?,
    };
    if visitor.is_none() && options.evaluated == Evaluated::No {
        return Ok(text);
    }
    let space = Variables { vars: snapshot.variables(objects)?.into_iter().collect() };
    let scope = Scope { space, page: Variables { vars: page_variables.clone() } };
    let text = match visitor {
        Some(visitor) => {
            with_conditions(text, &|condition| visitor.visit.satisfies(condition, &scope.space, &scope.page))
        }
        None => text,
    };
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

#[cfg(test)]
mod tests;
