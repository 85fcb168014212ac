//! Fonts: known ones by name, others by definition.
use super::list::AtMost;
use crate::text::{Rule, Text};
use crate::web_address::WebAddress;
use crate::words;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

words! {
    /// A known font for text.
    pub enum TextFont {
        AbcFavorit = "ABCFavorit", Inter = "Inter", Roboto = "Roboto", RobotoSlab = "RobotoSlab",
        OpenSans = "OpenSans", SourceSansPro = "SourceSansPro", Lato = "Lato", Ubuntu = "Ubuntu", Raleway = "Raleway",
        Merriweather = "Merriweather", Overpass = "Overpass", NotoSans = "NotoSans", IbmPlexSerif = "IBMPlexSerif",
        Poppins = "Poppins", FiraSans = "FiraSans",
    }

    /// A known font for code.
    pub enum CodeFont {
        FiraCode = "FiraCode", IbmPlexMono = "IBMPlexMono", JetBrainsMono = "JetBrainsMono",
        SourceCodePro = "SourceCodePro", RobotoMono = "RobotoMono", SpaceMono = "SpaceMono", DmMono = "DMMono",
        Inconsolata = "Inconsolata",
    }

    /// The format of a font file.
    pub enum FontFormat {
        Woff2 = "woff2",
        Woff = "woff",
    }
}

/// The most weights of a font.
const MAX_FACES: usize = 20;
/// The most files of a weight.
const MAX_SOURCES: usize = 10;

/// A font: the name of a known one, or a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Font<Name> {
    /// A known font.
    Named(Name),
    /// Another font.
    Defined(Box<FontDefinition>),
}

impl<Name> Font<Name> {
    /// Removes the files for whose address `keep` returns false. It can change the other addresses. A known font has no
    /// files.
    pub fn retain_files(&mut self, mut keep: impl FnMut(&mut WebAddress) -> bool) {
        if let Self::Defined(definition) = self {
            definition.font_faces.iter_mut().for_each(|face| face.sources.retain_mut(|source| keep(&mut source.url)));
        }
    }
}

/// A font that is not a known one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FontDefinition {
    /// The id that the caller chose.
    pub id: Text<1, 256>,
    /// Whether it is a font of the organization.
    pub custom: bool,
    /// The family, as in CSS.
    pub font_family: Text<1, 50>,
    /// Its weights.
    pub font_faces: AtMost<FontFace, MAX_FACES>,
}

/// A weight of a font.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FontFace {
    /// From 1 to 1000; 400 is regular.
    pub weight: FontWeight,
    /// The same face in several formats.
    pub sources: AtMost<FontSource, MAX_SOURCES>,
}

/// The weight of a font, from 1 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct FontWeight(u16);

impl FontWeight {
    /// The weight, as in CSS.
    pub fn get(self) -> u16 {
        self.0
    }
}

/// A number of JSON may be written `400.0`.
impl TryFrom<f64> for FontWeight {
    type Error = Rule;

    fn try_from(raw: f64) -> Result<Self, Rule> {
        match (1.0..=1000.0).contains(&raw) && raw.fract() == 0.0 {
            true => Ok(Self(raw as u16)),
            false => Err(Rule("must be a whole number from 1 to 1000".to_owned())),
        }
    }
}

/// A file of a font.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FontSource {
    /// Its address.
    pub url: WebAddress,
    /// Its format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FontFormat>,
}

impl<'de, Name: FromStr<Err = Rule>> Deserialize<'de> for Font<Name> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReadsFont(PhantomData))
    }
}

struct ReadsFont<Name>(PhantomData<Name>);

impl<'de, Name: FromStr<Err = Rule>> Visitor<'de> for ReadsFont<Name> {
    type Value = Font<Name>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a font or the definition of one")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Font<Name>, E> {
        name.parse().map(Font::Named).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Font<Name>, A::Error> {
        FontDefinition::deserialize(MapAccessDeserializer::new(map)).map(|font| Font::Defined(Box::new(font)))
    }
}
