//! Matches the blocks of a new text with those of the old one.
//!
//! A text without keys, such as Markdown, does not say which old blocks its blocks are. Here the new blocks are matched
//! with the old ones, so that comments and merges survive an edit. Equal blocks are matched before similar ones:
//!
//! 1. At the top, equal blocks in the same order (a longest common subsequence over hashes of content).
//! 2. Anywhere, equal blocks of which either side has one left: a paragraph that moved into a quotation keeps its key.
//! 3. Level by level from the top, in each list of siblings: equal blocks in the same order; equal blocks that moved;
//!    and in the gaps between those, blocks of the same type by the share of their text that is equal. The only pair of
//!    its type that is left in a gap always matches. Then the same inside each such pair.
//! 4. Anywhere, all other equal blocks.
//!
//! The columns of two tables that match are matched in the same way, so that a cell stays in its column as it stays in
//! its row.
//!
//! Cost: linear in the text, except for the common subsequences, which `similar` bounds, and for the similarity: a
//! block is compared with at most [`WINDOW`] others on either side, by at most [`WORDS`] words.
mod columns;
mod likeness;
mod tree;

use super::{Block, BlockType, Document, Key};
use likeness::Words;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
pub(crate) use tree::bare;
use tree::{Classes, Tree};

/// The number of blocks on either side of its place in a gap with which a block is compared.
const WINDOW: usize = 12;
/// The maximum number of words of a block that are compared.
const WORDS: usize = 500;
/// The share of words, in percent, that two blocks must have in common to be the same block, edited.
const MIN_SHARED: u32 = 40;

/// Gives the blocks of `new` the keys of the matching blocks of `old`, and the columns of its tables the ids of the
/// matching columns.
///
/// A block without a match keeps its key, if that is well-formed and free; otherwise it gets a new one
/// ([`Document::assign_keys`]). Both documents must satisfy [`Document::check`], except that `new` need not have keys.
pub fn keep_keys(old: &Document, mut new: Document) -> Document {
    if old.blocks.is_empty() {
        new.assign_keys();
        return new;
    }
    let mut classes = Classes::default();
    let (kept, names) = {
        let (old, new) = (Tree::of(old, &mut classes), Tree::of(&new, &mut classes));
        let mut matching = Matching::new(&old, &new);
        matching.in_order(&old.top, &new.top);
        matching.only_ones();
        matching.siblings(&old.top, &new.top);
        matching.moved_anywhere();
        let matches: Vec<Option<&Block>> = matching.old_of.iter().map(|at| at.map(|at| old.nodes[at].block)).collect();
        let kept: Vec<Option<&Key>> = matches.iter().map(|old| old.map(|old| &old.key)).collect();
        (kept, columns::of_tables(&matches, &new))
    };
    let taken: HashSet<&Key> = kept.iter().copied().flatten().collect();
    new.rename(&mut |at, block| match kept[at] {
        Some(key) => Some(key.clone()),
        None => taken.contains(&block.key).then(Key::default),
    });
    columns::rename(&mut new, &names);
    new.assign_keys();
    new
}

/// Blocks without a match between two matches, in two lists of siblings, old and new.
type Gap = (Vec<usize>, Vec<usize>);

/// The matches so far.
struct Matching<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    /// For each new block, the old block that it matches.
    old_of: Vec<Option<usize>>,
    /// For each old block, whether it is matched.
    used: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn new(old: &'a Tree<'a>, new: &'a Tree<'a>) -> Self {
        Self { old, new, old_of: vec![None; new.nodes.len()], used: vec![false; old.nodes.len()] }
    }

    fn pair(&mut self, old: usize, new: usize) {
        self.old_of[new] = Some(old);
        self.used[old] = true;
    }

    /// Matches two equal blocks and all blocks inside them, which are in the same order in both.
    fn pair_whole(&mut self, old: usize, new: usize) {
        (0..self.new.nodes[new].size).for_each(|at| self.pair(old + at, new + at));
    }

    /// Matches the blocks of two lists of siblings and the blocks inside them. Recurses once per level of nesting.
    fn siblings(&mut self, old: &[usize], new: &[usize]) {
        let mut gaps = self.in_order(old, new);
        self.moved(&gaps);
        for (old, new) in &mut gaps {
            old.retain(|at| !self.used[*at]);
            new.retain(|at| self.old_of[*at].is_none());
            for (old, new) in self.alike(old, new) {
                self.pair(old, new);
                let (before, after) = (self.old, self.new);
                self.siblings(&before.nodes[old].inside, &after.nodes[new].inside);
            }
        }
    }

    /// Matches equal blocks in the same order and returns the gaps between them. A block that is matched already equals
    /// only its match.
    fn in_order(&mut self, old: &[usize], new: &[usize]) -> Vec<Gap> {
        let matched = |old: usize| (true, old);
        let free = |class: u32| (false, class as usize);
        let old_said = old.iter().map(|&at| if self.used[at] { matched(at) } else { free(self.old.nodes[at].class) });
        let new_said = new.iter().map(|&at| self.old_of[at].map_or(free(self.new.nodes[at].class), matched));
        let (old_said, new_said): (Vec<_>, Vec<_>) = (old_said.collect(), new_said.collect());
        let mut gaps: Vec<Gap> = vec![Gap::default()];
        for op in capture_diff_slices(Algorithm::Myers, &old_said, &new_said) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                for (old, new) in old[old_index..].iter().zip(&new[new_index..]).take(len) {
                    if self.is_left(*old) && self.is_unmatched(*new) {
                        self.pair_whole(*old, *new);
                    }
                }
                gaps.push(Gap::default());
            } else if let Some((old_gap, new_gap)) = gaps.last_mut() {
                old_gap.extend(&old[op.old_range()]);
                new_gap.extend(&new[op.new_range()]);
            }
        }
        gaps
    }

    /// Matches equal blocks of different gaps, each with the first equal one that is left.
    fn moved(&mut self, gaps: &[Gap]) {
        let mut left: HashMap<u32, VecDeque<usize>> = HashMap::new();
        for at in gaps.iter().flat_map(|(old, _)| old).filter(|at| self.is_left(**at)) {
            left.entry(self.old.nodes[*at].class).or_default().push_back(*at);
        }
        for new in gaps.iter().flat_map(|(_, new)| new) {
            if self.is_unmatched(*new)
                && let Some(old) = left.get_mut(&self.new.nodes[*new].class).and_then(VecDeque::pop_front)
            {
                self.pair_whole(old, *new);
            }
        }
    }

    /// Matches equal blocks anywhere, if old and new have exactly one of them left.
    fn only_ones(&mut self) {
        let mut ones: HashMap<u32, [Vec<usize>; 2]> = HashMap::new();
        for (at, node) in self.old.nodes.iter().enumerate().filter(|(at, _)| !self.used[*at]) {
            ones.entry(node.class).or_default()[0].push(at);
        }
        for (at, node) in self.new.nodes.iter().enumerate().filter(|(at, _)| self.old_of[*at].is_none()) {
            ones.entry(node.class).or_default()[1].push(at);
        }
        for (new, node) in self.new.nodes.iter().enumerate() {
            if let Some([old, of_new]) = ones.get(&node.class)
                && let ([old], [_]) = (&old[..], &of_new[..])
                && self.is_left(*old)
                && self.is_unmatched(new)
            {
                self.pair_whole(*old, new);
            }
        }
    }

    /// Matches the other equal blocks anywhere.
    fn moved_anywhere(&mut self) {
        let mut left: HashMap<u32, VecDeque<usize>> = HashMap::new();
        for (at, node) in self.old.nodes.iter().enumerate().filter(|(at, _)| !self.used[*at]) {
            left.entry(node.class).or_default().push_back(at);
        }
        for (new, node) in self.new.nodes.iter().enumerate() {
            if self.is_unmatched(new)
                && let Some(equals) = left.get_mut(&node.class)
            {
                while let Some(old) = equals.pop_front() {
                    if self.is_left(old) {
                        self.pair_whole(old, new);
                        break;
                    }
                }
            }
        }
    }

    /// Whether neither this old block nor any block inside it is matched.
    fn is_left(&self, old: usize) -> bool {
        self.used[old..old + self.old.nodes[old].size].iter().all(|used| !used)
    }

    /// Whether neither this new block nor any block inside it is matched.
    fn is_unmatched(&self, new: usize) -> bool {
        self.old_of[new..new + self.new.nodes[new].size].iter().all(Option::is_none)
    }

    /// Matches the similar blocks of a gap.
    fn alike(&self, old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
        let mut by_type: BTreeMap<BlockType, Gap> = BTreeMap::new();
        for at in old {
            by_type.entry(self.old.nodes[*at].block.kind.block_type()).or_default().0.push(*at);
        }
        for at in new {
            by_type.entry(self.new.nodes[*at].block.kind.block_type()).or_default().1.push(*at);
        }
        by_type.values().flat_map(|(old, new)| self.alike_of_one_type(old, new)).collect()
    }

    fn alike_of_one_type(&self, old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
        match (old, new) {
            ([], _) | (_, []) => return Vec::new(),
            ([old], [new]) => return vec![(*old, *new)],
            _ => {}
        }
        let words = |tree: &Tree<'_>, list: &[usize]| -> Vec<Words> {
            list.iter().map(|at| Words::of(tree.nodes[*at].block, WORDS)).collect()
        };
        let (old_words, new_words) = (words(self.old, old), words(self.new, new));
        let mut candidates = Vec::new();
        for (to, said) in new_words.iter().enumerate() {
            let place = to * old.len() / new.len();
            let near = place.saturating_sub(WINDOW)..=place + WINDOW;
            for (from, words) in old_words.iter().enumerate().take(near.end() + 1).skip(*near.start()) {
                let shared = words.shared(said);
                if shared >= MIN_SHARED {
                    candidates.push((std::cmp::Reverse(shared), place.abs_diff(from), from, to));
                }
            }
        }
        candidates.sort_unstable();
        let (mut left, mut wanting): (Vec<bool>, Vec<bool>) = (vec![true; old.len()], vec![true; new.len()]);
        let mut pairs = Vec::new();
        for (_, _, from, to) in candidates {
            if left[from] && wanting[to] {
                (left[from], wanting[to]) = (false, false);
                pairs.push((from, to));
            }
        }
        let only = |free: &[bool]| {
            let mut free = free.iter().enumerate().filter(|(_, free)| **free).map(|(at, _)| at);
            free.next().filter(|_| free.next().is_none())
        };
        pairs.extend(only(&left).zip(only(&wanting)));
        pairs.into_iter().map(|(from, to)| (old[from], new[to])).collect()
    }
}

#[cfg(test)]
mod tests;
