//! Texts that match a regular expression (ECMA-262, as JSON Schema uses it).
//!
//! The text is put together along the expression, so it matches by construction. What has no such way is left out:
//! lookarounds are taken to hold, and expressions with references to groups have no example.
mod parse;
mod set;

use parse::Piece;
use set::Set;

/// Longer texts are not made, in characters.
const MAX_TEXT: usize = 10_000;
/// How many pieces are written at most.
const MAX_STEPS: usize = 50_000;

/// A text that matches a pattern and has from `least` to `most` characters. `None` if there is none, or it is not
/// found. Texts of other `salt`s are others, where the pattern allows it.
pub(super) fn matching(pattern: &str, least: usize, most: usize, salt: usize) -> Option<String> {
    if least > MAX_TEXT {
        return None;
    }
    let pieces = parse::parse(pattern)?;
    // The shortest one first; what it lacks is added by pieces that can be repeated.
    let mut shortest = Writer::new(0, salt);
    shortest.pieces(&pieces)?;
    let least = least.max(usize::from(most > 0));
    if shortest.length >= least {
        return (shortest.length <= most).then_some(shortest.text);
    }
    let mut longer = Writer::new(least - shortest.length, salt);
    longer.pieces(&pieces)?;
    if longer.length < least && !pieces.iter().any(|piece| matches!(piece, Piece::End)) {
        // Anything can follow.
        longer.text.extend(std::iter::repeat_n('a', least - longer.length));
        longer.length = least;
    }
    let is_long_enough = longer.length >= least || least == 1;
    (is_long_enough && longer.length <= most).then_some(longer.text)
}

struct Writer {
    /// The characters that are still to be added.
    more: usize,
    salt: usize,
    text: String,
    /// The characters of the text.
    length: usize,
    steps: usize,
}

impl Writer {
    fn new(more: usize, salt: usize) -> Self {
        Self { more, salt, text: String::new(), length: 0, steps: MAX_STEPS }
    }

    fn pieces(&mut self, pieces: &[Piece]) -> Option<()> {
        pieces.iter().try_for_each(|piece| self.piece(piece))
    }

    fn piece(&mut self, piece: &Piece) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        match piece {
            Piece::Set(set) => self.push(set),
            Piece::Start | Piece::End => Some(()),
            Piece::Group(choices) => {
                let choice = choices.get(self.salt % choices.len().max(1)).or(choices.first())?;
                self.pieces(choice)
            }
            Piece::Repeat { inner, least, most } => {
                for _ in 0..*least {
                    self.piece(inner)?;
                }
                let mut left = most.map(|most| most.saturating_sub(*least));
                while self.more > 0 && left != Some(0) {
                    let before = self.length;
                    self.piece(inner)?;
                    let added = self.length - before;
                    if added == 0 {
                        break;
                    }
                    self.more = self.more.saturating_sub(added);
                    left = left.map(|left| left - 1);
                }
                Some(())
            }
        }
    }

    fn push(&mut self, set: &Set) -> Option<()> {
        if self.length >= MAX_TEXT {
            return None;
        }
        self.text.push(set.pick(self.length + self.salt)?);
        self.length += 1;
        Some(())
    }
}
