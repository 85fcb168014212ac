//! The way without tags: the words between tags are translated by themselves, so that tags are whole whatever an engine
//! does.
use super::{Piece, Tagged};

impl Tagged {
    /// The texts between the tags that have letters, in order, each without tags.
    pub fn fragments(&self) -> Vec<Self> {
        self.texts()
            .filter(|text| has_letters(text))
            .map(|text| Self::new(vec![Piece::Text(text.to_owned())], Vec::new()))
            .collect()
    }

    /// This text with `answers` in place of its [fragments](Self::fragments), between the white space that is around them. Terms of the glossary that were sent as tags
    /// become the words that are wanted for them.
    ///
    /// None if there is not one answer for each fragment.
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
        answers.next().is_none().then(|| self.with(pieces).settled())
    }
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}
