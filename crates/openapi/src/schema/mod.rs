//! Reads schemas of documents of 3.1 and 3.2: follows references, and merges the schemas that apply to the same value.
//!
//! A [`LocatedNode`] is a value of the document and its pointer. [`Schemas::merged`] makes a [`Merged`] of a schema:
//! the schema, the target of its `$ref`, the parts of its `allOf`, and the other choice of `anyOf` and `oneOf` beside
//! null. These are its *layers*; all of them apply. A keyword comes from the first layer that has it, or is combined if
//! all layers count.
//!
//! Documents can be partial (see [`excerpt`](crate::excerpt)): a reference without a target adds no layer.
mod decimal;
mod merged;
mod multiples;
#[cfg(test)]
mod tests;
mod types;
mod values;

pub(crate) use decimal::{Decimal, same_digits};
pub(crate) use merged::{Choices, MAX_LAYERS, Merged};
pub(crate) use multiples::{Multiple, imply, multiples};
pub(crate) use types::{MAX_TYPES, Type, Types, is_null, listed_values};
pub(crate) use values::{equal, is_multiple, is_one_of, key, number};

use crate::dialect::Version;
use crate::refs::{MAX_HOPS, Resolver, Target, percent_decoded};
use crate::tree::{Node, canonical, pointer_step, unescape};
use std::cell::OnceCell;

/// A value of a document.
#[derive(Clone, Debug)]
pub(crate) struct LocatedNode<'a> {
    /// The value.
    pub(crate) node: &'a Node,
    /// Its JSON Pointer.
    pub(crate) pointer: String,
}

impl<'a> LocatedNode<'a> {
    /// The value of a key.
    pub(crate) fn key(&self, key: &str) -> Option<Self> {
        Some(Self { node: self.node.get(key)?, pointer: format!("{}/{}", self.pointer, pointer_step(key)) })
    }

    /// The items of a list at a key.
    pub(crate) fn items(&self, key: &str) -> impl Iterator<Item = Self> + use<'a> {
        let items = self.node.items_of(key);
        let pointer = format!("{}/{}", self.pointer, pointer_step(key));
        items.iter().enumerate().map(move |(index, node)| Self { node, pointer: format!("{pointer}/{index}") })
    }

    /// The members of a mapping at a key, with their names.
    pub(crate) fn members(&self, key: &str) -> impl Iterator<Item = (&'a str, Self)> + use<'a> {
        let pointer = format!("{}/{}", self.pointer, pointer_step(key));
        let members = self.node.members_of(key);
        members.map(move |(name, node)| (name, Self { node, pointer: format!("{pointer}/{}", pointer_step(name)) }))
    }

    /// The name, if it is a schema among the components.
    pub(crate) fn component(&self) -> Option<String> {
        let name = self.pointer.strip_prefix("/components/schemas/")?;
        (!name.contains('/')).then(|| unescape(name).into_owned())
    }
}

/// The schemas of a document.
#[derive(Debug)]
pub(crate) struct Schemas<'a> {
    root: &'a Node,
    /// For references other than plain pointers. Few documents have any.
    resolver: OnceCell<Resolver<'a>>,
}

impl<'a> Schemas<'a> {
    /// The schemas of this document.
    pub(crate) fn new(root: &'a Node) -> Self {
        Self { root, resolver: OnceCell::new() }
    }

    /// The document.
    pub(crate) fn root(&self) -> LocatedNode<'a> {
        LocatedNode { node: self.root, pointer: String::new() }
    }

    /// The value at a JSON Pointer.
    pub(crate) fn at(&self, pointer: &str) -> Option<LocatedNode<'a>> {
        let node = self.root.at_pointer(pointer)?;
        Some(LocatedNode { node, pointer: canonical(pointer) })
    }

    /// The value itself, or its target if it is a reference, behind the whole chain; `None` if that is missing. For
    /// objects whose fields beside a reference do not count: parameters, responses and the like.
    pub(crate) fn behind(&self, located: LocatedNode<'a>) -> Option<LocatedNode<'a>> {
        let mut located = located;
        for _ in 0..MAX_HOPS {
            let Some(target) = located.node.text_of("$ref") else { return Some(located) };
            located = self.target(&located, target)?;
        }
        None
    }

    /// This schema with all its layers.
    pub(crate) fn merged(&self, located: &LocatedNode<'a>) -> Merged<'a> {
        Merged::of(self, std::slice::from_ref(located))
    }

    /// The schema of a value to which all of these apply.
    pub(crate) fn merged_all(&self, located_nodes: &[LocatedNode<'a>]) -> Merged<'a> {
        Merged::of(self, located_nodes)
    }

    /// The target of a reference that this value has.
    pub(crate) fn target(&self, from: &LocatedNode<'a>, target: &str) -> Option<LocatedNode<'a>> {
        let fragment = target.strip_prefix('#');
        if let Some(fragment) = fragment.filter(|fragment| fragment.is_empty() || fragment.starts_with('/')) {
            let decoded = percent_decoded(fragment);
            let found = self.at(&decoded).or_else(|| self.at(fragment)).or_else(|| self.resource(from, &decoded));
            if found.is_some() {
                return found;
            }
        }
        let resolver = self.resolver.get_or_init(|| Resolver::new(self.root, Version::V3_2));
        match resolver.resolve_text(target) {
            Target::Found { node, path } => Some(LocatedNode { node, pointer: path.pointer() }),
            Target::Missing { .. } | Target::Outside => None,
        }
    }

    /// The value at a pointer in the nearest schema around a value that has an `$id`.
    fn resource(&self, from: &LocatedNode<'a>, pointer: &str) -> Option<LocatedNode<'a>> {
        let ends = from.pointer.match_indices('/').map(|(at, _)| at).chain([from.pointer.len()]);
        let mut around = ends.filter_map(|end| from.pointer.get(..end)).collect::<Vec<_>>().into_iter().rev();
        let resource =
            around.find_map(|around| self.at(around).filter(|located| located.node.text_of("$id").is_some()))?;
        let node = resource.node.at_pointer(pointer)?;
        Some(LocatedNode { node, pointer: format!("{}{}", resource.pointer, canonical(pointer)) })
    }
}
