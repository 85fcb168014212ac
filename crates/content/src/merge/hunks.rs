//! Finds the changes of two sides in a sequence, and joins them.
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::hash::Hash;
use std::ops::Range;

/// A range that a side changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

/// The positions of items that two sequences share in the same order.
pub(super) fn shared<T: Hash + Eq + Ord>(base: &[T], side: &[T]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, base, side) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            pairs.extend((0..len).map(|at| (old_index + at, new_index + at)));
        }
    }
    pairs
}

/// The changes of a side. Two changes with only `weak` items between them are one: a space or a comma that two
/// rewritten sentences share does not separate them.
fn hunks(base: &[u32], side: &[u32], weak: &dyn Fn(u32) -> bool) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut from, mut to) = (0, 0);
    let mut add = |base_range: Range<usize>, side_range: Range<usize>| {
        if base_range.is_empty() && side_range.is_empty() {
            return;
        }
        match hunks.last_mut() {
            Some(last) if base[last.base.end..base_range.start].iter().all(|item| weak(*item)) => {
                last.base.end = base_range.end;
                last.side.end = side_range.end;
            }
            _ => hunks.push(Hunk { base: base_range, side: side_range }),
        }
    };
    for (old, new) in shared(base, side) {
        add(from..old, to..new);
        (from, to) = (old + 1, new + 1);
    }
    add(from..base.len(), to..side.len());
    hunks
}

/// Decides a range that both sides changed, given the items of the base, the primary content and the change.
pub(super) type Contested<'c> = &'c mut dyn FnMut(&[u32], &[u32], &[u32]) -> Option<Vec<u32>>;

/// Joins two versions of `base`. Changes that do not overlap are both made, also if one ends where the next one begins;
/// two insertions at one place overlap. A range that both changed in the same way is changed once, and `contested`
/// decides any other. If it cannot, there is no joined version.
pub(super) fn join(
    base: &[u32],
    primary: &[u32],
    change: &[u32],
    weak: &dyn Fn(u32) -> bool,
    contested: Contested<'_>,
) -> Option<Vec<u32>> {
    let (of_primary, of_change) = (hunks(base, primary, weak), hunks(base, change, weak));
    let (mut ours, mut theirs) = (of_primary.as_slice(), of_change.as_slice());
    let mut joint = Vec::with_capacity(primary.len().max(change.len()));
    let mut at = 0;
    while let Some(region) = Region::first(ours, theirs) {
        let (our_hunks, our_rest) = ours.split_at(region.ours);
        let (their_hunks, their_rest) = theirs.split_at(region.theirs);
        let region = region.base;
        joint.extend_from_slice(&base[at..region.start]);
        match (rewritten(&region, our_hunks, primary), rewritten(&region, their_hunks, change)) {
            (Some(a), Some(b)) if a == b => joint.extend_from_slice(a),
            (Some(a), Some(b)) => joint.extend(contested(&base[region.clone()], a, b)?),
            (Some(a), None) | (None, Some(a)) => joint.extend_from_slice(a),
            (None, None) => {}
        }
        at = region.end;
        (ours, theirs) = (our_rest, their_rest);
    }
    joint.extend_from_slice(&base[at..]);
    Some(joint)
}

/// A range of the base that hunks change, and the number of these hunks of each side.
struct Region {
    base: Range<usize>,
    ours: usize,
    theirs: usize,
}

impl Region {
    /// The range of the first hunk, together with all hunks that overlap it. `None` without hunks.
    fn first(ours: &[Hunk], theirs: &[Hunk]) -> Option<Self> {
        let both = ours.first().into_iter().chain(theirs.first());
        let first = both.min_by_key(|hunk| (hunk.base.start, hunk.base.end))?;
        let mut region = Self { base: first.base.clone(), ours: 0, theirs: 0 };
        loop {
            let before = (region.ours, region.theirs);
            for (hunks, count) in [(ours, &mut region.ours), (theirs, &mut region.theirs)] {
                while let Some(next) = hunks.get(*count).filter(|next| overlap(&region.base, &next.base)) {
                    region.base = region.base.start.min(next.base.start)..region.base.end.max(next.base.end);
                    *count += 1;
                }
            }
            // A hunk of one side can reach the next hunk of the other.
            if (region.ours, region.theirs) == before {
                return Some(region);
            }
        }
    }
}

/// The items of a side in a region that these hunks of it change; `None` without hunks.
fn rewritten<'s>(region: &Range<usize>, hunks: &[Hunk], side: &'s [u32]) -> Option<&'s [u32]> {
    let (first, last) = (hunks.first()?, hunks.last()?);
    let start = first.side.start - (first.base.start - region.start);
    Some(&side[start..last.side.end + (region.end - last.base.end)])
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a == b || (a.start < b.end && b.start < a.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn items(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    #[rstest]
    #[case::one_side("abc", "abxc", "abc", Some("abxc"))]
    #[case::apart("abcde", "axcde", "abcdy", Some("axcdy"))]
    #[case::side_by_side("abcd", "axcd", "abyd", Some("axyd"))]
    #[case::the_same("abcd", "axxd", "axxd", Some("axxd"))]
    #[case::before_a_change("abc", "axbc", "ayc", Some("axyc"))]
    #[case::behind_a_change("abc", "abxc", "ayc", Some("ayxc"))]
    #[case::two_insertions("ab", "axb", "ayb", None)]
    #[case::inside_a_change("abcd", "abxcd", "ayd", None)]
    #[case::two_changes("abc", "axc", "ayc", None)]
    #[case::everything_goes_and_something_comes("abc", "", "abcx", Some("x"))]
    #[case::three_in_a_row("abcdef", "axxxxf", "abydzf", None)]
    #[case::nothing_at_all("", "", "", Some(""))]
    fn changes_that_do_not_overlap_are_joined(
        #[case] base: &str,
        #[case] primary: &str,
        #[case] change: &str,
        #[case] joint: Option<&str>,
    ) {
        let (base, primary, change) = (items(base), items(primary), items(change));
        for (ours, theirs) in [(&primary, &change), (&change, &primary)] {
            let joined = join(&base, ours, theirs, &|_| false, &mut |_, _, _| None);
            assert_eq!(joined, joint.map(items));
        }
    }

    #[test]
    fn what_is_weak_does_not_part_two_changes() {
        let (base, primary, change) = (items("a b c"), items("x y c"), items("a-b c"));
        let weak = |item| item == u32::from(' ');
        assert_eq!(join(&base, &primary, &change, &|_| false, &mut |_, _, _| None), Some(items("x-y c")));
        assert_eq!(join(&base, &primary, &change, &weak, &mut |_, _, _| None), None);
    }
}
