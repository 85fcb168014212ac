//! Where one node ends and the next begins.
//!
//! On each level the entries stand in one row, which is cut into nodes from left to right. A node ends
//! - after an entry whose key ends nodes of its level, as the hash of the key says (one key in 16),
//! - or when it is full: [`MAX_ENTRIES`], or, in a leaf, [`FULL`] bytes.
//!
//! The cutting begins anew behind every cut, so it is a function of the row alone: the same content gives the same
//! nodes, whatever edits led to it. The bound keeps that property, because it too looks at nothing but the entries
//! since the last cut. What it can do is to shift the cuts behind a full node when an entry comes or goes, at the
//! furthest to the next key that ends nodes by its hash; for keys that are not chosen to that end, one node in 4,000 is
//! full.
//!
//! A key that ends nodes of one level ends those of every level below as well: each level asks for four more zero bits
//! of the same hash. So a cut that is sure on one level is sure below it, which is what lets an edit know, from the
//! keys in the inner nodes, every node it will need, before it has read the level below (see [`super::edit`]).
use super::node::{Entry, Link, MAX_ENTRIES, Part, put_inner, put_leaf};
use crate::object::{Hash, Scratch};

/// A leaf that has reached this many bytes of keys and values is full.
const FULL: usize = 64 * 1024;

/// One key in 2 to the power of these ends a leaf.
///
/// Measured over 10,000 pages of 300 bytes: 8 a leaf store a third less for an edit than 16 do (9 KB for 14 KB), but
/// make twice the nodes to read and a level more; 32 a leaf store half as much again, for half the nodes.
const LEAF_BITS: u32 = 4;

/// One of the keys in a row of links in 2 to the power of these ends an inner node.
const INNER_BITS: u32 = 4;

/// Whether nodes of this level end behind this key, whatever they hold.
pub(super) fn ends(key: &str, level: u8) -> bool {
    let hash = blake3::hash(key.as_bytes());
    let drawn = hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    drawn.trailing_zeros() >= LEAF_BITS + INNER_BITS * u32::from(level)
}

/// An item of a row.
trait Item {
    fn key(&self) -> &str;

    /// Bytes that count towards [`FULL`].
    fn size(&self) -> usize;
}

impl Item for Entry<'_> {
    fn key(&self) -> &str {
        self.key
    }

    fn size(&self) -> usize {
        self.key.len() + self.value.len()
    }
}

impl Item for Link<'_> {
    fn key(&self) -> &str {
        self.last
    }

    /// Every inner node must be able to hold two links, or the tree would never come to its root.
    fn size(&self) -> usize {
        0
    }
}

fn cut<T: Item>(level: u8, mut row: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let mut size = 0;
        let last = row.iter().take(MAX_ENTRIES).position(|item| {
            size += item.size();
            size >= FULL || ends(item.key(), level)
        });
        let length = last.map_or(row.len().min(MAX_ENTRIES), |at| at + 1);
        let (node, rest) = row.split_at(length);
        row = rest;
        (!node.is_empty()).then_some(node)
    })
}

/// Stores a row of entries as leaves.
pub(super) fn put_leaves(scratch: &mut Scratch<'_>, row: &[Entry<'_>]) -> Vec<Part> {
    cut(0, row).map(|entries| put_leaf(scratch, entries)).collect()
}

/// Stores a row of links as inner nodes. A node of one link is not stored; the link stands for it.
pub(super) fn put_links(scratch: &mut Scratch<'_>, level: u8, row: &[Link<'_>]) -> Vec<Part> {
    cut(level, row)
        .map(|links| match links {
            [link] => link.to_part(),
            _ => put_inner(scratch, level, links),
        })
        .collect()
}

/// Stores the levels from this one up, over the row of all links to nodes below it, and gives the root.
pub(super) fn put_upwards(scratch: &mut Scratch<'_>, mut level: u8, mut row: Vec<Part>) -> Option<Hash> {
    while row.len() > 1 {
        let links: Vec<Link<'_>> = row.iter().map(Part::link).collect();
        row = put_links(scratch, level, &links);
        level += 1;
    }
    row.first().map(|root| root.hash)
}
