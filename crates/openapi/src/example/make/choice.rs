//! Generates values for `oneOf` and `anyOf`.
use super::{Maker, Strictness, Wanted};
use crate::schema::{Choices, LocatedNode, Merged};
use crate::tree::Node;
use std::ptr;

/// The maximum number of choices that are tried.
const MAX_CHOICES: usize = 24;

impl<'a> Maker<'a, '_> {
    /// A value for one of the choices. For `oneOf`, one that is invalid for every other choice, if one is found.
    pub(super) fn choose(
        &mut self,
        wanted: &Wanted<'a>,
        merged: &Merged<'a>,
        choices: &Choices<'a>,
        depth: usize,
    ) -> Option<Node> {
        let mut unfit = None;
        let count = choices.items.len();
        for turn in 0..count.min(MAX_CHOICES) {
            if self.is_full {
                return None;
            }
            let index = (turn + self.variant) % count;
            let Some(item) = choices.items.get(index) else { break };
            let others: Vec<&LocatedNode<'a>> =
                (0..count).filter(|other| *other != index).filter_map(|other| choices.items.get(other)).collect();
            let mut next = wanted.clone();
            next.located_nodes.push(item.clone());
            next.chosen.push((ptr::from_ref(choices.owner.node), choices.is_one));
            next.fixed.extend(self.discriminator_value(merged, choices, item));
            let Some(value) = self.attempt(&next, item, depth) else { continue };
            if !choices.is_one || !self.fits_some(&others, &value) {
                return Some(value);
            }
            // Fields that other choices require, and this one does not, may make the value valid for several choices.
            next.without.extend(self.foreign(&next.located_nodes, &others));
            if let Some(value) = self.attempt(&next, item, depth)
                && !self.fits_some(&others, &value)
            {
                return Some(value);
            }
            unfit.get_or_insert(value);
        }
        unfit.filter(|_| !self.is_full && self.limits.strictness != Strictness::Strict)
    }

    /// A value for a choice. A failed attempt does not count.
    fn attempt(&mut self, wanted: &Wanted<'a>, item: &LocatedNode<'a>, depth: usize) -> Option<Node> {
        let before = (self.fields, self.bytes);
        let value = self.enter(item, |maker| maker.make_wanted(wanted, depth));
        if value.is_none() && !self.is_full {
            (self.fields, self.bytes) = before;
        }
        value
    }

    fn fits_some(&self, located_nodes: &[&LocatedNode<'a>], value: &Node) -> bool {
        located_nodes.iter().any(|located| self.reader.fits(std::slice::from_ref(*located), value))
    }

    /// The names that other choices require, and these schemas do not.
    fn foreign(&self, own: &[LocatedNode<'a>], others: &[&LocatedNode<'a>]) -> Vec<&'a str> {
        let Some(own) = self.reader.prepared(own) else { return Vec::new() };
        let required = own.merged.required();
        let mut names = Vec::new();
        for other in others {
            let Some(other) = self.reader.prepared(std::slice::from_ref(*other)) else { break };
            let lists = other.merged.nodes().filter_map(|node| node.get("required")?.as_list()).flatten();
            names.extend(lists.filter_map(Node::as_text).filter(|name| !required.contains(name)));
        }
        names
    }

    /// The field of a discriminator and its text for a choice: the key in its mapping, or else the name of the schema.
    fn discriminator_value(
        &self,
        merged: &Merged<'a>,
        choices: &Choices<'a>,
        item: &LocatedNode<'a>,
    ) -> Option<(String, String)> {
        let layers = merged.layers.iter().map(|layer| &layer.located);
        let (owner, discriminator) =
            layers.chain([&choices.owner]).find_map(|located| Some((located, located.key("discriminator")?)))?;
        let name = discriminator.node.text_of("propertyName")?;
        let chain = self.reader.chain(item);
        let is_item = |target: &str| {
            let found = self.reader.schemas.target(owner, target);
            let by_pointer = found.is_some_and(|found| chain.iter().any(|located| ptr::eq(located.node, found.node)));
            by_pointer || chain.iter().any(|located| located.component().as_deref() == Some(target))
        };
        let mapped = discriminator.members("mapping").find(|(_, located)| located.node.as_text().is_some_and(is_item));
        let text = match mapped {
            Some((key, _)) => key.to_owned(),
            None => chain.iter().find_map(LocatedNode::component)?,
        };
        Some((name.to_owned(), text))
    }
}
