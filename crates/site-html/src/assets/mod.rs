//! The style sheet, the scripts and the other files of the reader. Their names have their hash.
//!
//! The sources are in the folder `assets` of this crate. The build script joins, minifies and compresses them.
#[cfg(test)]
mod minify;
#[cfg(test)]
mod tests;

/// A file of the reader.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name, with its hash: `style-0123456789abcdef.css`.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
    /// Its bytes compressed with gzip.
    pub gzip: &'static [u8],
    /// Its bytes compressed with brotli.
    pub brotli: &'static [u8],
}

// `STYLE`, `REFERENCE`, `APP`, `SEARCH`, `MORE`, `TRY`, `PRINT`, `EXPORT` and `ALL`; `BARE_STYLE`, `FIND_STYLE`,
// `FEEDBACK_STYLE`, `MARKS_STYLE`, `PREVIEW_STYLE` and `PRINT_STYLE`.
include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file with a name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter().copied().find(|asset| asset.name == name)
}
