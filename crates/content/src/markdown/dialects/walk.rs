//! Walks over lines outside of the parser: where blocks can begin, and in which item of a list a line is.
use crate::markdown::raw::{Formulas, Open};
use std::borrow::Cow;

/// How deep items of lists are followed.
const MAX_ITEMS: usize = 16;

/// A walk over lines.
pub(super) struct Walk<'f> {
    formulas: &'f Formulas,
    /// The line after the last one.
    end: usize,
    open: Open<'f>,
    /// The column at which the lines begin; that of the first of them if it is not given.
    start: Option<usize>,
    /// The columns at which the content of the open items of lists begins.
    items: Vec<usize>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The column at which the item that contains it begins, or the text.
    pub(super) start: usize,
    /// Whether it is in an item of a list that began before it.
    pub(super) in_item: bool,
    /// Whether blocks can begin in it.
    pub(super) may_begin: bool,
    /// Whether it is in nothing that goes on, and begins nothing like that: it may be text.
    pub(super) may_be_text: bool,
}

impl<'f> Walk<'f> {
    /// Before the first of some lines; `end` is the line after the last one.
    pub(super) fn new(formulas: &'f Formulas, end: usize, start: Option<usize>) -> Self {
        Self { formulas, end, open: Open::new(formulas, end), start, items: Vec::new() }
    }

    /// Whether this line is in nothing that goes on.
    pub(super) fn is_free(&self, at: usize) -> bool {
        self.open.is_free(at)
    }

    /// Whether this line is in nothing that goes on, or ends the item that holds it.
    pub(super) fn is_free_for(&self, at: usize, line: &str) -> bool {
        let ends_item = |item: &usize| !line.trim().is_empty() && columns(line) < *item;
        self.is_free(at) || self.items.last().is_some_and(ends_item)
    }

    /// Takes a line.
    pub(super) fn line(&mut self, at: usize, line: &str) -> Seen {
        let in_item = |items: &[usize]| !items.is_empty();
        if line.trim().is_empty() {
            self.open.line(at, "");
            let start = self.items.last().copied().or(self.start).unwrap_or(0);
            return Seen { start, in_item: in_item(&self.items), may_begin: false, may_be_text: false };
        }
        let column = columns(line);
        let first = *self.start.get_or_insert(column);
        let ends_item = |items: &[usize]| items.last().is_some_and(|item| column < *item);
        if ends_item(&self.items) && !self.open.is_free(at) {
            // What is open ends with the item that holds it.
            self.open = Open::new(self.formulas, self.end);
        }
        let is_free = self.open.is_free(at);
        while is_free && ends_item(&self.items) {
            self.items.pop();
        }
        let start = self.items.last().copied().unwrap_or(first);
        let seen_in_item = in_item(&self.items);
        let inside = without(line, start);
        let mut rest: &str = &inside;
        let mut item = start;
        while is_free
            && self.items.len() < MAX_ITEMS
            && let Some(length) = mark(rest)
        {
            item += length;
            self.items.push(item);
            rest = rest.get(length..).unwrap_or_default();
        }
        let may_begin = self.open.line(at, rest);
        let may_be_text = is_free && self.open.is_free(at + 1) && column < start + 4;
        Seen { start, in_item: seen_in_item, may_begin, may_be_text }
    }
}

/// The length of the mark of an item at the beginning of a line, with the blanks before and after it.
fn mark(line: &str) -> Option<usize> {
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    let digits = body.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let length = match body.as_bytes().get(digits)? {
        b'-' | b'+' | b'*' if digits == 0 => 1,
        b'.' | b')' if (1..10).contains(&digits) => digits + 1,
        _ => return None,
    };
    let after = &body[length..];
    if indent > 3 || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let blanks = after.len() - after.trim_start_matches(' ').len();
    let is_code = blanks > 4 || after.trim().is_empty();
    Some(indent + length + if is_code { 1 } else { blanks.max(1) })
}

/// The number of columns before the text of a line.
pub(super) fn columns(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// A line without this many of the columns before its text.
pub(super) fn without(line: &str, count: usize) -> Cow<'_, str> {
    let text = line.trim_start_matches([' ', '\t']);
    let blanks = &line[..line.len() - text.len()];
    match blanks.contains('\t') {
        false => Cow::Borrowed(&line[count.min(blanks.len())..]),
        true => Cow::Owned(" ".repeat(columns(line).saturating_sub(count)) + text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a\n    b\nc", &[0, 0, 0], "+-+")]
    #[case("- a\n\n  b\n\n      c\nd", &[0, 2, 2, 2, 2, 0], "+-+--+")]
    #[case("1. a\n\n    b\n    - c\n\n        d", &[0, 3, 3, 3, 6, 6], "+-++-+")]
    #[case("- ```\n  - a\n  ```\n  b", &[0, 2, 2, 2], "---+")]
    #[case("- ```\n  a\nb", &[0, 2, 0], "--+")]
    #[case("* a\n\t- b\n\n\t\tc", &[0, 2, 6, 6], "++-+")]
    fn a_line_is_in_an_item_of_a_list(#[case] text: &str, #[case] starts: &[usize], #[case] begins: &str) {
        let lines: Vec<&str> = text.split('\n').collect();
        let formulas = Formulas::of(&lines);
        let mut walk = Walk::new(&formulas, lines.len(), Some(0));
        let seen: Vec<Seen> = lines.iter().enumerate().map(|(at, line)| walk.line(at, line)).collect();
        assert_eq!(seen.iter().map(|seen| seen.start).collect::<Vec<_>>(), starts);
        let found: String = seen.iter().map(|seen| if seen.may_begin { '+' } else { '-' }).collect();
        assert_eq!(found, begins);
    }

    #[rstest]
    #[case("    a", 2, "  a")]
    #[case("  a", 4, "a")]
    #[case("\ta", 2, "  a")]
    #[case("a", 2, "a")]
    fn columns_before_a_text_are_removed(#[case] line: &str, #[case] count: usize, #[case] expected: &str) {
        assert_eq!(without(line, count), expected);
    }
}
