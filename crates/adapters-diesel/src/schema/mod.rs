//! The tables, by area. Written by hand; a test selects every column of every table on both databases.

pub(crate) mod accounts;
pub(crate) mod content;
pub(crate) mod events;
pub(crate) mod organizations;
pub(crate) mod search;
