//! Walking over the blocks of a document.
use super::{Block, Document, Inline, Key, Kind};

/// Every block of a document, depth first in document order; see [`Document::walk`].
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// The blocks that are not visited yet; the next one is last.
    ahead: Vec<&'a Block>,
}

impl<'a> Walk<'a> {
    /// A walk over these blocks and all inside them.
    pub(super) fn over(blocks: &'a [Block]) -> Self {
        Self { ahead: blocks.iter().rev().collect() }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = &'a Block;

    fn next(&mut self) -> Option<&'a Block> {
        let block = self.ahead.pop()?;
        let first = self.ahead.len();
        block.each_inside(&mut |inside| self.ahead.push(inside));
        self.ahead[first..].reverse();
        Some(block)
    }
}

impl Document {
    /// Every block, depth first: a block, then the blocks of the notes in its text, then its children.
    pub fn walk(&self) -> Walk<'_> {
        Walk::over(&self.blocks)
    }

    /// The block of this key.
    pub fn find(&self, key: &Key) -> Option<&Block> {
        self.walk().find(|block| block.key == *key)
    }

    /// Calls `change` on every block in the order of [`Document::walk`], a block before those inside it.
    pub(crate) fn walk_mut(&mut self, change: &mut impl FnMut(&mut Block)) {
        each_mut(&mut self.blocks, change);
    }
}

/// Finds the block of this key among these blocks and their children at any depth, but not in notes.
pub(crate) fn find_mut<'a>(blocks: &'a mut [Block], key: &Key) -> Option<&'a mut Block> {
    for block in blocks {
        if block.key == *key {
            return Some(block);
        }
        if let Some(found) = find_mut(&mut block.children, key) {
            return Some(found);
        }
    }
    None
}

impl Block {
    /// The block and every block inside it, in the order of [`Document::walk`].
    pub fn walk(&self) -> Walk<'_> {
        Walk { ahead: vec![self] }
    }

    /// Calls `change` on the block and on all inside it, in the order of [`Document::walk`].
    pub(super) fn walk_mut(&mut self, change: &mut impl FnMut(&mut Block)) {
        each_mut(std::slice::from_mut(self), change);
    }

    /// Calls `visit` on every block directly inside: those of the notes in its text, then its children.
    pub(super) fn each_inside<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        self.each_note(visit);
        self.children.iter().for_each(visit);
    }

    /// Calls `visit` on every block of the notes in its text.
    pub(super) fn each_note<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        fn notes<'a>(content: &'a [Inline], visit: &mut impl FnMut(&'a Block)) {
            for inline in content {
                match inline {
                    Inline::Link(link) => notes(&link.content, visit),
                    Inline::Annotation(note) => {
                        notes(&note.content, visit);
                        note.body.iter().for_each(&mut *visit);
                    }
                    _ => {}
                }
            }
        }
        if let Kind::Table(table) = &self.kind {
            table.columns.iter().for_each(|column| notes(&column.heading, visit));
        }
        notes(&self.content, visit);
    }
}

fn each_mut(blocks: &mut [Block], change: &mut impl FnMut(&mut Block)) {
    fn notes(content: &mut [Inline], change: &mut impl FnMut(&mut Block)) {
        for inline in content {
            match inline {
                Inline::Link(link) => notes(&mut link.content, change),
                Inline::Annotation(note) => {
                    notes(&mut note.content, change);
                    each_mut(&mut note.body, change);
                }
                _ => {}
            }
        }
    }
    for block in blocks {
        change(block);
        if let Kind::Table(table) = &mut block.kind {
            table.columns.iter_mut().for_each(|column| notes(&mut column.heading, change));
        }
        notes(&mut block.content, change);
        each_mut(&mut block.children, change);
    }
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary::documents;
    use super::super::{Annotation, Paragraph};
    use super::*;
    use proptest::prelude::*;

    fn paragraph(key: &str) -> Block {
        Block { key: Key(key.into()), ..Block::new(Kind::Paragraph(Paragraph::default())) }
    }

    #[test]
    fn a_walk_goes_from_a_block_to_its_notes_to_its_children() {
        let note = Inline::Annotation(Box::new(Annotation { body: vec![paragraph("note")], ..Annotation::default() }));
        let expandable = Block {
            key: Key("outer".into()),
            children: vec![paragraph("inner")],
            content: vec![note],
            ..Block::new(Kind::Expandable(Default::default()))
        };
        let document = Document { blocks: vec![paragraph("first"), expandable, paragraph("last")] };
        let keys: Vec<&str> = document.walk().map(|block| block.key.0.as_str()).collect();
        assert_eq!(keys, ["first", "outer", "note", "inner", "last"]);
        assert_eq!(document.find(&Key("note".into())), Some(&paragraph("note")));
        assert_eq!(document.find(&Key("absent".into())), None);
    }

    proptest! {
        #[test]
        fn both_walks_go_the_same_way(document in documents()) {
            let seen: Vec<Key> = document.walk().map(|block| block.key.clone()).collect();
            let mut changed = Vec::new();
            document.clone().walk_mut(&mut |block| changed.push(block.key.clone()));
            prop_assert_eq!(seen, changed);
        }
    }
}
