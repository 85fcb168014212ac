//! Keeps anchors when texts change.
use content::document::{Block, Document, Key, Kind, anchor_slug, inline_text};
use std::collections::HashMap;

/// Sets the ids of headings, tabs and expandables without an id to their anchors in `source`. The blocks of both have
/// the same keys.
pub(super) fn fix(document: &mut Document, source: &Document) {
    let mut anchors: HashMap<Key, String> =
        source.headings().into_iter().map(|heading| (heading.key, heading.anchor)).collect();
    for block in source.walk() {
        let text = match &block.kind {
            Kind::Expandable(_) => inline_text(&block.content),
            Kind::TabsItem(tab) if tab.slug.is_none() => tab.title.clone().unwrap_or_default(),
            _ => continue,
        };
        if !text.trim().is_empty() {
            anchors.insert(block.key.clone(), anchor_slug(&text));
        }
    }
    in_blocks(&mut document.blocks, &anchors);
}

fn in_blocks(blocks: &mut [Block], anchors: &HashMap<Key, String>) {
    for block in blocks {
        let id = match &mut block.kind {
            Kind::Heading(heading) => Some(&mut heading.id),
            Kind::Expandable(expandable) => Some(&mut expandable.id),
            Kind::TabsItem(tab) => Some(&mut tab.id),
            _ => None,
        };
        if let Some(id) = id.filter(|id| id.is_none()) {
            id.clone_from(&anchors.get(&block.key).cloned());
        }
        in_blocks(&mut block.children, anchors);
    }
}
