//! The differences between two revisions: pages that were added, removed, moved or edited.
mod anchors;
mod attributes;
mod moves;
mod paths;
#[cfg(test)]
mod tests;

pub use anchors::{
    EditedText, FormerAnchor, MAX_FORMER_ANCHOR, MAX_FORMER_ANCHORS, left_anchors, pages_with_left_anchors,
};
pub use attributes::{Difference, FileAttributes, PageAttributes, ReusableContentAttributes, TagAttributes};
pub(crate) use moves::longest_ascending;
pub use paths::left_paths;

use crate::map::MapChange;
use crate::object::{Hash, Objects, Read, together};
use crate::page::{FileEntry, PageEntry, PageKind, ReusableContent, Tag, Variable};
use crate::snapshot::Snapshot;
use serde::Serialize;
use std::collections::BTreeMap;
use values::id::{FileId, PageId, ReusableContentId};
use values::words;

words! {
    /// The kind of a page, without its data.
    pub enum PageType {
        /// A page with text.
        Document = "document",
        /// A heading in the table of contents.
        Group = "group",
        /// An entry that links elsewhere.
        Link = "link",
        /// A placeholder for generated pages.
        Computed = "computed",
    }
}

/// A page that differs: its state after the change, or before the change if it was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedPage {
    /// Its id.
    pub id: PageId,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: PageType,
    /// Its title.
    pub title: String,
    /// Its path; absent for links and computed pages, which have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its id.
    pub id: FileId,
    /// The file.
    pub entry: FileEntry,
}

/// A reusable content that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedReusableContent {
    /// Its id.
    pub id: ReusableContentId,
    /// Its title.
    pub title: String,
    /// The id of its text, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Hash>,
}

/// A tag that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedTag {
    /// Its slug.
    pub slug: String,
    /// Its label.
    pub label: String,
}

/// One difference. A page that was both edited and moved has two.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentChange {
    /// A page was created.
    PageCreated {
        /// The page.
        page: ChangedPage,
    },
    /// The attributes or the text of a page were edited.
    PageEdited {
        /// The page.
        page: ChangedPage,
        /// The attributes that differ: at least one.
        attributes: Box<PageAttributes>,
    },
    /// A page has another parent, or another position among the same siblings.
    PageMoved {
        /// The page.
        page: ChangedPage,
        /// Its parent; absent at the root. Both are the same if only the order changed.
        parent: Difference<ChangedPage>,
    },
    /// A page was deleted.
    PageDeleted {
        /// The page.
        page: ChangedPage,
    },
    /// A file was created.
    FileCreated {
        /// The file.
        file: ChangedFile,
    },
    /// A file was edited.
    FileEdited {
        /// The file.
        file: ChangedFile,
        /// The attributes that differ: at least one.
        attributes: FileAttributes,
    },
    /// A file was deleted.
    FileDeleted {
        /// The file.
        file: ChangedFile,
    },
    /// Variables of the space were edited.
    VariablesEdited {
        /// The variables that differ, by name.
        variables: BTreeMap<String, Difference<Variable>>,
    },
    /// A reusable content was created.
    ReusableContentCreated {
        /// The reusable content.
        reusable_content: ChangedReusableContent,
    },
    /// A reusable content was edited.
    ReusableContentEdited {
        /// The reusable content.
        reusable_content: ChangedReusableContent,
        /// The attributes that differ: at least one.
        attributes: ReusableContentAttributes,
    },
    /// A reusable content was deleted.
    ReusableContentDeleted {
        /// The reusable content.
        reusable_content: ChangedReusableContent,
    },
    /// A tag was created.
    TagCreated {
        /// The tag.
        tag: ChangedTag,
    },
    /// A tag was edited.
    TagEdited {
        /// The tag.
        tag: ChangedTag,
        /// The attributes that differ: at least one.
        attributes: TagAttributes,
    },
    /// A tag was deleted.
    TagDeleted {
        /// The tag.
        tag: ChangedTag,
    },
}

/// The first differences, and the number of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentChanges {
    /// The differences that are listed.
    pub changes: Vec<ContentChange>,
    /// The number of differences that are not listed.
    pub more: usize,
}

/// The differences from `before` to `after`, at most `limit` of them. Pages come first, in the order of their paths
/// (that of a deleted page is its last one), then files by name, reusable contents by title, variables, and tags by
/// slug.
///
/// The cost grows with the difference, and with the number of siblings of the pages whose order changed.
pub fn changes(objects: &dyn Objects, before: &Snapshot, after: &Snapshot, limit: usize) -> Read<ContentChanges> {
    let diff = before.diff(after, objects)?;
    let mut changes = pages(objects, before, after, diff.pages)?;
    let mut files: Vec<_> = diff.files.into_iter().filter_map(file).collect();
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    changes.extend(files.into_iter().map(|(_, change)| change));
    let mut contents: Vec<_> = diff.reusable_contents.into_iter().filter_map(reusable_content).collect();
    contents.sort_by(|(one, _), (other, _)| one.cmp(other));
    changes.extend(contents.into_iter().map(|(_, change)| change));
    let variable = |MapChange { key, before, after }: MapChange<Variable>| {
        (key, Difference { before: before.map(|value| *value), after: after.map(|value| *value) })
    };
    let variables: BTreeMap<String, Difference<Variable>> = diff.variables.into_iter().map(variable).collect();
    if !variables.is_empty() {
        changes.push(ContentChange::VariablesEdited { variables });
    }
    changes.extend(diff.tags.into_iter().filter_map(tag));
    let more = changes.len().saturating_sub(limit);
    changes.truncate(limit);
    Ok(ContentChanges { changes, more })
}

fn pages(
    objects: &dyn Objects,
    before: &Snapshot,
    after: &Snapshot,
    pages: Vec<MapChange<PageEntry>>,
) -> Read<Vec<ContentChange>> {
    let pages: Vec<(PageId, MapChange<PageEntry>)> =
        pages.into_iter().filter_map(|change| Some((PageId::try_from(change.key.clone()).ok()?, change))).collect();
    let reordered = moves::reordered(objects, before, after, &pages)?;
    let moves = |id: &PageId, old: &PageEntry, new: &PageEntry| old.parent != new.parent || reordered.contains(id);
    let sorted = together(pages.iter().map(|(id, change)| {
        let parent = |snapshot: &Snapshot, page: &PageEntry| match &page.parent {
            Some(parent) => Ok(sorted_page(objects, snapshot, parent)?.map(|(_, page)| page)),
            None => Ok(None),
        };
        let page = sorted_page(objects, if change.after.is_some() { after } else { before }, id)?;
        let parents = match (&change.before, &change.after) {
            (Some(old), Some(new)) if moves(id, old, new) => {
                Some(Difference { before: parent(before, old)?, after: parent(after, new)? })
            }
            _ => None,
        };
        Ok((page, parents))
    }))?;
    let mut found = Vec::new();
    for ((id, MapChange { before, after, .. }), (page, parent)) in pages.into_iter().zip(sorted) {
        let Some((place, page)) = page else { continue };
        let mut add = |change| found.push(((place.clone(), id.clone()), change));
        match (before, after) {
            (None, _) => add(ContentChange::PageCreated { page }),
            (Some(_), None) => add(ContentChange::PageDeleted { page }),
            (Some(old), Some(new)) => {
                if let Some(attributes) = PageAttributes::of(*old, *new).map(Box::new) {
                    add(ContentChange::PageEdited { page: page.clone(), attributes });
                }
                if let Some(parent) = parent {
                    add(ContentChange::PageMoved { page, parent });
                }
            }
        }
    }
    // Stable: an edit stays before the move of the same page.
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found.into_iter().map(|(_, change)| change).collect())
}

/// A page with its sort key: the parts of its path. If it has no path, its title is the last part.
type SortedPage = (Vec<String>, ChangedPage);

fn sorted_page(objects: &dyn Objects, snapshot: &Snapshot, id: &PageId) -> Read<Option<SortedPage>> {
    let Some(page) = snapshot.page(objects, id)? else { return Ok(None) };
    let path = snapshot.path(objects, id)?.unwrap_or_default();
    let mut place: Vec<String> = path.split('/').map(str::to_owned).collect();
    let (kind, path) = match page.kind {
        PageKind::Document { .. } => (PageType::Document, Some(path)),
        PageKind::Group => (PageType::Group, Some(path)),
        PageKind::Link { .. } => (PageType::Link, None),
        PageKind::Computed { .. } => (PageType::Computed, None),
    };
    if path.is_none() {
        place.pop();
        place.push(page.title.clone());
    }
    Ok(Some((place, ChangedPage { id: id.clone(), kind, title: page.title, path })))
}

fn file(change: MapChange<FileEntry>) -> Option<((String, FileId), ContentChange)> {
    let id = FileId::try_from(change.key).ok()?;
    let changed = |entry: FileEntry| ChangedFile { id: id.clone(), entry };
    let name = change.after.as_ref().or(change.before.as_ref())?.name.clone();
    let change = match (change.before, change.after) {
        (None, entry) => ContentChange::FileCreated { file: changed(*entry?) },
        (Some(entry), None) => ContentChange::FileDeleted { file: changed(*entry) },
        (Some(old), Some(new)) => {
            let attributes = FileAttributes::of(*old, (*new).clone())?;
            ContentChange::FileEdited { file: changed(*new), attributes }
        }
    };
    Some(((name, id), change))
}

fn reusable_content(change: MapChange<ReusableContent>) -> Option<((String, ReusableContentId), ContentChange)> {
    let id = ReusableContentId::try_from(change.key).ok()?;
    let changed = |content: &ReusableContent| ChangedReusableContent {
        id: id.clone(),
        title: content.title.clone(),
        document: content.document,
    };
    let reusable_content = changed(change.after.as_ref().or(change.before.as_ref())?);
    let title = reusable_content.title.clone();
    let change = match (change.before, change.after) {
        (None, _) => ContentChange::ReusableContentCreated { reusable_content },
        (Some(_), None) => ContentChange::ReusableContentDeleted { reusable_content },
        (Some(old), Some(new)) => {
            let attributes = ReusableContentAttributes::of(*old, *new)?;
            ContentChange::ReusableContentEdited { reusable_content, attributes }
        }
    };
    Some(((title, id), change))
}

fn tag(change: MapChange<Tag>) -> Option<ContentChange> {
    let label = change.after.as_ref().or(change.before.as_ref())?.label.clone();
    let tag = ChangedTag { slug: change.key, label };
    Some(match (change.before, change.after) {
        (None, _) => ContentChange::TagCreated { tag },
        (Some(_), None) => ContentChange::TagDeleted { tag },
        (Some(old), Some(new)) => ContentChange::TagEdited { tag, attributes: TagAttributes::of(*old, *new)? },
    })
}
