//! Components of MDX and shortcodes of Hugo that stand for blocks: `<Note>`, `<Tabs>`, `{{< details "a" >}}`.
//!
//! Each tag is in a line of its own, or the whole element is in one line. What is not understood stays as source.
mod tag;

pub(super) use tag::{Language, Tag, may_begin};

use super::admonitions;
use super::assembly::{Assembly, Opening};
use super::blocks::{Context, verbatim};
use crate::document::{
    Block, Expandable, Hint, HintStyle, Inline, Kind, Link, Marks, StepperStep, Tabs, TabsItem, Target, Text,
};

/// The components of MDX that are read, in the words of Docusaurus, Mintlify, Starlight, Nextra and Fumadocs.
const MDX: [&str; 30] = [
    "Accordion",
    "AccordionGroup",
    "Accordions",
    "Admonition",
    "Aside",
    "Callout",
    "Card",
    "CardGrid",
    "CardGroup",
    "Cards",
    "Cards.Card",
    "Caution",
    "Check",
    "CodeGroup",
    "Danger",
    "Error",
    "Expandable",
    "Frame",
    "Info",
    "LinkCard",
    "Note",
    "Step",
    "Steps",
    "Steps.Step",
    "Tab",
    "TabItem",
    "Tabs",
    "Tabs.Tab",
    "Tip",
    "Warning",
];

/// The shortcodes that are read, in the words of the most usual themes of Hugo.
const HUGO: [&str; 23] = [
    "admonition",
    "alert",
    "attention",
    "callout",
    "card",
    "cards",
    "caution",
    "collapse",
    "danger",
    "details",
    "error",
    "expand",
    "hint",
    "important",
    "info",
    "note",
    "notice",
    "steps",
    "success",
    "tab",
    "tabs",
    "tip",
    "warning",
];

/// A line of a component.
pub(super) enum Line<'s> {
    /// Its start tag.
    Begin(Tag<'s>),
    /// Its end tag.
    End(Tag<'s>),
    /// All of it: its start tag, its text, and its end tag. Both are empty if it has only one tag.
    Whole(Tag<'s>, &'s str, &'s str),
}

/// Reads a line, without the marks before it.
pub(super) fn line(body: &str) -> Option<Line<'_>> {
    if !begins(body) {
        return None;
    }
    let tag = Tag::lex(body)?;
    let rest = body[tag.source.len()..].trim();
    if tag.name == "Frame" && tag.has("caption") {
        return None;
    }
    let is_card = is_card(tag.name) || tag.name == "card";
    if rest.is_empty() {
        return match (tag.close, tag.void || tag.name == "card") {
            (true, _) => (!tag.void && tag.name != "card").then_some(Line::End(tag)),
            (false, true) => is_card.then_some(Line::Whole(tag, "", "")),
            (false, false) => Some(Line::Begin(tag)),
        };
    }
    if tag.close || tag.void || tag.name == "card" {
        return None;
    }
    let (text, end) = rest.split_at(rest.rfind(if tag.language == Language::Mdx { "</" } else { "{{" })?);
    let last = Tag::lex(end).filter(|last| last.close && last.source == end && last.name == tag.name)?;
    let text = text.trim();
    let is_again = match tag.language {
        Language::Mdx => ["<", "</"].iter().any(|start| text.contains(&format!("{start}{}", tag.name))),
        Language::Hugo => text.contains("{{"),
    };
    // The other end of a block tag in the text would be outside of it.
    let is_text = !text.is_empty() && !text.contains("{%") && !text.starts_with(":::");
    (last.language == tag.language && is_text && !is_again).then_some(Line::Whole(tag, text, end))
}

/// Whether a text begins with the name of a component that is read.
pub(super) fn begins(text: &str) -> bool {
    if !may_begin(text) {
        return false;
    }
    let mdx = text.strip_prefix('<');
    let rest = mdx.unwrap_or_else(|| text[3..].trim_start());
    let rest = rest.strip_prefix('/').unwrap_or(rest).trim_start();
    let of_name = |each: char| each.is_ascii_alphanumeric() || matches!(each, '.' | '-' | '_');
    let name = &rest[..rest.find(|each: char| !of_name(each)).unwrap_or(rest.len())];
    if mdx.is_some() { MDX.contains(&name) } else { HUGO.contains(&name) }
}

/// Whether a line, without the marks before it, belongs to a component.
pub(super) fn is_line(body: &str) -> bool {
    line(body).is_some()
}

/// Whether a line ends a component.
pub(super) fn is_end(source: &str) -> bool {
    matches!(line(source), Some(Line::End(_)))
}

/// Whether the tabs of this name hold only code, and each code is a tab.
pub(super) fn is_code_group(name: &str) -> bool {
    name.starts_with(':') || name == "CodeGroup"
}

/// Whether only the content of an element of this name stays: of groups, of steps without steps, which are a list, and
/// of a card, after its title.
pub(super) fn is_left_out(name: &str, block: Option<&Block>, has_items: bool) -> bool {
    match name {
        "AccordionGroup" | "Accordions" | "CardGrid" | "CardGroup" | "Cards" | "Frame" | "{{cards" => true,
        "Steps" | "{{steps" => !has_items,
        name => is_card(name) && block.is_some(),
    }
}

fn is_card(name: &str) -> bool {
    matches!(name, "Card" | "Cards.Card" | "LinkCard")
}

/// Adds a line of a component.
pub(super) fn add(context: &mut Context<'_, '_>, source: &str, at: usize, assembly: &mut Assembly) {
    match line(source) {
        Some(Line::Begin(tag)) => open(context, &tag, at, assembly),
        Some(Line::End(tag)) => assembly.close(&name_of(&tag), tag.source, syntax(&tag)),
        Some(Line::Whole(tag, "", _)) => {
            let Some(title) = card(context, &tag, at) else {
                return assembly.block(verbatim(tag.source, syntax(&tag)));
            };
            assembly.block(title);
            if let Some(about) = tag.first(&["description", "subtitle"]) {
                assembly.block(Block::new(Kind::Paragraph(Default::default())).with_content(vec![Inline::from(about)]));
            }
        }
        Some(Line::Whole(tag, text, end)) => {
            open(context, &tag, at, assembly);
            context.text(text, at, assembly);
            assembly.close(&name_of(&tag), end, syntax(&tag));
        }
        None => assembly.block(verbatim(source, "markdown")),
    }
}

fn open(context: &mut Context<'_, '_>, tag: &Tag<'_>, at: usize, assembly: &mut Assembly) {
    let block = if is_card(tag.name) { card(context, tag, at) } else { block(tag, assembly.parent()) };
    assembly.open(Opening { name: &name_of(tag), source: tag.source, syntax: syntax(tag), block });
}

/// The name of its container, which is not that of a block tag.
fn name_of(tag: &Tag<'_>) -> String {
    match tag.language {
        Language::Mdx => tag.name.to_owned(),
        Language::Hugo => format!("{{{{{}", tag.name),
    }
}

fn syntax(tag: &Tag<'_>) -> &'static str {
    syntax_of(tag.source)
}

/// The language in which the source of a tag is kept.
pub(super) fn syntax_of(source: &str) -> &'static str {
    if source.starts_with('<') { "html" } else { "markdown" }
}

/// The block that a start tag stands for, in a container of this kind.
fn block(tag: &Tag<'_>, parent: Option<&Kind>) -> Option<Block> {
    let in_tabs = matches!(parent, Some(Kind::Tabs(_)));
    let in_steps = matches!(parent, Some(Kind::Stepper));
    match (tag.language, tag.name) {
        (Language::Mdx, "Tabs" | "CodeGroup") | (Language::Hugo, "tabs") => {
            Some(Block::new(Kind::Tabs(Tabs::default())))
        }
        (Language::Mdx, "Tab" | "TabItem" | "Tabs.Tab") | (Language::Hugo, "tab") if in_tabs => {
            // The text of a tab in a language is code.
            let is_code = ["lang", "language", "codelang"].iter().any(|name| tag.has(name));
            let title = tag.first(&["label", "title", "name", "header", "value"]).or_else(|| tag.unnamed(0));
            // As it is written: a tag contains no other tag.
            let title = title.filter(|_| !is_code)?.replace("{%", "{ %");
            Some(Block::new(Kind::TabsItem(Box::new(TabsItem { title: Some(title), ..TabsItem::default() }))))
        }
        (Language::Mdx, "Steps") | (Language::Hugo, "steps") => Some(Block::new(Kind::Stepper)),
        (Language::Mdx, "Step" | "Steps.Step") if in_steps => {
            let title = tag.value("title");
            // A title that is an expression is unknown.
            (title.is_some() || !tag.has("title")).then(|| {
                let title: Vec<Inline> = title.map(Inline::from).into_iter().collect();
                Block::new(Kind::StepperStep(StepperStep::default())).with_content(title)
            })
        }
        (Language::Mdx, "Accordion" | "Expandable") | (Language::Hugo, "collapse" | "details" | "expand") => {
            let title = tag.first(&["title", "summary"]).or_else(|| tag.unnamed(0))?;
            let open = tag.first(&["defaultOpen", "open"]).or_else(|| tag.unnamed(1));
            let default_expanded = open.filter(|open| matches!(*open, "true" | "open")).map(|_| true);
            let expandable = Expandable { default_expanded, ..Expandable::default() };
            Some(Block::new(Kind::Expandable(expandable)).with_content(vec![Inline::from(title)]))
        }
        _ => hint(tag),
    }
}

fn hint(tag: &Tag<'_>) -> Option<Block> {
    let name = tag.name.to_ascii_lowercase();
    let named = ["admonition", "alert", "aside", "callout", "hint", "notice"].contains(&name.as_str());
    let kind = match named {
        true => tag.first(&["type", "style", "kind", "context", "color", "variant"]).or_else(|| tag.unnamed(0)),
        false => Some(name.as_str()),
    };
    let style = match kind.unwrap_or("note").to_ascii_lowercase().as_str() {
        "warn" => HintStyle::Warning,
        "good" => HintStyle::Success,
        // Of these names, every one is a hint.
        kind => match admonitions::style(kind) {
            Some((style, _)) => style,
            None if named => HintStyle::Info,
            None => return None,
        },
    };
    if tag.has("title") && tag.value("title").is_none() {
        return None;
    }
    // Several words are no kind, but text that must stay.
    let words = || tag.unnamed(0).filter(|words| words.contains(' '));
    let title = tag.value("title").or_else(|| tag.unnamed(usize::from(named))).or_else(words);
    let marks = Marks { bold: true, ..Marks::default() };
    let title = title.map(|title| Inline::Text(Text { text: title.to_owned(), marks }));
    Some(Block::new(Kind::Hint(Hint { style, icon: None })).with_content(title.into_iter().collect()))
}

/// The title of a card: a paragraph that links to where the card leads.
fn card(context: &mut Context<'_, '_>, tag: &Tag<'_>, at: usize) -> Option<Block> {
    let title = tag.value("title")?;
    let marks = Marks { bold: true, ..Marks::default() };
    let title = Inline::Text(Text { text: title.to_owned(), marks });
    let names = ["href", "link", "to", "url"];
    let href = tag.first(&names);
    // Where a link leads that is an expression is unknown.
    if href.is_none() && names.iter().any(|name| tag.has(name)) {
        return None;
    }
    let content = match href {
        Some(href) => {
            let (target, query) = context.link(href, at);
            Inline::Link(Box::new(Link { target: Target(target), query, title: None, content: vec![title] }))
        }
        None => title,
    };
    Some(Block::new(Kind::Paragraph(Default::default())).with_content(vec![content]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("<Note>", true)]
    #[case("</Note>", true)]
    #[case("<Note>a `b`</Note>", true)]
    #[case("<Card title=\"a\" href=\"b\" />", true)]
    #[case("{{< note >}}", true)]
    #[case("{{% /tab %}}", true)]
    #[case("{{< card link=\"a\" title=\"b\" >}}", true)]
    #[case("{{% expand \"a\" %}}b{{% /expand %}}", true)]
    #[case("<note>", false)]
    #[case("<Unknown>", false)]
    #[case("<Note> a", false)]
    #[case("<Note></Note>", false)]
    #[case("<Note>a</Tip>", false)]
    #[case("<Note>a</Note> b", false)]
    #[case("<Note>a <Note>b</Note>", false)]
    #[case("<Note>a</Note> <Note>b</Note>", false)]
    #[case("<Note />", false)]
    #[case("{{< unknown >}}", false)]
    #[case("{{< note >}}a{{< tip >}}", false)]
    #[case("a <Note>", false)]
    fn a_line_of_a_component_has_its_tags_and_text_only(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_line(text), expected);
    }
}
