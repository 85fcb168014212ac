//! Known fonts that the server delivers to visitors.
//!
//! They come from packages of Fontsource, which cut a font by script: a browser loads only the scripts of the page.
//! Only upright faces are served, in one variable file for each script where there is one: browsers slant them for
//! emphasis, and a page loads few bytes.
mod package;
#[cfg(test)]
mod tests;

pub use package::{FontPackage, InvalidFont};

use super::customization::{CodeFont, TextFont};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;

/// The weight of text.
const REGULAR: u16 = 400;
/// The script of all languages that are not in another list.
const LATIN: &str = "latin";

/// A font that customizations know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownFont {
    /// For text.
    Text(TextFont),
    /// For code.
    Code(CodeFont),
}

impl KnownFont {
    /// All fonts, in the order of the API.
    pub fn all() -> impl Iterator<Item = Self> {
        let texts = TextFont::ALL.iter().copied().map(Self::Text);
        texts.chain(CodeFont::ALL.iter().copied().map(Self::Code))
    }

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text(font) => font.as_str(),
            Self::Code(font) => font.as_str(),
        }
    }

    /// The family that is served for it, as in CSS.
    pub const fn family(self) -> &'static str {
        match self {
            // ABC Favorit is a commercial font: Inter replaces it.
            Self::Text(TextFont::AbcFavorit | TextFont::Inter) => "Inter",
            Self::Text(TextFont::Roboto) => "Roboto",
            Self::Text(TextFont::RobotoSlab) => "Roboto Slab",
            Self::Text(TextFont::OpenSans) => "Open Sans",
            // The name of Source Sans Pro since its third version.
            Self::Text(TextFont::SourceSansPro) => "Source Sans 3",
            Self::Text(TextFont::Lato) => "Lato",
            Self::Text(TextFont::Ubuntu) => "Ubuntu",
            Self::Text(TextFont::Raleway) => "Raleway",
            Self::Text(TextFont::Merriweather) => "Merriweather",
            Self::Text(TextFont::Overpass) => "Overpass",
            Self::Text(TextFont::NotoSans) => "Noto Sans",
            Self::Text(TextFont::IbmPlexSerif) => "IBM Plex Serif",
            Self::Text(TextFont::Poppins) => "Poppins",
            Self::Text(TextFont::FiraSans) => "Fira Sans",
            Self::Code(CodeFont::FiraCode) => "Fira Code",
            Self::Code(CodeFont::IbmPlexMono) => "IBM Plex Mono",
            Self::Code(CodeFont::JetBrainsMono) => "JetBrains Mono",
            Self::Code(CodeFont::SourceCodePro) => "Source Code Pro",
            Self::Code(CodeFont::RobotoMono) => "Roboto Mono",
            Self::Code(CodeFont::SpaceMono) => "Space Mono",
            Self::Code(CodeFont::DmMono) => "DM Mono",
            Self::Code(CodeFont::Inconsolata) => "Inconsolata",
        }
    }

    /// The id of that family at Fontsource: the end of the names of its packages.
    pub fn family_id(self) -> String {
        self.family().to_ascii_lowercase().replace(' ', "-")
    }
}

/// The weights of a face, each from 1 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceWeights {
    /// One weight.
    One(u16),
    /// All weights between two.
    Between(u16, u16),
}

impl FaceWeights {
    /// Whether a face has the weight of text.
    pub fn has_regular(self) -> bool {
        match self {
            Self::One(weight) => weight == REGULAR,
            Self::Between(least, most) => (least..=most).contains(&REGULAR),
        }
    }
}

/// As in CSS.
impl fmt::Display for FaceWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(weight) => write!(f, "{weight}"),
            Self::Between(least, most) => write!(f, "{least} {most}"),
        }
    }
}

/// A file of a font: one script in one weight, or in all weights.
#[derive(Clone, PartialEq, Eq)]
pub struct ServedFace {
    /// The script, such as `latin-ext`.
    pub script: String,
    /// The weights of the file.
    pub weights: FaceWeights,
    /// The characters that it is for: a `unicode-range` of CSS.
    pub characters: String,
    /// The name of the file in addresses, with a hash of its bytes.
    pub name: String,
    /// The file, in WOFF2.
    pub bytes: Bytes,
}

impl fmt::Debug for ServedFace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedFace").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A font that the server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedFont {
    /// The package that it is from, such as `@fontsource-variable/inter`.
    pub package: String,
    /// The version of the package.
    pub version: String,
    /// The licence of the font, as the package names it.
    pub licence: String,
    /// Its faces. A later one takes precedence for characters that several have, so those of Latin are the last.
    pub faces: Vec<ServedFace>,
}

impl ServedFont {
    /// The size of all files, in bytes.
    pub fn size(&self) -> usize {
        self.faces.iter().map(|face| face.bytes.len()).sum()
    }

    /// The face for text in a script; that for Latin if the font does not have the script.
    pub fn face(&self, script: &str) -> Option<&ServedFace> {
        let of = |script: &str| self.faces.iter().find(|face| face.script == script && face.weights.has_regular());
        of(script).or_else(|| of(LATIN))
    }
}

/// The script of a language, as packages of Fontsource name it, from the language's code.
pub fn script_of(language: &str) -> &'static str {
    match language.split('-').next().unwrap_or_default() {
        "be" | "bg" | "kk" | "ky" | "mk" | "mn" | "ru" | "sr" | "tg" | "uk" => "cyrillic",
        "el" => "greek",
        "he" => "hebrew",
        "hi" | "mr" | "ne" => "devanagari",
        _ => LATIN,
    }
}

/// The known fonts that the server has.
#[derive(Clone, Debug, Default)]
pub struct FontTable {
    /// By family.
    fonts: BTreeMap<&'static str, ServedFont>,
}

impl FontTable {
    /// Adds a font. It is that of all known fonts with the same family.
    pub fn add(&mut self, known: KnownFont, font: ServedFont) {
        self.fonts.insert(known.family(), font);
    }

    /// The served font of a known font.
    pub fn font(&self, known: KnownFont) -> Option<&ServedFont> {
        self.fonts.get(known.family())
    }

    /// The file with a name.
    pub fn file(&self, name: &str) -> Option<&Bytes> {
        let mut faces = self.fonts.values().flat_map(|font| &font.faces);
        faces.find(|face| face.name == name).map(|face| &face.bytes)
    }

    /// The number of families.
    pub fn len(&self) -> usize {
        self.fonts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fonts.is_empty()
    }
}
