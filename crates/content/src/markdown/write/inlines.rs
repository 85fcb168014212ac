//! Inline content as Markdown.
use super::Writer;
use super::escape::{self, Around};
use super::leaves::{Leaf, Look, leaves};
use crate::document::Inline;

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
    /// Something written, whose characters decide about the marks next to it.
    Written(String),
    /// Like it, but in the eyes of the CommonMark parser letters.
    Letters(String),
    Open(Look),
    Close(Look),
}

impl Writer<'_> {
    /// Writes inline content; `outer` are the looks that are on around it.
    pub(super) fn inlines(&mut self, content: &[Inline], place: Place, outer: &[Look]) -> String {
        let leaves = leaves(content, outer);
        let tildes = content_tildes(&leaves);
        let mut tokens = Vec::new();
        let mut open: Vec<Look> = Vec::new();
        let reach = reach(&leaves);
        let mut fresh_line = true;
        for (at, leaf) in leaves.iter().enumerate() {
            while let Some(keep) = open.iter().position(|look| !leaf.looks.contains(look)) {
                for look in open.drain(keep..).rev() {
                    tokens.push(Token::Close(look));
                }
            }
            let mut begin: Vec<(usize, Look)> = Vec::new();
            for (look, end) in &reach[at] {
                if !open.contains(look) {
                    begin.push((*end, look.clone()));
                }
            }
            begin.sort_by(|(a, first), (b, second)| b.cmp(a).then(first.cmp(second)));
            let opened = !begin.is_empty();
            for (_, look) in begin {
                tokens.push(Token::Open(look.clone()));
                open.push(look);
            }
            let next = leaves.get(at + 1);
            let previous = at.checked_sub(1).map(|at| &leaves[at]);
            let closes = next.is_none_or(|next| next.looks != leaf.looks);
            let around = Around {
                starts_block: at == 0 && !opened && place == Place::Paragraph,
                starts_line: fresh_line && !opened && place != Place::Brackets,
                may_begin_block: fresh_line && !opened && place == Place::Paragraph,
                ends_line: next.is_none_or(Leaf::is_break) && (!closes || open.is_empty()),
                before: last_char(&tokens),
                after: match next {
                    None if open.is_empty() => None,
                    Some(next) if next.looks == leaf.looks => next.first_char(),
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
            let on: Vec<Look> = outer.iter().chain(&open).cloned().collect();
            let written = leaf.write(self, place, &on, around, &following, closes && !open.is_empty());
            tokens.push(if leaf.is_letters() { Token::Letters(written) } else { Token::Written(written) });
        }
        for look in open.into_iter().rev() {
            tokens.push(Token::Close(look));
        }
        let mut out = join(tokens);
        if place == Place::Heading {
            escape_last_mark(&mut out);
        }
        if place == Place::Paragraph && !out.is_empty() && only_breaks(&leaves) {
            return leaves.iter().map(|_| "&#10;").collect();
        }
        out
    }
}

fn only_breaks(leaves: &[Leaf<'_>]) -> bool {
    leaves.iter().all(|leaf| leaf.is_break() && leaf.looks.is_empty())
}

/// A break may be a line's end when the next line cannot be taken for something else.
fn may_break(previous: Option<&Leaf<'_>>, next: Option<&Leaf<'_>>) -> bool {
    !previous.is_some_and(Leaf::is_break) && next.is_some_and(|next| !next.is_break() && !next.is_verbatim())
}

fn content_tildes(leaves: &[Leaf<'_>]) -> bool {
    let tildes: usize = leaves.iter().map(Leaf::tildes).sum();
    tildes > 1
        || (tildes == 1 && leaves.iter().any(|leaf| leaf.looks.contains(&Look::Strikethrough) || !leaf.is_text()))
}

/// For each leaf its looks, with the leaf at which each of them ends.
fn reach(leaves: &[Leaf<'_>]) -> Vec<Vec<(Look, usize)>> {
    let mut reach: Vec<Vec<(Look, usize)>> = Vec::with_capacity(leaves.len());
    for (at, leaf) in leaves.iter().enumerate().rev() {
        let after = reach.last();
        let looks = leaf.looks.iter().map(|look| {
            let end = after.and_then(|after| after.iter().find(|(other, _)| other == look)).map_or(at, |(_, end)| *end);
            (look.clone(), end)
        });
        let looks = looks.collect();
        reach.push(looks);
    }
    reach.reverse();
    reach
}

/// Writes the marks: in Markdown where its rules about what stands next to them allow it, in HTML elsewhere.
fn join(tokens: Vec<Token>) -> String {
    let mut markdown = vec![false; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => open.push(at),
            Token::Close(look) => {
                let Some(start) = open.pop() else { continue };
                let fine = look.markdown().is_some_and(|mark| {
                    let before = |at: usize| neighbours(tokens[..at].iter().rev(), false);
                    let after = |at: usize| neighbours(tokens[at + 1..].iter(), true);
                    // A mark closes where it would open in a mirror.
                    can_open(&before(start), &after(start), mark) && can_open(&after(at), &before(at), mark)
                });
                markdown[start] = fine;
                markdown[at] = fine;
            }
            _ => {}
        }
    }
    let mut out = String::new();
    for (token, markdown) in tokens.iter().zip(markdown) {
        match (token, markdown) {
            (Token::Written(text) | Token::Letters(text), _) => out.push_str(text),
            (Token::Open(look) | Token::Close(look), true) => out.push_str(look.markdown().unwrap_or_default()),
            (Token::Open(look), false) => out.push_str(&look.open_html()),
            (Token::Close(look), false) => out.push_str(look.close_html()),
        }
    }
    out
}

fn last_char(tokens: &[Token]) -> Option<char> {
    match tokens.last()? {
        Token::Written(text) | Token::Letters(text) => text.chars().next_back(),
        Token::Open(_) | Token::Close(_) => Some('*'),
    }
}

/// What CommonMark sees in a character next to a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Blank,
    Punctuation,
    Letter,
    /// Something that may be punctuation.
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

/// What may stand next to a mark, looking away from it. The CommonMark parser looks through tildes.
fn neighbours<'t>(tokens: impl Iterator<Item = &'t Token>, forward: bool) -> Vec<Class> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            Token::Written(text) => {
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
            Token::Open(look) | Token::Close(look) => {
                found.push(Class::Punctuation);
                if *look != Look::Strikethrough {
                    return found;
                }
            }
        }
    }
    found.push(Class::Blank);
    found
}

/// Whether a mark with these neighbours opens, whichever they are; what is unsure is taken for the worse.
fn can_open(outside: &[Class], inside: &[Class], mark: &str) -> bool {
    let free = outside.iter().all(|class| matches!(class, Class::Blank | Class::Punctuation));
    let letter = inside.iter().all(|class| *class == Class::Letter);
    let blank = inside.contains(&Class::Blank);
    !blank && (letter || free) && (mark != "_" || free)
}

/// Writes text that stands alone, such as a title.
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
    if place == Place::Heading {
        escape_last_mark(&mut out);
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
