//! Values that every layer shares: ids, texts with a rule, enums of words, patches, and errors about JSON. They are
//! pure.
pub mod id;
pub mod json;
pub mod patch;
pub mod text;
pub mod words;
