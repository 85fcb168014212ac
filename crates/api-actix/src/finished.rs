//! Answers that never change, kept as finished bytes.
//!
//! A revision is immutable, so what is made of it alone is the same for ever: nothing here grows old, it is only
//! forgotten when room is needed. Whether somebody may have it is asked of the database each time before.
//!
//! Of an answer that takes too large a share of the room its entity tag is kept: whoever has the answer is told so without
//! its being made again.
use crate::answer::Answer;
use crate::room;
use domain::id::{PageId, RevisionId, SpaceId};
use domain::usecases::content::{At, PageRef};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

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

/// What is kept of an answer.
#[derive(Clone)]
pub(crate) enum Kept {
    /// All of it.
    Whole(Answer),
    /// Its entity tag.
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
        // What the names take besides, about.
        (length + name.query.len() + 384) as u64
    }
}

/// The answers.
pub(crate) struct Finished {
    answers: Cache<Name, Kept, Size>,
    largest: usize,
}

impl Finished {
    /// Keeps at most so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { answers: room::cache(bytes, Size), largest: room::largest(bytes).saturating_sub(1024) }
    }

    /// What is kept of an answer that was made before.
    pub(crate) fn find(&self, name: &Name) -> Option<Kept> {
        self.answers.get(name)
    }

    /// Keeps an answer; its tag, where the whole is too large.
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
        let finished = Finished::new(1 << 20);
        finished.keep(name("r", "format=markdown"), &ok(&"text").unwrap());
        assert_eq!(whole(finished.find(&name("r", "format=markdown"))), Some(br#""text""#.len()));
        assert!(finished.find(&name("r2", "format=markdown")).is_none());
        assert!(finished.find(&name("r", "")).is_none());
        let elsewhere = Name { at: At::Revision("r".parse().unwrap()), ..name("r", "format=markdown") };
        assert!(finished.find(&elsewhere).is_none());
    }

    #[test]
    fn the_tree_of_a_large_space_is_kept_whole_in_the_room_of_the_default() {
        let finished = Finished::new(24 << 20);
        finished.keep(name("r", ""), &ok(&"a".repeat(8 << 20)).unwrap());
        assert_eq!(whole(finished.find(&name("r", ""))), Some((8 << 20) + 2));
    }

    #[test]
    fn of_an_answer_that_is_too_large_the_tag_is_known() {
        let finished = Finished::new(1 << 20);
        let large = ok(&"a".repeat(1 << 20)).unwrap();
        finished.keep(name("r", ""), &large);
        let Some(Kept::Tag(tag)) = finished.find(&name("r", "")) else { panic!("no tag is kept") };
        assert_eq!(tag, large.tag());
    }
}
