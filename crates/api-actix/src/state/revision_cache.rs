//! The revision cache: serialized responses that never change.
//!
//! A revision is immutable, so a response made only from it is valid forever. Entries are only evicted for room.
//! Whether the caller may read the space is checked in the database before each use.
//!
//! Of a response that is too large to store, only the entity tag is stored: a caller that already has the response then
//! gets 304 without the response being made again.
use crate::answer::Answer;
use crate::state::cache_size;
use domain::id::{PageId, RevisionId, SpaceId};
use domain::usecases::content::{At, PageRef};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// The cache key: everything that a response depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) space: SpaceId,
    /// How the revision was selected. The links in the response use the same form.
    pub(crate) at: At,
    pub(crate) revision: RevisionId,
    pub(crate) what: What,
    /// The query string, unparsed.
    pub(crate) query: String,
}

/// What is read from a revision.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// The pages as a tree.
    Pages,
    Page(PageRef),
    /// The text of a page.
    Text(PageId),
}

/// A cached response.
#[derive(Clone)]
pub(crate) enum Kept {
    /// The whole response.
    Whole(Answer),
    /// Only its entity tag, as the response is too large.
    Tag(String),
}

#[derive(Clone)]
struct Size;

impl Weighter<Name, Kept> for Size {
    fn weight(&self, name: &Name, kept: &Kept) -> u64 {
        let length = match kept {
            Kept::Whole(answer) => answer.len(),
            Kept::Tag(tag) => tag.len(),
        };
        // The approximate size of the rest of the key.
        (length + name.query.len() + 384) as u64
    }
}

/// The revision cache.
pub(crate) struct RevisionCache {
    answers: Cache<Name, Kept, Size>,
    largest: usize,
}

impl RevisionCache {
    /// A cache of at most `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { answers: cache_size::cache(bytes, Size), largest: cache_size::largest(bytes).saturating_sub(1024) }
    }

    pub(crate) fn find(&self, name: &Name) -> Option<Kept> {
        self.answers.get(name)
    }

    /// Stores a response, or only its tag if it is too large.
    pub(crate) fn keep(&self, name: Name, answer: &Answer) {
        let fits = answer.len() <= self.largest;
        self.answers.insert(name, if fits { Kept::Whole(answer.clone()) } else { Kept::Tag(answer.tag().to_owned()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::ok;

    fn whole(kept: Option<Kept>) -> Option<usize> {
        match kept? {
            Kept::Whole(answer) => Some(answer.len()),
            Kept::Tag(_) => None,
        }
    }

    fn name(revision: &str, query: &str) -> Name {
        let page = What::Page(PageRef::Path("install".into()));
        let (space, revision) = ("s".parse().unwrap(), revision.parse().unwrap());
        Name { space, at: At::Primary, revision, what: page, query: query.into() }
    }

    #[test]
    fn an_answer_is_found_under_all_that_it_depends_on() {
        let finished = RevisionCache::new(1 << 20);
        finished.keep(name("r", "format=markdown"), &ok(&"text").unwrap());
        assert_eq!(whole(finished.find(&name("r", "format=markdown"))), Some(br#""text""#.len()));
        assert!(finished.find(&name("r2", "format=markdown")).is_none());
        assert!(finished.find(&name("r", "")).is_none());
        let elsewhere = Name { at: At::Revision("r".parse().unwrap()), ..name("r", "format=markdown") };
        assert!(finished.find(&elsewhere).is_none());
    }

    #[test]
    fn the_tree_of_a_large_space_is_kept_whole_in_the_room_of_the_default() {
        let finished = RevisionCache::new(24 << 20);
        finished.keep(name("r", ""), &ok(&"a".repeat(8 << 20)).unwrap());
        assert_eq!(whole(finished.find(&name("r", ""))), Some((8 << 20) + 2));
    }

    #[test]
    fn of_an_answer_that_is_too_large_the_tag_is_known() {
        let finished = RevisionCache::new(1 << 20);
        let large = ok(&"a".repeat(1 << 20)).unwrap();
        finished.keep(name("r", ""), &large);
        let Some(Kept::Tag(tag)) = finished.find(&name("r", "")) else { panic!("no tag is kept") };
        assert_eq!(tag, large.tag());
    }
}
