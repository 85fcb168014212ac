//! Reconciles the keys of blocks that are new on both sides.
//!
//! Keys are made from the content of blocks, so both sides may have given one key to two blocks, or two keys to the
//! same block. Before the sides are joined, a block that both added at the same place gets one key; and of two
//! different blocks with one key, the one with the greater encoding gets another. Neither depends on the order of the
//! sides.
use super::layout::Layout;
use crate::document::{Block, BlockType, Document, Key, bare};
use crate::object::Hash;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

type Names = HashMap<Key, Key>;

/// The two sides, changed so that each key names the same block on both, or a block on one side only.
pub(super) fn reconciled(base: &Document, primary: &Document, change: &Document) -> (Document, Document) {
    let (mut primary, mut change) = (primary.clone(), change.clone());
    let [names_of_primary, names_of_change] = {
        let [base, ours, theirs] = [base, &primary, &change].map(Layout::of);
        let mut pairing = Pairing { base: &base, ours: &ours, theirs: &theirs, same: HashMap::new() };
        pairing.known_parents();
        let same = pairing.same;
        renames(&base, &ours, &theirs, &same)
    };
    for (document, names) in [(&mut primary, names_of_primary), (&mut change, names_of_change)] {
        if !names.is_empty() {
            document.rename(&mut |_, block| {
                let follows = block.kind.block_type() == BlockType::TableCell;
                names.get(&block.key).filter(|_| !follows).cloned()
            });
        }
    }
    (primary, change)
}

struct Pairing<'l, 'a> {
    base: &'l Layout<'a>,
    ours: &'l Layout<'a>,
    theirs: &'l Layout<'a>,
    /// New blocks that are the same on both sides, by the primary's key.
    same: HashMap<&'a Key, &'a Key>,
}

impl<'a> Pairing<'_, 'a> {
    /// Pairs the new blocks in parents that both sides have.
    fn known_parents(&mut self) {
        let mut parents: Vec<(Option<&'a Key>, Option<&'a Key>)> = vec![(None, None)];
        parents.extend(
            self.base
                .keys
                .iter()
                .filter(|key| self.ours.has(key) && self.theirs.has(key))
                .map(|key| (Some(*key), Some(*key))),
        );
        for (ours, theirs) in parents {
            self.inside(ours, theirs);
        }
    }

    /// Pairs the new blocks in two blocks that are the same, then the blocks inside the pairs.
    fn inside(&mut self, ours: Option<&Key>, theirs: Option<&Key>) {
        let (of_ours, of_theirs) = (self.added(self.ours, ours), self.added(self.theirs, theirs));
        if of_ours.is_empty() || of_theirs.is_empty() {
            return;
        }
        let told = |layout: &Layout<'a>, keys: Vec<(usize, &'a Key)>| -> Vec<(usize, Hash, &'a Key)> {
            keys.into_iter().filter_map(|(gap, key)| Some((gap, meaning(layout.block(key)?), key))).collect()
        };
        let (of_ours, of_theirs) = (told(self.ours, of_ours), told(self.theirs, of_theirs));
        let mut left: BTreeMap<(usize, Hash), VecDeque<&'a Key>> = BTreeMap::new();
        for (gap, meaning, key) in &of_theirs {
            left.entry((*gap, *meaning)).or_default().push_back(key);
        }
        let mut paired: HashSet<&Key> = HashSet::new();
        let mut pairs = Vec::new();
        for (gap, meaning, key) in &of_ours {
            if let Some(other) = left.get_mut(&(*gap, *meaning)).and_then(VecDeque::pop_front) {
                pairs.push((*key, other));
                paired.insert(other);
            }
        }
        let whole: HashSet<&Key> = pairs.iter().map(|(key, _)| *key).collect();
        // Two lists with the same beginning have one key, and become one list with the items of both.
        for (gap, _, key) in of_ours.iter().filter(|(_, _, key)| !whole.contains(key)) {
            let other = of_theirs.iter().find(|(other_gap, _, other)| other == key && other_gap == gap);
            if other.is_some_and(|(_, _, other)| !paired.contains(other))
                && self.ours.has_same_content(self.theirs, key)
            {
                pairs.push((key, key));
            }
        }
        for (ours, theirs) in pairs {
            self.same.insert(ours, theirs);
            self.inside(Some(ours), Some(theirs));
        }
    }

    /// The new blocks in a block, each with the number of unchanged blocks before it.
    fn added(&self, layout: &Layout<'a>, parent: Option<&Key>) -> Vec<(usize, &'a Key)> {
        let stays = |key: &Key| {
            [self.base, self.ours, self.theirs]
                .iter()
                .all(|layout| layout.parent(key).is_some_and(|known| known == parent))
        };
        let mut gap = 0;
        let mut added = Vec::new();
        for key in layout.inside(parent) {
            if !self.base.has(key) {
                added.push((gap, *key));
            } else if stays(key) {
                gap += 1;
            }
        }
        added
    }
}

/// The hash of a block and all blocks inside it, without keys.
fn meaning(block: &Block) -> Hash {
    Hash::of(&bare(Document { blocks: vec![block.clone()] }).encode())
}

/// The new keys of new blocks on either side.
fn renames<'a>(
    base: &Layout<'a>,
    ours: &Layout<'a>,
    theirs: &Layout<'a>,
    same: &HashMap<&'a Key, &'a Key>,
) -> [Names; 2] {
    let mut names = [Names::new(), Names::new()];
    let mut taken: HashSet<Key> =
        [base, ours, theirs].iter().flat_map(|layout| layout.keys.iter().copied().cloned()).collect();
    for (one, other) in same.iter().filter(|(one, other)| one != other) {
        // A key that the other side gave to another block would have to change again.
        let (least, greatest) = (one.min(other), one.max(other));
        let free = |key: &Key| (key == *one || !ours.has(key)) && (key == *other || !theirs.has(key));
        if let Some(name) = [least, greatest].into_iter().find(|key| free(key)) {
            names[0].insert((*one).clone(), (*name).clone());
            names[1].insert((*other).clone(), (*name).clone());
        } else {
            let name = another(least, b"one", &mut taken);
            names[0].insert((*one).clone(), name.clone());
            names[1].insert((*other).clone(), name);
        }
    }
    let differ = ours.keys.iter().filter(|key| !base.has(key) && theirs.has(key) && same.get(*key) != Some(*key));
    for key in differ {
        if names[0].contains_key(*key) || names[1].contains_key(*key) {
            continue;
        }
        let place = |layout: &Layout<'_>| {
            let block = layout.block(key).map(|block| Document { blocks: vec![block.clone()] }.encode());
            (block.unwrap_or_default(), layout.parent(key).flatten().cloned(), layout.at(key))
        };
        let (one, other) = (place(ours), place(theirs));
        let (side, greater) = if one > other { (0, one) } else { (1, other) };
        names[side].insert((*key).clone(), another(key, &greater.0, &mut taken));
    }
    names
}

fn another(key: &Key, said: &[u8], taken: &mut HashSet<Key>) -> Key {
    let name = (0..).map(|ordinal| Key::derived(key, said, ordinal)).find(|key| !taken.contains(key));
    let name = name.unwrap_or_default();
    taken.insert(name.clone());
    name
}
