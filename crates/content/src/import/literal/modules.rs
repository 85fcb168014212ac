//! What files of JavaScript and TypeScript import from other files of a repository, and what they export.
use super::tokens::{Reader, Until, is_word};
use super::{Literal, Value};
use crate::import::path::MAX_PATH;
use std::collections::HashMap;
use std::rc::Rc;

/// The name of the value that a file exports without a name.
pub(super) const DEFAULT: &str = "default";

/// The constants of a file and what it exports.
#[derive(Default)]
pub(super) struct Module {
    /// The value of `export default`, of `module.exports`, or of a file in JSON.
    pub exported: Option<Literal>,
    /// Whether `module.exports` is assigned as a whole, so that constants are no exports of the file.
    is_assigned: bool,
    /// Its constants and functions by their names, and what it imports.
    pub constants: HashMap<String, Literal>,
    /// What it exports under other names than those of its constants.
    exports: HashMap<String, Literal>,
    /// The addresses of the files of which it exports everything.
    pub all_of: Vec<Rc<str>>,
}

impl Module {
    /// What the file exports under a name, besides the members of what it exports without one.
    pub(super) fn named(&self, name: &str) -> Option<&Literal> {
        let constant = if self.is_assigned { None } else { self.constants.get(name) };
        self.exports.get(name).or(constant)
    }

    /// Adds what the file exports under a name.
    fn export(&mut self, name: &str, literal: Literal) {
        match name {
            DEFAULT => self.exported = Some(literal),
            name => drop(self.exports.insert(name.to_owned(), literal)),
        }
    }
}

/// The address of another file of the repository, relative to the file that has it.
pub(super) fn relative(address: &str) -> Option<&str> {
    let is_relative = address.starts_with("./") || address.starts_with("../");
    Some(address).filter(|address| is_relative && address.len() <= MAX_PATH)
}

/// The address of the file in a call such as `require('./x')`.
pub(super) fn required<'l>(function: &str, arguments: &'l [Literal]) -> Option<&'l str> {
    match arguments {
        [argument] if function == "require" => relative(argument.text()?),
        _ => None,
    }
}

/// The constant `name`, which is a member of what another file exports. Without a member, it is the whole file.
pub(super) fn imported(name: &str, from: &Rc<str>, member: &str, line: usize) -> (String, Literal) {
    let value = Value::Imported { from: Rc::clone(from), member: member.to_owned() };
    (name.to_owned(), Literal { line, value })
}

impl<'t> Reader<'t> {
    /// Reads `import` after this word: what it imports from another file of the repository.
    pub(super) fn import(&mut self, constants: &mut HashMap<String, Literal>) {
        let mut names: Vec<(&str, &str)> = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b'{') => names.extend(self.bindings()),
                Some(b'*') => names.extend(self.whole().map(|name| ("", name))),
                Some(byte) if is_word(byte) => names.push((DEFAULT, self.word())),
                _ => return,
            }
            self.space();
            if !self.eats(b',') {
                break;
            }
        }
        let line = self.line();
        if let Some(from) = self.source() {
            constants.extend(names.into_iter().map(|(member, name)| imported(name, &from, member, line)));
        }
    }

    /// Reads `export` after this word, up to the value or statement that is exported.
    pub(super) fn export(&mut self, module: &mut Module) {
        if self.is_next(DEFAULT) {
            self.word();
            module.exported = Some(self.value(0, Until::Statement));
            return;
        }
        let line = self.line();
        match self.peek() {
            Some(b'{') => {
                let names = self.bindings();
                let from = self.source();
                for (name, exported) in names {
                    let literal = match &from {
                        Some(from) => imported(exported, from, name, line).1,
                        None => Literal { line, value: Value::Name(name.to_owned()) },
                    };
                    module.export(exported, literal);
                }
            }
            Some(b'*') => {
                let name = self.whole();
                match (self.source(), name) {
                    (Some(from), Some(name)) => module.export(name, imported(name, &from, "", line).1),
                    (Some(from), None) => module.all_of.push(from),
                    (None, _) => {}
                }
            }
            _ => {}
        }
    }

    /// Reads what follows `module.exports` or `exports`: a value, if it is assigned to it or to a member of it.
    pub(super) fn assigned_export(&mut self, module: &mut Module) {
        let is_member = self.eats(b'.');
        let name = if is_member { self.word() } else { DEFAULT };
        if !name.is_empty() && self.is_assigned() {
            module.is_assigned |= !is_member;
            let value = self.value(0, Until::Statement);
            module.export(name, value);
        }
    }

    /// Reads names in braces, such as `{a, b as c}` or `{a, b: c}`: for each, the first name and the last one.
    pub(super) fn bindings(&mut self) -> Vec<(&'t str, &'t str)> {
        self.at += 1;
        let mut names = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if is_word(byte) => {
                    let first = self.word();
                    let mut last = first;
                    if self.is_next("as") {
                        self.word();
                        self.space();
                        last = self.word();
                    } else if self.eats(b':') {
                        self.space();
                        last = self.word();
                    }
                    if !last.is_empty() {
                        names.push((first, last));
                    }
                }
                _ => {
                    self.close(b'}');
                    return names;
                }
            }
        }
    }

    /// Reads `* as name`. Returns the name, if there is one.
    fn whole(&mut self) -> Option<&'t str> {
        self.at += 1;
        if !self.is_next("as") {
            return None;
        }
        self.word();
        self.space();
        Some(self.word()).filter(|name| !name.is_empty())
    }

    /// Reads `from './x'`. Returns the address if it is relative.
    fn source(&mut self) -> Option<Rc<str>> {
        if !self.is_next("from") {
            return None;
        }
        self.word();
        self.space();
        match self.peek() {
            Some(b'\'' | b'"') => relative(&self.string()?).map(Rc::from),
            _ => None,
        }
    }
}
