//! The rule that cuts a level of the tree into nodes.
//!
//! The entries of a level form one row, which is cut into nodes from left to right. A node ends
//! - after an entry whose key ends nodes of this level: the hash of the key decides (one key in 16),
//! - or when it is full: [`MAX_ENTRIES`], or, in a leaf, [`FULL`] bytes.
//!
//! The rule looks only at the entries since the last cut, so it is a function of the row alone: the same content gives
//! the same nodes, whatever edits led to it. An added or removed entry can shift the cuts after a full node, at most up
//! to the next key whose hash ends nodes. With keys that are not chosen to cause this, one node in 4,000 is full.
//!
//! A key that ends nodes of one level also ends nodes of every lower level: each level requires four more zero bits of
//! the same hash. So a cut by hash on one level is also a cut on every lower level. This lets an edit find every node
//! it needs from the keys in the inner nodes, before it reads the level below (see [`super::edit`]).
use super::node::{Entry, Link, MAX_ENTRIES, Part, put_inner, put_leaf};
use crate::object::{Hash, Scratch};
use std::borrow::Cow;

/// A leaf that has reached this many bytes of keys and values is full.
const FULL: usize = 64 * 1024;

/// The number of zero bits that end a leaf: one key in 2 to this power.
///
/// Measured with 10,000 pages of 300 bytes: with 8 entries per leaf, an edit stores a third less than with 16 (9 KB
/// instead of 14 KB), but there are twice as many nodes to read and one more level. With 32, an edit stores half as
/// much again, with half the nodes.
const LEAF_BITS: u32 = 4;

/// The number of further zero bits that end an inner node: one key in a row of links in 2 to this power.
const INNER_BITS: u32 = 4;

/// Whether nodes of this level end after this key, whatever they contain.
pub(super) fn ends(key: &str, level: u8) -> bool {
    let hash = blake3::hash(key.as_bytes());
    let drawn = hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    drawn.trailing_zeros() >= LEAF_BITS + INNER_BITS * u32::from(level)
}

/// Where the nodes of a level end.
#[derive(Default)]
struct Cuts {
    level: u8,
    /// Entries since the last cut.
    entries: usize,
    /// Bytes since the last cut.
    bytes: usize,
}

impl Cuts {
    /// Whether a node ends after the next entry, which counts this many bytes.
    fn after(&mut self, key: &str, bytes: usize) -> bool {
        self.entries += 1;
        self.bytes += bytes;
        let cut = self.entries == MAX_ENTRIES || self.bytes >= FULL || ends(key, self.level);
        if cut {
            *self = Self { level: self.level, ..Self::default() };
        }
        cut
    }
}

/// Stores a row of keys with encoded values as leaves. Takes them one by one, so that only the values of one leaf are
/// in memory besides those that are stored.
pub(super) fn put_leaves<'a>(
    scratch: &mut Scratch<'_>,
    row: impl Iterator<Item = (&'a str, Cow<'a, [u8]>)>,
) -> Vec<Part> {
    let (mut cuts, mut leaves, mut waiting) = (Cuts::default(), Vec::new(), Vec::new());
    let mut put = |waiting: &[(&str, Cow<'_, [u8]>)]| {
        let entries: Vec<Entry<'_>> = waiting.iter().map(|(key, value)| Entry { key, value }).collect();
        leaves.push(put_leaf(scratch, &entries));
    };
    for (key, value) in row {
        let cut = cuts.after(key, key.len() + value.len());
        waiting.push((key, value));
        if cut {
            put(&waiting);
            waiting.clear();
        }
    }
    if !waiting.is_empty() {
        put(&waiting);
    }
    leaves
}

/// Stores a row of links as inner nodes. A node with one link is not stored; the link replaces it.
pub(super) fn put_links(scratch: &mut Scratch<'_>, level: u8, row: &[Link<'_>]) -> Vec<Part> {
    let mut cuts = Cuts { level, ..Cuts::default() };
    // Links count no bytes: every inner node must have room for two. Otherwise the tree would never reach a root.
    row.split_inclusive(|link| cuts.after(link.last, 0))
        .map(|links| match links {
            [link] => link.to_part(),
            _ => put_inner(scratch, level, links),
        })
        .collect()
}

/// Stores the levels from this one upwards, over the row of links to all nodes below. Returns the root.
pub(super) fn put_upwards(scratch: &mut Scratch<'_>, mut level: u8, mut row: Vec<Part>) -> Option<Hash> {
    while row.len() > 1 {
        let links: Vec<Link<'_>> = row.iter().map(Part::link).collect();
        row = put_links(scratch, level, &links);
        level += 1;
    }
    row.first().map(|root| root.hash)
}
