//! Groups all issues again, after a change of how they are compared, and keeps the numbers of clusters.
use super::{Groups, Measure, Member, Space};
use crate::features::Features;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The clusters of all issues after they were grouped again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regrouping {
    /// The issues, each with its cluster, in the order in which they were given.
    pub places: Vec<(u32, u32)>,
    /// The numbers of clusters that are new; they follow the highest old one.
    pub new: Vec<u32>,
    /// Old clusters that are no more, each with the cluster that most of its issues are in now, whose id it answers with.
    pub heirs: Vec<(u32, u32)>,
}

/// Groups issues from scratch, in the order in which they came. A new cluster gets the number of the old one with which it
/// shares most issues, the largest overlap first.
pub fn regroup(measure: Measure, members: impl IntoIterator<Item = Member>) -> Regrouping {
    let mut old: Vec<(u32, u32)> = Vec::new();
    let mut all: Vec<Features> = Vec::new();
    for member in members {
        old.push((member.issue, member.cluster));
        all.push(member.features);
    }
    let fresh = fresh_clusters(measure, all);
    let mut overlaps: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for ((_, old), fresh) in old.iter().zip(&fresh) {
        *overlaps.entry((*old, *fresh)).or_default() += 1;
    }
    let mut order: Vec<((u32, u32), usize)> = overlaps.into_iter().collect();
    order.sort_by_key(|(pair, count)| (Reverse(*count), *pair));
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    for ((old, fresh), _) in &order {
        if !numbers.contains_key(fresh) && taken.insert(*old) {
            numbers.insert(*fresh, *old);
        }
    }
    let mut next = old.iter().map(|(_, cluster)| cluster.saturating_add(1)).max().unwrap_or(0);
    let mut new = Vec::new();
    for fresh in &fresh {
        numbers.entry(*fresh).or_insert_with(|| {
            new.push(next);
            next += 1;
            next - 1
        });
    }
    let places: Vec<(u32, u32)> = old.iter().zip(&fresh).map(|((issue, _), fresh)| (*issue, numbers[fresh])).collect();
    let mut heirs: BTreeMap<u32, u32> = BTreeMap::new();
    for ((old, fresh), _) in order.iter().filter(|((old, _), _)| !taken.contains(old)) {
        heirs.entry(*old).or_insert(numbers[fresh]);
    }
    Regrouping { places, new, heirs: heirs.into_iter().collect() }
}

/// The cluster of each issue when all are grouped as they came, with upkeep at the end. Weights are those of all issues.
fn fresh_clusters(measure: Measure, all: Vec<Features>) -> Vec<u32> {
    let mut space = Space::new(measure);
    all.iter().for_each(|features| space.learn(features));
    space.weigh(all.iter());
    let mut groups = Groups::build(measure, []);
    groups.space = space;
    groups.postings.resize_with(groups.space.len(), Vec::new);
    for (at, features) in all.into_iter().enumerate() {
        let issue = at as u32;
        let cluster = groups.assign(&features).map_or(issue, |nearest| nearest.cluster);
        groups.insert(Member { issue, cluster, features });
    }
    groups.upkeep();
    groups.issues.iter().map(|issue| groups.clusters[issue.slot].number).collect()
}
