//! Writes inline content as Markdown.
use super::Writer;
use super::escape::{self, Around};
use super::leaves::{Leaf, TextMark, leaves};
use crate::document::Inline;
use crate::markdown::{attributes, dollars, heading_id};
use std::cmp::Ordering;
use std::ops::Range;

/// Where inline content is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a paragraph, which may have several lines.
    Paragraph,
    /// In a heading: one line.
    Heading,
    /// In a cell of a table in pipes: one line without pipes.
    Cell,
    /// In a link or annotated text: one line whose brackets are syntax.
    Brackets,
}

/// A piece of a line.
enum Token {
    /// Written text, whose characters decide whether the marks next to it work.
    Text(String),
    /// The same for something else, which has no characters to escape.
    Written(String),
    /// The same, but the CommonMark parser sees letters instead.
    Letters(String),
    Open(TextMark),
    Close(TextMark),
}

impl Writer<'_> {
    /// Writes inline content; `outer` are the marks that are open around it.
    pub(super) fn inlines(&mut self, content: &[Inline], place: Place, outer: &[TextMark]) -> String {
        let leaves = leaves(content, outer);
        let tildes = content_tildes(&leaves);
        let mut tokens = Vec::new();
        let mut open: Vec<TextMark> = Vec::new();
        let reach = reach(&leaves);
        let mut fresh_line = true;
        for (at, leaf) in leaves.iter().enumerate() {
            while let Some(keep) = open.iter().position(|mark| !leaf.text_marks.contains(mark)) {
                for mark in open.drain(keep..).rev() {
                    tokens.push(Token::Close(mark));
                }
            }
            let mut begin: Vec<(usize, TextMark)> = Vec::new();
            for (mark, end) in &reach[at] {
                if !open.contains(mark) {
                    begin.push((*end, mark.clone()));
                }
            }
            begin.sort_by(|(a, first), (b, second)| b.cmp(a).then(first.cmp(second)));
            let opened = !begin.is_empty();
            for (_, mark) in begin {
                tokens.push(Token::Open(mark.clone()));
                open.push(mark);
            }
            let next = leaves.get(at + 1);
            let previous = at.checked_sub(1).map(|at| &leaves[at]);
            let closes = next.is_none_or(|next| next.text_marks != leaf.text_marks);
            let around = Around {
                starts_block: at == 0 && !opened && place == Place::Paragraph,
                starts_line: fresh_line && !opened && place != Place::Brackets,
                may_begin_block: fresh_line && !opened && place == Place::Paragraph,
                ends_line: next.is_none_or(Leaf::is_break) && (!closes || open.is_empty()),
                before: last_char(&tokens),
                after: match next {
                    None if open.is_empty() => None,
                    Some(next) if next.text_marks == leaf.text_marks => next.first_char(),
                    _ => Some('*'),
                },
                after_note: previous.is_some_and(Leaf::is_note),
                brackets: place == Place::Brackets || self.has_definitions,
                tildes,
                autolinks: place != Place::Brackets,
            };
            fresh_line = false;
            if leaf.is_break() {
                let line = place == Place::Paragraph && at > 0 && may_break(previous, next);
                fresh_line = line;
                tokens.push(Token::Written(if line { "\\\n" } else { "<br>" }.to_owned()));
                continue;
            }
            let mut following = next.map(Leaf::following).unwrap_or_default();
            match leaves.get(at + 2) {
                None if next.is_some() => following.push(escape::END),
                Some(after) if !after.is_break() => following.push('<'),
                _ => {}
            }
            let on: Vec<TextMark> = outer.iter().chain(&open).cloned().collect();
            let written = leaf.write(self, place, &on, around, &following, closes && !open.is_empty());
            tokens.push(if leaf.is_text() {
                Token::Text(written)
            } else if leaf.is_letters() {
                Token::Letters(written)
            } else {
                Token::Written(written)
            });
        }
        for mark in open.into_iter().rev() {
            tokens.push(Token::Close(mark));
        }
        let (mut out, texts) = join(tokens);
        dollars::escape(&mut out, |at| texts.binary_search_by(|text| place_of(text, at)).is_ok());
        if place == Place::Heading {
            escape_last_mark(&mut out);
            heading_id::escape_short(&mut out);
        }
        if place == Place::Paragraph && !out.is_empty() && only_breaks(&leaves) {
            return leaves.iter().map(|_| "&#10;").collect();
        }
        out
    }
}

fn only_breaks(leaves: &[Leaf<'_>]) -> bool {
    leaves.iter().all(|leaf| leaf.is_break() && leaf.text_marks.is_empty())
}

/// A break may be written as the end of a line if the next line cannot be parsed as another block.
fn may_break(previous: Option<&Leaf<'_>>, next: Option<&Leaf<'_>>) -> bool {
    !previous.is_some_and(Leaf::is_break) && next.is_some_and(|next| !next.is_break() && !next.is_verbatim())
}

fn content_tildes(leaves: &[Leaf<'_>]) -> bool {
    let tildes: usize = leaves.iter().map(Leaf::tildes).sum();
    tildes > 1
        || (tildes == 1
            && leaves.iter().any(|leaf| leaf.text_marks.contains(&TextMark::Strikethrough) || !leaf.is_text()))
}

/// The marks of each leaf, with the leaf at which each of them ends.
fn reach(leaves: &[Leaf<'_>]) -> Vec<Vec<(TextMark, usize)>> {
    let mut reach: Vec<Vec<(TextMark, usize)>> = Vec::with_capacity(leaves.len());
    for (at, leaf) in leaves.iter().enumerate().rev() {
        let after = reach.last();
        let text_marks = leaf.text_marks.iter().map(|mark| {
            let end = after.and_then(|after| after.iter().find(|(other, _)| other == mark)).map_or(at, |(_, end)| *end);
            (mark.clone(), end)
        });
        let text_marks = text_marks.collect();
        reach.push(text_marks);
    }
    reach.reverse();
    reach
}

/// Writes the marks: as Markdown if its rules for the neighbouring characters allow it, and otherwise as HTML.
/// Returns also where text is.
fn join(tokens: Vec<Token>) -> (String, Vec<Range<usize>>) {
    let mut markdown = vec![false; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => open.push(at),
            Token::Close(mark) => {
                let Some(start) = open.pop() else { continue };
                let fine = mark.markdown().is_some_and(|mark| {
                    let before = |at: usize| neighbours(tokens[..at].iter().rev(), false);
                    let after = |at: usize| neighbours(tokens[at + 1..].iter(), true);
                    // A mark can close exactly if its mirror image can open.
                    can_open(&before(start), &after(start), mark) && can_open(&after(at), &before(at), mark)
                });
                markdown[start] = fine;
                markdown[at] = fine;
            }
            _ => {}
        }
    }
    let (mut out, mut texts) = (String::new(), Vec::new());
    for (token, markdown) in tokens.iter().zip(markdown) {
        match (token, markdown) {
            (Token::Text(text), _) => {
                // After an image or a link, it would be lost.
                if !out.is_empty() && attributes::begins(text) {
                    out.push('\\');
                }
                texts.push(out.len()..out.len() + text.len());
                out.push_str(text);
            }
            (Token::Written(text) | Token::Letters(text), _) => out.push_str(text),
            (Token::Open(mark) | Token::Close(mark), true) => out.push_str(mark.markdown().unwrap_or_default()),
            (Token::Open(mark), false) => out.push_str(&mark.open_html()),
            (Token::Close(mark), false) => out.push_str(mark.close_html()),
        }
    }
    (out, texts)
}

/// The place of a range before, at or after a byte.
fn place_of(text: &Range<usize>, at: usize) -> Ordering {
    if text.end <= at {
        Ordering::Less
    } else if text.start > at {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

fn last_char(tokens: &[Token]) -> Option<char> {
    match tokens.last()? {
        Token::Text(text) | Token::Written(text) | Token::Letters(text) => text.chars().next_back(),
        Token::Open(_) | Token::Close(_) => Some('*'),
    }
}

/// The class of a character next to a mark, for CommonMark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Blank,
    Punctuation,
    Letter,
    /// A character that may be punctuation.
    Unsure,
}

fn class(each: char) -> Class {
    match each {
        each if each.is_whitespace() => Class::Blank,
        each if each.is_ascii_punctuation() => Class::Punctuation,
        each if each.is_alphanumeric() => Class::Letter,
        _ => Class::Unsure,
    }
}

/// The possible neighbours of a mark, seen from the mark. The CommonMark parser looks past tildes.
fn neighbours<'t>(tokens: impl Iterator<Item = &'t Token>, forward: bool) -> Vec<Class> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            Token::Text(text) | Token::Written(text) => {
                let next = if forward {
                    text.chars().find(|each| *each != '~')
                } else {
                    text.chars().rfind(|each| *each != '~')
                };
                if let Some(next) = next {
                    found.push(class(next));
                    return found;
                }
            }
            Token::Letters(_) => {
                found.push(Class::Letter);
                return found;
            }
            Token::Open(mark) | Token::Close(mark) => {
                found.push(Class::Punctuation);
                if *mark != TextMark::Strikethrough {
                    return found;
                }
            }
        }
    }
    found.push(Class::Blank);
    found
}

/// Whether a mark can open with all of these possible neighbours. An unsure class counts as the worse one.
fn can_open(outside: &[Class], inside: &[Class], mark: &str) -> bool {
    let free = outside.iter().all(|class| matches!(class, Class::Blank | Class::Punctuation));
    let letter = inside.iter().all(|class| *class == Class::Letter);
    let blank = inside.contains(&Class::Blank);
    !blank && (letter || free) && (mark != "_" || free)
}

/// Writes text outside of content, such as a title.
pub(super) fn plain(text: &str, place: Place, has_definitions: bool) -> String {
    let mut out = String::new();
    let around = Around {
        starts_block: place == Place::Paragraph,
        may_begin_block: place == Place::Paragraph,
        starts_line: place != Place::Brackets,
        ends_line: place != Place::Brackets,
        brackets: place == Place::Brackets || has_definitions,
        tildes: text.contains('~') && text.matches('~').count() > 1,
        autolinks: place != Place::Brackets,
        after: (place == Place::Brackets).then_some(']'),
        ..Around::default()
    };
    escape::text(text, around, &mut out);
    dollars::escape(&mut out, |_| true);
    if place == Place::Heading {
        escape_last_mark(&mut out);
        heading_id::escape_short(&mut out);
    }
    out
}

/// A number sign at the end of a heading would be its closing mark.
fn escape_last_mark(heading: &mut String) {
    if let Some(rest) = heading.strip_suffix('#') {
        let slashes = rest.len() - rest.trim_end_matches('\\').len();
        if slashes % 2 == 0 {
            heading.truncate(rest.len());
            heading.push_str("\\#");
        }
    }
}
