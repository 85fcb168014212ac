//! Matches the operations of the old document with those of the new one.
use super::sides::Side;
use crate::parts::{MAX_OPERATIONS, METHODS};
use crate::shape::ObjectKind;
use crate::tree::Node;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// An operation of a document.
#[derive(Clone, Copy)]
pub(super) struct Operation<'a> {
    /// The method, as the document writes it.
    pub(super) method: &'a str,
    /// The path, the name of a webhook, or the expression of a callback.
    pub(super) path: &'a str,
    pub(super) node: &'a Node,
    /// The path item that has it.
    pub(super) item: &'a Node,
    /// The target of the path item, if it is a reference. The fields of both count.
    pub(super) target: Option<&'a Node>,
}

impl<'a> Operation<'a> {
    /// The value of a key of the path item.
    pub(super) fn of_item(&self, key: &str) -> Option<&'a Node> {
        self.item.get(key).or_else(|| self.target?.get(key))
    }
}

/// The operations of a mapping from paths to path items.
pub(super) fn operations<'a>(
    side: &Side<'a>,
    items: Option<&'a Node>,
    is_path: fn(&str) -> bool,
) -> Vec<Operation<'a>> {
    let mut found = Vec::new();
    for (path, item) in items.into_iter().flat_map(Node::members).filter(|(path, _)| is_path(path)) {
        let behind = item.text_of("$ref").and_then(|target| side.target(target));
        let target = behind.and_then(|node| side.follow(node, ObjectKind::PathItem)).map(|followed| followed.node);
        for part in [Some(item), target].into_iter().flatten() {
            let own = part.members().filter(|(key, _)| METHODS.contains(key));
            let more = part.members_of("additionalOperations");
            for (method, node) in own.chain(more).filter(|(_, node)| node.as_map().is_some()) {
                if found.len() < MAX_OPERATIONS {
                    found.push(Operation { method, path, node, item, target });
                }
            }
        }
    }
    found
}

/// Pairs, and operations without a partner, in the order of the new document, then of the old one.
#[derive(Default)]
pub(super) struct Matches<'a> {
    pub(super) pairs: Vec<(Operation<'a>, Operation<'a>)>,
    pub(super) added: Vec<Operation<'a>>,
    pub(super) removed: Vec<Operation<'a>>,
}

/// Matches operations by method and path, then by method and path without the names of parameters, then by operation
/// id.
pub(super) fn matches<'a>(old: &[Operation<'a>], new: &[Operation<'a>]) -> Matches<'a> {
    let mut partners: Vec<Option<usize>> = vec![None; new.len()];
    let mut is_taken = vec![false; old.len()];
    let exact = |operation: &Operation<'a>| Some((operation.method, operation.path.to_owned()));
    let unnamed = |operation: &Operation<'a>| Some((operation.method, without_names(operation.path)));
    let (old_ids, new_ids) = (ids(old), ids(new));
    let id = |operation: &Operation<'a>| {
        let id = operation.node.text_of("operationId")?;
        (old_ids.get(id) == Some(&1) && new_ids.get(id) == Some(&1)).then_some(id)
    };
    pair(old, new, &mut partners, &mut is_taken, exact);
    pair(old, new, &mut partners, &mut is_taken, unnamed);
    pair(old, new, &mut partners, &mut is_taken, id);
    let mut found = Matches::default();
    for (operation, partner) in new.iter().zip(partners) {
        match partner.and_then(|at| old.get(at)) {
            Some(partner) => found.pairs.push((*partner, *operation)),
            None => found.added.push(*operation),
        }
    }
    found.removed =
        old.iter().zip(is_taken).filter(|(_, is_taken)| !is_taken).map(|(operation, _)| *operation).collect();
    found
}

/// The number of operations with each id. An id of several operations is not used for matching.
fn ids<'a>(operations: &[Operation<'a>]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for id in operations.iter().filter_map(|operation| operation.node.text_of("operationId")) {
        *counts.entry(id).or_default() += 1;
    }
    counts
}

/// Pairs operations without a partner that have the same key; of several with one key, the first with the first.
fn pair<'a, K: Eq + Hash>(
    old: &[Operation<'a>],
    new: &[Operation<'a>],
    partners: &mut [Option<usize>],
    is_taken: &mut [bool],
    key: impl Fn(&Operation<'a>) -> Option<K>,
) {
    let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
    for ((at, operation), _) in old.iter().enumerate().zip(&*is_taken).filter(|(_, is_taken)| !**is_taken) {
        if let Some(key) = key(operation) {
            waiting.entry(key).or_default().push_back(at);
        }
    }
    for (operation, partner) in new.iter().zip(partners).filter(|(_, partner)| partner.is_none()) {
        *partner = key(operation).and_then(|key| waiting.get_mut(&key)?.pop_front());
        if let Some(is_taken) = partner.and_then(|at| is_taken.get_mut(at)) {
            *is_taken = true;
        }
    }
}

/// Whether callers must use another method or path.
pub(super) fn is_moved(old: &Operation<'_>, new: &Operation<'_>) -> bool {
    old.method != new.method || old.path != new.path && without_names(old.path) != without_names(new.path)
}

/// The path without the names of its parameters: `/pets/{id}` becomes `/pets/{}`.
pub(super) fn without_names(path: &str) -> String {
    let mut out = String::new();
    for (text, parameter) in pieces(path) {
        out.push_str(text);
        if parameter.is_some() {
            out.push_str("{}");
        }
    }
    out
}

/// The names of the parameters of a path, in their order.
pub(super) fn parameter_names(path: &str) -> impl Iterator<Item = &str> {
    pieces(path).filter_map(|(_, parameter)| parameter)
}

/// Texts, each with the name of the parameter that follows it.
fn pieces(path: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let piece = path.split_once('{').and_then(|(text, after)| {
            let (name, after) = after.split_once('}')?;
            Some((text, name, after))
        });
        match piece {
            Some((text, name, after)) => {
                rest = Some(after);
                Some((text, Some(name)))
            }
            None => {
                rest = None;
                Some((path, None))
            }
        }
    })
}
