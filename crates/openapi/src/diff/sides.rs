//! The two documents: the targets of their references, and which of their values are equal.
//!
//! Every list and mapping gets a hash that does not depend on positions or the order of keys. Values with one hash have
//! the same text, but their references can have different targets. So all targets of references are compared first; a
//! target is *changed* if its hash differs, or if it refers to a changed target. The lists and mappings of the new
//! document that contain a reference to a changed target are *marked*. Values are equal if they have one hash and are
//! not marked.
use crate::dialect::Version;
use crate::refs::{MAX_HOPS, Reference, Resolver, Target, Via, visit};
use crate::schema::{Types, listed_values, same_digits};
use crate::shape::ObjectKind;
use crate::tree::{Node, Value};
use std::cell::{Cell, RefCell};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// A document and the targets of its references.
pub(super) struct Side<'a> {
    pub(super) root: &'a Node,
    version: Version,
    resolver: Resolver<'a>,
    hashes: HashMap<*const Node, u64>,
    /// The types of long enumerations, and of those beside a constant. Many schemas can have one.
    types: RefCell<HashMap<*const Node, Types>>,
    /// The number of values and choices that were read and not counted as steps yet.
    read: Cell<usize>,
}

/// Enumerations with more values, and those beside a constant, are read once for their types.
const MAX_LISTED: usize = 100;

/// The number of values or choices whose reading counts as a step.
const READ_PER_STEP: usize = 64;

/// The target of a chain of references.
#[derive(Clone, Copy)]
pub(super) struct Followed<'a> {
    pub(super) node: &'a Node,
    /// The text of the last reference; `None` if there was none.
    pub(super) via: Option<&'a str>,
}

impl<'a> Side<'a> {
    fn new(root: &'a Node) -> Self {
        let version = Version::of(root).unwrap_or(Version::V3_1).max(Version::V3_1);
        let mut hashes = HashMap::new();
        hash_all(root, &mut hashes);
        let (types, read) = (RefCell::default(), Cell::default());
        Self { root, version, resolver: Resolver::new(root, version), hashes, types, read }
    }

    /// Counts values or choices of a schema that are read.
    pub(super) fn count_read(&self, number: usize) {
        self.read.set(self.read.get() + number);
    }

    /// The steps for everything that was read since the last call.
    fn take_read(&self) -> usize {
        let read = self.read.get();
        self.read.set(read % READ_PER_STEP);
        read / READ_PER_STEP
    }

    /// The types that a schema allows, without regard to the schemas that it refers to.
    pub(super) fn own_types(&self, schema: &Node) -> Types {
        if matches!(schema.value, Value::Bool(false)) {
            return Types::NONE;
        }
        let stated = Types::of(schema).unwrap_or(Types::ALL);
        let of_values = || {
            let values = listed_values(schema)?.iter().map(Types::of_value);
            Some(values.fold(Types::NONE, Types::or))
        };
        let of_values = || of_values().unwrap_or(Types::ALL);
        let values = schema.items_of("enum").len();
        let listed = match schema.get("const") {
            None if values <= MAX_LISTED => of_values(),
            Some(_) if values == 0 => of_values(),
            _ => *self.types.borrow_mut().entry(std::ptr::from_ref(schema)).or_insert_with(of_values),
        };
        stated.and(listed)
    }

    /// The hash of a value: equal for all values with equal content.
    pub(super) fn hash(&self, node: &Node) -> u64 {
        match &node.value {
            Value::List(_) | Value::Map(_) => match self.hashes.get(&std::ptr::from_ref(node)) {
                Some(hash) => *hash,
                None => hash_all(node, &mut HashMap::new()),
            },
            _ => hash_scalar(&node.value),
        }
    }

    /// The number of lists and mappings.
    pub(super) fn size(&self) -> usize {
        self.hashes.len()
    }

    /// The target of a value that is a reference; the value itself if it is not. `None` if the target is missing or in
    /// another document, or if the chain is circular.
    pub(super) fn follow(&self, node: &'a Node, kind: ObjectKind) -> Option<Followed<'a>> {
        let mut followed = Followed { node, via: None };
        for _ in 0..MAX_HOPS {
            match self.reference(followed.node, kind) {
                Some(target) => followed = Followed { node: self.target(target)?, via: Some(target) },
                None => return Some(followed),
            }
        }
        None
    }

    /// The text of a reference, if no fields beside it count.
    pub(super) fn reference(&self, node: &'a Node, kind: ObjectKind) -> Option<&'a str> {
        let target = node.text_of("$ref").filter(|_| kind.may_be_reference(self.version))?;
        let alone = !kind.has_siblings(self.version) || node.as_map().is_some_and(|members| members.len() == 1);
        alone.then_some(target)
    }

    /// The target of the text of a `$ref`.
    pub(super) fn target(&self, target: &'a str) -> Option<&'a Node> {
        match self.resolver.resolve_text(target) {
            Target::Found { node, .. } => Some(node),
            Target::Missing { .. } | Target::Outside => None,
        }
    }

    /// The schema that is named by a value of `mapping` in a discriminator.
    pub(super) fn mapped(&self, target: &'a str) -> Option<&'a Node> {
        let schemas = self.root.get("components").and_then(|components| components.get("schemas"));
        schemas.and_then(|schemas| schemas.get(target)).or_else(|| self.target(target))
    }
}

/// Both documents.
pub(super) struct Sides<'a> {
    pub(super) old: Side<'a>,
    pub(super) new: Side<'a>,
    marked: HashSet<*const Node>,
}

impl<'a> Sides<'a> {
    /// Hashes both documents and compares the targets of their references.
    pub(super) fn new(old: &'a Node, new: &'a Node) -> Self {
        let (old, new) = (Side::new(old), Side::new(new));
        let references = References::of(&old, &new);
        let marked = references.marked(&new);
        Self { old, new, marked }
    }

    /// The steps for the values and choices that were read since the last call.
    pub(super) fn take_read(&self) -> usize {
        self.old.take_read() + self.new.take_read()
    }

    /// Whether two values are equal, including everything that they refer to.
    pub(super) fn equal(&self, old: &Node, new: &Node) -> bool {
        self.old.hash(old) == self.new.hash(new) && !self.marked.contains(&std::ptr::from_ref(new))
    }
}

/// The text of a reference, and whether it is in a `mapping`, where it can be a name.
type Key<'a> = (&'a str, bool);

/// The references of both documents.
#[derive(Default)]
struct References<'a> {
    /// The numbers of the texts.
    numbers: HashMap<Key<'a>, usize>,
    /// For each text: the targets in the old and in the new document.
    targets: Vec<(Option<&'a Node>, Option<&'a Node>)>,
    /// For each text: whether its target changed.
    changed: Vec<bool>,
    /// For each object of the new document that has references: their numbers.
    owners: HashMap<*const Node, Vec<usize>>,
}

impl<'a> References<'a> {
    fn of(old: &Side<'a>, new: &Side<'a>) -> Self {
        let mut found = Self::default();
        visit(old.root, old.version, &mut |reference| {
            found.add(&reference, old, true);
        });
        visit(new.root, new.version, &mut |reference| {
            let number = found.add(&reference, new, false);
            found.owners.entry(std::ptr::from_ref(reference.node)).or_default().push(number);
        });
        for ((before, after), changed) in found.targets.iter().zip(&mut found.changed) {
            *changed |= match (before, after) {
                (Some(before), Some(after)) => old.hash(before) != new.hash(after),
                (None, None) => false,
                _ => true,
            };
        }
        found
    }

    fn add(&mut self, reference: &Reference<'a>, side: &Side<'a>, is_old: bool) -> usize {
        let key = (reference.target, reference.via == Via::Mapping);
        let next = self.targets.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.targets.push((None, None));
            self.changed.push(false);
        }
        // Relative to an `$id`, the same text has different targets, so it always counts as changed.
        if reference.resource.is_some() {
            if let Some(changed) = self.changed.get_mut(number) {
                *changed = true;
            }
            return number;
        }
        if let Some((old, new)) = self.targets.get_mut(number) {
            let target = if is_old { old } else { new };
            if target.is_none()
                && let Target::Found { node, .. } = side.resolver.resolve(reference)
            {
                *target = Some(node);
            }
        }
        number
    }

    /// The lists and mappings of the new document that contain a reference to a changed target.
    fn marked(mut self, new: &Side<'a>) -> HashSet<*const Node> {
        // Several texts can have the same target.
        let mut texts: HashMap<*const Node, Vec<usize>> = HashMap::new();
        for (number, (_, target)) in self.targets.iter().enumerate() {
            if let Some(target) = target {
                texts.entry(std::ptr::from_ref(*target)).or_default().push(number);
            }
        }
        let mut users = vec![Vec::new(); self.targets.len()];
        self.find_users(new.root, &texts, &mut Vec::new(), &mut users);
        let mut queue: Vec<usize> = (0..self.changed.len()).filter(|number| self.is_changed(*number)).collect();
        while let Some(number) = queue.pop() {
            for user in users.get_mut(number).map(std::mem::take).unwrap_or_default() {
                for text in texts.remove(&user).unwrap_or_default() {
                    if let Some(changed) = self.changed.get_mut(text).filter(|changed| !**changed) {
                        *changed = true;
                        queue.push(text);
                    }
                }
            }
        }
        let mut marked = HashSet::new();
        if self.changed.contains(&true) {
            self.mark(new.root, &mut marked);
        }
        marked
    }

    fn is_changed(&self, number: usize) -> bool {
        self.changed.get(number).copied().unwrap_or_default()
    }

    /// Finds for each text the targets that contain a reference with it.
    fn find_users(
        &self,
        node: &Node,
        texts: &HashMap<*const Node, Vec<usize>>,
        around: &mut Vec<*const Node>,
        users: &mut [Vec<*const Node>],
    ) {
        let address = std::ptr::from_ref(node);
        let is_target = texts.contains_key(&address);
        if is_target {
            around.push(address);
        }
        for &number in self.owners.get(&address).into_iter().flatten() {
            if let Some(users) = users.get_mut(number) {
                users.extend_from_slice(around);
            }
        }
        for child in children(node) {
            self.find_users(child, texts, around, users);
        }
        if is_target {
            around.pop();
        }
    }

    /// Marks this value if it contains a reference to a changed target.
    fn mark(&self, node: &Node, marked: &mut HashSet<*const Node>) -> bool {
        let address = std::ptr::from_ref(node);
        let numbers = self.owners.get(&address).map(Vec::as_slice).unwrap_or_default();
        let mut is_marked = numbers.iter().any(|number| self.is_changed(*number));
        for child in children(node) {
            is_marked |= self.mark(child, marked);
        }
        if is_marked {
            marked.insert(address);
        }
        is_marked
    }
}

/// The lists and mappings directly below this one.
fn children(node: &Node) -> impl Iterator<Item = &Node> {
    let members = node.members().map(|(_, value)| value);
    node.items().iter().chain(members).filter(|child| matches!(child.value, Value::List(_) | Value::Map(_)))
}

/// Computes the hashes of this value and of all lists and mappings below it.
fn hash_all(node: &Node, hashes: &mut HashMap<*const Node, u64>) -> u64 {
    let hash = match &node.value {
        Value::List(items) => {
            let mut hasher = DefaultHasher::new();
            (4_u8, items.len()).hash(&mut hasher);
            for item in items {
                hash_all(item, hashes).hash(&mut hasher);
            }
            hasher.finish()
        }
        Value::Map(members) => {
            let mut sum = 0_u64;
            for (key, member) in members {
                let mut hasher = DefaultHasher::new();
                key.hash(&mut hasher);
                hash_all(&member.node, hashes).hash(&mut hasher);
                sum = sum.wrapping_add(hasher.finish());
            }
            let mut hasher = DefaultHasher::new();
            (5_u8, members.len(), sum).hash(&mut hasher);
            hasher.finish()
        }
        scalar => return hash_scalar(scalar),
    };
    hashes.insert(std::ptr::from_ref(node), hash);
    hash
}

fn hash_scalar(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value {
        Value::Bool(is_true) => (1_u8, is_true).hash(&mut hasher),
        Value::Number(digits) => (2_u8, &*same_digits(digits)).hash(&mut hasher),
        Value::Text(text) => (3_u8, &**text).hash(&mut hasher),
        Value::Null | Value::List(_) | Value::Map(_) => 0_u8.hash(&mut hasher),
    }
    hasher.finish()
}
