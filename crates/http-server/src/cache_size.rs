//! The size of the response caches, the memory that an entry takes, and the maximum size of an entry.
use bytes::Bytes;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use std::hash::Hash;

/// The size of a shard of a cache, in bytes. Shards are locked separately, and an entry larger than its shard is not
/// stored: with many small shards, large responses would not fit.
const PART: u64 = 16 * 1024 * 1024;
/// An entry takes at most half of its shard, so that it does not evict all others.
const SHARE: u64 = 2;
/// The average size of a response in bytes, approximately.
const USUAL: u64 = 4096;

/// The memory that an allocation of `bytes` bytes takes, in bytes: the allocator (mimalloc) has four sizes between one
/// power of two and the next.
pub const fn allocated(bytes: usize) -> usize {
    match bytes.saturating_sub(1).checked_ilog2() {
        Some(power @ 6..) => bytes.next_multiple_of(1 << (power - 2)),
        Some(_) | None => bytes.next_multiple_of(8),
    }
}

/// The body without spare room, if that saves more than a tenth of its memory: thousands of bodies stay in a cache. A
/// body that others refer to, and one of the program itself, stays as it is.
///
/// It is a copy, because the allocator leaves a buffer as large as it is while at least half of it is used.
pub fn fitted(body: Bytes) -> Bytes {
    match body.try_into_mut() {
        Ok(own) => {
            let taken = allocated(own.capacity());
            let spare = taken.saturating_sub(allocated(own.len()));
            if spare > taken / 10 { Bytes::copy_from_slice(&own) } else { own.freeze() }
        }
        Err(shared) => shared,
    }
}

/// The number of shards of a cache of `bytes` bytes: a power of two, so that no shard is smaller than intended.
fn parts(bytes: u64) -> u64 {
    1 << (bytes / PART).max(1).ilog2()
}

/// A cache of at most `bytes` bytes.
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

/// The size of the largest response that a cache of `bytes` bytes stores, in bytes.
pub(crate) fn largest(bytes: u64) -> usize {
    usize::try_from(bytes / parts(bytes) / SHARE).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::nothing(0, 0)]
    #[case::a_word(1, 8)]
    #[case::small(60, 64)]
    #[case::the_first_step(65, 80)]
    #[case::a_size(80, 80)]
    #[case::beyond_a_size(81, 96)]
    #[case::a_power_of_two(4096, 4096)]
    #[case::beyond_a_power_of_two(4097, 5120)]
    #[case::the_last_step(7169, 8192)]
    fn an_allocation_takes_the_next_size_of_the_allocator(#[case] bytes: usize, #[case] taken: usize) {
        assert_eq!(allocated(bytes), taken);
    }

    fn with_room(length: usize, room: usize) -> Bytes {
        let mut bytes = Vec::with_capacity(room);
        bytes.resize(length, b'a');
        bytes.into()
    }

    #[rstest]
    #[case::a_third_of_it_is_spare(17_500, 26_000, true)]
    #[case::more_than_a_tenth_is_spare(3_500, 4_096, true)]
    #[case::the_allocator_rounds_it_up_anyway(7_200, 8_192, false)]
    #[case::nothing_is_spare(8_192, 8_192, false)]
    #[case::it_is_empty(0, 0, false)]
    fn a_body_is_copied_if_that_saves_more_than_a_tenth(
        #[case] length: usize,
        #[case] room: usize,
        #[case] copied: bool,
    ) {
        let body = with_room(length, room);
        let (before, at) = (body.to_vec(), body.as_ptr());
        let after = fitted(body);
        assert_eq!((&after[..], after.as_ptr() != at), (&before[..], copied));
        if copied {
            assert_eq!(after.try_into_mut().unwrap().capacity(), length);
        }
    }

    #[test]
    fn a_body_that_others_refer_to_stays_as_it_is() {
        let own = with_room(10, 1_000);
        let other = own.clone();
        assert_eq!(fitted(own).as_ptr(), other.as_ptr());
        let fixed = Bytes::from_static(b"fixed");
        let at = fixed.as_ptr();
        assert_eq!(fitted(fixed).as_ptr(), at);
    }

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
        assert!(largest(bytes) as u64 >= bytes.min(PART) / 4, "a share of the cache");
        cache.insert(0, vec![0; 100]);
        cache.insert(1, vec![0; largest(bytes)]);
        assert!(cache.get(&0).is_some() && cache.get(&1).is_some());
    }
}
