//! Import: a repository of Markdown becomes the content of a space.
//!
//! 1. [`Plan`] reads the settings and the table of contents of a [`Source`].
//! 2. [`Renames`] finds the files that the last import had under other paths.
//! 3. [`Importing`] reads the pages file by file and collects the changes.
//! 4. The caller stores the bytes of images and other files, one by one.
//!
//! So the memory of an import grows with the number of pages, not with their size. Each page keeps the path of its
//! file, so [`super::export`] writes the same repository.
pub(crate) mod address;
mod book;
#[cfg(test)]
mod computed_tests;
pub(crate) mod config;
pub(crate) mod digest;
mod docsify;
mod docusaurus;
#[cfg(test)]
mod docusaurus_tests;
pub(crate) mod encoding;
mod extends;
mod file;
mod finder;
#[cfg(test)]
mod flavors_tests;
mod folders;
mod fumadocs;
mod imports;
mod include;
mod jekyll;
mod jupyter;
#[cfg(test)]
mod jupyter_tests;
pub(crate) mod links;
mod literal;
pub(crate) mod metadata;
mod mintlify;
mod mkdocs;
mod names;
mod navigation;
#[cfg(test)]
mod navigation_tests;
mod nextra;
pub(crate) mod outline;
mod pages;
pub mod path;
mod patterns;
pub(crate) mod place;
mod plan;
mod previous;
mod reading;
mod renames;
mod report;
mod repository;
pub(crate) mod settings;
pub(crate) mod sibling;
mod sidebar;
#[cfg(test)]
mod sidebar_tests;
mod site_folder;
mod source;
mod sphinx;
mod starlight;
pub(crate) mod summary;
pub(crate) mod syntaxes;
mod target_ids;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod text;
#[cfg(test)]
mod tools_tests;
mod versions;
mod vitepress;

pub use file::WantedFile;
pub(crate) use pages::MAX_LINK_TITLE;
pub(crate) use plan::{ASSETS, INCLUDES, MAX_VARIABLE, TAGS, VARIABLES};
pub use plan::{ImportError, Imported, MAX_PAGES, Maker, Plan, import};
pub use previous::Previous;
pub use reading::Importing;
pub use renames::Renames;
pub use report::{BrokenLink, Rename, Report, Warning};
pub use repository::Repository;
pub(crate) use repository::SUMMARY;
pub use source::{InMemory, Source, SourceError, SourceTree};
pub use syntaxes::Syntaxes;
