//! Finished texts and pages, by a hash of everything that they are made from.
//!
//! Drawing is a pure function of values. So a result is valid for as long as it is cached, for every visitor with equal
//! values: visitors with different claims and equal outcomes share it, a change of the header draws no text again, and a
//! merge makes only the pages again that show something else. Nothing has to be removed when something changes.
use crate::answer::Encoded;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde::Serialize;
use site_html::diagram::{Diagram, DrawnAgain, DrawsDiagrams};
use std::sync::Arc;

/// The number of results that are expected in a cache.
const ITEMS: usize = 5_000;

/// A hash of everything that a result is made from.
pub(crate) type Fingerprint = [u8; 32];

/// The hash of values; `None` if they cannot be serialized.
pub(crate) fn fingerprint(values: &impl Serialize) -> Option<Fingerprint> {
    let mut hasher = blake3::Hasher::new();
    let mut writer = std::io::BufWriter::new(&mut hasher);
    serde_json::to_writer(&mut writer, values).ok()?;
    drop(writer);
    Some(hasher.finalize().into())
}

/// A result that takes room in a cache.
pub(crate) trait Finished {
    /// The value of the label `what` of the metric that counts the results that were made.
    const WHAT: &'static str;

    /// Its size in bytes.
    fn size(&self) -> usize;
}

impl Finished for Encoded {
    const WHAT: &'static str = "page";

    fn size(&self) -> usize {
        self.bytes().len() + 2048
    }
}

#[derive(Clone)]
struct Size;

impl<V: Finished> Weighter<Fingerprint, Arc<V>> for Size {
    fn weight(&self, _: &Fingerprint, value: &Arc<V>) -> u64 {
        value.size() as u64
    }
}

/// Results by fingerprint.
pub(crate) struct Memo<V: Finished>(Cache<Fingerprint, Arc<V>, Size>);

impl<V: Finished> Memo<V> {
    /// Results of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(ITEMS, bytes, Size))
    }

    /// The result with a fingerprint; it is made if it is not cached. Requests for the same result wait for one.
    pub(crate) fn get(&self, key: Option<Fingerprint>, make: impl FnOnce() -> Arc<V>) -> Arc<V> {
        let make = || {
            metrics::counter!("octavo_site_drawn_total", "what" => V::WHAT).increment(1);
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

/// What was drawn of the source of a diagram, or that it cannot be.
struct Drawn(Option<Arc<Diagram>>);

impl Finished for Drawn {
    const WHAT: &'static str = "diagram";

    fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |diagram| diagram.light.len() + diagram.dark.len()) + 128
    }
}

/// Diagrams by their source. A page that is drawn again draws only those that are new.
pub(crate) struct HeldDiagrams(Memo<Drawn>);

impl HeldDiagrams {
    /// Diagrams of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Memo::new(bytes))
    }
}

impl std::fmt::Debug for HeldDiagrams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HeldDiagrams").finish_non_exhaustive()
    }
}

impl DrawsDiagrams for HeldDiagrams {
    fn diagram(&self, source: &str) -> Option<Arc<Diagram>> {
        self.0.get(fingerprint(&source), || Arc::new(Drawn(DrawnAgain.diagram(source)))).0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_result_is_made_once_for_equal_values() {
        let memo = Memo::new(1 << 20);
        let made = Cell::new(0);
        let draw = |text: &str| {
            memo.get(fingerprint(&(text, 1)), || {
                made.set(made.get() + 1);
                Arc::new(Drawn(Some(Arc::new(Diagram {
                    light: text.to_owned(),
                    dark: String::new(),
                    width: 1,
                    height: 1,
                }))))
            })
        };
        let light = |drawn: &Drawn| drawn.0.as_ref().map(|diagram| diagram.light.clone());
        assert_eq!(light(&draw("a")).as_deref(), Some("a"));
        assert_eq!(light(&draw("b")).as_deref(), Some("b"));
        assert_eq!(light(&draw("a")).as_deref(), Some("a"));
        assert_eq!(made.get(), 2);
    }

    #[test]
    fn different_values_have_different_fingerprints() {
        assert_ne!(fingerprint(&("ab", "c")), fingerprint(&("a", "bc")));
        assert_eq!(fingerprint(&("a", 1)), fingerprint(&("a", 1)));
    }
}
