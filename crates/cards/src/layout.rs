//! Breaks texts into lines.
use crate::font::{Ruler, Weight};

/// The maximum number of characters of a text that are read: more do not fit on a card.
const MAX_CHARACTERS: usize = 400;
/// Replaces the rest of a text.
const ELLIPSIS: char = '…';
/// The number of attempts to make a paragraph narrower, to balance its lines.
const BALANCE_STEPS: usize = 12;

/// A style of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) weight: Weight,
    /// The height of letters, in pixels.
    pub(crate) size: f32,
    /// The distance of lines, in pixels.
    pub(crate) leading: f32,
    /// The additional space between letters, in pixels.
    pub(crate) tracking: f32,
    /// The maximum number of lines.
    pub(crate) lines: usize,
}

impl Style {
    pub(crate) fn ruler(&self) -> Option<Ruler> {
        Ruler::new(self.weight, self.size, self.tracking)
    }
}

/// A text without the characters that the font lacks, and with single spaces. `None` if these include letters, because
/// the rest would be another text, or if nothing is left.
pub(crate) fn shown(text: &str, ruler: &Ruler) -> Option<String> {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        let mut any = false;
        for char in word.chars().take(MAX_CHARACTERS) {
            if !char.is_control() && ruler.has(char) {
                if !std::mem::replace(&mut any, true) && !shown.is_empty() {
                    shown.push(' ');
                }
                shown.push(char);
            } else if char.is_alphanumeric() {
                return None;
            }
        }
        if shown.len() > MAX_CHARACTERS * 4 {
            break;
        }
    }
    (!shown.is_empty()).then_some(shown)
}

/// A text in lines, and whether the whole text fits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) lines: Vec<String>,
    pub(crate) whole: bool,
}

/// Breaks a text into at most `most` lines of a width in pixels. `…` replaces the rest.
pub(crate) fn wrapped(text: &str, ruler: &Ruler, width: f32, most: usize) -> Lines {
    let text: String = text.chars().take(MAX_CHARACTERS).collect();
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word = word;
        loop {
            let count = lines.len();
            let line = &mut lines[count - 1];
            let space = if line.is_empty() { "" } else { " " };
            if ruler.width(line) + ruler.width(space) + ruler.width(word) <= width {
                line.push_str(space);
                line.push_str(word);
                break;
            }
            if count > most {
                // There is more text than fits.
                break;
            }
            if !line.is_empty() {
                lines.push(String::new());
                continue;
            }
            // A word that is longer than a line is cut.
            let head = fitting(word, ruler, width);
            line.push_str(&word[..head]);
            word = &word[head..];
            lines.push(String::new());
        }
    }
    let whole = lines.len() <= most;
    lines.truncate(most);
    if let Some(last) = lines.last_mut().filter(|_| !whole) {
        let room = width - ruler.width(ELLIPSIS.encode_utf8(&mut [0; 4]));
        while !last.is_empty() && ruler.width(last) > room {
            last.pop();
        }
        let kept = last.trim_end_matches([' ', ',', '.', ';', ':', '-', '–', '(']).len();
        last.truncate(kept);
        last.push(ELLIPSIS);
    }
    Lines { lines, whole }
}

/// The lines of a text with a width that makes them about equally long.
pub(crate) fn balanced(text: &str, ruler: &Ruler, width: f32, most: usize) -> Lines {
    let mut best = wrapped(text, ruler, width, most);
    if !best.whole || best.lines.len() < 2 {
        return best;
    }
    let count = best.lines.len();
    let (mut low, mut high) = (width / 3.0, width);
    for _ in 0..BALANCE_STEPS {
        let middle = f32::midpoint(low, high);
        let tried = wrapped(text, ruler, middle, most);
        match tried.whole && tried.lines.len() == count {
            true => (high, best) = (middle, tried),
            false => low = middle,
        }
    }
    best
}

/// The number of bytes of a word that fit in a width: at least its first character.
fn fitting(word: &str, ruler: &Ruler, width: f32) -> usize {
    let mut used = 0.0;
    for (at, char) in word.char_indices() {
        used += ruler.width(char.encode_utf8(&mut [0; 4]));
        if used > width && at > 0 {
            return at;
        }
    }
    word.len()
}
