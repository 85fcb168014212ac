//! Analyses conversations with users: from their messages to clusters of issues on one problem.
//!
//! 1. [`redact`] masks personal data and secrets, before anything is stored.
//! 2. [`analyse`](analyse::analyse) reads the messages ([`body`]), finds their [`language`], and extracts issues: the
//!    sentences in which a user asks for something or has a problem, each with an [`impact`]. [`alike`] decides which
//!    issues of a changed conversation keep their ids.
//! 3. [`features`] turns an issue into features: stems and pairs of stems, character n-grams, and for English the mean
//!    of small [`vectors`] of its word pieces.
//! 4. [`groups`] adds each issue to the cluster with the highest mean similarity, or starts a new one. Periodically it
//!    merges clusters, and moves issues that are more similar to another cluster.
//! 5. [`describe`] makes the label, the summary and the icon of a cluster. [`pulse`] counts its issues by week, and
//!    [`evidence`] writes the text of a change request for it.
//! 6. [`model`] checks the answers of a language model, if an organization has one.
//!
//! The rules need no third-party engine. The folder `words` has their keywords in seven languages; in other languages,
//! the score of a sentence depends on questions, length and position. Everything here is pure: no I/O, no clock, no
//! randomness. Each function takes linear time in the length of its texts.
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
