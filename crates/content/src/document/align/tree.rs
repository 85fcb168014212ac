//! A document laid out for matching.
use super::super::{Block, Document, Key, Kind};
use super::columns::by_place;
use std::collections::HashMap;

/// The blocks of a document in the order of its walk, so that a block and all inside it lie together.
pub(super) struct Tree<'a> {
    /// The blocks.
    pub(super) nodes: Vec<Node<'a>>,
    /// Those at the top.
    pub(super) top: Vec<usize>,
}

/// A block laid out.
pub(super) struct Node<'a> {
    pub(super) block: &'a Block,
    /// Equal for blocks with equal content, including the blocks inside them, whatever the ids of columns.
    pub(super) class: u32,
    /// The number of blocks in it, including itself.
    pub(super) size: usize,
    /// The blocks directly inside it.
    pub(super) inside: Vec<usize>,
}

/// Numbers for the contents of blocks, without keys.
#[derive(Default)]
pub(super) struct Classes(HashMap<blake3::Hash, u32>);

impl Classes {
    fn of(&mut self, hash: blake3::Hash) -> u32 {
        let next = u32::try_from(self.0.len()).expect("a document has less than 2^32 blocks");
        *self.0.entry(hash).or_insert(next)
    }
}

impl<'a> Tree<'a> {
    /// Lays out a document.
    pub(super) fn of(document: &'a Document, classes: &mut Classes) -> Self {
        let mut bare = bare(document.clone());
        by_place(&mut bare);
        let mut layout = Layout { blocks: document.walk(), nodes: Vec::new(), classes, said: Vec::new() };
        let top = bare.blocks.iter().map(|block| layout.add(block).0).collect();
        Self { nodes: layout.nodes, top }
    }
}

/// The document with no keys, and with merged cells that name their rows by place.
pub(crate) fn bare(mut document: Document) -> Document {
    document.walk_mut(&mut |block| {
        block.key = Key::default();
        if let Kind::Table(table) = &mut block.kind
            && !table.cell_merges.is_empty()
        {
            let places: HashMap<&str, usize> =
                block.children.iter().enumerate().map(|(at, row)| (row.key.0.as_str(), at)).collect();
            for merge in &mut table.cell_merges {
                merge.record = places.get(merge.record.as_str()).map(usize::to_string).unwrap_or_default();
            }
        }
    });
    document
}

struct Layout<'a, 'c, W> {
    /// The blocks of the document itself, in the order in which they are added.
    blocks: W,
    nodes: Vec<Node<'a>>,
    classes: &'c mut Classes,
    /// A buffer for the content of a block.
    said: Vec<u8>,
}

impl<'a, W: Iterator<Item = &'a Block>> Layout<'a, '_, W> {
    /// Adds a block and all blocks inside it; returns its index and the hash of its content.
    fn add(&mut self, bare: &Block) -> (usize, blake3::Hash) {
        let at = self.nodes.len();
        let block = self.blocks.next().expect("the bare document has the same blocks");
        self.nodes.push(Node { block, class: 0, size: 0, inside: Vec::new() });
        self.said.clear();
        serde_json::to_writer(&mut self.said, &(&bare.kind, &bare.content)).expect("a block is encoded as JSON");
        let mut hasher = blake3::Hasher::new();
        hasher.update(blake3::hash(&self.said).as_bytes());
        let mut inside = Vec::new();
        bare.each_inside(&mut |block| {
            let (at, hash) = self.add(block);
            inside.push(at);
            hasher.update(hash.as_bytes());
        });
        let hash = hasher.finalize();
        self.nodes[at] = Node { block, class: self.classes.of(hash), size: self.nodes.len() - at, inside };
        (at, hash)
    }
}
