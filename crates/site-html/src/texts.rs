//! The words of the interface, in the languages that it has.
mod dates;
mod words;

pub use words::Word;

use domain::site::customization::Locale;
use domain::text::Language;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The words of the interface in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texts {
    /// The language.
    pub locale: Locale,
}

/// The languages with a file, and its text. In each line is the name of a word, a space and the word.
const FILES: [(Locale, &str); 11] = [
    (Locale::Fr, include_str!("../texts/fr.txt")),
    (Locale::Es, include_str!("../texts/es.txt")),
    (Locale::Zh, include_str!("../texts/zh.txt")),
    (Locale::Ja, include_str!("../texts/ja.txt")),
    (Locale::De, include_str!("../texts/de.txt")),
    (Locale::Nl, include_str!("../texts/nl.txt")),
    (Locale::No, include_str!("../texts/no.txt")),
    (Locale::PtBr, include_str!("../texts/pt-br.txt")),
    (Locale::Ru, include_str!("../texts/ru.txt")),
    (Locale::Ar, include_str!("../texts/ar.txt")),
    (Locale::He, include_str!("../texts/he.txt")),
];

/// By language, the words in the order of [`Word::ALL`].
static TABLES: LazyLock<[(Locale, Vec<&'static str>); 11]> =
    LazyLock::new(|| FILES.map(|(locale, file)| (locale, table(file))));

fn entries(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.lines().filter_map(|line| line.split_once(' '))
}

fn table(file: &'static str) -> Vec<&'static str> {
    let entries: HashMap<&str, &str> = entries(file).collect();
    Word::ALL.iter().map(|word| entries.get(word.name()).copied().unwrap_or_else(|| word.english())).collect()
}

impl Texts {
    /// The texts for content in a language; in `fallback` if the interface does not have that language.
    pub fn of(language: Option<Language>, fallback: Locale) -> Self {
        let locale = language.and_then(|language| match language {
            Language::En => Some(Locale::En),
            Language::Fr => Some(Locale::Fr),
            Language::Es => Some(Locale::Es),
            // There is no traditional script. The simplified one is nearer than any other language.
            Language::Zh | Language::ZhTw | Language::Yue => Some(Locale::Zh),
            Language::Ja => Some(Locale::Ja),
            Language::De => Some(Locale::De),
            Language::Nl => Some(Locale::Nl),
            Language::No => Some(Locale::No),
            Language::Pt | Language::PtBr => Some(Locale::PtBr),
            Language::Ru => Some(Locale::Ru),
            Language::Ar => Some(Locale::Ar),
            Language::He => Some(Locale::He),
            _ => None,
        });
        Self { locale: locale.unwrap_or(fallback) }
    }

    /// A word.
    pub fn get(&self, word: Word) -> &'static str {
        match TABLES.iter().find(|(locale, _)| *locale == self.locale) {
            Some((_, words)) => words.get(word as usize).copied().unwrap_or_else(|| word.english()),
            None => word.english(),
        }
    }

    /// A word with a value in it. The result is plain text.
    pub fn with(&self, word: Word, value: &str) -> String {
        self.get(word).replacen("{}", value, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn every_language_has_every_word_and_no_other() {
        let english: Vec<&str> = Word::ALL.iter().map(|word| word.name()).collect();
        for (locale, file) in FILES {
            let names: Vec<&str> = entries(file).map(|(name, _)| name).collect();
            assert_eq!(names, english, "{}", locale.as_str());
            assert_eq!(names.len(), file.lines().count(), "{}", locale.as_str());
        }
        assert!(Locale::ALL.iter().all(|locale| *locale == Locale::En || FILES.iter().any(|file| file.0 == *locale)));
    }

    #[test]
    fn every_text_has_a_value_where_the_english_one_has_one_and_no_blank_ends() {
        for (locale, file) in FILES {
            for ((name, text), word) in entries(file).zip(Word::ALL) {
                let holes = |text: &str| text.matches("{}").count();
                assert_eq!(holes(text), holes(word.english()), "{name} in {}", locale.as_str());
                assert!(holes(text) <= 1, "{name}");
                assert_eq!(text, text.trim(), "{name} in {}", locale.as_str());
                assert!(!text.is_empty(), "{name} in {}", locale.as_str());
            }
        }
    }

    #[test]
    fn words_are_in_order_of_their_names() {
        assert!(Word::ALL.iter().map(|word| word.name()).is_sorted());
    }

    #[rstest]
    #[case(Some(Language::De), Locale::En, Locale::De)]
    #[case(Some(Language::Pt), Locale::En, Locale::PtBr)]
    #[case(Some(Language::ZhTw), Locale::En, Locale::Zh)]
    #[case(Some(Language::Ko), Locale::Ja, Locale::Ja)]
    #[case(Some(Language::En), Locale::Fr, Locale::En)]
    #[case(None, Locale::He, Locale::He)]
    fn the_language_of_the_content_comes_before_that_of_the_site(
        #[case] language: Option<Language>,
        #[case] fallback: Locale,
        #[case] locale: Locale,
    ) {
        assert_eq!(Texts::of(language, fallback).locale, locale);
    }

    #[test]
    fn values_are_put_in_as_they_are() {
        let texts = Texts { locale: Locale::De };
        assert_eq!(texts.with(Word::NoResults, "{}<b>"), "Keine Ergebnisse für „{}<b>“");
        assert_eq!(texts.get(Word::Search), "Suchen");
        assert_eq!(Texts { locale: Locale::En }.get(Word::Search), "Search");
    }
}
