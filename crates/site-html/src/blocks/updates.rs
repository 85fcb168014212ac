//! Updates: dated entries with tags that the visitor can filter by.
//!
//! The filter needs no script: its links lead to places before the entries, and a rule hides the other entries while
//! such a place is the target of the address.
use super::Blocks;
use crate::texts::Word;
use domain::content::document::{Block, Kind, Updates, UpdatesFormat};
use domain::content::reference::ContentRef;
use domain::site::reader::{ReferenceTarget, TagTarget};
use maud::{Markup, html};
use std::fmt::Write;

/// A tag that entries have.
struct Filter<'r> {
    reference: &'r ContentRef,
    tag: &'r TagTarget,
    /// The place that its link leads to.
    anchor: String,
    /// The class of the place and of the entries.
    class: String,
}

pub(super) fn updates(blocks: &mut Blocks<'_>, block: &Block, data: &Updates) -> Markup {
    let filters = filters(blocks, block);
    let all = blocks.anchors.free("updates");
    html! {
        section.o-updates {
            @if filters.len() > 1 {
                nav.o-filter aria-label=(blocks.word(Word::FilterByTag)) id=(all) {
                    a.o-tag href={ "#" (all) } { (blocks.word(Word::AllTags)) }
                    @for filter in &filters {
                        a class={ "o-tag o-bg-" (super::inline::color_name(filter.tag.color)) } href={ "#" (filter.anchor) } {
                            (label(blocks, filter.tag))
                        }
                    }
                }
                @for filter in &filters { span class={ "o-place " (filter.class) } id=(filter.anchor) {} }
            }
            @for update in &block.children {
                @if let Kind::Update(entry) = &update.kind {
                    @let day = entry.date.format("%Y-%m-%d").to_string();
                    // Numbers in the order of a country are ambiguous.
                    @let shown = if data.format == UpdatesFormat::Numeric { day.clone() } else {
                        blocks.context.texts.date(entry.date.date_naive())
                    };
                    @let id = blocks.anchors.free(&format!("update-{day}"));
                    @let own: Vec<&Filter<'_>> = filters.iter().filter(|one| entry.tags.contains(one.reference)).collect();
                    @let class = own.iter().map(|one| one.class.as_str()).collect::<Vec<_>>().join(" ");
                    @let key = blocks.anchors.free(&format!("update-{}", update.key.0));
                    article id=(id) class=[(filters.len() > 1 && !class.is_empty()).then_some(class)] {
                        div.o-when {
                            a href={ "#" (id) } {
                                // The place that feeds lead to: it stays when the date changes. It is no part of
                                // its own beside the date, where it would take room.
                                span id=(key) {}
                                time datetime=(day) data-date=(data.format.as_str()) { (shown) }
                            }
                            @for one in own {
                                span class={ "o-tag o-bg-" (super::inline::color_name(one.tag.color)) } { (label(blocks, one.tag)) }
                            }
                        }
                        div { (blocks.all(&update.children)) }
                    }
                }
            }
        }
    }
}

/// The tags of all entries, in the order in which they come, and the rules that hide entries.
fn filters<'a: 'r, 'r>(blocks: &mut Blocks<'a>, block: &'r Block) -> Vec<Filter<'r>> {
    let references = blocks.context.references;
    let mut filters: Vec<Filter<'r>> = Vec::new();
    let tags = block.children.iter().flat_map(|update| match &update.kind {
        Kind::Update(entry) => entry.tags.as_slice(),
        _ => &[],
    });
    for reference in tags {
        if filters.iter().any(|known| known.reference == reference) {
            continue;
        }
        if let Some(ReferenceTarget::Tag(tag)) = references.get(reference) {
            let anchor = blocks.anchors.free(&format!("tag-{}", super::slug(&tag.label)));
            let class = blocks.new_class();
            filters.push(Filter { reference, tag, anchor, class });
        }
    }
    if filters.len() > 1 {
        for Filter { class, .. } in &filters {
            let _ = write!(blocks.css, ".{class}:target~article:not(.{class}){{display:none}}");
        }
    }
    filters
}

fn label(blocks: &Blocks<'_>, tag: &TagTarget) -> Markup {
    html! { @if let Some(sign) = blocks.sign(tag.emoji.as_deref(), tag.icon.as_deref()) { (sign) " " } (tag.label) }
}
