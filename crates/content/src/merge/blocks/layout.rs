//! An index of the blocks of a document.
use crate::document::{Block, Document, Key};
use crate::merge::conflict::BlockValue;
use std::collections::{HashMap, HashSet};

/// The blocks of a document by key; those of notes are part of the line that the note is in.
pub(in crate::merge) struct Layout<'a> {
    nodes: HashMap<&'a Key, Node<'a>>,
    /// Every key, parents before children.
    pub(in crate::merge) keys: Vec<&'a Key>,
    top: Vec<&'a Key>,
    inside: HashMap<&'a Key, Vec<&'a Key>>,
}

#[derive(Clone, Copy)]
struct Node<'a> {
    block: &'a Block,
    parent: Option<&'a Key>,
    at: usize,
}

impl<'a> Layout<'a> {
    pub(in crate::merge) fn of(document: &'a Document) -> Self {
        let mut layout = Self { nodes: HashMap::new(), keys: Vec::new(), top: Vec::new(), inside: HashMap::new() };
        layout.add(None, &document.blocks);
        layout
    }

    fn add(&mut self, parent: Option<&'a Key>, blocks: &'a [Block]) {
        let keys = blocks.iter().map(|block| &block.key).collect();
        match parent {
            None => self.top = keys,
            Some(parent) => drop(self.inside.insert(parent, keys)),
        }
        for (at, block) in blocks.iter().enumerate() {
            self.nodes.insert(&block.key, Node { block, parent, at });
            self.keys.push(&block.key);
            self.add(Some(&block.key), &block.children);
        }
    }

    pub(in crate::merge) fn has(&self, key: &Key) -> bool {
        self.nodes.contains_key(key)
    }

    pub(in crate::merge) fn block(&self, key: &Key) -> Option<&'a Block> {
        self.nodes.get(key).map(|node| node.block)
    }

    /// The parent of a block: `None` if there is no such block, `Some(None)` at the top.
    pub(in crate::merge) fn parent(&self, key: &Key) -> Option<Option<&'a Key>> {
        self.nodes.get(key).map(|node| node.parent)
    }

    /// The index of a block among its siblings.
    pub(in crate::merge) fn at(&self, key: &Key) -> usize {
        self.nodes.get(key).map_or(0, |node| node.at)
    }

    /// The blocks directly inside a block, or at the top.
    pub(in crate::merge) fn inside(&self, parent: Option<&Key>) -> &[&'a Key] {
        match parent {
            None => &self.top,
            Some(parent) => self.inside.get(parent).map_or(&[], Vec::as_slice),
        }
    }

    /// Whether a block exists in both, with equal content of its own.
    pub(in crate::merge) fn has_same_content(&self, other: &Layout<'_>, key: &Key) -> bool {
        let own = |block: &'a Block| (&block.kind, &block.content);
        match (self.block(key), other.block(key)) {
            (Some(a), Some(b)) => own(a) == (&b.kind, &b.content),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// The keys of a block and of all blocks inside it.
    pub(in crate::merge) fn within(&self, key: &Key) -> HashSet<&'a Key> {
        let mut found: HashSet<&'a Key> = HashSet::new();
        let mut waiting: Vec<&'a Key> = self.nodes.get_key_value(key).map(|(key, _)| *key).into_iter().collect();
        while let Some(key) = waiting.pop() {
            found.insert(key);
            waiting.extend(self.inside(Some(key)));
        }
        found
    }

    /// The block with its position, for a conflict.
    pub(in crate::merge) fn value(&self, key: &Key) -> Option<BlockValue> {
        let node = self.nodes.get(key)?;
        let previous = node.at.checked_sub(1).and_then(|at| self.inside(node.parent).get(at).copied());
        Some(BlockValue { block: node.block.clone(), parent: node.parent.cloned(), previous: previous.cloned() })
    }
}
