//! Reads schemas for examples.
use super::work::Work;
use crate::direction::Direction;
use crate::refs::MAX_HOPS;
use crate::schema::{Merged, Schemas, Spot};
use crate::tree::Node;
use indexmap::IndexMap;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ptr;
use std::rc::Rc;

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
    chains: RefCell<HashMap<*const Node, Rc<[Spot<'a>]>>>,
}

/// The merged rules for a value.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) merged: Merged<'a>,
    properties: OnceCell<IndexMap<&'a str, Vec<Spot<'a>>>>,
    cost: usize,
}

impl<'a> Prepared<'a> {
    /// The properties, each with all schemas that apply to it.
    pub(super) fn properties(&self) -> &IndexMap<&'a str, Vec<Spot<'a>>> {
        self.properties.get_or_init(|| self.merged.properties())
    }
}

impl<'a> Reader<'a, '_> {
    /// The schema of a value to which all of these apply; `None` when the work is used up. A cached schema costs the
    /// same again, so that the result does not depend on the cache.
    pub(super) fn prepared(self, spots: &[Spot<'a>]) -> Option<Rc<Prepared<'a>>> {
        let key = match spots {
            [only] => Some(ptr::from_ref(only.node)),
            _ => None,
        };
        let known = key.and_then(|key| self.memory.prepared.borrow().get(&key).cloned());
        let is_known = known.is_some();
        let prepared = known.unwrap_or_else(|| Rc::new(self.prepare(spots)));
        if !self.work.spend(prepared.cost) {
            return None;
        }
        if let Some(key) = key.filter(|_| !is_known) {
            self.memory.prepared.borrow_mut().insert(key, Rc::clone(&prepared));
        }
        Some(prepared)
    }

    fn prepare(self, spots: &[Spot<'a>]) -> Prepared<'a> {
        let merged = self.schemas.merged_all(spots);
        let values = merged.nodes().filter_map(|node| node.get("enum")?.as_list()).map(<[Node]>::len).sum::<usize>();
        let cost = 1 + merged.layers.len() + merged.property_count() + values;
        Prepared { merged, properties: OnceCell::new(), cost }
    }

    /// The schema, and those behind its references and behind an `allOf` that has one part. Never empty.
    pub(super) fn chain(self, spot: &Spot<'a>) -> Rc<[Spot<'a>]> {
        let key = ptr::from_ref(spot.node);
        if let Some(chain) = self.memory.chains.borrow().get(&key) {
            return Rc::clone(chain);
        }
        let chain: Rc<[Spot<'a>]> = self.followed(spot).into();
        self.memory.chains.borrow_mut().insert(key, Rc::clone(&chain));
        chain
    }

    fn followed(self, spot: &Spot<'a>) -> Vec<Spot<'a>> {
        let mut chain = vec![spot.clone()];
        while let Some(last) = chain.last().filter(|_| chain.len() <= MAX_HOPS) {
            let next = match last.node.text_of("$ref") {
                Some(target) => self.schemas.target(last, target),
                None => only_part(last),
            };
            match next {
                Some(next) if !chain.iter().any(|spot| ptr::eq(spot.node, next.node)) => chain.push(next),
                _ => break,
            }
        }
        chain
    }

    /// The address of the last schema of a chain.
    pub(super) fn itself(self, spot: &Spot<'a>) -> *const Node {
        ptr::from_ref(self.chain(spot).last().unwrap_or(spot).node)
    }

    /// Whether a field with these schemas is absent in this direction.
    pub(super) fn hides(self, spots: &[Spot<'a>]) -> bool {
        spots.iter().any(|spot| {
            let parts = spot.node.items_of("allOf");
            self.chain(spot).iter().any(|spot| self.direction.hides(spot.node))
                || parts.iter().any(|part| self.direction.hides(part))
        })
    }

    /// The names of the fields that are absent in this direction.
    pub(super) fn hidden(self, prepared: &Prepared<'a>) -> HashSet<&'a str> {
        let properties = prepared.properties().iter();
        properties.filter(|(_, spots)| self.hides(spots)).map(|(name, _)| *name).collect()
    }
}

/// The only part of `allOf`, or the only choice other than null, of a schema that has no fields itself.
fn only_part<'a>(spot: &Spot<'a>) -> Option<Spot<'a>> {
    if spot.node.get("properties").is_some() {
        return None;
    }
    ["allOf", "anyOf", "oneOf"].into_iter().find_map(|key| {
        let items = spot.node.get(key)?.as_list()?;
        let is_null = |item: &Node| key != "allOf" && item.text_of("type") == Some("null");
        let mut others = (0..items.len()).filter(|index| items.get(*index).is_some_and(|item| !is_null(item)));
        let (only, more) = (others.next()?, others.next());
        if more.is_some() { None } else { spot.items(key).nth(only) }
    })
}
