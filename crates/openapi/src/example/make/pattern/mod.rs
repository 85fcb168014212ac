//! Generates texts that match a regular expression (ECMA-262, as in JSON Schema).
//!
//! The text is built along the expression, so it matches by construction. Features without such a construction are not
//! supported: lookarounds count as true, and expressions with references to groups have no example.
mod parse;
mod set;

use parse::Piece;
use set::Set;

/// The maximum length of a generated text, in characters.
const MAX_TEXT: usize = 10_000;
/// The maximum number of pieces that are written.
const MAX_STEPS: usize = 50_000;

/// A text that matches a pattern and has from `least` to `most` characters. `None` if there is none, or none is found.
/// Another `variant` gives another text, if the pattern allows it.
pub(super) fn matching(pattern: &str, least: usize, most: usize, variant: usize) -> Option<String> {
    if least > MAX_TEXT {
        return None;
    }
    let pieces = parse::parse(pattern)?;
    // First the shortest text; then pieces that can be repeated add the missing characters.
    let mut shortest = Writer::new(0, variant);
    shortest.pieces(&pieces)?;
    let least = least.max(usize::from(most > 0));
    if shortest.length >= least {
        return (shortest.length <= most).then_some(shortest.text);
    }
    let mut longer = Writer::new(least - shortest.length, variant);
    longer.pieces(&pieces)?;
    if longer.length < least && !pieces.iter().any(|piece| matches!(piece, Piece::End)) {
        // Any text may follow.
        longer.text.extend(std::iter::repeat_n('a', least - longer.length));
        longer.length = least;
    }
    let is_long_enough = longer.length >= least || least == 1;
    (is_long_enough && longer.length <= most).then_some(longer.text)
}

struct Writer {
    /// The number of characters that are still to be added.
    more: usize,
    variant: usize,
    text: String,
    /// The number of characters of the text.
    length: usize,
    steps: usize,
}

impl Writer {
    fn new(more: usize, variant: usize) -> Self {
        Self { more, variant, text: String::new(), length: 0, steps: MAX_STEPS }
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
                let choice = choices.get(self.variant % choices.len().max(1)).or(choices.first())?;
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
        self.text.push(set.pick(self.length + self.variant)?);
        self.length += 1;
        Some(())
    }
}
