//! Features of issues, by which they are compared.
use crate::language::family;
use crate::lexicon::{Lexicon, Token, tokens};
use crate::vectors;
use content::search::Words;
use std::collections::BTreeMap;
use values::text::Language;

/// The version of [`Features::of`]. Stored features of another version are computed again.
pub const FEATURE_VERSION: i32 = 1;
/// The maximum number of words of a text that are compared.
const MOST_WORDS: usize = 400;
/// The maximum number of character n-grams of a text that are compared.
const MOST_GRAMS: usize = 2_000;
/// The most dimensions of the vector of an engine.
pub const MAX_DIMENSIONS: usize = 4_096;

/// A similarity measure: the weights of the parts of features, and the threshold at which issues share a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// By words and character n-grams.
    Words,
    /// By words, character n-grams and vectors: static ones, or those of an engine.
    Vectors,
}

impl Measure {
    /// The measure for issues of a language without an engine.
    pub fn of(language: Option<Language>) -> Self {
        if family(language) == Language::En { Self::Vectors } else { Self::Words }
    }

    /// The mean similarity from which an issue joins a cluster.
    pub const fn threshold(self) -> f32 {
        match self {
            Self::Words => 0.24,
            Self::Vectors => 0.35,
        }
    }

    /// The weights of words, character n-grams, and vectors. Their sum is 1.
    pub(crate) const fn weights(self) -> (f32, f32, f32) {
        match self {
            Self::Words => (0.5, 0.5, 0.0),
            Self::Vectors => (0.25, 0.25, 0.5),
        }
    }
}

/// The features of an issue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Hashes of stems, and of pairs of stems with [`PAIR`], each with its number of occurrences; ascending.
    pub(crate) terms: Vec<(u32, u8)>,
    /// Hashes of the n-grams of 3 to 5 characters of words, 24 bits each; ascending.
    pub(crate) grams: Vec<u32>,
    /// The vector as signed bytes; empty if there is none.
    pub(crate) vector: Vec<i8>,
    /// The value of one unit in a byte of the vector.
    pub(crate) scale: f32,
    /// Whether the vector is that of an engine.
    pub(crate) engine: bool,
}

/// The bit in the stored number of dimensions that marks the vector of an engine.
const ENGINE: u16 = 0x8000;
/// The lowest bit of a hash: set for a pair of stems, clear for a single stem.
pub(crate) const PAIR: u32 = 1;

impl Features {
    /// The features of a text, such as the title of an issue, in a language. Takes linear time.
    pub fn of(text: &str, language: Option<Language>) -> Self {
        let mut all = tokens(&mut Words::of(language), text);
        all.truncate(MOST_WORDS);
        let lexicon = Lexicon::of(language);
        let content: Vec<&Token> = all.iter().filter(|token| !lexicon.is_filler(token)).collect();
        // A text that has only fillers is compared by them.
        let content = if content.is_empty() { all.iter().collect() } else { content };
        let mut terms: BTreeMap<u32, u8> = BTreeMap::new();
        let mut add = |hash: u32| {
            let count = terms.entry(hash).or_default();
            *count = count.saturating_add(1);
        };
        content.iter().for_each(|token| add(hash([token.stem.as_bytes()]) & !PAIR));
        let pairs = content.windows(2);
        pairs.for_each(|pair| add(hash([pair[0].stem.as_bytes(), b" ", pair[1].stem.as_bytes()]) | PAIR));
        let features = Self { terms: terms.into_iter().collect(), grams: grams(&content), ..Self::default() };
        match Measure::of(language) {
            Measure::Vectors => match vectors::embed(text) {
                Some(vector) => Self { engine: false, ..features.with_vector(&vector) },
                None => features,
            },
            Measure::Words => features,
        }
    }

    /// Replaces the static vector with that of an engine, cut to [`MAX_DIMENSIONS`].
    #[must_use]
    pub fn with_vector(mut self, vector: &[f32]) -> Self {
        let vector = &vector[..vector.len().min(MAX_DIMENSIONS)];
        let greatest = vector.iter().map(|part| part.abs()).filter(|part| part.is_finite()).fold(0.0, f32::max);
        self.scale = greatest / 127.0;
        self.engine = true;
        let byte = |part: &f32| if self.scale > 0.0 { (part / self.scale).round() as i8 } else { 0 };
        self.vector = vector.iter().map(byte).collect();
        self
    }

    /// Encodes the features for a store: some 700 bytes for a sentence.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + 5 * self.terms.len() + 3 * self.grams.len() + self.vector.len());
        let engine = if self.engine { ENGINE } else { 0 };
        for (count, flag) in [(self.terms.len(), 0), (self.grams.len(), 0), (self.vector.len(), engine)] {
            let count = u16::try_from(count).unwrap_or(ENGINE - 1);
            bytes.extend_from_slice(&(count | flag).to_le_bytes());
        }
        bytes.extend_from_slice(&self.scale.to_le_bytes());
        for (hash, count) in &self.terms {
            bytes.extend_from_slice(&hash.to_le_bytes());
            bytes.push(*count);
        }
        self.grams.iter().for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()[..3]));
        bytes.extend(self.vector.iter().map(|byte| byte.to_ne_bytes()[0]));
        bytes
    }

    /// Decodes the bytes of [`to_bytes`](Self::to_bytes); `None` if they are invalid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(10)?;
        let count = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]) & !ENGINE);
        let scale = f32::from_le_bytes([head[6], head[7], head[8], head[9]]);
        let (terms, rest) = rest.split_at_checked(5 * count(0))?;
        let (grams, vector) = rest.split_at_checked(3 * count(2))?;
        let fine = vector.len() == count(4) && scale.is_finite() && scale >= 0.0;
        fine.then(|| Self {
            terms: terms.chunks_exact(5).map(|at| (u32::from_le_bytes([at[0], at[1], at[2], at[3]]), at[4])).collect(),
            grams: grams.chunks_exact(3).map(|at| u32::from_le_bytes([at[0], at[1], at[2], 0])).collect(),
            vector: vector.iter().map(|byte| i8::from_ne_bytes([*byte])).collect(),
            scale,
            engine: head[5] & 0x80 != 0,
        })
    }
}

/// Hashes of the n-grams of 3 to 5 characters of words, with a blank before and after each word.
fn grams(content: &[&Token]) -> Vec<u32> {
    let mut found = Vec::new();
    for token in content {
        let chars: Vec<char> = [' '].into_iter().chain(token.folded.chars()).chain([' ']).collect();
        for size in 3..=5 {
            for run in chars.windows(size) {
                let text: String = run.iter().collect();
                found.push(hash([text.as_bytes()]) >> 8);
            }
        }
        if found.len() > MOST_GRAMS {
            break;
        }
    }
    found.truncate(MOST_GRAMS);
    found.sort_unstable();
    found.dedup();
    found
}

/// FNV-1a of these bytes, folded to 32 bits. Stored: a change needs another [`FEATURE_VERSION`].
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.into_iter().flatten() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_in_other_forms_have_the_same_terms() {
        let terms = |text| Features::of(text, Some(Language::En)).terms;
        assert_eq!(terms("Export failing"), terms("the exports failed"));
        assert_ne!(terms("export fails"), terms("import fails"));
        assert!(!terms("how are you").is_empty());
    }

    #[test]
    fn only_english_has_static_vectors() {
        assert_eq!(Features::of("export", None).vector.len(), vectors::SIZE);
        assert!(Features::of("Rechnung", Some(Language::De)).vector.is_empty());
    }

    #[test]
    fn the_features_of_a_sentence_are_small() {
        let features = Features::of("The export of a large project fails with a time-out after one minute", None);
        assert!(features.to_bytes().len() < 1_200, "{}", features.to_bytes().len());
    }

    proptest! {
        #[test]
        fn features_are_the_same_after_encoding_and_decoding(text in "\\PC{0,300}") {
            let features = Features::of(&text, None);
            prop_assert_eq!(Features::from_bytes(&features.to_bytes()), Some(features));
        }

        #[test]
        fn decoding_arbitrary_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Features::from_bytes(&bytes);
        }
    }
}
