//! Alerts: quotations whose first line is only `[!NOTE]` or another mark. They are hints.
use super::respelled;
use crate::document::{Block, Hint, HintStyle, Inline, Kind, Paragraph};
use comrak::nodes::{Node, NodeValue};

/// The mark of an alert.
pub(super) struct Mark {
    style: HintStyle,
    source: String,
}

impl Mark {
    /// The block of the alert with these blocks: a hint, or a quotation with the mark if a hint cannot hold them.
    pub(super) fn block(self, mut inside: Vec<Block>) -> Block {
        if respelled::alert_holds(&inside) {
            return Block::new(Kind::Hint(Hint { style: self.style, icon: None })).with_children(inside);
        }
        let mark = Block::new(Kind::Paragraph(Paragraph::default())).with_content(vec![Inline::from(self.source)]);
        inside.insert(0, mark);
        Block::new(Kind::Blockquote).with_children(inside)
    }
}

/// Removes the mark of a quotation, if it is an alert with content.
pub(super) fn take(quotation: Node<'_>) -> Option<Mark> {
    let first = quotation.first_child().filter(|first| matches!(first.data().value, NodeValue::Paragraph))?;
    let mut line = String::new();
    let mut pieces = Vec::new();
    let mut after = None;
    for piece in first.children() {
        match &piece.data().value {
            NodeValue::Text(text) => line.push_str(text),
            NodeValue::SoftBreak | NodeValue::LineBreak => {
                after = Some(piece);
                break;
            }
            _ => return None,
        }
        pieces.push(piece);
        if line.len() > "[!IMPORTANT]".len() {
            return None;
        }
    }
    let style = style(&line)?;
    if after.is_none() && first.next_sibling().is_none() {
        return None;
    }
    pieces.into_iter().chain(after).for_each(|piece| piece.detach());
    if after.is_none() {
        first.detach();
    }
    Some(Mark { style, source: line })
}

fn style(mark: &str) -> Option<HintStyle> {
    let name = mark.strip_prefix("[!")?.strip_suffix(']')?;
    Some(match name.to_ascii_lowercase().as_str() {
        "note" | "important" => HintStyle::Info,
        "tip" => HintStyle::Success,
        "warning" => HintStyle::Warning,
        "caution" => HintStyle::Danger,
        _ => return None,
    })
}
