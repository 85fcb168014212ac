//! Nodes of the tree, and their encoding. Each node has exactly one encoding.
//!
//! A node is: the format version (one byte, 1; no JSON object begins with it), its level (one byte, 0 for a leaf), the
//! number of its entries, and the entries in ascending order of their keys. An entry of a leaf is a key and a value,
//! each after its length. An entry of an inner node is the last key below it, after its length, the number of entries
//! of the map below it, and the hash of the child. Numbers are LEB128 in their shortest form.
//!
//! Keys are not prefix-compressed. Compression would save a few per cent of a map of pages (ids are 36 bytes of about
//! 340), but every read would copy each key; now a decoded node borrows from its bytes.
use crate::object::{Hash, Read, ReadError, Scratch};

const VERSION: u8 = 1;

/// The most entries of a node, whatever its keys.
pub(super) const MAX_ENTRIES: usize = 128;

/// More levels than a tree can have. Bounds the recursion over bytes that are not a tree.
const MAX_LEVEL: u8 = 63;

/// More entries than a map can have. Keeps sums of counts within their type.
const MAX_COUNT: u64 = 1 << 53;

/// A decoded node, which borrows from its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Node<'a> {
    Leaf(Vec<Entry<'a>>),
    Inner(u8, Vec<Link<'a>>),
}

/// An entry of the map. The value is canonical JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) key: &'a str,
    pub(super) value: &'a [u8],
}

/// A part of the map: the node `hash` has `count` entries, up to the key `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    pub(super) last: &'a str,
    pub(super) count: u64,
    pub(super) hash: Hash,
}

/// An owned [`Link`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) last: String,
    pub(super) count: u64,
    pub(super) hash: Hash,
}

impl Part {
    pub(super) fn link(&self) -> Link<'_> {
        Link { last: &self.last, count: self.count, hash: self.hash }
    }
}

impl Link<'_> {
    pub(super) fn to_part(self) -> Part {
        Part { last: self.last.to_owned(), count: self.count, hash: self.hash }
    }
}

impl<'a> Node<'a> {
    /// The number of levels below.
    pub(super) fn level(&self) -> u8 {
        match self {
            Self::Leaf(_) => 0,
            Self::Inner(level, _) => *level,
        }
    }

    /// The number of entries of the map in or below this node.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Leaf(entries) => entries.len() as u64,
            Self::Inner(_, links) => links.iter().map(|link| link.count).sum(),
        }
    }

    /// The first key of this node.
    pub(super) fn first_key(&self) -> &'a str {
        match self {
            Self::Leaf(entries) => entries.first().map_or("", |entry| entry.key),
            Self::Inner(_, links) => links.first().map_or("", |link| link.last),
        }
    }

    /// The last key in or below this node.
    pub(super) fn last_key(&self) -> &'a str {
        match self {
            Self::Leaf(entries) => entries.last().map_or("", |entry| entry.key),
            Self::Inner(_, links) => links.last().map_or("", |link| link.last),
        }
    }

    /// Whether these bytes are a leaf, if they are a node.
    pub(super) fn is_leaf(bytes: &[u8]) -> bool {
        bytes.starts_with(&[VERSION, 0])
    }

    /// Decodes the node with this hash.
    pub(super) fn decode(bytes: &'a [u8], hash: Hash) -> Read<Self> {
        decode(&mut Input(bytes)).map_err(|reason| ReadError::corrupt(hash, reason))
    }
}

/// Stores a leaf.
pub(super) fn put_leaf(scratch: &mut Scratch<'_>, entries: &[Entry<'_>]) -> Part {
    let size: usize = entries.iter().map(|entry| entry.key.len() + entry.value.len() + 4).sum();
    let mut out = header(0, entries.len(), size);
    for entry in entries {
        put_bytes(&mut out, entry.key.as_bytes());
        put_bytes(&mut out, entry.value);
    }
    let last = entries.last().map_or("", |entry| entry.key).to_owned();
    Part { last, count: entries.len() as u64, hash: scratch.put(out) }
}

/// Stores an inner node.
pub(super) fn put_inner(scratch: &mut Scratch<'_>, level: u8, links: &[Link<'_>]) -> Part {
    let size: usize = links.iter().map(|link| link.last.len() + Hash::LENGTH + 4).sum();
    let mut out = header(level, links.len(), size);
    for link in links {
        put_bytes(&mut out, link.last.as_bytes());
        put_number(&mut out, link.count);
        out.extend_from_slice(link.hash.as_bytes());
    }
    let last = links.last().map_or("", |link| link.last).to_owned();
    Part { last, count: links.iter().map(|link| link.count).sum(), hash: scratch.put(out) }
}

fn header(level: u8, entries: usize, size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(size + 4);
    out.extend_from_slice(&[VERSION, level]);
    put_number(&mut out, entries as u64);
    out
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

type Decoded<T> = Result<T, &'static str>;

fn decode<'a>(input: &mut Input<'a>) -> Decoded<Node<'a>> {
    if input.byte()? != VERSION {
        return Err("not a node of a known version");
    }
    let level = input.byte()?;
    if level > MAX_LEVEL {
        return Err("its level is too high");
    }
    let entries = input.number()?;
    // An inner node with one child is never stored: the child replaces it.
    let least = if level == 0 { 1 } else { 2 };
    if !(least..=MAX_ENTRIES as u64).contains(&entries) {
        return Err("it has too few or too many entries");
    }
    let node = if level == 0 {
        let entry = |input: &mut Input<'a>| Ok(Entry { key: input.key()?, value: input.bytes()? });
        Node::Leaf(ascending(input, entries, entry, |entry| entry.key)?)
    } else {
        let links = ascending(input, entries, Input::link, |link| link.last)?;
        let count = links.iter().try_fold(0_u64, |sum, link| sum.checked_add(link.count));
        if count.is_none_or(|count| count > MAX_COUNT) {
            return Err("its counts are too high");
        }
        Node::Inner(level, links)
    };
    if input.0.is_empty() { Ok(node) } else { Err("bytes follow its last entry") }
}

fn ascending<'a, T>(
    input: &mut Input<'a>,
    entries: u64,
    read: impl Fn(&mut Input<'a>) -> Decoded<T>,
    key: impl Fn(&T) -> &'a str,
) -> Decoded<Vec<T>> {
    let mut all: Vec<T> = Vec::with_capacity(entries as usize);
    for _ in 0..entries {
        let next = read(input)?;
        if all.last().is_some_and(|before| key(before) >= key(&next)) {
            return Err("its keys do not ascend");
        }
        all.push(next);
    }
    Ok(all)
}

/// The bytes that are not decoded yet.
struct Input<'a>(&'a [u8]);

const CUT_SHORT: &str = "it is cut short";

impl<'a> Input<'a> {
    fn byte(&mut self) -> Decoded<u8> {
        let (byte, rest) = self.0.split_first().ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(*byte)
    }

    fn number(&mut self) -> Decoded<u64> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            number |= part << shift;
            if part << shift >> shift != part || (byte == 0 && shift > 0) {
                break;
            }
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number is too long")
    }

    fn bytes(&mut self) -> Decoded<&'a [u8]> {
        let length = self.number()?.try_into().ok().ok_or(CUT_SHORT)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn key(&mut self) -> Decoded<&'a str> {
        str::from_utf8(self.bytes()?).ok().ok_or("a key is not UTF-8")
    }

    fn link(&mut self) -> Decoded<Link<'a>> {
        let (last, count) = (self.key()?, self.number()?);
        let (hash, rest) = self.0.split_first_chunk().ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(Link { last, count, hash: Hash::from_bytes(*hash) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{MemoryObjects, Objects};
    use proptest::prelude::*;
    use rstest::rstest;

    fn leaf(entries: &[(&str, &str)]) -> Vec<u8> {
        let memory = MemoryObjects::default();
        let mut scratch = Scratch::new(&memory);
        let entries: Vec<_> = entries.iter().map(|(key, value)| Entry { key, value: value.as_bytes() }).collect();
        let part = put_leaf(&mut scratch, &entries);
        scratch.get(&part.hash).unwrap().to_vec()
    }

    fn inner(links: &[(&str, u64)]) -> Vec<u8> {
        let memory = MemoryObjects::default();
        let mut scratch = Scratch::new(&memory);
        let links: Vec<_> =
            links.iter().map(|(last, count)| Link { last, count: *count, hash: Hash::of(b"") }).collect();
        let part = put_inner(&mut scratch, 1, &links);
        scratch.get(&part.hash).unwrap().to_vec()
    }

    fn refused(bytes: &[u8]) -> String {
        match Node::decode(bytes, Hash::of(bytes)) {
            Err(ReadError::Corrupt { hash, reason }) if hash == Hash::of(bytes) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_bytes_of_a_leaf_are_these() {
        assert_eq!(leaf(&[("a", "1"), ("b", "[]")]), b"\x01\x00\x02\x01a\x011\x01b\x02[]");
    }

    #[test]
    fn the_bytes_of_an_inner_node_are_these() {
        let hash = *Hash::of(b"").as_bytes();
        let expected = [b"\x01\x01\x02\x01a\x07".as_slice(), &hash, b"\x01b\x80\x01", &hash].concat();
        assert_eq!(inner(&[("a", 7), ("b", 128)]), expected);
    }

    #[rstest]
    #[case(b"")]
    #[case(b"\x01")]
    #[case(b"{\"json\":true}")]
    #[case::no_entries(b"\x01\x00\x00")]
    #[case::a_level_beyond_all(b"\x01\x40\x02")]
    #[case::too_many(b"\x01\x00\x81\x01")]
    #[case::far_too_many(b"\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")]
    #[case::a_number_beyond_64_bits(b"\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")]
    #[case::a_number_without_end(b"\x01\x00\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")]
    #[case::a_number_not_in_its_shortest_form(b"\x01\x00\x81\x00\x01a\x011")]
    #[case::a_length_beyond_the_end(b"\x01\x00\x01\xff\xff\xff\xff\x0fa\x011")]
    #[case::keys_that_fall(b"\x01\x00\x02\x01b\x011\x01a\x011")]
    #[case::keys_that_are_equal(b"\x01\x00\x02\x01a\x011\x01a\x011")]
    #[case::a_key_that_is_not_utf_8(b"\x01\x00\x01\x01\xff\x011")]
    #[case::a_byte_too_many(b"\x01\x00\x01\x01a\x011\x00")]
    fn bytes_that_are_no_node_are_refused(#[case] bytes: &[u8]) {
        refused(bytes);
    }

    #[test]
    fn an_inner_node_of_one_child_is_refused() {
        assert_eq!(refused(&inner(&[("a", 1)])), "it has too few or too many entries");
    }

    #[test]
    fn counts_that_no_map_can_have_are_refused() {
        assert_eq!(refused(&inner(&[("a", MAX_COUNT), ("b", 1)])), "its counts are too high");
        let mut bytes = inner(&[("a", 1), ("b", u64::MAX - 1)]);
        bytes[5] = 2;
        assert_eq!(refused(&bytes), "its counts are too high");
    }

    proptest! {
        #[test]
        fn a_node_that_is_cut_short_is_refused(at in any::<prop::sample::Index>(), low in any::<bool>()) {
            let whole = if low { leaf(&[("a", "1"), ("b", "2")]) } else { inner(&[("a", 1), ("b", 2)]) };
            refused(&whole[..at.index(whole.len())]);
        }

        #[test]
        fn any_bytes_are_a_node_in_its_only_form_or_refused(
            start in prop::sample::select(vec![vec![], vec![1, 0], vec![1, 0, 1], vec![1, 0, 2, 1], vec![1, 1, 2]]),
            rest in prop::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..90),
        ) {
            let bytes = [start, rest].concat();
            let memory = MemoryObjects::default();
            let mut scratch = Scratch::new(&memory);
            let hash = Hash::of(&bytes);
            match Node::decode(&bytes, hash) {
                Ok(Node::Leaf(entries)) => prop_assert_eq!(put_leaf(&mut scratch, &entries).hash, hash),
                Ok(Node::Inner(level, links)) => prop_assert_eq!(put_inner(&mut scratch, level, &links).hash, hash),
                Err(ReadError::Corrupt { .. }) => {}
                Err(other) => prop_assert!(false, "{}", other),
            }
        }
    }
}
