//! Conversations with users as values: from the messages that somebody sent to groups of issues on one problem.
//!
//! 1. [`redact`] masks what identifies people or opens accounts, before anything is stored.
//! 2. [`analyse`](analyse::analyse) reads the messages ([`body`]), finds their [`language`], and extracts issues: the
//!    sentences in which a user asks for something or has a problem, each with an [`impact`]. [`alike`] decides which
//!    issues of a changed conversation are the old ones.
//! 3. [`features`] turns an issue into numbers: stems and pairs of stems, runs of characters, and for English the mean of
//!    small [`vectors`] of its word pieces.
//! 4. [`groups`] puts each issue into the cluster with the highest mean similarity, or begins one, and from time to time
//!    merges clusters and moves issues that are nearer to another cluster.
//! 5. [`describe`] finds what is shown of a cluster: label, summary, icon. [`pulse`] counts its issues by week, and
//!    [`evidence`] is the text of a change request for it.
//!
//! 6. [`model`] checks the answers of a language model, where an organization has one.
//!
//! The rules need no engine of somebody else. Their words, in seven languages, are in the folder `words`; in other languages,
//! questions, length and position decide. Everything here is pure: no I/O, no clock, no randomness. Each function takes
//! linear time in the length of its texts.
pub mod alike;
pub mod analyse;
pub mod body;
#[cfg(test)]
mod corpus;
pub mod describe;
pub mod evidence;
pub mod features;
pub mod groups;
pub mod impact;
pub mod language;
mod lexicon;
pub mod model;
pub mod pulse;
pub mod redact;
mod sentences;
mod vectors;
