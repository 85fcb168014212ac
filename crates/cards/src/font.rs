//! The font of cards: its characters and their widths.
use resvg::usvg::fontdb::{Database, Source};
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider, charmap::Charmap};
use std::sync::{Arc, LazyLock};

/// The family of both faces.
pub(crate) const FAMILY: &str = "Noto Sans";

/// A face of the font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Regular => ttf_noto_sans::REGULAR,
            Self::Bold => ttf_noto_sans::BOLD,
        }
    }

    /// The weight in SVG.
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::Regular => 400,
            Self::Bold => 700,
        }
    }
}

/// Both faces, for the texts of an SVG image.
pub(crate) static FACES: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut faces = Database::new();
    for weight in [Weight::Regular, Weight::Bold] {
        faces.load_font_source(Source::Binary(Arc::new(weight.bytes())));
    }
    Arc::new(faces)
});

/// Measures texts of one size.
pub(crate) struct Ruler {
    charmap: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
    /// The additional space between letters, in pixels.
    tracking: f32,
}

impl Ruler {
    /// For texts of a size in pixels; `None` if the face cannot be read, which does not happen with the built-in faces.
    pub(crate) fn new(weight: Weight, size: f32, tracking: f32) -> Option<Self> {
        let face = FontRef::new(weight.bytes()).ok()?;
        let metrics = face.glyph_metrics(Size::new(size), LocationRef::default());
        Some(Self { charmap: face.charmap(), metrics, tracking })
    }

    /// Whether the font has a character.
    pub(crate) fn has(&self, char: char) -> bool {
        self.charmap.map(char).is_some_and(|glyph| glyph.to_u32() != 0)
    }

    /// The width of a text in pixels, without kerning, which would only make it narrower.
    pub(crate) fn width(&self, text: &str) -> f32 {
        let of = |char| self.charmap.map(char).and_then(|glyph| self.metrics.advance_width(glyph)).unwrap_or(0.0);
        text.chars().map(|char| of(char) + self.tracking).sum()
    }
}
