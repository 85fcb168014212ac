//! Directives of MyST whose content is code, in the text or in another file.
use super::directives::{MAX_OPTIONS, Open, Options};
use super::myst::Directive;
use super::{Flavor, Line, Written, fenced, without_blanks};
use crate::markdown::dialects::blanks;
use crate::markdown::normal_lines;

/// Directives whose content is code, and the language if the directive names none.
const CODE: [(&str, &str); 7] = [
    ("code", ""),
    ("code-block", ""),
    ("code-cell", ""),
    ("ipython", "python"),
    ("mermaid", "mermaid"),
    ("prompt", ""),
    ("sourcecode", ""),
];

/// The directive whose content is the code of a file.
const INCLUDED: &str = "literalinclude";

/// Its options that make other code of that in the file.
const NOT_READ: [&str; 6] = ["append", "diff", "end-line", "prepend", "pyobject", "start-line"];

/// The longest extension of a file that is the language of its code.
const MAX_EXTENSION: usize = 12;

/// The language of a directive with code that names none, by the name of the directive in lower case. `None` if its
/// content is no code.
pub(super) fn language(name: &str) -> Option<&'static str> {
    CODE.iter().find(|(code, _)| *code == name).map(|(_, language)| *language)
}

/// Writes a directive with code. `language` is for one that names none.
pub(super) fn directive(directive: &Directive<'_, '_>, language: &str) -> Vec<Written> {
    let named = directive.open.argument.split_whitespace().next().unwrap_or(language);
    fenced(directive.number, &info(named, &directive.options), directive.content)
}

/// The information about code in a language.
fn info(language: &str, options: &Options<'_>) -> String {
    let language = if language.starts_with("ipython") { "python" } else { language };
    let mut info: String = language.chars().filter(|each| !matches!(each, '`' | '{' | '}')).collect();
    let title = options.text("caption").or_else(|| options.text("filename"));
    if let Some(title) = title {
        info.push_str(&format!(" title=\"{}\"", title.replace(['`', '"'], "'")));
    }
    // All numbers begin at 1.
    let is_first = options.get("lineno-start").is_none_or(|start| start == "1") && !options.has_any(&["lineno-match"]);
    if options.has_any(&["linenos", "lineno-start"]) && is_first {
        info.push_str(" showLineNumbers");
    }
    if let Some(lines) = options.text("emphasize-lines").and_then(highlighted) {
        info.push_str(&format!(" {{{lines}}}"));
    }
    info
}

/// Writes the directive `literalinclude`, whose lines are between its first and its last one. `None` if it is another
/// directive, or if its code cannot be read.
pub(super) fn included(
    open: &Open<'_>,
    number: usize,
    lines: &[Line<'_>],
    flavor: &Flavor<'_>,
) -> Option<Vec<Written>> {
    if !open.name.eq_ignore_ascii_case(INCLUDED) || lines.len() > MAX_OPTIONS || open.argument.is_empty() {
        return None;
    }
    let lines = without_blanks(lines, open.blanks);
    let (options, _) = Options::take(&lines);
    if options.has_any(&NOT_READ) {
        return None;
    }
    let text = normal_lines(&(flavor.include)(open.argument)?);
    let code = without_margin(part(text.lines().collect(), &options)?, &options)?;
    let code: Vec<Line<'_>> = code.into_iter().map(|line| (number, line)).collect();
    let language = options.text("language").and_then(|language| language.split_whitespace().next());
    let info = info(language.unwrap_or_else(|| extension(open.argument)), &options);
    Some(fenced(number, &info, &code))
}

/// The extension of a file, which is a name of the language of its code.
fn extension(path: &str) -> &str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_name = extension.len() <= MAX_EXTENSION && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_name { extension } else { "" }
}

/// The lines that the options name: those from one text to another, and of these the ones with these numbers.
fn part<'t>(mut lines: Vec<&'t str>, options: &Options<'_>) -> Option<Vec<&'t str>> {
    let place = |lines: &[&str], words: &str| lines.iter().position(|line| line.contains(words));
    for (key, after) in [("start-at", 0), ("start-after", 1)] {
        if let Some(words) = options.text(key) {
            lines.drain(..place(&lines, words)? + after);
        }
    }
    for (key, after) in [("end-at", 1), ("end-before", 0)] {
        if let Some(words) = options.text(key) {
            // No part ends before its first line.
            let from = usize::from(after == 0 && !lines.is_empty());
            lines.truncate(from + place(&lines[from..], words)? + after);
        }
    }
    match options.text("lines") {
        Some(list) => numbered(&lines, list),
        None => Some(lines),
    }
}

/// The lines in a list of numbers and ranges, such as `1,3-5,8-`. `None` if it is none, or if it names more lines than
/// there are.
fn numbered<'t>(lines: &[&'t str], list: &str) -> Option<Vec<&'t str>> {
    let number = |text: &str, default: usize| match text.trim() {
        "" => Some(default),
        text => text.parse().ok(),
    };
    let mut found = Vec::new();
    for part in list.split(',') {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first, 1)?, number(last, lines.len())?),
            None => part.trim().parse().ok().map(|line: usize| (line, line))?,
        };
        let range = lines.get(first.checked_sub(1)?..last.min(lines.len()));
        found.extend_from_slice(range.unwrap_or_default());
        if found.len() > lines.len() {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The lines without the blanks before them: as many as the option `dedent` says, or those that all of them have.
fn without_margin<'t>(lines: Vec<&'t str>, options: &Options<'_>) -> Option<Vec<&'t str>> {
    let Some(count) = options.get("dedent") else { return Some(lines) };
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| blanks(line)).min();
    let count = if count.is_empty() { margin.unwrap_or(0) } else { count.parse().ok()? };
    Some(lines.into_iter().map(|line| &line[blanks(line).min(count)..]).collect())
}

/// Highlighted lines of code, if they are numbers and ranges of them.
pub(super) fn highlighted(lines: &str) -> Option<String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|line| (1..=10_000).contains(line));
    let mut ranges = Vec::new();
    for part in lines.split(',').take(100) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last - first > 500 {
            return None;
        }
        ranges.push(if first == last { first.to_string() } else { format!("{first}-{last}") });
    }
    Some(ranges.join(","))
}
