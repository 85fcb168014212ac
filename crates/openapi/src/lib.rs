//! OpenAPI documents as values: from the source text to the parts of a stored version.
//!
//! 1. [`text`] parses JSON and YAML into a [`tree`] of values with their lines and columns.
//!    [`files`] bundles the files of a document into one document.
//! 2. [`check`] finds its problems, as [`finding`]s.
//! 3. [`upgrade`] turns OpenAPI 2.0 and 3.0 into 3.1.
//! 4. [`parts`] cuts it into pieces that versions share, and joins them again.
//!    [`excerpt`] finds the parts that an operation needs, and [`diff`] the changes between two versions.
//! 5. [`view`] is the form in which an operation and its schemas are shown, [`example`] finds and generates examples of
//!    their values, [`sample`] writes code that sends a request, and [`terms`] has their texts for search.
//! 6. [`yaml`] writes a document as YAML.
//! 7. [`pages`] generates the pages that readers see.
//!
//! All of them use `dialect`, the versions of OpenAPI; `shape`, the objects and fields of each version; `refs`, the
//! references and their targets; `schema`, the schemas that apply to a value, merged; and `sunset`, the dates of
//! removals.
//!
//! Everything here is pure: no I/O, no clock, no randomness.
mod body;
pub mod check;
#[cfg(test)]
mod corpus;
pub mod deadline;
mod dialect;
pub mod diff;
pub mod direction;
mod escape;
pub mod example;
pub mod excerpt;
pub mod files;
pub mod finding;
pub mod pages;
pub mod parts;
mod refs;
pub mod sample;
mod schema;
mod shape;
mod sunset;
pub mod terms;
pub mod text;
pub mod tree;
pub mod upgrade;
pub mod view;
pub mod wording;
pub mod yaml;

/// The version of this engine. It increases whenever the parts or the summary of a document change, or the stored form
/// of changes, so that stored versions are generated again from their texts.
pub const ENGINE: u32 = 3;

/// Whether a value is the default of its type: such fields are left out of JSON.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
