//! The parts of search that depend on the language: stems and stop words.
use super::terms::fold;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::HashMap;
use values::text::Language;

/// The size of the stem cache, in words. Indexing a book then stems every word once.
const CACHE_SIZE: usize = 50_000;

/// Computes the stems of words in one language.
pub(super) struct Stems {
    /// For words in the language's own script.
    own: Option<Stemmer>,
    /// For words in plain Latin letters. In a text of another script, these are mostly English.
    latin: Option<Stemmer>,
    known: HashMap<String, Option<Box<str>>>,
}

impl Stems {
    /// Stems of a language; English if absent.
    pub(super) fn of(language: Option<Language>) -> Self {
        let (own, latin) = algorithms(language.unwrap_or(Language::En));
        Self { own: own.map(Stemmer::create), latin: latin.map(Stemmer::create), known: HashMap::new() }
    }

    /// The stem of a lower-case word, folded; `None` if it equals the folded word.
    pub(super) fn stem(&mut self, lower: &str) -> Option<&str> {
        if lower.len() < 3 || !lower.chars().all(char::is_alphabetic) {
            return None;
        }
        if !self.known.contains_key(lower) {
            if self.known.len() >= CACHE_SIZE {
                self.known.clear();
            }
            let stem = self.fresh(lower);
            self.known.insert(lower.to_owned(), stem);
        }
        self.known.get(lower)?.as_deref()
    }

    fn fresh(&self, lower: &str) -> Option<Box<str>> {
        let stemmer = if lower.is_ascii() { self.latin.as_ref() } else { self.own.as_ref() }?;
        let (mut word, mut stem) = (String::new(), String::new());
        fold(lower, &mut word);
        fold(&stemmer.stem(lower), &mut stem);
        (stem != word && stem.chars().count() >= 2).then(|| stem.into())
    }
}

/// The algorithms for words in the script of the language, and for words in plain Latin letters.
fn algorithms(language: Language) -> (Option<Algorithm>, Option<Algorithm>) {
    use Algorithm as A;
    let both = |algorithm| (Some(algorithm), Some(algorithm));
    match language {
        Language::En => both(A::English),
        Language::Fr => both(A::French),
        Language::De => both(A::German),
        Language::Es => both(A::Spanish),
        Language::It => both(A::Italian),
        Language::Pt | Language::PtBr => both(A::Portuguese),
        Language::Nl => both(A::Dutch),
        Language::Tr => both(A::Turkish),
        Language::Sv => both(A::Swedish),
        Language::No => both(A::Norwegian),
        Language::Da => both(A::Danish),
        Language::Fi => both(A::Finnish),
        Language::Hu => both(A::Hungarian),
        Language::Ro => both(A::Romanian),
        Language::Ru => (Some(A::Russian), Some(A::English)),
        Language::El => (Some(A::Greek), Some(A::English)),
        Language::Ar => (Some(A::Arabic), Some(A::English)),
        Language::Ja
        | Language::Zh
        | Language::ZhTw
        | Language::Yue
        | Language::Ko
        | Language::Hi
        | Language::Th
        | Language::He
        | Language::Uk
        | Language::Bg => (None, Some(A::English)),
        Language::Pl
        | Language::Cs
        | Language::Vi
        | Language::Id
        | Language::Ms
        | Language::Sk
        | Language::Hr
        | Language::Lt
        | Language::Lv
        | Language::Et
        | Language::Sl => (None, None),
    }
}

/// Stop words: a query may have them, but a page need not. `how do I install it` searches for `install`.
pub(super) fn is_stop_word(folded: &str, language: Option<Language>) -> bool {
    stop_words(language).binary_search(&folded).is_ok()
}

fn stop_words(language: Option<Language>) -> &'static [&'static str] {
    match language.unwrap_or(Language::En) {
        Language::De => &[
            "aber", "als", "am", "an", "auf", "aus", "bei", "das", "dem", "den", "der", "des", "die", "ein", "eine",
            "einem", "einen", "einer", "es", "fur", "ich", "im", "in", "ist", "kann", "man", "mit", "nach", "oder",
            "sie", "sind", "um", "und", "von", "was", "wenn", "wie", "wird", "zu", "zum", "zur",
        ],
        Language::Fr => &[
            "a", "au", "aux", "avec", "ce", "ces", "comment", "d", "dans", "de", "des", "du", "en", "est", "et", "il",
            "je", "l", "la", "le", "les", "mon", "ne", "on", "ou", "par", "pas", "pour", "qu", "que", "quel", "qui",
            "s", "se", "sont", "sur", "un", "une", "vous",
        ],
        Language::Es => &[
            "a", "al", "como", "con", "cual", "de", "del", "el", "en", "es", "esta", "la", "las", "lo", "los", "mi",
            "no", "o", "para", "por", "que", "se", "si", "son", "su", "un", "una", "y", "yo",
        ],
        Language::It => &[
            "a", "al", "alla", "che", "come", "con", "da", "dal", "dei", "del", "della", "di", "e", "ed", "gli", "i",
            "il", "in", "l", "la", "le", "lo", "nel", "nella", "non", "o", "per", "si", "sono", "su", "un", "una",
            "uno",
        ],
        Language::Pt | Language::PtBr => &[
            "a", "ao", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "em", "eu", "na", "nas", "no", "nos",
            "o", "os", "ou", "para", "pela", "pelo", "por", "qual", "que", "se", "um", "uma",
        ],
        Language::Nl => &[
            "als", "bij", "dat", "de", "die", "dit", "een", "en", "er", "het", "hoe", "ik", "in", "is", "met", "naar",
            "of", "om", "op", "te", "tot", "uit", "van", "voor", "wat", "zijn",
        ],
        _ => &[
            "a", "about", "am", "an", "and", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does", "for",
            "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on",
            "or", "our", "s", "shall", "should", "so", "such", "t", "than", "that", "the", "their", "them", "then",
            "there", "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
            "who", "why", "will", "with", "would", "you", "your",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, "installing", Some("instal"))]
    #[case(None, "buffer", None)]
    #[case(None, "utf8", None)]
    #[case(Some(Language::De), "häuser", Some("haus"))]
    #[case(Some(Language::Ja), "settings", Some("set"))]
    #[case(Some(Language::Ru), "книги", Some("книг"))]
    #[case(Some(Language::Pl), "ustawienia", None)]
    fn stems_depend_on_the_language(
        #[case] language: Option<Language>,
        #[case] word: &str,
        #[case] stem: Option<&str>,
    ) {
        let mut stems = Stems::of(language);
        assert_eq!(stems.stem(word), stem);
        assert_eq!(stems.stem(word), stem, "the second time from memory");
    }

    #[test]
    fn every_list_of_stop_words_is_sorted_and_folded() {
        for language in Language::ALL {
            let words = stop_words(Some(*language));
            assert!(words.is_sorted(), "{language:?}");
            for word in words {
                let mut folded = String::new();
                fold(word, &mut folded);
                assert_eq!(folded, *word);
                assert!(is_stop_word(word, Some(*language)));
            }
            assert!(!is_stop_word("install", Some(*language)));
        }
    }
}
