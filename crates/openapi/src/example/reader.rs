//! Reads schemas for examples.
use super::work::Work;
use crate::direction::Direction;
use crate::refs::MAX_HOPS;
use crate::schema::{LocatedNode, Merged, Schemas};
use crate::tree::Node;
use indexmap::IndexMap;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ptr;
use std::rc::Rc;

/// The number of choices whose listing takes as long as reading a schema.
const CHOICES_PER_UNIT: usize = 16;

/// Reads schemas for values in one direction, while there is work left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a, 's> {
    pub(super) schemas: &'s Schemas<'a>,
    pub(super) direction: Direction,
    pub(super) work: &'s Work,
    pub(super) memory: &'s Memory<'a>,
}

/// Schemas that were read, by their addresses in memory. Several attempts to make a value read the same ones.
#[derive(Debug, Default)]
pub(super) struct Memory<'a> {
    prepared: RefCell<HashMap<*const Node, Rc<Prepared<'a>>>>,
    chains: RefCell<HashMap<*const Node, Rc<[LocatedNode<'a>]>>>,
}

/// The merged rules for a value.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) merged: Merged<'a>,
    properties: OnceCell<IndexMap<&'a str, Vec<LocatedNode<'a>>>>,
    cost: usize,
}

impl<'a> Prepared<'a> {
    /// The properties, each with all schemas that apply to it.
    pub(super) fn properties(&self) -> &IndexMap<&'a str, Vec<LocatedNode<'a>>> {
        self.properties.get_or_init(|| self.merged.properties())
    }
}

impl<'a> Reader<'a, '_> {
    /// The schema of a value to which all of these apply; `None` when the work is used up. A cached schema costs the
    /// same again, so that the result does not depend on the cache.
    pub(super) fn prepared(self, located_nodes: &[LocatedNode<'a>]) -> Option<Rc<Prepared<'a>>> {
        let key = match located_nodes {
            [only] => Some(ptr::from_ref(only.node)),
            _ => None,
        };
        let known = key.and_then(|key| self.memory.prepared.borrow().get(&key).cloned());
        let is_known = known.is_some();
        let prepared = known.unwrap_or_else(|| Rc::new(self.prepare(located_nodes)));
        if !self.work.spend(prepared.cost) {
            return None;
        }
        if let Some(key) = key.filter(|_| !is_known) {
            self.memory.prepared.borrow_mut().insert(key, Rc::clone(&prepared));
        }
        Some(prepared)
    }

    fn prepare(self, located_nodes: &[LocatedNode<'a>]) -> Prepared<'a> {
        let merged = self.schemas.merged_all(located_nodes);
        let values = merged.nodes().filter_map(|node| node.get("enum")?.as_list()).map(<[Node]>::len).sum::<usize>();
        let choices = merged.choice_count() / CHOICES_PER_UNIT;
        let cost = 1 + merged.layers.len() + merged.property_count() + values + choices;
        Prepared { merged, properties: OnceCell::new(), cost }
    }

    /// The schema, and those behind its references and behind an `allOf` that has one part. Never empty.
    pub(super) fn chain(self, located: &LocatedNode<'a>) -> Rc<[LocatedNode<'a>]> {
        let key = ptr::from_ref(located.node);
        if let Some(chain) = self.memory.chains.borrow().get(&key) {
            return Rc::clone(chain);
        }
        let chain: Rc<[LocatedNode<'a>]> = self.followed(located).into();
        self.memory.chains.borrow_mut().insert(key, Rc::clone(&chain));
        chain
    }

    fn followed(self, located: &LocatedNode<'a>) -> Vec<LocatedNode<'a>> {
        let mut chain = vec![located.clone()];
        while let Some(last) = chain.last().filter(|_| chain.len() <= MAX_HOPS) {
            let next = match last.node.text_of("$ref") {
                Some(target) => self.schemas.target(last, target),
                None => only_part(last),
            };
            match next {
                Some(next) if !chain.iter().any(|located| ptr::eq(located.node, next.node)) => chain.push(next),
                _ => break,
            }
        }
        chain
    }

    /// The address of the last schema of a chain.
    pub(super) fn itself(self, located: &LocatedNode<'a>) -> *const Node {
        ptr::from_ref(self.chain(located).last().unwrap_or(located).node)
    }

    /// Whether a field with these schemas is absent in this direction.
    pub(super) fn hides(self, located_nodes: &[LocatedNode<'a>]) -> bool {
        located_nodes.iter().any(|located| {
            let parts = located.node.items_of("allOf");
            self.chain(located).iter().any(|located| self.direction.hides(located.node))
                || parts.iter().any(|part| self.direction.hides(part))
        })
    }

    /// The names of the fields that are absent in this direction.
    pub(super) fn hidden(self, prepared: &Prepared<'a>) -> HashSet<&'a str> {
        let properties = prepared.properties().iter();
        properties.filter(|(_, located_nodes)| self.hides(located_nodes)).map(|(name, _)| *name).collect()
    }
}

/// The only part of `allOf`, or the only choice other than null, of a schema that has no fields itself.
fn only_part<'a>(located: &LocatedNode<'a>) -> Option<LocatedNode<'a>> {
    if located.node.get("properties").is_some() {
        return None;
    }
    ["allOf", "anyOf", "oneOf"].into_iter().find_map(|key| {
        let items = located.node.get(key)?.as_list()?;
        let is_null = |item: &Node| key != "allOf" && item.text_of("type") == Some("null");
        let mut others = (0..items.len()).filter(|index| items.get(*index).is_some_and(|item| !is_null(item)));
        let (only, more) = (others.next()?, others.next());
        if more.is_some() { None } else { located.items(key).nth(only) }
    })
}
