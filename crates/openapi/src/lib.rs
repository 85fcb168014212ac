//! OpenAPI documents as values: from the source text to the parts of a stored version.
//!
//! 1. [`text`] reads JSON and YAML into a [`tree`] whose every value knows its line and column.
//!    [`files`] makes one document of several files.
//! 2. [`check`] finds the problems of it, as [`finding`]s.
//! 3. [`upgrade`] turns OpenAPI 2.0 and 3.0 into 3.1.
//! 4. [`parts`] cuts it into pieces that versions share, and joins them again.
//!    [`excerpt`] finds the parts that an operation needs, and [`diff`] the changes between two versions.
//! 5. [`view`] is the form in which an operation and its schemas are shown, and [`terms`] has their texts for search.
//! 6. [`yaml`] writes a document as YAML.
//! 7. [`pages`] generates the pages of it that readers see.
//!
//! Everything here is pure: no I/O, no clock, no randomness.
mod body;
pub mod check;
#[cfg(test)]
mod corpus;
pub mod deadline;
pub mod dialect;
pub mod diff;
pub mod direction;
pub mod example;
pub mod excerpt;
pub mod files;
pub mod finding;
pub mod pages;
pub mod parts;
pub mod refs;
pub mod sample;
pub(crate) mod schema;
pub mod shape;
pub mod terms;
pub mod text;
pub mod tree;
pub mod upgrade;
pub mod view;
pub mod wording;
pub mod yaml;

/// The version of this engine. It increases whenever the parts or the summary of a document change, or the stored form
/// of changes, so that stored versions are generated again from their texts.
pub const ENGINE: u32 = 2;
