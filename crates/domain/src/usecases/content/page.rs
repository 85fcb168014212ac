//! Reading pages with their texts.
use super::read::{PageRef, Version, visited};
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
use crate::content::snapshot::{Outlined, Snapshot};
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
    /// Blocks, as they are stored.
    Stored(StoredDocument),
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

    /// The pages as a tree, without their texts.
    ///
    /// # Errors
    /// [`Error::Corrupt`].
    pub async fn tree(mut self) -> Result<Tree, Error> {
        if let Some(visitor) = self.work.actor.visitor() {
            return self.read(|snapshot, objects| visited(&visitor.visit, snapshot, objects)).await;
        }
        self.read(|snapshot, objects| snapshot.tree(objects)).await
    }

    /// A page with its text and the pages below it.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn page(mut self, page: &PageRef, options: Input<PageOptions>) -> Result<PageContent, Error> {
        if let Some(visitor) = self.work.actor.visitor() {
            let tree = self.read(|snapshot, objects| visited(&visitor.visit, snapshot, objects)).await?;
            let wanted = |node: &&Node| match page {
                PageRef::Id(id) => node.id == *id,
                PageRef::Path(path) => node.path == *path,
            };
            let node = tree.iter().find(wanted).cloned().ok_or(Error::NotFound("page"))?;
            return self.with_text(node, options.read()?).await;
        }
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
        // What a visitor sees of a page depends on the pages above it.
        if self.work.actor.visitor().is_some() {
            return Ok(None);
        }
        let id = self.page_id(page).await?;
        let page = self.read(|snapshot, objects| snapshot.outlined(objects, &id, SMALL.pages)).await?;
        let page = page.ok_or(Error::NotFound("page"))?;
        if !SMALL.has(&page, None) {
            return Ok(None);
        }
        // In two steps, since each one starts again when it has loaded what it misses.
        let (node, text) = self.read(|snapshot, objects| snapshot.node_and_text(objects, &id, &page)).await?;
        if !SMALL.has(&page, text.as_deref()) {
            return Ok(None);
        }
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
            Some(Body::Stored(document)) => document.decode().map_err(|error| Error::Corrupt(error.to_string())),
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
        let visitor = self.work.actor.visitor();
        let body = match node.page.kind {
            PageKind::Group | PageKind::Link { .. } => None,
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
        Ok(PageContent { node, body })
    }
}

/// The largest page that counts as small.
struct Most {
    /// Pages below it.
    pages: usize,
    /// Bytes of its stored text.
    text: usize,
}

/// A page that is read and written in less than a millisecond.
const SMALL: Most = Most { pages: 100, text: 64 * 1024 };

impl Most {
    /// Whether a page is no larger.
    fn has(&self, page: &Outlined, text: Option<&[u8]>) -> bool {
        page.below.len() <= self.pages && text.is_none_or(|text| text.len() <= self.text)
    }
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
    let text = text_of(objects, document)?;
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
        Some(visitor) => with_conditions(text, &|condition| visitor.visit.meets(condition, &scope.space, &scope.page)),
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
mod tests {
    use super::*;
    use crate::content::order::OrderKey;
    use crate::content::page::PageEntry;
    use chrono::DateTime;
    use rstest::rstest;

    #[rstest]
    #[case::exactly(3, Some(2), true)]
    #[case::one_page_more(4, Some(2), false)]
    #[case::one_byte_more(3, Some(3), false)]
    #[case::without_a_text(0, None, true)]
    fn a_small_page_has_few_pages_below_it_and_a_short_text(
        #[case] pages: usize,
        #[case] text: Option<usize>,
        #[case] is_small: bool,
    ) {
        let order = OrderKey::sequence(1).remove(0);
        let page = PageEntry::new(PageKind::Group, "Title", "title", order, DateTime::UNIX_EPOCH);
        let below = vec!["p".parse().unwrap(); pages];
        let text = text.map(|length| vec![b' '; length]);
        assert_eq!(Most { pages: 3, text: 2 }.has(&Outlined { page, below }, text.as_deref()), is_small);
    }
}
