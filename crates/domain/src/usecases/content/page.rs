//! Reading pages with their texts.
use super::read::{OpenReader, PageRef, Reader, Revised};
use crate::content::document::Document;
use crate::content::evaluate::{Evaluated, evaluate};
use crate::content::expand::expand;
use crate::content::expression::{Scope, Variables};
use crate::content::href::{Addresses, Form};
use crate::content::markdown;
use crate::content::object::{Hash, MemoryObjects, Read, fetch};
use crate::content::page::{PageKind, Variable};
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::text_of;
use crate::content::tree::Node;
use crate::id::PageId;
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

impl Reader<'_> {
    /// A page with its text and the pages below it.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the revision or the page, [`Error::Invalid`].
    pub async fn page(self, page: &PageRef, options: Input<PageOptions>) -> Result<Revised<PageContent>, Error> {
        let mut open = self.load().await?;
        let id = open.page_id(page).await?;
        let content = open.page_content(&id, options).await?;
        Ok(open.with(content))
    }

    /// The same for a page that takes less than a millisecond of processor time to read; `None` for any other page.
    /// Read a larger page with [`Reader::page`], on a thread that may block.
    ///
    /// # Errors
    /// See [`Reader::page`].
    pub async fn small_page(
        self,
        page: &PageRef,
        options: Input<PageOptions>,
    ) -> Result<Option<Revised<PageContent>>, Error> {
        let mut open = self.load().await?;
        let id = open.page_id(page).await?;
        let found = open.read(|snapshot, objects| is_small(snapshot, objects, &id)).await?;
        let options = match options.read() {
            Ok(options) if found => options,
            // [`Reader::page`] reports the error, after it has found the page.
            Ok(_) | Err(_) => return Ok(None),
        };
        if options.evaluated != Evaluated::No || options.dereferenced != Dereferenced::No {
            return Ok(None);
        }
        let content = open.page_content(&id, options.into()).await?;
        Ok(Some(open.with(content)))
    }

    /// The text of a page as blocks.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a page that has no text; [`Error::Invalid`].
    pub async fn page_document(self, page: &PageId, options: Input<PageOptions>) -> Result<Revised<Document>, Error> {
        let options = Input::new(move || Ok(PageOptions { format: Format::Document, ..options.read()? }));
        let found = self.page(&PageRef::Id(page.clone()), options).await?;
        match found.value.body {
            Some(Body::Document(document)) => {
                Ok(Revised { space: found.space, revision: found.revision, value: document })
            }
            _ => Err(Error::NotFound("document")),
        }
    }
}

impl OpenReader<'_> {
    async fn page_id(&mut self, page: &PageRef) -> Result<PageId, Error> {
        match page {
            PageRef::Id(id) => Ok(id.clone()),
            PageRef::Path(path) => {
                let found = self.read(|snapshot, objects| snapshot.page_at(objects, path)).await?;
                found.ok_or(Error::NotFound("page"))
            }
        }
    }

    /// A page with its text and the pages below it.
    async fn page_content(&mut self, id: &PageId, options: Input<PageOptions>) -> Result<PageContent, Error> {
        let node = self.read(|snapshot, objects| snapshot.subtree(objects, id)).await?;
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
                Some(self.read(text).await?)
            }
        };
        Ok(PageContent { node, body })
    }
}

/// The largest stored text, in bytes, that is read and written in less than a millisecond.
const SMALL_TEXT: usize = 64 * 1024;
/// The largest number of pages below a page that are read and written in less than a millisecond.
const SMALL_SUBTREE: usize = 100;

/// Whether a page has a small text and few pages below it. A missing page is small.
fn is_small(snapshot: &Snapshot, objects: &MemoryObjects, id: &PageId) -> Read<bool> {
    let Some(page) = snapshot.page(objects, id)? else { return Ok(true) };
    if let Some(document) = page.document() {
        let texts = fetch(objects, [document])?;
        if texts.iter().any(|text| text.len() > SMALL_TEXT) {
            return Ok(false);
        }
    }
    Ok(snapshot.descendants(objects, id, SMALL_SUBTREE + 1)?.len() <= SMALL_SUBTREE)
}

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
