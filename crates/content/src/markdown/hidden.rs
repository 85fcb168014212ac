//! Hides syntax that CommonMark does not have from its parser, and restores it in the output.
//!
//! A block tag in a line of its own becomes a processing instruction, which CommonMark takes for a block wherever the
//! line is: in a list, a quotation or a footnote; but not in a comment, and not directly after HTML, which extends to
//! the next blank line (see [`super::blocks`]). A tag or a formula within a line becomes letters that are not syntax. A
//! formula over several lines becomes an instruction over several lines. If CommonMark takes these for code or HTML,
//! restoring the sources gives the original text, so nothing here needs to know where code begins. Line numbers do not
//! change.
use super::bounds::{LinkStarts, Nesting, ShortRows};
use super::marks::{container_prefix, quote_prefix};
use super::raw::Formulas;
use super::tags::Tag;
use super::{admonitions, components, dollars};
use std::borrow::Cow;

/// The kind of a hidden piece of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiddenKind {
    /// A line that consists of block tags or begins with one, or that begins or ends an admonition or a component.
    Line,
    /// A tag in a line.
    Tag,
    /// A formula in a line, with its dollars.
    Math,
    /// The first line of a formula over several lines.
    MathOpen,
    /// Its last line.
    MathClose,
    /// Source in a formula that would end the instruction.
    Part,
    /// Text that would cost too much if it were parsed (see [`super::bounds`]).
    Text,
}

/// A text with hidden tags and formulas.
#[derive(Debug)]
pub(super) struct Hidden {
    /// The text to parse.
    pub(super) text: String,
    entries: Vec<(HiddenKind, String)>,
    mark: char,
}

/// A piece of a text with hidden sources.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'h> {
    /// Text.
    Text(&'h str),
    /// A hidden source.
    Hidden(HiddenKind, &'h str),
}

impl Hidden {
    /// Hides the syntax that CommonMark does not have. `text` has only line feeds as line ends.
    pub(super) fn hide(text: &str) -> Self {
        let mut hidden = Self { text: String::with_capacity(text.len()), entries: Vec::new(), mark: unused(text) };
        let lines: Vec<&str> = text.split('\n').collect();
        let (mut nesting, mut rows, formulas) = (Nesting::default(), ShortRows::of(text), Formulas::of(&lines));
        let mut at = 0;
        while at < lines.len() {
            if at > 0 {
                hidden.text.push('\n');
            }
            let (prefix, body) = lines[at].split_at(container_prefix(lines[at]));
            let kept = nesting.line(lines[at]).min(prefix.len());
            hidden.text.push_str(&prefix[..kept]);
            if kept < prefix.len() {
                hidden.push(HiddenKind::Text, &prefix[kept..]);
            }
            if rows.hides(&lines, at, body) {
                hidden.push(HiddenKind::Text, body);
            } else if body.trim_end() == "$$"
                && let Some(end) = formulas.end(at)
            {
                hidden.formula(&lines[at..=end], body);
                at = end;
            } else if is_block_line(body) {
                let tags = body.trim_end();
                hidden.push_block(HiddenKind::Line, tags);
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

    /// `text` with its hidden sources restored.
    pub(super) fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.is_in(text) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, kind, source, after)) = self.next(rest) {
            out.push_str(before);
            if matches!(kind, HiddenKind::Line | HiddenKind::MathOpen) && out.ends_with("<?") {
                out.truncate(out.len() - 2);
            }
            out.push_str(source);
            rest = match kind {
                HiddenKind::Line | HiddenKind::MathClose => after.strip_prefix("?>").unwrap_or(after),
                _ => after,
            };
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// The pieces of `text`, which is within a line.
    pub(super) fn pieces<'h>(&'h self, text: &'h str) -> Vec<Piece<'h>> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, kind, source, after)) = self.next(rest) {
            let opens = matches!(kind, HiddenKind::Line | HiddenKind::MathOpen);
            let before = if opens { before.strip_suffix("<?").unwrap_or(before) } else { before };
            if !before.is_empty() {
                pieces.push(Piece::Text(before));
            }
            pieces.push(Piece::Hidden(kind, source));
            let closes = matches!(kind, HiddenKind::Line | HiddenKind::MathClose);
            rest = if closes { after.strip_prefix("?>").unwrap_or(after) } else { after };
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        pieces
    }

    /// Whether an HTML block is the start of a hidden formula, ended or not.
    pub(super) fn begins_math(&self, html: &str) -> bool {
        let first = html.trim_start_matches(' ').strip_prefix("<?").and_then(|rest| self.next(rest));
        first.is_some_and(|(before, kind, ..)| before.is_empty() && kind == HiddenKind::MathOpen)
    }

    /// The line of tags that an HTML block replaced.
    pub(super) fn line<'h>(&'h self, html: &str) -> Option<&'h str> {
        let (before, kind, source, after) = self.next(html.trim_start_matches(' ').strip_prefix("<?")?)?;
        (before.is_empty() && kind == HiddenKind::Line && after.trim_end() == "?>").then_some(source)
    }

    /// The formula that an HTML block replaced.
    pub(super) fn math(&self, html: &str) -> Option<String> {
        let (before, kind, _, after) = self.next(html.trim_start_matches(' ').strip_prefix("<?")?)?;
        let last = after.trim_end().rfind('\n')?;
        let (_, close, _, end) = self.next(&after[last..])?;
        if !before.is_empty()
            || kind != HiddenKind::MathOpen
            || close != HiddenKind::MathClose
            || end.trim_end() != "?>"
        {
            return None;
        }
        let lines = after[..last].strip_prefix('\n').unwrap_or_default();
        Some(self.restore(lines).into_owned())
    }

    /// The first hidden source in `text`: the text before it, its kind, its source, and the text after it.
    fn next<'t>(&self, text: &'t str) -> Option<(&'t str, HiddenKind, &str, &'t str)> {
        let (before, rest) = text.split_once(self.mark)?;
        let (number, after) = rest.split_once(self.mark)?;
        let (kind, source) = self.entries.get(number.parse::<usize>().ok()?)?;
        Some((before, *kind, source, after))
    }

    fn push(&mut self, kind: HiddenKind, source: &str) {
        self.text.push(self.mark);
        self.text.push_str(&self.entries.len().to_string());
        self.text.push(self.mark);
        self.entries.push((kind, source.to_owned()));
    }

    fn push_block(&mut self, kind: HiddenKind, source: &str) {
        if kind != HiddenKind::MathClose {
            self.text.push_str("<?");
        }
        self.push(kind, source);
        if kind != HiddenKind::MathOpen {
            self.text.push_str("?>");
        }
    }

    fn formula(&mut self, lines: &[&str], open: &str) {
        self.push_block(HiddenKind::MathOpen, open);
        for (at, line) in lines.iter().enumerate().skip(1) {
            self.text.push('\n');
            let (prefix, body) = line.split_at(quote_prefix(line));
            if at + 1 == lines.len() {
                self.text.push_str(prefix);
                self.push_block(HiddenKind::MathClose, body);
                return;
            }
            let mut rest = *line;
            while let Some((before, after)) = rest.split_once("?>") {
                self.text.push_str(before);
                self.push(HiddenKind::Part, "?>");
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
            let before = body[..body.len() - rest.len()].chars().next_back();
            let (kind, length) = if let Some(formula) = dollars::formula(before, rest) {
                (Some(HiddenKind::Math), formula.source.len())
            } else if let Some(tag) = Tag::lex(rest).filter(|tag| !tag.source.contains('`')) {
                (Some(HiddenKind::Tag), tag.source.len())
            } else if let Some(escaped) = rest.strip_prefix('\\') {
                (None, 1 + escaped.chars().next().map_or(0, char::len_utf8))
            } else {
                (None, 1 + usize::from(rest.starts_with("$$") || rest.starts_with("{%")))
            };
            match kind {
                Some(kind) => self.push(kind, &rest[..length]),
                None => self.text.push_str(&rest[..length]),
            }
            rest = &rest[length..];
        }
        self.words(rest, &mut links);
    }

    /// Adds text. Only links are hidden in it, if there are too many without a blank between them.
    fn words(&mut self, text: &str, links: &mut LinkStarts) {
        let mut rest = text;
        while let Some((start, length)) = links.next_to_hide(rest) {
            self.text.push_str(&rest[..start]);
            self.push(HiddenKind::Text, &rest[start..start + length]);
            rest = &rest[start + length..];
        }
        self.text.push_str(rest);
    }
}

/// Whether a line, without the marks before it, is a block or an end of one that CommonMark does not have.
pub(super) fn is_block_line(body: &str) -> bool {
    starts_block(body) || admonitions::is_line(body) || components::is_line(body)
}

/// Whether a line is a block because of its tags: only tags, or a block's tag at its start.
fn starts_block(body: &str) -> bool {
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

/// A character that is not in the text, from those without a meaning.
fn unused(text: &str) -> char {
    let private = |each: &char| matches!(each, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10fffd}');
    let used: std::collections::HashSet<char> = text.chars().filter(private).collect();
    let free = ('\u{e000}'..='\u{f8ff}').chain('\u{f0000}'..='\u{ffffd}').chain('\u{100000}'..='\u{10fffd}');
    // A text with every one of these 137,468 characters keeps its tags as text: the character used then marks nothing.
    free.into_iter().find(|each| !used.contains(each)).unwrap_or('\u{10ffff}')
}
