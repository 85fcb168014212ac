//! Slugs that no two siblings share.
use crate::object::{Objects, Read};
use crate::page::{PageEntry, numbered_slug};
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use values::id::PageId;

/// Some pages of a content that is edited: what each is to be, or that it goes.
pub(super) type Wished = BTreeMap<PageId, Option<PageEntry>>;

/// A parent, and a slug below it.
type Place = (Option<PageId>, String);

/// The same pages with slugs that no two siblings share, when they are put into `content`: a page that is not among them
/// keeps its slug, then a page that had it there, then the oldest one. The others get numbers.
pub(super) fn distinct(
    objects: &dyn Objects,
    content: &Snapshot,
    wished: &Wished,
    before: &dyn Fn(&PageId) -> Option<PageEntry>,
) -> Read<Wished> {
    let mut pages = wished.clone();
    let mut wishes: BTreeMap<Place, Vec<(&PageId, &PageEntry)>> = BTreeMap::new();
    for (id, page) in wished.iter().filter_map(|(id, page)| Some((id, page.as_ref()?))) {
        if page.kind.has_path() {
            wishes.entry((page.parent.clone(), page.slug.clone())).or_default().push((id, page));
        }
    }
    let places: Vec<Place> = wishes.keys().cloned().collect();
    let standing = content.standing_at(objects, &places)?;
    let stays = |stands: Option<PageId>| stands.is_some_and(|id| !wished.contains_key(&id));
    let mut given: BTreeSet<Place> = places.into_iter().collect();
    let mut without: Vec<(&PageId, &PageEntry)> = Vec::new();
    for ((place, mut waiting), stands) in wishes.into_iter().zip(standing) {
        let had = |id: &PageId| before(id).is_some_and(|page| page.parent == place.0 && page.slug == place.1);
        waiting.sort_by_cached_key(|(id, page)| (!had(id), page.created_at, (*id).clone()));
        without.extend(waiting.into_iter().skip(usize::from(!stays(stands))));
    }
    let first = |(_, page): &(&PageId, &PageEntry)| (page.parent.clone(), numbered_slug(&page.slug, 1));
    // One by one below, but read together.
    content.standing_at(objects, &without.iter().map(first).collect::<Vec<_>>())?;
    for (id, page) in without {
        let mut number = 1;
        let slug = loop {
            let place = (page.parent.clone(), numbered_slug(&page.slug, number));
            let stands = content.standing_at(objects, std::slice::from_ref(&place))?.pop().flatten();
            if !stays(stands) && given.insert(place.clone()) {
                break place.1;
            }
            number += 1;
        };
        pages.insert(id.clone(), Some(PageEntry { slug, ..page.clone() }));
    }
    Ok(pages)
}
