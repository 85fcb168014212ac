//! Paragraphs, headings, lists and callouts.
use super::Blocks;
use super::inline::with_emojis;
use crate::article::OutlineEntry;
use crate::texts::Word;
use domain::content::document::{Align, Block, Heading, Hint, HintStyle, Kind, ListOrdered, Paragraph, inline_text};
use maud::{Markup, html};

fn aligned(align: Option<Align>) -> Option<&'static str> {
    match align? {
        Align::Start => None,
        Align::Center => Some("o-center"),
        Align::End => Some("o-end"),
    }
}

pub(super) fn paragraph(blocks: &mut Blocks<'_>, block: &Block, data: &Paragraph) -> Markup {
    let line = blocks.line(&block.content);
    if line.0.trim().is_empty() {
        return html! {};
    }
    html! { p class=[aligned(data.align)] { (line) } }
}

pub(super) fn heading(blocks: &mut Blocks<'_>, block: &Block, data: &Heading) -> Markup {
    let text = with_emojis(&inline_text(&block.content)).into_owned();
    let line = blocks.line(&block.content);
    if line.0.trim().is_empty() {
        return html! {};
    }
    let level = data.level.max(2).saturating_add(blocks.lowered).min(6);
    // Descriptions of operations have keys of their own.
    let anchor = (blocks.lowered == 0).then(|| blocks.anchors.heading(&block.key)).flatten();
    if let Some(anchor) = anchor.clone().filter(|_| !text.trim().is_empty()) {
        blocks.outline.push(OutlineEntry { level, text: text.clone(), anchor });
    }
    let others = anchor.as_deref().and_then(|anchor| blocks.anchors.mark(&block.key, anchor));
    let line = html! { @if let Some(others) = others { (others) } (line) };
    titled(blocks, level, anchor.as_deref(), aligned(data.align), &text, &line)
}

/// A heading of a level, with a link to itself.
fn titled(
    blocks: &Blocks<'_>,
    level: u8,
    anchor: Option<&str>,
    class: Option<&str>,
    text: &str,
    line: &Markup,
) -> Markup {
    let inner = html! {
        (line)
        @if let Some(anchor) = anchor {
            a.o-anchor href={ "#" (anchor) } aria-label=(blocks.context.texts.with(Word::LinkTo, text)) { "#" }
        }
    };
    match level {
        0..=2 => html! { h2 id=[anchor] class=[class] { (inner) } },
        3 => html! { h3 id=[anchor] class=[class] { (inner) } },
        4 => html! { h4 id=[anchor] class=[class] { (inner) } },
        5 => html! { h5 id=[anchor] class=[class] { (inner) } },
        _ => html! { h6 id=[anchor] class=[class] { (inner) } },
    }
}

pub(super) fn ordered(blocks: &mut Blocks<'_>, block: &Block, data: &ListOrdered) -> Markup {
    let start = data.start.filter(|start| *start != 1 && *start <= u64::from(i32::MAX.unsigned_abs()));
    html! {
        ol start=[start] { @for item in &block.children { li { (body(blocks, item)) } } }
    }
}

pub(super) fn unordered(blocks: &mut Blocks<'_>, block: &Block) -> Markup {
    html! { ul { @for item in &block.children { li { (body(blocks, item)) } } } }
}

pub(super) fn tasks(blocks: &mut Blocks<'_>, block: &Block) -> Markup {
    html! {
        ul.o-tasks {
            @for item in &block.children {
                @let done = matches!(&item.kind, Kind::ListItem(data) if data.checked == Some(true));
                @let name = blocks.word(if done { Word::Done } else { Word::NotDone });
                li { input type="checkbox" disabled checked[done] aria-label=(name); div { (body(blocks, item)) } }
            }
        }
    }
}

/// The content of an item: a line is without a paragraph around it, also if lists follow it.
fn body(blocks: &mut Blocks<'_>, item: &Block) -> Markup {
    let is_list = |block: &Block| matches!(block.kind, Kind::ListOrdered(_) | Kind::ListUnordered | Kind::ListTasks);
    match item.children.split_first() {
        Some((Block { kind: Kind::Paragraph(data), content, .. }, rest))
            if aligned(data.align).is_none() && rest.iter().all(is_list) =>
        {
            html! { (blocks.line(content)) (blocks.take_notes()) (blocks.all(rest)) }
        }
        _ => blocks.all(&item.children),
    }
}

pub(super) fn hint(blocks: &mut Blocks<'_>, block: &Block, data: &Hint) -> Markup {
    let (class, word) = match data.style {
        HintStyle::Info => ("o-info", Word::Info),
        HintStyle::Success => ("o-success", Word::Success),
        HintStyle::Warning => ("o-warning", Word::Warning),
        HintStyle::Danger => ("o-danger", Word::Danger),
    };
    let own = blocks.maybe_icon(data.icon.as_deref());
    let sign = if own.0.is_empty() { "o-sign" } else { "o-sign o-own" };
    html! {
        aside class={ "o-hint " (class) } role="note" {
            span class=(sign) aria-hidden="true" { (own) }
            span.o-hidden { (blocks.word(word)) }
            div { (blocks.all(&block.children)) }
        }
    }
}
