//! Sets of types.
use crate::tree::{Node, Value};
use std::fmt;

/// The types with their bits. A number is an integer or another number.
const NAMES: [(&str, u8); 7] =
    [("object", 64), ("array", 32), ("string", 16), ("number", 12), ("integer", 4), ("boolean", 2), ("null", 1)];

/// A set of the types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeSet(u8);

impl TypeSet {
    pub(super) const ALL: Self = Self(127);
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);

    /// The types that the keyword `type` of a schema allows: all types, if it has no known one.
    pub(super) fn stated(schema: &Node) -> Self {
        let names = match schema.get("type").map(|node| &node.value) {
            Some(Value::Text(name)) => Self::named(name),
            Some(Value::List(names)) => {
                names.iter().filter_map(Node::as_text).fold(Self::NONE, |all, name| all.or(Self::named(name)))
            }
            _ => Self::NONE,
        };
        if names == Self::NONE { Self::ALL } else { names }
    }

    fn named(name: &str) -> Self {
        Self(NAMES.iter().find(|(known, _)| *known == name).map_or(0, |(_, bits)| *bits))
    }

    /// The type of a value.
    pub(super) fn of(value: &Node) -> Self {
        Self::named(match &value.value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(digits) if digits.parse::<f64>().is_ok_and(|number| number.fract() == 0.0) => "integer",
            Value::Number(_) => "number",
            Value::Text(_) => "string",
            Value::List(_) => "array",
            Value::Map(_) => "object",
        })
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The types of this set that the other one does not have.
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn has_null(self) -> bool {
        self.0 & 1 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all its numbers are integers.
    pub(super) fn is_whole(self) -> bool {
        self.0 & 12 == 4
    }
}

impl fmt::Display for TypeSet {
    /// The names of its types without null, such as `object or string`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.without(Self::NULL);
        if own == Self::ALL.without(Self::NULL) {
            return f.write_str("any");
        }
        let mut rest = own.0;
        let mut names = Vec::new();
        for (name, bits) in NAMES {
            if rest & bits == bits {
                names.push(name);
                rest &= !bits;
            }
        }
        match names.as_slice() {
            [] if self.has_null() => f.write_str("null"),
            [] => f.write_str("none"),
            names => f.write_str(&names.join(" or ")),
        }
    }
}
