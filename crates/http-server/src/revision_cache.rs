//! The revision cache: finished responses that never change.
//!
//! A revision is immutable, so a response made only from it is valid forever. Entries are only evicted for room.
//! Whether the caller may read the space is checked in the database before each use.
//!
//! Of a response that is too large to store, only the entity tag is stored: a caller that already has the response then
//! gets 304 without the response being made again.
use crate::answer::Answer;
use crate::cache_size;
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
pub enum Kept {
    /// The whole response.
    Whole(Answer),
    /// Only its entity tag, as the response is too large.
    Tag(String),
}

#[derive(Clone)]
struct Size;

impl<K: KeySize> Weighter<K, Kept> for Size {
    fn weight(&self, key: &K, kept: &Kept) -> u64 {
        let length = match kept {
            Kept::Whole(answer) => answer.len(),
            Kept::Tag(tag) => tag.len(),
        };
        (length + key.size()) as u64
    }
}

/// The revision cache. A key `K` names everything that a response depends on.
pub struct RevisionCache<K> {
    answers: Cache<K, Kept, Size>,
    largest: usize,
}

impl<K: Eq + Hash + KeySize> RevisionCache<K> {
    /// A cache of at most `bytes` bytes.
    pub fn new(bytes: u64) -> Self {
        Self { answers: cache_size::cache(bytes, Size), largest: cache_size::largest(bytes).saturating_sub(1024) }
    }

    /// The cached response.
    pub fn find(&self, key: &K) -> Option<Kept> {
        self.answers.get(key)
    }

    /// Stores a response, or only its tag if it is too large.
    pub fn keep(&self, key: K, answer: &Answer) {
        let fits = answer.len() <= self.largest;
        self.answers.insert(key, if fits { Kept::Whole(answer.clone()) } else { Kept::Tag(answer.tag().to_owned()) });
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

    fn whole(kept: Option<Kept>) -> Option<usize> {
        match kept? {
            Kept::Whole(answer) => Some(answer.len()),
            Kept::Tag(_) => None,
        }
    }

    #[test]
    fn the_tree_of_a_large_space_is_kept_whole_in_the_room_of_the_default() {
        let finished = cache(24 << 20);
        finished.keep("r", &answer(8 << 20));
        assert_eq!(whole(finished.find(&"r")), Some(8 << 20));
    }

    #[test]
    fn of_an_answer_that_is_too_large_the_tag_is_known() {
        let finished = cache(1 << 20);
        let large = answer(1 << 20);
        finished.keep("r", &large);
        let Some(Kept::Tag(tag)) = finished.find(&"r") else { panic!("no tag is kept") };
        assert_eq!(tag, large.tag());
    }
}
