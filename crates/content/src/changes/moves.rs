//! Finds the pages that moved among the same siblings.
use crate::map::MapChange;
use crate::object::{Objects, Read, together};
use crate::page::PageEntry;
use crate::snapshot::{Sibling, Snapshot};
use std::collections::{BTreeSet, HashMap};
use values::id::PageId;

/// The pages with another position among the siblings that they had and have. A page whose order key changed need not
/// have moved. If pages swapped places, as few as possible count as moved, and only those whose key changed.
pub(super) fn reordered(
    objects: &dyn Objects,
    before: &Snapshot,
    after: &Snapshot,
    pages: &[(PageId, MapChange<PageEntry>)],
) -> Read<BTreeSet<PageId>> {
    let parents: BTreeSet<&Option<PageId>> = (pages.iter())
        .filter_map(|(_, change)| {
            let (old, new) = (change.before.as_ref()?, change.after.as_ref()?);
            (old.parent == new.parent && old.order != new.order).then_some(&new.parent)
        })
        .collect();
    let lists = together(parents.into_iter().map(|parent| {
        let both = together([before, after].map(|snapshot| snapshot.siblings(objects, parent.as_ref())))?;
        let [old, new]: [Vec<Sibling>; 2] = both.try_into().unwrap_or_default();
        Ok((old, new))
    }))?;
    Ok(lists.into_iter().flat_map(|(old, new)| moved(&old, &new)).collect())
}

fn moved(old: &[Sibling], new: &[Sibling]) -> Vec<PageId> {
    let had: HashMap<&PageId, (usize, &Sibling)> =
        old.iter().enumerate().map(|(at, sibling)| (&sibling.page, (at, sibling))).collect();
    // The siblings that were there and still are, in their new order: the old index, and whether the key is the same.
    let both: Vec<(&PageId, usize, bool)> = (new.iter())
        .filter_map(|sibling| {
            let (at, before) = had.get(&sibling.page)?;
            Some((&sibling.page, *at, before.order == sibling.order))
        })
        .collect();
    // Those with the same key are in the old order, so the others stay if they pass none of these.
    let mut lowest_after = vec![usize::MAX; both.len() + 1];
    for (at, (_, stood, kept)) in both.iter().enumerate().rev() {
        lowest_after[at] = if *kept { lowest_after[at + 1].min(*stood) } else { lowest_after[at + 1] };
    }
    let mut highest_before = None;
    let mut fitting: Vec<(usize, usize)> = Vec::new();
    for (at, (_, stood, kept)) in both.iter().enumerate() {
        if *kept {
            highest_before = highest_before.max(Some(*stood));
        }
        if *kept || highest_before < Some(*stood) && *stood < lowest_after[at + 1] {
            fitting.push((at, *stood));
        }
    }
    let stay = longest_ascending(&fitting);
    both.iter().enumerate().filter(|(at, _)| !stay.contains(at)).map(|(_, (page, ..))| (*page).clone()).collect()
}

/// The first parts of the longest subsequence of pairs whose second parts ascend.
pub(crate) fn longest_ascending(pairs: &[(usize, usize)]) -> BTreeSet<usize> {
    // The last pair of the best subsequence of each length so far, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, value)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *value);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let last = ends.last().copied();
    std::iter::successors(last, |at| before[*at]).map(|at| pairs[at].0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn siblings(list: &str) -> Vec<Sibling> {
        let sibling = |item: &str| {
            let (page, order) = item.split_at(1);
            Sibling { page: page.parse().expect("an id"), order: order.parse().expect("a key"), slug: String::new() }
        };
        list.split_whitespace().map(sibling).collect()
    }

    #[rstest]
    #[case("a1 b2 c3", "c0V a1 b2", "c")]
    #[case("a1 b2", "b2 a3", "a")]
    #[case("a1 b2", "b0V a1", "b")]
    #[case("a1 b2 c3", "aF bV ck", "")]
    #[case("a1 b2 c3", "cF aV bk", "c")]
    #[case("a1 b2 c3", "a1 x15 b19 c3", "")]
    #[case("a1 b2 c3 d4", "a1 d2 c3 b4", "b d")]
    fn as_few_pages_as_possible_have_moved(#[case] old: &str, #[case] new: &str, #[case] wanted: &str) {
        let mut found: Vec<String> = moved(&siblings(old), &siblings(new)).into_iter().map(String::from).collect();
        found.sort();
        assert_eq!(found.join(" "), wanted);
    }

    proptest! {
        #[test]
        fn without_those_that_moved_the_order_is_as_it_was(places in Just((0_usize..8).collect::<Vec<_>>()).prop_shuffle()) {
            let page = |at: usize| Sibling {
                page: format!("p{at}").parse().expect("an id"),
                order: crate::order::OrderKey::sequence(9)[at].clone(),
                slug: String::new(),
            };
            let old: Vec<Sibling> = (0..8).map(page).collect();
            let new: Vec<Sibling> =
                places.iter().enumerate().map(|(at, place)| Sibling { page: page(*place).page, ..page(at) }).collect();
            let moved = moved(&old, &new);
            let left = |list: &[Sibling]| {
                list.iter().map(|sibling| sibling.page.clone()).filter(|page| !moved.contains(page)).collect::<Vec<_>>()
            };
            prop_assert_eq!(left(&old), left(&new));
        }
    }
}
