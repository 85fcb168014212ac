//! Admonitions: blocks between lines of three or more colons, such as `:::note`. The common ones are hints, expandables
//! and groups of code; the lines of others are kept as source.
use super::assembly::{Assembly, Opening};
use crate::document::{Block, Expandable, Hint, HintStyle, Inline, Kind, Marks, Tabs, TabsItem, Text};

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

/// The style of a hint by the name of its kind in other tools, and whether a hint of this kind needs no title.
pub(super) fn style(kind: &str) -> Option<(HintStyle, bool)> {
    Some(match kind {
        "note" | "info" | "important" => (HintStyle::Info, true),
        "tip" | "success" | "hint" => (HintStyle::Success, true),
        "warning" | "caution" | "attention" => (HintStyle::Warning, true),
        "danger" | "error" => (HintStyle::Danger, true),
        "check" | "done" => (HintStyle::Success, false),
        "bug" | "fail" | "failure" | "missing" => (HintStyle::Danger, false),
        "abstract" | "cite" | "example" | "faq" | "help" | "question" | "quote" | "summary" | "tldr" | "todo" => {
            (HintStyle::Info, false)
        }
        _ => return None,
    })
}

/// The tab that a block of code in a group becomes. Its title is that of the code, in Mintlify the words after the
/// language, or the language.
pub(super) fn tab_of_code(mut block: Block) -> Block {
    let mut title = None;
    if let Kind::Code(code) = &mut block.kind {
        title = code.title.take();
        if title.is_none() {
            let info = code.syntax.take().unwrap_or_default();
            let (language, words) = info.split_once(' ').unwrap_or((info.as_str(), ""));
            title = Some(if words.trim().is_empty() { language } else { words.trim() }.to_owned());
            code.syntax = Some(language.to_owned()).filter(|language| !language.is_empty());
        }
    }
    // As it is written: a tag contains no other tag.
    let title = title.filter(|title| !title.is_empty()).map(|title| title.replace("{%", "{ %"));
    Block::new(Kind::TabsItem(Box::new(TabsItem { title, ..TabsItem::default() }))).with_children(vec![block])
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
        "code-group" if title.is_empty() => return Some(Block::new(Kind::Tabs(Tabs::default()))),
        "details" => {
            let title = Some(title).filter(|title| !title.is_empty()).map(Inline::from);
            let expandable = Expandable { default_expanded: open.map(|_| true), ..Expandable::default() };
            return Some(Block::new(Kind::Expandable(expandable)).with_content(title.into_iter().collect()));
        }
        name => style(name).filter(|(_, says_all)| *says_all)?.0,
    };
    let marks = Marks { bold: true, ..Marks::default() };
    let title = (!title.is_empty()).then(|| Inline::Text(Text { text: title.to_owned(), marks }));
    Some(Block::new(Kind::Hint(Hint { style, icon: None })).with_content(title.into_iter().collect()))
}
