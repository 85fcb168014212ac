//! The marks of lists, quotations and footnotes at the beginning of a line.

/// The block that a mark opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opens {
    /// A bullet list.
    Bullets,
    /// An ordered list.
    Numbers,
    /// A footnote.
    Note,
}

/// A mark in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The block that it opens.
    pub(super) opens: Opens,
    /// The byte at which it starts.
    pub(super) start: usize,
    /// The byte after it.
    pub(super) end: usize,
}

/// The marks of a line, without those of quotations, which may be between them.
pub(super) struct Marks<'l> {
    line: &'l str,
    /// The byte up to which the line was read.
    pub(super) at: usize,
}

impl<'l> Marks<'l> {
    pub(super) fn of(line: &'l str) -> Self {
        Self { line, at: 0 }
    }
}

impl Iterator for Marks<'_> {
    type Item = Mark;

    fn next(&mut self) -> Option<Mark> {
        let bytes = self.line.as_bytes();
        let space = |at: usize| bytes.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
        self.at += quote_prefix(&self.line[self.at..]);
        let start = self.at;
        let digits = bytes[start..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let (opens, length) = match bytes.get(start) {
            Some(b'-' | b'+' | b'*') if space(start + 1) => (Opens::Bullets, 1),
            Some(b'0'..=b'9')
                if digits < 10
                    && matches!(bytes.get(start + digits), Some(b'.' | b')'))
                    && space(start + digits + 1) =>
            {
                (Opens::Numbers, digits + 1)
            }
            Some(b'[') if start < 4 && self.line[start..].starts_with("[^") => {
                (Opens::Note, self.line[start..].find("]:")? + 2)
            }
            _ => return None,
        };
        self.at = start + length;
        Some(Mark { opens, start, end: self.at })
    }
}

/// The length of the marks of lists, quotations and footnotes at the start of a line.
pub(super) fn container_prefix(line: &str) -> usize {
    let mut marks = Marks::of(line);
    while marks.next().is_some() {}
    marks.at
}

/// The length of the marks of quotations and of the blanks at the start of a line.
pub(super) fn quote_prefix(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t', '>']).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a", "")]
    #[case("  a", "  ")]
    #[case("- a", "- ")]
    #[case("> 1. [ ] a", "> 1. ")]
    #[case("  - 12) + a", "  - 12) + ")]
    #[case("[^a]: - b", "[^a]: - ")]
    #[case("     [^a]: b", "     ")]
    #[case("-a", "")]
    #[case("1234567890. a", "")]
    #[case("[^a b", "")]
    #[case("-", "-")]
    fn the_marks_of_a_line_are_found(#[case] line: &str, #[case] prefix: &str) {
        assert_eq!(&line[..container_prefix(line)], prefix);
    }
}
