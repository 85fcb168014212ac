//! Objects: immutable bytes, named by their hash. All content of a space consists of them.
//!
//! The engine does no input or output. Its computations read from [`Objects`], which has the objects that are loaded. A
//! computation that needs others stops with [`ReadError::Missing`], which names all objects that the next step needs.
//! The caller loads them in one query and runs the computation again. Computations are pure, and each step of a walk
//! reads a whole level of a tree, so the number of rounds is the depth of the tree, whatever its size.
//!
//! ```
//! use content::document::Document;
//! use content::object::{MemoryObjects, Objects, ReadError};
//! use content::text_of;
//!
//! # fn main() -> Result<(), ReadError> {
//! let mut stored = MemoryObjects::default(); // in place of a database
//! let hash = stored.insert(Document::empty().encode());
//!
//! let mut loaded = MemoryObjects::default();
//! let document = loop {
//!     match text_of(&loaded, Some(hash)) {
//!         Err(ReadError::Missing(hashes)) => {
//!             loaded.extend(hashes.into_iter().map(|hash| (hash, stored.get(&hash).expect("a stored object"))));
//!         }
//!         read => break read?,
//!     }
//! };
//! assert_eq!(document, Document::empty());
//! # Ok(())
//! # }
//! ```
use bytes::Bytes;
use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The name of an object: the BLAKE3 hash of its bytes. As text, 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash([u8; Hash::LENGTH]);

/// Why a text is not a [`struct@Hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 digits of 0-9 and a-f")]
pub struct InvalidHash;

impl Hash {
    /// How many bytes a hash has.
    pub const LENGTH: usize = 32;

    /// The name of the object with these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The bytes of the hash, as a store keeps it.
    pub fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }

    /// A hash that was computed before.
    pub fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

impl FromStr for Hash {
    type Err = InvalidHash;

    fn from_str(raw: &str) -> Result<Self, InvalidHash> {
        let (pairs, []) = raw.as_bytes().as_chunks::<2>() else { return Err(InvalidHash) };
        let pairs: &[[u8; 2]; Self::LENGTH] = pairs.try_into().ok().ok_or(InvalidHash)?;
        let mut bytes = [0; Self::LENGTH];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, InvalidHash> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(InvalidHash),
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;

        impl Visitor<'_> for Digits {
            type Value = Hash;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: serde::de::Error>(self, raw: &str) -> Result<Hash, E> {
                raw.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

/// Why a computation over objects stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Objects are not loaded: load them all, then run the computation again. Sorted, without duplicates.
    #[error("{} objects are not at hand", .0.len())]
    Missing(Vec<Hash>),
    /// A loaded object does not have the expected form. Loading it again does not help.
    #[error("object {hash} is corrupt: {reason}")]
    Corrupt {
        /// The object.
        hash: Hash,
        /// The problem.
        reason: String,
    },
}

impl ReadError {
    pub(crate) fn corrupt(hash: Hash, reason: impl fmt::Display) -> Self {
        Self::Corrupt { hash, reason: reason.to_string() }
    }
}

/// The result of a computation that reads objects. Every such computation fails with [`ReadError::Missing`] until the
/// objects that it needs are loaded, and with [`ReadError::Corrupt`] for an object that is damaged.
pub type Read<T> = Result<T, ReadError>;

/// The loaded objects.
///
/// Reads do not verify hashes. Code that loads objects from storage that can be corrupted or tampered with verifies
/// each object against its hash, once.
pub trait Objects {
    /// The object with this hash, if it is loaded.
    fn get(&self, hash: &Hash) -> Option<Bytes>;

    /// Whether the stored content already has this object, so that it need not be stored again. Returns `false` for a
    /// loaded object that only belongs to other content; [`get`](Self::get) returns that too.
    fn holds(&self, hash: &Hash) -> bool {
        self.get(hash).is_some()
    }
}

/// These objects, in this order.
///
/// # Errors
/// [`ReadError::Missing`] with all of them that are not loaded.
pub fn fetch(objects: &dyn Objects, hashes: impl IntoIterator<Item = Hash>) -> Read<Vec<Bytes>> {
    let mut missing = BTreeSet::new();
    let mut found = Vec::new();
    for hash in hashes {
        match objects.get(&hash) {
            Some(bytes) => found.push(bytes),
            None => drop(missing.insert(hash)),
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(ReadError::Missing(missing.into_iter().collect())) }
}

/// Combines several reads, so that all their missing objects are loaded at once.
///
/// # Errors
/// The first error other than [`ReadError::Missing`]; otherwise that one with the missing objects of all reads.
pub fn together<T>(reads: impl IntoIterator<Item = Read<T>>) -> Read<Vec<T>> {
    let mut missing = BTreeSet::new();
    let mut found = Vec::new();
    for read in reads {
        match read {
            Ok(value) => found.push(value),
            Err(ReadError::Missing(hashes)) => missing.extend(hashes),
            Err(fault) => return Err(fault),
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(ReadError::Missing(missing.into_iter().collect())) }
}

/// Combines two reads, like [`together`].
///
/// # Errors
/// As [`together`].
pub fn both<A, B>(one: Read<A>, other: Read<B>) -> Read<(A, B)> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(ReadError::Missing(mut hashes)), Err(ReadError::Missing(others))) => {
            hashes.extend(others);
            hashes.sort_unstable();
            hashes.dedup();
            Err(ReadError::Missing(hashes))
        }
        (Err(fault @ ReadError::Corrupt { .. }), _) | (_, Err(fault @ ReadError::Corrupt { .. })) => Err(fault),
        (Err(missing), Ok(_)) | (Ok(_), Err(missing)) => Err(missing),
    }
}

/// Reads a value from the JSON in an object.
///
/// # Errors
/// [`ReadError::Missing`]; [`ReadError::Corrupt`] when the bytes are not a `T`.
pub fn read_json<T: DeserializeOwned>(objects: &dyn Objects, hash: &Hash) -> Read<T> {
    let bytes = objects.get(hash).ok_or_else(|| ReadError::Missing(vec![*hash]))?;
    from_json(&bytes, *hash)
}

/// Reads a value from the JSON in the bytes of the object `hash`.
pub(crate) fn from_json<T: DeserializeOwned>(bytes: &[u8], hash: Hash) -> Read<T> {
    serde_json::from_slice(bytes).map_err(|error| ReadError::corrupt(hash, error))
}

/// The canonical JSON of a value, as [`Scratch::put_json`] stores it.
///
/// # Panics
/// If `T` cannot be JSON (a map whose keys are not strings): an error in the type, not in the data.
pub(crate) fn to_json<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("a stored type has a JSON form")
}

/// New objects on top of the loaded ones. The caller stores them if it keeps the result of the computation.
pub struct Scratch<'a> {
    base: &'a dyn Objects,
    written: BTreeMap<Hash, Bytes>,
    written_bytes: usize,
}

impl<'a> Scratch<'a> {
    /// A scratch without new objects.
    pub fn new(base: &'a dyn Objects) -> Self {
        Self { base, written: BTreeMap::new(), written_bytes: 0 }
    }

    /// Adds an object and returns its hash. An object that is stored already is not written again.
    pub fn put(&mut self, bytes: impl Into<Bytes>) -> Hash {
        let bytes = bytes.into();
        let hash = Hash::of(&bytes);
        if !self.base.holds(&hash) {
            let length = bytes.len();
            if self.written.insert(hash, bytes).is_none() {
                self.written_bytes += length;
            }
        }
        hash
    }

    /// Adds a value as canonical JSON (no white space, fields in the order of their declaration); [`read_json`] reads
    /// it. Equal values must give equal bytes: a stored type has its maps in a `BTreeMap`, never in a `HashMap`.
    ///
    /// # Panics
    /// If `T` cannot be JSON (a map whose keys are not strings).
    pub fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Hash {
        self.put(to_json(value))
    }

    /// The total size of the new objects, in bytes.
    pub fn written_bytes(&self) -> usize {
        self.written_bytes
    }

    /// The new objects, to be stored before anything refers to them.
    pub fn into_written(self) -> BTreeMap<Hash, Bytes> {
        self.written
    }
}

impl Objects for Scratch<'_> {
    fn get(&self, hash: &Hash) -> Option<Bytes> {
        self.written.get(hash).cloned().or_else(|| self.base.get(hash))
    }

    fn holds(&self, hash: &Hash) -> bool {
        self.written.contains_key(hash) || self.base.holds(hash)
    }
}

/// Objects that several computations share, such as those a process keeps in memory.
pub type SharedObjects = Arc<dyn Objects + Send + Sync>;

/// Objects in memory: the working set of a computation.
///
/// It can read through to other objects, of any content. An object that is read by its hash becomes part of the working
/// set, since the content refers to it. A new object that happens to equal one of the others does not.
#[derive(Default)]
pub struct MemoryObjects {
    own: Mutex<HashMap<Hash, Bytes>>,
    behind: Option<SharedObjects>,
}

impl MemoryObjects {
    /// Adds an object and returns its hash.
    pub fn insert(&mut self, bytes: impl Into<Bytes>) -> Hash {
        let bytes = bytes.into();
        let hash = Hash::of(&bytes);
        self.extend([(hash, bytes)]);
        hash
    }

    /// Reads the objects that it does not have from `behind`.
    pub fn read_through(&mut self, behind: Option<SharedObjects>) {
        self.behind = behind;
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.own().len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.own().is_empty()
    }

    fn own(&self) -> MutexGuard<'_, HashMap<Hash, Bytes>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for MemoryObjects {
    fn clone(&self) -> Self {
        Self { own: Mutex::new(self.own().clone()), behind: self.behind.clone() }
    }
}

impl fmt::Debug for MemoryObjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MemoryObjects").field(&self.own()).finish()
    }
}

/// Adds objects whose hashes are known to be right, such as those of a [`Scratch`].
impl Extend<(Hash, Bytes)> for MemoryObjects {
    fn extend<I: IntoIterator<Item = (Hash, Bytes)>>(&mut self, objects: I) {
        self.own().extend(objects);
    }
}

impl Objects for MemoryObjects {
    fn get(&self, hash: &Hash) -> Option<Bytes> {
        let mut own = self.own();
        if let Some(bytes) = own.get(hash) {
            return Some(bytes.clone());
        }
        let bytes = self.behind.as_ref()?.get(hash)?;
        own.insert(*hash, bytes.clone());
        Some(bytes)
    }

    fn holds(&self, hash: &Hash) -> bool {
        self.own().contains_key(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// The published test vector of BLAKE3 for no input.
    const OF_NOTHING: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";

    #[test]
    fn a_hash_is_blake3_in_lower_case_hex() {
        let hash = Hash::of(b"");
        assert_eq!(hash.to_string(), OF_NOTHING);
        assert_eq!(OF_NOTHING.parse(), Ok(hash));
        assert_eq!(Hash::from_bytes(*hash.as_bytes()), hash);
        assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{OF_NOTHING}\""));
        assert_eq!(serde_json::from_str::<Hash>(&format!("\"{OF_NOTHING}\"")).unwrap(), hash);
    }

    #[test]
    fn two_reads_miss_what_either_of_them_misses() {
        let [a, b] = [b"a", b"b"].map(|bytes| Hash::of(bytes));
        let missing = |hashes: &[Hash]| Err(ReadError::Missing(hashes.to_vec()));
        let damaged = || Err(ReadError::corrupt(a, "damaged"));
        assert!(matches!(both(Ok(1), Ok("two")), Ok((1, "two"))));
        let mut two = vec![a, b];
        two.sort_unstable();
        let found = both::<(), ()>(missing(&[a, b]), missing(&[b]));
        assert!(matches!(found, Err(ReadError::Missing(hashes)) if hashes == two));
        for found in [both(Ok(()), missing(&[a])), both(missing(&[a]), Ok(()))] {
            assert!(matches!(found, Err(ReadError::Missing(hashes)) if hashes == [a]));
        }
        for found in [both::<(), ()>(damaged(), missing(&[b])), both(missing(&[b]), damaged())] {
            assert!(matches!(found, Err(ReadError::Corrupt { .. })), "a fault counts more than what is missing");
        }
    }

    #[rstest]
    #[case("")]
    #[case(&OF_NOTHING[1..])]
    #[case(&OF_NOTHING[2..])]
    #[case(&format!("{OF_NOTHING}00"))]
    #[case(&OF_NOTHING.to_uppercase())]
    #[case(&OF_NOTHING.replacen('a', "g", 1))]
    #[case(&OF_NOTHING.replacen("af", "é", 1))]
    fn anything_else_is_no_hash(#[case] raw: &str) {
        assert_eq!(raw.parse::<Hash>(), Err(InvalidHash));
        assert!(serde_json::from_value::<Hash>(raw.into()).is_err());
    }

    #[test]
    fn hashes_order_as_their_text() {
        let (a, b) = (Hash::of(b"a"), Hash::of(b"b"));
        assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }

    #[test]
    fn all_that_is_missing_is_named_once_and_in_order() {
        let mut memory = MemoryObjects::default();
        let here = memory.insert("here");
        let mut away = vec![Hash::of(b"x"), Hash::of(b"y")];
        let asked = [away[0], here, away[1], away[0]];
        away.sort();
        assert_eq!(fetch(&memory, asked), Err(ReadError::Missing(away)));
        assert_eq!(fetch(&memory, [here, here]), Ok(vec!["here".into(), "here".into()]));
    }

    #[test]
    fn a_scratch_reads_through_and_keeps_only_what_is_new() {
        let mut memory = MemoryObjects::default();
        let old = memory.insert("old");
        let mut scratch = Scratch::new(&memory);
        assert_eq!(scratch.put("old"), old);
        let new = scratch.put("new");
        assert_eq!(scratch.get(&old).as_deref(), Some(b"old".as_slice()));
        assert_eq!(scratch.get(&new).as_deref(), Some(b"new".as_slice()));
        let written = scratch.into_written();
        assert_eq!(written.keys().collect::<Vec<_>>(), [&new]);
        memory.extend(written);
        assert_eq!(memory.len(), 2);
    }

    #[test]
    fn a_json_value_is_read_as_it_was_written() {
        let memory = MemoryObjects::default();
        let mut scratch = Scratch::new(&memory);
        let value = vec![("a".to_owned(), 1), ("b".to_owned(), 2)];
        let hash = scratch.put_json(&value);
        assert_eq!(hash, Hash::of(br#"[["a",1],["b",2]]"#));
        assert_eq!(read_json(&scratch, &hash), Ok(value));
        assert_eq!(read_json::<bool>(&memory, &hash), Err(ReadError::Missing(vec![hash])));
        assert!(matches!(read_json::<bool>(&scratch, &hash), Err(ReadError::Corrupt { .. })));
    }

    #[test]
    fn what_is_read_by_name_belongs_to_the_working_set_and_what_is_made_does_not() {
        let mut elsewhere = MemoryObjects::default();
        let (read, made) = (elsewhere.insert("read"), elsewhere.insert("made"));
        let mut memory = MemoryObjects::default();
        assert_eq!(memory.get(&read), None);
        memory.read_through(Some(Arc::new(elsewhere)));
        assert_eq!(memory.get(&read).as_deref(), Some(b"read".as_slice()));
        assert!(memory.holds(&read) && !memory.holds(&made));
        let mut scratch = Scratch::new(&memory);
        assert_eq!((scratch.put("read"), scratch.put("made")), (read, made));
        assert!(scratch.holds(&made));
        let written: Vec<Hash> = scratch.into_written().into_keys().collect();
        assert_eq!(written, [made], "other content may hold it today and not tomorrow");
    }
}
