//! The computations of a translation: which texts of content are translated, how they are written for an engine, how an
//! engine's answer is checked, and how the translated texts become content again.
//!
//! - [`Translatable`] lists the texts of a document, a page, a reusable content or a tag as [`Unit`]s, and puts their
//!   translations back.
//! - A unit's text is a [`Tagged`]: words with numbered tags. The elements of the numbers stay here, so no answer can
//!   add a link, an image or a block.
//! - [`Tagged::read`] reads an answer with complete tags, [`Tagged::fragments`] and [`Tagged::filled`] translate
//!   without tags, and [`Rules`] checks the result.
//! - [`Glossary`] finds the terms of a text, and [`MemoryKey`] is the key of a text with everything that affects its
//!   translation.
//!
//! Everything here is pure and takes linear time.
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
pub use sentences::MAX_PART;
pub use tagged::{Fault, Markup, Tagged};
pub use units::{Part, Place, TextKind, Translatable, Unit};
