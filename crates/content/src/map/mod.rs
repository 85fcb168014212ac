//! Maps: the persistent ordered maps that a revision consists of.
//!
//! A [`Map`] is a *prolly tree*: a search tree of immutable nodes. Each node is an object, and the hashes of the keys
//! decide where a node ends. The same entries always give the same tree, whatever edits led to them. So
//! - two maps are equal if their roots are, and differ only below nodes with different hashes ([`Map::diff`]);
//! - an edit stores the nodes on its path and shares all others ([`Map::edit`]);
//! - a copy of a map of any size is a copy of 32 bytes.
//!
//! `chunk` has the rule that cuts rows of entries into nodes, `node` the encoding of nodes, and `edit` the way an edit
//! finds the nodes it needs.
mod chunk;
mod diff;
mod edit;
mod node;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
mod walk;

use crate::object::{Hash, Objects, Read, Scratch, fetch, from_json, to_json};
use node::{Entry, Node};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use walk::{Step, Visit, Wanted};

/// A persistent map from texts to values, in the order of the keys' bytes. It is the hash of its root node, or nothing
/// if it is empty.
///
/// Keys are ids, names and slugs: short. The nodes contain the values as JSON. Equal values must have equal JSON (as
/// for [`Scratch::put_json`]); a large value belongs in an object of its own, with its hash here.
///
/// Every function that reads can fail with [`ReadError::Missing`](crate::object::ReadError::Missing), one level of the
/// tree at a time, or with [`ReadError::Corrupt`](crate::object::ReadError::Corrupt).
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Map<V> {
    root: Option<Hash>,
    #[serde(skip)]
    values: PhantomData<fn() -> V>,
}

/// The change of one key between two maps. At least one of the two values is present, and they differ. Boxed: in most
/// differences with thousands of changes, one of the two is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapChange<V> {
    /// The key.
    pub key: String,
    /// The value in the first map.
    pub before: Option<Box<V>>,
    /// The value in the second map.
    pub after: Option<Box<V>>,
}

impl<V> Map<V> {
    /// The map with this root.
    pub fn at(root: Option<Hash>) -> Self {
        Self { root, values: PhantomData }
    }

    /// The hash of its root node; `None` if it is empty.
    pub fn root(&self) -> Option<Hash> {
        self.root
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The number of entries. Reads only the root.
    pub(crate) fn len(&self, objects: &dyn Objects) -> Read<u64> {
        match self.root {
            None => Ok(0),
            Some(root) => Ok(Visit::root(objects, root)?.node()?.count()),
        }
    }

    /// The hashes of all its nodes. Reads only inner nodes, and does not follow references in values.
    pub fn reachable(&self, objects: &dyn Objects) -> Read<Vec<Hash>> {
        self.reachable_beyond(&BTreeSet::new(), objects)
    }

    /// Like [`reachable`](Self::reachable), without the nodes in `known` and those below them. Revisions of a map share
    /// most of their nodes, so this visits each node once over many revisions.
    pub(crate) fn reachable_beyond(&self, known: &BTreeSet<Hash>, objects: &dyn Objects) -> Read<Vec<Hash>> {
        let mut reached: Vec<Hash> = self.root.into_iter().filter(|root| !known.contains(root)).collect();
        let mut steps: Vec<Step> = reached.iter().map(|root| Step::To(Wanted::root(*root))).collect();
        while !steps.is_empty() {
            let visits = walk::arrive(objects, std::mem::take(&mut steps))?;
            for visit in &visits {
                let Node::Inner(level, links) = visit.node()? else { continue };
                for (after, link) in visit.spans(&links).filter(|(_, link)| !known.contains(&link.hash)) {
                    reached.push(link.hash);
                    // Below level 1 there are only leaves, which have no links.
                    if level > 1 {
                        steps.push(Step::To(Wanted::child(after, level, link)));
                    }
                }
            }
        }
        Ok(reached)
    }
}

impl<V: DeserializeOwned> Map<V> {
    /// Like [`reachable`](Self::reachable), without the nodes in `known` and those below them; with the values of the
    /// leaves among the others.
    pub fn values_beyond(&self, known: &BTreeSet<Hash>, objects: &dyn Objects) -> Read<(Vec<Hash>, Vec<V>)> {
        let reached = self.reachable_beyond(known, objects)?;
        let mut values = Vec::new();
        for (hash, bytes) in reached.iter().zip(fetch(objects, reached.iter().copied())?) {
            if let Node::Leaf(entries) = Node::decode(&bytes, *hash)? {
                values.extend(entries.iter().map(|entry| from_json(entry.value, *hash)).collect::<Read<Vec<V>>>()?);
            }
        }
        Ok((reached, values))
    }
}

impl<V: Serialize + DeserializeOwned> Map<V> {
    /// Stores a map of these entries. If a key occurs twice, the later entry counts.
    pub fn build(scratch: &mut Scratch<'_>, entries: impl IntoIterator<Item = (String, V)>) -> Self {
        let entries: BTreeMap<String, V> = entries.into_iter().collect();
        let row = entries.iter().map(|(key, value)| (key.as_str(), to_json(value).into()));
        let leaves = chunk::put_leaves(scratch, row);
        Self::at(chunk::put_upwards(scratch, 1, leaves))
    }

    /// Stores the map with these changes: a new value for a key, or `None` to remove it. Reads and writes only the
    /// paths to these keys.
    pub fn edit<K: AsRef<str>>(&self, scratch: &mut Scratch<'_>, edits: &BTreeMap<K, Option<V>>) -> Read<Self> {
        let edits: Vec<edit::Edit<'_>> = (edits.iter())
            .map(|(key, value)| (key.as_ref(), value.as_ref().map(|value| value as &dyn edit::Encode)))
            .collect();
        edit::edit(scratch, self.root, &edits).map(Self::at)
    }

    /// The value of a key.
    pub fn get(&self, objects: &dyn Objects, key: &str) -> Read<Option<V>> {
        let mut values = self.get_many(objects, &[key])?;
        Ok(values.pop().flatten())
    }

    /// The values of some keys, in the order asked.
    pub fn get_many(&self, objects: &dyn Objects, keys: &[&str]) -> Read<Vec<Option<V>>> {
        let mut values = Vec::with_capacity(keys.len());
        self.look_up(objects, keys, |_, value| values.push(value))?;
        Ok(values)
    }

    /// The entries among these keys. Takes memory only for keys that the map has.
    pub fn entries_of<'k>(&self, objects: &dyn Objects, keys: &[&'k str]) -> Read<BTreeMap<&'k str, V>> {
        let mut entries = BTreeMap::new();
        self.look_up(objects, keys, |key, value| entries.extend(value.map(|value| (key, value))))?;
        Ok(entries)
    }

    fn look_up<'k>(
        &self,
        objects: &dyn Objects,
        keys: &[&'k str],
        mut each: impl FnMut(&'k str, Option<V>),
    ) -> Read<()> {
        let mut sorted = keys.to_vec();
        sorted.sort_unstable();
        let leaves = walk::leaves(objects, self.root, |after, last| {
            let next = after.map_or(0, |after| sorted.partition_point(|key| *key <= after));
            sorted.get(next).is_some_and(|key| *key <= last)
        })?;
        let entries = walk::entries(&leaves)?;
        for key in keys.iter().copied() {
            let value = match entries.binary_search_by(|(_, entry)| entry.key.cmp(key)) {
                Ok(at) => Some(from_json(entries[at].1.value, entries[at].0)?),
                Err(_) => None,
            };
            each(key, value);
        }
        Ok(())
    }

    /// All entries, in the order of their keys.
    pub fn entries(&self, objects: &dyn Objects) -> Read<Vec<(String, V)>> {
        self.span(objects, |_| Ordering::Equal)
    }

    /// Passes all entries to `each`, in the order of their keys. Only one value is in memory at a time. If it fails,
    /// `each` may have got some of the entries.
    pub(crate) fn each(&self, objects: &dyn Objects, mut each: impl FnMut(&str, V)) -> Read<()> {
        let leaves = walk::leaves(objects, self.root, |_, _| true)?;
        for (leaf, entry) in walk::entries(&leaves)? {
            each(entry.key, from_json(entry.value, leaf)?);
        }
        Ok(())
    }

    /// The keys of the entries whose values fit, in order. Only one value is in memory at a time.
    pub(crate) fn keys_where(&self, objects: &dyn Objects, fits: impl Fn(&V) -> bool) -> Read<Vec<String>> {
        let mut keys = Vec::new();
        self.each(objects, |key, value| {
            if fits(&value) {
                keys.push(key.to_owned());
            }
        })?;
        Ok(keys)
    }

    /// The entries whose keys begin with `prefix`, in order.
    pub(crate) fn with_prefix(&self, objects: &dyn Objects, prefix: &str) -> Read<Vec<(String, V)>> {
        self.span(objects, |key| if key.starts_with(prefix) { Ordering::Equal } else { key.cmp(prefix) })
    }

    /// The entries whose keys are within these bounds, in order.
    pub fn range(&self, objects: &dyn Objects, bounds: impl RangeBounds<str>) -> Read<Vec<(String, V)>> {
        self.span(objects, |key| {
            let starts = match bounds.start_bound() {
                Bound::Included(start) => start <= key,
                Bound::Excluded(start) => start < key,
                Bound::Unbounded => true,
            };
            let ends = match bounds.end_bound() {
                Bound::Included(end) => key > end,
                Bound::Excluded(end) => key >= end,
                Bound::Unbounded => false,
            };
            if !starts {
                Ordering::Less
            } else if ends {
                Ordering::Greater
            } else {
                Ordering::Equal
            }
        })
    }

    /// The first entries whose keys come after `after`, in order; of all entries without it. Reads only the nodes that
    /// have them.
    pub(crate) fn entries_after(
        &self,
        objects: &dyn Objects,
        after: Option<&str>,
        limit: usize,
    ) -> Read<Vec<(String, V)>> {
        let follows = |key: &str| after.is_none_or(|after| key > after);
        let leaves = walk::leaves_until(objects, self.root, |_, last| follows(last), limit as u64)?;
        let entries = walk::entries(&leaves)?.into_iter().filter(|(_, entry)| follows(entry.key));
        entries.take(limit).map(|(leaf, entry)| Ok((entry.key.to_owned(), from_json(entry.value, leaf)?))).collect()
    }

    /// The change of each key from this map to `other`, in the order of keys.
    pub fn diff(&self, other: &Self, objects: &dyn Objects) -> Read<Vec<MapChange<V>>> {
        let (before, after) = diff::differing_leaves(objects, self.root, other.root)?;
        let value = |(hash, entry): (Hash, Entry<'_>)| from_json(entry.value, hash).map(Box::new);
        let pairs: Vec<_> = diff::differing_entries(walk::entries(&before)?, walk::entries(&after)?).collect();
        let mut changes = Vec::with_capacity(pairs.len());
        for (old, new) in pairs {
            let key = old.or(new).map_or("", |(_, entry)| entry.key).to_owned();
            changes.push(MapChange { key, before: old.map(value).transpose()?, after: new.map(value).transpose()? });
        }
        Ok(changes)
    }

    /// The entries in a range of keys: `place` returns whether a key is before the range, in it, or after it.
    fn span(&self, objects: &dyn Objects, place: impl Fn(&str) -> Ordering) -> Read<Vec<(String, V)>> {
        let leaves = walk::leaves(objects, self.root, |after, last| {
            place(last).is_ge() && after.is_none_or(|after| place(after).is_le())
        })?;
        walk::entries(&leaves)?
            .into_iter()
            .filter(|(_, entry)| place(entry.key).is_eq())
            .map(|(leaf, entry)| Ok((entry.key.to_owned(), from_json(entry.value, leaf)?)))
            .collect()
    }
}

// Not derived: a derived implementation would require the same of `V`, and a map contains no `V`.
impl<V> Clone for Map<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Map<V> {}

impl<V> Default for Map<V> {
    /// The empty map.
    fn default() -> Self {
        Self::at(None)
    }
}

impl<V> PartialEq for Map<V> {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl<V> Eq for Map<V> {}

impl<V> fmt::Debug for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Map").field(&self.root).finish()
    }
}
