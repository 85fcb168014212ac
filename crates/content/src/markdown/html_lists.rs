//! Lists in HTML: `<ul>` and `<ol>`, with lines of text, paragraphs, lists and other blocks in their items.
use super::blocks::{Context, LIMIT};
use super::html::{HtmlTag, Token};
use super::html_blocks::Cursor;
use crate::document::{Block, Kind, ListItem, ListOrdered};

/// The highest number with which a list in Markdown can begin.
const MAX_START: u64 = 999_999_999;

/// The list at the cursor; `None` if any part of it is not understood.
pub(super) fn list(cursor: &mut Cursor<'_, '_>, context: &mut Context<'_, '_>, depth: usize) -> Option<Block> {
    let Some(Token::Tag(tag, _)) = cursor.take(1).tokens.first() else { return None };
    let mut tag = tag.clone();
    let kind = kind(&mut tag)?;
    tag.drop_looks();
    if tag.close || tag.finish().is_err() || depth + 2 > LIMIT {
        return None;
    }
    let mut items = Vec::new();
    while cursor.close(&tag.name).is_none() {
        items.push(item(cursor, context, depth + 2)?);
    }
    (!items.is_empty()).then(|| Block::new(kind).with_children(items))
}

fn kind(tag: &mut HtmlTag) -> Option<Kind> {
    if tag.name == "ul" {
        return Some(Kind::ListUnordered);
    }
    if tag.take("type").is_some_and(|numbers| numbers != "1") {
        return None;
    }
    let start = match tag.take("start") {
        Some(start) => Some(start.trim().parse::<u64>().ok().filter(|start| *start <= MAX_START)?),
        None => None,
    };
    Some(Kind::ListOrdered(ListOrdered { start: start.filter(|start| *start != 1) }))
}

/// An item, whose end tag may be left out. `depth` is that of the blocks in it.
fn item(cursor: &mut Cursor<'_, '_>, context: &mut Context<'_, '_>, depth: usize) -> Option<Block> {
    let mut tag = cursor.open("li")?;
    tag.drop_looks();
    tag.finish().ok()?;
    let mut children = Vec::new();
    while cursor.close("li").is_none() {
        cursor.blank();
        let is_end = |token: &Token<'_>| token.is("li", false) || token.is("ul", true) || token.is("ol", true);
        if cursor.tokens.first().is_none_or(is_end) {
            break;
        }
        children.push(cursor.element(context, depth, None)?);
    }
    Some(Block::new(Kind::ListItem(ListItem::default())).with_children(children))
}
