//! Docs sites.
pub mod customization;
