//! A cache of values that are computed from the stored parts of versions. Parts never change, so no entry becomes old.
use crate::content::computed::{ComputedPage, ComputedSource};
use crate::content::object::Hash;
use crate::id::PageId;
use openapi::pages::PagesWanted;
use openapi::parts::Summary;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// The most cached operations, webhooks and schemas, and the most generated pages. Most take about a kilobyte.
const CAPACITY: u64 = 20_000;
/// The expected number of cached versions. It sets only how the cache is divided.
const VERSIONS: usize = 32;

/// Summaries of versions, and the pages that are generated from them.
pub(in crate::usecases) struct SpecCache {
    summaries: Cache<Hash, Arc<Summary>, Entries>,
    pages: Cache<Hash, Arc<[ComputedPage]>, Entries>,
}

/// Weighs a value by the number of its entries.
#[derive(Clone)]
struct Entries;

impl Weighter<Hash, Arc<Summary>> for Entries {
    fn weight(&self, _parts: &Hash, summary: &Arc<Summary>) -> u64 {
        (summary.operations.len() + summary.webhooks.len() + summary.schemas.len()) as u64 + 1
    }
}

impl Weighter<Hash, Arc<[ComputedPage]>> for Entries {
    fn weight(&self, _key: &Hash, pages: &Arc<[ComputedPage]>) -> u64 {
        number_of(pages) + 1
    }
}

/// The number of pages with those below them. The recursion is as deep as the pages nest.
fn number_of(pages: &[ComputedPage]) -> u64 {
    pages.iter().map(|page| 1 + number_of(&page.pages)).sum()
}

impl Default for SpecCache {
    fn default() -> Self {
        Self {
            summaries: Cache::with_weighter(VERSIONS, CAPACITY, Entries),
            pages: Cache::with_weighter(VERSIONS, CAPACITY, Entries),
        }
    }
}

impl SpecCache {
    /// The cached summary of the version with these parts.
    pub(super) fn summary(&self, parts: &Hash) -> Option<Arc<Summary>> {
        self.summaries.get(parts)
    }

    /// Adds the summary of the version with these parts.
    pub(super) fn add_summary(&self, parts: Hash, summary: Arc<Summary>) {
        self.summaries.insert(parts, summary);
    }

    /// The pages that are generated for a computed page from the version with these parts. `generate` is called if they
    /// are not cached.
    pub(in crate::usecases) fn pages(
        &self,
        page: &PageId,
        source: &ComputedSource,
        parts: &Hash,
        wanted: &PagesWanted,
        generate: impl FnOnce() -> Vec<ComputedPage>,
    ) -> Arc<[ComputedPage]> {
        let source = serde_json::to_string(source).unwrap_or_default();
        let key = Hash::of(format!("{page} {parts} {} {source}", wanted.changelog).as_bytes());
        if let Some(known) = self.pages.get(&key) {
            return known;
        }
        let pages: Arc<[ComputedPage]> = generate().into();
        self.pages.insert(key, pages.clone());
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi_pages::{computed_pages, wanted_pages};
    use openapi::parts::OperationSummary;
    use serde_json::Map;

    fn summary(path: &str) -> Summary {
        let operation = OperationSummary { method: "get".into(), path: path.into(), ..OperationSummary::default() };
        Summary { operations: vec![operation], ..Summary::default() }
    }

    #[test]
    fn pages_are_generated_once_for_a_place_a_source_and_a_version() {
        let cache = SpecCache::default();
        let (place, other): (PageId, PageId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let source = ComputedSource::openapi("pets", Map::new());
        let wanted = wanted_pages(&source).unwrap();
        let pages = |place: &PageId, source: &ComputedSource, parts: &str, wanted: &PagesWanted| {
            let mut generated = false;
            let pages = cache.pages(place, source, &Hash::of(parts.as_bytes()), wanted, || {
                generated = true;
                computed_pages(place, source, &summary(parts), wanted)
            });
            assert_eq!(pages.to_vec(), computed_pages(place, source, &summary(parts), wanted));
            generated
        };
        assert!(pages(&place, &source, "/pets", &wanted));
        assert!(!pages(&place, &source, "/pets", &wanted));
        assert!(pages(&other, &source, "/pets", &wanted), "another place has pages with other ids");
        assert!(pages(&place, &source, "/cats", &wanted), "another version");
        let grouped = ComputedSource::openapi("pets", Map::from_iter([("models".to_owned(), true.into())]));
        assert!(pages(&place, &grouped, "/pets", &wanted_pages(&grouped).unwrap()), "other options");
        let changelog = PagesWanted { changelog: !wanted.changelog, ..wanted };
        assert!(pages(&place, &source, "/pets", &changelog), "with or without a changelog");
    }

    #[test]
    fn a_summary_is_found_by_its_parts() {
        let cache = SpecCache::default();
        let parts = Hash::of(b"parts");
        assert!(cache.summary(&parts).is_none());
        cache.add_summary(parts, Arc::new(summary("/pets")));
        assert_eq!(cache.summary(&parts).as_deref(), Some(&summary("/pets")));
        assert!(cache.summary(&Hash::of(b"others")).is_none());
    }
}
