//! Makes a tree of the merged pages.
//!
//! Each side's pages are a tree, but the merged pages need not be one. These rules repair it, one page at a time. They
//! depend on pages and never on sides:
//!
//! - a page with pages below it stays, even if one side deleted it;
//! - no page is below a link, and groups are at the root;
//! - if pages would be below each other, the one with the lowest id gets its position in the base; so does a page that
//!   moves others too deep;
//! - of siblings with one slug, the page that had it keeps it, or else the oldest page; the others get numbers.
//!
//! All but the last are conflicts. Each step reverts one change, so the steps end.
use super::Sides;
use super::conflict::Conflict;
use super::entries::Differing;
use super::fields::KIND;
use super::pages::{Pages, field_conflict, page_conflict, position_conflict};
use super::slugs::{PageEdits, distinct};
use super::three_way::agreed;
use crate::object::{Hash, Objects, Read, ReadError, Scratch, together};
use crate::page::{PageEntry, PageKind};
use crate::snapshot::{EditError, Edits, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use values::id::PageId;

impl Pages {
    /// The merged content, and the conflicts over the positions of pages.
    pub(super) fn placed(
        self,
        scratch: &mut Scratch<'_>,
        sides: &Sides<'_>,
        edits: Edits,
    ) -> Read<(Snapshot, Vec<Conflict>)> {
        let mut placing = Placing {
            sides,
            merged: self.merged,
            differing: self.differing,
            known: BTreeMap::new(),
            conflicts: BTreeMap::new(),
        };
        // Each round reverts one change of a page, or moves it away from a new parent.
        for _ in 0..=2 * placing.differing.len() + 1 {
            placing.repair(scratch)?;
            let pages = distinct(scratch, sides.base, &placing.merged, &|id| placing.base(id).cloned())?;
            match sides.base.edit(scratch, &Edits { pages, ..edits.clone() })? {
                Ok(snapshot) => return Ok((snapshot, placing.conflicts.into_values().collect())),
                Err(error) => placing.revert_for(&error),
            }
        }
        Err(ReadError::corrupt(Hash::of(b""), "the sides of a merge are no trees"))
    }
}

struct Placing<'s, 'a> {
    sides: &'s Sides<'a>,
    merged: PageEdits,
    differing: BTreeMap<PageId, Differing<PageEntry>>,
    /// Pages of the base.
    known: BTreeMap<PageId, Option<PageEntry>>,
    conflicts: BTreeMap<String, Conflict>,
}

impl Placing<'_, '_> {
    fn page(&self, id: &PageId) -> Option<&PageEntry> {
        self.merged.get(id).or_else(|| self.known.get(id)).and_then(Option::as_ref)
    }

    fn base(&self, id: &PageId) -> Option<&PageEntry> {
        match self.differing.get(id) {
            Some(page) => page.base.as_ref(),
            None => self.known.get(id).and_then(Option::as_ref),
        }
    }

    fn is_known(&self, id: &PageId) -> bool {
        self.known.contains_key(id) || self.differing.contains_key(id) || self.merged.contains_key(id)
    }

    fn note(&mut self, conflict: Conflict) {
        self.conflicts.entry(conflict.subject.key()).or_insert(conflict);
    }

    /// Reads all pages above those that differ, in the base and as merged, level by level.
    fn load_above(&mut self, objects: &dyn Objects) -> Read<()> {
        loop {
            let merged = self.merged.values().flatten().chain(self.known.values().flatten());
            let sides = self.differing.values().flat_map(|page| [&page.base, &page.primary, &page.change]).flatten();
            let above: BTreeSet<PageId> =
                merged.chain(sides).filter_map(|page| page.parent.clone()).filter(|id| !self.is_known(id)).collect();
            if above.is_empty() {
                return Ok(());
            }
            let ids: Vec<PageId> = above.into_iter().collect();
            let pages = self.sides.base.pages_of(objects, &ids)?;
            self.known.extend(ids.into_iter().zip(pages));
        }
    }

    /// Makes a tree of the merged pages, except for depth and slugs.
    fn repair(&mut self, objects: &dyn Objects) -> Read<()> {
        loop {
            self.load_above(objects)?;
            if !self.restore_parents(objects)?
                && !self.revert_childless()
                && !self.move_groups_to_root()
                && !self.break_cycle()
            {
                return Ok(());
            }
        }
    }

    /// The parents of pages that both sides moved to different parents. They count until a user decides the conflict.
    fn contested_parents(&self) -> impl Iterator<Item = (&PageId, PageId)> {
        self.differing.iter().filter(|(_, page)| is_contested(page)).flat_map(|(id, page)| {
            let sides = [&page.primary, &page.change];
            sides.into_iter().filter_map(move |side| Some((id, side.as_ref()?.parent.clone()?)))
        })
    }

    /// Restores deleted pages that have pages below them.
    fn restore_parents(&mut self, objects: &dyn Objects) -> Read<bool> {
        let merged = self.merged.iter().filter_map(|(id, page)| Some((id, page.as_ref()?.parent.clone()?)));
        let orphans: Vec<(PageId, PageId)> = (merged.chain(self.contested_parents()))
            .filter(|(_, parent)| self.page(parent).is_none())
            .map(|(id, parent)| (id.clone(), parent))
            .collect();
        let mut back: Vec<(PageId, Differing<PageEntry>)> = Vec::new();
        for (orphan, parent) in &orphans {
            let differing = self.differing.get(parent).cloned();
            let left = differing.as_ref().and_then(|page| page.primary.as_ref().or(page.change.as_ref())).cloned();
            match (differing, left) {
                (Some(differing), Some(left)) => {
                    self.merged.insert(parent.clone(), Some(left));
                    back.push((parent.clone(), differing));
                }
                // Both sides deleted it, and a page was restored below it.
                _ => {
                    let above = self.nearest(self.base(parent).and_then(|page| page.parent.clone()));
                    if let Some(Some(page)) = self.merged.get_mut(orphan)
                        && page.parent.as_ref() == Some(parent)
                    {
                        page.parent = above;
                    }
                }
            }
        }
        let conflicts = together(back.iter().map(|(id, page)| page_conflict(objects, self.sides, id, page)))?;
        conflicts.into_iter().for_each(|conflict| self.note(conflict));
        Ok(!orphans.is_empty())
    }

    /// The page, or its nearest ancestor in the base that exists.
    fn nearest(&self, mut id: Option<PageId>) -> Option<PageId> {
        let mut seen = BTreeSet::new();
        while let Some(at) = &id {
            if self.page(at).is_some() || !seen.insert(at.clone()) {
                break;
            }
            id = self.base(at).and_then(|page| page.parent.clone());
        }
        id
    }

    /// Reverts the kind of a page that one side turned into a link or a computed page, if there are pages below it, or
    /// would be for either decision of a conflict.
    fn revert_childless(&mut self) -> bool {
        let holds_none = |page: &PageEntry| !page.kind.has_path();
        let merged = self.merged.values().flatten().filter_map(|page| page.parent.clone());
        let parents: BTreeSet<PageId> = merged.chain(self.contested_parents().map(|(_, parent)| parent)).collect();
        let childless: Vec<PageId> = parents.into_iter().filter(|id| self.page(id).is_some_and(holds_none)).collect();
        let mut changed = false;
        for id in childless {
            let Some(differing) = self.differing.get(&id).cloned() else { continue };
            let sides = [&differing.primary, &differing.change, &differing.base];
            let Some(other) = sides.into_iter().flatten().find(|page| !holds_none(page)) else { continue };
            if let Some(Some(page)) = self.merged.get_mut(&id) {
                page.kind = other.kind.clone();
                page.slug.clone_from(&other.slug);
                self.note(field_conflict(&id, &differing, KIND));
                changed = true;
            }
        }
        changed
    }

    /// A group that one side moved below a page gets the order of the side that made it a group.
    fn move_groups_to_root(&mut self) -> bool {
        let lowered = |page: &PageEntry| page.kind == PageKind::Group && page.parent.is_some();
        let groups: Vec<PageId> = (self.merged.iter())
            .filter(|(_, page)| page.as_ref().is_some_and(lowered))
            .map(|(id, _)| id.clone())
            .collect();
        // A page that would be a group for the other decision of a conflict is contested too.
        let contested: Vec<Conflict> = (self.differing.iter())
            .filter(|(_, page)| may_be_group(page))
            .filter(|(id, _)| self.page(id).is_some_and(|page| page.parent.is_some()))
            .map(|(id, page)| position_conflict(id, page))
            .collect();
        contested.into_iter().for_each(|conflict| self.note(conflict));
        for id in &groups {
            let Some(differing) = self.differing.get(id).cloned() else { continue };
            let sides = [&differing.primary, &differing.change, &differing.base];
            let order =
                sides.into_iter().flatten().find(|page| page.kind == PageKind::Group).map(|page| page.order.clone());
            if let Some(Some(page)) = self.merged.get_mut(id) {
                page.parent = None;
                page.order = order.unwrap_or_else(|| page.order.clone());
                self.note(position_conflict(id, &differing));
            }
        }
        !groups.is_empty()
    }

    /// Breaks a cycle of pages, by moving one of them back.
    fn break_cycle(&mut self) -> bool {
        let mut sound: BTreeSet<&PageId> = BTreeSet::new();
        for start in self.merged.iter().filter(|(_, page)| page.is_some()).map(|(id, _)| id) {
            let mut path: Vec<&PageId> = Vec::new();
            let mut at = Some(start);
            while let Some(id) = at.filter(|id| !sound.contains(id) && !path.contains(id)) {
                path.push(id);
                at = self.page(id).and_then(|page| page.parent.as_ref());
            }
            if let Some(closing) = at.and_then(|id| path.iter().position(|on_path| *on_path == id)) {
                let circle: Vec<PageId> = path[closing..].iter().map(|id| (*id).clone()).collect();
                return self.move_back(&circle);
            }
            sound.extend(path);
        }
        false
    }

    /// Moves one of these pages back to its position in the base, and a new page to the root: the one with the lowest
    /// id of those that moved. A page with a contested position comes first.
    fn move_back(&mut self, among: &[PageId]) -> bool {
        let moved = |id: &&PageId| match (self.base(id), self.page(id)) {
            (Some(base), Some(page)) => (&base.parent, &base.order) != (&page.parent, &page.order),
            _ => false,
        };
        let new = |id: &&PageId| self.base(id).is_none() && self.page(id).is_some_and(|page| page.parent.is_some());
        let contested = |id: &&PageId| moved(id) && self.differing.get(*id).is_some_and(is_contested);
        let back = among.iter().filter(contested).min().or_else(|| among.iter().filter(moved).min());
        let Some(id) = back.or_else(|| among.iter().filter(new).min()).cloned() else { return false };
        let back = self.base(&id).map(|base| (base.parent.clone(), base.order.clone()));
        let Some(Some(page)) = self.merged.get_mut(&id) else { return false };
        match back {
            Some((parent, order)) => (page.parent, page.order) = (parent, order),
            None => page.parent = None,
        }
        if let Some(differing) = self.differing.get(&id) {
            self.note(position_conflict(&id, &differing.clone()));
        }
        true
    }

    /// Reverts a change that prevents a valid tree.
    fn revert_for(&mut self, error: &EditError) {
        let (EditError::SlugTaken { page, .. }
        | EditError::SlugInvalid { page, .. }
        | EditError::NoSuchParent { page, .. }
        | EditError::Cycle { page }
        | EditError::TooDeep { page }
        | EditError::GroupNotAtRoot { page }) = error;
        let mut above = vec![page.clone()];
        while let Some(parent) = above.last().and_then(|id| self.page(id)).and_then(|page| page.parent.clone()) {
            if above.contains(&parent) {
                break;
            }
            above.push(parent);
        }
        if !self.move_back(&above) {
            let all: Vec<PageId> = self.merged.keys().cloned().collect();
            self.move_back(&all);
        }
    }
}

/// Whether both sides moved a page to different places.
fn is_contested(page: &Differing<PageEntry>) -> bool {
    let place = |side: &Option<PageEntry>| side.as_ref().map(|page| (page.parent.clone(), page.order.clone()));
    let (base, primary, change) = (place(&page.base), place(&page.primary), place(&page.change));
    primary.is_some() && change.is_some() && agreed(base, primary, change).is_none()
}

/// Whether one side turned a page into a group, and the other side into something else.
fn may_be_group(page: &Differing<PageEntry>) -> bool {
    let group = |side: &Option<PageEntry>| side.as_ref().is_some_and(|page| page.kind == PageKind::Group);
    page.primary.is_some()
        && page.change.is_some()
        && group(&page.primary) != group(&page.change)
        && !group(&page.base)
        && page.base.as_ref().is_some_and(|base| {
            let same = |side: &Option<PageEntry>| {
                side.as_ref()
                    .is_some_and(|page| std::mem::discriminant(&page.kind) == std::mem::discriminant(&base.kind))
            };
            !same(&page.primary) && !same(&page.change)
        })
}
