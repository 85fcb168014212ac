//! Files on disk: the blob store ([`LocalFiles`]), folders and zip archives as sources of an import ([`mod@source`]),
//! folders as targets of an export ([`target`]), and folders with fonts ([`FontFolder`]).
mod blobs;
mod durable;
mod fonts;
pub mod source;
pub mod target;

pub use blobs::LocalFiles;
pub use fonts::{FontError, FontFolder};
