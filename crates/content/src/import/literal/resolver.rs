//! Puts values in place of the names of constants and of what a file imports.
use super::modules::{DEFAULT, Module, required};
use super::{Imports, Literal, MAX_DEPTH, MAX_FILE, SIZE, Value, reader};
use std::collections::HashMap;
use std::rc::Rc;

/// How many files one value is read from, and how many bytes all of them but the first may have. In memory, they can
/// take more than seventy times as much.
const MAX_FILES: usize = 64;
const MAX_IMPORTED: usize = 2 << 20;

/// How many names with dots between may lead to a value.
const MAX_NAMES: usize = 8;

/// The result of a function, among the names that lead to a value.
const CALL: &str = "()";

/// The beginning of the names of functions that return their argument, such as `defineConfig`.
const DEFINE: &str = "define";

/// A file that was read.
struct File {
    path: String,
    module: Module,
}

/// The name of a constant, of a member of it, and so on.
type Names<'n> = Vec<&'n str>;

/// Resolves the values of a file.
pub(super) struct Resolver<'i> {
    imports: &'i dyn Imports,
    /// The file, and those that it imports values from.
    files: Vec<Rc<File>>,
    /// The files that addresses in files mean.
    found: HashMap<(usize, Rc<str>), Option<usize>>,
    /// How many bytes of other files may still be read.
    left_to_read: usize,
    /// How many bytes the value may still take.
    left: usize,
    /// The line where the value of another file is imported.
    line: Option<usize>,
}

impl<'i> Resolver<'i> {
    /// Resolves the values of the file at `path`. They may take `left` bytes.
    pub(super) fn new(path: &str, module: Module, imports: &'i dyn Imports, left: usize) -> Self {
        let files = vec![Rc::new(File { path: path.to_owned(), module })];
        Self { imports, files, found: HashMap::new(), left_to_read: MAX_IMPORTED, left, line: None }
    }

    /// How many bytes the value may still take.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The value that the file exports.
    pub(super) fn exported(&mut self) -> Option<Literal> {
        let file = self.file(0)?;
        file.module.exported.as_ref().map(|exported| self.value(0, exported, 0))
    }

    fn file(&self, at: usize) -> Option<Rc<File>> {
        self.files.get(at).cloned()
    }

    /// Counts bytes of the value. Returns whether it may take them.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The value of a literal in a file. The depth also counts the names that lead to a value, so constants and files
    /// that contain each other end.
    fn value(&mut self, file: usize, literal: &Literal, depth: usize) -> Literal {
        let line = self.line.unwrap_or(literal.line);
        let found = |value| Literal { line, value };
        // Values that are too deep count, too: a long list of them can be in many places.
        if !self.take(SIZE) || depth > MAX_DEPTH {
            return found(Value::Unknown);
        }
        found(match &literal.value {
            Value::Text(text) if !self.take(text.len()) => Value::Unknown,
            Value::Name(_) | Value::Imported { .. } => {
                return self.member(file, literal, &[], depth).unwrap_or_else(|| found(Value::Unknown));
            }
            Value::Call { function, arguments } => match self.called(file, literal, depth) {
                Some(value) => return value,
                None if self.left == 0 => Value::Unknown,
                None => Value::Call { function: function.clone(), arguments: self.list(file, arguments, depth) },
            },
            Value::Function { result, has_parameters } => {
                let result = Box::new(self.value(file, result, depth + 1));
                Value::Function { result, has_parameters: *has_parameters }
            }
            Value::List(items) => Value::List(self.list(file, items, depth)),
            Value::Object(entries) => Value::Object(self.object(file, entries, depth)),
            Value::Spread(_) => Value::Unknown,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Unknown => literal.value.clone(),
        })
    }

    /// The result of a call of a function without parameters, or the file that it loads.
    fn called(&mut self, file: usize, literal: &Literal, depth: usize) -> Option<Literal> {
        let Value::Call { function, arguments } = &literal.value else { return None };
        if !self.take(function.len()) {
            return None;
        }
        if let Some(from) = required(function, arguments) {
            return self.imported(file, from, &[], literal.line, depth);
        }
        self.named(file, &names(function, &[CALL])?, depth)
    }

    /// The value of a member of a literal in a file, or of the literal itself without any names. `None` if there is no
    /// such member, or if it is not understood.
    fn member(&mut self, file: usize, literal: &Literal, members: &[&str], depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &literal.value {
            Value::Name(name) => {
                let is_short = self.take(name.len());
                return self.named(file, &names(name, members).filter(|_| is_short)?, depth);
            }
            Value::Imported { from, member } => {
                let is_short = self.take(member.len());
                let members = names(member, members).filter(|_| is_short)?;
                return self.imported(file, from, &members, literal.line, depth);
            }
            _ => {}
        }
        let Some((member, rest)) = members.split_first() else { return Some(self.value(file, literal, depth)) };
        match &literal.value {
            Value::Function { result, has_parameters: false } if *member == CALL => {
                self.member(file, result, rest, depth + 1)
            }
            Value::Call { function, arguments } => match (required(function, arguments), &arguments[..]) {
                (Some(from), _) => self.imported(file, from, members, literal.line, depth),
                (None, [argument]) if function.starts_with(DEFINE) => self.member(file, argument, members, depth + 1),
                _ => None,
            },
            Value::Object(entries) if self.take(entries.len()) => {
                let (_, value) = entries.iter().rev().find(|(key, _)| key == member)?;
                self.member(file, value, rest, depth + 1)
            }
            _ => None,
        }
    }

    /// The value that names in a file lead to.
    fn named(&mut self, file: usize, names: &[&str], depth: usize) -> Option<Literal> {
        let (first, rest) = names.split_first()?;
        let found = self.file(file)?;
        self.member(file, found.module.constants.get(*first)?, rest, depth + 1)
    }

    /// The value that another file exports under a name, or a member of it. Without any names, it is the value that the
    /// file exports without one. `line` is the one where it is imported.
    fn imported(&mut self, file: usize, from: &str, names: &[&str], line: usize, depth: usize) -> Option<Literal> {
        if !self.take(SIZE + from.len()) || depth > MAX_DEPTH {
            return None;
        }
        let target = self.find(file, from)?;
        let before = self.line;
        self.line = before.or(Some(line));
        let found = self.exported_as(target, names, depth + 1);
        self.line = before;
        found
    }

    fn exported_as(&mut self, file: usize, names: &[&str], depth: usize) -> Option<Literal> {
        let found = self.file(file)?;
        let module = &found.module;
        let Some((name, rest)) = names.split_first() else {
            return self.member(file, module.exported.as_ref()?, &[], depth);
        };
        if *name == DEFAULT {
            return self.member(file, module.exported.as_ref()?, rest, depth);
        }
        if let Some(literal) = module.named(name) {
            return self.member(file, literal, rest, depth);
        }
        // What is assigned to `module.exports` has its exports as members.
        let member = module.exported.as_ref().and_then(|exported| self.member(file, exported, names, depth));
        member.or_else(|| module.all_of.iter().find_map(|from| self.imported(file, from, names, 1, depth)))
    }

    /// The file that an address in a file means.
    fn find(&mut self, file: usize, address: &str) -> Option<usize> {
        let key = (file, Rc::from(address));
        if let Some(known) = self.found.get(&key) {
            return *known;
        }
        let found = self.load(file, address);
        self.found.insert(key, found);
        found
    }

    fn load(&mut self, file: usize, address: &str) -> Option<usize> {
        let path = self.imports.find(&self.files.get(file)?.path, address)?;
        let known = self.files.iter().position(|file| file.path == path);
        if known.is_some() || self.files.len() == MAX_FILES {
            return known;
        }
        let text = self.imports.read(&path).filter(|text| text.len() <= MAX_FILE)?;
        self.left_to_read = self.left_to_read.checked_sub(text.len())?;
        self.files.push(Rc::new(File { path, module: reader::read(&text) }));
        Some(self.files.len() - 1)
    }

    fn list(&mut self, file: usize, items: &[Literal], depth: usize) -> Vec<Literal> {
        let mut list = Vec::new();
        for item in items {
            match &item.value {
                Value::Spread(inside) => match self.value(file, inside, depth + 1).value {
                    Value::List(inside) => list.extend(inside),
                    _ => list.push(self.unknown(item)),
                },
                _ => list.push(self.value(file, item, depth + 1)),
            }
            if self.left == 0 {
                break;
            }
        }
        list
    }

    fn object(&mut self, file: usize, entries: &[(String, Literal)], depth: usize) -> Vec<(String, Literal)> {
        let mut object = Vec::new();
        for (key, value) in entries {
            match &value.value {
                Value::Spread(inside) => match defined(self.value(file, inside, depth + 1)).value {
                    Value::Object(inside) => object.extend(inside),
                    _ => object.push((String::new(), self.unknown(value))),
                },
                _ if !self.take(key.len()) => {}
                _ => object.push((key.clone(), self.value(file, value, depth + 1))),
            }
            if self.left == 0 {
                break;
            }
        }
        object
    }

    fn unknown(&self, literal: &Literal) -> Literal {
        Literal { line: self.line.unwrap_or(literal.line), value: Value::Unknown }
    }
}

/// Names with dots between, and the names after them. `None` if they are too many.
fn names<'n>(dotted: &'n str, rest: &[&'n str]) -> Option<Names<'n>> {
    let first = dotted.split('.').filter(|name| !name.is_empty()).take(MAX_NAMES + 1);
    let names: Names<'n> = first.chain(rest.iter().copied()).collect();
    (names.len() <= MAX_NAMES).then_some(names)
}

/// The value inside of calls of functions that return it.
fn defined(mut literal: Literal) -> Literal {
    loop {
        literal = match literal.value {
            Value::Call { function, mut arguments } if function.starts_with(DEFINE) && arguments.len() == 1 => {
                match arguments.pop() {
                    Some(argument) => argument,
                    None => return Literal { line: literal.line, value: Value::Unknown },
                }
            }
            value => return Literal { line: literal.line, value },
        };
    }
}
