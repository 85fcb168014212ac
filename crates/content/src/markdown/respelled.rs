//! Containers that are written with other tags than they were read with, such as alerts.
//!
//! What was read as source inside them could be one of the written tags, and would belong to the container when it is
//! read again. Such a container is not made.
use super::components;
use super::html::HtmlTag;
use super::tags::Tag;
use crate::document::{Block, Kind, Verbatim};

/// Whether a container, which was read from a tag of this name, can be written around these blocks.
pub(super) fn holds<'b>(kind: &Kind, name: &str, mut inside: impl Iterator<Item = &'b Block>) -> bool {
    let written = match kind {
        Kind::Hint(_) => "hint",
        Kind::Expandable(_) => "details",
        Kind::Tabs(_) => "tabs",
        Kind::TabsItem(_) => "tab",
        Kind::Stepper => "stepper",
        Kind::StepperStep(_) => "step",
        _ => return true,
    };
    // A start tag further inside ends with the container around it.
    written == name
        || !inside.any(|block| is_start(block, written) || has(block, &|source: &Verbatim| is_end(source, written)))
}

/// Whether an alert can be a hint around these blocks. Its quotation also keeps the end tags in it from the containers
/// around it.
pub(super) fn alert_holds(inside: &[Block]) -> bool {
    let ends = |source: &Verbatim| {
        let tag = Tag::lex(&source.source).is_some_and(|tag| tag.is_block() && tag.name.starts_with("end"));
        let colons = source.source.starts_with(":::") && source.source.trim_matches(':').trim().is_empty();
        let html = is_html_end(source, "details") || is_html_end(source, "div");
        tag || colons || html || components::is_end(&source.source)
    };
    !inside.iter().any(|block| is_start(block, "hint") || has(block, &ends))
}

/// Whether source is a tag that begins or ends a container.
pub(super) fn is_tag(source: &Verbatim) -> bool {
    let source = &source.source;
    source.starts_with("{%")
        || source.starts_with(":::")
        || components::is_line(source)
        || HtmlTag::parse(source).is_some_and(|tag| matches!(tag.name.as_str(), "details" | "summary" | "div"))
}

/// Whether there is such source in a block. Lists, quotations and tables are left out: tags in them belong to nothing
/// outside.
fn has(block: &Block, is: &impl Fn(&Verbatim) -> bool) -> bool {
    match &block.kind {
        Kind::Verbatim(source) => is(source),
        Kind::Hint(_)
        | Kind::Expandable(_)
        | Kind::If(_)
        | Kind::Tabs(_)
        | Kind::TabsItem(_)
        | Kind::Stepper
        | Kind::StepperStep(_)
        | Kind::Columns(_)
        | Kind::Column(_)
        | Kind::Updates(_)
        | Kind::Update(_) => block.children.iter().any(|child| has(child, is)),
        _ => false,
    }
}

fn is_start(block: &Block, name: &str) -> bool {
    let Kind::Verbatim(source) = &block.kind else { return false };
    match name {
        "details" => HtmlTag::parse(&source.source).is_some_and(|tag| !tag.close && tag.name == name),
        _ => Tag::lex(&source.source).is_some_and(|tag| tag.name == name),
    }
}

fn is_end(source: &Verbatim, name: &str) -> bool {
    match name {
        "details" => is_html_end(source, name),
        _ => Tag::lex(&source.source).is_some_and(|tag| tag.name.strip_prefix("end") == Some(name)),
    }
}

fn is_html_end(source: &Verbatim, name: &str) -> bool {
    HtmlTag::parse(&source.source).is_some_and(|tag| tag.close && tag.name == name)
}
