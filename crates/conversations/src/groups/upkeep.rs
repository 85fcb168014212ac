//! Upkeep of clusters: merges similar clusters, and moves issues that are more similar to another cluster.
use super::space::Joined;
use super::{Groups, Slot};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// The margin by which an issue must be more similar to another cluster to move there.
const NEARER: f32 = 0.07;
/// The maximum number of rounds of merging and moving.
const ROUNDS: usize = 2;
/// The maximum share of issues that one upkeep moves, in percent, so that users find most issues where they saw them.
/// The next upkeep continues. A cluster with more issues is never merged into a larger one.
const MOST_MOVED: usize = 7;
/// The number of issues that every upkeep may move, also in a small group.
const ALWAYS_MOVED: usize = 20;

/// What upkeep changed. Apply it in this order: first the merged clusters, then the moved issues, then clusters that
/// became empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Merged clusters: the issues of the first are now in the second, to which the id of the first refers from now on.
    pub merged: Vec<(u32, u32)>,
    /// Moved issues, apart from those of merged clusters: each with its new cluster.
    pub moved: Vec<(u32, u32)>,
    /// Clusters without issues because all have moved: each with the cluster of the last one, to which its id refers
    /// from now on.
    pub emptied: Vec<(u32, u32)>,
}

impl Upkeep {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.merged.is_empty() && self.moved.is_empty() && self.emptied.is_empty()
    }
}

/// Two clusters that may be merged: the similarity as bits, which sort like the number, the numbers of both clusters,
/// older first, and the changes of both when it was computed.
type Pair = (u32, Reverse<(u32, u32)>, (Slot, u32), (Slot, u32));

/// The issues that one upkeep moves.
struct Moves {
    most: usize,
    issues: HashSet<usize>,
}

impl Moves {
    /// Adds the issues, unless there would be too many. Returns whether they may move.
    fn add(&mut self, issues: &[usize]) -> bool {
        let new = issues.iter().filter(|at| !self.issues.contains(at)).count();
        let allowed = self.issues.len() + new <= self.most;
        if allowed {
            self.issues.extend(issues);
        }
        allowed
    }
}

impl Groups {
    /// Merges clusters by average linkage down to the threshold, most similar first. Moves issues that reach the
    /// threshold of another cluster and are more similar to it than to their own. Of two merged clusters, the larger
    /// keeps its number; of two equal ones, the older. The number of issues that move each time is limited.
    pub fn upkeep(&mut self) -> Upkeep {
        self.upkeep_of((self.issues.len() * MOST_MOVED / 100).max(ALWAYS_MOVED))
    }

    /// Like [`upkeep`](Self::upkeep), with another limit of issues that move.
    pub(super) fn upkeep_of(&mut self, most: usize) -> Upkeep {
        let mut moves = Moves { most, issues: HashSet::new() };
        let before: Vec<u32> = self.issues.iter().map(|issue| self.clusters[issue.slot].number).collect();
        let mut successors: Vec<(u32, u32)> = Vec::new();
        let mut emptied: Vec<(u32, u32)> = Vec::new();
        for _ in 0..ROUNDS {
            let merged = self.merge(&mut moves);
            let moved = self.move_nearer(&mut moves, &mut emptied);
            let done = merged.is_empty() && !moved;
            successors.extend(merged);
            if done {
                break;
            }
        }
        self.changes_since(&before, &successors, &emptied)
    }

    /// Merges the most similar clusters until no two of those that may be merged reach the threshold.
    fn merge(&mut self, moves: &mut Moves) -> Vec<(u32, u32)> {
        let mut merged = Vec::new();
        let mut pairs: BinaryHeap<Pair> = BinaryHeap::new();
        for slot in 0..self.clusters.len() {
            pairs.extend(self.alike(slot, true));
        }
        while let Some((_, _, (one, one_changes), (other, other_changes))) = pairs.pop() {
            let current = |slot: Slot, changes: u32| {
                !self.clusters[slot].issues.is_empty() && self.clusters[slot].changes == changes
            };
            if !current(one, one_changes) || !current(other, other_changes) {
                continue;
            }
            let rank = |slot: Slot| (Reverse(self.clusters[slot].issues.len()), self.clusters[slot].number);
            let (into, from) = if rank(one) < rank(other) { (one, other) } else { (other, one) };
            if !moves.add(&self.clusters[from].issues) {
                continue;
            }
            merged.push((self.clusters[from].number, self.clusters[into].number));
            for at in self.clusters[from].issues.clone() {
                self.remove(at);
                self.add(at, into);
            }
            pairs.extend(self.alike(into, false));
        }
        merged
    }

    /// The clusters whose mean similarity to this one reaches the threshold; only those after it if `after`.
    fn alike(&self, slot: Slot, after: bool) -> Vec<Pair> {
        let cluster = &self.clusters[slot];
        if cluster.issues.is_empty() {
            return Vec::new();
        }
        let joined = Joined { sparse: self.sum(cluster), dense: cluster.sum.clone() };
        let sums = self.products(&joined);
        let others = self.clusters.iter().zip(sums).enumerate().skip(if after { slot + 1 } else { 0 });
        let pair = |(at, (other, sum)): (Slot, (&super::Cluster, f32))| {
            let similarity = sum / (cluster.issues.len() * other.issues.len()) as f32;
            let fits = at != slot && !other.issues.is_empty() && similarity >= self.space.threshold();
            let numbers = (cluster.number.min(other.number), cluster.number.max(other.number));
            fits.then(|| (similarity.to_bits(), Reverse(numbers), (slot, cluster.changes), (at, other.changes)))
        };
        others.filter_map(pair).collect()
    }

    /// Moves issues to the cluster that they are more similar to, oldest first. Adds emptied clusters to `emptied`.
    fn move_nearer(&mut self, moves: &mut Moves, emptied: &mut Vec<(u32, u32)>) -> bool {
        let mut moved = false;
        for at in 0..self.issues.len() {
            let own = self.issues[at].slot;
            let others = self.clusters[own].issues.len() - 1;
            let joined = &self.issues[at].joined;
            let sums = self.products(joined);
            let Some((to, similarity)) = self.best(&sums, Some(own)) else { continue };
            let to_own = if others == 0 { 0.0 } else { (sums[own] - joined.square()) / others as f32 };
            if similarity < self.space.threshold() || similarity < to_own + NEARER || !moves.add(&[at]) {
                continue;
            }
            moved = true;
            self.remove(at);
            self.add(at, to);
            if others == 0 {
                emptied.push((self.clusters[own].number, self.clusters[to].number));
            }
        }
        moved
    }

    /// The differences from the clusters that issues had before. An emptied cluster gets no issue again, so each is in
    /// exactly one of the lists.
    fn changes_since(&self, before: &[u32], merged: &[(u32, u32)], emptied: &[(u32, u32)]) -> Upkeep {
        let successors: HashMap<u32, u32> = merged.iter().chain(emptied).copied().collect();
        let last = |mut number: u32| {
            while let Some(successor) = successors.get(&number) {
                number = *successor;
            }
            number
        };
        let resolved = |list: &[(u32, u32)]| list.iter().map(|(from, into)| (*from, last(*into))).collect();
        let merged: Vec<(u32, u32)> = resolved(merged);
        let of_merged: HashMap<u32, u32> = merged.iter().copied().collect();
        let moved = self.issues.iter().zip(before).filter_map(|(issue, before)| {
            let now = self.clusters[issue.slot].number;
            (now != *of_merged.get(before).unwrap_or(before)).then_some((issue.number, now))
        });
        Upkeep { moved: moved.collect(), emptied: resolved(emptied), merged }
    }
}
