//! Rison: JSON values in the alphabet of addresses, such as `(plan:pro,groups:!(staff,'two words'))`.
//!
//! Objects are `(name:value,…)`, lists `!(value,…)`, `!t`, `!f` and `!n` are true, false and null. A text is in single
//! quotes, with `!` before `!` and `'`. A text of plain characters that does not begin with `-` or a digit needs no
//! quotes.
use crate::text::Rule;
use serde_json::{Map, Number, Value};
use std::iter::Peekable;
use std::str::CharIndices;

/// How deep values can be nested.
pub const MAX_DEPTH: usize = 16;
/// The longest input, in bytes.
pub const MAX_SIZE: usize = 16 * 1024;

/// Characters that end a text without quotes.
const SPECIAL: &str = " '!:(),*@$";

/// Reads one value.
///
/// # Errors
/// [`Rule`] with the position of the fault, in characters from 1.
pub fn read(raw: &str) -> Result<Value, Rule> {
    if raw.len() > MAX_SIZE {
        return Err(Rule(format!("must be at most {MAX_SIZE} bytes")));
    }
    let mut reader = Reader { raw, rest: raw.char_indices().peekable() };
    let value = reader.value(0)?;
    match reader.rest.peek() {
        None => Ok(value),
        Some(_) => Err(reader.fault("the end")),
    }
}

struct Reader<'a> {
    raw: &'a str,
    rest: Peekable<CharIndices<'a>>,
}

impl<'a> Reader<'a> {
    /// Something else was expected here.
    fn fault(&mut self, expected: &str) -> Rule {
        let at = self.position();
        let character = self.raw.get(..at).unwrap_or_default().chars().count() + 1;
        Rule(format!("must be Rison: character {character} must be {expected}"))
    }

    fn position(&mut self) -> usize {
        self.rest.peek().map_or(self.raw.len(), |(at, _)| *at)
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.rest.next_if(|(_, found)| *found == wanted).is_some()
    }

    fn value(&mut self, depth: usize) -> Result<Value, Rule> {
        if depth > MAX_DEPTH {
            return Err(Rule(format!("must be nested at most {MAX_DEPTH} deep")));
        }
        match self.rest.peek().map(|(_, next)| *next) {
            Some('(') => self.object(depth),
            Some('!') => {
                self.rest.next();
                match self.rest.peek().map(|(_, next)| *next) {
                    Some('(') => self.list(depth),
                    Some('t') => self.word(Value::Bool(true)),
                    Some('f') => self.word(Value::Bool(false)),
                    Some('n') => self.word(Value::Null),
                    _ => Err(self.fault("one of ( t f n")),
                }
            }
            Some('\'') => self.quoted().map(Value::String),
            Some('-' | '0'..='9') => self.number(),
            _ => self.plain().map(|text| Value::String(text.to_owned())),
        }
    }

    fn word(&mut self, value: Value) -> Result<Value, Rule> {
        self.rest.next();
        Ok(value)
    }

    fn object(&mut self, depth: usize) -> Result<Value, Rule> {
        self.rest.next();
        let mut members = Map::new();
        while !self.takes(')') {
            if !members.is_empty() && !self.takes(',') {
                return Err(self.fault(", or )"));
            }
            let start = self.rest.clone();
            let name = match self.rest.peek() {
                Some((_, '\'')) => self.quoted()?,
                _ => self.plain()?.to_owned(),
            };
            if members.contains_key(&name) {
                self.rest = start;
                return Err(self.fault("a name that is not repeated"));
            }
            if !self.takes(':') {
                return Err(self.fault(":"));
            }
            let value = self.value(depth + 1)?;
            members.insert(name, value);
        }
        Ok(members.into())
    }

    fn list(&mut self, depth: usize) -> Result<Value, Rule> {
        self.rest.next();
        let mut items = Vec::new();
        while !self.takes(')') {
            if !items.is_empty() && !self.takes(',') {
                return Err(self.fault(", or )"));
            }
            items.push(self.value(depth + 1)?);
        }
        Ok(items.into())
    }

    fn quoted(&mut self) -> Result<String, Rule> {
        self.rest.next();
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some((_, '\'')) => return Ok(text),
                Some((_, '!')) => match self.rest.next_if(|(_, next)| matches!(next, '!' | '\'')) {
                    Some((_, escaped)) => text.push(escaped),
                    None => return Err(self.fault("! or '")),
                },
                Some((_, plain)) => text.push(plain),
                None => return Err(self.fault("'")),
            }
        }
    }

    /// A text without quotes.
    fn plain(&mut self) -> Result<&'a str, Rule> {
        let start = self.position();
        if matches!(self.rest.peek(), Some((_, '-' | '0'..='9'))) {
            return Err(self.fault("the start of a name"));
        }
        while self.rest.next_if(|(_, next)| !SPECIAL.contains(*next)).is_some() {}
        let end = self.position();
        if end == start { Err(self.fault("a value")) } else { Ok(self.raw.get(start..end).unwrap_or_default()) }
    }

    fn number(&mut self) -> Result<Value, Rule> {
        let first = self.rest.clone();
        let start = self.position();
        while self.rest.next_if(|(_, next)| matches!(next, '0'..='9' | '.' | 'e' | 'E' | '-')).is_some() {}
        let end = self.position();
        // A number of JSON without a plus sign, which stands for a space in addresses.
        match serde_json::from_str::<Number>(self.raw.get(start..end).unwrap_or_default()) {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => {
                self.rest = first;
                Err(self.fault("the start of a number"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("()", json!({}))]
    #[case("(a:0,b:-1.5e3,c:!t,d:!f,e:!n)", json!({"a": 0, "b": -1500.0, "c": true, "d": false, "e": null}))]
    #[case("(plan:pro,groups:!(staff,'two words'))", json!({"plan": "pro", "groups": ["staff", "two words"]}))]
    #[case("!()", json!([]))]
    #[case("!(!(),(a:()))", json!([[], {"a": {}}]))]
    #[case("''", json!(""))]
    #[case("'can!'t !!'", json!("can't !"))]
    #[case("('a b':c)", json!({"a b": "c"}))]
    #[case("été-1.0/x", json!("été-1.0/x"))]
    fn a_value_is_read(#[case] raw: &str, #[case] value: Value) {
        assert_eq!(read(raw), Ok(value));
    }

    #[rstest]
    #[case("", "character 1 must be a value")]
    #[case("(a:1", "character 5 must be , or )")]
    #[case("(a)", "character 3 must be :")]
    #[case("(a:)", "character 4 must be a value")]
    #[case("(,a:1)", "character 2 must be a value")]
    #[case("(a:1,)", "character 6 must be a value")]
    #[case("(a:1,a:2)", "character 6 must be a name that is not repeated")]
    #[case("(1:2)", "character 2 must be the start of a name")]
    #[case("!x", "character 2 must be one of ( t f n")]
    #[case("!(1,)", "character 5 must be a value")]
    #[case("'abc", "character 5 must be '")]
    #[case("'a!b'", "character 4 must be ! or '")]
    #[case("(a:01)", "character 4 must be the start of a number")]
    #[case("(a:-)", "character 4 must be the start of a number")]
    #[case("()()", "character 3 must be the end")]
    fn a_fault_has_its_position(#[case] raw: &str, #[case] fault: &str) {
        assert_eq!(read(raw).unwrap_err().0, format!("must be Rison: {fault}"));
    }

    #[test]
    fn depth_and_size_are_limited() {
        let nested = |depth: usize| format!("{}{}", "!(".repeat(depth), ")".repeat(depth));
        assert!(read(&nested(MAX_DEPTH + 1)).is_ok());
        for deep in [nested(MAX_DEPTH + 2), "!(".repeat(5000)] {
            assert_eq!(read(&deep).unwrap_err().0, "must be nested at most 16 deep");
        }
        assert_eq!(read(&"x".repeat(MAX_SIZE + 1)).unwrap_err().0, "must be at most 16384 bytes");
    }

    /// A value as Rison, with all texts in quotes.
    fn write(value: &Value) -> String {
        let text = |text: &str| format!("'{}'", text.replace('!', "!!").replace('\'', "!'"));
        match value {
            Value::Null => "!n".to_owned(),
            Value::Bool(true) => "!t".to_owned(),
            Value::Bool(false) => "!f".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(plain) => text(plain),
            Value::Array(items) => format!("!({})", items.iter().map(write).collect::<Vec<_>>().join(",")),
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| format!("{}:{}", text(name), write(value));
                format!("({})", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("\\PC{0,4}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_round_trips(value in values()) {
            prop_assert_eq!(read(&write(&value)), Ok(value));
        }

        #[test]
        fn no_text_makes_the_reader_panic(raw in "[()!:,'a-c0-9.~ é-]{0,40}") {
            let _ = read(&raw);
        }
    }
}
