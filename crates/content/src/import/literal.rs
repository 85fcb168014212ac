//! Values that are written as literals in JavaScript or TypeScript, such as the settings of site generators, and in
//! JSON. Nothing is executed.
//!
//! A value that is computed is unknown, and the values around it are read all the same. Names of constants of the same
//! file stand for their values, and so do calls of its functions that have no parameters and only return a value. So do
//! values that a file [imports](Imports) from other files of the repository. Size and depth are limited, and reading
//! takes time in proportion to the text.
mod modules;
#[cfg(test)]
mod modules_tests;
mod reader;
mod resolver;
#[cfg(test)]
mod tests;
mod tokens;

use resolver::Resolver;
use std::cell::Cell;
use std::rc::Rc;

/// The size of the largest file that is read, in bytes.
pub(super) const MAX_FILE: usize = 1 << 20;

/// How deep values may nest, with the names that lead to them. Deeper ones are unknown.
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
    /// The name of a constant, or of a member of one, with dots between. No value that is
    /// [exported](Literal::exported_by) contains any.
    Name(String),
    /// `...value` in a list or an object. No value that is [exported](Literal::exported_by) contains any.
    Spread(Box<Literal>),
    /// A value that another file exports. No value that is [exported](Literal::exported_by) contains any.
    Imported {
        /// The address of the file.
        from: Rc<str>,
        /// The name of the value, and of a member of it, with dots between; empty for the whole file.
        member: String,
    },
    Unknown,
}

/// The files that a file can import values from.
pub(super) trait Imports {
    /// The path of the file that a relative address in the file `from` means.
    fn find(&self, from: &str, address: &str) -> Option<String>;

    /// The text of a file.
    fn read(&self, path: &str) -> Option<String>;
}

impl Literal {
    /// Reads the value that the file at a path exports: `export default`, `module.exports =`, or the only value of a
    /// file in JSON. `None` if there is none, or if the file is larger than [`MAX_FILE`]. Takes the size of the value
    /// from `left`. The line of a value from another file is the one where it is imported.
    pub(super) fn exported_by(path: &str, text: &str, left: &Cell<usize>, imports: &dyn Imports) -> Option<Self> {
        if text.len() > MAX_FILE {
            return None;
        }
        let most = left.get().min(MAX_VALUE);
        let mut resolver = Resolver::new(path, reader::read(text), imports, most);
        let value = resolver.exported()?;
        left.set(left.get() - (most - resolver.left()));
        Some(value)
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
            Value::Call { .. } | Value::Function { .. } | Value::Unknown => true,
            Value::Name(_) | Value::Spread(_) | Value::Imported { .. } => true,
        }
    }
}
