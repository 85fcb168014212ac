//! Blocks that hold others: expandables, tabs, steps, columns and prompts.
use super::{Blocks, classes, slug};
use crate::texts::Word;
use domain::content::document::{Block, Columns, Expandable, Kind, Length, Prompt, Tabs, VerticalAlign, inline_text};
use maud::{Markup, html};

/// The assistants that a prompt can be opened in: the name in content, the name for people, and the address that the
/// prompt is put behind.
const ASSISTANTS: [(&str, &str, &str); 2] =
    [("chatgpt", "ChatGPT", "https://chatgpt.com/?q="), ("claude", "Claude", "https://claude.ai/new?q=")];

/// The longest prompt that is put into an address, in bytes.
const MAX_PROMPT: usize = 4_000;

pub(super) fn prompt(blocks: &mut Blocks<'_>, block: &Block, data: &Prompt) -> Markup {
    let shown = data.default_expanded.as_deref().unwrap_or("hidden");
    let text = block.children.first().map(|code| inline_text(&code.content)).unwrap_or_default();
    let wanted = |name: &str| match &data.open_in_ai_providers {
        Some(names) => names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name)),
        None => true,
    };
    let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let fits = !text.trim().is_empty() && encoded.len() <= MAX_PROMPT;
    let assistants: Vec<_> = ASSISTANTS.iter().filter(|(name, ..)| fits && wanted(name)).collect();
    html! {
        section.o-prompt data-shown=(shown) {
            @if !data.description.is_empty() {
                p { (blocks.maybe_icon(data.icon.as_deref())) span { (data.description) } }
            }
            details open[matches!(shown, "full" | "partial")] {
                summary { (blocks.word(Word::Prompt)) }
                (blocks.all(&block.children))
            }
            @if !assistants.is_empty() {
                div.o-prompt-actions {
                    @for (_, name, address) in assistants {
                        a.o-button href={ (address) (encoded) } rel="noopener" target="_blank" {
                            (blocks.context.texts.with(Word::OpenIn, name))
                            span.o-hidden { " (" (blocks.word(Word::NewTab)) ")" }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn expandable(blocks: &mut Blocks<'_>, block: &Block, data: &Expandable) -> Markup {
    let id = data.id.clone().unwrap_or_else(|| slug(&inline_text(&block.content)));
    let id = blocks.anchors.free(&id);
    let title = blocks.line(&block.content);
    html! {
        details.o-expand id=(id) open[data.default_expanded == Some(true)] {
            summary { @if title.0.trim().is_empty() { (blocks.word(Word::ShowMore)) } @else { (title) } }
            div { (blocks.all(&block.children)) }
        }
    }
}

pub(super) fn tabs(blocks: &mut Blocks<'_>, block: &Block, data: &Tabs) -> Markup {
    html! {
        o-tabs class=[(data.full_width == Some(true)).then_some("o-wide")] {
            @for (at, tab) in block.children.iter().enumerate() {
                @if let Kind::TabsItem(data) = &tab.kind {
                    @let title = data.title.clone().filter(|title| !title.trim().is_empty());
                    @let title = title.unwrap_or_else(|| (at + 1).to_string());
                    @let wanted = data.id.clone().or_else(|| data.slug.clone()).unwrap_or_else(|| slug(&title));
                    @let id = blocks.anchors.free(&wanted);
                    // A button can name a tab by its slug, also if it has another id.
                    @let other = data.slug.as_deref().filter(|slug| **slug != wanted);
                    @let other = other.map(|slug| blocks.anchors.free(slug));
                    section data-tab=(title) id=(id) data-slug=[data.slug.as_deref()] {
                        p.o-tab-title { (blocks.maybe_icon(data.icon.as_deref())) (title) }
                        @if let Some(other) = other { span id=(other) {} }
                        (blocks.all(&tab.children))
                    }
                }
            }
        }
    }
}

pub(super) fn stepper(blocks: &mut Blocks<'_>, block: &Block) -> Markup {
    html! {
        ol.o-steps {
            @for step in &block.children {
                @let icon = match &step.kind {
                    Kind::StepperStep(data) => blocks.maybe_icon(data.icon.as_deref()),
                    _ => html! {},
                };
                @let own = !icon.0.is_empty();
                li class=[own.then_some("o-own")] {
                    @if own { span.o-step aria-hidden="true" { (icon) } }
                    (blocks.all(&step.children))
                }
            }
        }
    }
}

pub(super) fn columns(blocks: &mut Blocks<'_>, block: &Block, data: &Columns) -> Markup {
    let widths = block.children.iter().map(|column| match &column.kind {
        Kind::Column(data) => data.width.as_ref().and_then(track),
        _ => None,
    });
    let tracks = widths.into_iter().map(|width| width.unwrap_or_else(|| "minmax(0,1fr)".to_owned()));
    let own = blocks.class(&format!("--columns:{}", tracks.collect::<Vec<_>>().join(" ")));
    let class = classes("o-columns", &[("o-wide", data.full_width == Some(true)), (&own, true)]);
    html! {
        div class=(class) {
            @for column in &block.children {
                @let align = match &column.kind {
                    Kind::Column(data) => data.vertical_alignment,
                    _ => None,
                };
                @let class = match align {
                    Some(VerticalAlign::Middle) => Some("o-middle"),
                    Some(VerticalAlign::Bottom) => Some("o-bottom"),
                    Some(VerticalAlign::Top) | None => None,
                };
                div class=[class] { (blocks.all(&column.children)) }
            }
        }
    }
}

/// A width as a track of a grid: a part of the whole, or pixels.
fn track(length: &Length) -> Option<String> {
    match size(length)? {
        Size::Percent(width) => Some(format!("minmax(0,{width}fr)")),
        Size::Pixels(width) => Some(format!("minmax(0,{width}px)")),
    }
}

/// A length that is in use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Percent(u32),
    Pixels(u32),
}

/// A length as numbers; `None` if it is out of range or of another unit.
pub(super) fn size(length: &Length) -> Option<Size> {
    let whole = |value: &serde_json::Number, most: f64| {
        value.as_f64().filter(|value| (1.0..=most).contains(value)).map(|value| value.round() as u32)
    };
    match length {
        Length::Pixels(value) => whole(value, 10_000.0).map(Size::Pixels),
        Length::Unit { unit, value } => match unit.trim() {
            "%" => whole(value, 100.0).map(Size::Percent),
            "px" => whole(value, 10_000.0).map(Size::Pixels),
            "rem" | "em" => value
                .as_f64()
                .filter(|value| (0.1..=500.0).contains(value))
                .map(|value| Size::Pixels((value * 16.0) as u32)),
            _ => None,
        },
    }
}
