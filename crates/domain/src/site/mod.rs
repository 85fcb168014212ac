//! Docs sites: spaces that are published together under one address.
pub mod address;
pub mod history;
pub mod path;
pub mod redirect;
pub mod resolve;
