//! The keys of the translation memory.
use crate::glossary::Term;
use crate::tagged::Tagged;
use crate::units::TextKind;
use std::fmt;
use values::text::Language;

/// The maximum number of words of a text whose kind affects its translation: "Open" is another word on a button than in
/// a heading.
const MAX_KIND_WORDS: usize = 3;

/// A text and everything that affects its translation.
#[derive(Clone, Copy, Debug)]
pub struct MemoryText<'a> {
    /// The text.
    pub text: &'a Tagged,
    /// Its kind, which counts only for texts of at most three words.
    pub kind: TextKind,
    /// Its language.
    pub from: Language,
    /// The target language.
    pub to: Language,
    /// The instructions of the organization; `None` if the engine does not support instructions.
    pub instructions: Option<&'a str>,
    /// The terms of the glossary in the text.
    pub terms: &'a [Term],
}

/// The key of a translation in the memory of an organization: a hash of everything that affects it. It does not depend
/// on the engine or on the place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryKey([u8; 32]);

impl MemoryKey {
    /// The key for the translation of a text.
    pub fn of(text: &MemoryText<'_>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &str| {
            // The length prevents a part from being read as the beginning of the next one.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        };
        add("octavo translation 1");
        add(&text.text.canonical());
        add(text.from.as_str());
        add(text.to.as_str());
        add(text.instructions.unwrap_or_default());
        add(if text.text.word_count() <= MAX_KIND_WORDS { text.kind.name() } else { "" });
        for term in text.terms {
            add(&term.source);
            add(&term.wanted);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for MemoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for MemoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str, kind: TextKind, instructions: Option<&str>, terms: &[(&str, &str)]) -> MemoryKey {
        let terms: Vec<Term> =
            terms.iter().map(|(source, wanted)| Term { source: (*source).into(), wanted: (*wanted).into() }).collect();
        let text = Tagged::plain(text);
        MemoryKey::of(&MemoryText {
            text: &text,
            kind,
            from: Language::En,
            to: Language::De,
            instructions,
            terms: &terms,
        })
    }

    #[test]
    fn the_kind_counts_for_a_few_words_only() {
        let few = "Open the file";
        assert_ne!(key(few, TextKind::Label, None, &[]), key(few, TextKind::Heading, None, &[]));
        let more = "Open the other file";
        assert_eq!(key(more, TextKind::Label, None, &[]), key(more, TextKind::Heading, None, &[]));
    }

    #[test]
    fn white_space_at_the_ends_does_not_count_and_all_else_does() {
        let plain = key("Open the other file", TextKind::Text, None, &[]);
        assert_eq!(plain, key(" Open the other file  ", TextKind::Text, None, &[]));
        let others = [
            key("Open the other  file", TextKind::Text, None, &[]),
            key("Open the other file", TextKind::Text, Some("Be formal"), &[]),
            key("Open the other file", TextKind::Text, None, &[("file", "Datei")]),
            key("Open the other file", TextKind::Text, None, &[("file", "Akte")]),
        ];
        assert!(others.iter().all(|other| *other != plain), "{others:?}");
        assert_eq!(plain.to_string().len(), 64);
    }
}
