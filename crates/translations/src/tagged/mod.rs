//! Texts with numbered tags.
//!
//! A pair of tags is around words: a mark, a link, or text with a note. A single tag is an element that must not
//! change: code, an address, an emoji, an image, a line feed. In the canonical form, which the memory stores, a pair is
//! `⟨1⟩words⟨/1⟩`, a single tag `⟨2/⟩`, and the character `⟨` is written `⟨⟩`.
mod dialect;
mod entities;
mod fragments;
mod lexer;
mod line;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use entities::decoded;
pub(crate) use line::Line;

use unicode_segmentation::UnicodeSegmentation;

/// The markup of texts for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Markup {
    /// As HTML: `<a id="t1">words</a>`, `<img id="t2"/>`.
    Html,
    /// As XML: `<g1>words</g1>`, `<x2/>`.
    Xml,
    /// As XML, for a language model: only text that could be read as a tag is escaped.
    Numbered,
    /// None: texts are sent without tags and without escapes.
    None,
}

/// The reason why an answer is rejected. The messages are sentences that can be sent to a language model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no answer.
    #[error("the translation is empty")]
    Empty,
    /// A tag of the source is missing.
    #[error("tag {0} is missing")]
    Missing(u32),
    /// A tag occurs twice, or is closed twice.
    #[error("tag {0} is used more than once")]
    Repeated(u32),
    /// A tag that the source does not have.
    #[error("there is a tag that the source does not have")]
    Foreign,
    /// A pair whose tags are not in order.
    #[error("the tags of pair {0} do not enclose text in order")]
    Unpaired(u32),
    /// A tag that is inside another one than in the source.
    #[error("tag {0} is in a place where it cannot be")]
    Misplaced(u32),
    /// A control character, or a replacement character.
    #[error("there is a control character")]
    Control,
    /// Several paragraphs.
    #[error("there is more than the translation of one text")]
    Paragraphs,
    /// A number of the source is missing.
    #[error("the number {0} is missing")]
    Number(String),
    /// An address that the source does not have.
    #[error("the source does not have the address {0}")]
    Address(String),
    /// The required translation of a term is missing.
    #[error("the term \"{0}\" is missing")]
    Term(String),
    /// It is too short or too long for a translation.
    #[error("the translation is much too short or much too long")]
    Length,
    /// It is longer than its place allows.
    #[error("the translation may have at most {0} characters")]
    Limit(usize),
    /// It is still in the source language.
    #[error("the text is not translated")]
    Language,
    /// Words about the translation instead of the translation.
    #[error("there are words that are not part of the translation")]
    Preamble,
    /// A code fence around the translation.
    #[error("the translation is in a code fence")]
    Fence,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words. Never empty, and never next to other words.
    Text(String),
    /// The start tag of a pair.
    Open(u32),
    /// The end tag of a pair.
    Close(u32),
    /// A single tag.
    Single(u32),
}

/// The kind of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagKind {
    /// A pair for a mark.
    Mark,
    /// A pair for a link, or for text with a note.
    Around,
    /// A single tag.
    Single {
        /// Whether it may move into or out of links and notes.
        moves: bool,
    },
    /// A single tag in place of a term of the glossary, with the required translation.
    Term(String),
}

/// A tag of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) kind: TagKind,
    /// The nearest link or note around it.
    pub(crate) container: Option<u32>,
}

/// A text with numbered tags, without white space at its ends.
///
/// It keeps the tags of its line, so an answer is read against its source. Values from outside, answers and stored
/// translations, become a `Tagged` only through [`Tagged::read`] and [`Tagged::read_canonical`], which check the tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tagged {
    /// White space before the text.
    lead: String,
    pieces: Vec<Piece>,
    /// White space after the text.
    tail: String,
    /// The tags by number, from 1.
    tags: Vec<Tag>,
}

impl Tagged {
    /// A text without tags. A line feed in it is a single tag.
    pub fn plain(text: &str) -> Self {
        Line::plain(text).text
    }

    /// The pieces as a text; white space at the ends is kept separately.
    pub(crate) fn new(pieces: Vec<Piece>, tags: Vec<Tag>) -> Self {
        let mut text = Self { lead: String::new(), pieces: joined(pieces), tail: String::new(), tags };
        if let Some(Piece::Text(first)) = text.pieces.first_mut() {
            let kept = first.trim_start().to_owned();
            text.lead = first[..first.len() - kept.len()].to_owned();
            *first = kept;
        }
        if let Some(Piece::Text(last)) = text.pieces.last_mut() {
            let kept = last.trim_end().len();
            text.tail = last.split_off(kept);
        }
        text.pieces.retain(|piece| !matches!(piece, Piece::Text(words) if words.is_empty()));
        text
    }

    /// The same tags around other pieces, with the white space of this text at the ends.
    fn with(&self, pieces: Vec<Piece>) -> Self {
        let inner = Self::new(pieces, Vec::new());
        Self { lead: self.lead.clone(), pieces: inner.pieces, tail: self.tail.clone(), tags: self.tags.clone() }
    }

    /// All pieces, with the white space at the ends.
    pub(crate) fn all_pieces(&self) -> Vec<Piece> {
        let around = |space: &str| (!space.is_empty()).then(|| Piece::Text(space.to_owned()));
        let mut pieces: Vec<Piece> = around(&self.lead).into_iter().collect();
        pieces.extend(self.pieces.iter().cloned());
        pieces.extend(around(&self.tail));
        joined(pieces)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub(crate) fn tags(&self) -> &[Tag] {
        &self.tags
    }

    pub(crate) fn tag(&self, number: u32) -> Option<&Tag> {
        self.tags.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The words of the text, with a space for every single tag.
    pub fn words(&self) -> String {
        let mut words = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => words.push_str(text),
                Piece::Single(_) => words.push(' '),
                Piece::Open(_) | Piece::Close(_) => {}
            }
        }
        words
    }

    /// Whether there is a letter outside of the tags. A text without one is not translated.
    pub fn has_letters(&self) -> bool {
        self.texts().any(|text| text.chars().any(char::is_alphabetic))
    }

    /// The number of words outside of the tags: those of Unicode (UAX #29) with a letter or a digit.
    pub fn word_count(&self) -> usize {
        self.words().unicode_words().count()
    }

    /// The number of characters outside of the tags.
    pub fn characters(&self) -> usize {
        self.texts().map(|text| text.chars().count()).sum()
    }

    /// Whether there are any tags.
    pub fn has_tags(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece, Piece::Text(_)))
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether this is a complete translation of `source`: it has the same tags, in allowed places.
    pub(crate) fn fits(&self, source: &Self) -> bool {
        self.tags == source.tags && read::checked(source, &self.pieces).is_ok()
    }
}

/// Joins neighbouring words of the pieces, and removes empty ones.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joint: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (joint.last_mut(), piece) {
            (_, Piece::Text(words)) if words.is_empty() => {}
            (Some(Piece::Text(last)), Piece::Text(words)) => last.push_str(&words),
            (_, piece) => joint.push(piece),
        }
    }
    joint
}
