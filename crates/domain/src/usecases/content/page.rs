//! Reading pages with their texts.
use super::read::{PageRef, Version};
use crate::content::document::Document;
use crate::content::evaluate::{Evaluated, evaluate};
use crate::content::expand::expand;
use crate::content::expression::{Scope, Variables};
use crate::content::href::{Addresses, Form};
use crate::content::markdown;
use crate::content::object::{Hash, MemoryObjects, Read};
use crate::content::page::{PageKind, Variable};
use crate::content::reference::ContentRef;
use crate::content::snapshot::{Most, Small, Snapshot};
use crate::content::text_of;
use crate::content::tree::{Node, Tree};
use crate::id::PageId;
use crate::usecases::work::Work;
use crate::usecases::{Error, Input};
use std::collections::BTreeMap;

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

/// Reads the pages of one revision. Content never changes, so it needs no snapshot of the database.
pub struct PageReader<'a> {
    work: Work<'a>,
    version: Version,
    objects: MemoryObjects,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(work: Work<'a>, version: Version, objects: MemoryObjects) -> Self {
        Self { work, version, objects }
    }

    /// The revision.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// Runs a computation over the revision.
    async fn read<T>(&mut self, mut f: impl FnMut(&Snapshot, &MemoryObjects) -> Read<T>) -> Result<T, Error> {
        let snapshot = self.version.snapshot();
        self.work.compute(&mut self.objects, |objects| f(snapshot, objects)).await
    }

    /// The pages as a tree, without their texts.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub async fn tree(mut self) -> Result<Tree, Error> {
        self.read(|snapshot, objects| snapshot.tree(objects)).await
    }

    /// A page with its text and the pages below it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn page(mut self, page: &PageRef, options: Input<PageOptions>) -> Result<PageContent, Error> {
        let id = self.page_id(page).await?;
        self.content(&id, options).await
    }

    /// The same for a page that takes less than a millisecond of processor time to read; `None` for any other page.
    /// Read a larger page with [`PageReader::page`], on a thread that may block.
    ///
    /// # Errors
    /// See [`PageReader::page`].
    pub async fn small_page(
        mut self,
        page: &PageRef,
        options: Input<PageOptions>,
    ) -> Result<Option<PageContent>, Error> {
        let id = self.page_id(page).await?;
        let node = match self.read(|snapshot, objects| snapshot.small_subtree(objects, &id, SMALL)).await? {
            Small::Absent => return Err(Error::NotFound("page")),
            Small::Larger => return Ok(None),
            Small::Page(node) => *node,
        };
        let options = options.read()?;
        if options.evaluated != Evaluated::No || options.dereferenced != Dereferenced::No {
            return Ok(None);
        }
        Ok(Some(self.with_text(node, options).await?))
    }

    /// The text of a page as blocks.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a page that has no text; [`Error::Invalid`].
    pub async fn document(self, page: &PageId, options: Input<PageOptions>) -> Result<Document, Error> {
        let options = Input::new(move || Ok(PageOptions { format: Format::Document, ..options.read()? }));
        match self.page(&PageRef::Id(page.clone()), options).await?.body {
            Some(Body::Document(document)) => Ok(document),
            _ => Err(Error::NotFound("document")),
        }
    }

    async fn page_id(&mut self, page: &PageRef) -> Result<PageId, Error> {
        match page {
            PageRef::Id(id) => Ok(id.clone()),
            PageRef::Path(path) => {
                let found = self.read(|snapshot, objects| snapshot.page_at(objects, path)).await?;
                found.ok_or(Error::NotFound("page"))
            }
        }
    }

    async fn content(&mut self, id: &PageId, options: Input<PageOptions>) -> Result<PageContent, Error> {
        let node = self.read(|snapshot, objects| snapshot.subtree(objects, id)).await?;
        let node = node.ok_or(Error::NotFound("page"))?;
        self.with_text(node, options.read()?).await
    }

    async fn with_text(&mut self, node: Node, options: PageOptions) -> Result<PageContent, Error> {
        let body = match node.page.kind {
            PageKind::Group | PageKind::Link { .. } => None,
            PageKind::Document { document } => {
                let vars = &node.page.variables;
                let text = |snapshot: &Snapshot, objects: &MemoryObjects| {
                    let text = read_text(objects, snapshot, document, vars, options)?;
                    body(objects, snapshot, text, &node.path, options)
                };
                Some(self.read(text).await?)
            }
        };
        Ok(PageContent { node, body })
    }
}

/// A page that is read and written in less than a millisecond.
const SMALL: Most = Most { pages: 100, text: 64 * 1024 };

/// A text with the requested replacements. `page_variables` are the variables of its page.
pub(super) fn read_text(
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
