//! Caches rendered texts and pages, by a hash of all their inputs.
//!
//! Rendering is a pure function of values. So a cached result is valid for every visitor with equal values: visitors
//! with different claims and equal results share it, a change of the header renders no text again, and a merge causes
//! rendering only of pages with changed content. No invalidation is needed.
use crate::answer::Encoded;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Serialize;
use site_html::diagram::{Diagram, RendersDiagrams, UncachedDiagrams};
use std::sync::Arc;

/// The number of results that are expected in a cache.
const ITEMS: usize = 5_000;

/// The memory of an entry of a cache besides the result itself, in bytes, approximately.
pub(crate) const ENTRY: usize = 128;

/// A hash of all inputs of a result.
pub(crate) type Fingerprint = [u8; 32];

/// The hash of values; `None` if they cannot be serialized.
pub(crate) fn fingerprint(values: &impl Serialize) -> Option<Fingerprint> {
    let mut hasher = blake3::Hasher::new();
    let mut writer = std::io::BufWriter::new(&mut hasher);
    serde_json::to_writer(&mut writer, values).ok()?;
    drop(writer);
    Some(hasher.finalize().into())
}

/// A cacheable result.
pub(crate) trait Cacheable {
    /// The label `what` of the metric that counts rendered results.
    const WHAT: &'static str;

    /// The memory that it takes in the cache, in bytes, approximately.
    fn size(&self) -> usize;
}

impl Cacheable for Encoded {
    const WHAT: &'static str = "page";

    fn size(&self) -> usize {
        self.memory() + ENTRY
    }
}

#[derive(Clone)]
struct Size;

impl<V: Cacheable> Weighter<Fingerprint, Arc<V>> for Size {
    fn weight(&self, _: &Fingerprint, value: &Arc<V>) -> u64 {
        value.size() as u64
    }
}

/// Results by fingerprint.
pub(crate) struct RenderCache<V: Cacheable>(Cache<Fingerprint, Arc<V>, Size>);

impl<V: Cacheable> RenderCache<V> {
    /// Results of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(ITEMS, bytes, Size))
    }

    /// The cached result with a fingerprint.
    pub(crate) fn cached(&self, key: Option<&Fingerprint>) -> Option<Arc<V>> {
        self.0.get(key?)
    }

    /// The result with a fingerprint; it is computed if it is not cached. Concurrent requests for the same result share
    /// one computation.
    pub(crate) fn get(&self, key: Option<Fingerprint>, make: impl FnOnce() -> Arc<V>) -> Arc<V> {
        let make = || {
            metrics::counter!("octavo_site_rendered_total", "what" => V::WHAT).increment(1);
            make()
        };
        let Some(key) = key else { return make() };
        let made = self.0.get_or_insert_with(&key, || Ok::<_, std::convert::Infallible>(make()));
        match made {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }
}

/// The rendered diagram of a source; `None` if it cannot be rendered.
struct CachedDiagram(Option<Arc<Diagram>>);

impl Cacheable for CachedDiagram {
    const WHAT: &'static str = "diagram";

    fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |diagram| diagram.light.capacity() + diagram.dark.capacity()) + ENTRY
    }
}

/// Caches diagrams by their source. When a page is rendered again, only new diagrams are rendered.
pub(crate) struct DiagramCache(RenderCache<CachedDiagram>);

impl DiagramCache {
    /// Diagrams of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(RenderCache::new(bytes))
    }
}

impl std::fmt::Debug for DiagramCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiagramCache").finish_non_exhaustive()
    }
}

impl RendersDiagrams for DiagramCache {
    fn diagram(&self, source: &str) -> Option<Arc<Diagram>> {
        self.0.get(fingerprint(&source), || Arc::new(CachedDiagram(UncachedDiagrams.diagram(source)))).0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_result_is_made_once_for_equal_values() {
        let render_cache = RenderCache::new(1 << 20);
        let made = Cell::new(0);
        let render = |text: &str| {
            render_cache.get(fingerprint(&(text, 1)), || {
                made.set(made.get() + 1);
                Arc::new(CachedDiagram(Some(Arc::new(Diagram {
                    light: text.to_owned(),
                    dark: String::new(),
                    width: 1,
                    height: 1,
                }))))
            })
        };
        let light = |diagram: &CachedDiagram| diagram.0.as_ref().map(|diagram| diagram.light.clone());
        assert_eq!(light(&render("a")).as_deref(), Some("a"));
        assert_eq!(light(&render("b")).as_deref(), Some("b"));
        assert_eq!(light(&render("a")).as_deref(), Some("a"));
        assert_eq!(made.get(), 2);
    }

    #[test]
    fn different_values_have_different_fingerprints() {
        assert_ne!(fingerprint(&("ab", "c")), fingerprint(&("a", "bc")));
        assert_eq!(fingerprint(&("a", 1)), fingerprint(&("a", 1)));
    }
}
