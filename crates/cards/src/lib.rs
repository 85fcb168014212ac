//! Cards of pages for social networks: an image with the title and the description of a page, in the colours of its
//! site.
//!
//! A card is a function of its values: it uses no files or fonts of the machine, so all servers render the same bytes.
//! Time and memory are bounded: a card has a fixed size, texts are cut, and a logo that is large or contains more than
//! shapes is left out.
mod font;
mod layout;
mod logo;
mod picture;
#[cfg(test)]
mod tests;

pub use picture::render;

/// The width of a card, in pixels.
pub const WIDTH: u32 = 1200;
/// The height of a card, in pixels.
pub const HEIGHT: u32 = 630;
/// The version of the output. It changes with the output for equal values, so that addresses that contain it change
/// too.
pub const VERSION: u32 = 1;

/// A colour: red, green and blue.
pub type Color = [u8; 3];

/// The colours of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colors {
    /// The background.
    pub ground: Color,
    /// The title.
    pub strong: Color,
    /// The description and the name of the site.
    pub muted: Color,
    /// The accent colour of the site.
    pub accent: Color,
    /// The colour of text on the accent.
    pub on_accent: Color,
}

/// The content of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card<'a> {
    /// The title of the page, in at most three lines.
    pub title: &'a str,
    /// The description of the page, in at most two lines.
    pub description: Option<&'a str>,
    /// The name of the site.
    pub site: &'a str,
    /// The colours.
    pub colors: Colors,
    /// The bytes of the logo, a PNG or an SVG image. Without a logo that can be rendered, the card has a mark in the
    /// accent colour.
    pub logo: Option<&'a [u8]>,
}
