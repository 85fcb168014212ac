//! Three-way merge of a value, and of a list without repetitions.
use super::hunks::shared;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The version that both sides agree on: the same, or that of the only side that changed it.
pub(super) fn agreed<T: PartialEq>(base: T, primary: T, change: T) -> Option<T> {
    if primary == change || change == base {
        Some(primary)
    } else if primary == base {
        Some(change)
    } else {
        None
    }
}

/// The position of an item of a side's list, relative to the list of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Unchanged.
    Kept,
    /// In the gap before this item of the base.
    Gap(usize),
}

fn positions<'a, K: Hash + Ord>(base: &[K], side: &'a [K]) -> HashMap<&'a K, Position> {
    let mut pairs = shared(base, side).into_iter().peekable();
    let mut gap = 0;
    let mut stands = HashMap::with_capacity(side.len());
    for (at, key) in side.iter().enumerate() {
        let stand = match pairs.next_if(|(_, new)| *new == at) {
            Some((old, _)) => {
                gap = old + 1;
                Position::Kept
            }
            None => Position::Gap(gap),
        };
        stands.insert(key, stand);
    }
    stands
}

/// The lists that are joined into one order.
pub(super) struct Lists<'a, K> {
    pub(super) base: &'a [K],
    pub(super) primary: &'a [K],
    pub(super) change: &'a [K],
}

/// The joined order of three lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order<K> {
    pub(super) list: Vec<K>,
    /// The items that both sides put into different places. They have the position of the change.
    pub(super) contested: Vec<K>,
}

/// Joins three lists without repetitions into one order of the members: that of the base, with the items that a side
/// moved in their new places. The items that both sides put into one gap are sorted by value, so the result does not
/// depend on the order of the sides. A `fresh` item, which is new, is never contested.
pub(super) fn order<K: Hash + Ord + Clone>(
    lists: &Lists<'_, K>,
    member: &dyn Fn(&K) -> bool,
    fresh: &dyn Fn(&K) -> bool,
) -> Order<K> {
    let Lists { base, primary, change } = *lists;
    let (ours, theirs) = (positions(base, primary), positions(base, change));
    let mut gaps: HashMap<usize, [Vec<K>; 2]> = HashMap::new();
    let (mut elsewhere, mut contested) = (HashSet::new(), Vec::new());
    for (run, list) in [primary, change].into_iter().enumerate() {
        for key in list.iter().filter(|key| member(key)) {
            let (mine, other) = if run == 0 { (ours[key], theirs.get(key)) } else { (theirs[key], ours.get(key)) };
            let Position::Gap(mut gap) = mine else { continue };
            // Both sides moved it: a fresh item goes to the earlier gap, and any other to that of the change.
            if let Some(Position::Gap(other)) = other
                && *other != gap
            {
                match (fresh(key), run) {
                    (true, _) => gap = gap.min(*other),
                    (false, 0) => gap = *other,
                    (false, _) => contested.push(key.clone()),
                }
            }
            elsewhere.insert(key);
            gaps.entry(gap).or_default()[run].push(key.clone());
        }
    }
    let mut list = Vec::with_capacity(primary.len().max(change.len()));
    for at in 0..=base.len() {
        if let Some([ours, theirs]) = gaps.remove(&at) {
            list.extend(weave(ours, theirs));
        }
        list.extend(base.get(at).filter(|key| member(key) && !elsewhere.contains(key)).cloned());
    }
    Order { list, contested }
}

/// Joins two sequences: their common items keep them aligned, and of the items between those the lower ones come first.
fn weave<K: Hash + Ord + Clone>(ours: Vec<K>, theirs: Vec<K>) -> Vec<K> {
    let (first, second) = if ours <= theirs { (ours, theirs) } else { (theirs, ours) };
    let common: HashSet<&K> = {
        let of_first: HashSet<&K> = first.iter().collect();
        second.iter().filter(|key| of_first.contains(key)).collect()
    };
    // The items that only the second sequence has, by the common item before them.
    let mut following: HashMap<Option<&K>, Vec<&K>> = HashMap::new();
    let mut last = None;
    for key in &second {
        if common.contains(key) {
            last = Some(key);
        } else {
            following.entry(last).or_default().push(key);
        }
    }
    let mut woven: Vec<K> = Vec::with_capacity(first.len() + second.len());
    let mut own: Vec<&K> = Vec::new();
    let mut last = None;
    for key in &first {
        if common.contains(key) {
            woven.extend(lesser_first(std::mem::take(&mut own), following.remove(&last).unwrap_or_default()));
            woven.push(key.clone());
            last = Some(key);
        } else {
            own.push(key);
        }
    }
    woven.extend(lesser_first(std::mem::take(&mut own), following.remove(&last).unwrap_or_default()));
    woven
}

fn lesser_first<'k, K: Ord + Clone>(one: Vec<&'k K>, other: Vec<&'k K>) -> impl Iterator<Item = K> {
    let (first, second) = if one <= other { (one, other) } else { (other, one) };
    first.into_iter().chain(second).cloned()
}

/// Joins three lists without repetitions: an item that a side adds or removes is added or removed.
///
/// `None` if both sides put one item into different places.
pub(super) fn join_sets<K: Hash + Ord + Clone>(lists: &Lists<'_, K>) -> Option<Vec<K>> {
    let sets = [lists.base, lists.primary, lists.change].map(|list| list.iter().collect::<HashSet<_>>());
    let unique = [lists.base, lists.primary, lists.change].iter().zip(&sets).all(|(list, set)| list.len() == set.len());
    let member = |key: &K| !sets[0].contains(key) || (sets[1].contains(key) && sets[2].contains(key));
    let order = order(lists, &member, &|key| !sets[0].contains(key));
    (unique && order.contested.is_empty()).then_some(order.list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn list(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[rstest]
    #[case::both_add("abc", "axbc", "abcy", Some("axbcy"))]
    #[case::at_one_place("ab", "ayb", "axb", Some("axyb"))]
    #[case::the_same("ab", "axb", "axb", Some("axb"))]
    #[case::around_the_same("ab", "axyb", "ayzb", Some("axyzb"))]
    #[case::one_takes_away("abc", "ac", "abcx", Some("acx"))]
    #[case::one_moves("abcd", "bcda", "abxcd", Some("bxcda"))]
    #[case::replaced_and_followed("akb", "akxb", "ayb", Some("ayxb"))]
    #[case::both_move_alike("abcd", "bcda", "bcda", Some("bcda"))]
    #[case::both_move_elsewhere("abcdef", "bcadef", "bcdefa", None)]
    fn lists_are_joined(#[case] base: &str, #[case] primary: &str, #[case] change: &str, #[case] joined: Option<&str>) {
        let (base, primary, change) = (list(base), list(primary), list(change));
        for (primary, change) in [(&primary, &change), (&change, &primary)] {
            assert_eq!(join_sets(&Lists { base: &base, primary, change }), joined.map(list));
        }
    }

    proptest! {
        #[test]
        fn an_order_has_every_member_once_and_does_not_depend_on_the_sides(
            base in Just((0..8).collect::<Vec<u8>>()),
            primary in Just((0..12).collect::<Vec<u8>>()).prop_shuffle(),
            change in Just((4..16).collect::<Vec<u8>>()).prop_shuffle(),
        ) {
            let lists = Lists { base: &base, primary: &primary, change: &change };
            let swapped = Lists { base: &base, primary: &change, change: &primary };
            let fresh = |key: &u8| *key > 7;
            let one = order(&lists, &|_| true, &fresh);
            let mut sorted = one.list.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..16).collect::<Vec<u8>>());
            let other = order(&swapped, &|_| true, &fresh);
            prop_assert_eq!(one.contested.iter().collect::<HashSet<_>>(), other.contested.iter().collect::<HashSet<_>>());
            if one.contested.is_empty() {
                prop_assert_eq!(one.list, other.list);
            }
            prop_assert_eq!(join_sets(&Lists { base: &base, primary: &base, change: &change }), Some(change));
        }
    }
}
