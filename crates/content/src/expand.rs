//! Documents with what they include put in place of the inclusion.
use crate::document::{Block, Document, Key, Kind};
use crate::object::{Objects, Read, together};
use crate::reference::ContentRef;
use crate::snapshot::Snapshot;
use std::collections::HashMap;
use values::id::ReusableContentId;

/// How deep reusable contents may include each other; deeper inclusions stay as they are, which also ends circles.
const MAX_INCLUSIONS: usize = 8;

/// The most blocks a document may grow to; further inclusions stay as they are, so that contents which include each
/// other many times cannot exhaust memory.
const MAX_BLOCKS: usize = 100_000;

/// Puts the blocks of reusable contents in place of their inclusions. What is not in this revision, or belongs to
/// another space, stays a reference.
pub fn expand(objects: &dyn Objects, snapshot: &Snapshot, document: Document) -> Read<Document> {
    let mut document = document;
    for round in 0..MAX_INCLUSIONS {
        let wanted = inclusions(&document);
        if wanted.is_empty() {
            break;
        }
        let contents = together(wanted.iter().map(|id| snapshot.reusable_content(objects, id)))?;
        let texts = together(contents.iter().map(|content| match content {
            Some(content) => crate::text_of(objects, content.document).map(Some),
            None => Ok(None),
        }))?;
        let found = wanted.into_iter().zip(texts).filter_map(|(id, text)| Some((id, text?))).collect();
        let mut place = Placing { texts: found, count: document.walk().count(), round, placed: 0 };
        place.place_all(&mut document.blocks);
        if place.placed == 0 {
            break;
        }
    }
    Ok(document)
}

fn included(block: &Block) -> Option<&ReusableContentId> {
    match &block.kind {
        Kind::ReusableContent(data) => match &data.target.0 {
            ContentRef::ReusableContent { reusable_content, space: None } => Some(reusable_content),
            _ => None,
        },
        _ => None,
    }
}

fn inclusions(document: &Document) -> Vec<ReusableContentId> {
    let mut ids: Vec<_> = document.walk().filter_map(included).cloned().collect();
    ids.sort();
    ids.dedup();
    ids
}

struct Placing {
    texts: HashMap<ReusableContentId, Document>,
    count: usize,
    round: usize,
    placed: usize,
}

impl Placing {
    fn place_all(&mut self, blocks: &mut Vec<Block>) {
        for mut block in std::mem::take(blocks) {
            let text = included(&block).and_then(|id| self.texts.get(id)).cloned();
            match text {
                Some(mut text) if self.count + text.walk().count() <= MAX_BLOCKS => {
                    self.count += text.walk().count();
                    self.placed += 1;
                    // The same content may stand in a page twice: its keys tell the places apart.
                    let place = format!("{}/{}", block.key.0, self.round);
                    rekey(&mut text.blocks, &place);
                    blocks.append(&mut text.blocks);
                }
                _ => {
                    self.place_all(&mut block.children);
                    blocks.push(block);
                }
            }
        }
    }
}

fn rekey(blocks: &mut [Block], place: &str) {
    for block in blocks {
        let name = blake3::hash(format!("{place}/{}", block.key.0).as_bytes()).to_hex();
        block.key = Key(name[..16].into());
        rekey(&mut block.children, place);
    }
}
