//! Glossaries: terms with their required translations.
use crate::tagged::{Piece, Tag, TagKind, Tagged};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeSet;
use values::characters::is_letter_mark;

/// A term of the source language, with its required translation into another language.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// The term.
    pub source: String,
    /// The required translation.
    pub wanted: String,
}

/// The terms for one pair of languages.
///
/// A term is found as a whole word, the longest first, without regard to case. A term with an upper-case letter after
/// its first character is found only as written. In scripts without spaces between words, a term is found anywhere.
#[derive(Clone, Debug, Default)]
pub struct Glossary {
    terms: Vec<Term>,
    automaton: Option<AhoCorasick>,
}

impl Glossary {
    /// The glossary with these terms. Of several equal terms, the first one counts. Terms without text are ignored.
    pub fn new(terms: impl IntoIterator<Item = Term>) -> Self {
        let mut known = BTreeSet::new();
        let terms: Vec<Term> = terms
            .into_iter()
            .filter(|term| !term.source.trim().is_empty() && !term.wanted.trim().is_empty())
            .filter(|term| known.insert(term.source.clone()))
            .collect();
        let patterns = terms.iter().map(|term| Folded::of(&term.source).text);
        // The automaton has a limit of 2³¹ states, far above any glossary.
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(patterns).ok();
        Self { terms, automaton }
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The terms in a text, without duplicates, in order.
    pub fn terms_in(&self, text: &Tagged) -> Vec<Term> {
        let found: BTreeSet<&Term> =
            text.texts().flat_map(|words| self.matches(words)).map(|found| found.term).collect();
        found.into_iter().cloned().collect()
    }

    /// The text with single tags in place of terms, for engines without support for glossaries. [`Tagged::read`] and
    /// [`Tagged::filled`] replace these tags by the required translations.
    #[must_use]
    pub fn applied(&self, text: &Tagged) -> Tagged {
        let mut tags = text.tags().to_vec();
        let mut pieces = Vec::new();
        for piece in text.all_pieces() {
            let Piece::Text(words) = piece else {
                pieces.push(piece);
                continue;
            };
            let mut at = 0;
            for found in self.matches(&words) {
                pieces.push(Piece::Text(words[at..found.start].to_owned()));
                tags.push(Tag { kind: TagKind::Term(found.term.wanted.clone()), container: None });
                pieces.push(Piece::Single(u32::try_from(tags.len()).unwrap_or(u32::MAX)));
                at = found.end;
            }
            pieces.push(Piece::Text(words[at..].to_owned()));
        }
        Tagged::new(pieces, tags)
    }

    /// The terms in a text, from left to right, without overlaps.
    fn matches(&self, text: &str) -> Vec<Found<'_>> {
        let Some(automaton) = self.automaton.as_ref().filter(|_| !self.is_empty()) else { return Vec::new() };
        let folded = Folded::of(text);
        let mut found: Vec<Found<'_>> = automaton
            .find_overlapping_iter(&folded.text)
            .filter_map(|found| {
                let term = &self.terms[found.pattern().as_usize()];
                let (start, end) = (folded.place(found.start())?, folded.place(found.end())?);
                let as_written = !is_case_sensitive(&term.source) || text[start..end] == term.source;
                (as_written && is_whole(text, start, end)).then_some(Found { term, start, end })
            })
            .collect();
        found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
        let mut free = 0;
        found.retain(|found| {
            let fits = found.start >= free;
            if fits {
                free = found.end;
            }
            fits
        });
        found
    }
}

/// A term in a text, by bytes.
struct Found<'g> {
    term: &'g Term,
    start: usize,
    end: usize,
}

/// A text in lower case, with the position of each of its bytes in the original text.
struct Folded {
    text: String,
    /// For each byte, the start of its character in the original text; `None` for bytes that start no character of it.
    places: Vec<Option<usize>>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len() + 1) };
        for (at, char) in text.char_indices() {
            folded.text.extend(char.to_lowercase());
            folded.places.push(Some(at));
            folded.places.resize(folded.text.len(), None);
        }
        folded.places.push(Some(text.len()));
        folded
    }

    fn place(&self, byte: usize) -> Option<usize> {
        self.places.get(byte).copied().flatten()
    }
}

fn is_case_sensitive(term: &str) -> bool {
    term.chars().skip(1).any(char::is_uppercase)
}

fn is_whole(text: &str, start: usize, end: usize) -> bool {
    is_boundary(text, start) && is_boundary(text, end)
}

/// Whether a word can begin or end at a byte of a text.
fn is_boundary(text: &str, at: usize) -> bool {
    match (text[..at].chars().next_back(), text[at..].chars().next()) {
        (Some(before), Some(after)) => !(is_attached(after) || joins(before) && joins(after)),
        _ => true,
    }
}

/// Whether a character belongs to the one before it: a mark, such as a virama or an accent, or the joiner that connects
/// it with the next letter.
fn is_attached(char: char) -> bool {
    is_letter_mark(char) || char == '\u{200d}'
}

/// Whether a character is part of a word that is delimited by white space or punctuation. Chinese, Japanese, Korean,
/// Thai, Lao, Khmer and Burmese words are next to other words or endings.
fn joins(char: char) -> bool {
    let unspaced = matches!(u32::from(char),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x2E80..=0x9FFF | 0xAC00..=0xD7FF
        | 0xF900..=0xFAFF | 0xFF66..=0xFFDC | 0x2_0000..=0x3_FFFF);
    (char.is_alphanumeric() || char == '_' || is_attached(char)) && !unspaced
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Markup;
    use rstest::rstest;

    fn glossary(terms: &[(&str, &str)]) -> Glossary {
        Glossary::new(terms.iter().map(|(source, wanted)| Term { source: (*source).into(), wanted: (*wanted).into() }))
    }

    fn found(terms: &[&str], text: &str) -> Vec<String> {
        let pairs: Vec<(&str, &str)> = terms.iter().map(|term| (*term, "x")).collect();
        let glossary = glossary(&pairs);
        glossary.matches(text).into_iter().map(|found| text[found.start..found.end].to_owned()).collect()
    }

    #[rstest]
    #[case::any_case(&["cluster"], "A Cluster of CLUSTERS, cluster", &["Cluster", "cluster"])]
    #[case::longest(&["pull", "pull request"], "a pull request, a pull", &["pull request", "pull"])]
    #[case::a_part_is_tried_where_the_whole_is_no_word(&["log", "log in"], "log into", &["log"])]
    #[case::as_written(&["GitHub"], "GitHub github", &["GitHub"])]
    #[case::first_letter_in_any_case(&["Space"], "space Space SPACE", &["space", "Space", "SPACE"])]
    #[case::identifiers(&["name"], "user_name name", &["name"])]
    #[case::signs(&["C++"], "in C++ or c++", &["C++", "c++"])]
    #[case::letters_that_grow(&["iş"], "İŞ iş", &["iş"])]
    #[case::without_spaces(&["服务器"], "这是服务器的", &["服务器"])]
    #[case::particles(&["서버"], "서버는", &["서버"])]
    #[case::overlapping(&["a b", "b c"], "a b c", &["a b"])]
    #[case::marks(&["हिन्दी"], "हिन्दी में, हिन्दीभाषी", &["हिन्दी"])]
    #[case::a_virama_after_the_term(&["जगत"], "जगत् जगत", &["जगत"])]
    #[case::a_virama_at_the_end_of_the_term(&["जगत्"], "जगत्पति जगत्", &["जगत्"])]
    #[case::a_joiner(&["\u{dbb}\u{dd3}"], "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3} \u{dbb}\u{dd3}", &["\u{dbb}\u{dd3}"])]
    #[case::an_accent_of_its_own(&["cafe"], "cafe\u{301} cafe", &["cafe"])]
    #[case::a_tone_without_spaces(&["แม"], "แม่แม", &["แม"])]
    fn terms_are_found(#[case] terms: &[&str], #[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(found(terms, text), expected);
    }

    #[test]
    fn terms_become_tags_and_then_the_wanted_words() {
        let text = Tagged::plain(" The cluster and the node. ");
        let applied = glossary(&[("cluster", "racimo"), ("node", "nodo")]).applied(&text);
        assert_eq!(applied.written(Markup::Xml), "The <x1/> and the <x2/>.");
        let read = applied.read(Markup::Xml, "El <x2/> y el <x1/>.").unwrap();
        assert_eq!(read.canonical(), "El nodo y el racimo.");
        assert!(read.fits(&text));
        let words: Vec<String> = applied.fragments().iter().map(Tagged::words).collect();
        assert_eq!(words, ["The", "and the"]);
        let filled = applied.filled(&[Tagged::plain("El"), Tagged::plain(" y el ")]).unwrap();
        assert!(filled.words().contains("racimo") && filled.fits(&text), "{filled:?}");
    }

    #[test]
    fn only_the_terms_of_a_text_apply_to_it() {
        let glossary = glossary(&[("node", "nodo"), ("cluster", "racimo"), ("Node", "Nodo"), ("", "x")]);
        let terms = glossary.terms_in(&Tagged::plain("A node, a node"));
        assert_eq!(terms.iter().map(|term| term.wanted.as_str()).collect::<Vec<_>>(), ["nodo"]);
        assert_eq!(Glossary::default().terms_in(&Tagged::plain("A node")), []);
    }
}
