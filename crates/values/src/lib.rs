//! Values that every layer shares: ids, texts with a rule, enums of words, and patches. They are pure.
pub mod id;
pub mod patch;
pub mod text;
pub mod words;
