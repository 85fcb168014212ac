//! Mermaid diagrams as SVG images for both modes of a page.
//!
//! The source of a diagram is untrusted, and so is the output of the library. So both are bounded: the source in bytes,
//! the diagram in parts, the image in bytes. A failure of the library is an error, never a panic. The image is written
//! again with only the allowed elements: shapes and text. It is rendered once, in light mode; in dark mode it has other
//! colours.
mod clean;
mod render;
#[cfg(test)]
mod tests;
mod theme;
mod tint;

pub use render::render;

/// The maximum size of a source, in bytes.
pub const MAX_SOURCE: usize = 16 * 1024;
/// The maximum size of an image, in bytes.
pub const MAX_IMAGE: usize = 1024 * 1024;
/// The version of the output. It changes with the output for equal sources, so that addresses that contain it change
/// too.
pub const VERSION: u32 = 1;

/// A mode of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// A rendered diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The image, dark on light.
    pub light: String,
    /// The image, light on dark.
    pub dark: String,
    /// Its width in pixels of CSS.
    pub width: u32,
    /// Its height in pixels of CSS.
    pub height: u32,
}

/// Why a source cannot be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// The source is longer than [`MAX_SOURCE`].
    #[error("the diagram has more than {MAX_SOURCE} bytes")]
    Long,
    /// It is not a known diagram, or has an error.
    #[error("the diagram has an error")]
    Invalid,
    /// It has more parts, or greater lengths, than allowed.
    #[error("the diagram is too large")]
    Large,
    /// The library failed.
    #[error("the diagram cannot be rendered")]
    Failed,
}

impl Diagram {
    /// The image for a mode.
    pub fn svg(&self, mode: Mode) -> &str {
        match mode {
            Mode::Light => &self.light,
            Mode::Dark => &self.dark,
        }
    }
}

/// The description of a diagram by its author: `accTitle` in the source, or else the title of the diagram.
pub fn title(source: &str) -> Option<&str> {
    let of = |key: &str| {
        source.lines().find_map(|line| {
            let rest = line.trim().strip_prefix(key)?.trim_start();
            Some(rest.strip_prefix(':').unwrap_or(rest).trim().trim_matches('"')).filter(|title| !title.is_empty())
        })
    };
    of("accTitle").or_else(|| of("title "))
}
