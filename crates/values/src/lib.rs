//! Values that every layer shares: ids, texts with a rule, sets of characters, enums of words, patches, and errors
//! about JSON. They are pure.
pub mod characters;
pub mod id;
pub mod json;
pub mod patch;
pub mod text;
pub mod words;
