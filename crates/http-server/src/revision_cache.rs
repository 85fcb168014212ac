//! The revision cache: finished responses that never change.
//!
//! A revision is immutable, so a response made only from it is valid forever. Entries are only evicted for room.
//! Whether the caller may read the space is checked in the database before each use.
//!
//! If a response is too large to store, only its entity tag is stored: a caller that already has the response then gets
//! 304 without building the response again.
use crate::answer::Answer;
use crate::cache_size::{self, allocated};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::hash::Hash;

/// The size of a key of the cache.
pub trait KeySize {
    /// The memory that the key takes, in bytes, approximately.
    fn size(&self) -> usize;
}

/// A cached response.
#[derive(Clone)]
pub enum CachedAnswer {
    /// The whole response.
    Whole(Answer),
    /// Only its entity tag, as the response is too large.
    Tag(String),
}

impl CachedAnswer {
    /// The entity tag of the response.
    pub fn tag(&self) -> &str {
        match self {
            Self::Whole(answer) => answer.tag(),
            Self::Tag(tag) => tag,
        }
    }
}

#[derive(Clone)]
struct Size;

impl<K: KeySize> Weighter<K, CachedAnswer> for Size {
    fn weight(&self, key: &K, kept: &CachedAnswer) -> u64 {
        let length = match kept {
            CachedAnswer::Whole(answer) => allocated(answer.len()),
            CachedAnswer::Tag(tag) => allocated(tag.len()),
        };
        (length + key.size()) as u64
    }
}

/// The revision cache. A key `K` names everything that a response depends on.
pub struct RevisionCache<K> {
    answers: Cache<K, CachedAnswer, Size>,
    largest: usize,
}

impl<K: Eq + Hash + KeySize> RevisionCache<K> {
    /// A cache of at most `bytes` bytes.
    pub fn new(bytes: u64) -> Self {
        Self { answers: cache_size::cache(bytes, Size), largest: cache_size::largest(bytes).saturating_sub(1024) }
    }

    /// The cached response.
    pub fn find(&self, key: &K) -> Option<CachedAnswer> {
        self.answers.get(key)
    }

    /// Stores a response, or only its tag if it is too large.
    pub fn store(&self, key: K, answer: &Answer) {
        let fits = answer.len() <= self.largest;
        self.answers.insert(
            key,
            if fits { CachedAnswer::Whole(answer.clone()) } else { CachedAnswer::Tag(answer.tag().to_owned()) },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl KeySize for &'static str {
        fn size(&self) -> usize {
            self.len()
        }
    }

    fn cache(bytes: u64) -> RevisionCache<&'static str> {
        RevisionCache::new(bytes)
    }

    fn answer(length: usize) -> Answer {
        Answer::new("text/plain", "a".repeat(length))
    }

    fn whole(kept: Option<CachedAnswer>) -> Option<usize> {
        match kept? {
            CachedAnswer::Whole(answer) => Some(answer.len()),
            CachedAnswer::Tag(_) => None,
        }
    }

    #[test]
    fn the_tree_of_a_large_space_is_kept_whole_in_the_room_of_the_default() {
        let finished = cache(24 << 20);
        finished.store("r", &answer(8 << 20));
        assert_eq!(whole(finished.find(&"r")), Some(8 << 20));
    }

    #[test]
    fn of_an_answer_that_is_too_large_the_tag_is_known() {
        let finished = cache(1 << 20);
        let large = answer(1 << 20);
        finished.store("r", &large);
        let Some(CachedAnswer::Tag(tag)) = finished.find(&"r") else { panic!("no tag is kept") };
        assert_eq!(tag, large.tag());
    }
}
