//! How much room kept answers have, and how much of it one may take.
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use std::hash::Hash;

/// The room of a part of a cache, in bytes. Parts are locked apart from each other, and what is larger than its part is not
/// kept at all: many small parts would keep no large answers.
const PART: u64 = 16 * 1024 * 1024;
/// One answer takes at most the half of its part: it must not drive out all the others.
const SHARE: u64 = 2;
/// What an answer takes on average, about.
const USUAL: u64 = 4096;

/// How many parts a cache of so many bytes has: a power of two, so that none is made smaller.
fn parts(bytes: u64) -> u64 {
    1 << (bytes / PART).max(1).ilog2()
}

/// A cache of so many bytes at most.
pub(crate) fn cache<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(bytes: u64, weighter: W) -> Cache<K, V, W> {
    let items = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX).max(16);
    let options = OptionsBuilder::new()
        .shards(usize::try_from(parts(bytes)).unwrap_or(1))
        .estimated_items_capacity(items)
        .weight_capacity(bytes)
        .build();
    match options {
        Ok(options) => {
            Cache::with_options(options, weighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
        }
        Err(_incomplete) => Cache::with_weighter(items, bytes, weighter),
    }
}

/// The largest answer that a cache of so many bytes keeps, in bytes.
pub(crate) fn largest(bytes: u64) -> usize {
    usize::try_from(bytes / parts(bytes) / SHARE).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[derive(Clone)]
    struct Length;

    impl Weighter<u8, Vec<u8>> for Length {
        fn weight(&self, _: &u8, bytes: &Vec<u8>) -> u64 {
            bytes.len() as u64
        }
    }

    #[rstest]
    #[case(64 << 10)]
    #[case(24 << 20)]
    #[case(100 << 20)]
    fn the_largest_answer_is_kept_beside_others_whatever_the_machine(#[case] bytes: u64) {
        let cache = cache(bytes, Length);
        assert!(largest(bytes) as u64 >= bytes.min(PART) / 4, "a share of the room");
        cache.insert(0, vec![0; 100]);
        cache.insert(1, vec![0; largest(bytes)]);
        assert!(cache.get(&0).is_some() && cache.get(&1).is_some());
    }
}
