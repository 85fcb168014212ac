//! Finds the lines of entries in a file whose parser does not return places, such as one of YAML or JSON.

/// How many searches may find nothing. Each takes time in proportion to the text.
const MAX_MISSES: usize = 100;

/// Goes through a text, entry by entry.
pub(super) struct Finder<'t> {
    /// The text after the last entry that was found.
    rest: &'t str,
    /// The line where it begins.
    line: usize,
    /// How many entries were not found as they are written, such as those with escapes.
    misses: usize,
}

impl<'t> Finder<'t> {
    /// A finder at the beginning of a text, whose first line has this number.
    pub(super) fn new(text: &'t str, line: usize) -> Self {
        Self { rest: text, line, misses: 0 }
    }

    /// Goes on to the next place with these words. Returns its line, or that of the last entry if there is none.
    pub(super) fn find(&mut self, words: &str) -> usize {
        if self.misses < MAX_MISSES {
            match self.rest.split_once(words) {
                Some((before, rest)) => {
                    self.line += before.matches('\n').count();
                    self.rest = rest;
                }
                None => self.misses += 1,
            }
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_their_order() {
        let mut finder = Finder::new("a\nb c\n\nb\nd", 3);
        assert_eq!(["a", "c", "gone", "b", "a", "d"].map(|words| finder.find(words)), [3, 4, 4, 6, 6, 7]);
    }

    #[test]
    fn searches_without_a_result_are_limited() {
        let mut finder = Finder::new("a\nb", 1);
        assert!((0..MAX_MISSES).all(|_| finder.find("gone") == 1));
        assert_eq!(finder.find("b"), 1);
    }
}
