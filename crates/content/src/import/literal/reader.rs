//! Reads literals, and goes past everything else: one byte after the other, without going back.
use super::modules::{Module, imported, required};
use super::tokens::{Reader, Until, is_word};
use super::{Literal, MAX_DEPTH, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Reads the text of a file.
pub(super) fn read(text: &str) -> Module {
    Reader::new(text).module()
}

impl<'t> Reader<'t> {
    fn module(mut self) -> Module {
        let mut module = Module::default();
        self.space();
        // JSON. A program begins with neither of them.
        if matches!(self.peek(), Some(b'{' | b'[')) {
            module.exported = Some(self.value(0, Until::Statement));
        }
        loop {
            self.space();
            let Some(byte) = self.peek() else { return module };
            if !is_word(byte) {
                self.pass(byte);
                continue;
            }
            match self.word() {
                "const" | "let" | "var" => self.definitions(&mut module.constants),
                "function" => {
                    if let (name, value @ Value::Function { .. }) = self.function(0) {
                        module.constants.insert(name.to_owned(), Literal { line: self.line(), value });
                    }
                }
                "import" => self.import(&mut module.constants),
                "export" => self.export(&mut module),
                "module" if self.rest().starts_with(b".exports") => {
                    self.at += ".exports".len();
                    self.assigned_export(&mut module);
                }
                "exports" if self.peek() == Some(b'.') => self.assigned_export(&mut module),
                _ => {}
            }
        }
    }

    /// Reads the names and values after `const`.
    fn definitions(&mut self, constants: &mut HashMap<String, Literal>) {
        loop {
            self.space();
            let parts = if self.peek() == Some(b'{') { self.bindings() } else { Vec::new() };
            let name = self.word();
            if name.is_empty() && parts.is_empty() {
                return;
            }
            self.annotation();
            if !self.is_assigned() {
                return;
            }
            let value = self.value(0, Until::Statement);
            if let Value::Call { function, arguments } = &value.value
                && let Some(from) = required(function, arguments)
            {
                let (from, line) = (Rc::from(from), value.line);
                constants.extend(parts.into_iter().map(|(member, name)| imported(name, &from, member, line)));
            }
            if !name.is_empty() {
                constants.insert(name.to_owned(), value);
            }
            self.space();
            if !self.eats(b',') {
                return;
            }
        }
    }

    /// Reads a value. One that goes on in another way than a literal is unknown.
    pub(super) fn value(&mut self, depth: usize, until: Until) -> Literal {
        self.space();
        let line = self.line();
        let value = self.operand(depth);
        if self.ends(until) {
            return Literal { line, value };
        }
        self.skip(until, Vec::new());
        Literal { line, value: Value::Unknown }
    }

    /// Reads a value without what may follow it.
    fn operand(&mut self, depth: usize) -> Value {
        match self.peek() {
            Some(b'\'' | b'"' | b'`') => self.string().map_or(Value::Unknown, Value::Text),
            Some(b'[') if depth < MAX_DEPTH => Value::List(self.list(b']', depth + 1)),
            Some(b'{') if depth < MAX_DEPTH => Value::Object(self.object(depth + 1)),
            Some(b'(') if depth < MAX_DEPTH => self.parentheses(depth + 1),
            Some(b'-') if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => self.number(),
            Some(byte) if byte.is_ascii_digit() => self.number(),
            Some(byte) if is_word(byte) => self.named(depth),
            _ => Value::Unknown,
        }
    }

    fn number(&mut self) -> Value {
        let sign = if self.eats(b'-') { -1.0 } else { 1.0 };
        let from = self.at;
        while self.peek().is_some_and(|byte| is_word(byte) || byte == b'.') {
            self.at += 1;
        }
        let number = self.text.get(from..self.at).map(|number| number.replace('_', ""));
        let number = number.and_then(|number| number.parse().ok()).filter(|number: &f64| number.is_finite());
        number.map_or(Value::Unknown, |number| Value::Number(sign * number))
    }

    /// Reads a value that begins with a word.
    fn named(&mut self, depth: usize) -> Value {
        let word = self.word();
        match word {
            "true" => return Value::Bool(true),
            "false" => return Value::Bool(false),
            "null" | "undefined" => return Value::Null,
            "function" => return self.function(depth).1,
            "async" => {
                self.space();
                if self.is_next("function") {
                    self.word();
                    return self.function(depth).1;
                }
                if self.peek() == Some(b'(') && depth < MAX_DEPTH {
                    return self.parentheses(depth + 1);
                }
            }
            _ => {}
        }
        let members = self.members();
        let name = if members.is_empty() { word.to_owned() } else { format!("{word}.{members}") };
        // The types of a call, such as `define<Settings>({…})`.
        let next = self.bytes.get(self.at + 1).copied();
        if self.peek() == Some(b'<') && next.is_some_and(|next| is_word(next) || matches!(next, b'{' | b'[')) {
            self.angles();
            if self.peek() != Some(b'(') {
                return Value::Unknown;
            }
        }
        if self.peek() == Some(b'(') && depth < MAX_DEPTH {
            let arguments = self.list(b')', depth + 1);
            return self.member(&name, &arguments).unwrap_or(Value::Call { function: name, arguments });
        }
        Value::Name(name)
    }

    /// Reads the names after a call such as `require('./x')`, if there are any.
    fn member(&mut self, function: &str, arguments: &[Literal]) -> Option<Value> {
        let from = required(function, arguments)?;
        let names = self.members();
        (!names.is_empty()).then(|| Value::Imported { from: Rc::from(from), member: names })
    }

    /// Reads names with dots before them. Returns them with dots between.
    fn members(&mut self) -> String {
        let mut names = String::new();
        while self.peek() == Some(b'.') && self.bytes.get(self.at + 1).copied().is_some_and(is_word) {
            self.at += 1;
            if !names.is_empty() {
                names.push('.');
            }
            names.push_str(self.word());
        }
        names
    }

    /// Reads the rest of a function after its first word. Returns its name, too.
    fn function(&mut self, depth: usize) -> (&'t str, Value) {
        self.space();
        self.eats(b'*');
        self.space();
        let name = self.word();
        self.space();
        if self.peek() == Some(b'<') {
            self.angles();
            self.space();
        }
        if !self.eats(b'(') {
            return (name, Value::Unknown);
        }
        self.space();
        let has_parameters = self.peek() != Some(b')');
        self.close(b')');
        self.annotation();
        if self.peek() != Some(b'{') || depth == MAX_DEPTH {
            return (name, Value::Unknown);
        }
        let result = Box::new(self.body(depth + 1));
        (name, Value::Function { result, has_parameters })
    }

    /// Reads what is in parentheses: a value, or the parameters of a function with its result.
    fn parentheses(&mut self, depth: usize) -> Value {
        self.at += 1;
        self.space();
        let is_empty = self.peek() == Some(b')');
        let inside = if is_empty { Value::Unknown } else { self.value(depth, Until::Item).value };
        self.space();
        let is_one = self.peek() == Some(b')');
        self.close(b')');
        self.annotation();
        if !self.rest().starts_with(b"=>") {
            return if is_one { inside } else { Value::Unknown };
        }
        self.at += 2;
        self.space();
        let result = match self.peek() {
            Some(b'{') => self.body(depth),
            _ => Literal { line: self.line(), value: self.operand(depth) },
        };
        Value::Function { result: Box::new(result), has_parameters: !is_empty }
    }

    /// Reads the body of a function. Its result is known if its first statement returns it.
    fn body(&mut self, depth: usize) -> Literal {
        self.at += 1;
        self.space();
        let result = match self.is_next("return") {
            true => {
                self.word();
                self.value(depth, Until::Statement)
            }
            false => Literal { line: self.line(), value: Value::Unknown },
        };
        self.close(b'}');
        result
    }

    /// Reads what is in brackets, with commas between: each item from its first byte.
    fn items<T>(&mut self, closer: u8, mut read: impl FnMut(&mut Self, u8) -> T) -> Vec<T> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                None | Some(b']' | b'}' | b')') => {
                    self.eats(closer);
                    return items;
                }
                Some(first) => items.push(read(self, first)),
            }
        }
    }

    fn list(&mut self, closer: u8, depth: usize) -> Vec<Literal> {
        self.items(closer, |reader, _| reader.item(depth))
    }

    fn object(&mut self, depth: usize) -> Vec<(String, Literal)> {
        self.items(b'}', |reader, first| reader.entry(first, depth))
    }

    fn item(&mut self, depth: usize) -> Literal {
        if !self.rest().starts_with(b"...") {
            return self.value(depth, Until::Item);
        }
        let line = self.line();
        self.at += "...".len();
        Literal { line, value: Value::Spread(Box::new(self.value(depth, Until::Item))) }
    }

    /// Reads an entry of an object, which begins with a byte.
    fn entry(&mut self, byte: u8, depth: usize) -> (String, Literal) {
        let line = self.line();
        if self.rest().starts_with(b"...") {
            return (String::new(), self.item(depth));
        }
        let key = match byte {
            b'\'' | b'"' => self.string(),
            byte if is_word(byte) => Some(self.word().to_owned()),
            _ => None,
        };
        self.space();
        match (key, self.peek()) {
            (Some(key), Some(b':')) => {
                self.at += 1;
                (key, self.value(depth, Until::Item))
            }
            (Some(key), None | Some(b',' | b'}')) if is_word(byte) => {
                let value = Value::Name(key.clone());
                (key, Literal { line, value })
            }
            (key, _) => {
                self.skip(Until::Item, Vec::new());
                (key.unwrap_or_default(), Literal { line, value: Value::Unknown })
            }
        }
    }

    /// Whether a value ends here, after what only concerns its type. Otherwise it is part of a larger expression.
    fn ends(&mut self, until: Until) -> bool {
        let is_statement = until == Until::Statement;
        loop {
            self.space();
            match self.peek() {
                None | Some(b',' | b']' | b'}' | b')') => return true,
                Some(b';' | b'\'' | b'"' | b'@') => return is_statement,
                Some(b'!') if self.bytes.get(self.at + 1) != Some(&b'=') => self.at += 1,
                Some(byte) if is_word(byte) => {
                    if !self.is_next("as") && !self.is_next("satisfies") {
                        return is_statement && !self.is_next("in") && !self.is_next("instanceof");
                    }
                    self.word();
                    self.of_type();
                }
                Some(_) => return false,
            }
        }
    }
}
