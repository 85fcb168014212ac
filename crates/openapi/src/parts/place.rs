//! The places where a document is cut, and the keys of its parts.
use crate::shape::component_kind;
use crate::tree::{pointer_step, unescape};

/// The longest key of a part, in bytes.
pub const MAX_KEY: usize = 255;

/// The number of bytes of a longer pointer that are kept, so that keys still sort by it.
const KEPT: usize = 180;

/// The methods that path items have fields for; `query` is new in 3.2.
pub(crate) const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// A mapping that is cut into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Document,
    Paths,
    Webhooks,
    PathItem,
    /// `additionalOperations` of a path item.
    Methods,
    Components,
    /// The components of one kind.
    Kind,
}

/// The form of the value of a key, if it is a part of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Branch(Container),
    Leaf,
}

impl Container {
    /// The form of the value below this key; `None` if it belongs to the container itself.
    pub(super) fn below(self, key: &str) -> Option<Below> {
        match (self, key) {
            (Self::Document, "paths") => Some(Below::Branch(Self::Paths)),
            (Self::Document, "webhooks") => Some(Below::Branch(Self::Webhooks)),
            (Self::Document, "components") => Some(Below::Branch(Self::Components)),
            (Self::Paths, key) if key.starts_with('/') => Some(Below::Branch(Self::PathItem)),
            (Self::Webhooks, _) => Some(Below::Branch(Self::PathItem)),
            (Self::PathItem, "additionalOperations") => Some(Below::Branch(Self::Methods)),
            (Self::PathItem, key) if METHODS.contains(&key) => Some(Below::Leaf),
            (Self::Components, key) if component_kind(key).is_some() => Some(Below::Branch(Self::Kind)),
            (Self::Methods | Self::Kind, _) => Some(Below::Leaf),
            _ => None,
        }
    }
}

/// The part at a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The key of the part.
    pub key: String,
    /// The pointer within the JSON of the part. In a leaf it is the rest after the key; in a [`Branch`](super::Branch)
    /// it begins with `/own`, and is empty for the branch itself, whose other values are parts of their own.
    pub pointer: String,
}

/// The part at a JSON Pointer into the document. Only the pointer is read: in a document with another form than in the
/// specification, the part may be absent although the value exists.
pub fn locate(pointer: &str) -> Located {
    let Split { part, rest, is_branch } = split(pointer);
    let pointer = if is_branch && !rest.is_empty() { format!("/own{rest}") } else { rest.to_owned() };
    Located { key: stored_key(part), pointer }
}

/// A pointer into the document, split at the end of its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split<'a> {
    /// The pointer of the part.
    pub(crate) part: &'a str,
    /// The rest of the pointer.
    pub(crate) rest: &'a str,
    /// Whether the part is a [`Branch`](super::Branch).
    pub(crate) is_branch: bool,
}

/// Splits a pointer at the end of its part, by the pointer alone.
pub(crate) fn split(pointer: &str) -> Split<'_> {
    let mut container = Container::Document;
    let mut end = 0;
    loop {
        let (part, rest) = pointer.split_at(end);
        let step = rest.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default());
        match step.and_then(|step| Some((step, container.below(&unescape(step))?))) {
            Some((step, Below::Branch(inner))) => {
                container = inner;
                end += 1 + step.len();
            }
            Some((step, Below::Leaf)) => {
                let (part, rest) = pointer.split_at(end + 1 + step.len());
                return Split { part, rest, is_branch: false };
            }
            None => return Split { part, rest, is_branch: true },
        }
    }
}

/// The key of the part at this pointer. It is the pointer itself up to [`MAX_KEY`] bytes; for a longer one it is the
/// beginning and a hash. `~` is followed by `0` or `1` in every pointer, so the two forms never collide.
pub(crate) fn stored_key(pointer: &str) -> String {
    if pointer.len() <= MAX_KEY {
        return pointer.to_owned();
    }
    let mut end = KEPT;
    while !pointer.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}~#{}", &pointer[..end], blake3::hash(pointer.as_bytes()).to_hex())
}

/// The pointer of a key below a pointer.
pub(super) fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", pointer_step(key))
}
