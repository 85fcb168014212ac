//! The difference between two maps, at a cost in proportion to its size.
use super::node::{Entry, Node};
use super::walk::{Step, Visit, Wanted, arrive};
use crate::object::{Hash, Objects, Read};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The leaves that only one of two maps has, each side in order.
///
/// The walk goes down both trees together, the higher one first until both are at the same level. Nodes with the same
/// hash on both sides have the same entries and are dropped from both: a map has each key only once, so none of these
/// entries can have changed.
pub(super) fn differing_leaves(
    objects: &dyn Objects,
    before: Option<Hash>,
    after: Option<Hash>,
) -> Read<(Vec<Visit>, Vec<Visit>)> {
    let root = |hash: Option<Hash>| hash.map(Wanted::root).map(Step::To).into_iter().collect::<Vec<_>>();
    let (mut before, mut after) = (root(before), root(after));
    loop {
        let (olds, news) = (hashes(&before), hashes(&after));
        before.retain(|step| !news.contains(&step.hash()));
        after.retain(|step| !olds.contains(&step.hash()));
        let split = before.len();
        before.append(&mut after);
        let mut visits = arrive(objects, before)?;
        let nodes = visits.iter().map(Visit::node).collect::<Read<Vec<_>>>()?;
        let top = nodes.iter().map(Node::level).max().unwrap_or(0);
        if top == 0 {
            drop(nodes);
            let after = visits.split_off(split);
            return Ok((visits, after));
        }
        before = descend(&visits[..split], &nodes[..split], top);
        after = descend(&visits[split..], &nodes[split..], top);
    }
}

fn hashes(steps: &[Step]) -> BTreeSet<Hash> {
    steps.iter().map(Step::hash).collect()
}

/// Replaces the nodes of level `top` by their children. Nodes of lower levels stay.
fn descend(visits: &[Visit], nodes: &[Node<'_>], top: u8) -> Vec<Step> {
    let mut steps = Vec::new();
    for (visit, node) in visits.iter().zip(nodes) {
        match node {
            Node::Inner(level, links) if *level == top => {
                steps.extend(visit.spans(links).map(|(after, link)| Step::To(Wanted::child(after, top, link))));
            }
            _ => steps.push(Step::At(visit.clone())),
        }
    }
    steps
}

type Named<'a> = (Hash, Entry<'a>);

/// Pairs the entries of both sides by key, in order, without equal ones.
pub(super) fn differing_entries<'a>(
    before: Vec<Named<'a>>,
    after: Vec<Named<'a>>,
) -> impl Iterator<Item = (Option<Named<'a>>, Option<Named<'a>>)> {
    let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
    let pairs = std::iter::from_fn(move || {
        let order = match (before.peek(), after.peek()) {
            (Some((_, old)), Some((_, new))) => old.key.cmp(new.key),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let old = if order.is_le() { before.next() } else { None };
        let new = if order.is_ge() { after.next() } else { None };
        Some((old, new))
    });
    pairs.filter(|(old, new)| old.map(|(_, entry)| entry.value) != new.map(|(_, entry)| entry.value))
}
