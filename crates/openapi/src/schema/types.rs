//! The types of values, and the values that a schema lists.
use super::values::is_one_of;
use crate::tree::{Node, Value};
use std::fmt;

/// A type of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// `null`.
    Null,
    /// `boolean`.
    Boolean,
    /// `integer`.
    Integer,
    /// `number`, integers among them.
    Number,
    /// `string`.
    String,
    /// `array`.
    Array,
    /// `object`.
    Object,
}

impl Type {
    /// All types but null, in the order in which they are shown.
    pub(crate) const SHOWN: [Self; 6] =
        [Self::Object, Self::Array, Self::String, Self::Number, Self::Integer, Self::Boolean];

    /// The name in a schema.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Null].into_iter().chain(Self::SHOWN).find(|known| known.name() == name)
    }

    /// One bit per type; a number also has the bit of an integer.
    const fn bits(self) -> u8 {
        match self {
            Self::Null => 1,
            Self::Boolean => 2,
            Self::Integer => 4,
            Self::Number => 12,
            Self::String => 16,
            Self::Array => 32,
            Self::Object => 64,
        }
    }
}

/// The maximum number of names in a list of types that are read. There are seven types.
pub(crate) const MAX_TYPES: usize = 20;

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    /// All types.
    pub(crate) const ALL: Self = Self(127);
    /// No type.
    pub(crate) const NONE: Self = Self(0);
    /// Null alone.
    pub(crate) const NULL: Self = Self(Type::Null.bits());
    /// Lists and mappings.
    pub(crate) const COMPOUND: Self = Self(Type::Array.bits() | Type::Object.bits());

    /// The types that the keyword `type` of a schema states; `None` if it states no known one.
    pub(crate) fn of(schema: &Node) -> Option<Self> {
        let names = match &schema.get("type")?.value {
            Value::Text(name) => Type::named(name).map_or(0, Type::bits),
            Value::List(names) => {
                let names = names.iter().take(MAX_TYPES).filter_map(Node::as_text);
                names.filter_map(Type::named).fold(0, |all, one| all | one.bits())
            }
            _ => 0,
        };
        (names != 0).then_some(Self(names))
    }

    /// The type of a value.
    pub(crate) fn of_value(value: &Node) -> Self {
        let one = match &value.value {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Boolean,
            Value::Number(digits) if digits.parse::<f64>().is_ok_and(|number| number.fract() == 0.0) => Type::Integer,
            Value::Number(_) => Type::Number,
            Value::Text(_) => Type::String,
            Value::List(_) => Type::Array,
            Value::Map(_) => Type::Object,
        };
        Self(one.bits())
    }

    /// Whether all values of a type are in the set.
    pub(crate) fn has(self, one: Type) -> bool {
        self.has_all(Self(one.bits()))
    }

    /// Whether the set has all types of the other one.
    pub(crate) fn has_all(self, other: Self) -> bool {
        other.without(self).is_empty()
    }

    /// Whether it has no type.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all its numbers are integers, and it has them.
    pub(crate) fn is_whole(self) -> bool {
        self.has(Type::Integer) && !self.has(Type::Number)
    }

    /// The types of both sets.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The types of either set.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The types of this set that the other one does not have.
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The types other than null, in the order in which they are shown. An integer is not named beside numbers.
    pub(crate) fn shown(self) -> impl Iterator<Item = Type> {
        let is_shown = move |one: &Type| self.has(*one) && (*one != Type::Integer || !self.has(Type::Number));
        Type::SHOWN.into_iter().filter(is_shown)
    }

    /// The only type besides null.
    pub(crate) fn only(self) -> Option<Type> {
        let mut shown = self.shown();
        shown.next().filter(|_| shown.next().is_none())
    }
}

impl fmt::Display for Types {
    /// The names of its types without null, such as `object or string`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_all(Self::ALL.without(Self::NULL)) {
            return f.write_str("any");
        }
        let names: Vec<&str> = self.shown().map(Type::name).collect();
        match names.as_slice() {
            [] if self.has(Type::Null) => f.write_str("null"),
            [] => f.write_str("none"),
            names => f.write_str(&names.join(" or ")),
        }
    }
}

/// The maximum number of values that a constant is compared with, also of values inside them. In a longer enumeration,
/// it counts as listed.
const MAX_COMPARED: usize = 100;

/// The values that `const` and `enum` of a schema list; `None` if it has neither. With both, it is the constant, or
/// none if the enumeration does not list it.
pub(crate) fn listed_values(schema: &Node) -> Option<&[Node]> {
    let listed = schema.get("enum").and_then(Node::as_list);
    let Some(constant) = schema.get("const") else { return listed };
    let mut left = MAX_COMPARED;
    let is_listed = listed.is_none_or(|listed| is_one_of(constant, listed, &mut left).unwrap_or(true));
    Some(if is_listed { std::slice::from_ref(constant) } else { &[] })
}

/// Whether a schema only allows null. Of `const` and `enum`, the constant counts.
pub(crate) fn is_null(schema: &Node) -> bool {
    let is_null = |value: &Node| matches!(value.value, Value::Null);
    Types::of(schema) == Some(Types::NULL)
        || match schema.get("const") {
            Some(constant) => is_null(constant),
            None => matches!(schema.get("enum").and_then(Node::as_list), Some([only]) if is_null(only)),
        }
}
