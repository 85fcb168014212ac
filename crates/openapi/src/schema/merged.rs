//! A schema merged with all schemas that apply to the same value.
use super::multiples::{Multiple, multiples};
use super::types::{Type, Types, is_null, listed_values};
use super::values::{key, number};
use super::{LocatedNode, Schemas};
use crate::tree::{Node, Value};
use indexmap::IndexMap;
use std::collections::HashSet;
use std::ptr;

/// The maximum number of layers of a schema. Further ones are left out.
pub(crate) const MAX_LAYERS: usize = 256;
/// The maximum number of choices of a schema, in all its layers. Further ones are left out. A schema is merged wherever
/// it is used, so this bounds the work of each use.
const MAX_CHOICES: usize = 4_000;
/// The maximum number of values that several layers list together, with the values inside them; long texts count as
/// several. Of more values, those of the first layer count.
const MAX_LISTED: usize = 20_000;

/// A schema that applies to a value.
#[derive(Clone, Debug)]
pub(crate) struct Layer<'a> {
    /// The schema. Boolean schemas are possible.
    pub(crate) located: LocatedNode<'a>,
    /// Whether null is valid even if the schema rejects it: null is the other choice.
    pub(crate) or_null: bool,
}

impl Layer<'_> {
    /// Whether null is valid by the values that the schema lists, or it lists none.
    fn lists_null(&self) -> bool {
        let is_null = |value: &Node| matches!(value.value, Value::Null);
        self.or_null || listed_values(self.located.node).is_none_or(|values| values.iter().any(is_null))
    }
}

/// A schema and all that apply to the same value, in order: the schema, the target of its reference, and the parts of
/// its `allOf`, each followed by its own.
#[derive(Clone, Debug)]
pub(crate) struct Merged<'a> {
    /// The schemas, which all apply. The first is the schema itself.
    pub(crate) layers: Vec<Layer<'a>>,
    /// Choices, of which one (`oneOf`) or some (`anyOf`) apply too.
    pub(crate) choices: Vec<Choices<'a>>,
    /// Whether a reference has no target, or layers or choices are left out.
    pub(crate) is_partial: bool,
    /// Whether null is a choice.
    has_null_choice: bool,
}

/// The choices of a `oneOf` or `anyOf`, without null.
#[derive(Clone, Debug)]
pub(crate) struct Choices<'a> {
    /// The schema that has them.
    pub(crate) owner: LocatedNode<'a>,
    /// Whether exactly one applies: `oneOf`.
    pub(crate) is_one: bool,
    /// The schemas.
    pub(crate) items: Vec<LocatedNode<'a>>,
}

impl<'a> Merged<'a> {
    pub(super) fn of(schemas: &Schemas<'a>, located_nodes: &[LocatedNode<'a>]) -> Self {
        let mut merged = Self { layers: Vec::new(), choices: Vec::new(), is_partial: false, has_null_choice: false };
        let mut seen: HashSet<(*const Node, bool)> = HashSet::new();
        let mut room = MAX_CHOICES;
        // The next is the last.
        let mut next: Vec<Layer<'a>> =
            located_nodes.iter().rev().map(|located| Layer { located: located.clone(), or_null: false }).collect();
        while let Some(layer) = next.pop() {
            if !seen.insert((ptr::from_ref(layer.located.node), layer.or_null)) {
                continue;
            }
            if merged.layers.len() >= MAX_LAYERS {
                merged.is_partial = true;
                break;
            }
            let Layer { located, or_null } = layer.clone();
            let before = next.len();
            for key in ["$ref", "$dynamicRef"] {
                let Some(text) = located.node.text_of(key) else { continue };
                match schemas.target(&located, text) {
                    Some(located) => next.push(Layer { located, or_null }),
                    None => merged.is_partial = true,
                }
            }
            next.extend(located.items("allOf").take(MAX_LAYERS + 1).map(|located| Layer { located, or_null }));
            for (key, is_one) in [("oneOf", true), ("anyOf", false)] {
                let mut items: Vec<LocatedNode<'a>> = located.items(key).take(room).collect();
                let all = items.len();
                let has_more = all < located.node.items_of(key).len();
                merged.is_partial |= has_more;
                room -= all;
                items.retain(|item| !is_null(item.node));
                let has_null = items.len() < all;
                merged.has_null_choice |= has_null;
                match items.as_slice() {
                    [] => {}
                    [only] if !has_more => {
                        next.push(Layer { located: only.clone(), or_null: or_null || has_null });
                    }
                    _ => merged.choices.push(Choices { owner: located.clone(), is_one, items }),
                }
            }
            if let Some(found) = next.get_mut(before..) {
                found.reverse();
            }
            merged.layers.push(layer);
        }
        merged
    }

    /// The schemas, in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &'a Node> {
        self.layers.iter().map(|layer| layer.located.node)
    }

    /// The value of a keyword in the first layer that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Node> {
        self.nodes().find_map(|node| node.get(key))
    }

    /// The text of a keyword in the first layer that has one.
    pub(crate) fn text_of(&self, key: &str) -> Option<&'a str> {
        self.nodes().find_map(|node| node.text_of(key))
    }

    /// Whether a keyword is `true` in any layer.
    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.nodes().any(|node| node.is_true(key))
    }

    /// The types that all layers allow; `None` if no layer states any. Empty if layers contradict each other.
    pub(crate) fn types(&self) -> Option<Types> {
        let stated = self.layers.iter().filter_map(|layer| {
            let types = Types::of(layer.located.node)?;
            Some(if layer.or_null { types.or(Types::NULL) } else { types })
        });
        stated.reduce(Types::and)
    }

    /// Whether null is valid by types, choices and listed values; `false` for a schema without types and choices.
    pub(crate) fn is_nullable(&self) -> bool {
        let has_null_type = match self.types() {
            Some(types) => types.has(Type::Null),
            None => self.has_null_choice,
        };
        has_null_type && self.layers.iter().all(Layer::lists_null)
    }

    /// The type other than null, if there is exactly one; for a schema without types, the one that its keywords imply.
    pub(crate) fn only_type(&self) -> Option<Type> {
        if let Some(types) = self.types() {
            return types.only();
        }
        let has = |keys: &[&str]| self.nodes().any(|node| keys.iter().any(|key| node.get(key).is_some()));
        if has(&["properties", "additionalProperties", "patternProperties", "required", "minProperties"]) {
            Some(Type::Object)
        } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
            Some(Type::Array)
        } else if has(&["pattern", "minLength", "maxLength"]) {
            Some(Type::String)
        } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
            Some(Type::Number)
        } else {
            None
        }
    }

    /// Whether no value is valid because of the types, `enum` or `const` of the layers, or because a layer is `false`.
    pub(crate) fn is_contradictory(&self) -> bool {
        self.types().is_some_and(Types::is_empty)
            || self.values().is_some_and(|values| values.is_empty())
            || self.nodes().any(|node| matches!(node.value, Value::Bool(false)))
    }

    /// The values of `enum` and `const` that all layers have, in the order of the first; `None` if no layer limits
    /// them.
    pub(crate) fn values(&self) -> Option<Vec<&'a Node>> {
        let lists = self.layers.iter().filter_map(|layer| Some((listed_values(layer.located.node)?, layer.or_null)));
        let lists: Vec<(&[Node], bool)> = lists.collect();
        let (first, others) = lists.split_first()?;
        let mut values: Vec<&Node> = first.0.iter().collect();
        let mut listed = lists.iter().flat_map(|(list, _)| list.iter());
        if listed.try_fold(MAX_LISTED, |left, value| value.subtract_copy_from(left)).is_none() {
            return Some(values);
        }
        for (list, or_null) in others {
            let list: HashSet<String> = list.iter().map(key).collect();
            values.retain(|value| list.contains(&key(value)) || *or_null && matches!(value.value, Value::Null));
        }
        Some(values)
    }

    /// The largest number that the layers have at a keyword: the effective bound for `minimum` and the like.
    pub(crate) fn largest(&self, key: &str) -> Option<&'a Node> {
        self.numbers(key).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, node)| node)
    }

    /// The smallest number that the layers have at a keyword: the effective bound for `maximum` and the like.
    pub(crate) fn smallest(&self, key: &str) -> Option<&'a Node> {
        self.numbers(key).min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, node)| node)
    }

    /// The rules of `multipleOf` of all layers.
    pub(crate) fn multiples(&self) -> Vec<Multiple<'a>> {
        multiples(self.nodes().filter_map(|node| node.get("multipleOf")))
    }

    fn numbers(&self, key: &str) -> impl Iterator<Item = (f64, &'a Node)> {
        self.nodes().filter_map(move |node| {
            let node = node.get(key)?;
            Some((number(node)?, node))
        })
    }

    /// The properties in the order of the layers, each with all schemas that apply to it.
    pub(crate) fn properties(&self) -> IndexMap<&'a str, Vec<LocatedNode<'a>>> {
        let mut properties: IndexMap<&str, Vec<LocatedNode<'a>>> = IndexMap::new();
        for layer in &self.layers {
            for (name, located) in layer.located.members("properties") {
                properties.entry(name).or_default().push(located);
            }
        }
        properties
    }

    /// The maximum number of properties of the layers: those of several layers count more than once.
    pub(crate) fn property_count(&self) -> usize {
        self.nodes().filter_map(|node| node.get("properties")?.as_map()).map(IndexMap::len).sum()
    }

    /// The number of choices of all layers.
    pub(crate) fn choice_count(&self) -> usize {
        self.choices.iter().map(|choices| choices.items.len()).sum()
    }

    /// The names of the required properties.
    pub(crate) fn required(&self) -> HashSet<&'a str> {
        let lists = self.nodes().filter_map(|node| node.get("required")?.as_list());
        lists.flatten().filter_map(Node::as_text).collect()
    }

    /// The schemas that apply to a value below this one, such as `items` or `additionalProperties`. Booleans are left
    /// out.
    pub(crate) fn below(&self, key: &str) -> Vec<LocatedNode<'a>> {
        let located_nodes = self.layers.iter().filter_map(|layer| layer.located.key(key));
        located_nodes.filter(|located| located.node.as_map().is_some()).collect()
    }
}
