//! Packages of Fontsource.
use super::{FaceWeights, KnownFont, LATIN, REGULAR, ServedFace, ServedFont};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The first bytes of a file in WOFF2.
const WOFF2: &[u8] = b"wOF2";
/// The weights that are used for bold text, in the order of preference.
const BOLD: [u16; 2] = [600, 700];
/// The longest list of characters of a script, in bytes.
const LONGEST_CHARACTERS: usize = 8192;

/// What is wrong with a package.
#[derive(Debug, thiserror::Error)]
pub enum InvalidFont {
    /// A description cannot be read.
    #[error("{file} cannot be read")]
    Description {
        /// Its name in the package.
        file: &'static str,
        /// The cause.
        #[source]
        cause: serde_json::Error,
    },
    /// The package is of another family.
    #[error("metadata.json: id: must be {expected}")]
    Family {
        /// The id of the family.
        expected: String,
    },
    /// A variable font without weights.
    #[error("metadata.json: variable.wght: must have a min and a max from 1 to 1000")]
    Weights,
    /// A list of characters that is not a `unicode-range` of CSS.
    #[error("unicode.json: {script}: must be a unicode-range of CSS")]
    Characters {
        /// The script.
        script: String,
    },
    /// A file is not a font.
    #[error("files/{0} is not in WOFF2")]
    Format(String),
    /// The package has no files that pages use.
    #[error("has no WOFF2 files of upright faces")]
    Empty,
}

/// The parts of `package.json` that are used.
#[derive(Deserialize)]
struct Described {
    name: String,
    version: String,
    #[serde(default)]
    license: String,
}

/// The parts of `metadata.json` that are used.
#[derive(Deserialize)]
struct Metadata {
    id: String,
    #[serde(default)]
    weights: Vec<u16>,
    /// The axes of a font that has a variable form; `false` for others.
    #[serde(default)]
    variable: Value,
}

/// A package of Fontsource, by its descriptions.
#[derive(Debug)]
pub struct FontPackage {
    id: String,
    package: String,
    version: String,
    licence: String,
    weights: Vec<FaceWeights>,
    /// The scripts with their characters.
    scripts: Vec<(String, String)>,
}

impl FontPackage {
    /// Where packages of variable fonts are.
    pub const VARIABLE: &'static str = "@fontsource-variable";
    /// Where the other packages are.
    pub const STATIC: &'static str = "@fontsource";

    /// Reads the descriptions of the package of a known font: `package.json`, `metadata.json` and `unicode.json`.
    ///
    /// # Errors
    /// [`InvalidFont`] if one is not as it should be.
    pub fn read(known: KnownFont, package: &[u8], metadata: &[u8], unicode: &[u8]) -> Result<Self, InvalidFont> {
        let id = known.family_id();
        let invalid = |file: &'static str| move |cause: serde_json::Error| InvalidFont::Description { file, cause };
        let Described { name, version, license } = serde_json::from_slice(package).map_err(invalid("package.json"))?;
        let metadata: Metadata = serde_json::from_slice(metadata).map_err(invalid("metadata.json"))?;
        let scripts: BTreeMap<String, String> = serde_json::from_slice(unicode).map_err(invalid("unicode.json"))?;
        if metadata.id != id {
            return Err(InvalidFont::Family { expected: id });
        }
        let is_variable = name.starts_with(&format!("{}/", Self::VARIABLE));
        let weights = if is_variable { vec![range(&metadata.variable)?] } else { chosen(&metadata.weights) };
        // Scripts of other names have no files of their own: they are parts of one, such as `[12]`.
        let is_name = |script: &str| script.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let mut scripts: Vec<_> = scripts.into_iter().filter(|(script, _)| is_name(script)).collect();
        if let Some((script, _)) = scripts.iter().find(|(_, characters)| !is_range(characters)) {
            return Err(InvalidFont::Characters { script: script.clone() });
        }
        scripts.sort_by_key(|(script, _)| match script.as_str() {
            LATIN => 2,
            "latin-ext" => 1,
            _ => 0,
        });
        Ok(Self { id, package: name, version, licence: license, weights, scripts })
    }

    /// The font, with the files that `file` returns for their names in the folder `files`: `None` for a missing file.
    ///
    /// # Errors
    /// Those of `file`; [`InvalidFont`] if a file is not a font, or the package has no files.
    pub fn load<E: From<InvalidFont>>(
        self,
        mut file: impl FnMut(&str) -> Result<Option<Bytes>, E>,
    ) -> Result<ServedFont, E> {
        let Self { id, package, version, licence, weights, scripts } = self;
        let mut faces = Vec::new();
        for (script, characters) in scripts {
            for weights in weights.iter().copied() {
                let axis = match weights {
                    FaceWeights::One(weight) => weight.to_string(),
                    FaceWeights::Between(..) => "wght".to_owned(),
                };
                let stem = format!("{id}-{script}-{axis}-normal");
                let Some(bytes) = file(&format!("{stem}.woff2"))? else { continue };
                if !bytes.starts_with(WOFF2) {
                    return Err(InvalidFont::Format(format!("{stem}.woff2")).into());
                }
                let hash = blake3::hash(&bytes).to_hex();
                let name = format!("{stem}-{}.woff2", &hash.as_str()[..16]);
                let (script, characters) = (script.clone(), characters.clone());
                faces.push(ServedFace { script, weights, characters, name, bytes });
            }
        }
        if faces.is_empty() {
            return Err(InvalidFont::Empty.into());
        }
        Ok(ServedFont { package, version, licence, faces })
    }
}

/// The weights of a variable font, from its axes.
fn range(axes: &Value) -> Result<FaceWeights, InvalidFont> {
    let end = |name: &str| -> Option<u16> {
        let end = &axes["wght"][name];
        let number: Option<u16> = match end.as_str() {
            Some(text) => text.parse().ok(),
            None => end.as_u64().and_then(|number| number.try_into().ok()),
        };
        number.filter(|number| (1..=1000).contains(number))
    };
    match (end("min"), end("max")) {
        (Some(least), Some(most)) if least <= most => Ok(FaceWeights::Between(least, most)),
        _ => Err(InvalidFont::Weights),
    }
}

/// The weights that pages use of a font with a file for each: that of text, and a bold one.
fn chosen(weights: &[u16]) -> Vec<FaceWeights> {
    let bold = BOLD.into_iter().find(|bold| weights.contains(bold));
    let regular = Some(REGULAR).filter(|regular| weights.contains(regular));
    regular.into_iter().chain(bold).map(FaceWeights::One).collect()
}

/// Whether a text is a `unicode-range` of CSS. So it cannot end the style sheet's rule around it.
fn is_range(characters: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || b"Uu+-?, ".contains(&byte);
    !characters.is_empty() && characters.len() <= LONGEST_CHARACTERS && characters.bytes().all(is_part)
}
