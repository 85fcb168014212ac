//! Differences as texts for people.
use super::changelog::{Changelog, ChangelogLimits, ChangelogLine, one_line};
use super::changes::{ChangeLevel, Diff};
use std::fmt::Write;

/// The differences as plain text for a terminal: a line for each change, with its id and its fingerprint.
pub fn text(diff: &Diff) -> String {
    let mut out = String::new();
    for level in ChangeLevel::ALL {
        let count = diff.counts.of(level);
        if count == 0 {
            continue;
        }
        // Writing to a text cannot fail.
        let _ = writeln!(out, "{} ({count})", level.as_str());
        for change in diff.changes.iter().filter(|change| change.level == level) {
            let line = ChangelogLine::of(change, usize::MAX);
            let line = match operations(&line, one_line) {
                Some(operations) => format!("{operations}: {}", line.text),
                None => line.text,
            };
            let _ = writeln!(out, "  {line}  [{} {}]", change.id, change.fingerprint);
        }
    }
    if diff.more > 0 {
        let _ = writeln!(out, "{} more changes are not listed.", diff.more);
    }
    if out.is_empty() { "No changes.\n".to_owned() } else { out }
}

/// The differences as a section of a changelog in Markdown, with this heading. Names and values of the documents are
/// escaped: they make no markup, links or HTML.
pub fn markdown(diff: &Diff, heading: &str) -> String {
    let mut out = format!("## {}\n", escaped(heading));
    let changelog = Changelog::of(diff, &ChangelogLimits::ALL);
    for section in &changelog.sections {
        let _ = write!(out, "\n### {}\n\n", section.title());
        for line in &section.lines {
            let _ = match operations(line, code) {
                Some(operations) => writeln!(out, "- {operations}: {}", escaped(&line.text)),
                None => writeln!(out, "- {}", escaped(&line.text)),
            };
        }
        if section.more > 0 {
            let _ = writeln!(out, "- … and {} more", section.more);
        }
    }
    if changelog.sections.is_empty() {
        out.push_str("\nNo changes.\n");
    }
    out
}

/// The first operations of a change; `None` if it concerns none.
fn operations(line: &ChangelogLine, show: fn(&str) -> String) -> Option<String> {
    let names: Vec<String> = line.operations.iter().map(|operation| show(&operation.name())).collect();
    match (names.is_empty(), line.more_operations) {
        (true, _) => None,
        (false, 0) => Some(names.join(", ")),
        (false, more) => Some(format!("{} and {more} more", names.join(", "))),
    }
}

/// The text as code: the marks around it are longer than any in it.
fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() { " " } else { "" };
    format!("{marks}{space}{text}{space}{marks}")
}

/// The text with all that Markdown, HTML and automatic links could take for markup escaped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let text = one_line(text);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '$' | '{' | '}' => {
                out.push('\\');
                out.push(char);
            }
            ':' if chars.peek() == Some(&'/') => out.push_str("&#58;"),
            '.' if out.ends_with("www") || out.ends_with("WWW") => out.push_str("&#46;"),
            char => out.push(char),
        }
    }
    out
}
