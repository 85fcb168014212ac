//! Caches of the reader.
use super::file_uses::FileUseCache;
use super::trees::TreeCache;
use crate::content::changes::FormerAnchor;
use crate::content::document::{BlockType, Document};
use crate::content::object::Hash;
use crate::id::{PageId, RevisionId};
use crate::usecases::sites::known::KnownSites;
use openapi::tree::Node;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Data that is cached between visits. All of it can be computed again.
#[derive(Debug, Default)]
pub struct ReaderCache {
    pub(super) sites: KnownSites,
    pub(super) trees: TreeCache,
    pub(super) file_uses: FileUseCache,
    pub(super) plain: PlainTexts,
    pub(super) documents: DocumentCache,
    pub(super) former_anchors: FormerAnchorCache,
}

/// The content of a file as an OpenAPI document.
#[derive(Clone, Debug)]
pub(super) enum FileDocument {
    /// The document.
    Read(Arc<Node>),
    /// The file has no document that can be read.
    Unreadable,
}

/// The documents in the last read files, by the hashes of their bytes.
#[derive(Debug, Default)]
pub(super) struct DocumentCache(Mutex<VecDeque<(Hash, FileDocument)>>);

/// The most cached documents; each takes at most about ten megabytes.
const MOST_DOCUMENTS: usize = 4;

impl DocumentCache {
    /// The document with this hash, if it is cached.
    pub(super) fn get(&self, hash: &Hash) -> Option<FileDocument> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| known == hash).map(|(_, document)| document.clone())
    }

    /// Adds a document. A full cache drops the oldest one.
    pub(super) fn keep(&self, hash: Hash, document: FileDocument) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Two visits can read the same one at the same time.
        if known.iter().any(|(known, _)| *known == hash) {
            return;
        }
        if known.len() == MOST_DOCUMENTS {
            known.pop_front();
        }
        known.push_back((hash, document));
    }
}

/// Plain texts: the same for all visitors and in all revisions. A search need not read them again.
#[derive(Debug, Default)]
pub(super) struct PlainTexts(Mutex<HashSet<Hash>>);

/// The most cached texts; each takes about 50 bytes.
const MOST: usize = 20_000;

impl PlainTexts {
    /// Whether this text is cached as plain.
    pub(super) fn has(&self, text: &Hash) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(text)
    }

    /// Adds a text if it is plain: it has no conditional part, and includes no other text.
    pub(super) fn add_if_plain(&self, text: Hash, document: &Document) {
        let differs = |kind| matches!(kind, BlockType::If | BlockType::ReusableContent);
        if document.walk().any(|block| differs(block.kind.block_type())) {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == MOST {
            known.clear();
        }
        known.insert(text);
    }
}

/// A page, with the primary revision of its space.
type PageAtRevision = (RevisionId, PageId);

/// The former anchors of pages. They are the same until the primary content of the space changes.
#[derive(Debug, Default)]
pub(super) struct FormerAnchorCache(Mutex<CachedAnchors>);

#[derive(Debug, Default)]
struct CachedAnchors {
    pages: HashMap<PageAtRevision, Arc<[FormerAnchor]>>,
    /// The memory that they take, in bytes, approximately.
    bytes: usize,
}

/// The most memory of cached anchors, in bytes.
const MOST_BYTES: usize = 4 << 20;
/// The memory of a page without anchors, in bytes, approximately: most pages have none.
const PAGE: usize = 200;

/// The memory that a page with its anchors takes, in bytes, approximately.
fn memory(anchors: &[FormerAnchor]) -> usize {
    let texts: usize = anchors.iter().map(|former| former.anchor.len() + former.heading.0.len()).sum();
    PAGE + size_of_val(anchors) + texts
}

impl FormerAnchorCache {
    /// The anchors of a page, if they are cached.
    pub(super) fn get(&self, page: &PageAtRevision) -> Option<Arc<[FormerAnchor]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pages.get(page).cloned()
    }

    /// Adds the anchors of a page, and returns them. A full cache drops all others.
    pub(super) fn keep(&self, page: PageAtRevision, anchors: Arc<[FormerAnchor]>) -> Arc<[FormerAnchor]> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = memory(&anchors);
        if known.bytes + more > MOST_BYTES {
            *known = CachedAnchors::default();
        }
        // Two visits can read the same page at the same time.
        if known.pages.insert(page, anchors.clone()).is_none() {
            known.bytes += more;
        }
        anchors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::document::Key;
    use crate::content::markdown;
    use rstest::rstest;

    #[rstest]
    #[case("Words.\n\n# More\n", true)]
    #[case("{% if visitor.claims.plan == \"pro\" %}\nWords.\n{% endif %}\n", false)]
    #[case("{% hint style=\"info\" %}\n{% include \"reusable\" %}\n{% endhint %}\n", false)]
    fn a_text_with_conditions_or_other_texts_is_not_plain(#[case] text: &str, #[case] plain: bool) {
        let document = markdown::parse(text, &markdown::Unresolved).into_document().unwrap();
        let (texts, hash) = (PlainTexts::default(), Hash::of(text.as_bytes()));
        assert!(!texts.has(&hash));
        texts.add_if_plain(hash, &document);
        assert_eq!(texts.has(&hash), plain);
    }

    #[test]
    fn the_cache_keeps_the_last_documents_and_unreadable_ones() {
        let (documents, hash) = (DocumentCache::default(), |number: u8| Hash::of(&[number]));
        (0..=4).for_each(|number| (0..2).for_each(|_visit| documents.keep(hash(number), FileDocument::Unreadable)));
        assert!(matches!(documents.get(&hash(4)), Some(FileDocument::Unreadable)));
        assert!(documents.get(&hash(0)).is_none() && documents.get(&hash(1)).is_some());
    }

    #[test]
    fn the_number_of_cached_texts_is_limited() {
        let texts = PlainTexts::default();
        let hash = |number: usize| Hash::of(&number.to_le_bytes());
        (0..=MOST).for_each(|number| texts.add_if_plain(hash(number), &Document::default()));
        assert!(texts.has(&hash(MOST)) && !texts.has(&hash(0)));
    }

    #[test]
    fn former_anchors_are_cached_for_a_page_of_a_revision() {
        let cache = FormerAnchorCache::default();
        let page = |revision: &str, page: &str| (revision.parse().unwrap(), page.parse().unwrap());
        let anchors: Arc<[FormerAnchor]> = [FormerAnchor { anchor: "x".to_owned(), heading: Key("k".into()) }].into();
        assert_eq!(cache.keep(page("r", "p"), anchors.clone()), anchors);
        assert_eq!(cache.get(&page("r", "p")), Some(anchors));
        assert_eq!([cache.get(&page("r2", "p")), cache.get(&page("r", "q"))], [None, None]);
    }

    #[rstest]
    #[case::pages_without_anchors(0, 0)]
    #[case::short_anchors(20, 5)]
    #[case::the_longest_anchors(20, 800)]
    fn the_memory_of_cached_former_anchors_is_limited(#[case] anchors: usize, #[case] length: usize) {
        let cache = FormerAnchorCache::default();
        let page = |number: usize| (format!("r{number}").parse().unwrap(), "p".parse().unwrap());
        let former = FormerAnchor { anchor: "x".repeat(length), heading: Key("k".into()) };
        let anchors: Arc<[FormerAnchor]> = vec![former; anchors].into();
        let most = MOST_BYTES / memory(&anchors);
        (0..most).for_each(|number| drop(cache.keep(page(number), anchors.clone())));
        assert!(cache.get(&page(0)).is_some() && cache.get(&page(most - 1)).is_some());
        cache.keep(page(most), anchors);
        assert!(cache.get(&page(0)).is_none() && cache.get(&page(most)).is_some());
    }
}
