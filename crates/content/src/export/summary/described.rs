//! Pages whose values are in comments of the imported table of contents.
use super::listing::{Kept, short_title, with_values};
use crate::export::Content;
use crate::export::layout::{Layout, is_bare};
use crate::import::links::FileLinks;
use crate::import::outline::Place;
use crate::import::text::words;
use crate::order::OrderKey;
use crate::page::{PageEntry, PageKind};
use chrono::DateTime;
use std::collections::HashSet;
use values::id::PageId;

/// Whether the imported table of contents may have values of pages without text. A quick answer, before it is read.
pub(in crate::export) fn has_comments(content: &Content) -> bool {
    content.repository.summary.as_ref().is_some_and(|text| text.contains("<!--"))
}

/// The pages without text about which an item of the imported table of contents says everything except the place and
/// the slug. `layout` has the tree of all imported files.
pub(in crate::export) fn described<'c>(content: &'c Content, layout: &Layout) -> HashSet<&'c PageId> {
    let Some(text) = &content.repository.summary else { return HashSet::new() };
    let config = content.repository.config();
    let links = FileLinks { targets: layout, from: &config.summary };
    let kept = Kept::read(text, &layout.tree, &config);
    let bare = kept.entries().iter().filter(|entry| entry.place == Place::Bare && !entry.fields.is_empty());
    let said = bare.filter_map(|entry| {
        let kind = PageKind::Document { document: None };
        let page = PageEntry::new(kind, "", "", OrderKey::first(), DateTime::UNIX_EPOCH);
        key(&with_values(entry, PageEntry { link_title: short_title(entry), ..page }, &links))
    });
    let said: HashSet<String> = said.collect();
    let is_said = |page: &PageEntry| is_bare(page) && key(page).is_some_and(|key| said.contains(&key));
    content.tree.iter().filter(|node| is_said(&node.page)).map(|node| &node.id).collect()
}

/// A page as text, without its place, its slug and its history.
fn key(page: &PageEntry) -> Option<String> {
    let page = PageEntry {
        parent: None,
        order: OrderKey::first(),
        slug: String::new(),
        link_title: page.link_title.as_deref().map(words),
        created_at: DateTime::UNIX_EPOCH,
        updated_at: None,
        created_by: None,
        ..page.clone()
    };
    serde_json::to_string(&page).ok()
}
