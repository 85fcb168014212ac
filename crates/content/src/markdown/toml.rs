//! Front matter in TOML, between two lines of `+++`. It is only read: a change writes it as YAML.
use serde_json::{Map, Number, Value};

/// How deep tables and lists may nest.
const MAX_DEPTH: usize = 32;

/// The entries of a source, in order; `None` if it is not TOML. Dates are texts, and so are numbers that JSON writes in
/// another way, such as the version 1.10.
pub(super) fn entries(source: &str) -> Option<Vec<(String, Value)>> {
    let mut reader = Reader { rest: source };
    let (mut root, mut order) = (Map::new(), Vec::new());
    // The path of the table that the next keys are in.
    let mut table: Vec<String> = Vec::new();
    loop {
        reader.gaps();
        if reader.rest.is_empty() {
            break;
        }
        let is_list = reader.eat("[[");
        let is_table = is_list || reader.eat("[");
        let path = reader.path()?;
        let first = if is_table { &path[0] } else { table.first().unwrap_or(&path[0]) };
        if !root.contains_key(first) {
            order.push(first.clone());
        }
        if is_table {
            let end = if is_list { "]]" } else { "]" };
            if !reader.eat(end) {
                return None;
            }
            match path.split_last().filter(|_| is_list) {
                Some((last, above)) => {
                    let list = descend(&mut root, above)?.entry(last.clone()).or_insert_with(|| Value::Array(vec![]));
                    list.as_array_mut()?.push(Value::Object(Map::new()));
                }
                None => {
                    descend(&mut root, &path)?;
                }
            }
            table = path;
        } else {
            let value = reader.value_of_key(0)?;
            insert(descend(&mut root, &table)?, &path, value)?;
        }
        reader.end_of_line()?;
    }
    Some(order.into_iter().filter_map(|key| root.remove(&key).map(|value| (key, value))).collect())
}

/// Whether a source seems to be meant as TOML: it begins with a key or a table.
pub(super) fn begins(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim);
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with('#')) else { return false };
    let is_key =
        |key: &str| !key.is_empty() && key.chars().all(|each| each.is_alphanumeric() || "-_.\"'".contains(each));
    (line.starts_with('[') && line.ends_with(']')) || line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()))
}

/// The table at a path. It is created if it is not there. Of a list of tables, it is the last one.
fn descend<'t>(root: &'t mut Map<String, Value>, path: &[String]) -> Option<&'t mut Map<String, Value>> {
    let mut table = root;
    for name in path {
        let next = table.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
        table = match next {
            Value::Array(items) => items.last_mut()?.as_object_mut()?,
            Value::Object(table) => table,
            _ => return None,
        };
    }
    Some(table)
}

/// Sets the value at a path, which must be free.
fn insert(table: &mut Map<String, Value>, path: &[String], value: Value) -> Option<()> {
    let (last, above) = path.split_last()?;
    match descend(table, above)?.insert(last.clone(), value) {
        None => Some(()),
        Some(_) => None,
    }
}

/// Reads a source from its start to its end. Each function reads what its name says, or fails.
struct Reader<'s> {
    rest: &'s str,
}

impl<'s> Reader<'s> {
    fn eat(&mut self, mark: &str) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take(&mut self, length: usize) -> &'s str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn character(&mut self) -> Option<char> {
        let each = self.rest.chars().next()?;
        self.take(each.len_utf8());
        Some(each)
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn comment(&mut self) {
        if self.rest.starts_with('#') {
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
    }

    /// White space, also over several lines, with comments.
    fn gaps(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
            if !self.rest.starts_with('#') {
                return;
            }
            self.comment();
        }
    }

    fn end_of_line(&mut self) -> Option<()> {
        self.blanks();
        self.comment();
        (self.rest.is_empty() || self.eat("\n")).then_some(())
    }

    fn path(&mut self) -> Option<Vec<String>> {
        let mut path = Vec::new();
        loop {
            self.blanks();
            path.push(self.key()?);
            self.blanks();
            if !self.eat(".") {
                return (path.len() <= MAX_DEPTH).then_some(path);
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        if self.rest.starts_with(['"', '\'']) {
            return self.text();
        }
        let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let key = self.take(self.rest.bytes().take_while(is_of_key).count());
        (!key.is_empty()).then(|| key.to_owned())
    }

    fn value_of_key(&mut self, depth: usize) -> Option<Value> {
        if !self.eat("=") {
            return None;
        }
        self.blanks();
        self.value(depth)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.rest.chars().next()? {
            '"' | '\'' => self.text().map(Value::String),
            '[' | '{' if depth == MAX_DEPTH => None,
            '[' => self.list(depth + 1),
            '{' => self.inline_table(depth + 1),
            _ => self.word(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.take(1);
        let mut items = Vec::new();
        loop {
            self.gaps();
            if self.eat("]") {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth)?);
            self.gaps();
            if !self.eat(",") {
                return self.eat("]").then_some(Value::Array(items));
            }
        }
    }

    fn inline_table(&mut self, depth: usize) -> Option<Value> {
        self.take(1);
        let mut table = Map::new();
        loop {
            self.gaps();
            if self.eat("}") {
                return Some(Value::Object(table));
            }
            let path = self.path()?;
            insert(&mut table, &path, self.value_of_key(depth)?)?;
            self.gaps();
            if !self.eat(",") {
                return self.eat("}").then_some(Value::Object(table));
            }
        }
    }

    /// A truth value, a number or a date.
    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find([',', ']', '}', '#', '\n']).unwrap_or(self.rest.len());
        let word = self.take(end).trim_end();
        match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => number(word).or_else(|| is_date(word).then(|| Value::String(word.to_owned()))),
        }
    }

    fn text(&mut self) -> Option<String> {
        if self.eat("'''") {
            self.eat("\n");
            return self.literal("'''");
        }
        if self.eat("\"\"\"") {
            self.eat("\n");
            return self.escaped("\"\"\"");
        }
        if self.eat("'") {
            return self.literal("'").filter(|text| !text.contains('\n'));
        }
        if self.eat("\"") { self.escaped("\"") } else { None }
    }

    fn literal(&mut self, end: &str) -> Option<String> {
        let text = self.take(self.rest.find(end)?);
        self.eat(end);
        Some(text.to_owned())
    }

    fn escaped(&mut self, end: &str) -> Option<String> {
        let mut text = String::new();
        while !self.eat(end) {
            match self.character()? {
                '\n' if end.len() == 1 => return None,
                '\\' => self.escape(&mut text)?,
                each => text.push(each),
            }
        }
        Some(text)
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let each = match self.character()? {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            each @ ('"' | '\\') => each,
            'u' => self.code_point(4)?,
            'U' => self.code_point(8)?,
            // The line goes on after the white space.
            ' ' | '\t' | '\n' => {
                self.rest = self.rest.trim_start();
                return Some(());
            }
            _ => return None,
        };
        text.push(each);
        Some(())
    }

    fn code_point(&mut self, digits: usize) -> Option<char> {
        let code = self.rest.get(..digits)?;
        self.take(digits);
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    }
}

fn number(word: &str) -> Option<Value> {
    let digits = word.replace('_', "");
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    let whole = match digits.get(..2) {
        Some("0x") => i64::from_str_radix(&digits[2..], 16),
        Some("0o") => i64::from_str_radix(&digits[2..], 8),
        Some("0b") => i64::from_str_radix(&digits[2..], 2),
        _ => digits.parse(),
    };
    if let Ok(whole) = whole {
        return Some(whole.into());
    }
    let number = Number::from_f64(digits.parse().ok()?).filter(|number| number.to_string() == word);
    Some(number.map_or_else(|| Value::String(word.to_owned()), Value::Number))
}

fn is_date(word: &str) -> bool {
    let is_of_date = |byte: u8| byte.is_ascii_alphanumeric() || b"-:.+ ".contains(&byte);
    word.starts_with(|first: char| first.is_ascii_digit()) && word.contains(['-', ':']) && word.bytes().all(is_of_date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn read(source: &str) -> Option<Value> {
        entries(source).map(|entries| Value::Object(entries.into_iter().collect()))
    }

    #[rstest]
    #[case("a = 'x'\n\"b c\" = \"y\\n\\u00e9\" # z\n", json!({"a": "x", "b c": "y\né"}))]
    #[case("a = 7\nb = -1_000\nc = 0x1F\nd = 1.5\ne = 1.10\nf = inf\ng = true", json!({"a": 7, "b": -1000, "c": 31, "d": 1.5, "e": "1.10", "f": "inf", "g": true}))]
    #[case("a = 2024-01-02T03:04:05Z\nb = 2024-01-02 03:04:05\nc = 07:32:00 # d", json!({"a": "2024-01-02T03:04:05Z", "b": "2024-01-02 03:04:05", "c": "07:32:00"}))]
    #[case("a = [ 1, # b\n  'x',\n]\nc = { d = 1, e.f = [] }\n", json!({"a": [1, "x"], "c": {"d": 1, "e": {"f": []}}}))]
    #[case("a = \"\"\"\nb\\\n   c\n\"d\" \"\"\"\ne = '''\nf'g\\'''", json!({"a": "bc\n\"d\" ", "e": "f'g\\"}))]
    #[case("x = 1\n[a]\nb = 1\n[a.c]\nd = 2\n[[e]]\nf = 1\n[[e]]\nf = 2\n", json!({"x": 1, "a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 1}, {"f": 2}]}))]
    #[case("\n# only a comment\n", json!({}))]
    fn toml_is_read(#[case] source: &str, #[case] expected: Value) {
        assert_eq!(read(source), Some(expected));
    }

    #[test]
    fn entries_keep_their_order() {
        let keys: Vec<String> =
            entries("z = 1\na = 2\n[m.n]\nb = 1\n[c]\n[m.o]\n").unwrap().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["z", "a", "m", "c"]);
    }

    #[rstest]
    #[case("a")]
    #[case("a = ")]
    #[case("a: b")]
    #[case("a = x")]
    #[case("a = \"b\nc\"")]
    #[case("a = 'b")]
    #[case("a = [1")]
    #[case("a = {b = 1")]
    #[case("a = 1\na = 2")]
    #[case("a = 1 b = 2")]
    #[case("a = 1\n[a]\nb = 1")]
    #[case("[a")]
    fn what_is_not_toml_is_none(#[case] source: &str) {
        assert_eq!(read(source), None);
    }

    #[test]
    fn values_nest_to_a_depth() {
        let nested = |depth: usize| format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(MAX_DEPTH)).is_some());
        assert!(read(&nested(MAX_DEPTH + 1)).is_none());
        assert!(read(&format!("a{} = 1", ".a".repeat(100_000))).is_none());
    }
}
