//! The tree of a merged document: which blocks it has, and the parent of each.
use super::super::conflict::Part;
use super::super::three_way::agreed;
use super::Join;
use super::layout::Layout;
use crate::document::Key;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The blocks of a merged document with their parents, without order.
pub(super) struct BlockTree<'a> {
    pub(super) alive: BTreeSet<&'a Key>,
    parents: HashMap<&'a Key, Option<&'a Key>>,
    top: BTreeSet<&'a Key>,
    inside: HashMap<&'a Key, BTreeSet<&'a Key>>,
}

impl<'a> BlockTree<'a> {
    pub(super) fn of(join: &mut Join<'_, 'a>) -> Self {
        let mut alive: BTreeSet<&'a Key> = BTreeSet::new();
        for (one, other) in [(join.primary, join.change), (join.change, join.primary)] {
            alive.extend(one.keys.iter().filter(|key| other.has(key) || !join.base.has(key)));
            for (key, kept) in kept(join.base, one, other) {
                join.contest(key, Part::Whole);
                alive.extend(kept);
            }
        }
        let mut tree = Self { alive, parents: HashMap::new(), top: BTreeSet::new(), inside: HashMap::new() };
        for key in tree.alive.clone() {
            let parent = tree.parent(join, key);
            tree.parents.insert(key, parent);
        }
        tree.without_cycles(join);
        for (key, parent) in &tree.parents {
            match parent {
                None => tree.top.insert(key),
                Some(parent) => tree.inside.entry(parent).or_default().insert(key),
            };
        }
        tree
    }

    /// The children of a block, or the outermost blocks.
    pub(super) fn members(&self, parent: Option<&Key>) -> BTreeSet<&'a Key> {
        match parent {
            None => self.top.clone(),
            Some(parent) => self.inside.get(parent).cloned().unwrap_or_default(),
        }
    }

    /// A block and all blocks below it.
    pub(super) fn within(&self, key: &'a Key) -> HashSet<&'a Key> {
        let mut found = HashSet::new();
        let mut waiting = vec![key];
        while let Some(key) = waiting.pop() {
            found.insert(key);
            waiting.extend(self.inside.get(key).into_iter().flatten());
        }
        found
    }

    /// The parent of a block.
    fn parent(&self, join: &mut Join<'_, 'a>, key: &'a Key) -> Option<&'a Key> {
        let [base, primary, change] = [join.base, join.primary, join.change].map(|layout| layout.parent(key));
        let parent = match (primary, change) {
            (Some(primary), Some(change)) => match agreed(base, Some(primary), Some(change)) {
                Some(parent) => parent.flatten(),
                None => {
                    if base.is_some() {
                        join.contest(key, Part::Place);
                    }
                    change
                }
            },
            (primary, change) => primary.or(change).flatten(),
        };
        self.nearest(join.base, parent)
    }

    /// The block, or its nearest ancestor in the base that exists.
    fn nearest(&self, base: &Layout<'a>, mut parent: Option<&'a Key>) -> Option<&'a Key> {
        while let Some(key) = parent.filter(|key| !self.alive.contains(key)) {
            parent = base.parent(key).flatten();
        }
        parent
    }

    /// If moves of both sides put blocks into each other, the lowest block of those that moved gets its position in the
    /// base.
    fn without_cycles(&mut self, join: &mut Join<'_, 'a>) {
        let mut sound: HashSet<&'a Key> = HashSet::new();
        for start in self.alive.clone() {
            loop {
                let mut path: Vec<&'a Key> = Vec::new();
                let mut at = Some(start);
                while let Some(key) = at.filter(|key| !sound.contains(key) && !path.contains(key)) {
                    path.push(key);
                    at = self.parents.get(key).copied().flatten();
                }
                let Some(closing) = at.and_then(|key| path.iter().position(|on_path| *on_path == key)) else {
                    sound.extend(path);
                    break;
                };
                let moved =
                    |key: &&&'a Key| join.base.has(key) && join.base.parent(key) != self.parents.get(**key).copied();
                let contested = |key: &&&'a Key| join.conflicts.contains_key(&((**key).clone(), Part::Place));
                let circle = &path[closing..];
                let back = circle.iter().filter(moved).filter(contested).min();
                let back = back.or_else(|| circle.iter().filter(moved).min()).copied();
                let key = back.unwrap_or(path[closing]);
                let parent = back.and_then(|key| join.base.parent(key).flatten());
                let parent = self.nearest(join.base, parent);
                join.contest(key, Part::Place);
                self.parents.insert(key, parent);
            }
        }
    }
}

/// The blocks of one side that stay although the other side removed them, because they were edited: for each part that
/// stays as a whole, its outermost block and all its blocks.
fn kept<'a>(base: &Layout<'a>, one: &Layout<'a>, other: &Layout<'a>) -> Vec<(&'a Key, Vec<&'a Key>)> {
    let gone = |key: &Key| base.has(key) && !other.has(key);
    let mut outermost: HashMap<&'a Key, &'a Key> = HashMap::new();
    let mut pieces: BTreeMap<&'a Key, Vec<&'a Key>> = BTreeMap::new();
    let mut touched: HashSet<&'a Key> = HashSet::new();
    for key in &one.keys {
        let parent = one.parent(key).flatten();
        let around = parent.and_then(|parent| outermost.get(parent).copied());
        let moved = base.parent(key) != Some(parent);
        if gone(key) {
            let piece = around.unwrap_or(key);
            outermost.insert(key, piece);
            pieces.entry(piece).or_default().push(key);
            if moved || !one.has_same_content(base, key) {
                touched.insert(piece);
            }
        } else if moved {
            // It contains a new block, or a block from elsewhere.
            touched.extend(around);
        }
    }
    pieces.into_iter().filter(|(piece, _)| touched.contains(piece)).collect()
}
