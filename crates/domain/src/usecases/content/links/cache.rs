//! A cache of links. Revisions and documents never change, so no entry becomes old.
use super::collected::RevisionLinks;
use super::documents::DocumentLinks;
use crate::content::anchors::DocumentAnchors;
use crate::content::object::{Hash, MemoryObjects, Read, fetch};
use crate::content::text_of;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// The size of the links of revisions, in bytes. Those of about 15,000 pages with two links each fit.
const REVISIONS: u64 = 32 << 20;
/// The size of the links of documents, in bytes, and that of their anchors. Those of some 8,000 documents fit.
const DOCUMENTS: u64 = 8 << 20;
/// The expected number of revisions. It sets only how the cache is divided: a cache for so few is not, so that a large
/// entry fits.
const EXPECTED_REVISIONS: usize = 16;
/// The expected number of documents.
const EXPECTED_DOCUMENTS: usize = 8192;
/// The size of an entry without its value, in bytes, approximately.
const ENTRY: usize = 96;

/// The links of the last read revisions, and of documents. An edit of a page makes another revision, whose other
/// documents are known.
pub(in crate::usecases) struct LinkCache {
    revisions: Cache<Hash, Arc<RevisionLinks>, Size>,
    documents: Cache<Hash, Arc<DocumentLinks>, Size>,
    anchors: Cache<Hash, Arc<DocumentAnchors>, Size>,
}

/// Weighs a value by the memory that it takes, in bytes.
#[derive(Clone)]
struct Size;

impl Weighter<Hash, Arc<RevisionLinks>> for Size {
    fn weight(&self, _key: &Hash, links: &Arc<RevisionLinks>) -> u64 {
        (links.size() + ENTRY) as u64
    }
}

impl Weighter<Hash, Arc<DocumentLinks>> for Size {
    fn weight(&self, _text: &Hash, links: &Arc<DocumentLinks>) -> u64 {
        (links.size() + ENTRY) as u64
    }
}

impl Weighter<Hash, Arc<DocumentAnchors>> for Size {
    fn weight(&self, _text: &Hash, anchors: &Arc<DocumentAnchors>) -> u64 {
        (anchors.size() + ENTRY) as u64
    }
}

impl Default for LinkCache {
    fn default() -> Self {
        Self {
            revisions: Cache::with_weighter(EXPECTED_REVISIONS, REVISIONS, Size),
            documents: Cache::with_weighter(EXPECTED_DOCUMENTS, DOCUMENTS, Size),
            anchors: Cache::with_weighter(EXPECTED_DOCUMENTS, DOCUMENTS, Size),
        }
    }
}

impl LinkCache {
    /// The links of a revision, by the hash of all that they depend on.
    pub(super) fn revision(&self, key: &Hash) -> Option<Arc<RevisionLinks>> {
        self.revisions.get(key)
    }

    /// Adds the links of a revision.
    pub(super) fn add_revision(&self, key: Hash, links: Arc<RevisionLinks>) {
        self.revisions.insert(key, links);
    }

    /// The links of these documents, in this order. Only documents whose links are not cached are read.
    pub(super) fn documents(&self, objects: &MemoryObjects, texts: &[Hash]) -> Read<Vec<Arc<DocumentLinks>>> {
        let cached: Vec<Option<Arc<DocumentLinks>>> = texts.iter().map(|text| self.documents.get(text)).collect();
        let unknown = texts.iter().zip(&cached).filter(|(_, links)| links.is_none()).map(|(text, _)| *text);
        fetch(objects, unknown)?;
        texts.iter().zip(cached).map(|(text, links)| links.map_or_else(|| self.read(objects, *text), Ok)).collect()
    }

    fn read(&self, objects: &MemoryObjects, text: Hash) -> Read<Arc<DocumentLinks>> {
        let links = Arc::new(DocumentLinks::of(text_of(objects, Some(text))?));
        self.documents.insert(text, links.clone());
        Ok(links)
    }

    /// The anchors of a document.
    pub(super) fn anchors(&self, objects: &MemoryObjects, text: Hash) -> Read<Arc<DocumentAnchors>> {
        if let Some(anchors) = self.anchors.get(&text) {
            return Ok(anchors);
        }
        let anchors = Arc::new(DocumentAnchors::of(text_of(objects, Some(text))?));
        self.anchors.insert(text, anchors.clone());
        Ok(anchors)
    }
}
