//! Markup that only some tools have, and that is text in all other repositories: MyST of Sphinx, extensions of MkDocs,
//! definition lists, and comments and highlights of Obsidian. An import says which of it a file has.
//!
//! [`read`] writes it as Markdown that is read everywhere, before the file is parsed. [`escape`] does the opposite for
//! a text that is written into such a repository: it puts a backslash before what would be read as such markup.
mod code;
mod deflists;
mod directives;
mod figures;
mod html;
mod inline;
mod myst;
mod roles;
mod shortcodes;
mod tables;
#[cfg(test)]
mod tables_tests;
#[cfg(test)]
mod tests;
mod toctrees;

use super::references;
use super::walk::{Seen, Walk, columns};
use crate::document::MAX_PARTS;
use crate::markdown::marks::{container_prefix, quote_prefix};
use crate::markdown::raw::Formulas;
use crate::markdown::{front_matter, normal_lines};
use directives::{Ends, MAX_OPTIONS, Open};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

pub(crate) use toctrees::{LabelAt, Parts, Toctree, is_pattern};

/// How deep blocks of these tools are read in each other.
const MAX_DEPTH: usize = 8;

/// Markup that only some tools have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    /// Comments between double percent signs.
    Comments,
    /// Definition lists: a line that begins with a colon after a term.
    DefinitionLists,
    /// Highlighted text between double equals signs.
    Highlights,
    /// Shortcodes of icons, such as `:material-home:`.
    Icons,
    /// Inserted text between double carets.
    Insertions,
    /// Keys between double plus signs.
    Keys,
    /// Markdown in elements of HTML with the attribute `markdown`.
    MarkdownInHtml,
    /// Directives, roles, labels and comments of MyST.
    Myst,
    /// Shortcodes of Hugo around code, and cards with a text.
    Shortcodes,
    /// In MyST, text after the name of an admonition is its title. In Sphinx, it is the beginning of its text.
    MystTitles,
}

/// Every markup that the files of a repository can have together.
#[cfg(test)]
pub(crate) const ALL: &[Syntax] = &[
    Syntax::Comments,
    Syntax::DefinitionLists,
    Syntax::Highlights,
    Syntax::Icons,
    Syntax::Insertions,
    Syntax::Keys,
    Syntax::MarkdownInHtml,
    Syntax::Myst,
    Syntax::Shortcodes,
];

/// The markup of a file.
pub(crate) struct Flavor<'a> {
    /// What it has besides ordinary Markdown.
    pub syntaxes: &'a BTreeSet<Syntax>,
    /// Finds the place of a label of MyST.
    pub label: &'a dyn Fn(&str) -> Option<Label>,
    /// Returns the text of the file at an address, if a text can include it.
    pub include: &'a dyn Fn(&str) -> Option<String>,
    /// Whether markup is escaped instead of read.
    escapes: bool,
}

/// The place of a label of MyST, as a file links to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// Its address.
    pub href: String,
    /// The title of what it labels; empty if that has none.
    pub title: String,
}

/// Includes no files.
const NO_FILES: &dyn Fn(&str) -> Option<String> = &|_| None;

impl<'a> Flavor<'a> {
    /// The markup of a file, for reading it. It includes no files.
    pub(crate) fn new(syntaxes: &'a BTreeSet<Syntax>, label: &'a dyn Fn(&str) -> Option<Label>) -> Self {
        Self { syntaxes, label, include: NO_FILES, escapes: false }
    }

    /// The same with files that it can include.
    pub(crate) fn including(self, include: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { include, ..self }
    }

    fn has(&self, syntax: Syntax) -> bool {
        self.syntaxes.contains(&syntax)
    }

    /// Whether blocks with this markup are read.
    fn reads(&self, syntax: Syntax) -> bool {
        !self.escapes && self.has(syntax)
    }
}

/// A text in ordinary Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub text: String,
    /// For each line, the line of the file that it comes from, from 1.
    pub lines: Vec<usize>,
}

/// A line of a text, with its number from 1.
type Line<'t> = (usize, &'t str);

/// A line that was written, with the number of the line that it comes from.
type Written = (usize, String);

/// Writes a text as ordinary Markdown. It takes linear time.
pub(crate) fn read(text: &str, flavor: &Flavor<'_>) -> Plain {
    let text = normal_lines(text);
    let count = line_count(&text);
    // It is kept as source, which then is that of the file.
    if count > MAX_PARTS {
        return Plain { text, lines: (1..=count).collect() };
    }
    let (_, body) = front_matter::split(&text);
    let head = &text[..text.len() - body.len()];
    let first = 1 + head.matches('\n').count();
    let lines: Vec<Line<'_>> = (first..).zip(body.split('\n')).collect();
    let (mut plain, mut numbers) = (head.to_owned(), (1..first).collect::<Vec<_>>());
    for (at, (number, line)) in blocks(&lines, flavor, 0).into_iter().enumerate() {
        if at > 0 {
            plain.push('\n');
        }
        plain.push_str(&line);
        numbers.push(number);
    }
    Plain { text: plain, lines: numbers }
}

fn line_count(text: &str) -> usize {
    1 + text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Escapes ordinary Markdown for a repository with this markup.
pub(crate) fn escape(text: &str, syntaxes: &BTreeSet<Syntax>) -> String {
    if syntaxes.is_empty() {
        return text.to_owned();
    }
    read(text, &Flavor { syntaxes, label: &|_| None, include: NO_FILES, escapes: true }).text
}

/// A range of lines that was read as one block, and what is written for it.
struct Block {
    /// The line after its last one.
    end: usize,
    written: Vec<Written>,
}

/// Writes lines as ordinary Markdown. There is at least one line for some lines.
fn blocks(lines: &[Line<'_>], flavor: &Flavor<'_>, depth: usize) -> Vec<Written> {
    let texts: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    let formulas = Formulas::of(&texts);
    let ends = if flavor.reads(Syntax::Myst) { Ends::of(&texts) } else { Ends::default() };
    let mut others = HashMap::new();
    if flavor.reads(Syntax::MarkdownInHtml) {
        html::find_ends(&texts, &mut others);
    }
    if flavor.reads(Syntax::Shortcodes) {
        shortcodes::find_ends(&texts, &mut others);
    }
    let left = further_left(&texts);
    let mut walk = Walk::new(&formulas, texts.len(), Some(0));
    let mut out: Vec<Written> = Vec::with_capacity(lines.len());
    let (mut is_html, mut is_quoted_code, mut is_after_text) = (false, false, false);
    // The number of marks of quotations before HTML, and the column of what it is in.
    let mut html = (0, 0);
    // The first line of the text that is not written yet.
    let mut begun: Option<usize> = None;
    let mut at = 0;
    while at < texts.len() {
        let line = texts[at];
        let is_free = walk.is_free_for(at, line);
        // HTML ends with the quotation or the item that it is in.
        let (quotes, column) = (line[..quote_prefix(line)].matches('>').count(), super::blanks(line));
        is_html = is_html && html.0 == quotes && html.1 <= column;
        let open = Open::lex(line).filter(|_| is_free && !is_html && flavor.reads(Syntax::Myst));
        let open = open.map(|open| (ends.of_line(at), open));
        let seen = match open {
            // A directive is no code.
            Some(_) => walk.line(at, &format!("{}x", &line[..column])),
            None => walk.line(at, line),
        };
        let quoted = &line[quote_prefix(line)..];
        let is_fence = quoted.starts_with("```") || quoted.starts_with("~~~");
        let is_code = is_quoted_code || is_fence;
        is_quoted_code = line.trim_start().starts_with('>') && is_quoted_code != is_fence;
        let was_html = is_html;
        if !is_html && seen.may_be_text {
            let body = container_prefix(line);
            let (first, inside) = if body > column { (body, &line[body..]) } else { (seen.start, quoted) };
            is_html = references::begins_html(if quotes > 0 { quoted } else { inside });
            html = (quotes, if quotes > 0 { 0 } else { first });
        }
        is_html = is_html && !quoted.trim().is_empty();
        let place =
            Place { lines, texts: &texts, ends: &others, left: &left, start: seen.start, at, is_after_text, depth };
        let block = if is_free && seen.may_begin && !was_html { special(&place, open, seen, flavor) } else { None };
        if let Some(block) = block {
            text(&lines[begun.take().unwrap_or(at)..at], flavor, &mut out);
            out.extend(indented(block.written, line));
            (at, is_html, is_after_text) = (block.end, false, false);
            continue;
        }
        let is_text = seen.may_be_text && !is_html && !is_code && !references::is_raw(quoted);
        let is_alone = quoted.starts_with(['#', '|']);
        if !is_text || is_alone || container_prefix(line) > super::blanks(line) {
            text(&lines[begun.take().unwrap_or(at)..at], flavor, &mut out);
        }
        match is_text {
            true if is_alone => text(&lines[at..=at], flavor, &mut out),
            true => begun = Some(begun.unwrap_or(at)),
            false if is_free && !was_html && flavor.escapes && flavor.has(Syntax::Myst) => {
                out.push((lines[at].0, first_of_code(&lines[at..])))
            }
            false => out.push((lines[at].0, line.to_owned())),
        }
        is_after_text = is_text && !is_alone;
        at += 1;
    }
    text(&lines[begun.unwrap_or(at)..at], flavor, &mut out);
    out
}

/// The first line of code, so that it is not one of a directive that is read. Others go on to be what they are for
/// their tool.
fn first_of_code(lines: &[Line<'_>]) -> String {
    let Some(((_, line), after)) = lines.split_first() else { return String::new() };
    let is_read = |open: &Open<'_>| {
        let after = without_blanks(&after[..after.len().min(MAX_OPTIONS)], open.blanks);
        open.mark != ':' && myst::is_read(open, &after)
    };
    match Open::lex(line).is_some_and(|open| is_read(&open)) {
        true => line.replacen('{', "\\{", 1),
        false => (*line).to_owned(),
    }
}

/// The place of a line in which a block may begin.
struct Place<'p, 't> {
    lines: &'p [Line<'t>],
    texts: &'p [&'t str],
    /// The last lines of elements and shortcodes around blocks, by their first ones.
    ends: &'p HashMap<usize, usize>,
    /// For each line, the next one that begins further left.
    left: &'p [usize],
    /// The column of the item that it is in.
    start: usize,
    at: usize,
    /// Whether it goes on in a paragraph if it begins no block.
    is_after_text: bool,
    depth: usize,
}

impl<'t> Place<'_, 't> {
    /// Some lines after this one, without the blanks before the directive that begins in it.
    fn after(&self, open: &Open<'_>) -> Vec<Line<'t>> {
        let after = &self.lines[self.at + 1..];
        without_blanks(&after[..after.len().min(MAX_OPTIONS)], open.blanks)
    }

    /// Whether the lines before this one can be one block: none of them ends the item that the first is in.
    fn holds(&self, end: usize) -> bool {
        let mut next = self.left[self.at];
        // Each of these lines begins further left than the one before it, so that there are few.
        while next < end && columns(self.texts[next]) >= self.start {
            next = self.left[next];
        }
        next >= end
    }
}

/// For each line, the next one that begins further left; the number of lines if there is none.
fn further_left(texts: &[&str]) -> Vec<usize> {
    let mut left = vec![texts.len(); texts.len()];
    let mut next: Vec<(usize, usize)> = Vec::new();
    for (at, line) in texts.iter().enumerate().rev().filter(|(_, line)| !line.trim().is_empty()) {
        let blanks = columns(line);
        while next.last().is_some_and(|(other, _)| *other >= blanks) {
            next.pop();
        }
        left[at] = next.last().map_or(texts.len(), |(_, at)| *at);
        next.push((blanks, at));
    }
    left
}

/// The block that begins in a line.
fn special(
    place: &Place<'_, '_>,
    open: Option<(Option<usize>, Open<'_>)>,
    seen: Seen,
    flavor: &Flavor<'_>,
) -> Option<Block> {
    let (number, line) = place.lines[place.at];
    let body = line.trim_start();
    if let Some((Some(end), open)) = open
        && let Some(written) = code::included(&open, number, &place.lines[place.at + 1..end], flavor)
    {
        return Some(Block { end: end + 1, written });
    }
    // The content of what is not read is Markdown between colons, and code otherwise. Few lines are read ahead for it,
    // as each of many could go on to the same end.
    let open = open.filter(|(_, open)| open.mark != ':' || myst::is_read(open, &place.after(open)));
    if let Some((None, open)) = open
        && open.mark == ':'
    {
        // What has no end is text, so that an end that comes later does not change it.
        return Some(Block { end: place.at + 1, written: vec![(number, format!("\\{body}"))] });
    }
    if let Some((end, open)) = open {
        // Between backticks or tildes, a directive without an end goes on to the end of what it is in.
        let last = end.unwrap_or(if seen.in_item { place.left[place.at] } else { place.texts.len() });
        let end = end.map_or(last, |end| end + 1);
        let inside = without_blanks(&place.lines[place.at + 1..last], open.blanks);
        let written = myst::directive(&open, number, &inside, flavor, place.depth);
        let written = match written {
            // There is a line for it even if it says nothing.
            Some(written) if written.is_empty() => vec![(number, String::new())],
            Some(written) => written,
            None => {
                let lines = without_blanks(&place.lines[place.at..end], open.blanks);
                lines.into_iter().map(|(number, line)| (number, line.to_owned())).collect()
            }
        };
        return Some(Block { end, written });
    }
    if flavor.has(Syntax::Myst)
        && !seen.in_item
        && let Some(block) = myst::line(place, flavor)
    {
        return Some(block);
    }
    if flavor.reads(Syntax::MarkdownInHtml)
        && body.starts_with('<')
        && let Some(block) = html::block(place, flavor)
    {
        return Some(block);
    }
    if flavor.reads(Syntax::Shortcodes)
        && body.starts_with("{{")
        && let Some(block) = shortcodes::block(place, flavor)
    {
        return Some(block);
    }
    if flavor.reads(Syntax::Comments)
        && body.trim_end() == "%%"
        && let Some(block) = comment(place)
    {
        return Some(block);
    }
    if flavor.reads(Syntax::DefinitionLists) && !place.is_after_text { deflists::block(place, flavor) } else { None }
}

/// A comment of Obsidian over several lines.
fn comment(place: &Place<'_, '_>) -> Option<Block> {
    // Only the last line of its kind has no end, so that this takes linear time.
    let length = place.texts[place.at + 1..].iter().position(|line| line.trim() == "%%")?;
    if !place.holds(place.at + length + 2) {
        return None;
    }
    let inside = place.lines[place.at + 1..place.at + 1 + length].iter();
    let mut written: Vec<Written> = vec![(place.lines[place.at].0, "<!--".to_owned())];
    written.extend(inside.map(|(number, line)| (*number, as_comment(line.trim_start()))));
    written.push((place.lines[place.at + 1 + length].0, "-->".to_owned()));
    Some(Block { end: place.at + length + 2, written })
}

/// Text for a comment of HTML.
fn as_comment(text: &str) -> String {
    text.replace("--", "- -")
}

/// Writes lines of text.
fn text(lines: &[Line<'_>], flavor: &Flavor<'_>, out: &mut Vec<Written>) {
    if lines.is_empty() {
        return;
    }
    let whole = lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
    match inline::rewritten(&whole, flavor) {
        // Markup over two lines is written in one.
        Some(written) => {
            let numbers = lines.iter().map(|(number, _)| *number);
            out.extend(numbers.zip(written.split('\n').map(str::to_owned)));
        }
        None => out.extend(lines.iter().map(|(number, line)| (*number, (*line).to_owned()))),
    }
}

/// Lines without this many blanks before them.
fn without_blanks<'t>(lines: &[Line<'t>], count: usize) -> Vec<Line<'t>> {
    let strip = |line: &'t str| &line[super::blanks(line).min(count)..];
    lines.iter().map(|(number, line)| (*number, strip(line))).collect()
}

/// Lines with the blanks of this line before them.
fn indented<'l>(written: Vec<Written>, line: &'l str) -> impl Iterator<Item = Written> + 'l {
    let prefix = &line[..super::blanks(line)];
    written.into_iter().map(move |(number, line)| match line.is_empty() || prefix.is_empty() {
        true => (number, line),
        false => (number, format!("{prefix}{line}")),
    })
}

/// Lines of code, which begins in this line.
fn fenced(number: usize, info: &str, lines: &[Line<'_>]) -> Vec<Written> {
    let ticks = |line: &str| line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
    let longest = lines.iter().map(|(_, line)| ticks(line)).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let last = lines.last().map_or(number, |(number, _)| *number);
    let mut written = vec![(number, format!("{fence}{info}"))];
    written.extend(lines.iter().map(|(number, line)| (*number, (*line).to_owned())));
    written.push((last, fence));
    written
}

/// Text as Markdown, so that none of it is markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for each in text.trim().chars() {
        if each.is_ascii_punctuation() && !matches!(each, ',' | ';' | '\'' | '?') {
            out.push('\\');
        }
        out.push(if each == '\n' { ' ' } else { each });
    }
    out
}

/// Text as the value of an attribute of HTML.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An address between angle brackets; `None` if it cannot be one.
fn pointed(href: &str) -> Option<String> {
    references::is_address(href).then(|| format!("<{href}>"))
}
