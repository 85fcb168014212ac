//! OpenAPI documents as values: from the text that somebody sent to the parts that a version of a spec consists of.
//!
//! 1. [`text`] reads JSON and YAML into a [`tree`] whose every value knows its line and column.
//!    [`files`] makes one document of several files.
//! 2. [`check`] says what is wrong with it, as [`finding`]s.
//! 3. [`upgrade`] turns OpenAPI 2.0 and 3.0 into 3.1.
//! 4. [`parts`] cuts it into pieces that versions share, and joins them again.
//!    [`excerpt`] says which of them an operation needs, and [`diff`] what changed between two versions.
//! 5. [`view`] is how an operation and its schemas are drawn, [`terms`] what they are found by.
//! 6. [`yaml`] writes a document as YAML.
//! 7. [`pages`] generates the pages that readers see of it.
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

/// The number of this engine: raised whenever the parts or the summary of a document become others, or what is stored of
/// its changes, so that stored versions are made again from their texts.
pub const ENGINE: u32 = 2;
