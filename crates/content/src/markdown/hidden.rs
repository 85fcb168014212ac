//! What CommonMark does not know is hidden from its parser and found again in what it makes of the text.
//!
//! A block tag in a line of its own becomes a processing instruction, which CommonMark takes as a block wherever the line
//! stands: in a list, a quotation or a footnote, but not in a comment, nor right after HTML, which goes on to the next blank
//! line (see [`super::blocks`]). A tag or a formula within a line becomes letters of
//! which no syntax is made. A formula over several lines becomes an instruction over several lines. Where CommonMark sees code or HTML instead, putting
//! the sources back gives the text as it was; so nothing here has to know where code begins. Line numbers stay.
use super::bounds::{LinkStarts, Nesting, ShortRows};
use super::marks::{container_prefix, quote_prefix};
use super::tags::Tag;
use std::borrow::Cow;

/// What stands behind a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A line that is block tags, or begins with one.
    Line,
    /// A tag in a line.
    Tag,
    /// A formula in a line, with its dollars.
    Math,
    /// The first line of a formula over several lines.
    MathOpen,
    /// Its last line.
    MathClose,
    /// Something in a formula that would end the instruction.
    Part,
    /// Text that would cost too much as what it says (see [`super::bounds`]).
    Text,
}

/// A text whose tags and formulas are hidden.
#[derive(Debug)]
pub(super) struct Hidden {
    /// The text to parse.
    pub(super) text: String,
    entries: Vec<(What, String)>,
    mark: char,
}

/// A piece of text with what was hidden in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'h> {
    /// Text.
    Text(&'h str),
    /// Something hidden and its source.
    Hidden(What, &'h str),
}

impl Hidden {
    /// Hides what CommonMark does not know. `text` has line feeds alone as line ends.
    pub(super) fn hide(text: &str) -> Self {
        let mut hidden = Self { text: String::with_capacity(text.len()), entries: Vec::new(), mark: unused(text) };
        let lines: Vec<&str> = text.split('\n').collect();
        let (mut nesting, mut rows, mut formulas) = (Nesting::default(), ShortRows::of(text), Formulas::default());
        let mut at = 0;
        while at < lines.len() {
            if at > 0 {
                hidden.text.push('\n');
            }
            let (prefix, body) = lines[at].split_at(container_prefix(lines[at]));
            let kept = nesting.line(lines[at]).min(prefix.len());
            hidden.text.push_str(&prefix[..kept]);
            if kept < prefix.len() {
                hidden.push(What::Text, &prefix[kept..]);
            }
            if rows.hides(&lines, at, body) {
                hidden.push(What::Text, body);
            } else if body.trim_end() == "$$"
                && let Some(end) = formulas.end(&lines, at)
            {
                hidden.formula(&lines[at..=end], body);
                at = end;
            } else if starts_block(body) {
                let tags = body.trim_end();
                hidden.push_block(What::Line, tags);
                hidden.text.push_str(&body[tags.len()..]);
            } else {
                hidden.inline(body);
            }
            at += 1;
        }
        hidden
    }

    /// Whether something is hidden in `text`.
    pub(super) fn is_in(&self, text: &str) -> bool {
        text.contains(self.mark)
    }

    /// `text` with the sources back in it.
    pub(super) fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.is_in(text) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, what, source, after)) = self.next(rest) {
            out.push_str(before);
            if matches!(what, What::Line | What::MathOpen) && out.ends_with("<?") {
                out.truncate(out.len() - 2);
            }
            out.push_str(source);
            rest = match what {
                What::Line | What::MathClose => after.strip_prefix("?>").unwrap_or(after),
                _ => after,
            };
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// The pieces of `text`, which stands in a line.
    pub(super) fn pieces<'h>(&'h self, text: &'h str) -> Vec<Piece<'h>> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, what, source, after)) = self.next(rest) {
            let opens = matches!(what, What::Line | What::MathOpen);
            let before = if opens { before.strip_suffix("<?").unwrap_or(before) } else { before };
            if !before.is_empty() {
                pieces.push(Piece::Text(before));
            }
            pieces.push(Piece::Hidden(what, source));
            let closes = matches!(what, What::Line | What::MathClose);
            rest = if closes { after.strip_prefix("?>").unwrap_or(after) } else { after };
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        pieces
    }

    /// Whether an HTML block stands for the begin of a formula, be it ended or not.
    pub(super) fn begins_math(&self, html: &str) -> bool {
        let first = html.trim_start_matches(' ').strip_prefix("<?").and_then(|rest| self.next(rest));
        first.is_some_and(|(before, what, ..)| before.is_empty() && what == What::MathOpen)
    }

    /// The line of tags that an HTML block stands for.
    pub(super) fn line<'h>(&'h self, html: &str) -> Option<&'h str> {
        let (before, what, source, after) = self.next(html.trim_start_matches(' ').strip_prefix("<?")?)?;
        (before.is_empty() && what == What::Line && after.trim_end() == "?>").then_some(source)
    }

    /// The formula that an HTML block stands for.
    pub(super) fn math(&self, html: &str) -> Option<String> {
        let (before, what, _, after) = self.next(html.trim_start_matches(' ').strip_prefix("<?")?)?;
        let last = after.trim_end().rfind('\n')?;
        let (_, close, _, end) = self.next(&after[last..])?;
        if !before.is_empty() || what != What::MathOpen || close != What::MathClose || end.trim_end() != "?>" {
            return None;
        }
        let lines = after[..last].strip_prefix('\n').unwrap_or_default();
        Some(self.restore(lines).into_owned())
    }

    /// The first hidden thing in `text`: what is before it, it, and what is after it.
    fn next<'t>(&self, text: &'t str) -> Option<(&'t str, What, &str, &'t str)> {
        let (before, rest) = text.split_once(self.mark)?;
        let (number, after) = rest.split_once(self.mark)?;
        let (what, source) = self.entries.get(number.parse::<usize>().ok()?)?;
        Some((before, *what, source, after))
    }

    fn push(&mut self, what: What, source: &str) {
        self.text.push(self.mark);
        self.text.push_str(&self.entries.len().to_string());
        self.text.push(self.mark);
        self.entries.push((what, source.to_owned()));
    }

    fn push_block(&mut self, what: What, source: &str) {
        if what != What::MathClose {
            self.text.push_str("<?");
        }
        self.push(what, source);
        if what != What::MathOpen {
            self.text.push_str("?>");
        }
    }

    fn formula(&mut self, lines: &[&str], open: &str) {
        self.push_block(What::MathOpen, open);
        for (at, line) in lines.iter().enumerate().skip(1) {
            self.text.push('\n');
            let (prefix, body) = line.split_at(quote_prefix(line));
            if at + 1 == lines.len() {
                self.text.push_str(prefix);
                self.push_block(What::MathClose, body);
                return;
            }
            let mut rest = *line;
            while let Some((before, after)) = rest.split_once("?>") {
                self.text.push_str(before);
                self.push(What::Part, "?>");
                rest = after;
            }
            self.text.push_str(rest);
        }
    }

    fn inline(&mut self, body: &str) {
        let mut links = LinkStarts::default();
        let mut rest = body;
        while let Some(at) = rest.find(['\\', '{', '$']) {
            self.words(&rest[..at], &mut links);
            rest = &rest[at..];
            let (what, length) = if let Some(source) = math(rest) {
                (Some(What::Math), source.len())
            } else if let Some(tag) = Tag::lex(rest).filter(|tag| !tag.source.contains('`')) {
                (Some(What::Tag), tag.source.len())
            } else if let Some(escaped) = rest.strip_prefix('\\') {
                (None, 1 + escaped.chars().next().map_or(0, char::len_utf8))
            } else {
                (None, 1 + usize::from(rest.starts_with("$$") || rest.starts_with("{%")))
            };
            match what {
                Some(what) => self.push(what, &rest[..length]),
                None => self.text.push_str(&rest[..length]),
            }
            rest = &rest[length..];
        }
        self.words(rest, &mut links);
    }

    /// Adds text in which nothing is hidden but links of which there are too many without a blank between them.
    fn words(&mut self, text: &str, links: &mut LinkStarts) {
        let mut rest = text;
        while let Some((start, length)) = links.next_to_hide(rest) {
            self.text.push_str(&rest[..start]);
            self.push(What::Text, &rest[start..start + length]);
            rest = &rest[start + length..];
        }
        self.text.push_str(rest);
    }
}

/// The formula in a line that `text` begins with: `$$`, something without `$$` and backticks, `$$`.
pub(super) fn math(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("$$")?;
    let mut stops = inner.match_indices(['`', '$', '\n']);
    let end = stops.find(|(at, stop)| *stop != "$" || inner[at + 1..].starts_with('$'))?;
    (end.1 == "$" && !inner[..end.0].trim().is_empty()).then(|| &text[..end.0 + 4])
}

/// Whether a line is a block for its tags: nothing but tags, or a block's tag at its start.
pub(super) fn starts_block(body: &str) -> bool {
    let Some(first) = Tag::lex(body) else { return false };
    if first.is_block() {
        return true;
    }
    let mut rest = body;
    while let Some(tag) = Tag::lex(rest) {
        rest = rest[tag.source.len()..].trim_start_matches([' ', '\t']);
    }
    rest.trim().is_empty()
}

/// Where the formulas of a text end.
#[derive(Default)]
struct Formulas {
    /// No formula that begins before this line ends: what stops them all stands there, or nothing does.
    none_before: usize,
}

impl Formulas {
    /// The last line of the formula whose first one is `open`. A line is looked at for one formula: what is found in the
    /// way of one is in the way of those that begin behind it as well.
    fn end(&mut self, lines: &[&str], open: usize) -> Option<usize> {
        if open < self.none_before {
            return None;
        }
        for (at, line) in lines.iter().enumerate().skip(open + 1) {
            let body = line[quote_prefix(line)..].trim_end();
            if body == "$$" {
                return Some(at);
            }
            if body.starts_with("```") || body.starts_with("~~~") || body.starts_with("{%") {
                self.none_before = at;
                return None;
            }
        }
        self.none_before = lines.len();
        None
    }
}

/// A character that the text does not have, from those that have no meaning of their own.
fn unused(text: &str) -> char {
    let private = |each: &char| matches!(each, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10fffd}');
    let used: std::collections::HashSet<char> = text.chars().filter(private).collect();
    let free = ('\u{e000}'..='\u{f8ff}').chain('\u{f0000}'..='\u{ffffd}').chain('\u{100000}'..='\u{10fffd}');
    // A text that has every one of these 137,468 characters keeps its tags as text: the last one then marks nothing.
    free.into_iter().find(|each| !used.contains(each)).unwrap_or('\u{10ffff}')
}
