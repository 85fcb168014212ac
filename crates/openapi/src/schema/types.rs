//! Types of schemas.
use crate::tree::{Node, Value};

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
    fn bits(self) -> u8 {
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

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    /// The types that the keyword `type` of a schema states; `None` if it states no known one.
    pub(crate) fn of(schema: &Node) -> Option<Self> {
        let names = match &schema.get("type")?.value {
            Value::Text(name) => Type::named(name).map_or(0, Type::bits),
            Value::List(names) => {
                names.iter().filter_map(Node::as_text).filter_map(Type::named).fold(0, |all, one| all | one.bits())
            }
            _ => 0,
        };
        (names != 0).then_some(Self(names))
    }

    /// Whether all values of a type are in the set.
    pub(crate) fn has(self, one: Type) -> bool {
        self.0 & one.bits() == one.bits()
    }

    /// Whether it has no type.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The types of both sets.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The set with this type.
    pub(crate) fn with(self, one: Type) -> Self {
        Self(self.0 | one.bits())
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
