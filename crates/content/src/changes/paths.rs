//! Finds the paths that pages no longer have.
use crate::map::MapChange;
use crate::object::{Objects, Read, together};
use crate::page::PageEntry;
use crate::snapshot::Snapshot;
use std::collections::BTreeSet;
use values::id::PageId;

/// The pages that have another path in `after` than in `before`, or none, each with its path in `before`, in the order
/// of these paths. `pages` is the difference of both.
///
/// The cost grows with the difference, and with the number of pages below those that moved.
pub fn left_paths(
    objects: &dyn Objects,
    before: &Snapshot,
    after: &Snapshot,
    pages: &[MapChange<PageEntry>],
) -> Read<Vec<(String, PageId)>> {
    let moved = pages.iter().filter(|change| {
        let place = |page: &PageEntry| page.kind.has_path().then(|| (page.parent.clone(), page.slug.clone()));
        let was = change.before.as_deref().and_then(place);
        was.is_some() && was != change.after.as_deref().and_then(place)
    });
    let moved: BTreeSet<PageId> = moved.filter_map(|change| PageId::try_from(change.key.clone()).ok()).collect();
    let below = together(moved.iter().map(|id| before.descendants(objects, id, usize::MAX)))?;
    let all: BTreeSet<PageId> = moved.into_iter().chain(below.into_iter().flatten()).collect();
    let paths = together(all.iter().map(|id| path(objects, before, id)))?;
    let now = together(all.iter().map(|id| path(objects, after, id)))?;
    let left = paths.into_iter().zip(now).zip(all);
    let mut left: Vec<(String, PageId)> =
        left.filter(|((old, new), _)| old != new).filter_map(|((old, _), id)| Some((old?, id))).collect();
    left.sort();
    Ok(left)
}

/// The path of a page; links and computed pages have none.
fn path(objects: &dyn Objects, snapshot: &Snapshot, id: &PageId) -> Read<Option<String>> {
    match snapshot.page(objects, id)? {
        Some(page) if page.kind.has_path() => snapshot.path(objects, id),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{MemoryObjects, Scratch};
    use crate::order::OrderKey;
    use crate::page::PageKind;
    use crate::reference::ContentRef;
    use crate::snapshot::Edits;
    use chrono::DateTime;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn id(name: &str) -> PageId {
        name.parse().expect("an id")
    }

    fn page(slug: &str, parent: Option<&str>) -> PageEntry {
        let order = OrderKey::sequence(1).remove(0);
        let kind = PageKind::Document { document: None };
        PageEntry { parent: parent.map(id), ..PageEntry::new(kind, slug, slug, order, DateTime::UNIX_EPOCH) }
    }

    fn next(objects: &mut MemoryObjects, from: &Snapshot, pages: &[(&str, Option<PageEntry>)]) -> Option<Snapshot> {
        let pages = pages.iter().map(|(name, page)| (id(name), page.clone())).collect();
        let mut scratch = Scratch::new(objects);
        let next = from.edit(&mut scratch, &Edits { pages, ..Edits::default() }).expect("at hand").ok()?;
        next.store(&mut scratch);
        let written = scratch.into_written();
        objects.extend(written);
        Some(next)
    }

    fn guide(objects: &mut MemoryObjects) -> Snapshot {
        let pages = [
            ("a", Some(page("start", None))),
            ("b", Some(page("guides", None))),
            ("c", Some(page("install", Some("b")))),
            ("d", Some(page("linux", Some("c")))),
        ];
        next(objects, &Snapshot::default(), &pages).expect("a valid tree")
    }

    fn left(pages: &[(&str, Option<PageEntry>)]) -> Vec<String> {
        let mut objects = MemoryObjects::default();
        let before = guide(&mut objects);
        let after = next(&mut objects, &before, pages).expect("a valid tree");
        let diff = before.diff(&after, &objects).expect("at hand");
        let left = left_paths(&objects, &before, &after, &diff.pages).expect("at hand");
        left.into_iter().map(|(path, page)| format!("{path} {page}")).collect()
    }

    #[test]
    fn a_page_that_moves_takes_those_below_it_along() {
        let moved = [("b", Some(page("handbook", None)))];
        assert_eq!(left(&moved), ["guides b", "guides/install c", "guides/install/linux d"]);
        assert_eq!(left(&[("c", Some(page("install", None)))]), ["guides/install c", "guides/install/linux d"]);
    }

    #[test]
    fn a_page_that_is_removed_or_becomes_a_link_leaves_its_path() {
        assert_eq!(left(&[("d", None)]), ["guides/install/linux d"]);
        let kind = PageKind::Link { target: ContentRef::Url { url: "https://example.org/".into() } };
        let link = PageEntry { kind, slug: String::new(), ..page("linux", Some("c")) };
        assert_eq!(left(&[("d", Some(link))]), ["guides/install/linux d"]);
    }

    #[test]
    fn what_is_new_or_edited_or_returns_to_its_path_left_none() {
        assert_eq!(left(&[("e", Some(page("new", Some("b"))))]), [""; 0]);
        let titled = PageEntry { title: "Begin".into(), order: OrderKey::sequence(2).remove(1), ..page("start", None) };
        assert_eq!(left(&[("a", Some(titled))]), [""; 0]);
        // The parent is removed, and the page takes the same path without it, with its own slug.
        let swapped = [
            ("b", Some(page("old", None))),
            ("x", Some(page("guides", None))),
            ("c", Some(page("install", Some("x")))),
        ];
        assert_eq!(left(&swapped), ["guides b"]);
    }

    proptest! {
        #[test]
        fn it_is_what_comparing_all_paths_gives(
            steps in prop::collection::vec((0usize..6, prop::option::weighted(0.85, (prop::option::of(0usize..6), 0usize..4))), 1..12),
            split in 0usize..12,
        ) {
            let mut objects = MemoryObjects::default();
            let mut snapshot = guide(&mut objects);
            let mut before = snapshot.clone();
            for (at, (page_at, change)) in steps.into_iter().enumerate() {
                if at == split {
                    before = snapshot.clone();
                }
                let parent = change.and_then(|(parent, _)| parent).map(|parent| format!("p{parent}"));
                let entry = change.map(|(_, slug)| page(&format!("s{slug}"), parent.as_deref()));
                let name = format!("p{page_at}");
                snapshot = next(&mut objects, &snapshot, &[(&name, entry)]).unwrap_or(snapshot);
            }
            let paths = |snapshot: &Snapshot| -> BTreeMap<PageId, String> {
                let tree = snapshot.tree(&objects).expect("at hand");
                tree.iter().map(|node| (node.id.clone(), node.path.clone())).collect()
            };
            let now = paths(&snapshot);
            let mut expected: Vec<(String, PageId)> = (paths(&before).into_iter())
                .filter(|(id, path)| now.get(id) != Some(path))
                .map(|(id, path)| (path, id))
                .collect();
            expected.sort();
            let diff = before.diff(&snapshot, &objects).expect("at hand");
            prop_assert_eq!(left_paths(&objects, &before, &snapshot, &diff.pages).expect("at hand"), expected);
        }
    }
}
