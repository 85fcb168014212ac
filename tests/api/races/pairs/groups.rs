//! Which operations run at the same time.
use super::operations::OPERATIONS;
use std::collections::BTreeSet;

/// The most operations of a group. Four of them have six pairs, and send a third of what these would send one by one.
pub(super) const MOST: usize = 4;

/// Operations that take objects away for a moment, so that others are refused. They run in pairs only: in a group, two
/// others could miss each other because of them.
const TAKING: [&str; 5] = [
    "remove a member and invite again",
    "transfer a collection",
    "delete a collection with a space in it",
    "transfer a space",
    "delete and restore a space",
];

/// Groups of operations: every two operations are in one of them, and each operation is in one with itself.
pub(super) fn groups() -> Vec<Vec<usize>> {
    let (mut groups, mut met) = (Vec::new(), BTreeSet::new());
    for one in 0..OPERATIONS.len() {
        groups.push(vec![one, one]);
        for other in one + 1..OPERATIONS.len() {
            if met.contains(&(one, other)) {
                continue;
            }
            let mut group = vec![one, other];
            while let Some(next) = next(&group, &met) {
                group.push(next);
            }
            met.extend(pairs(&group));
            groups.push(group);
        }
    }
    groups
}

/// Each two of a group, the lower one first.
fn pairs(group: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    group.iter().flat_map(move |one| group.iter().filter(move |other| one < *other).map(move |other| (*one, *other)))
}

/// The operation that has met the fewest of a group; `None` if the group is full, or if all have met most of it.
fn next(group: &[usize], met: &BTreeSet<(usize, usize)>) -> Option<usize> {
    let takes = |at: usize| TAKING.contains(&OPERATIONS[at].0);
    if group.len() == MOST || group.iter().any(|at| takes(*at)) {
        return None;
    }
    let new = |next: usize| group.iter().filter(|at| !met.contains(&(next.min(**at), next.max(**at)))).count();
    let free = (0..OPERATIONS.len()).filter(|next| !takes(*next) && !group.contains(next));
    free.max_by_key(|next| new(*next)).filter(|next| 2 * new(*next) >= group.len())
}

#[test]
fn every_two_operations_are_in_a_group() {
    let groups = groups();
    let met: BTreeSet<(usize, usize)> = groups.iter().flat_map(|group| pairs(group)).collect();
    let all = OPERATIONS.len();
    assert_eq!(met.len(), all * (all - 1) / 2);
    assert!((0..all).all(|one| groups.contains(&vec![one, one])));
    assert!(groups.len() < met.len() / 2, "{} groups", groups.len());
    assert!(TAKING.iter().all(|name| OPERATIONS.iter().any(|(known, _)| known == name)));
}
