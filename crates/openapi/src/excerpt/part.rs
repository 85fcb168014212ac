//! A part that was added.
use crate::parts::{Branch, split};
use crate::text::read;
use crate::tree::{Member, Members, Node, Place, Value, unescape};

/// The content of a part.
#[derive(Debug)]
pub(super) enum Content {
    /// The version does not have the part.
    Absent,
    /// Its JSON, which was not needed so far.
    Text(Box<str>),
    /// The value of a leaf.
    Value(Node),
    /// A mapping whose other values are parts.
    Branch {
        /// All keys, in their order.
        order: Vec<String>,
        /// The mapping with the values that are not parts of their own.
        own: Node,
    },
}

/// The result of following steps below a value.
#[derive(Debug)]
pub(super) enum Lookup<'a> {
    /// A value.
    Found {
        /// The value.
        node: &'a Node,
        /// The nearest schema above it that has an `$id`, and the pointer to it in the part.
        resource: Option<(&'a Node, &'a str)>,
    },
    /// A reference that does not have the step itself.
    Detour {
        /// The target of the reference.
        target: &'a str,
        /// The steps that are left.
        rest: &'a str,
    },
    /// No value.
    Missing,
}

impl Content {
    /// The value, or the own values of a branch with its order; `None` if there is nothing. `part` is the pointer of
    /// the part.
    pub(super) fn read(&mut self, part: &str) -> Option<(&Node, Option<&[String]>)> {
        if let Self::Text(json) = self {
            *self = read_part(part, json);
        }
        match self {
            Self::Absent | Self::Text(_) => None,
            Self::Value(node) => Some((node, None)),
            Self::Branch { order, own } => Some((own, Some(order))),
        }
    }
}

fn read_part(part: &str, json: &str) -> Content {
    if split(part).is_branch
        && let Ok(Branch { order, own }) = Branch::read(part, json)
    {
        // Values are read one by one, so they may be nested as deep here as in the whole document.
        let values = order.iter().filter_map(|key| Some((key, read(own.get(key)?.get().as_bytes()).root?)));
        let own: Members =
            values.map(|(key, node)| (key.as_str().into(), Member { at: Place::default(), node })).collect();
        return Content::Branch { order, own: Node::made(Value::Map(own)) };
    }
    read(json.as_bytes()).root.map_or(Content::Absent, Content::Value)
}

/// Follows the steps of a pointer below a value.
pub(super) fn follow<'a>(node: &'a Node, pointer: &'a str) -> Lookup<'a> {
    let mut node = node;
    let mut resource = None;
    let mut rest = pointer;
    while let Some(steps) = rest.strip_prefix('/') {
        if node.text_of("$id").is_some() {
            resource = pointer.get(..pointer.len() - rest.len()).map(|pointer| (node, pointer));
        }
        let end = steps.find('/').unwrap_or(steps.len());
        let (step, after) = steps.split_at(end);
        let key = unescape(step);
        let next = match &node.value {
            Value::Map(members) => members.get(&*key).map(|member| &member.node),
            Value::List(items) => key.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
        match (next, node.text_of("$ref")) {
            (Some(next), _) => node = next,
            (None, Some(target)) => return Lookup::Detour { target, rest },
            (None, None) => return Lookup::Missing,
        }
        rest = after;
    }
    if rest.is_empty() { Lookup::Found { node, resource } } else { Lookup::Missing }
}
