//! Values that every layer shares: ids, texts with a rule, and patches. They are pure.
pub mod id;
pub mod patch;
pub mod text;
