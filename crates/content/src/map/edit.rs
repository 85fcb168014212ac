//! Editing by path copying: only the paths to the edited keys are read and written.
//!
//! An edit goes down level by level to the leaves. On the way back up it cuts the changed rows again. It knows which
//! nodes it needs before it reads the level below: the nodes on the paths to the edited keys, and the next node after
//! each cut that may disappear. A cut stays if the hash of the key before it ends nodes of the level and the key is not
//! removed. Otherwise (the key is removed, the node is full, or it is the last node) the nodes on both sides are cut
//! again as one row. A key that ends nodes of one level also ends nodes of lower levels, so a cut that stays above also
//! stays below. Therefore the next node is always in the same parent, or the first in the next one.
use super::chunk::{ends, put_leaves, put_links, put_upwards};
use super::node::{Entry, Link, Node, Part};
use super::walk::{Step, Visit, Wanted, arrive};
use crate::object::{Hash, Read, Scratch, to_json};
use serde::Serialize;
use std::borrow::Cow;

/// A value that is encoded when its leaf is stored: the encoded values of all edits would take much memory together.
pub(super) trait Encode {
    /// Its canonical JSON.
    fn encode(&self) -> Vec<u8>;
}

impl<V: Serialize> Encode for V {
    fn encode(&self) -> Vec<u8> {
        to_json(self)
    }
}

/// A key with its new value; `None` removes it.
pub(super) type Edit<'e> = (&'e str, Option<&'e dyn Encode>);

/// A node that an edit reads.
struct Touched<'e> {
    visit: Visit,
    mark: Mark<'e>,
}

/// How an edit changes a node.
#[derive(Clone, Copy)]
struct Mark<'e> {
    /// The edits of keys in this node.
    edits: &'e [Edit<'e>],
    /// Whether it is the last node of its level, which takes all later keys.
    rightmost: bool,
    /// Whether the cut before it may disappear, so that it forms one row with the node before it.
    joins: bool,
}

/// The root after `edits`, which are in ascending order of keys.
pub(super) fn edit(scratch: &mut Scratch<'_>, root: Option<Hash>, edits: &[Edit<'_>]) -> Read<Option<Hash>> {
    if edits.is_empty() {
        return Ok(root);
    }
    let Some(root) = root else {
        let leaves = put_leaves(scratch, edited(std::iter::empty(), edits.iter()));
        return Ok(put_upwards(scratch, 1, leaves));
    };
    let visit = Visit::root(scratch, root)?;
    let level = visit.node()?.level();
    let touched = Touched { visit, mark: Mark { edits, rightmost: true, joins: false } };
    let rows = rewrite(scratch, level, vec![touched])?;
    Ok(put_upwards(scratch, level + 1, rows.into_iter().flatten().collect()))
}

/// Rewrites nodes of one level. For each row that was cut as one, returns the nodes that replace it.
fn rewrite(scratch: &mut Scratch<'_>, level: u8, nodes: Vec<Touched<'_>>) -> Read<Vec<Vec<Part>>> {
    if level == 0 { rewrite_leaves(scratch, &nodes) } else { rewrite_inner(scratch, level, &nodes) }
}

fn rewrite_leaves(scratch: &mut Scratch<'_>, nodes: &[Touched<'_>]) -> Read<Vec<Vec<Part>>> {
    let mut rows = Vec::new();
    for row in nodes.chunk_by(|_, next| next.mark.joins) {
        let mut old = Vec::new();
        for touched in row {
            if let Node::Leaf(entries) = touched.visit.node()? {
                old.extend(entries);
            }
        }
        let edits = row.iter().flat_map(|touched| touched.mark.edits);
        rows.push(put_leaves(scratch, edited(old.into_iter(), edits)));
    }
    Ok(rows)
}

/// What happens to a link of an inner node.
enum Fate<'a> {
    /// It is unchanged.
    Kept(Link<'a>),
    /// The next rewritten row replaces it.
    Replaced,
    /// It is part of the row that an earlier link begins.
    Joined,
}

fn rewrite_inner(scratch: &mut Scratch<'_>, level: u8, nodes: &[Touched<'_>]) -> Read<Vec<Vec<Part>>> {
    let (mut fates, mut steps, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    let mut joins = false;
    for Touched { visit, mark } in nodes {
        let node = visit.node()?;
        // A node with one link is not stored, so a node of a lower level in this place is its only child.
        let (links, is_child) = match &node {
            Node::Inner(own, links) if *own == level => (links.clone(), false),
            _ => (vec![Link { last: node.last_key(), count: node.count(), hash: visit.hash }], true),
        };
        let mut edits = mark.edits;
        let mut fates_here = Vec::with_capacity(links.len());
        for (at, (after, link)) in visit.spans(&links).enumerate() {
            let rightmost = mark.rightmost && at + 1 == links.len();
            let until = edits.partition_point(|(key, _)| rightmost || *key <= link.last);
            let (below, later) = edits.split_at(until);
            edits = later;
            if below.is_empty() && !joins {
                fates_here.push(Fate::Kept(*link));
                continue;
            }
            fates_here.push(if joins { Fate::Joined } else { Fate::Replaced });
            marks.push(Mark { edits: below, rightmost, joins });
            steps.push(if is_child { Step::At(visit.clone()) } else { Step::To(Wanted::child(after, level, link)) });
            joins = !ends(link.last, level - 1) || removes(below, link.last);
        }
        fates.push((mark.joins, fates_here));
    }
    let children = arrive(scratch, steps)?.into_iter().zip(marks).map(|(visit, mark)| Touched { visit, mark });
    let rewritten = rewrite(scratch, level - 1, children.collect())?;
    let mut rewritten = rewritten.iter();
    let mut rows = Vec::new();
    for nodes in fates.chunk_by(|_, (joins, _)| *joins) {
        let mut row = Vec::new();
        for fate in nodes.iter().flat_map(|(_, fates)| fates) {
            match fate {
                Fate::Kept(link) => row.push(*link),
                Fate::Replaced => row.extend(rewritten.next().into_iter().flatten().map(Part::link)),
                Fate::Joined => {}
            }
        }
        rows.push(put_links(scratch, level, &row));
    }
    Ok(rows)
}

fn removes(edits: &[Edit<'_>], key: &str) -> bool {
    let found = edits.binary_search_by(|(edited, _)| (*edited).cmp(key));
    found.is_ok_and(|at| edits[at].1.is_none())
}

/// The entries after the edits, both in ascending order.
fn edited<'a>(
    old: impl Iterator<Item = Entry<'a>>,
    edits: impl Iterator<Item = &'a Edit<'a>>,
) -> impl Iterator<Item = (&'a str, Cow<'a, [u8]>)> {
    let (mut old, mut edits) = (old.peekable(), edits.peekable());
    let stays = |entry: Entry<'a>| (entry.key, Cow::Borrowed(entry.value));
    std::iter::from_fn(move || {
        loop {
            let Some((key, value)) = edits.peek().copied() else { return old.next().map(stays) };
            if let Some(entry) = old.next_if(|entry| entry.key < *key) {
                return Some(stays(entry));
            }
            old.next_if(|entry| entry.key == *key);
            edits.next();
            if let Some(value) = value {
                return Some((*key, Cow::Owned(value.encode())));
            }
        }
    })
}
