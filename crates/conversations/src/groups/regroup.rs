//! Groups all issues from scratch, such as after a change of how they are compared.
use super::{Groups, Issue, Member, Upkeep};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

impl Groups {
    /// Groups the issues again, one after the other. A new cluster takes the number of the old cluster with which it
    /// shares the most issues: pairs that share the most are matched first, then older ones. If no such number is free,
    /// it gets one from `new`. An old cluster without issues is merged into the one that has most of its issues.
    pub fn regroup(&mut self, mut new: impl FnMut() -> u32) -> Upkeep {
        let old: Vec<u32> = self.issues.iter().map(|issue| self.clusters[issue.slot].number).collect();
        let mut again = Self::build(self.space.language(), []);
        for (at, issue) in std::mem::take(&mut self.issues).into_iter().enumerate() {
            let Issue { number, features, .. } = issue;
            let cluster = again.assign(&features).map_or(at as u32, |nearest| nearest.cluster);
            again.insert(Member { issue: number, cluster, features });
        }
        again.upkeep_of(usize::MAX);
        let made: Vec<u32> = again.issues.iter().map(|issue| again.clusters[issue.slot].number).collect();
        let (mut numbers, mut taken) = (BTreeMap::new(), HashSet::new());
        for (old, made) in shared(&old, &made) {
            if !numbers.contains_key(&made) && taken.insert(old) {
                numbers.insert(made, old);
            }
        }
        let now: Vec<u32> = made.iter().map(|made| *numbers.entry(*made).or_insert_with(&mut new)).collect();
        let filled: HashSet<u32> = now.iter().copied().collect();
        let mut successors: BTreeMap<u32, u32> = BTreeMap::new();
        for (old, now) in shared(&old, &now) {
            if !filled.contains(&old) {
                successors.entry(old).or_insert(now);
            }
        }
        let member = |(issue, cluster): (Issue, &u32)| {
            let Issue { number, features, .. } = issue;
            Member { issue: number, cluster: *cluster, features }
        };
        *self = Self::build(self.space.language(), again.issues.into_iter().zip(&now).map(member));
        let clusters = self.issues.iter().zip(old.iter().zip(&now));
        let moved = clusters.filter(|(_, (old, now))| old != now).map(|(issue, (_, now))| (issue.number, *now));
        Upkeep { merged: Vec::new(), moved: moved.collect(), emptied: successors.into_iter().collect() }
    }
}

/// The pairs of an old and a new cluster with issues in common: those with most of them first, then the older.
fn shared(old: &[u32], new: &[u32]) -> Vec<(u32, u32)> {
    let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for pair in old.iter().copied().zip(new.iter().copied()) {
        *counts.entry(pair).or_default() += 1;
    }
    let mut pairs: Vec<((u32, u32), usize)> = counts.into_iter().collect();
    pairs.sort_by_key(|(_, count)| Reverse(*count));
    pairs.into_iter().map(|(pair, _)| pair).collect()
}
