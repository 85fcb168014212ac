//! The links of the pages of one revision, as far as the revision determines them. They are the same for every caller
//! who may view the space.
use super::cache::LinkCache;
use super::documents::{DocumentLink, DocumentLinks, text_size, use_size};
use super::listing::all_pages;
use super::{Found, LinkItem, LinkTarget, Targets, is_outside};
use crate::content::anchors::Anchors;
use crate::content::document::SpecificationUse;
use crate::content::object::{Hash, MemoryObjects, Read, together};
use crate::content::page::FileEntry;
use crate::content::reference::ContentRef;
use crate::content::snapshot::Snapshot;
use crate::content::tree::Node;
use crate::id::{FileId, PageId, SpaceId};
use crate::usecases::Error;
use crate::usecases::content::LoadedRevision;
use crate::usecases::work::Work;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;

/// References that are listed as one link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct About<'a> {
    pub(super) reference: &'a ContentRef,
    pub(super) depends_on: bool,
    /// Whether it is a missing anchor of the same page, or a missing part of an OpenAPI spec.
    pub(super) lost: bool,
}

impl About<'_> {
    /// The same in every revision.
    pub(super) fn id(&self) -> String {
        let Self { reference, depends_on, lost } = self;
        Hash::of(json!([reference, depends_on, lost]).to_string().as_bytes()).to_string()
    }
}

/// A reference in a page.
pub(super) struct Referred<'a> {
    pub(super) about: About<'a>,
    pub(super) link: &'a DocumentLink,
    pub(super) page: &'a Arc<Node>,
}

impl Referred<'_> {
    pub(super) fn place(&self) -> Found {
        Found { page: self.page.clone(), key: self.link.key.clone() }
    }
}

/// The links of pages of a revision, in the order of their references.
#[derive(Default)]
pub(super) struct RevisionLinks {
    entries: Vec<Entry>,
    /// The number of settled links.
    settled: usize,
    /// How many of them are broken.
    broken: usize,
    size: usize,
}

enum Entry {
    /// The revision determines its status.
    Settled(Arc<LinkItem>),
    /// Its status depends on objects outside of the space, and on the caller.
    Open(Box<OpenLink>),
}

/// A link to an object outside of the space.
pub(super) struct OpenLink {
    pub(super) reference: ContentRef,
    pub(super) depends_on: bool,
    /// Where it occurs, with what it shows of an OpenAPI spec there.
    pub(super) places: Vec<(Found, Option<Box<SpecificationUse>>)>,
}

impl RevisionLinks {
    /// The links to objects outside of the space.
    pub(super) fn open(&self) -> Vec<&OpenLink> {
        let entries = self.entries.iter();
        entries.filter_map(|entry| if let Entry::Open(link) = entry { Some(&**link) } else { None }).collect()
    }

    /// All links, with those that each open link became, in their order.
    pub(super) fn with<'a>(&'a self, open: &'a [Vec<Arc<LinkItem>>]) -> impl Iterator<Item = &'a Arc<LinkItem>> {
        let mut open = open.iter();
        self.entries.iter().flat_map(move |entry| match entry {
            Entry::Settled(item) => std::slice::from_ref(item),
            Entry::Open(_) => open.next().map(Vec::as_slice).unwrap_or_default(),
        })
    }

    /// The number of settled links, and how many of them are broken.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.settled, self.broken)
    }

    /// The places that refer to a file of the space `own`.
    pub(super) fn places_of_file(&self, own: &SpaceId, file: &FileId) -> Vec<Found> {
        let about = |item: &LinkItem| match &item.reference {
            ContentRef::File { file: id, space } => id == file && space.as_ref().is_none_or(|space| space == own),
            _ => false,
        };
        let places = |entry: &Entry| match entry {
            Entry::Settled(item) if about(item) => item.locations.to_vec(),
            Entry::Settled(_) | Entry::Open(_) => Vec::new(),
        };
        self.entries.iter().flat_map(places).collect()
    }

    /// The memory that they take, in bytes, approximately.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    fn push(&mut self, entry: Entry) {
        let places = match &entry {
            Entry::Settled(item) => {
                self.settled += 1;
                self.broken += usize::from(item.is_broken());
                self.size += size_of::<LinkItem>() + item.id.len() + text_size(&item.reference);
                self.size += match item.target {
                    Some(LinkTarget::File(..) | LinkTarget::ReusableContent(..)) => size_of::<FileEntry>(),
                    // Pages count once.
                    _ => 0,
                };
                size_of_val(&*item.locations)
            }
            Entry::Open(link) => {
                self.size += size_of::<OpenLink>() + text_size(&link.reference);
                let shown: usize = link.places.iter().filter_map(|(_, shows)| shows.as_deref()).map(use_size).sum();
                shown + size_of_val(&*link.places)
            }
        };
        self.size += size_of::<Entry>() + places;
        self.entries.push(entry);
    }
}

/// The links of all pages of a revision.
pub(super) async fn all_links(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    public_url: &str,
) -> Result<Arc<RevisionLinks>, Error> {
    let cache = work.link_cache();
    // All that they depend on. Spaces with the same content have the same manifest.
    let key = format!("{} {} {public_url}", opened.space.id, opened.revision.manifest);
    let key = Hash::of(key.as_bytes());
    if let Some(known) = cache.revision(&key) {
        return Ok(known);
    }
    let pages = all_pages(work, opened).await?;
    let links = Arc::new(collect(work, opened, &pages, public_url).await?);
    cache.add_revision(key, links.clone());
    Ok(links)
}

/// The links of some pages of a revision.
pub(super) async fn collect(
    work: &mut Work<'_>,
    opened: &mut LoadedRevision,
    pages: &[Arc<Node>],
    public_url: &str,
) -> Result<RevisionLinks, Error> {
    let cache = work.link_cache();
    let with_text: Vec<(&Arc<Node>, Hash)> =
        pages.iter().filter_map(|page| Some((page, page.page.document()?))).collect();
    let texts: Vec<Hash> = with_text.iter().map(|(_, text)| *text).collect();
    let documents = opened.read(work, |_, objects| cache.documents(objects, &texts)).await?;
    let with_text: Vec<PageLinks<'_>> =
        with_text.iter().zip(&documents).map(|((page, _), links)| (*page, &**links)).collect();
    let anchors = opened.read(work, |snapshot, objects| own_anchors(snapshot, objects, cache, &with_text)).await?;
    let all = references(&with_text, &anchors);
    let own = opened.space.id.clone();
    let mut inside: Vec<&ContentRef> =
        all.iter().map(|found| found.about.reference).filter(|reference| !is_outside(reference, &own)).collect();
    inside.dedup();
    let known: HashMap<PageId, Arc<Node>> = pages.iter().map(|page| (page.id.clone(), page.clone())).collect();
    let targets = Targets::inside(work, opened, &inside, &known).await?;
    let mut links = RevisionLinks { size: pages.iter().map(|page| page_size(page)).sum(), ..RevisionLinks::default() };
    for group in all.chunk_by(|one, other| one.about == other.about) {
        let [Referred { about, .. }, ..] = group else { continue };
        let About { reference, depends_on, .. } = *about;
        links.push(if is_outside(reference, &own) {
            let places = group.iter().map(|found| (found.place(), found.link.shows.clone())).collect();
            Entry::Open(Box::new(OpenLink { reference: reference.clone(), depends_on, places }))
        } else {
            let locations = group.iter().map(Referred::place).collect();
            Entry::Settled(Arc::new(LinkItem::new(*about, targets.of(reference, public_url), None, locations)))
        });
    }
    Ok(links)
}

/// A page and the links in its text.
pub(super) type PageLinks<'a> = (&'a Arc<Node>, &'a DocumentLinks);

/// The anchors of the pages that link to anchors of their own.
pub(super) fn own_anchors(
    snapshot: &Snapshot,
    objects: &MemoryObjects,
    cache: &LinkCache,
    pages: &[PageLinks<'_>],
) -> Read<Vec<Option<Anchors>>> {
    together(pages.iter().map(|(page, links)| {
        if !links.to_own_anchors {
            return Ok(None);
        }
        Anchors::with(snapshot, objects, &page.page, |text| cache.anchors(objects, text)).map(Some)
    }))
}

/// The references of pages, in the order of the references. `anchors` are the pages' own.
pub(super) fn references<'a>(pages: &[PageLinks<'a>], anchors: &[Option<Anchors>]) -> Vec<Referred<'a>> {
    let mut all = Vec::new();
    for (&(page, links), anchors) in pages.iter().zip(anchors) {
        all.extend(links.links.iter().map(|link| {
            let lost = match (&link.reference, anchors) {
                (ContentRef::Anchor { anchor, page: None, space: None }, Some(anchors)) => !anchors.contains(anchor),
                _ => false,
            };
            let about = About { reference: &link.reference, depends_on: link.depends_on, lost };
            Referred { about, link, page }
        }));
    }
    // Stable: the places of a reference stay in the order of the pages.
    all.sort_by(|one, other| one.about.cmp(&other.about));
    all
}

/// The memory that a page takes without the pages below it, in bytes, approximately.
fn page_size(node: &Node) -> usize {
    let page = &node.page;
    let texts = [Some(&node.path), Some(&page.title), Some(&page.slug), page.description.as_ref()];
    size_of::<Node>() + texts.into_iter().flatten().map(String::len).sum::<usize>() + 128
}
