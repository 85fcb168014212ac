//! Brings clusters in order: merges those that have become alike, and moves issues that are nearer to another.
use super::space::Joined;
use super::{Groups, Slot};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// How much nearer an issue is to another cluster before it moves there.
const NEARER: f32 = 0.07;
/// The most times that merging and moving follow each other.
const ROUNDS: usize = 2;
/// The most issues that one upkeep puts into another cluster, in hundredths of all, so that people find most issues
/// where they saw them. The next upkeep goes on. A cluster with more issues is never merged into a larger one.
const MOST_MOVED: usize = 7;
/// The number of issues that every upkeep may put into another cluster.
const ALWAYS_MOVED: usize = 20;

/// What upkeep changed. Apply it in this order: first the merged clusters, then the moved issues, then those that were left
/// empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Clusters that are one now: the issues of the first are in the second, whose id it answers with from now on.
    pub merged: Vec<(u32, u32)>,
    /// Issues that are in another cluster now, apart from those of merged clusters: the issue and its cluster.
    pub moved: Vec<(u32, u32)>,
    /// Clusters that have no issues any more because all have moved, with the cluster of the last one, which they answer
    /// with from now on.
    pub emptied: Vec<(u32, u32)>,
}

impl Upkeep {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.merged.is_empty() && self.moved.is_empty() && self.emptied.is_empty()
    }
}

/// Two clusters that may become one: the similarity as bits, which have its order, the older numbers first, and the number
/// of changes of both when it was computed.
type Pair = (u32, Reverse<(u32, u32)>, (Slot, u32), (Slot, u32));

/// The issues that one upkeep puts into another cluster.
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
    /// Merges clusters by average linkage down to the threshold, and moves issues that reach the threshold of another
    /// cluster and are nearer to it than to their own. Of two merged clusters, the larger keeps its number, the older of two
    /// equal ones. Few issues get into another cluster each time; the most similar clusters come first.
    pub fn upkeep(&mut self) -> Upkeep {
        self.upkeep_of((self.issues.len() * MOST_MOVED / 100).max(ALWAYS_MOVED))
    }

    /// The same with another number of issues that may get into another cluster.
    pub(super) fn upkeep_of(&mut self, most: usize) -> Upkeep {
        let mut moves = Moves { most, issues: HashSet::new() };
        let before: Vec<u32> = self.issues.iter().map(|issue| self.clusters[issue.slot].number).collect();
        let mut heirs: Vec<(u32, u32)> = Vec::new();
        let mut left: Vec<(u32, u32)> = Vec::new();
        for _ in 0..ROUNDS {
            let merged = self.merge(&mut moves);
            let moved = self.move_nearer(&mut moves, &mut left);
            let done = merged.is_empty() && !moved;
            heirs.extend(merged);
            if done {
                break;
            }
        }
        self.changes_since(&before, &heirs, &left)
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
                self.take(at);
                self.add(at, into);
            }
            pairs.extend(self.alike(into, false));
        }
        merged
    }

    /// The clusters that are as similar as the threshold to this one, on average; only those after it if `after`.
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

    /// Moves issues to the cluster that they are nearer to, oldest first. Adds what is left empty to `left`.
    fn move_nearer(&mut self, moves: &mut Moves, left: &mut Vec<(u32, u32)>) -> bool {
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
            self.take(at);
            self.add(at, to);
            if others == 0 {
                left.push((self.clusters[own].number, self.clusters[to].number));
            }
        }
        moved
    }

    /// What differs from the clusters that issues had before. A cluster that was left empty gets no issue again, so each is
    /// in one of the lists, once.
    fn changes_since(&self, before: &[u32], merged: &[(u32, u32)], left: &[(u32, u32)]) -> Upkeep {
        let heirs: HashMap<u32, u32> = merged.iter().chain(left).copied().collect();
        let last = |mut number: u32| {
            while let Some(heir) = heirs.get(&number) {
                number = *heir;
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
        Upkeep { moved: moved.collect(), emptied: resolved(left), merged }
    }
}
