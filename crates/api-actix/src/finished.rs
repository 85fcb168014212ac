//! Answers that never change, kept as finished bytes.
//!
//! A revision is immutable, so what is made of it alone is the same for ever: nothing here grows old, it is only
//! forgotten when room is needed. Whether somebody may have it is asked of the database each time before.
use crate::answer::Answer;
use domain::id::{PageId, RevisionId, SpaceId};
use domain::usecases::content::{At, PageRef};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// The largest answer that is kept, in bytes.
const LARGEST: usize = 4 * 1024 * 1024;

/// All that an answer depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    /// The space.
    pub(crate) space: SpaceId,
    /// How the revision was found: the addresses in an answer lead the same way.
    pub(crate) at: At,
    /// The revision.
    pub(crate) revision: RevisionId,
    /// What was asked for.
    pub(crate) what: What,
    /// The query string, as it was sent.
    pub(crate) query: String,
}

/// What can be asked for of a revision.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// The pages as a tree.
    Pages,
    /// A page.
    Page(PageRef),
    /// The text of a page.
    Text(PageId),
}

#[derive(Clone)]
struct Size;

impl Weighter<Name, Answer> for Size {
    fn weight(&self, name: &Name, answer: &Answer) -> u64 {
        // What the names take besides, about.
        (answer.len() + name.query.len() + 384) as u64
    }
}

/// The answers.
pub(crate) struct Finished(Cache<Name, Answer, Size>);

impl Finished {
    /// Keeps at most so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cache::with_weighter(usize::try_from(bytes / 4096).unwrap_or(1).max(16), bytes, Size))
    }

    /// An answer that was made before.
    pub(crate) fn find(&self, name: &Name) -> Option<Answer> {
        self.0.get(name)
    }

    /// Keeps an answer, unless it is too large.
    pub(crate) fn keep(&self, name: Name, answer: &Answer) {
        if answer.len() <= LARGEST {
            self.0.insert(name, answer.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::ok;

    fn name(revision: &str, query: &str) -> Name {
        let page = What::Page(PageRef::Path("install".into()));
        let (space, revision) = ("s".parse().unwrap(), revision.parse().unwrap());
        Name { space, at: At::Primary, revision, what: page, query: query.into() }
    }

    #[test]
    fn an_answer_is_found_under_all_that_it_depends_on() {
        let finished = Finished::new(1 << 20);
        finished.keep(name("r", "format=markdown"), &ok(&"text").unwrap());
        assert_eq!(finished.find(&name("r", "format=markdown")).unwrap().len(), br#""text""#.len());
        assert!(finished.find(&name("r2", "format=markdown")).is_none());
        assert!(finished.find(&name("r", "")).is_none());
        let elsewhere = Name { at: At::Revision("r".parse().unwrap()), ..name("r", "format=markdown") };
        assert!(finished.find(&elsewhere).is_none());
    }

    #[test]
    fn an_answer_that_is_too_large_is_made_again() {
        let finished = Finished::new(64 << 20);
        finished.keep(name("r", ""), &ok(&"a".repeat(LARGEST)).unwrap());
        assert!(finished.find(&name("r", "")).is_none());
    }
}
