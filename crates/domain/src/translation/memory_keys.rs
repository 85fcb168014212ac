//! Keys of texts in the translation memory.
use super::Translation;
use super::glossary::GlossaryEntry;
use super::run::MemoryKey;
use crate::content::markdown;
use crate::text::Language;
use crate::translations::{self, Glossary, MemoryText, Term, Unit};

/// Computes the keys of texts in the translation memory. A key depends on the text and on everything else that affects
/// its translation.
pub(crate) struct MemoryKeys {
    /// The language of the source.
    pub(crate) from: Language,
    /// The target language.
    pub(crate) to: Language,
    /// The instructions of the organization, as Markdown; `None` if there are none, or the engine does not follow them.
    pub(crate) instructions: Option<String>,
    /// The terms with words in both languages.
    pub(crate) glossary: Glossary,
}

impl MemoryKeys {
    /// The keys of a translation whose engine follows instructions.
    pub(crate) fn new(translation: &Translation, glossary: &[GlossaryEntry]) -> Self {
        let (from, to) = (translation.source.language, translation.language);
        let written = markdown::write(&translation.instructions, &markdown::Unresolved);
        let term = |entry: &GlossaryEntry| {
            let (source, wanted) = (entry.term(from)?, entry.term(to)?);
            Some(Term { source: source.to_string(), wanted: wanted.to_string() })
        };
        Self {
            from,
            to,
            instructions: Some(written.trim().to_owned()).filter(|text| !text.is_empty()),
            glossary: Glossary::new(glossary.iter().filter_map(term)),
        }
    }

    /// The key of a text.
    pub(crate) fn key(&self, unit: &Unit) -> MemoryKey {
        self.key_with(unit, self.instructions.as_deref())
    }

    /// The keys that a text can have, depending on the engine that translated it. The first is that of an engine that
    /// follows instructions.
    pub(crate) fn keys(&self, unit: &Unit) -> Vec<MemoryKey> {
        let obeyed = self.instructions.as_deref().map(|instructions| self.key_with(unit, Some(instructions)));
        obeyed.into_iter().chain([self.key_with(unit, None)]).collect()
    }

    fn key_with(&self, unit: &Unit, instructions: Option<&str>) -> MemoryKey {
        let text = MemoryText {
            text: &unit.text,
            kind: unit.kind,
            from: self.from,
            to: self.to,
            instructions,
            terms: &self.glossary.terms_in(&unit.text),
        };
        *translations::MemoryKey::of(&text).as_bytes()
    }
}
