//! Resets single blocks of a text to an earlier version.
use crate::document::{Block, Document, Key, find_mut};
use std::collections::{HashMap, HashSet};

/// Why blocks cannot be reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RevertError {
    /// The index of the key; absent if the text as a whole would break a rule.
    pub(super) at: Option<usize>,
    /// The rule.
    pub(super) rule: String,
}

/// The text `now` with the blocks of these keys, and all blocks inside them, as in `then`. A changed block is reset in
/// its present place, a removed block is restored after the block that it followed, and an added block is removed.
/// Other blocks stay.
///
/// A block that was moved out of a reset block stays in its new place, and its copy gets another key. Blocks in the
/// notes of a text are reset together with the block that has the text.
pub(super) fn revert(now: &Document, then: &Document, keys: &[Key]) -> Result<Document, RevertError> {
    let mut places = HashMap::new();
    note(&then.blocks, None, &mut places);
    let mut blocks = now.blocks.clone();
    let mut wanted: Vec<(usize, &Key)> = keys.iter().enumerate().collect();
    // Parents come before children, and siblings are in order, so each block finds its parent and the block before it.
    wanted.sort_by_key(|(_, key)| places.get(key).map_or(usize::MAX, |place| place.ordinal));
    for (at, key) in &wanted {
        let Some(place) = places.get(key) else { continue };
        if let Some(block) = find_mut(&mut blocks, key) {
            block.clone_from(place.block);
            continue;
        }
        let siblings = match place.parent {
            None => Some(&mut blocks),
            Some(parent) => find_mut(&mut blocks, &parent.key).map(|block| &mut block.children),
        };
        let Some(siblings) = siblings else {
            let parent = place.parent.map_or("", |parent| parent.key.0.as_str());
            let rule = format!("the block {parent:?}, which it stood in, is not there: name that one too");
            return Err(RevertError { at: Some(*at), rule });
        };
        let before =
            place.before.iter().rev().find_map(|before| siblings.iter().position(|sibling| sibling.key == before.key));
        siblings.insert(before.map_or(0, |before| before + 1), place.block.clone());
    }
    let had: HashSet<&Key> = {
        let mut places = HashMap::new();
        note(&now.blocks, None, &mut places);
        places.into_keys().collect()
    };
    for (at, key) in wanted.into_iter().filter(|(_, key)| !places.contains_key(*key)) {
        if !had.contains(key) {
            return Err(RevertError { at: Some(at), rule: format!("neither text has a block {:?}", key.0) });
        }
        remove(&mut blocks, key);
    }
    Document::from_blocks(blocks).map_err(|error| RevertError { at: None, rule: error.to_string() })
}

/// The position of a block.
struct Place<'a> {
    block: &'a Block,
    parent: Option<&'a Block>,
    /// The blocks before it in the same parent.
    before: &'a [Block],
    /// Its index in the whole text.
    ordinal: usize,
}

fn note<'a>(blocks: &'a [Block], parent: Option<&'a Block>, places: &mut HashMap<&'a Key, Place<'a>>) {
    for (at, block) in blocks.iter().enumerate() {
        let ordinal = places.len();
        places.insert(&block.key, Place { block, parent, before: &blocks[..at], ordinal });
        note(&block.children, Some(block), places);
    }
}

fn remove(blocks: &mut Vec<Block>, key: &Key) {
    blocks.retain(|block| block.key != *key);
    blocks.iter_mut().for_each(|block| remove(&mut block.children, key));
}
