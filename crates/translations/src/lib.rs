//! What a translation computes: which texts of content are translated, how they are written for an engine, what of an
//! engine's answer is taken, and how texts become content again.
//!
//! - [`Translatable`] lists the texts of a document, a page, a reusable content or a tag as [`Unit`]s, and puts their
//!   translations back.
//! - A unit's text is a [`Tagged`]: words with numbered tags. What a number stands for stays here, so no answer adds a
//!   link, an image or a block.
//! - [`Tagged::read`] takes an answer whose tags are whole, [`Tagged::fragments`] and [`Tagged::filled`] are the way without
//!   tags, and [`Rules`] check what was read.
//! - [`Glossary`] finds the terms of a text, and [`MemoryKey`] names a text and everything that decides its translation.
//!
//! Everything here is pure and takes time in proportion to the text.
mod addresses;
mod checks;
mod glossary;
mod memory;
pub mod pseudo;
mod sentences;
mod tagged;
mod units;

pub use checks::Rules;
pub use glossary::{Glossary, Term};
pub use memory::{MemoryKey, MemoryText};
pub use sentences::LONGEST;
pub use tagged::{Fault, Markup, Tagged};
pub use units::{Part, Place, TextKind, Translatable, Unit};
