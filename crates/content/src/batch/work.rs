//! The pages after the changes so far.
use crate::object::{Objects, Read, together};
use crate::page::{MAX_DEPTH, PageEntry};
use crate::snapshot::{Sibling, Snapshot};
use std::collections::BTreeMap;
use values::id::PageId;

/// The pages of a snapshot with changes on top. Only what the changes need is read, and only what they change is kept.
pub(super) struct Work<'a> {
    pub(super) objects: &'a dyn Objects,
    head: &'a Snapshot,
    touched: BTreeMap<PageId, Touched>,
    /// The children of each parent in which a change set or looked for a position.
    siblings: BTreeMap<Option<PageId>, Vec<Sibling>>,
}

/// A page that a change has touched.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    /// Its present state; absent if it was removed.
    pub(super) page: Option<PageEntry>,
    /// The index of the last change that set its position, or else of the first that touched it.
    pub(super) by: usize,
    /// Whether it is exactly as it was in a revision.
    pub(super) verbatim: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(objects: &'a dyn Objects, head: &'a Snapshot) -> Self {
        Self { objects, head, touched: BTreeMap::new(), siblings: BTreeMap::new() }
    }

    /// The pages that changes have touched.
    pub(super) fn touched(&self) -> &BTreeMap<PageId, Touched> {
        &self.touched
    }

    /// A page.
    pub(super) fn page(&self, id: &PageId) -> Read<Option<PageEntry>> {
        match self.touched.get(id) {
            Some(touched) => Ok(touched.page.clone()),
            None => self.head.page(self.objects, id),
        }
    }

    /// The pages directly below one, in order.
    pub(super) fn siblings(&mut self, parent: Option<&PageId>) -> Read<&[Sibling]> {
        let parent = parent.cloned();
        self.load([&parent])?;
        Ok(self.siblings.get(&parent).map(Vec::as_slice).unwrap_or_default())
    }

    fn load<'p>(&mut self, parents: impl IntoIterator<Item = &'p Option<PageId>>) -> Read<()> {
        let wanted: Vec<&Option<PageId>> =
            parents.into_iter().filter(|parent| !self.siblings.contains_key(*parent)).collect();
        let found = together(wanted.iter().map(|parent| self.head.siblings(self.objects, parent.as_ref())))?;
        self.siblings.extend(wanted.into_iter().cloned().zip(found));
        Ok(())
    }

    /// All pages below one.
    pub(super) fn below(&mut self, id: &PageId) -> Read<Vec<PageId>> {
        let mut found = Vec::new();
        let mut level = vec![Some(id.clone())];
        while !level.is_empty() {
            self.load(&level)?;
            let children = level.iter().filter_map(|parent| self.siblings.get(parent)).flatten();
            let next: Vec<Option<PageId>> = children.map(|child| Some(child.page.clone())).collect();
            found.extend(next.iter().flatten().cloned());
            level = next;
        }
        Ok(found)
    }

    /// A page and its ancestors, itself first.
    pub(super) fn upwards(&self, id: &PageId) -> Read<Vec<PageId>> {
        let mut way = Vec::new();
        let mut next = Some(id.clone());
        while let Some(id) = next.filter(|_| way.len() <= MAX_DEPTH) {
            next = self.page(&id)?.and_then(|page| page.parent);
            way.push(id);
        }
        Ok(way)
    }

    /// Sets the present state of a page.
    pub(super) fn put(&mut self, id: &PageId, page: Option<PageEntry>, by: usize) -> Read<()> {
        let before = self.page(id)?;
        let place = |page: &Option<PageEntry>| {
            let page = page.as_ref()?;
            let sibling = Sibling { order: page.order.clone(), page: id.clone(), slug: page.slug.clone() };
            Some((page.parent.clone(), sibling))
        };
        let (from, to) = (place(&before), place(&page));
        let placed = from != to;
        if placed {
            // Loading returns the state before all changes, so load the siblings before they change.
            self.load(from.iter().chain(&to).map(|(parent, _)| parent))?;
            if let Some(list) = from.and_then(|(parent, _)| self.siblings.get_mut(&parent)) {
                list.retain(|sibling| sibling.page != *id);
            }
            if let Some((parent, sibling)) = to {
                let list = self.siblings.entry(parent).or_default();
                list.insert(list.partition_point(|other| *other < sibling), sibling);
            }
        }
        let by = self.touched.get(id).filter(|_| !placed).map_or(by, |touched| touched.by);
        self.touched.insert(id.clone(), Touched { page, by, verbatim: false });
        Ok(())
    }

    /// Sets a page to exactly its state in a revision.
    pub(super) fn put_verbatim(&mut self, id: &PageId, page: PageEntry, by: usize) -> Read<()> {
        self.put(id, Some(page), by)?;
        if let Some(touched) = self.touched.get_mut(id) {
            touched.verbatim = true;
        }
        Ok(())
    }
}
