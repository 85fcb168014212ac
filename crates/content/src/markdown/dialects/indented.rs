//! Blocks whose text has marks before each line: admonitions and tabs of MkDocs, which are indented, and callouts of
//! Obsidian, which are quotations.
use super::walk::{Seen, columns};
use super::{blanks, title_of_tag};
use crate::markdown::admonitions;
use std::borrow::Cow;

/// What is before each line of the text of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Four blanks or a tab.
    Indent,
    /// The mark of a quotation.
    Quote,
}

/// A block, and its tags.
struct Head {
    before: Before,
    /// Its start tag; for a tab, without that of the row.
    begin: String,
    close: &'static str,
    /// A title that is the text if there is no other one.
    title: String,
    is_tab: bool,
}

/// Rewrites the block or the row of tabs that begins in a line; returns the range of the lines of its text, and the
/// line after all of it.
pub(super) fn rewrite(
    lines: &mut [Cow<'_, str>],
    at: usize,
    end: usize,
    seen: Seen,
    is_file: bool,
) -> Option<(std::ops::Range<usize>, usize)> {
    let prefix = lines[at][..blanks(&lines[at])].to_owned();
    if !seen.in_item && columns(&lines[at]) != seen.start {
        return None;
    }
    let head = head(&lines[at][prefix.len()..], is_file)?;
    let last = end_of_text(lines, at, end, &prefix, head.before);
    let has_text = last > at + 1;
    if !has_text && (head.before == Before::Indent || head.title.is_empty()) {
        return None;
    }
    let begin = match (has_text, head.title.as_str()) {
        (_, "") => head.begin,
        (true, title) if !title.contains(['[', '*']) => format!("{} **{title}**", head.begin),
        (_, title) => format!("{} {title}", head.begin),
    };
    // In an item, the end tag needs a line that no other block needs.
    let is_free = lines[last].trim().is_empty() || (last == end && !seen.in_item);
    if !is_free {
        // A line without a mark goes on in a quotation.
        if head.before == Before::Quote && is_plain(lines[last].trim()) {
            return None;
        }
        let text = joined(&lines[at + 1..last], &prefix, head.before).filter(|_| !head.is_tab)?;
        lines[at] = format!("{prefix}{begin} {text}{}", head.close).into();
        lines[at + 1..last].fill(Cow::Borrowed(""));
        return Some((last..last, last));
    }
    let (mut row, mut row_end) = ("", "");
    if head.is_tab {
        row = if is_tab_before(lines, at) { "" } else { "{% tabs %}" };
        row_end = if goes_on(lines, last, end, &prefix) { "" } else { "{% endtabs %}" };
    }
    lines[at] = format!("{prefix}{row}{begin}").into();
    for line in &mut lines[at + 1..last] {
        let text = inside(line, &prefix, head.before).unwrap_or_default();
        *line = if text.is_empty() { Cow::Borrowed("") } else { format!("{prefix}{text}").into() };
    }
    // Each block ends with a tag, so that several can end in this line.
    lines[last] = format!("{prefix}{}{row_end}{}", head.close, lines[last].trim()).into();
    Some((at + 1..last, (last + 1).min(end)))
}

/// The text of a line in a block.
fn inside<'l>(line: &'l str, prefix: &str, before: Before) -> Option<&'l str> {
    let rest = line.strip_prefix(prefix)?;
    match before {
        Before::Indent => rest.strip_prefix("    ").or_else(|| rest.strip_prefix('\t')),
        Before::Quote => {
            let body = rest.trim_start_matches(' ');
            let text = body.strip_prefix('>').filter(|_| rest.len() - body.len() < 4)?;
            Some(text.strip_prefix(' ').unwrap_or(text))
        }
    }
}

/// The line after the text of the block that begins in a line.
fn end_of_text(lines: &[Cow<'_, str>], at: usize, end: usize, prefix: &str, before: Before) -> usize {
    let mut last = at + 1;
    for (next, line) in lines.iter().enumerate().take(end).skip(at + 1) {
        if line.trim().is_empty() {
            if before == Before::Quote {
                break;
            }
        } else if inside(line, prefix, before).is_some() {
            last = next + 1;
        } else {
            break;
        }
    }
    last
}

/// The lines of a text in one line, if it is only a paragraph.
fn joined(lines: &[Cow<'_, str>], prefix: &str, before: Before) -> Option<String> {
    let mut words = Vec::with_capacity(lines.len());
    for line in lines {
        let text = inside(line, prefix, before)?.trim();
        if !is_plain(text) || text.contains("{%") || text.contains("]:") {
            return None;
        }
        words.push(text);
    }
    Some(words.join(" "))
}

/// Whether a line begins no block, and ends no line.
pub(super) fn is_plain(text: &str) -> bool {
    let is_number = text.trim_start_matches(|each: char| each.is_ascii_digit()).starts_with(['.', ')']);
    let begins = text.starts_with(|first: char| first.is_alphanumeric() || "[(\"'_".contains(first))
        || text.starts_with("**")
        || (text.starts_with('`') && !text.starts_with("```"));
    begins && !is_number && !text.ends_with('\\')
}

/// Whether the row of tabs that goes on in a line began before it.
fn is_tab_before(lines: &[Cow<'_, str>], at: usize) -> bool {
    let before = lines[..at].iter().rev().find(|line| !line.trim().is_empty());
    before.is_some_and(|line| line.ends_with("{% endtab %}"))
}

/// Whether a row of tabs goes on after blank lines.
fn goes_on(lines: &[Cow<'_, str>], from: usize, end: usize, prefix: &str) -> bool {
    let Some(next) = (from..end).find(|at| !lines[*at].trim().is_empty()) else { return false };
    let is_tab = lines[next].strip_prefix(prefix).and_then(|line| head(line, false)).is_some_and(|head| head.is_tab);
    if !is_tab {
        return false;
    }
    let last = end_of_text(lines, next, end, prefix, Before::Indent);
    last > next + 1 && ((last == end && prefix.is_empty()) || lines[last].trim().is_empty())
}

fn head(line: &str, is_file: bool) -> Option<Head> {
    let line = line.trim_end();
    if line.starts_with('>') {
        return if is_file { callout(line) } else { None };
    }
    if let Some(title) = line.strip_prefix("=== \"").and_then(|rest| rest.strip_suffix('"')) {
        let begin = format!("{{% tab title=\"{}\" %}}", title_of_tag(title)?);
        return Some(Head { before: Before::Indent, begin, close: "{% endtab %}", title: String::new(), is_tab: true });
    }
    let (rest, details) = match line.strip_prefix("!!! ") {
        Some(rest) => (rest, None),
        None => {
            let rest = line.strip_prefix("???")?;
            let open = rest.strip_prefix('+');
            (open.unwrap_or(rest).strip_prefix(' ')?, Some(open.is_some()))
        }
    };
    let (kinds, title) = match rest.split_once('"') {
        Some((kinds, title)) => (kinds.trim_end(), Some(title.strip_suffix('"')?.trim())),
        None => (rest, None),
    };
    let is_kind = |kinds: &str| kinds.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_ ".contains(&byte));
    let kind = kinds.split(' ').next().filter(|kind| !kind.is_empty() && is_kind(kinds))?.to_ascii_lowercase();
    block(Before::Indent, &kind, title, details)
}

/// A quotation whose first line is `[!note]`, of a kind that is known in Obsidian. A sign after it folds its text, and
/// a title can follow. A mark alone that GitHub also has is an alert, which is read elsewhere.
fn callout(line: &str) -> Option<Head> {
    let rest = line.strip_prefix('>')?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix("[!")?;
    let (kind, rest) = rest.split_once(']')?;
    let (details, rest) = match rest.strip_prefix(['-', '+']) {
        Some(after) => (Some(rest.starts_with('+')), after),
        None => (None, rest),
    };
    if !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let kind = kind.split('|').next().unwrap_or_default().to_ascii_lowercase();
    let title = Some(rest.trim()).filter(|title| !title.is_empty());
    let is_alert = ["note", "important", "tip", "warning", "caution"].contains(&kind.as_str());
    if admonitions::style(&kind).is_none() || (is_alert && title.is_none() && details.is_none()) {
        return None;
    }
    block(Before::Quote, &kind, title, details)
}

/// A hint, or an expandable that may be open at first.
fn block(before: Before, kind: &str, title: Option<&str>, details: Option<bool>) -> Option<Head> {
    let (style, says_all) = admonitions::style(kind).unwrap_or((Default::default(), false));
    let title = match title {
        Some(title) => title.to_owned(),
        None if says_all && details.is_none() => String::new(),
        None => format!("{}{}", kind[..1].to_ascii_uppercase(), &kind[1..]),
    };
    if let Some(open) = details {
        let title = if title.is_empty() { title } else { format!(" title=\"{}\"", title_of_tag(&title)?) };
        let begin = format!("{{% expandable{title}{} %}}", if open { " open=\"true\"" } else { "" });
        return Some(Head { before, begin, close: "{% endexpandable %}", title: String::new(), is_tab: false });
    }
    if title.contains(['{', '}', '\\']) {
        return None;
    }
    let begin = format!("{{% hint style=\"{style}\" %}}");
    Some(Head { before, begin, close: "{% endhint %}", title, is_tab: false })
}
