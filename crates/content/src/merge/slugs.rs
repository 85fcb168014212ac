//! Slugs that no two siblings share.
use crate::object::{Objects, Read};
use crate::page::{PageEntry, numbered_slug};
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use values::id::PageId;

/// Pages to change: their new entries, or `None` to remove them.
pub(super) type PageEdits = BTreeMap<PageId, Option<PageEntry>>;

/// A parent, and a slug below it.
type Place = (Option<PageId>, String);

/// The same pages with slugs that no two siblings share, when they are put into `content`: pages that are not among
/// them keep their slugs, then pages that had the slug there, then the oldest page. The others get numbers.
pub(super) fn distinct(
    objects: &dyn Objects,
    content: &Snapshot,
    edits: &PageEdits,
    before: &dyn Fn(&PageId) -> Option<PageEntry>,
) -> Read<PageEdits> {
    let mut pages = edits.clone();
    let mut by_place: BTreeMap<Place, Vec<(&PageId, &PageEntry)>> = BTreeMap::new();
    for (id, page) in edits.iter().filter_map(|(id, page)| Some((id, page.as_ref()?))) {
        if page.kind.has_path() {
            by_place.entry((page.parent.clone(), page.slug.clone())).or_default().push((id, page));
        }
    }
    let places: Vec<Place> = by_place.keys().cloned().collect();
    let present = content.pages_at(objects, &places)?;
    let stays = |there: Option<PageId>| there.is_some_and(|id| !edits.contains_key(&id));
    let mut given: BTreeSet<Place> = places.into_iter().collect();
    let mut without: Vec<(&PageId, &PageEntry)> = Vec::new();
    for ((place, mut waiting), there) in by_place.into_iter().zip(present) {
        let had = |id: &PageId| before(id).is_some_and(|page| page.parent == place.0 && page.slug == place.1);
        waiting.sort_by_cached_key(|(id, page)| (!had(id), page.created_at, (*id).clone()));
        without.extend(waiting.into_iter().skip(usize::from(!stays(there))));
    }
    let first = |(_, page): &(&PageId, &PageEntry)| (page.parent.clone(), numbered_slug(&page.slug, 1));
    // The loop reads them one by one; this loads them together.
    content.pages_at(objects, &without.iter().map(first).collect::<Vec<_>>())?;
    for (id, page) in without {
        let mut number = 1;
        let slug = loop {
            let place = (page.parent.clone(), numbered_slug(&page.slug, number));
            let there = content.pages_at(objects, std::slice::from_ref(&place))?.pop().flatten();
            if !stays(there) && given.insert(place.clone()) {
                break place.1;
            }
            number += 1;
        };
        pages.insert(id.clone(), Some(PageEntry { slug, ..page.clone() }));
    }
    Ok(pages)
}
