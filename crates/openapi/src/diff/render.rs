//! Differences as texts for people.
use super::changes::{Change, ChangeLevel, ChangedOperation, Diff};
use std::fmt::Write;

/// The operations that a line names; of more it says how many there are.
const MAX_NAMED: usize = 3;

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
            let line = match operations(change, plain) {
                Some(operations) => format!("{operations}: {}", plain(&change.text)),
                None => plain(&change.text),
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
    for level in ChangeLevel::ALL {
        if diff.counts.of(level) == 0 {
            continue;
        }
        let title = match level {
            ChangeLevel::Breaking => "Breaking changes",
            ChangeLevel::Risky => "Risky changes",
            ChangeLevel::Announced => "Announced removals",
            ChangeLevel::Fine => "Other changes",
            ChangeLevel::Words => "Descriptions and examples",
        };
        let _ = write!(out, "\n### {title}\n\n");
        let mut listed = 0;
        for change in diff.changes.iter().filter(|change| change.level == level) {
            listed += 1;
            let _ = match operations(change, code) {
                Some(operations) => writeln!(out, "- {operations}: {}", escaped(&change.text)),
                None => writeln!(out, "- {}", escaped(&change.text)),
            };
        }
        let more = diff.counts.of(level).saturating_sub(listed);
        if more > 0 {
            let _ = writeln!(out, "- … and {more} more");
        }
    }
    if diff.counts.all() == 0 {
        out.push_str("\nNo changes.\n");
    }
    out
}

/// The first operations of a change; `None` if it concerns none.
fn operations(change: &Change, show: fn(&str) -> String) -> Option<String> {
    let names: Vec<String> = change.operations.iter().take(MAX_NAMED).map(|operation| show(&name(operation))).collect();
    let more = (change.operations.len() + change.more_operations).saturating_sub(names.len());
    match (names.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(names.join(", ")),
        (false, more) => Some(format!("{} and {more} more", names.join(", "))),
    }
}

fn name(operation: &ChangedOperation) -> String {
    let method = operation.method.to_uppercase();
    match &operation.webhook {
        Some(webhook) => format!("{method} webhook {webhook}"),
        None => format!("{method} {}", operation.path),
    }
}

/// The text on one line, without characters that control a terminal or turn the direction of writing.
fn plain(text: &str) -> String {
    let is_control = |char: char| {
        char.is_control()
            || matches!(char, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|char| if is_control(char) { ' ' } else { char }).collect()
}

/// The text as code: the marks around it are longer than any in it.
fn code(text: &str) -> String {
    let text = plain(text);
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() { " " } else { "" };
    format!("{marks}{space}{text}{space}{marks}")
}

/// The text with all that Markdown, HTML and automatic links could take for markup escaped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let text = plain(text);
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
