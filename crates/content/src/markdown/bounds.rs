//! Hides input from the CommonMark parser that would take it more than linear time.
//!
//! Three things cost it more than their length: nested blocks, because it visits all open ones at each line; rows with
//! fewer cells than their table, because it adds the others; and addresses that begin again and again without a blank
//! between them, because it searches the end of each. Input far beyond usual amounts of these is hidden, and comes back
//! as text.
use super::marks::{Marks, Opens, container_prefix, quote_prefix};

/// The maximum depth of blocks; the marks of deeper ones are hidden. An item of a list counts twice, because it is two
/// blocks. Blocks that deep are kept as source, whatever is in them (see `LIMIT` in [`super::blocks`]).
const MAX_BLOCK_DEPTH: usize = 60;

/// The maximum number of addresses that may begin without a blank between them.
const MAX_LINK_STARTS: usize = 32;

/// The maximum number of cells that all tables may leave out, and the number of bytes that allow one more.
const ABSENT_CELLS: usize = 1024;
const BYTES_FOR_AN_ABSENT_CELL: usize = 16;

/// The number of cells that the tables of a text of this length may leave out.
pub(super) fn absent_cells(length: usize) -> usize {
    ABSENT_CELLS + length / BYTES_FOR_AN_ABSENT_CELL
}

/// Tracks the depth of blocks, line by line. It may count a block that has ended as open, but not the other way around.
#[derive(Default)]
pub(super) struct Nesting {
    /// The items and notes that may be open: the column of their text, and their depth.
    open: Vec<(usize, usize)>,
}

impl Nesting {
    /// Processes a line; returns the end of the part in which marks are allowed.
    pub(super) fn line(&mut self, line: &str) -> usize {
        let mut marks = Marks::of(line);
        let (mut column, mut read, mut quotations) = (0, 0, 0);
        let mut rule = None;
        // The column of the text after the last mark of a quotation or of a list.
        let mut base = 0;
        loop {
            let mark = marks.next();
            let blank = &line[read..mark.map_or(marks.at, |mark| mark.start)];
            for (at, byte) in blank.bytes().enumerate() {
                column = if byte == b'\t' { (column / 4 + 1) * 4 } else { column + 1 };
                if byte == b'>' {
                    if quotations + self.deep(column) >= MAX_BLOCK_DEPTH {
                        return read + at;
                    }
                    quotations += 1;
                    base = column + 1;
                }
            }
            let Some(mark) = mark else { return line.len() };
            if mark.opens == Opens::Bullets && mark.start >= *rule.get_or_insert_with(|| rule_start(line)) {
                return line.len();
            }
            base = self.open.iter().rev().find(|(text, _)| *text <= column).map_or(base, |(text, _)| base.max(*text));
            if column >= base + 4 {
                return line.len();
            }
            // Blocks whose text is further to the right have ended: a mark never continues a paragraph of another item.
            while self.open.pop_if(|(text, _)| *text > column).is_some() {}
            let depth = self.deep(column);
            if quotations + depth >= MAX_BLOCK_DEPTH {
                return mark.start;
            }
            let (weight, text) = if mark.opens == Opens::Note { (1, 4) } else { (2, mark.end - mark.start + 1) };
            self.open.push((column + text, depth + weight));
            column += mark.end - mark.start;
            base = column + 1;
            read = mark.end;
        }
    }

    /// The depth of a block that begins in this column.
    fn deep(&self, column: usize) -> usize {
        let open = self.open.partition_point(|(text, _)| *text <= column);
        open.checked_sub(1).map_or(0, |last| self.open[last].1)
    }
}

/// The start of a thematic break at the end of a line: three or more of one mark and nothing else.
fn rule_start(line: &str) -> usize {
    let end = line.trim_end_matches([' ', '\t']);
    let Some(mark) = end.chars().next_back().filter(|mark| matches!(mark, '-' | '*')) else { return line.len() };
    let start = end.trim_end_matches([mark, ' ', '\t']).len();
    let third = end.rmatch_indices(mark).nth(2);
    third.filter(|(at, _)| *at >= start).map_or(line.len(), |_| start)
}

/// Tracks tables whose rows leave out cells.
pub(super) struct ShortRows {
    /// The number of cells that may still be left out.
    left: usize,
    /// The line after those that were checked, which have no blank line between them.
    looked: usize,
    /// Whether these lines must not begin a table.
    none: bool,
}

impl ShortRows {
    pub(super) fn of(text: &str) -> Self {
        Self { left: absent_cells(text.len()), looked: 0, none: false }
    }

    /// Whether a line, whose text after the marks is `body`, must not begin a table.
    pub(super) fn hides(&mut self, lines: &[&str], at: usize, body: &str) -> bool {
        if at >= self.looked {
            let absent = self.absent(&lines[at..], at);
            self.none = absent > self.left;
            self.left -= if self.none { 0 } else { absent };
        }
        self.none && delimiters(body).is_some()
    }

    /// The number of cells that the tables in the first of these lines leave out, up to a blank line.
    fn absent(&mut self, lines: &[&str], at: usize) -> usize {
        let (mut columns, mut absent) = (0, 0_usize);
        self.looked = at + 1;
        for line in lines {
            if line[quote_prefix(line)..].trim().is_empty() {
                break;
            }
            self.looked += 1;
            if columns > 0 {
                absent += usize::saturating_sub(columns, cells(line));
            }
            if line.contains('-') {
                columns = columns.max(delimiters(&line[container_prefix(line)..]).unwrap_or(0));
            }
        }
        absent
    }
}

/// The number of columns in a line that may be the delimiter row of a table.
fn delimiters(body: &str) -> Option<usize> {
    let fine = body.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'\x0b' | b'\x0c'));
    (fine && body.contains('-') && body.contains('|')).then(|| cells(body))
}

/// The number of cells of a row.
fn cells(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    1 + row.bytes().filter(|byte| *byte == b'|').count() - row.matches("\\|").count()
}

/// Counts the addresses that begin in a line without a blank between them.
#[derive(Default)]
pub(super) struct LinkStarts(usize);

impl LinkStarts {
    /// The next start of an address that must be hidden, and its length.
    pub(super) fn next_to_hide(&mut self, text: &str) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            let length = match byte {
                b' ' | b'\t' | b'\x0b' | b'\x0c' => {
                    self.0 = 0;
                    continue;
                }
                b':' if bytes[at..].starts_with(b"://") => 3,
                b'w' if bytes[at..].starts_with(b"www.") => 4,
                _ => continue,
            };
            self.0 += 1;
            if self.0 > MAX_LINK_STARTS {
                return Some((at, length));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn marks_kept(lines: &[String]) -> Vec<bool> {
        let mut nesting = Nesting::default();
        lines.iter().map(|line| nesting.line(line) >= container_prefix(line)).collect()
    }

    #[test]
    fn marks_count_up_to_what_a_document_can_hold() {
        assert!(marks_kept(&[format!("{}a", "> ".repeat(60))])[0]);
        assert!(!marks_kept(&[format!("{}a", "> ".repeat(61))])[0]);
        assert!(marks_kept(&[format!("{}a", "- ".repeat(30))])[0]);
        assert!(!marks_kept(&[format!("{}a", "- ".repeat(31))])[0]);
        assert!(marks_kept(&["- ".repeat(100)])[0], "a rule");
        let stairs: Vec<String> = (0..40).map(|level| format!("{}* a", "  ".repeat(level))).collect();
        let kept = marks_kept(&stairs);
        assert_eq!((kept[29], kept[30], kept[31]), (true, false, false));
    }

    #[test]
    fn what_ended_does_not_count() {
        let again: Vec<String> = (0..1000).map(|at| format!("{}- a", "  ".repeat(at % 20))).collect();
        assert!(marks_kept(&again).into_iter().all(|kept| kept));
    }

    #[rstest]
    #[case("a", 1)]
    #[case("| a | b |", 2)]
    #[case("a | b\\|c", 2)]
    #[case("||", 1)]
    fn cells_are_counted(#[case] row: &str, #[case] count: usize) {
        assert_eq!(cells(row), count);
    }

    #[rstest]
    #[case("|--|:-:|", Some(2))]
    #[case("--|--", Some(2))]
    #[case("---", None)]
    #[case("|a|", None)]
    fn columns_are_counted(#[case] body: &str, #[case] count: Option<usize>) {
        assert_eq!(delimiters(body), count);
    }

    #[test]
    fn addresses_count_up_to_the_next_blank() {
        let mut links = LinkStarts::default();
        assert_eq!(links.next_to_hide(&"http://a<".repeat(32)), None);
        assert_eq!(links.next_to_hide("a b www.c"), None);
        let many = format!("a {}", "http://a<".repeat(33));
        assert_eq!(LinkStarts::default().next_to_hide(&many), Some((2 + 32 * 9 + 4, 3)));
    }
}
