//! Excerpts: of a stored version, the parts that one operation, webhook or list of schemas reaches.
//!
//! An [`Excerpt`] lists the parts that it needs; the caller loads them and adds them, in rounds, until none is needed.
//! References are followed breadth first, so the farthest parts are left out if the budget is too small. The result is
//! a partial document: every value in it has the same place as in the whole one, and values that nothing reaches are
//! absent. In a schema with an `$id`, the reference `#` means that schema; here it counts as a reference to the
//! document, so it adds nothing.
//!
//! ```
//! # use openapi::{excerpt::Excerpt, parts::{cut, Part}, text::read};
//! # let root = read(br#"{"openapi":"3.1.1","paths":{"/a":{"get":{"summary":"s"},"put":{}}}}"#).root.unwrap();
//! # let parts = cut(&root);
//! let mut excerpt = Excerpt::operation("/a", "GET");
//! loop {
//!     let wanted = excerpt.wanted();
//!     if wanted.is_empty() {
//!         break;
//!     }
//!     for key in wanted {
//!         let part: Option<&Part> = parts.iter().find(|part| part.key == key);
//!         excerpt.add(&key, part.map(|part| part.json.as_str()));
//!     }
//! }
//! assert_eq!(excerpt.document().to_json(), r#"{"openapi":"3.1.1","paths":{"/a":{"get":{"summary":"s"}}}}"#);
//! ```
mod anchors;
mod assemble;
mod collect;
mod part;
#[cfg(test)]
mod tests;
mod visit;

use crate::dialect::Version;
use crate::parts::METHODS;
use crate::shape::{ObjectKind, Slot};
use crate::tree::{Node, pointer_step, unescape};
use anchors::Anchors;
use indexmap::IndexMap;
use part::Content;
use std::collections::{HashSet, VecDeque};
use visit::{Methods, Visit};

/// All documents are read by the rules of the newest version: stored ones are of 3.1 or 3.2.
const VERSION: Version = Version::V3_2;

/// The maximum number of parts of an excerpt.
pub const MAX_PARTS: usize = 2_000;

/// The parts of a version that an operation, a webhook or schemas need, as far as they are loaded.
#[derive(Debug)]
pub struct Excerpt {
    budget: usize,
    /// The parts that were added, by their keys.
    parts: IndexMap<String, Loaded>,
    /// The number of them that the version has.
    found: usize,
    /// The parts that are needed, by their keys.
    waiting: IndexMap<String, Waiting>,
    /// Visits of parts that are loaded.
    work: VecDeque<Visit>,
    /// The pointers that were visited, with the expected kinds.
    visited: HashSet<(String, ObjectKind, Methods)>,
    /// The keys of parts that the budget does not allow.
    left_out: HashSet<String>,
    /// Whether an operation has the security of the document.
    has_default_security: bool,
    anchors: Anchors,
}

#[derive(Debug)]
struct Loaded {
    pointer: String,
    content: Content,
    /// Whether a visit leads here. Parts that were only loaded in advance are not in the document.
    is_reached: bool,
}

/// A part that is needed.
#[derive(Debug)]
struct Waiting {
    pointer: String,
    visits: Vec<Visit>,
}

impl Excerpt {
    /// The parts that an operation of a path needs. The path matches with and without a slash at its end, the method
    /// without regard to case.
    pub fn operation(path: &str, method: &str) -> Self {
        let other = match path.strip_suffix('/') {
            Some(shorter) => shorter.to_owned(),
            None => format!("{path}/"),
        };
        let pointers = [path, &other].map(|path| format!("/paths/{}", pointer_step(path)));
        Self::item(&pointers, method)
    }

    /// The parts that an operation of a webhook needs. The method matches without regard to case.
    pub fn webhook(name: &str, method: &str) -> Self {
        Self::item(&[format!("/webhooks/{}", pointer_step(name))], method)
    }

    /// The parts that the schemas with these names need. Names of schemas that do not exist are ignored.
    pub fn schemas<T: AsRef<str>>(names: &[T]) -> Self {
        let mut excerpt = Self::empty();
        for name in names {
            let pointer = format!("/components/schemas/{}", pointer_step(name.as_ref()));
            excerpt.want(Visit::at(&pointer, ObjectKind::Schema));
        }
        excerpt
    }

    /// The parts that the value at this JSON Pointer needs, such as a schema that a view leaves closed.
    pub fn at(pointer: &str) -> Self {
        let mut excerpt = Self::empty();
        excerpt.want(Visit::at(pointer, kind_of(pointer).unwrap_or(ObjectKind::Schema)));
        excerpt
    }

    /// Whether a requested value reaches the value at this JSON Pointer. The document's own fields, such as `info`, are
    /// in every excerpt and do not count.
    pub fn reaches(&self, pointer: &str) -> bool {
        self.visited.iter().any(|(visited, kind, methods)| {
            let Some(rest) = pointer.strip_prefix(visited.as_str()) else { return false };
            let first = rest.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or_default());
            match kind {
                _ if !rest.is_empty() && first.is_none() => false,
                ObjectKind::Document | ObjectKind::Paths | ObjectKind::Components => false,
                // Its other operations are not shown.
                ObjectKind::PathItem => {
                    first.is_some_and(|key| key == "parameters" || METHODS.contains(&key) && methods.has(key))
                }
                _ => true,
            }
        })
    }

    /// The same with at most this many parts instead of [`MAX_PARTS`].
    #[cfg(test)]
    pub(crate) fn with_budget(mut self, parts: usize) -> Self {
        self.budget = parts;
        self
    }

    /// The keys of the parts that are needed next, each once; empty when the excerpt is complete.
    pub fn wanted(&self) -> Vec<String> {
        self.waiting.keys().cloned().collect()
    }

    /// Adds a needed part, or that the version does not have it. A key that is not needed is ignored. Invalid JSON
    /// counts as absent.
    pub fn add(&mut self, key: &str, json: Option<&str>) {
        let Some(Waiting { pointer, visits }) = self.waiting.shift_remove(key) else { return };
        let content = json.map_or(Content::Absent, |json| Content::Text(json.into()));
        self.found += usize::from(json.is_some());
        self.parts.insert(key.to_owned(), Loaded { pointer, content, is_reached: false });
        self.work.extend(visits);
        self.work();
        if self.waiting.is_empty() {
            self.look_for_anchors();
        }
    }

    /// The number of parts that are left out because the budget is too small. References to them have no target.
    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// The document with the added parts that references reach.
    pub fn document(self) -> Node {
        assemble::document(self.parts.into_values())
    }

    fn empty() -> Self {
        let mut excerpt = Self {
            budget: MAX_PARTS,
            parts: IndexMap::new(),
            found: 0,
            waiting: IndexMap::new(),
            work: VecDeque::new(),
            visited: HashSet::new(),
            left_out: HashSet::new(),
            has_default_security: false,
            anchors: Anchors::default(),
        };
        excerpt.want(Visit::at("", ObjectKind::Document));
        excerpt
    }

    /// The operation of the first of these path items that exists.
    fn item(pointers: &[String], method: &str) -> Self {
        let mut excerpt = Self::empty();
        // All of them are loaded at once: fewer rounds save more than requests for missing parts cost.
        let field = METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(method));
        let visit = pointers.iter().rev().fold(None, |other: Option<Visit>, pointer| {
            Some(Visit::at(pointer, ObjectKind::PathItem).with(Methods::One(method.into())).or(other))
        });
        visit.into_iter().for_each(|visit| excerpt.want(visit));
        for pointer in pointers {
            excerpt.ask(pointer);
            if let Some(field) = field {
                excerpt.ask(&format!("{pointer}/{field}"));
            }
        }
        excerpt
    }
}

/// The kind of the value at a pointer, by the pointer alone; `None` if it is not an object with an [`ObjectKind`].
fn kind_of(pointer: &str) -> Option<ObjectKind> {
    let mut kind = ObjectKind::Document;
    let mut steps = pointer.split('/').skip(1).peekable();
    while let Some(step) = steps.next() {
        kind = match kind.field(&unescape(step), VERSION)? {
            Slot::MapOf(kind) | Slot::ListOf(kind) => steps.next().map(|_| kind)?,
            Slot::OneOrList(kind) => {
                steps.next_if(|step| step.bytes().all(|byte| byte.is_ascii_digit()));
                kind
            }
            Slot::One(kind) => kind,
        };
    }
    Some(kind)
}
