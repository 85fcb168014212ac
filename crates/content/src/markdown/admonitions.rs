//! Admonitions: blocks between lines of three or more colons, such as `:::note`. The common ones are hints and
//! expandables; the lines of others are kept as source.
use super::assembly::{Assembly, Opening};
use crate::document::{Block, Expandable, Hint, HintStyle, Inline, Kind, Marks, Text};

/// Whether a line, without the marks before it, begins or ends an admonition.
pub(super) fn is_line(body: &str) -> bool {
    body.starts_with(":::")
}

/// Adds such a line.
pub(super) fn add(source: &str, assembly: &mut Assembly) {
    let rest = source.trim_start_matches(':');
    let colons = &source[..source.len() - rest.len()];
    match rest.trim() {
        "" => assembly.close(colons, source, "markdown"),
        rest => assembly.open(Opening { name: colons, source, syntax: "markdown", block: block(rest) }),
    }
}

/// The block that a name and a title stand for. The title of a hint becomes its first line when the block is complete.
fn block(rest: &str) -> Option<Block> {
    let end = rest.find(|each: char| !each.is_ascii_alphanumeric() && each != '-').unwrap_or(rest.len());
    let (name, title) = rest.split_at(end);
    let title = title.trim();
    // Details may be open at first.
    let open = title.strip_suffix("{open}").filter(|_| name == "details");
    let title = open.unwrap_or(title).trim_end();
    let title = match title.strip_prefix('[') {
        Some(title) => title.strip_suffix(']')?.trim(),
        None => title,
    };
    if title.starts_with('{') {
        return None;
    }
    let style = match name {
        "note" | "info" | "important" => HintStyle::Info,
        "tip" | "success" | "hint" => HintStyle::Success,
        "warning" | "caution" | "attention" => HintStyle::Warning,
        "danger" | "error" => HintStyle::Danger,
        "details" => {
            let title = Some(title).filter(|title| !title.is_empty()).map(Inline::from);
            let expandable = Expandable { default_expanded: open.map(|_| true), ..Expandable::default() };
            return Some(Block::new(Kind::Expandable(expandable)).with_content(title.into_iter().collect()));
        }
        _ => return None,
    };
    let marks = Marks { bold: true, ..Marks::default() };
    let title = (!title.is_empty()).then(|| Inline::Text(Text { text: title.to_owned(), marks }));
    Some(Block::new(Kind::Hint(Hint { style, icon: None })).with_content(title.into_iter().collect()))
}
