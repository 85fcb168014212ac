//! Import: a repository of Markdown becomes the content of a space.
//!
//! A [`Plan`] tells which pages a [`Source`] has; [`Importing`] reads them file by file and tells what changes; the bytes
//! of images and other files are read one by one afterwards. So the memory an import takes grows with how many pages there
//! are, not with what is in them. What a file is called and where it stands is kept with each page, so that
//! [`super::export`] gives the repository back.
pub(crate) mod address;
pub(crate) mod config;
mod desk;
mod file;
pub(crate) mod links;
pub(crate) mod metadata;
pub(crate) mod outline;
mod pages;
pub mod path;
pub(crate) mod place;
mod plan;
mod previous;
mod reading;
mod renames;
mod report;
mod repository;
pub(crate) mod settings;
mod source;
pub(crate) mod summary;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod text;

pub use file::WantedFile;
pub(crate) use plan::{ASSETS, INCLUDES, MAX_VARIABLE, TAGS, VARIABLES};
pub use plan::{ImportError, Imported, MAX_PAGES, Maker, Plan, import};
pub use previous::Previous;
pub use reading::Importing;
pub use renames::Renames;
pub use report::{BrokenLink, Rename, Report, Warning};
pub use repository::Repository;
pub use source::{InMemory, Source, SourceError, SourceTree};
