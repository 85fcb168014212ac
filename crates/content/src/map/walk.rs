//! Walks down the tree, level by level.
use super::node::{Entry, Link, Node};
use crate::object::{Hash, Objects, Read, ReadError, fetch};
use bytes::Bytes;

/// A node to load, with the data that its parent has about it.
pub(super) struct Wanted {
    hash: Hash,
    /// Its keys come after this one.
    after: Option<String>,
    /// Absent for a root.
    place: Option<Place>,
}

/// The place of a node, from its parent.
#[derive(Clone)]
struct Place {
    above: u8,
    last: String,
    count: u64,
}

impl Wanted {
    pub(super) fn root(hash: Hash) -> Self {
        Self { hash, after: None, place: None }
    }

    /// The target of `link`, which is in a node of level `above`.
    pub(super) fn child(after: Option<&str>, above: u8, link: &Link<'_>) -> Self {
        let place = Place { above, last: link.last.to_owned(), count: link.count };
        Self { hash: link.hash, after: after.map(str::to_owned), place: Some(place) }
    }
}

/// A loaded node.
#[derive(Clone)]
pub(super) struct Visit {
    pub(super) hash: Hash,
    /// Its keys come after this one.
    pub(super) after: Option<String>,
    place: Option<Place>,
    bytes: Bytes,
}

impl Visit {
    pub(super) fn root(objects: &dyn Objects, hash: Hash) -> Read<Self> {
        let bytes = objects.get(&hash).ok_or_else(|| ReadError::Missing(vec![hash]))?;
        Ok(Self::of(Wanted::root(hash), bytes))
    }

    fn of(wanted: Wanted, bytes: Bytes) -> Self {
        Self { hash: wanted.hash, after: wanted.after, place: wanted.place, bytes }
    }

    /// The node, checked against its place. Fails if it does not belong to its parent.
    pub(super) fn node(&self) -> Read<Node<'_>> {
        let node = Node::decode(&self.bytes, self.hash)?;
        if let Some(Place { above, last, count }) = &self.place {
            let fits = node.level() < *above
                && node.count() == *count
                && node.last_key() == last
                && self.after.as_deref().is_none_or(|after| node.first_key() > after);
            if !fits {
                return Err(ReadError::corrupt(self.hash, "it is not what the node above it says"));
            }
        }
        Ok(node)
    }

    fn is_leaf(&self) -> bool {
        Node::is_leaf(&self.bytes)
    }

    /// The number of entries below it, as its parent has it; 1 for a root.
    fn count(&self) -> u64 {
        self.place.as_ref().map_or(1, |place| place.count)
    }

    /// The links of an inner node, each with the key that all keys below it come after.
    pub(super) fn spans<'l, 'a: 'l>(
        &'a self,
        links: &'l [Link<'a>],
    ) -> impl Iterator<Item = (Option<&'a str>, &'l Link<'a>)> {
        let before = links.iter().map(|link| Some(link.last));
        std::iter::once(self.after.as_deref()).chain(before).zip(links)
    }
}

/// A step of a walk: a node that is loaded, or one to load.
pub(super) enum Step {
    At(Visit),
    To(Wanted),
}

impl Step {
    pub(super) fn hash(&self) -> Hash {
        match self {
            Self::At(visit) => visit.hash,
            Self::To(wanted) => wanted.hash,
        }
    }
}

/// Loads all missing nodes at once.
pub(super) fn arrive(objects: &dyn Objects, steps: Vec<Step>) -> Read<Vec<Visit>> {
    let wanted = steps.iter().filter(|step| matches!(step, Step::To(_))).map(Step::hash);
    let mut loaded = fetch(objects, wanted)?.into_iter();
    let visit = |step| match step {
        Step::At(visit) => Some(visit),
        Step::To(wanted) => loaded.next().map(|bytes| Visit::of(wanted, bytes)),
    };
    Ok(steps.into_iter().filter_map(visit).collect())
}

/// The leaves below the wanted links, in order. `wanted` gets the key that all keys below the link come after, if there
/// is one, and the last key below it.
pub(super) fn leaves(
    objects: &dyn Objects,
    root: Option<Hash>,
    wanted: impl Fn(Option<&str>, &str) -> bool,
) -> Read<Vec<Visit>> {
    leaves_until(objects, root, wanted, u64::MAX)
}

/// The first of these leaves that together have at least `enough` entries, not counting those of the first leaf except
/// one: a range of keys can begin at its last entry. With a limit, all leaves after the first must be wanted whole.
pub(super) fn leaves_until(
    objects: &dyn Objects,
    root: Option<Hash>,
    wanted: impl Fn(Option<&str>, &str) -> bool,
    enough: u64,
) -> Read<Vec<Visit>> {
    let Some(root) = root else { return Ok(Vec::new()) };
    let mut visits = vec![Visit::root(objects, root)?];
    loop {
        let mut steps = Vec::new();
        let (mut entries, mut only_leaves) = (0_u64, true);
        for visit in &visits {
            if entries >= enough {
                break;
            }
            // A leaf is decoded once, by [`entries`].
            if visit.is_leaf() {
                entries = entries.saturating_add(if steps.is_empty() { 1 } else { visit.count() });
                steps.push(Step::At(visit.clone()));
                continue;
            }
            let Node::Inner(level, links) = visit.node()? else { continue };
            only_leaves = false;
            for (after, link) in visit.spans(&links).filter(|(after, link)| wanted(*after, link.last)) {
                if entries >= enough {
                    break;
                }
                entries = entries.saturating_add(if steps.is_empty() { 1 } else { link.count });
                steps.push(Step::To(Wanted::child(after, level, link)));
            }
        }
        if only_leaves {
            visits.truncate(steps.len());
            return Ok(visits);
        }
        visits = arrive(objects, steps)?;
    }
}

/// The entries of some leaves, each with the hash of its leaf.
pub(super) fn entries(leaves: &[Visit]) -> Read<Vec<(Hash, Entry<'_>)>> {
    let mut all = Vec::new();
    for leaf in leaves {
        if let Node::Leaf(entries) = leaf.node()? {
            all.extend(entries.into_iter().map(|entry| (leaf.hash, entry)));
        }
    }
    Ok(all)
}
