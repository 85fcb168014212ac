//! Values that are written as literals in JavaScript or TypeScript, such as the settings of site generators, and in
//! JSON. Nothing is executed.
//!
//! A value that is computed is unknown, and the values around it are read all the same. Names of constants of the same
//! file stand for their values, and so do calls of its functions that have no parameters and only return a value.
//! Size and depth are limited, and reading takes time in proportion to the text.
mod reader;
#[cfg(test)]
mod tests;
mod tokens;

use reader::Module;
use std::cell::Cell;
use std::collections::HashMap;

/// The size of the largest file that is read, in bytes.
pub(super) const MAX_FILE: usize = 1 << 20;

/// How deep values may nest. Deeper ones are unknown.
const MAX_DEPTH: usize = 64;

/// The size of the largest value, in bytes. Constants that are used several times count each time. What exceeds it is
/// unknown.
const MAX_VALUE: usize = 16 << 20;

/// About the size of a value without its texts, in bytes.
const SIZE: usize = 64;

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    /// The line where it begins, from 1.
    pub line: usize,
    value: Value,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Literal>),
    /// Entries whose keys are not understood have an empty key and an unknown value.
    Object(Vec<(String, Literal)>),
    Call {
        function: String,
        arguments: Vec<Literal>,
    },
    /// A function that only returns a value.
    Function {
        result: Box<Literal>,
        has_parameters: bool,
    },
    /// The name of a constant. No value that is [exported](Literal::exported_within) contains any.
    Name(String),
    /// `...value` in a list or an object. No value that is [exported](Literal::exported_within) contains any.
    Spread(Box<Literal>),
    Unknown,
}

impl Literal {
    /// Reads the value that a file exports: `export default`, `module.exports =`, or the only value of a file in JSON.
    /// `None` if there is none, or if the file is larger than [`MAX_FILE`]. Takes the size of the value from `left`.
    pub(super) fn exported_within(text: &str, left: &Cell<usize>) -> Option<Self> {
        if text.len() > MAX_FILE {
            return None;
        }
        let Module { exported, constants } = reader::read(text);
        let exported = exported?;
        let most = left.get().min(MAX_VALUE);
        let mut resolver = Resolver { constants: &constants, left: most };
        let value = resolver.value(&exported, 0);
        left.set(left.get() - (most - resolver.left));
        Some(value)
    }

    /// The same, with enough left for the largest value.
    #[cfg(test)]
    pub(super) fn exported(text: &str) -> Option<Self> {
        Self::exported_within(text, &Cell::new(MAX_VALUE))
    }

    /// The value inside of calls and functions around it, such as `defineConfig({…})` or `() => ({…})`.
    pub(super) fn unwrapped(&self) -> &Self {
        let mut literal = self;
        loop {
            literal = match &literal.value {
                Value::Call { arguments, .. } => match arguments.first() {
                    Some(argument) => argument,
                    None => return literal,
                },
                Value::Function { result, .. } => result,
                _ => return literal,
            };
        }
    }

    /// The value of a key of an object. Of several with this key, the last one counts.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The value, if it is a text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a list. Those of constants in it (`...names`) are in their place.
    pub(super) fn list(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The keys and values of an object, in order. An entry that is not understood, such as one with a computed key,
    /// has an [unknown](Self::is_unknown) value, and an empty key if its key is not known.
    pub(super) fn entries(&self) -> Option<&[(String, Self)]> {
        match &self.value {
            Value::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The name and the arguments of a call of a function that is not in the file: `require('./x')`.
    pub(super) fn call(&self) -> Option<(&str, &[Self])> {
        match &self.value {
            Value::Call { function, arguments } => Some((function, arguments)),
            _ => None,
        }
    }

    /// Whether it is computed: neither a text, number or boolean, nor null, a list or an object.
    pub(super) fn is_unknown(&self) -> bool {
        match &self.value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) | Value::Object(_) => {
                false
            }
            Value::Call { .. } | Value::Function { .. } | Value::Name(_) | Value::Spread(_) | Value::Unknown => true,
        }
    }
}

/// Puts constants in place of their names.
struct Resolver<'m> {
    constants: &'m HashMap<String, Literal>,
    /// How many bytes the value may still take.
    left: usize,
}

impl Resolver<'_> {
    /// Counts bytes of the value. Returns whether it may take them.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The depth also counts the names that lead to a value, so constants that contain each other end.
    fn value(&mut self, literal: &Literal, depth: usize) -> Literal {
        let (constants, line) = (self.constants, literal.line);
        let found = |value| Literal { line, value };
        // Values that are too deep count, too: a long list of them can be in many places.
        if !self.take(SIZE) || depth > MAX_DEPTH {
            return found(Value::Unknown);
        }
        found(match &literal.value {
            Value::Text(text) if !self.take(text.len()) => Value::Unknown,
            Value::Name(name) => match constants.get(name) {
                Some(constant) => return self.value(constant, depth + 1),
                None => Value::Unknown,
            },
            Value::Call { function, arguments } => match constants.get(function).map(|known| &known.value) {
                Some(Value::Function { result, has_parameters: false }) => return self.value(result, depth + 1),
                _ if !self.take(function.len()) => Value::Unknown,
                _ => Value::Call { function: function.clone(), arguments: self.list(arguments, depth) },
            },
            Value::Function { result, has_parameters } => {
                let result = Box::new(self.value(result, depth + 1));
                Value::Function { result, has_parameters: *has_parameters }
            }
            Value::List(items) => Value::List(self.list(items, depth)),
            Value::Object(entries) => Value::Object(self.object(entries, depth)),
            Value::Spread(_) => Value::Unknown,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Unknown => literal.value.clone(),
        })
    }

    fn list(&mut self, items: &[Literal], depth: usize) -> Vec<Literal> {
        let mut list = Vec::new();
        for item in items {
            match &item.value {
                Value::Spread(inside) => match self.value(inside, depth + 1).value {
                    Value::List(inside) => list.extend(inside),
                    _ => list.push(Literal { line: item.line, value: Value::Unknown }),
                },
                _ => list.push(self.value(item, depth + 1)),
            }
            if self.left == 0 {
                break;
            }
        }
        list
    }

    fn object(&mut self, entries: &[(String, Literal)], depth: usize) -> Vec<(String, Literal)> {
        let mut object = Vec::new();
        for (key, value) in entries {
            match &value.value {
                Value::Spread(inside) => match self.value(inside, depth + 1).value {
                    Value::Object(inside) => object.extend(inside),
                    _ => object.push((String::new(), Literal { line: value.line, value: Value::Unknown })),
                },
                _ if !self.take(key.len()) => {}
                _ => object.push((key.clone(), self.value(value, depth + 1))),
            }
            if self.left == 0 {
                break;
            }
        }
        object
    }
}
