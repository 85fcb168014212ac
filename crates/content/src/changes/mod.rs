//! The differences between two revisions: pages that were added, removed, moved or edited.
mod attributes;
mod moves;
mod paths;
#[cfg(test)]
mod tests;

pub use attributes::{Difference, FileAttributes, PageAttributes, ReusableContentAttributes, TagAttributes};
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
    /// What a page is, without its data.
    pub enum PageType {
        /// A page with text.
        Document = "document",
        /// A heading in the table of contents.
        Group = "group",
        /// An entry that leads elsewhere.
        Link = "link",
        /// A place for generated pages.
        Computed = "computed",
    }
}

/// A page that is told of: as it is after the change, or was before when it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedPage {
    /// Its id.
    pub id: PageId,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: PageType,
    /// Its title.
    pub title: String,
    /// Its path; absent for links and computed pages, which have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A file that is told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its id.
    pub id: FileId,
    /// The file.
    pub entry: FileEntry,
}

/// A reusable content that is told of.
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

/// A tag that is told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedTag {
    /// Its slug.
    pub slug: String,
    /// Its label.
    pub label: String,
}

/// One difference. A page that was both edited and moved has one of each.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentChange {
    /// There is a page that was not there.
    PageCreated {
        /// The page.
        page: ChangedPage,
    },
    /// A page says something else of itself, or its text does.
    PageEdited {
        /// The page.
        page: ChangedPage,
        /// What differs: at least one.
        attributes: Box<PageAttributes>,
    },
    /// A page stands below another one, or elsewhere among the same siblings.
    PageMoved {
        /// The page.
        page: ChangedPage,
        /// The page it stands below; absent at the root. The same on both sides when only its order changed.
        parent: Difference<ChangedPage>,
    },
    /// A page is gone.
    PageDeleted {
        /// The page.
        page: ChangedPage,
    },
    /// There is a file that was not there.
    FileCreated {
        /// The file.
        file: ChangedFile,
    },
    /// A file is another one.
    FileEdited {
        /// The file.
        file: ChangedFile,
        /// What differs: at least one.
        attributes: FileAttributes,
    },
    /// A file is gone.
    FileDeleted {
        /// The file.
        file: ChangedFile,
    },
    /// Variables of the space differ.
    VariablesEdited {
        /// Those that do, by name.
        variables: BTreeMap<String, Difference<Variable>>,
    },
    /// There is a reusable content that was not there.
    ReusableContentCreated {
        /// The reusable content.
        reusable_content: ChangedReusableContent,
    },
    /// A reusable content says something else.
    ReusableContentEdited {
        /// The reusable content.
        reusable_content: ChangedReusableContent,
        /// What differs: at least one.
        attributes: ReusableContentAttributes,
    },
    /// A reusable content is gone.
    ReusableContentDeleted {
        /// The reusable content.
        reusable_content: ChangedReusableContent,
    },
    /// There is a tag that was not there.
    TagCreated {
        /// The tag.
        tag: ChangedTag,
    },
    /// A tag looks otherwise.
    TagEdited {
        /// The tag.
        tag: ChangedTag,
        /// What differs: at least one.
        attributes: TagAttributes,
    },
    /// A tag is gone.
    TagDeleted {
        /// The tag.
        tag: ChangedTag,
    },
}

/// The first of the differences, and how many there are besides.
#[derive(Clone, Debug, PartialEq)]
pub struct ContentChanges {
    /// The differences that are told.
    pub changes: Vec<ContentChange>,
    /// How many are not.
    pub more: usize,
}

/// What differs from `before` to `after`: the first `limit` of it. Pages come first, in the order of their paths (where
/// they are now, or were when they are gone), then files by name, reusable contents by title, variables, and tags by slug.
///
/// The cost grows with the difference, and with how many siblings the pages have whose order changed.
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
    let told = together(pages.iter().map(|(id, change)| {
        let parent = |snapshot: &Snapshot, page: &PageEntry| match &page.parent {
            Some(parent) => Ok(told(objects, snapshot, parent)?.map(|(_, page)| page)),
            None => Ok(None),
        };
        let page = told(objects, if change.after.is_some() { after } else { before }, id)?;
        let parents = match (&change.before, &change.after) {
            (Some(old), Some(new)) if moves(id, old, new) => {
                Some(Difference { before: parent(before, old)?, after: parent(after, new)? })
            }
            _ => None,
        };
        Ok((page, parents))
    }))?;
    let mut found = Vec::new();
    for ((id, MapChange { before, after, .. }), (page, parent)) in pages.into_iter().zip(told) {
        let Some((place, page)) = page else { continue };
        let mut tell = |change| found.push(((place.clone(), id.clone()), change));
        match (before, after) {
            (None, _) => tell(ContentChange::PageCreated { page }),
            (Some(_), None) => tell(ContentChange::PageDeleted { page }),
            (Some(old), Some(new)) => {
                if let Some(attributes) = PageAttributes::of(*old, *new).map(Box::new) {
                    tell(ContentChange::PageEdited { page: page.clone(), attributes });
                }
                if let Some(parent) = parent {
                    tell(ContentChange::PageMoved { page, parent });
                }
            }
        }
    }
    // Stable: an edit stays before the move of the same page.
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found.into_iter().map(|(_, change)| change).collect())
}

/// A page with what decides its place among others: its path, part by part; without a path of its own it ends in the
/// title.
type Told = (Vec<String>, ChangedPage);

fn told(objects: &dyn Objects, snapshot: &Snapshot, id: &PageId) -> Read<Option<Told>> {
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
    let told = |entry: FileEntry| ChangedFile { id: id.clone(), entry };
    let name = change.after.as_ref().or(change.before.as_ref())?.name.clone();
    let change = match (change.before, change.after) {
        (None, entry) => ContentChange::FileCreated { file: told(*entry?) },
        (Some(entry), None) => ContentChange::FileDeleted { file: told(*entry) },
        (Some(old), Some(new)) => {
            let attributes = FileAttributes::of(*old, (*new).clone())?;
            ContentChange::FileEdited { file: told(*new), attributes }
        }
    };
    Some(((name, id), change))
}

fn reusable_content(change: MapChange<ReusableContent>) -> Option<((String, ReusableContentId), ContentChange)> {
    let id = ReusableContentId::try_from(change.key).ok()?;
    let told = |content: &ReusableContent| ChangedReusableContent {
        id: id.clone(),
        title: content.title.clone(),
        document: content.document,
    };
    let reusable_content = told(change.after.as_ref().or(change.before.as_ref())?);
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
