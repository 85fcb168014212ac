//! The imported table of contents with other lines for the pages that changed since.
use super::listing::{Kept, Level, Listed, Listing, Token};
use super::made;
use super::pairs::{Pair, pair};
use crate::import::summary::Form;
use std::collections::HashMap;

/// The imported text with the lines of the pages that there are. `None` if its items have no lines of their own. The
/// caller checks what an import reads in the result: Markdown has more forms than are known here.
pub(super) fn merged(listing: &Listing<'_>, kept: &Kept, text: &str) -> Option<String> {
    let lines = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (start, pieces) = pieces(lines, kept.tokens())?;
    let pairs = pair(listing, kept);
    let mut writer = Writer::new(listing, lines, start);
    writer.usual = usual(kept, &pieces);
    let mut next = pairs.implied;
    for ((token, piece), pair) in kept.tokens().iter().zip(&pieces).zip(&pairs.of_tokens) {
        match pair {
            _ if token.entry.is_none() => writer.end_of_group(piece),
            None => writer.delete(piece),
            Some(Pair { page, is_same }) => {
                listing.pages.get(next..*page)?.iter().for_each(|listed| writer.insert(listed));
                let listed = listing.pages.get(*page)?;
                if *is_same {
                    writer.keep(piece, listed)
                } else {
                    writer.replace(piece, listed)
                }
                next = page + 1;
            }
        }
    }
    listing.pages.get(next..)?.iter().for_each(|listed| writer.insert(listed));
    let byte_order_mark = &text[..text.len() - lines.len()];
    Some(format!("{byte_order_mark}{}", writer.finish()))
}

/// An item in its text.
struct Piece<'t> {
    /// Its lines.
    body: &'t str,
    /// What follows until the next item.
    tail: &'t str,
    /// What is before the text of an item of a list.
    prefix: Option<Prefix>,
}

/// What is before the text of an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Prefix {
    indent: String,
    marker: String,
    /// The white space after the marker.
    gap: String,
}

impl Default for Prefix {
    fn default() -> Self {
        Self { indent: String::new(), marker: "*".to_owned(), gap: " ".to_owned() }
    }
}

impl Prefix {
    fn of(line: &str) -> Option<Self> {
        let is_space = |c: char| c == ' ' || c == '\t';
        let rest = line.trim_start_matches(is_space);
        let indent = &line[..line.len() - rest.len()];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let marker = match rest.as_bytes().get(digits) {
            Some(b'-' | b'*' | b'+') if digits == 0 => &rest[..1],
            Some(b'.' | b')') if (1..=9).contains(&digits) => &rest[..digits + 1],
            _ => return None,
        };
        let after = &rest[marker.len()..];
        let text = after.trim_start_matches(is_space);
        let gap = &after[..after.len() - text.len()];
        // Otherwise the text is on the next line, or it is code that begins after one space.
        let is_before_text = (1..=4).contains(&gap.len()) && text.starts_with(|c: char| !matches!(c, '\n' | '\r'));
        let gap = if is_before_text { gap } else { " " };
        Some(Self { indent: indent.to_owned(), marker: marker.to_owned(), gap: gap.to_owned() })
    }

    /// The prefix of the next item of the same list.
    fn next(&self) -> Self {
        let split = self.marker.len().saturating_sub(1);
        let number = self.marker.get(..split).and_then(|digits| digits.parse::<u32>().ok());
        // Longer numbers are no markers.
        let number = number.map(|number| number + 1).filter(|number| *number <= 999_999_999);
        let marker = number.map(|number| format!("{number}{}", self.marker.get(split..).unwrap_or_default()));
        Self { marker: marker.unwrap_or_else(|| self.marker.clone()), ..self.clone() }
    }

    /// The prefix of the first item of a list. Directly below a text, only the number 1 begins a list.
    fn first(&self) -> Self {
        let sign = self.marker.trim_start_matches(|c: char| c.is_ascii_digit());
        let marker = if sign == self.marker { sign.to_owned() } else { format!("1{sign}") };
        Self { marker, ..self.clone() }
    }

    /// How far the text of the item is from the indent.
    fn width(&self) -> usize {
        self.marker.len() + self.gap.len()
    }
}

/// The offsets of all lines, and the length of the text.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends_line = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let mut starts = vec![0];
    starts.extend((0..bytes.len()).filter(ends_line).map(|at| at + 1));
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}

/// What is before all items, and the items. `None` if several items are in one line.
fn pieces<'t>(text: &'t str, tokens: &[Token]) -> Option<(&'t str, Vec<Piece<'t>>)> {
    let starts = line_starts(text);
    let lines = |from: usize, until: usize| text.get(*starts.get(from)?..*starts.get(until)?);
    let last = starts.len() - 1;
    let first_of = |token: Option<&Token>| token.map_or(Some(last), |token| token.span.first.checked_sub(1));
    let mut pieces = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let (from, next) = (first_of(Some(token))?, first_of(tokens.get(at + 1))?);
        let until = token.span.last.min(next);
        if from >= until {
            return None;
        }
        let (body, tail, form) = (lines(from, until)?, lines(until, next)?, token.span.form);
        let prefix = if form == Form::Listed { Some(Prefix::of(body)?) } else { None };
        pieces.push(Piece { body, tail, prefix });
    }
    Some((lines(0, first_of(tokens.first())?)?, pieces))
}

/// The first prefix in each depth of lists.
fn usual(kept: &Kept, pieces: &[Piece<'_>]) -> HashMap<usize, Prefix> {
    let mut usual = HashMap::new();
    for (token, piece) in kept.tokens().iter().zip(pieces) {
        if let (Some(entry), Some(prefix)) = (token.entry, &piece.prefix) {
            usual.entry(kept.entry(entry).1.depth()).or_insert_with(|| prefix.clone());
        }
    }
    usual
}

/// Writes items. What follows an item is written after the new items that come directly after it.
struct Writer<'w> {
    listing: &'w Listing<'w>,
    out: String,
    line_end: &'static str,
    /// What follows the last item.
    tail: String,
    /// The ends of groups after it.
    ends: String,
    /// Whether a group is open at the end of `out`.
    is_in_group: bool,
    /// Whether the last item is in a list.
    is_in_list: bool,
    /// Whether the last item is new.
    is_new: bool,
    /// Whether items after the last one were left out.
    is_cut: bool,
    /// The prefixes of the last item and of those above it.
    open: Vec<Prefix>,
    usual: HashMap<usize, Prefix>,
}

impl<'w> Writer<'w> {
    fn new(listing: &'w Listing<'w>, text: &str, start: &str) -> Self {
        let line_end = if text.split('\n').next().is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" };
        Self {
            listing,
            out: start.to_owned(),
            line_end,
            tail: String::new(),
            ends: String::new(),
            is_in_group: false,
            is_in_list: false,
            is_new: false,
            is_cut: false,
            open: Vec::new(),
            usual: HashMap::new(),
        }
    }

    fn finish(mut self) -> String {
        self.write_tail();
        self.write_ends();
        self.out
    }

    fn push(&mut self, text: &str) {
        if !text.is_empty() && !self.out.is_empty() && !self.out.ends_with(['\n', '\r']) {
            self.out.push_str(self.line_end);
        }
        self.out.push_str(text);
    }

    /// Ends the text with an empty line, unless it is empty.
    fn push_blank(&mut self) {
        if !ends_blank(&self.out) {
            self.push(self.line_end);
        }
    }

    fn write_tail(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        self.push(&tail);
    }

    fn write_ends(&mut self) {
        let ends = std::mem::take(&mut self.ends);
        if ends.is_empty() {
            return;
        }
        if self.is_new {
            self.push_blank();
        }
        self.push(&ends);
        self.leave_list();
        self.is_in_group = false;
    }

    fn leave_list(&mut self) {
        self.is_in_list = false;
        self.is_new = false;
        self.open.clear();
    }

    /// Ends the open group before a page outside of groups.
    fn end_open_group(&mut self) {
        if !self.is_in_group {
            return;
        }
        self.write_tail();
        if self.ends.is_empty() {
            self.push_blank();
            let line = format!("***{0}{0}", self.line_end);
            self.push(&line);
            self.leave_list();
            self.is_in_group = false;
        } else {
            self.write_ends();
        }
    }

    /// Goes to the place of an item of the imported text.
    fn begin(&mut self, listed: &Listed<'_>) {
        self.write_tail();
        if listed.is_group() {
            self.write_ends();
            if self.is_new {
                self.push_blank();
            }
            self.leave_list();
            self.is_in_group = true;
        } else if listed.level.is_in_group {
            // The page is in the group now.
            self.ends.clear();
        } else {
            self.end_open_group();
            self.write_ends();
        }
    }

    /// Remembers the place of an item that was written.
    fn note(&mut self, prefix: Option<Prefix>, level: Level, is_new: bool) {
        self.is_in_list = prefix.is_some();
        self.is_new = is_new;
        self.is_cut = false;
        self.open.truncate(if prefix.is_some() { level.depth() } else { 0 });
        self.open.extend(prefix);
    }

    fn keep(&mut self, piece: &Piece<'_>, listed: &Listed<'_>) {
        self.begin(listed);
        let prefix = self.kept_prefix(piece, listed);
        match (&piece.prefix, &prefix) {
            (Some(old), Some(new)) if old != new => {
                let rest = piece.body.get(old.indent.len() + old.marker.len()..).unwrap_or_default();
                self.push(&format!("{}{}{rest}", new.indent, new.marker));
            }
            _ => self.push(piece.body),
        }
        self.tail.push_str(piece.tail);
        self.note(prefix, listed.level, false);
    }

    /// Writes the entry of a page in place of an item.
    fn replace(&mut self, piece: &Piece<'_>, listed: &Listed<'_>) {
        self.begin(listed);
        let prefix = self.kept_prefix(piece, listed);
        let text = match &prefix {
            Some(prefix) => self.item(prefix, listed),
            None if listed.is_group() => {
                let signs = piece.body.trim_start().bytes().take_while(|byte| *byte == b'#').count().min(6);
                self.heading(if signs == 0 { 2 } else { signs }, listed)
            }
            None => self.entry(listed) + self.line_end,
        };
        let is_whole = piece.body.ends_with(['\n', '\r']);
        self.push(if is_whole { text.as_str() } else { text.trim_end_matches(['\n', '\r']) });
        self.tail.push_str(piece.tail);
        self.note(prefix, listed.level, false);
    }

    /// The prefix of an item that stays in its place. If the items above it in its list were left out, it can be
    /// directly below a text, where only the number 1 begins a list.
    fn kept_prefix(&self, piece: &Piece<'_>, listed: &Listed<'_>) -> Option<Prefix> {
        let prefix = piece.prefix.as_ref()?;
        let is_first = self.open.len() <= listed.level.depth();
        let is_below_text = self.is_cut && is_first && !ends_blank(&self.out);
        Some(if is_below_text { prefix.first() } else { prefix.clone() })
    }

    /// Leaves an item out. What follows it stays, except for the empty lines that would then be too many.
    fn delete(&mut self, piece: &Piece<'_>) {
        self.is_cut = true;
        let before = [&self.ends, &self.tail, &self.out].into_iter().find(|text| !text.is_empty());
        if piece.tail.trim().is_empty() && before.is_none_or(|before| ends_blank(before)) {
            return;
        }
        let after = if self.ends.is_empty() { &mut self.tail } else { &mut self.ends };
        after.push_str(piece.tail);
    }

    fn end_of_group(&mut self, piece: &Piece<'_>) {
        self.ends.push_str(piece.body);
        self.ends.push_str(piece.tail);
    }

    /// Writes an item that the imported text does not have.
    fn insert(&mut self, listed: &Listed<'_>) {
        if listed.is_group() {
            self.write_tail();
            self.push_blank();
            let text = self.heading(2, listed);
            self.push(&text);
            self.note(None, listed.level, true);
            self.tail.push_str(self.line_end);
            self.is_in_group = true;
            return;
        }
        if !listed.level.is_in_group {
            self.end_open_group();
        }
        if !self.is_in_list {
            self.write_tail();
            self.push_blank();
        }
        let prefix = self.prefix(listed.level.depth());
        let text = self.item(&prefix, listed);
        self.push(&text);
        self.note(Some(prefix), listed.level, true);
    }

    /// The prefix of a new item: that of its siblings, or else as far below its parent as usual.
    fn prefix(&self, depth: usize) -> Prefix {
        if let Some(sibling) = self.open.get(depth) {
            return sibling.next();
        }
        let usual = self.usual.get(&depth);
        let above = depth.checked_sub(1).and_then(|above| Some((self.open.get(above)?, self.usual.get(&above))));
        let Some((above, usual_above)) = above else {
            return usual.cloned().unwrap_or_default();
        };
        let usual_step = usual.zip(usual_above).and_then(|(own, above)| own.indent.strip_prefix(&above.indent));
        let fits = |step: &&str| step.contains('\t') || (above.width()..above.width() + 4).contains(&step.len());
        let step = usual_step.filter(fits).map_or_else(|| " ".repeat(above.width()), str::to_owned);
        Prefix { indent: format!("{}{step}", above.indent), ..usual.unwrap_or(above).first() }
    }

    /// The entry of a page as an item of a list.
    fn item(&self, prefix: &Prefix, listed: &Listed<'_>) -> String {
        let Prefix { indent, marker, gap } = prefix;
        let below = format!("{}{indent}{}", self.line_end, " ".repeat(prefix.width()));
        let text = self.entry(listed).replace('\n', &below);
        format!("{indent}{marker}{gap}{text}{}", self.line_end)
    }

    /// The entry of a page, without a marker.
    fn entry(&self, listed: &Listed<'_>) -> String {
        made::entry(listed.node, self.listing.layout, self.listing.place)
    }

    fn heading(&self, level: usize, listed: &Listed<'_>) -> String {
        format!("{} {}{}", "#".repeat(level), made::heading(&listed.node.page), self.line_end)
    }
}

/// Whether a text is empty or ends with an empty line. A line of spaces does not count: each item asks, and looking for
/// the beginning of such a line can take as long as the text.
fn ends_blank(text: &str) -> bool {
    let rest = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r']));
    rest.map_or(text.is_empty(), |rest| rest.is_empty() || rest.ends_with(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("* [A](a.md)\n", Some(("", "*", " ")))]
    #[case("    -   A", Some(("    ", "-", "   ")))]
    #[case("\t12) A", Some(("\t", "12)", " ")))]
    #[case("+\n", Some(("", "+", " ")))]
    #[case("+         \n  A", Some(("", "+", " ")))]
    #[case("1.      code", Some(("", "1.", " ")))]
    #[case("-\tA", Some(("", "-", "\t")))]
    #[case("[A](a.md)", None)]
    #[case("12 A", None)]
    #[case("", None)]
    fn an_item_of_a_list_begins_with_its_marker(#[case] line: &str, #[case] expected: Option<(&str, &str, &str)>) {
        let found = Prefix::of(line);
        let found = found.as_ref().map(|found| (found.indent.as_str(), found.marker.as_str(), found.gap.as_str()));
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case("9. A", "10.")]
    #[case("007) A", "8)")]
    #[case("999999999. A", "999999999.")]
    #[case("- A", "-")]
    fn the_next_item_has_the_next_number(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(Prefix::of(line).expect("an item").next().marker, expected);
    }

    #[rstest]
    #[case("10. A", "1.")]
    #[case("2) A", "1)")]
    #[case("* A", "*")]
    fn the_first_item_of_a_list_has_the_number_one(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(Prefix::of(line).expect("an item").first().marker, expected);
    }

    #[rstest]
    #[case("", &[0])]
    #[case("a", &[0, 1])]
    #[case("a\nb\r\nc\rd", &[0, 2, 5, 7, 8])]
    #[case("a\n\n", &[0, 2, 3])]
    fn lines_end_as_in_markdown(#[case] text: &str, #[case] expected: &[usize]) {
        assert_eq!(line_starts(text), expected);
    }

    #[rstest]
    #[case("", true)]
    #[case("a", false)]
    #[case("a\n", false)]
    #[case("a\n\n", true)]
    #[case("a\r\n\r\n", true)]
    #[case("a\n \n", false)]
    #[case("\n", true)]
    fn an_empty_line_is_known(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(ends_blank(text), expected);
    }
}
