//! Checks a translation with complete tags.
mod addresses;
mod language;
mod numbers;
mod preambles;

use crate::glossary::Term;
use crate::tagged::{Fault, Tagged};
use values::text::Language;

/// The minimum length of a source for a check of the translation's length, in characters.
const MIN_CHECKED_LENGTH: usize = 20;

/// The rules for translations between two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The language of the source.
    pub from: Language,
    /// The target language.
    pub to: Language,
    /// Whether the language of a translation is checked; not for the pseudo-translator.
    pub language: bool,
}

impl Rules {
    /// Checks a translation of `source`: it has the numbers and the required translations of `terms`, and no other
    /// address; it is not too short, too long or longer than `limit` characters; it is not in the source language; and
    /// it has no words about the translation.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self, source: &Tagged, answer: &Tagged, terms: &[Term], limit: Option<usize>) -> Result<(), Fault> {
        let (asked, said) = (source.words(), answer.words());
        preambles::check(&asked, &said, self.to)?;
        numbers::check(&asked, &said)?;
        addresses::check(&asked, &said)?;
        let folded = said.to_lowercase();
        if let Some(term) = terms.iter().find(|term| !folded.contains(&term.wanted.to_lowercase())) {
            return Err(Fault::Term(term.wanted.clone()));
        }
        self.length(source.characters(), answer.characters())?;
        if limit.is_some_and(|limit| said.chars().count() > limit) {
            return Err(Fault::Limit(limit.unwrap_or_default()));
        }
        if self.language && language::is_still(&said, self.from, self.to) {
            return Err(Fault::Language);
        }
        Ok(())
    }

    fn length(&self, source: usize, answer: usize) -> Result<(), Fault> {
        // In hundredths of the source's length.
        let (least, most) = match (is_dense(self.from), is_dense(self.to)) {
            (false, true) => (15, 250),
            (true, false) => (40, 670),
            _ => (30, 350),
        };
        let ratio = answer * 100;
        if source >= MIN_CHECKED_LENGTH && (ratio < source * least || ratio > source * most) {
            Err(Fault::Length)
        } else {
            Ok(())
        }
    }
}

/// Whether a language needs fewer characters than other languages.
fn is_dense(language: Language) -> bool {
    matches!(language, Language::Zh | Language::ZhTw | Language::Yue | Language::Ja | Language::Ko)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagged::Markup;
    use rstest::rstest;

    const SOURCE: &str = "Open the settings of the cluster and look for the number of its nodes there.";

    fn check(source: &str, answer: &str) -> Result<(), Fault> {
        let rules = Rules { from: Language::En, to: Language::Es, language: true };
        let terms = [Term { source: "cluster".into(), wanted: "clúster".into() }];
        let terms = if source.contains("cluster") { &terms[..] } else { &[] };
        let source = Tagged::plain(source);
        rules.check(&source, &source.read(Markup::Numbered, answer)?, terms, Some(200))
    }

    #[rstest]
    #[case(SOURCE, "Abra la configuración del Clúster y busque allí el número de sus nodos.", Ok(()))]
    #[case(SOURCE, "Abra la configuración del grupo y busque allí el número de sus nodos.", Err(Fault::Term("clúster".into())))]
    #[case(SOURCE, "Abra el clúster", Err(Fault::Length))]
    #[case(
        SOURCE,
        "Open the settings of the clúster and look for the number of its nodes there.",
        Err(Fault::Language)
    )]
    #[case("See 3 of 1,000.50 files", "Vea 3 de 1.000,50 archivos", Ok(()))]
    #[case("See 3 of 10 files", "Vea tres de 10 archivos", Err(Fault::Number("3".into())))]
    #[case("Write to us", "Escriba a ada@ejemplo.org", Err(Fault::Address("ada@ejemplo.org".into())))]
    #[case("Open it", "Here is the translation: Ábralo", Err(Fault::Preamble))]
    #[case("Open it", "``` Ábralo ```", Err(Fault::Fence))]
    fn a_translation_is_checked(#[case] source: &str, #[case] answer: &str, #[case] expected: Result<(), Fault>) {
        assert_eq!(check(source, answer), expected);
    }

    #[test]
    fn a_translation_is_not_longer_than_its_place_allows() {
        let rules = Rules { from: Language::En, to: Language::De, language: true };
        let long = Tagged::plain("Ein Titel, der zu lang ist");
        assert_eq!(rules.check(&Tagged::plain("A long title"), &long, &[], Some(10)), Err(Fault::Limit(10)));
        assert_eq!(rules.check(&Tagged::plain("A long title"), &long, &[], None), Ok(()));
    }

    #[rstest]
    #[case(Language::En, Language::De, 100, 29, false)]
    #[case(Language::En, Language::De, 100, 30, true)]
    #[case(Language::En, Language::De, 100, 350, true)]
    #[case(Language::En, Language::De, 100, 351, false)]
    #[case(Language::En, Language::Ja, 100, 15, true)]
    #[case(Language::En, Language::Ja, 100, 251, false)]
    #[case(Language::Zh, Language::En, 100, 600, true)]
    #[case(Language::Zh, Language::En, 100, 39, false)]
    #[case(Language::En, Language::De, 19, 1, true)]
    fn a_length_is_right_for_its_languages(
        #[case] from: Language,
        #[case] to: Language,
        #[case] source: usize,
        #[case] answer: usize,
        #[case] fine: bool,
    ) {
        assert_eq!(Rules { from, to, language: true }.length(source, answer).is_ok(), fine);
    }
}
