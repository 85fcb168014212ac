//! How texts are found in the memory: what decides their translation besides the text itself.
use super::Translation;
use super::glossary::GlossaryEntry;
use super::run::MemoryKey;
use crate::content::markdown;
use crate::text::Language;
use crate::translations::{self, Glossary, MemoryText, Term, Unit};

/// What decides a translation of a text besides the text.
pub struct Naming {
    /// The language of the source.
    pub from: Language,
    /// The wanted language.
    pub to: Language,
    /// What the organization asks for, as Markdown; `None` if there is nothing, or the engine obeys no instructions.
    pub instructions: Option<String>,
    /// The terms with words in both languages.
    pub glossary: Glossary,
}

impl Naming {
    /// The names that the texts of a translation have if its engine obeys instructions.
    pub fn new(translation: &Translation, glossary: &[GlossaryEntry]) -> Self {
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

    /// The name of a text in the memory.
    pub fn key(&self, unit: &Unit) -> MemoryKey {
        self.key_with(unit, self.instructions.as_deref())
    }

    /// The names that a text can have, whatever engine translated it. The first is that of an engine that obeys
    /// instructions.
    pub fn keys(&self, unit: &Unit) -> Vec<MemoryKey> {
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
