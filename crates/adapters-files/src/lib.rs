//! Files on disk: the blob store ([`LocalFiles`]), folders and zip archives as sources of an import ([`mod@source`]),
//! and folders as targets of an export ([`target`]).
mod blobs;
mod durable;
pub mod source;
pub mod target;

pub use blobs::LocalFiles;
