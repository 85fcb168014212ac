//! Translation without tags: the words between tags are translated separately, so tags stay complete whatever an engine
//! does.
use super::{Piece, Tagged};

impl Tagged {
    /// The texts with letters between the tags, in order, each without tags.
    pub fn fragments(&self) -> Vec<Self> {
        self.texts()
            .filter(|text| has_letters(text))
            .map(|text| Self::new(vec![Piece::Text(text.to_owned())], Vec::new()))
            .collect()
    }

    /// This text with `answers` in place of its [fragments](Self::fragments), which keep the white space around them.
    /// Tags in place of terms of the glossary become the required translations.
    ///
    /// `None` unless there is exactly one answer for each fragment.
    pub fn filled(&self, answers: &[Self]) -> Option<Self> {
        let mut answers = answers.iter();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) if has_letters(text) => {
                    let answer: String = answers.next()?.texts().collect();
                    let fragment = Self::new(vec![Piece::Text(text.clone())], Vec::new());
                    pieces.push(Piece::Text([fragment.lead, answer, fragment.tail].concat()));
                }
                other => pieces.push(other.clone()),
            }
        }
        answers.next().is_none().then(|| self.with(pieces).with_terms())
    }
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}
