//! Clusters of issues on one problem, for the issues of one organization in one language.
//!
//! [`Groups`] is built from stored issues. [`Groups::assign`] returns the cluster that a new issue joins, and
//! [`Groups::upkeep`] periodically merges clusters and moves issues. The same issues in the same order give the same
//! clusters, whatever the size of the batches. [`Groups::regroup`] groups all issues from scratch.
mod regroup;
mod space;
#[cfg(test)]
mod tests;
mod upkeep;

pub use crate::features::Measure;
pub use upkeep::Upkeep;

use crate::features::Features;
use space::{Dimension, Joined, Space, dot};
use std::collections::HashMap;

/// The maximum number of issues that are grouped: the newest ones. Older issues keep their clusters.
pub const MAX_MEMBERS: usize = 20_000;

/// Whether upkeep is due, given the number of issues now and at the last upkeep: after 200 new issues, or in a large
/// group after a tenth of its size, so that upkeep takes a bounded share of the work. The caller also runs it once a
/// day if there are new issues.
pub fn upkeep_is_due(now: usize, at_last: usize) -> bool {
    now.saturating_sub(at_last) >= (at_last / 10).max(200)
}

/// An issue in its cluster. Numbers are those of the caller; a lower one is older.
#[derive(Clone, Debug)]
pub struct Member {
    /// The number of the issue.
    pub issue: u32,
    /// The number of its cluster.
    pub cluster: u32,
    /// Its features.
    pub features: Features,
}

/// The cluster that is most similar to an issue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Its number.
    pub cluster: u32,
    /// The mean similarity to its issues, 0 to 1.
    pub similarity: f32,
}

/// The index of a cluster in the list of all clusters.
type Slot = usize;

#[derive(Debug)]
struct Issue {
    number: u32,
    slot: Slot,
    features: Features,
    joined: Joined,
}

/// A cluster: its issues, and the sum of their vectors. The sum of their terms is in [`Groups::postings`].
#[derive(Debug, Default)]
struct Cluster {
    number: u32,
    /// Indexes of issues.
    issues: Vec<usize>,
    sum: Vec<f32>,
    /// The number of changes so far.
    changes: u32,
}

/// The clusters of the issues of one organization in one language.
#[derive(Debug)]
pub struct Groups {
    space: Space,
    issues: Vec<Issue>,
    clusters: Vec<Cluster>,
    slots: HashMap<u32, Slot>,
    /// The inverted index: for each dimension, its clusters, each with the sum of its issues' weights; ascending.
    postings: Vec<Vec<(u32, f32)>>,
}

impl Groups {
    /// Builds the groups of these issues, oldest first.
    pub fn build(measure: Measure, members: impl IntoIterator<Item = Member>) -> Self {
        let mut groups = Self {
            space: Space::new(measure),
            issues: Vec::new(),
            clusters: Vec::new(),
            slots: HashMap::new(),
            postings: Vec::new(),
        };
        for member in members {
            groups.space.learn(&member.features);
            let slot = groups.slot(member.cluster);
            let Member { issue: number, features, .. } = member;
            groups.issues.push(Issue { number, slot, features, joined: Joined::default() });
        }
        groups.weigh();
        groups
    }

    /// The number of issues.
    pub fn len(&self) -> usize {
        self.issues.len()
    }

    /// Whether there are no issues.
    pub fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }

    /// The cluster that an issue with these features joins: the one with the highest mean similarity, if that reaches
    /// the threshold; the older one if two are equally similar. `None` if it starts a new cluster.
    pub fn assign(&self, features: &Features) -> Option<Nearest> {
        let joined = self.space.join(features);
        let sums = self.products(&joined);
        let (slot, similarity) = self.best(&sums, None)?;
        (similarity >= self.space.threshold()).then(|| Nearest { cluster: self.clusters[slot].number, similarity })
    }

    /// Adds an issue that came after all others to its cluster, which may be new.
    pub fn insert(&mut self, member: Member) {
        self.space.learn(&member.features);
        self.postings.resize_with(self.space.len(), Vec::new);
        let slot = self.slot(member.cluster);
        let joined = self.space.join(&member.features);
        self.issues.push(Issue { number: member.issue, slot, features: member.features, joined });
        if Space::weighed_at(self.issues.len()) > self.space.weighed {
            self.weigh();
        } else {
            self.add(self.issues.len() - 1, slot);
        }
    }

    /// The issues of a cluster with their similarity to its centre, the most similar first, then the older. The first
    /// ones are typical for it.
    pub fn typical(&self, cluster: u32) -> Vec<(u32, f32)> {
        let Some(cluster) = self.slots.get(&cluster).map(|slot| &self.clusters[*slot]) else { return Vec::new() };
        let sum: HashMap<Dimension, f32> = self.sum(cluster).into_iter().collect();
        let count = cluster.issues.len() as f32;
        let near = |issue: &Issue| {
            let terms = issue.joined.sparse.iter().filter_map(|(at, part)| Some(sum.get(at)? * part)).sum::<f32>();
            (terms + dot(&issue.joined.dense, &cluster.sum)) / count
        };
        let mut found: Vec<(u32, f32)> =
            cluster.issues.iter().map(|at| &self.issues[*at]).map(|issue| (issue.number, near(issue))).collect();
        found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        found
    }

    /// The clusters with the numbers of their issues, both ascending.
    pub fn clusters(&self) -> Vec<(u32, Vec<u32>)> {
        let numbers = |cluster: &Cluster| {
            let mut numbers: Vec<u32> = cluster.issues.iter().map(|at| self.issues[*at].number).collect();
            numbers.sort_unstable();
            numbers
        };
        let filled = self.clusters.iter().filter(|cluster| !cluster.issues.is_empty());
        let mut found: Vec<_> = filled.map(|cluster| (cluster.number, numbers(cluster))).collect();
        found.sort_unstable();
        found
    }

    fn slot(&mut self, cluster: u32) -> Slot {
        *self.slots.entry(cluster).or_insert_with(|| {
            self.clusters.push(Cluster { number: cluster, ..Cluster::default() });
            self.clusters.len() - 1
        })
    }

    /// Computes the weights and all sums again.
    fn weigh(&mut self) {
        let weighed = Space::weighed_at(self.issues.len());
        self.space.weigh(self.issues[..weighed].iter().map(|issue| &issue.features));
        self.postings.clear();
        self.postings.resize_with(self.space.len(), Vec::new);
        for cluster in &mut self.clusters {
            cluster.issues.clear();
            cluster.sum.clear();
            cluster.changes += 1;
        }
        for at in 0..self.issues.len() {
            self.issues[at].joined = self.space.join(&self.issues[at].features);
            self.add(at, self.issues[at].slot);
        }
    }

    /// Adds an issue to the sums of a cluster.
    fn add(&mut self, at: usize, slot: Slot) {
        let Self { issues, clusters, postings, .. } = self;
        let cluster = &mut clusters[slot];
        cluster.issues.push(at);
        cluster.changes += 1;
        issues[at].slot = slot;
        add_dense(&mut cluster.sum, &issues[at].joined.dense, 1.0);
        for (dimension, part) in &issues[at].joined.sparse {
            change(&mut postings[*dimension as usize], slot, *part);
        }
    }

    /// Removes an issue from the sums of its cluster.
    fn remove(&mut self, at: usize) {
        let Self { issues, clusters, postings, .. } = self;
        let slot = issues[at].slot;
        let cluster = &mut clusters[slot];
        cluster.issues.retain(|other| *other != at);
        cluster.changes += 1;
        add_dense(&mut cluster.sum, &issues[at].joined.dense, -1.0);
        for (dimension, part) in &issues[at].joined.sparse {
            change(&mut postings[*dimension as usize], slot, -part);
        }
    }

    /// The sum of the terms of a cluster's issues, by dimension.
    fn sum(&self, cluster: &Cluster) -> Vec<(Dimension, f32)> {
        let parts = cluster.issues.iter().flat_map(|at| self.issues[*at].joined.sparse.iter().copied());
        let mut parts: Vec<(Dimension, f32)> = parts.collect();
        parts.sort_by_key(|(dimension, _)| *dimension);
        parts.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            if same {
                sum.1 += next.1;
            }
            same
        });
        parts
    }

    /// The dot products of a vector with the sum of each cluster.
    fn products(&self, joined: &Joined) -> Vec<f32> {
        let mut sums: Vec<f32> = if joined.dense.is_empty() {
            vec![0.0; self.clusters.len()]
        } else {
            self.clusters.iter().map(|cluster| dot(&cluster.sum, &joined.dense)).collect()
        };
        for (dimension, part) in &joined.sparse {
            for (slot, sum) in &self.postings[*dimension as usize] {
                sums[*slot as usize] += part * sum;
            }
        }
        sums
    }

    /// The cluster with the highest mean similarity, given the dot products with all sums; skips `without`.
    fn best(&self, sums: &[f32], without: Option<Slot>) -> Option<(Slot, f32)> {
        let mut best: Option<(Slot, f32)> = None;
        for (slot, (cluster, sum)) in self.clusters.iter().zip(sums).enumerate() {
            if cluster.issues.is_empty() || without == Some(slot) {
                continue;
            }
            let mean = sum / cluster.issues.len() as f32;
            let better = |(other, of_other): (Slot, f32)| {
                mean > of_other || mean == of_other && cluster.number < self.clusters[other].number
            };
            if best.is_none_or(better) {
                best = Some((slot, mean));
            }
        }
        best
    }
}

/// Adds a vector, multiplied by `times`, to a sum. An empty sum gets the vector's length.
fn add_dense(sum: &mut Vec<f32>, vector: &[f32], times: f32) {
    if sum.is_empty() && times > 0.0 {
        sum.resize(vector.len(), 0.0);
    }
    if sum.len() == vector.len() {
        sum.iter_mut().zip(vector).for_each(|(sum, part)| *sum += times * part);
    }
}

/// Adds `by` to the weight of a cluster in a posting list, and removes an entry that reaches zero.
fn change(posting: &mut Vec<(u32, f32)>, slot: Slot, by: f32) {
    let slot = slot as u32;
    match posting.binary_search_by_key(&slot, |(slot, _)| *slot) {
        Ok(at) if posting[at].1 + by < 1e-6 => {
            posting.remove(at);
        }
        Ok(at) => posting[at].1 += by,
        Err(at) if by > 0.0 => posting.insert(at, (slot, by)),
        Err(_) => {}
    }
}
