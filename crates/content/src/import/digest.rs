//! Digests of what imports made of their files. By them, an export recognizes what is still as it was imported, without
//! reading the file again: a newer parser may read it in another way.
use crate::document::Document;
use crate::object::{Hash, to_json};
use crate::order::OrderKey;
use crate::page::{PageEntry, ReusableContent};
use crate::reference::ContentRef;
use chrono::DateTime;
use serde::Serialize;
use std::collections::BTreeMap;

/// The paths that the addresses in a file lead to, by the ids of their targets. `None` for a target without a file.
pub(crate) type Places = BTreeMap<String, Option<String>>;

/// How the file of a page was read.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Reading<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The slug in its front matter.
    pub slug: Option<&'a str>,
    /// Whether there was no title for it in a table of contents.
    pub alone: bool,
}

/// The digest of a page: its document, its source, the values that a file can have, and the paths around it.
pub(crate) fn of_page(page: &PageEntry, reading: Reading<'_>, places: &Places) -> Hash {
    // The other values come from the table of contents, or are metadata.
    let page = PageEntry {
        parent: None,
        order: OrderKey::first(),
        link_title: None,
        slug: String::new(),
        created_at: DateTime::UNIX_EPOCH,
        updated_at: None,
        created_by: None,
        git: None,
        import_digest: None,
        ..page.clone()
    };
    of(&(page, reading, places))
}

/// The digest of a reusable content: its title, its document, its source, and the paths around it.
pub(crate) fn of_content(content: &ReusableContent, path: &str, places: &Places) -> Hash {
    of(&(&content.title, content.document, content.source, path, places))
}

fn of(parts: &impl Serialize) -> Hash {
    Hash::of(&to_json(parts))
}

/// The paths of the targets of a page and its document, or of the document of a reusable content.
pub(crate) fn places(
    page: Option<&PageEntry>,
    document: &mut Document,
    path_of: &dyn Fn(&ContentRef) -> Option<String>,
) -> Places {
    let mut places = Places::new();
    let mut add = |target: &ContentRef| {
        if let Some(id) = id_of(target) {
            places.entry(id.to_owned()).or_insert_with(|| path_of(target));
        }
    };
    if let Some(page) = page {
        let cover = page.cover.iter().flat_map(|cover| [&cover.source, &cover.source_dark]).flatten();
        cover.chain(&page.meta_links.canonical).chain(&page.meta_links.alternates).for_each(&mut add);
    }
    document.map_references(|target| add(target));
    places
}

/// The id of a page, file or reusable content of the same space.
pub(super) fn id_of(target: &ContentRef) -> Option<&str> {
    match target {
        ContentRef::Page { page, space: None } | ContentRef::Anchor { page: Some(page), space: None, .. } => {
            Some(page.as_str())
        }
        ContentRef::File { file, space: None } => Some(file.as_str()),
        ContentRef::ReusableContent { reusable_content, space: None } => Some(reusable_content.as_str()),
        _ => None,
    }
}
