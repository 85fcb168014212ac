//! Builds a tree from the tokens of a scanner, with all limits. Nothing here is recursive.
use super::{Fault, Limits, MAX_COPIED_BYTES, MAX_COPIES, MAX_DEPTH, MAX_KEY};
use crate::finding::{Code, Finding};
use crate::tree::{Member, Members, Node, Path, Place, Step, Value};
use crate::wording::quoted;
use std::collections::{HashMap, HashSet};

/// [`MAX_COPIES`] and [`MAX_COPIED_BYTES`] in words.
const MOST_COPIED: &str = "200,000 values or 32 MiB of text";

/// The maximum number of findings of a reading.
const MAX_FINDINGS: usize = 1_000;

/// A document, with its findings.
pub(super) struct Built {
    pub(super) root: Node,
    pub(super) values: usize,
    pub(super) findings: Vec<Finding>,
}

/// The state of building a tree.
pub(super) struct Builder<'l> {
    limits: &'l Limits<'l>,
    open: Vec<Frame>,
    root: Option<Node>,
    /// The values so far.
    size: Size,
    /// The values below anchors, and the values that aliases copy.
    anchored: Size,
    copied: Size,
    anchors: HashMap<usize, Anchored>,
    findings: Vec<Finding>,
}

/// A mapping or list that is still open.
struct Frame {
    at: Place,
    content: Content,
    anchor: usize,
    /// The values before it.
    before: Size,
    /// The total bytes of the keys on the path to it.
    key_bytes: usize,
    below: Extent,
}

/// The memory that values need.
#[derive(Clone, Copy, Default)]
struct Size {
    values: usize,
    /// The bytes of their texts and keys.
    bytes: usize,
}

impl Size {
    /// One value with a text of this length.
    fn of_text(bytes: usize) -> Self {
        Self { values: 1, bytes }
    }

    /// The size with these values, too.
    fn and(self, more: Self) -> Self {
        Self { values: self.values.saturating_add(more.values), bytes: self.bytes.saturating_add(more.bytes) }
    }

    /// The size of the values after those.
    fn since(self, before: Self) -> Self {
        Self { values: self.values - before.values, bytes: self.bytes - before.bytes }
    }

    /// Whether it is more than a document may copy.
    fn is_too_large(self) -> bool {
        self.values > MAX_COPIES || self.bytes > MAX_COPIED_BYTES
    }
}

/// The extent of a value: the levels of mappings and lists, and the bytes of the keys on the longest path.
#[derive(Clone, Copy, Default)]
struct Extent {
    levels: usize,
    keys: usize,
}

enum Content {
    List(Vec<Node>),
    Map {
        members: Members,
        key: Option<Key>,
        /// The keys from `<<`, which other keys of the mapping replace.
        merged: HashSet<Box<str>>,
    },
}

/// A key whose value is not read yet.
struct Key {
    text: Box<str>,
    at: Place,
    /// Whether it is `<<` of YAML.
    merges: bool,
}

/// A value with an anchor.
struct Anchored {
    node: Node,
    size: Size,
    extent: Extent,
    /// The text of a scalar, for an alias that is a key.
    raw: Option<Box<str>>,
}

impl<'l> Builder<'l> {
    pub(super) fn new(limits: &'l Limits<'l>) -> Self {
        Self {
            limits,
            open: Vec::new(),
            root: None,
            size: Size::default(),
            anchored: Size::default(),
            copied: Size::default(),
            anchors: HashMap::new(),
            findings: Vec::new(),
        }
    }

    /// Whether a key must come next. The end of the mapping is possible too.
    pub(super) fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Frame { content: Content::Map { key: None, .. }, .. }))
    }

    /// Whether the innermost open value is a mapping; `None` if none is open.
    pub(super) fn in_map(&self) -> Option<bool> {
        self.open.last().map(|frame| matches!(frame.content, Content::Map { .. }))
    }

    /// Whether the document is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.root.is_some()
    }

    pub(super) fn begin_list(&mut self, at: Place, anchor: usize) -> Result<(), Fault> {
        self.begin(at, anchor, Content::List(Vec::new()))
    }

    pub(super) fn begin_map(&mut self, at: Place, anchor: usize) -> Result<(), Fault> {
        self.begin(at, anchor, Content::Map { members: Members::default(), key: None, merged: HashSet::new() })
    }

    fn begin(&mut self, at: Place, anchor: usize, content: Content) -> Result<(), Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(Fault::too_large(at, format!("values that are nested more than {MAX_DEPTH} deep")));
        }
        let (before, key_bytes) = (self.size, self.key_bytes());
        self.count(at, Size::of_text(0))?;
        self.open.push(Frame { at, content, anchor, before, key_bytes, below: Extent { levels: 1, keys: 0 } });
        Ok(())
    }

    /// The bytes of the keys on the path to the next value.
    fn key_bytes(&self) -> usize {
        self.open.last().map_or(0, |frame| match &frame.content {
            Content::Map { key: Some(key), .. } => frame.key_bytes + key.text.len(),
            _ => frame.key_bytes,
        })
    }

    fn count(&mut self, at: Place, size: Size) -> Result<(), Fault> {
        self.size = self.size.and(size);
        self.limits.check_values(self.size.values, at)?;
        self.limits.check_time(at)
    }

    pub(super) fn key(&mut self, text: Box<str>, at: Place, merges: bool) -> Result<(), Fault> {
        if self.open.last().is_some_and(|frame| frame.key_bytes + text.len() > MAX_KEY) {
            return Err(too_long(at));
        }
        self.size.bytes += text.len();
        if let Some(Frame { content: Content::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(Key { text, at, merges });
        }
        Ok(())
    }

    /// Remembers the anchor of a key, as a text.
    pub(super) fn keep(&mut self, anchor: usize, at: Place, raw: &str) -> Result<(), Fault> {
        let node = Node { at, value: Value::Text(raw.into()) };
        let size = Size::of_text(raw.len());
        if anchor > 0 { self.anchor(anchor, &node, size, Extent::default(), Some(raw.into())) } else { Ok(()) }
    }

    /// A scalar, with its text for an alias that is a key.
    pub(super) fn scalar(&mut self, value: Value, at: Place, anchor: usize, raw: &str) -> Result<(), Fault> {
        let size = Size::of_text(match &value {
            Value::Text(text) | Value::Number(text) => text.len(),
            _ => 0,
        });
        self.count(at, size)?;
        let node = Node { at, value };
        if anchor > 0 {
            self.anchor(anchor, &node, size, Extent::default(), Some(raw.into()))?;
        }
        self.place(node, Extent::default());
        Ok(())
    }

    /// Closes the innermost mapping or list.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        let value = match frame.content {
            Content::List(mut items) => {
                items.shrink_to_fit();
                Value::List(items)
            }
            Content::Map { mut members, .. } => {
                members.shrink_to_fit();
                Value::Map(members)
            }
        };
        let node = Node { at: frame.at, value };
        if frame.anchor > 0 {
            self.anchor(frame.anchor, &node, self.size.since(frame.before), frame.below, None)?;
        }
        self.place(node, frame.below);
        Ok(())
    }

    fn anchor(
        &mut self,
        anchor: usize,
        node: &Node,
        size: Size,
        extent: Extent,
        raw: Option<Box<str>>,
    ) -> Result<(), Fault> {
        self.anchored = self.anchored.and(size);
        if self.anchored.is_too_large() {
            return Err(Fault::too_large(node.at, format!("more than {MOST_COPIED} with anchors")));
        }
        self.anchors.insert(anchor, Anchored { node: node.clone(), size, extent, raw });
        Ok(())
    }

    /// The value of an alias, as a key or as a value.
    pub(super) fn alias(&mut self, anchor: usize, at: Place) -> Result<(), Fault> {
        let Some(found) = self.anchors.get(&anchor) else {
            return Err(Fault::syntax(at, "this alias is inside of what it stands for"));
        };
        let (size, extent) = (found.size, found.extent);
        self.copied = self.copied.and(size);
        if self.copied.is_too_large() {
            return Err(Fault::too_large(at, format!("aliases that stand for more than {MOST_COPIED}")));
        }
        if self.wants_key() {
            let Some(raw) = found.raw.clone() else { return Err(Fault::syntax(at, "a key must be a text")) };
            return self.key(raw, at, false);
        }
        if self.open.len() + extent.levels > MAX_DEPTH {
            return Err(Fault::too_large(at, format!("values that are nested more than {MAX_DEPTH} deep")));
        }
        if self.key_bytes() + extent.keys > MAX_KEY {
            return Err(too_long(at));
        }
        let node = found.node.clone();
        self.count(at, size)?;
        self.place(node, extent);
        Ok(())
    }

    /// Puts a value in its place.
    fn place(&mut self, node: Node, extent: Extent) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.below.levels = frame.below.levels.max(extent.levels + 1);
        match &mut frame.content {
            Content::List(items) => {
                frame.below.keys = frame.below.keys.max(extent.keys);
                items.push(node);
            }
            Content::Map { members, key, merged } => {
                let Some(key) = key.take() else { return };
                frame.below.keys = frame.below.keys.max(extent.keys + key.text.len());
                if key.merges {
                    merge(members, merged, key, node);
                } else {
                    self.insert(key, node);
                }
            }
        }
    }

    fn insert(&mut self, key: Key, node: Node) {
        let Some(Frame { content: Content::Map { members, merged, .. }, .. }) = self.open.last_mut() else { return };
        let (text, at) = (key.text, key.at);
        let before = match members.entry(text.clone()) {
            indexmap::map::Entry::Vacant(entry) => {
                entry.insert(Member { at, node });
                return;
            }
            indexmap::map::Entry::Occupied(mut entry) => entry.insert(Member { at, node }),
        };
        if merged.remove(&text) || self.findings.len() >= MAX_FINDINGS {
            return;
        }
        let message =
            format!("{} is given twice, before in line {}: the last one counts", quoted(&text), before.at.line);
        let mut path = self.path();
        path.0.push(Step::Key(text));
        self.findings.push(Finding::new(Code::DuplicateKey, at, path, message));
    }

    /// The path to the innermost open mapping or list.
    fn path(&self) -> Path {
        let outer = self.open.len().saturating_sub(1);
        let steps = self.open[..outer].iter().map(|frame| match &frame.content {
            Content::List(items) => Step::Index(items.len()),
            Content::Map { key, .. } => Step::Key(key.as_ref().map(|key| key.text.clone()).unwrap_or_default()),
        });
        Path(steps.collect())
    }

    /// The document; `None` if there was none.
    pub(super) fn finish(self) -> Option<Built> {
        Some(Built { root: self.root?, values: self.size.values, findings: self.findings })
    }
}

fn too_long(at: Place) -> Fault {
    Fault::too_large(at, format!("keys that are together longer than {} KiB on the way to a value", MAX_KEY >> 10))
}

/// Adds the members from `<<`: those of a mapping, or of a list of mappings. Existing members stay. Any other value is
/// an ordinary member.
fn merge(members: &mut Members, merged: &mut HashSet<Box<str>>, key: Key, node: Node) {
    let sources = match node.value {
        Value::Map(source) => vec![source],
        Value::List(items) if items.iter().all(|item| item.as_map().is_some()) => {
            let maps = items.into_iter().filter_map(|item| match item.value {
                Value::Map(source) => Some(source),
                _ => None,
            });
            maps.collect()
        }
        value => {
            members.insert(key.text, Member { at: key.at, node: Node { at: node.at, value } });
            return;
        }
    };
    for (text, member) in sources.into_iter().flatten() {
        if !members.contains_key(&text) {
            merged.insert(text.clone());
            members.insert(text, member);
        }
    }
}
