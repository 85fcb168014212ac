//! The whole content of one revision, and the edits that lead to the next one.
//!
//! A snapshot is a handful of map roots; a read or an edit touches only the nodes on its paths. Everything here reads
//! through [`Objects`] and reports objects that are not loaded (see [`super::object`]).
mod hierarchy;
mod reach;
mod redirects;

use crate::map::{Map, MapChange};
use crate::object::{Hash, Objects, Read, Scratch, together};
use crate::order::OrderKey;
use crate::page::{FileEntry, MAX_DEPTH, PageEntry, PageKind, ReusableContent, Tag, Variable, check_slug};
pub use hierarchy::Outlined;
pub use reach::Reached;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use values::id::{FileId, PageId, ReusableContentId};

/// The content of a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Pages by id.
    pages: Map<PageEntry>,
    /// The places of pages: `parent/slug` (`/slug` at the root; `parent/:id` for links and computed pages, which have
    /// no slug) to the page. Derived from `pages`; stored so that children and paths are found without reading every
    /// page.
    places: Map<Place>,
    /// The ids of the computed pages. Derived from `pages`; stored so that they are found without reading every page.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    computed: Map<()>,
    /// Files by id.
    files: Map<FileEntry>,
    /// Reusable contents by id.
    reusable_contents: Map<ReusableContent>,
    /// Variables by name.
    variables: Map<Variable>,
    /// Tags by slug.
    tags: Map<Tag>,
    /// The object with the layout files of a repository (its settings and table of contents, unchanged), for the
    /// export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<Hash>,
}

/// The page at a place, with its position among its siblings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    #[serde(rename = "p")]
    page: PageId,
    #[serde(rename = "o")]
    order: OrderKey,
}

/// A page among the pages with the same parent. Siblings compare by their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sibling {
    /// Its position among them.
    pub order: OrderKey,
    /// The page.
    pub page: PageId,
    /// Its slug; empty for links and computed pages, which have none.
    pub slug: String,
}

/// The changes from one snapshot to the next: new values; `None` removes an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    /// Pages. Removing a page does not remove those below it: name them too ([`Snapshot::descendants`]).
    pub pages: BTreeMap<PageId, Option<PageEntry>>,
    /// Files.
    pub files: BTreeMap<FileId, Option<FileEntry>>,
    /// Reusable contents.
    pub reusable_contents: BTreeMap<ReusableContentId, Option<ReusableContent>>,
    /// Variables.
    pub variables: BTreeMap<String, Option<Variable>>,
    /// Tags.
    pub tags: BTreeMap<String, Option<Tag>>,
    /// The layout files of a repository; absent to leave them unchanged.
    pub repository: Option<Option<Hash>>,
}

/// Why edits would not lead to a valid tree of pages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Two siblings would have one slug.
    #[error("the slug {slug:?} is taken by a sibling of page {page}")]
    SlugTaken {
        /// The page that wants it.
        page: PageId,
        /// The slug.
        slug: String,
    },
    /// A slug breaks the rule.
    #[error("the slug {slug:?} of page {page} is not valid: {rule}")]
    SlugInvalid {
        /// The page.
        page: PageId,
        /// The slug.
        slug: String,
        /// The rule.
        rule: String,
    },
    /// A page would be below a parent that does not exist, or that cannot have pages below it.
    #[error("page {page} cannot be below {parent}")]
    NoSuchParent {
        /// The page.
        page: PageId,
        /// Its parent.
        parent: PageId,
    },
    /// A page would be below itself.
    #[error("page {page} would be below itself")]
    Cycle {
        /// The page.
        page: PageId,
    },
    /// Pages would be nested too deep.
    #[error("page {page} would be nested deeper than {MAX_DEPTH} levels")]
    TooDeep {
        /// The page.
        page: PageId,
    },
    /// A group would be below a page; groups are at the root.
    #[error("group {page} can only be at the root")]
    GroupNotAtRoot {
        /// The group.
        page: PageId,
    },
}

/// The difference of two snapshots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotDiff {
    /// Pages that differ.
    pub pages: Vec<MapChange<PageEntry>>,
    /// Files that differ.
    pub files: Vec<MapChange<FileEntry>>,
    /// Reusable contents that differ.
    pub reusable_contents: Vec<MapChange<ReusableContent>>,
    /// Variables that differ.
    pub variables: Vec<MapChange<Variable>>,
    /// Tags that differ.
    pub tags: Vec<MapChange<Tag>>,
    /// The layout files of a repository, before and after, if they differ.
    pub repository: Option<[Option<Hash>; 2]>,
}

fn place_key(parent: Option<&PageId>, id: &PageId, page: &PageEntry) -> String {
    let parent = parent.map_or("", PageId::as_str);
    if page.kind.has_path() { format!("{parent}/{}", page.slug) } else { format!("{parent}/:{id}") }
}

impl Snapshot {
    /// Reads the snapshot of a revision from its manifest.
    pub fn load(objects: &dyn Objects, manifest: &Hash) -> Read<Self> {
        crate::object::read_json(objects, manifest)
    }

    /// Stores the manifest. Returns its hash.
    pub fn store(&self, scratch: &mut Scratch<'_>) -> Hash {
        scratch.put_json(self)
    }

    /// The root of the tree of pages; `None` without pages. Two snapshots with the same root have the same pages at the
    /// same paths, with the same texts.
    pub fn pages_root(&self) -> Option<Hash> {
        self.pages.root()
    }

    /// A page.
    pub fn page(&self, objects: &dyn Objects, id: &PageId) -> Read<Option<PageEntry>> {
        self.pages.get(objects, id.as_str())
    }

    /// Some pages, in the order of the ids.
    pub(crate) fn pages_of(&self, objects: &dyn Objects, ids: &[PageId]) -> Read<Vec<Option<PageEntry>>> {
        let names: Vec<&str> = ids.iter().map(PageId::as_str).collect();
        self.pages.get_many(objects, &names)
    }

    /// The pages at these places, each a parent and a slug. Links and computed pages have no slug.
    pub(crate) fn pages_at(
        &self,
        objects: &dyn Objects,
        places: &[(Option<PageId>, String)],
    ) -> Read<Vec<Option<PageId>>> {
        let key = |(parent, slug): &(Option<PageId>, String)| {
            format!("{}/{slug}", parent.as_ref().map_or("", PageId::as_str))
        };
        let keys: Vec<String> = places.iter().map(key).collect();
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = self.places.get_many(objects, &names)?;
        Ok(found.into_iter().map(|place| place.map(|place| place.page)).collect())
    }

    /// Every page, by id.
    pub fn pages(&self, objects: &dyn Objects) -> Read<Vec<(PageId, PageEntry)>> {
        Ok(ids(self.pages.entries(objects)?))
    }

    /// Passes every page to `each`, in the order of the ids. Only one page is in memory at a time. If it fails, `each`
    /// may have got some of the pages.
    pub fn each_page(&self, objects: &dyn Objects, mut each: impl FnMut(PageId, PageEntry)) -> Read<()> {
        self.pages.each(objects, |key, page| {
            if let Ok(id) = key.parse() {
                each(id, page);
            }
        })
    }

    /// The ids of the pages for which `fits` returns `true`, in order. Takes less memory than [`pages`](Self::pages).
    pub fn page_ids(&self, objects: &dyn Objects, fits: impl Fn(&PageEntry) -> bool) -> Read<Vec<PageId>> {
        let keys = self.pages.keys_where(objects, fits)?;
        Ok(keys.into_iter().filter_map(|key| PageId::try_from(key).ok()).collect())
    }

    /// Whether any page is computed.
    pub fn has_computed_pages(&self) -> bool {
        !self.computed.is_empty()
    }

    /// The ids of the computed pages.
    pub fn computed_ids(&self, objects: &dyn Objects) -> Read<Vec<PageId>> {
        let entries: Vec<(PageId, ())> = ids(self.computed.entries(objects)?);
        Ok(entries.into_iter().map(|(id, ())| id).collect())
    }

    /// The computed pages, by id.
    pub fn computed_pages(&self, objects: &dyn Objects) -> Read<Vec<(PageId, PageEntry)>> {
        let ids = self.computed_ids(objects)?;
        let pages = self.pages_of(objects, &ids)?;
        Ok(ids.into_iter().zip(pages).filter_map(|(id, page)| Some((id, page?))).collect())
    }

    /// Every file, by id.
    pub fn files(&self, objects: &dyn Objects) -> Read<Vec<(FileId, FileEntry)>> {
        Ok(ids(self.files.entries(objects)?))
    }

    /// The first files after this id, by id, and the number of all files.
    pub fn files_after(
        &self,
        objects: &dyn Objects,
        after: Option<&str>,
        limit: usize,
    ) -> Read<(Vec<(FileId, FileEntry)>, usize)> {
        let files = ids(self.files.entries_after(objects, after, limit)?);
        Ok((files, usize::try_from(self.files.len(objects)?).unwrap_or(usize::MAX)))
    }

    /// A file.
    pub fn file(&self, objects: &dyn Objects, id: &FileId) -> Read<Option<FileEntry>> {
        self.files.get(objects, id.as_str())
    }

    /// Every reusable content, by id.
    pub fn reusable_contents(&self, objects: &dyn Objects) -> Read<Vec<(ReusableContentId, ReusableContent)>> {
        Ok(ids(self.reusable_contents.entries(objects)?))
    }

    /// A reusable content.
    pub fn reusable_content(&self, objects: &dyn Objects, id: &ReusableContentId) -> Read<Option<ReusableContent>> {
        self.reusable_contents.get(objects, id.as_str())
    }

    /// Every variable, by name.
    pub fn variables(&self, objects: &dyn Objects) -> Read<Vec<(String, Variable)>> {
        self.variables.entries(objects)
    }

    /// A variable.
    pub fn variable(&self, objects: &dyn Objects, name: &str) -> Read<Option<Variable>> {
        self.variables.get(objects, name)
    }

    /// A tag.
    pub fn tag(&self, objects: &dyn Objects, slug: &str) -> Read<Option<Tag>> {
        self.tags.get(objects, slug)
    }

    /// Every tag, by slug.
    pub fn tags(&self, objects: &dyn Objects) -> Read<Vec<(String, Tag)>> {
        self.tags.entries(objects)
    }

    /// The object with the layout files of a repository.
    pub fn repository(&self) -> Option<Hash> {
        self.repository
    }

    /// The next snapshot.
    ///
    /// # Errors
    /// The inner error says why the edits would not lead to a valid tree; then nothing has changed.
    pub fn edit(&self, scratch: &mut Scratch<'_>, edits: &Edits) -> Read<Result<Self, EditError>> {
        let names: Vec<&str> = edits.pages.keys().map(PageId::as_str).collect();
        let before = self.pages.entries_of(scratch, &names)?;
        let mut places: BTreeMap<String, Option<Place>> = BTreeMap::new();
        let is_computed = |page: Option<&PageEntry>| page.is_some_and(|page| page.kind.is_computed());
        let mut computed: BTreeMap<&PageId, Option<()>> = BTreeMap::new();
        for (id, page) in &edits.pages {
            let (was, is) = (is_computed(before.get(id.as_str())), is_computed(page.as_ref()));
            if was || is {
                computed.insert(id, is.then_some(()));
            }
        }
        for id in edits.pages.keys() {
            if let Some(old) = before.get(id.as_str()) {
                places.insert(place_key(old.parent.as_ref(), id, old), None);
            }
        }
        for (id, page) in edits.pages.iter().filter_map(|(id, page)| Some((id, page.as_ref()?))) {
            if let Err(error) = check_page(id, page) {
                return Ok(Err(error));
            }
            let key = place_key(page.parent.as_ref(), id, page);
            let taken = match places.get(&key) {
                Some(Some(_)) => true,
                Some(None) => false,
                None => self.places.get(scratch, &key)?.is_some_and(|place| place.page != *id),
            };
            if taken {
                return Ok(Err(EditError::SlugTaken { page: id.clone(), slug: page.slug.clone() }));
            }
            places.insert(key, Some(Place { page: id.clone(), order: page.order.clone() }));
        }
        let next = Self {
            pages: self.pages.edit(scratch, &edits.pages)?,
            places: self.places.edit(scratch, &places)?,
            computed: self.computed.edit(scratch, &computed)?,
            files: self.files.edit(scratch, &edits.files)?,
            reusable_contents: self.reusable_contents.edit(scratch, &edits.reusable_contents)?,
            variables: self.variables.edit(scratch, &edits.variables)?,
            tags: self.tags.edit(scratch, &edits.tags)?,
            repository: edits.repository.unwrap_or(self.repository),
        };
        if let Some(error) = next.fault(scratch, &edits.pages, &before)? {
            return Ok(Err(error));
        }
        Ok(Ok(next))
    }

    /// Finds a fault in the tree around the edited pages: a parent that does not exist or cannot have pages, a cycle,
    /// pages that are too deep, pages below a removed one.
    fn fault(
        &self,
        objects: &dyn Objects,
        edited: &BTreeMap<PageId, Option<PageEntry>>,
        before: &BTreeMap<&str, PageEntry>,
    ) -> Read<Option<EditError>> {
        let mut depths = BTreeMap::new();
        for (id, page) in edited {
            let old = before.get(id.as_str());
            // A new page is checked as the parent of the pages below it.
            let loses_children = match page {
                None => true,
                Some(page) => old.is_some() && !page.kind.has_path(),
            };
            if loses_children && let Some(below) = self.children(objects, Some(id))?.into_iter().next() {
                return Ok(Some(EditError::NoSuchParent { page: below, parent: id.clone() }));
            }
            let Some(page) = page else { continue };
            if old.is_some_and(|old| old.parent == page.parent) {
                continue;
            }
            let above = match self.depth_of_parent(objects, id, page, &mut depths)? {
                Ok(depth) => depth,
                Err(fault) => return Ok(Some(fault)),
            };
            let below = if old.is_some() { self.height(objects, id)? } else { 0 };
            if above + 1 + below > MAX_DEPTH {
                return Ok(Some(EditError::TooDeep { page: id.clone() }));
            }
        }
        Ok(None)
    }

    /// The depth of the parent of a page: 1 if the parent is at the root, 0 if there is none. Adds valid parents to
    /// `depths`, so that an import of thousands of siblings takes linear time. The inner error is a fault above the
    /// page.
    fn depth_of_parent(
        &self,
        objects: &dyn Objects,
        id: &PageId,
        page: &PageEntry,
        depths: &mut BTreeMap<PageId, usize>,
    ) -> Read<Result<usize, EditError>> {
        let mut walked: Vec<PageId> = Vec::new();
        let (mut child, mut parent) = (id.clone(), page.parent.clone());
        let known = loop {
            let Some(above) = parent else { break 0 };
            if let Some(depth) = depths.get(&above) {
                break *depth;
            }
            if above == *id || walked.contains(&above) {
                return Ok(Err(EditError::Cycle { page: id.clone() }));
            }
            match self.page(objects, &above)? {
                Some(entry) if entry.kind.has_path() => parent = entry.parent,
                _ => return Ok(Err(EditError::NoSuchParent { page: child, parent: above })),
            }
            child = above.clone();
            walked.push(above);
            if walked.len() > MAX_DEPTH {
                return Ok(Err(EditError::TooDeep { page: id.clone() }));
            }
        };
        let depth = known + walked.len();
        // The nearest parent was walked first, and is the deepest.
        depths.extend(walked.into_iter().zip((known + 1..=depth).rev()));
        Ok(Ok(depth))
    }

    /// The number of levels of pages below a page.
    fn height(&self, objects: &dyn Objects, id: &PageId) -> Read<usize> {
        let mut height = 0;
        let mut level = vec![id.clone()];
        loop {
            let children = together(level.iter().map(|parent| self.children(objects, Some(parent))))?;
            let next: Vec<PageId> = children.into_iter().flatten().collect();
            if next.is_empty() || height > MAX_DEPTH {
                return Ok(height);
            }
            height += 1;
            level = next;
        }
    }

    /// The pages that differ from this snapshot to `other`. The cost grows with the difference, not with the content.
    pub fn changed_pages(&self, other: &Self, objects: &dyn Objects) -> Read<Vec<MapChange<PageEntry>>> {
        self.pages.diff(&other.pages, objects)
    }

    /// The difference from this snapshot to `other`. The cost grows with the difference, not with the content.
    pub fn diff(&self, other: &Self, objects: &dyn Objects) -> Read<SnapshotDiff> {
        Ok(SnapshotDiff {
            pages: self.pages.diff(&other.pages, objects)?,
            files: self.files.diff(&other.files, objects)?,
            reusable_contents: self.reusable_contents.diff(&other.reusable_contents, objects)?,
            variables: self.variables.diff(&other.variables, objects)?,
            tags: self.tags.diff(&other.tags, objects)?,
            repository: (self.repository != other.repository).then_some([self.repository, other.repository]),
        })
    }
}

fn check_page(id: &PageId, page: &PageEntry) -> Result<(), EditError> {
    match page.kind {
        PageKind::Link { .. } | PageKind::Computed { .. } => Ok(()),
        PageKind::Group if page.parent.is_some() => Err(EditError::GroupNotAtRoot { page: id.clone() }),
        PageKind::Document { .. } | PageKind::Group => check_slug(&page.slug).map_err(|rule| EditError::SlugInvalid {
            page: id.clone(),
            slug: page.slug.clone(),
            rule: rule.0,
        }),
    }
}

/// The ids in the keys of these entries. A key that is not a valid id is skipped.
fn ids<I: TryFrom<String>, V>(entries: Vec<(String, V)>) -> Vec<(I, V)> {
    entries.into_iter().filter_map(|(key, value)| Some((I::try_from(key).ok()?, value))).collect()
}

#[cfg(test)]
mod tests;
