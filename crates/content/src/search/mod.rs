//! Search: indexing pages, parsing queries, and ranking results.
//!
//! All rules are here. The databases only return the sections that have certain terms ([`Condition`]), so both find the
//! same sections in the same order. A section is indexed under its terms. Each term occurs in plain form and, if it is
//! prominent, again with the mark of a tier (title, heading, text). A query that matches more sections than can be
//! ranked is narrowed tier by tier.
mod condition;
mod correct;
mod index;
mod language;
#[cfg(any(test, feature = "testing"))]
pub mod memory_index;
mod query;
mod rank;
mod snippet;
mod terms;
mod words;

pub use condition::Condition;
pub use correct::{MAX_WORD, MIN_WORD, variants};
pub use index::{IndexedPage, IndexedSection, Indexer, VERSION};
pub use query::Query;
pub use rank::{Candidate, PageHit, SectionHit, rank};
pub use snippet::{Snippet, snippet};
pub use words::{Word, Words};

/// The maximum number of sections that a query ranks. Sections beyond it never rank higher.
pub const MAX_CANDIDATES: usize = 256;

/// The id of the row of a section in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionId(pub i64);

/// The parts of a section that are shown in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionText {
    /// The section.
    pub section: SectionId,
    /// The anchor in its page; absent before the first heading.
    pub anchor: Option<String>,
    /// Its heading; empty before the first one.
    pub heading: String,
    /// Its text, in one line.
    pub body: String,
}
