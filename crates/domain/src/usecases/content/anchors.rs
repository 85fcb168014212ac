//! The anchors that headings lose by a change of the primary content.
use crate::content::changes::{EditedText, FormerAnchor, pages_with_left_anchors};
use crate::content::map::MapChange;
use crate::content::object::{Hash, MemoryObjects, Objects};
use crate::content::page::PageEntry;
use crate::id::PageId;
use crate::usecases::Error;
use crate::usecases::work::Work;
use bytes::Bytes;

/// The maximum number of pages whose texts are in memory at the same time.
const PART: usize = 100;

/// The pages with a heading that lost its anchor, each with the anchors that its headings lost. `pages` is the
/// difference, and `loaded` has all texts that are not stored yet. If few texts differ, `loaded` gets them all.
pub(super) async fn left_anchors(
    work: &mut Work<'_>,
    loaded: &mut MemoryObjects,
    pages: &[MapChange<PageEntry>],
) -> Result<Vec<(PageId, Vec<FormerAnchor>)>, Error> {
    let edited = EditedText::all(pages);
    if edited.len() <= PART {
        return work.compute(loaded, |objects| pages_with_left_anchors(objects, &edited)).await;
    }
    let loaded: &MemoryObjects = loaded;
    let mut all = Vec::new();
    for part in edited.chunks(PART) {
        let mut texts = MemoryObjects::default();
        let read = |texts: &MemoryObjects| pages_with_left_anchors(&Either { texts, loaded }, part);
        all.extend(work.compute(&mut texts, read).await?);
    }
    Ok(all)
}

/// The texts of some pages, and all other loaded objects.
struct Either<'a> {
    texts: &'a MemoryObjects,
    loaded: &'a MemoryObjects,
}

impl Objects for Either<'_> {
    fn get(&self, hash: &Hash) -> Option<Bytes> {
        self.texts.get(hash).or_else(|| self.loaded.get(hash))
    }
}
