//! Search: what is indexed of a page, how a query is understood, and how what is found is ranked.
//!
//! All of it is made here: the databases only answer which sections hold which terms ([`Condition`]), so both find the
//! same and in the same order. A section is found by its terms, each in plain form and, where it stands out, once more
//! behind the mark of a tier (title, heading, text); a query that matches more sections than can be ranked is narrowed tier by tier.
mod condition;
mod correct;
mod index;
mod language;
mod query;
mod rank;
#[cfg(any(test, feature = "testing"))]
pub mod shelf;
mod snippet;
mod terms;

pub use condition::Condition;
pub use correct::{MAX_WORD, MIN_WORD, variants};
pub use index::{IndexedPage, IndexedSection, Indexer};
pub use query::Query;
pub use rank::{Candidate, PageHit, SectionHit, rank};
pub use snippet::{Snippet, snippet};

/// How many sections a query ranks at most. What it finds beyond is never better than what it ranks.
pub const MAX_CANDIDATES: usize = 256;

/// The row of a section in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionId(pub i64);

/// What of a section is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionText {
    /// The section.
    pub section: SectionId,
    /// What leads to it in its page; absent before the first heading.
    pub anchor: Option<String>,
    /// Its heading; empty before the first one.
    pub heading: String,
    /// Its text, in one line.
    pub body: String,
}
