//! Joins two versions of a document, block by block.
//!
//! Blocks are matched by key. Their existence, position (parent and place in it) and content are joined separately, so
//! that one side may move a block that the other one edits.
mod block_content;
mod block_tree;
mod layout;
mod names;

use super::Wording;
use super::conflict::{BlockValue, Part};
use super::three_way::{Lists, order};
use crate::document::{Block, Document, Key, Kind, check_table};
use block_content::join_block;
use block_tree::BlockTree;
pub(super) use layout::Layout;
use std::collections::{BTreeMap, HashSet};

/// A property of a block that could not be joined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlockConflict {
    pub(super) block: Key,
    pub(super) part: Part,
    pub(super) base: Option<BlockValue>,
    pub(super) primary: Option<BlockValue>,
    pub(super) change: Option<BlockValue>,
}

/// The result of joining two versions of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Joined {
    /// One document, with its conflicts. At a conflict it has the value of the change.
    Blocks(Document, Vec<BlockConflict>),
    /// The joined parts are not a valid document.
    Contested,
}

/// Joins two versions of `base`.
///
/// At a conflict, the other decisions must not depend on the order of the sides. If they would, the whole text is
/// contested.
pub(super) fn join(base: &Document, primary: &Document, change: &Document, wording: Wording) -> Joined {
    let joined = join_blocks(base, primary, change, wording);
    if let Joined::Blocks(_, conflicts) = &joined
        && !conflicts.is_empty()
    {
        let subjects = |conflicts: &[BlockConflict]| -> Vec<(Key, Part)> {
            conflicts.iter().map(|conflict| (conflict.block.clone(), conflict.part)).collect()
        };
        match join_blocks(base, change, primary, wording) {
            Joined::Blocks(_, swapped) if subjects(&swapped) == subjects(conflicts) => {}
            _ => return Joined::Contested,
        }
    }
    joined
}

fn join_blocks(base: &Document, primary: &Document, change: &Document, wording: Wording) -> Joined {
    if primary == change || change == base {
        return Joined::Blocks(primary.clone(), Vec::new());
    }
    if primary == base {
        return Joined::Blocks(change.clone(), Vec::new());
    }
    let (primary, change) = names::reconciled(base, primary, change);
    let [base, primary, change] = [base, &primary, &change].map(Layout::of);
    let (conflicts, unjoined) = (BTreeMap::new(), HashSet::new());
    let mut join = Join { base: &base, primary: &primary, change: &change, wording, conflicts, unjoined };
    let tree = BlockTree::of(&mut join);
    let Some(blocks) = join.inside(&tree, None, 0) else { return Joined::Contested };
    // If the joined document would lose a block that must stay, the whole text is contested.
    let placed: HashSet<&Key> = keys_of(&blocks);
    if tree.alive.iter().any(|key| !placed.contains(key) && !join.unjoined.contains(key)) {
        return Joined::Contested;
    }
    match Document::from_blocks(blocks) {
        Ok(document) => Joined::Blocks(document, join.conflicts.into_values().collect()),
        Err(_) => Joined::Contested,
    }
}

fn keys_of(blocks: &[Block]) -> HashSet<&Key> {
    let mut keys = HashSet::new();
    let mut waiting: Vec<&Block> = blocks.iter().collect();
    while let Some(block) = waiting.pop() {
        keys.insert(&block.key);
        waiting.extend(&block.children);
    }
    keys
}

/// Each document has a maximum nesting; before the check, the joined document may nest to the sum of two.
const MAX_JOINED_DEPTH: usize = 2 * crate::document::MAX_DEPTH;

struct Join<'l, 'a> {
    base: &'l Layout<'a>,
    primary: &'l Layout<'a>,
    change: &'l Layout<'a>,
    wording: Wording,
    conflicts: BTreeMap<(Key, Part), BlockConflict>,
    /// Blocks in a conflict over a whole block, which are not joined.
    unjoined: HashSet<&'a Key>,
}

impl<'a> Join<'_, 'a> {
    fn contest(&mut self, key: &Key, part: Part) {
        let conflict = BlockConflict {
            block: key.clone(),
            part,
            base: self.base.value(key),
            primary: self.primary.value(key),
            change: self.change.value(key),
        };
        self.conflicts.insert((key.clone(), part), conflict);
    }

    /// The blocks inside a block, or at the top. Recurses once per level of nesting; `None` if that is too deep.
    fn inside(&mut self, tree: &BlockTree<'a>, parent: Option<&'a Key>, depth: usize) -> Option<Vec<Block>> {
        if depth > MAX_JOINED_DEPTH {
            return None;
        }
        let members = tree.members(parent);
        let list = |layout: &Layout<'a>| layout.inside(parent).to_vec();
        let (base, primary, change) = (list(self.base), list(self.primary), list(self.change));
        let order =
            order(&Lists { base: &base, primary: &primary, change: &change }, &|key| members.contains(key), &|key| {
                !self.base.has(key)
            });
        for key in order.contested {
            self.contest(key, Part::Place);
        }
        let listed: HashSet<&Key> = order.list.iter().copied().collect();
        let rest: Vec<&'a Key> = members.iter().copied().filter(|key| !listed.contains(key)).collect();
        order.list.into_iter().chain(rest).map(|key| self.block(tree, key, depth)).collect()
    }

    fn block(&mut self, tree: &BlockTree<'a>, key: &'a Key, depth: usize) -> Option<Block> {
        let (base, primary, change) = (self.base.block(key), self.primary.block(key), self.change.block(key));
        let mut other = None;
        let (kind, content) = match (primary, change) {
            (Some(primary), Some(change)) => match join_block(base, primary, change, self.wording) {
                Some(own) => own,
                None => {
                    self.contest(key, Part::Own);
                    other = Some(&primary.kind);
                    (change.kind.clone(), change.content.clone())
                }
            },
            (primary, change) => {
                let only = primary.or(change).or(base)?;
                (only.kind.clone(), only.content.clone())
            }
        };
        let children = self.inside(tree, Some(key), depth + 1)?;
        let block = Block { key: key.clone(), kind, content, children };
        let unfit = |kind: &Kind| matches!(kind, Kind::Table(table) if check_table(table, &block.children).is_err());
        if unfit(&block.kind) || other.is_some_and(unfit) { self.whole_table(tree, key) } else { Some(block) }
    }

    /// The change's version of a table whose joined version is not valid: cells of a removed column, or merged cells
    /// that overlap.
    fn whole_table(&mut self, tree: &BlockTree<'a>, key: &'a Key) -> Option<Block> {
        let block = self.change.block(key)?.clone();
        let within = self.change.within(key);
        let joint = tree.within(key);
        let known = |key: &&Key| self.change.has(key);
        // A block that is elsewhere on one of the sides would be lost, or be there twice.
        let moved_in = joint.iter().filter(|key| known(key)).any(|key| !within.contains(key));
        let moved_out = within.iter().any(|key| tree.alive.contains(*key) && !joint.contains(*key));
        let in_primary = self.primary.within(key);
        let parted = joint.iter().any(|joint| self.primary.has(joint) && !in_primary.contains(joint));
        if moved_in || moved_out || parted {
            return None;
        }
        self.conflicts.retain(|(inner, _), _| !within.contains(inner) && !joint.contains(inner));
        self.contest(key, Part::Whole);
        self.unjoined.extend(joint);
        Some(block)
    }
}
