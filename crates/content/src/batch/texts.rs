//! Makes documents from the texts of a batch.
use super::addresses::{AddressCollector, KnownTargets, Lookup, Resolver};
use super::plain::unlinked;
use super::run::Batch;
use super::{Step, refuse};
use crate::document::{Block, Document, DocumentError, Relation, keep_keys};
use crate::href::{Addresses, Form};
use crate::markdown::{self, LinkUse, Links, MarkdownFile, Unresolved};
use crate::object::{Objects, Read, together};
use crate::reference::ContentRef;
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;
use values::id::PageId;

/// The text of a change.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// The index of the change.
    pub(super) by: usize,
    /// The text.
    pub(super) text: Text,
    /// The text that it replaces, whose keys it keeps.
    pub(super) old: Document,
}

/// A text in the form in which the change has it.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// A document.
    Ready(Document),
    /// A document with parts from Markdown, whose addresses are not resolved yet.
    Mixed(Document),
    /// Markdown.
    Markdown {
        /// The source.
        source: String,
        /// Whether its first heading is the title of its page.
        titled: bool,
    },
}

impl Pending {
    /// The document as far as it is known before the batch ends.
    pub(super) fn document(&self) -> Document {
        match &self.text {
            Text::Ready(document) | Text::Mixed(document) => document.clone(),
            Text::Markdown { source, titled } => {
                let document = parse(source, *titled, &Unresolved).into_document();
                keep_keys(&self.old, document.unwrap_or_default())
            }
        }
    }
}

fn parse(source: &str, titled: bool, links: &dyn Links) -> MarkdownFile {
    if titled { markdown::parse(source, links) } else { markdown::parse_whole(source, links) }
}

/// Resolves the addresses in a document in the same way as in Markdown.
fn resolve(mut document: Document, links: &dyn Links) -> Document {
    document.map_shown_references(|relation, target| {
        let use_ = match relation {
            Relation::Image => LinkUse::Image,
            Relation::File | Relation::Drawing | Relation::Specification => LinkUse::File,
            Relation::Include => LinkUse::Include,
            Relation::Link | Relation::Button | Relation::Mention | Relation::Card | Relation::Cell | Relation::Tag => {
                LinkUse::Link
            }
        };
        if let ContentRef::Url { url } = target
            && let Some(found) = links.resolve(url, use_)
        {
            *target = found;
        }
    });
    document
}

/// A text with addresses to resolve, and what they depend on.
struct Writing<'b> {
    id: &'b PageId,
    pending: &'b Pending,
    /// The path of its page after the batch.
    path: String,
    /// The references in the text that it replaces.
    targets: Vec<ContentRef>,
}

impl Writing<'_> {
    /// The text, with its addresses resolved.
    fn read(&self, links: &dyn Links) -> Result<Vec<Block>, DocumentError> {
        Ok(match &self.pending.text {
            Text::Ready(document) => document.blocks.clone(),
            Text::Mixed(document) => resolve(document.clone(), links).blocks,
            Text::Markdown { source, titled } => parse(source, *titled, links).document?.blocks,
        })
    }
}

/// The addresses that the text of a page was read with, in all their forms; none for a new page.
pub(super) fn as_read(objects: &dyn Objects, head: &Snapshot, id: &PageId, text: &Document) -> Read<Vec<Addresses>> {
    let Some(path) = head.path(objects, id)? else { return Ok(Vec::new()) };
    addresses(objects, head, &path, &targets(text))
}

fn addresses(objects: &dyn Objects, tree: &Snapshot, from: &str, targets: &[ContentRef]) -> Read<Vec<Addresses>> {
    let forms = [Form::Relative, Form::Stable];
    together(forms.map(|form| Addresses::find(objects, tree, from, form, targets)))
}

fn targets(text: &Document) -> Vec<ContentRef> {
    text.references().into_iter().map(|found| found.target).collect()
}

impl Batch<'_> {
    /// Whether `source` is the Markdown that a read of the replaced text returned. Then the text does not change,
    /// including what Markdown cannot express.
    pub(super) fn is_as_read(&self, id: &PageId, text: &Document, source: &str) -> Read<bool> {
        let read = as_read(self.work.objects, self.sources.head, id, text)?;
        Ok(read.iter().any(|addresses| markdown::write(text, addresses).trim_end() == source.trim_end()))
    }
}

/// The documents of all texts of the batch. `end` is the tree of pages after it.
pub(super) fn finish(batch: &Batch<'_>, objects: &dyn Objects, end: &Snapshot) -> Step<BTreeMap<PageId, Document>> {
    let head = batch.sources.head;
    let mut documents = BTreeMap::new();
    let mut texts = Vec::new();
    for (id, pending) in &batch.texts {
        if let Text::Ready(document) = &pending.text {
            documents.insert(id.clone(), document.clone());
            continue;
        }
        let targets = targets(&pending.old);
        texts.push(end.path(objects, id).map(|path| Writing { id, pending, path: path.unwrap_or_default(), targets }));
    }
    let texts = together(texts)?;
    let before = together(texts.iter().map(|text| as_read(objects, head, text.id, &text.pending.old)));
    let after = together(texts.iter().map(|text| addresses(objects, end, &text.path, &text.targets)));
    let collectors: Vec<AddressCollector> = texts.iter().map(|text| addresses_in(text, batch)).collect();
    let lookup = Lookup::find(objects, end, collectors.iter());
    // Reports the missing objects of all of these together.
    let waits = [before.as_ref().err(), after.as_ref().err(), lookup.as_ref().err()];
    together(waits.into_iter().map(|error| error.map_or(Ok(()), |error| Err(error.clone()))))?;
    let (before, after, lookup) = (before?, after?, lookup?);
    for ((text, before), (after, collector)) in texts.iter().zip(&before).zip(after.iter().zip(&collectors)) {
        let Pending { by, text: sent, old } = text.pending;
        let (before, after) = (KnownTargets::of(&text.targets, before), KnownTargets::of(&text.targets, after));
        let links = Resolver { collector, lookup: &lookup, before: &before, after: &after };
        let blocks = text.read(&links).map(|blocks| unlinked(blocks, &|url| links.stays(url)));
        let document = match blocks.and_then(Document::from_blocks) {
            Ok(document) if matches!(sent, Text::Markdown { .. }) => keep_keys(old, document),
            Ok(document) => document,
            Err(error) => return refuse("document.markdown", error.to_string()).map_err(|stop| stop.of(*by)),
        };
        documents.insert(text.id.clone(), document);
    }
    Ok(documents)
}

/// The possible targets of the addresses in a text.
fn addresses_in<'a>(text: &'a Writing<'_>, batch: &'a Batch<'_>) -> AddressCollector<'a> {
    let collector = AddressCollector::new(&text.path, &batch.references);
    // A text that cannot be read has no addresses; it is rejected when its document is made.
    let _ = text.read(&collector);
    collector
}
