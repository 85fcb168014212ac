//! Applies the decision of a conflict over a block to a text.
use super::blocks::Layout;
use super::conflict::{BlockValue, Part};
use crate::document::{
    Block, BlockType, Children, Columns, Document, Images, Inline, Key, Kind, Paragraph, Tabs, Updates, find_mut,
};
use std::collections::HashSet;

/// The text with the value of one side: the block, or no block if the side has none. `None` if the text does not
/// change, or cannot.
pub(super) fn decided(document: &Document, block: &Key, part: Part, value: Option<&BlockValue>) -> Option<Document> {
    let mut editing = Editing { blocks: document.blocks.clone() };
    match (part, value) {
        (_, None) => editing.take_away(block),
        (Part::Own, Some(value)) => match editing.find(block) {
            Some(found) => {
                found.kind = value.block.kind.clone();
                found.content.clone_from(&value.block.content);
            }
            None => editing.insert(value),
        },
        (Part::Place, Some(value)) => editing.put(block, value),
        (Part::Whole, Some(value)) => editing.replace(block, value),
    }
    let made = Document::from_blocks(editing.blocks);
    let made = match (made, value) {
        (Ok(made), _) => made,
        // The block itself is not valid with the blocks that are inside it now: use those of the side too.
        (Err(_), Some(value)) => {
            let mut editing = Editing { blocks: document.blocks.clone() };
            editing.replace(block, value);
            Document::from_blocks(editing.blocks).or_else(|_| at_the_end(document, value)).ok()?
        }
        (Err(_), None) => return None,
    };
    (made != *document).then_some(made)
}

/// The text with a block at its end, because the block is valid nowhere else.
fn at_the_end(document: &Document, value: &BlockValue) -> Result<Document, crate::document::DocumentError> {
    let mut blocks = document.blocks.clone();
    blocks.retain(|block| block.key != value.block.key);
    let known = keys(&blocks);
    let block = without(value.block.clone(), &known);
    blocks.extend(flow(block));
    Document::from_blocks(blocks)
}

/// Blocks that are valid at the top, for any block.
fn flow(mut block: Block) -> Vec<Block> {
    let around = match block.kind.block_type() {
        BlockType::ListItem => Kind::ListUnordered,
        BlockType::TabsItem => Kind::Tabs(Tabs::default()),
        BlockType::StepperStep => Kind::Stepper,
        BlockType::Column => Kind::Columns(Columns::default()),
        BlockType::Update => Kind::Updates(Updates::default()),
        BlockType::Image => Kind::Images(Images::default()),
        BlockType::TableRow => return block.children.into_iter().flat_map(flow).collect(),
        BlockType::TableCell => {
            let line = line_of(std::mem::take(&mut block.content));
            return line.into_iter().chain(block.children).collect();
        }
        _ => return vec![block],
    };
    vec![Block::new(around).with_children(vec![block])]
}

fn line_of(content: Vec<Inline>) -> Option<Block> {
    (!content.is_empty()).then(|| Block::new(Kind::Paragraph(Paragraph::default())).with_content(content))
}

fn keys(blocks: &[Block]) -> HashSet<Key> {
    let document = Document { blocks: blocks.to_vec() };
    Layout::of(&document).keys.into_iter().cloned().collect()
}

/// The block without the blocks inside it that are elsewhere in the text.
fn without(mut block: Block, known: &HashSet<Key>) -> Block {
    block.children.retain(|child| !known.contains(&child.key));
    block.children = block.children.into_iter().map(|child| without(child, known)).collect();
    block
}

struct Editing {
    blocks: Vec<Block>,
}

impl Editing {
    fn find(&mut self, key: &Key) -> Option<&mut Block> {
        find_mut(&mut self.blocks, key)
    }

    /// The list that contains a block, and its index in it.
    fn list_of(&mut self, key: &Key) -> Option<(&mut Vec<Block>, usize)> {
        fn list<'b>(blocks: &'b mut Vec<Block>, key: &Key) -> Option<(&'b mut Vec<Block>, usize)> {
            if let Some(at) = blocks.iter().position(|block| block.key == *key) {
                return Some((blocks, at));
            }
            blocks.iter_mut().find_map(|block| list(&mut block.children, key))
        }
        list(&mut self.blocks, key)
    }

    /// Removes a block, and parents that need it.
    fn take_away(&mut self, key: &Key) {
        fn take_away(blocks: &mut Vec<Block>, key: &Key) -> bool {
            if let Some(at) = blocks.iter().position(|block| block.key == *key) {
                blocks.remove(at);
                return true;
            }
            let Some(at) = blocks.iter_mut().position(|block| take_away(&mut block.children, key)) else {
                return false;
            };
            let holds = blocks[at].kind.block_type().shape().children;
            if blocks[at].children.is_empty() && matches!(holds, Children::Only(_) | Children::One(_)) {
                let rows_stay = matches!(blocks[at].kind, Kind::TableRow | Kind::Table(_));
                if !rows_stay {
                    blocks.remove(at);
                }
            }
            true
        }
        take_away(&mut self.blocks, key);
    }

    /// Replaces the block with this key, or inserts the block at its old position.
    fn replace(&mut self, key: &Key, value: &BlockValue) {
        if let Some(found) = self.find(key).cloned() {
            let inside = keys(std::slice::from_ref(&found));
            let elsewhere = keys(&self.blocks).into_iter().filter(|key| !inside.contains(key)).collect();
            let block = without(value.block.clone(), &elsewhere);
            self.take_out(key, Some(block));
        } else {
            self.insert(value);
        }
    }

    /// Inserts a missing block at its old position: after the block that it followed, at the end of its parent, or at
    /// the end of the text.
    fn insert(&mut self, value: &BlockValue) {
        let known = keys(&self.blocks);
        let block = without(value.block.clone(), &known);
        let list = match &value.parent {
            None => Some(&mut self.blocks),
            Some(parent) => {
                self.find(parent).filter(|parent| parent.kind.allows(&block.kind)).map(|parent| &mut parent.children)
            }
        };
        match list {
            Some(list) => {
                let at = match &value.previous {
                    None => 0,
                    Some(previous) => {
                        list.iter().position(|block| block.key == *previous).map_or(list.len(), |at| at + 1)
                    }
                };
                list.insert(at, block);
            }
            None => self.blocks.extend(flow(block)),
        }
    }

    /// Moves a block to its position on one side.
    fn put(&mut self, key: &Key, value: &BlockValue) {
        let Some(found) = self.find(key).cloned() else { return self.insert(value) };
        let Some(parent) = &value.parent else {
            self.take_out(key, None);
            return self.insert(&BlockValue { block: found, ..value.clone() });
        };
        // If it moves into one of its own children, that child takes its place.
        let way = found.children.iter().find(|child| keys(std::slice::from_ref(*child)).contains(parent)).cloned();
        if way.is_none() && self.find(parent).is_none_or(|parent| !parent.kind.allows(&found.kind)) {
            return;
        }
        let mut block = found;
        if let Some(way) = &way {
            block.children.retain(|child| child.key != way.key);
        }
        self.take_out(key, way);
        self.insert(&BlockValue { block, ..value.clone() });
    }

    fn take_out(&mut self, key: &Key, instead: Option<Block>) {
        if let Some((list, at)) = self.list_of(key) {
            list.splice(at..=at, instead);
        }
    }
}
